/* SPDX-License-Identifier: MIT */
/*
 * An input as a session: bytes that clients of the daemon send over up to four connections, and
 * what happens meanwhile. A byte below 9, or from 14 to 18, is no part of what is sent, but says
 * something:
 *
 *   0		nothing
 *   1 T P Q D	the kernel reports an event: type, process, queue, data (kernel_event())
 *   2 N	time goes on by N ms; 255: by so much that no client is waited for any longer
 *   3 N	what follows is sent over connection N % 4; a new one is that of user N / 4 % 10: root,
 *		user 1000, user 1001, root's user in a container, an administrator who is not root,
 *		a user of a namespace that belongs to user 1000, a process that has ended, one of
 *		which little can be known, users 1004 and 1005
 *   4		the daemon gets what was sent so far by itself
 *   5		this connection is closed
 *   6 N	the kernel refuses the next switch with errno N
 *   7		its client reads no more answers, or reads again
 *   8 N	what follows goes into a new connection with the number of this one
 *   14		as between two inputs: all connections are closed, and a minute passes at once
 *   15 N	N % 64 + 1 further connections of this user come, say nothing and stay; from 128 on
 *		those that came so before leave first
 *   16 N	from now on the helpers that look for names are as children_are() says
 *   17 N	likewise those that read about processes
 *   18 N	from now on these of the first eight processes, as bits, keep who reads about them waiting
 */
#ifndef FUZZ_SESSION_H
#define FUZZ_SESSION_H

#include "daemon.h"
#include "users.h"

/**
 * struct session_ops - the kind of a connection
 * @open: make one of that user: our end of it, or -1
 * @heard: what came back, as it comes; a @size of 0: the connection is over
 */
struct session_ops {
	int (*open)(struct daemon *daemon, const struct user *user);
	void (*heard)(unsigned int connection, const char *text, size_t size);
};

void session_run(struct daemon *daemon, const struct session_ops *ops, const uint8_t *data,
		 size_t size);

#endif /* FUZZ_SESSION_H */
