/* SPDX-License-Identifier: MIT */
/*
 * The user at the other end of a connection.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PEER_H
#define XSCHEDD_PEER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "facts/process.h"

/**
 * struct peer - the user who asks
 * @uid: user
 * @admin: an administrator: may do everything. A member of the group, or root
 * @root: uid 0 with CAP_SYS_NICE in the daemon's user namespace: uid 0 of a container is not
 * @undecided: it would be known whether it is an administrator, had that not taken too long
 * @account: whom the kernel charges for it
 * @pid: over a socket of this host: its process; else 0
 * @comm: name of that process, if it is known
 */
struct peer {
	uid_t uid;
	bool admin;
	bool root;
	bool undecided;
	struct account account;
	pid_t pid;
	char comm[32];
};

/**
 * peer_of_unix() - by SO_PEERCRED; 0 or a negative errno
 *
 * The owner of its user namespace is known later, and of uid 0 the share: until then its account
 * is the one to whom subuid(5) gives the user, without a share.
 */
int peer_of_unix(struct peer *peer, int fd);

/**
 * peer_identify() - find its account, and whether uid 0 is root
 * @peer: user who asks
 * @fd: its connection
 * @process: its process, just read
 *
 * A process that has ended says nothing: another may have its id.
 */
void peer_identify(struct peer *peer, int fd, const struct process *process);

/** peer_open_diag() - a socket by which the kernel is asked about others, or a negative errno */
int peer_open_diag(void);

/**
 * peer_of_tcp() - by sock_diag: the owner of the socket at the other end
 * @peer: out
 * @fd: connection over loopback
 * @diag: of peer_open_diag()
 *
 * TCP has no credentials, but the kernel knows the owner of the socket at the
 * other end, and its cgroup. This is reliable as long as that socket is open: a closed
 * one has no owner. It has no process: so the owner of a user namespace is the one to whom
 * subuid(5) gives the user, and whether uid 0 is root is not known.
 *
 * Return: 0; -EACCES: not from loopback, or the other end is closed; or another
 * negative errno.
 */
int peer_of_tcp(struct peer *peer, int fd, int diag);

/**
 * peer_sees_listener() - whether the kernel tells of a socket that listens
 * @diag: of peer_open_diag()
 * @port: of 127.0.0.1, where it listens
 *
 * If it does not, it lacks the module tcp_diag, and peer_of_tcp() finds nobody.
 */
bool peer_sees_listener(int diag, uint16_t port);

/**
 * peer_may() - whether a user may see and control a process
 * @peer: user who asks
 * @process: facts about it, at least its owner; NULL: its owner is not known
 */
bool peer_may(const struct peer *peer, const struct process *process);

#endif /* XSCHEDD_PEER_H */
