/* SPDX-License-Identifier: MIT */
/*
 * Who is at the other end of a connection.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PEER_H
#define XSCHEDD_PEER_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "process.h"

/**
 * struct peer - who asks
 * @uid: user
 * @admin: root or of the group xsched: may do everything
 */
struct peer {
	uid_t uid;
	bool admin;
};

/** peer_of_unix() - by SO_PEERCRED: who connected; 0 or a negative errno */
int peer_of_unix(struct peer *peer, int fd);

/**
 * peer_of_tcp() - by sock_diag: the owner of the socket at the other end
 * @peer: out
 * @fd: connection over loopback
 *
 * TCP does not tell who the other end is, but the kernel knows whose socket it
 * is. That is sure as long as the other end is open: one that was closed has
 * no owner any more.
 *
 * Return: 0; -EACCES: not from loopback, or the other end is closed; or another
 * negative errno.
 */
int peer_of_tcp(struct peer *peer, int fd);

/**
 * peer_may() - whether somebody may see a process, and say what becomes of it
 * @peer: who asks
 * @process: as it was when it was looked at, or NULL: nobody knows whose it is
 */
bool peer_may(const struct peer *peer, const struct process *process);

#endif /* XSCHEDD_PEER_H */
