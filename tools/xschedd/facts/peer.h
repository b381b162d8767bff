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
 * @admin: an administrator: may do everything. A member of the group, or uid 0 with
 *	CAP_SYS_NICE in the daemon's user namespace: uid 0 of a container is none.
 * @unproved: it is uid 0, and it is not known yet whether it is an administrator
 * @pid: over a socket of this host: its process
 */
struct peer {
	uid_t uid;
	bool admin;
	bool unproved;
	pid_t pid;
};

/** peer_of_unix() - by SO_PEERCRED; 0 or a negative errno */
int peer_of_unix(struct peer *peer, int fd);

/**
 * peer_prove() - find out whether uid 0 is an administrator
 * @peer: user who asks, &peer.unproved
 * @fd: its connection
 * @process: its process, just read
 *
 * A process that has ended proves nothing: another may have its id.
 */
void peer_prove(struct peer *peer, int fd, const struct process *process);

/**
 * peer_of_tcp() - by sock_diag: the owner of the socket at the other end
 * @peer: out
 * @fd: connection over loopback
 *
 * TCP has no credentials, but the kernel knows the owner of the socket at the
 * other end. This is reliable as long as that socket is open: a closed one has
 * no owner. It has no process: uid 0 is unproved, and stays so.
 *
 * Return: 0; -EACCES: not from loopback, or the other end is closed; or another
 * negative errno.
 */
int peer_of_tcp(struct peer *peer, int fd);

/**
 * peer_may() - whether a user may see and control a process
 * @peer: user who asks
 * @process: facts about it, at least its owner; NULL: its owner is not known
 */
bool peer_may(const struct peer *peer, const struct process *process);

#endif /* XSCHEDD_PEER_H */
