/* SPDX-License-Identifier: MIT */
/*
 * Connections by HTTP, and since when each owes a request, or is owed an answer.
 * One that takes too long is closed, even if bytes still arrive: a client that
 * sends a byte now and then is not idle, so that libmicrohttpd's time-out does
 * not end it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_VISITORS_H
#define XSCHEDD_VISITORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/places.h"
#include "facts/peer.h"
#include "facts/resolver.h"

struct MHD_Connection;

/** Seconds for a request and its answer, and for the next one to come. */
#define HTTP_PATIENCE_S	10

/**
 * struct visitor - a connection
 * @entry: in &visitors.list, if @waited_for
 * @fd: its socket
 * @peer: user at the other end, when it connected
 * @place: its place
 * @lookup: whether the user is an administrator
 * @waiting: its request waits, for its turn or for @lookup; or NULL
 * @server: for @lookup
 * @since_ns: when it connected, asked, or was served last
 * @asked: all of its request is there
 * @for_turn: what it waits for is its turn
 * @waited_for: not shut down yet
 * @admitted: libmicrohttpd has it
 */
struct visitor {
	TAILQ_ENTRY(visitor) entry;
	int fd;
	struct peer peer;
	struct place place;
	struct lookup lookup;
	struct MHD_Connection *waiting;
	void *server;
	uint64_t since_ns;
	bool asked;
	bool for_turn;
	bool waited_for;
	bool admitted;
};

/**
 * struct visitors - all of them
 * @list: by @since_ns, the longest waiting first
 */
struct visitors {
	TAILQ_HEAD(, visitor) list;
};

/** visitors_init() - begin without connections */
void visitors_init(struct visitors *visitors);

/** visitor_comes() - a new connection; NULL: out of memory, no time-out */
struct visitor *visitor_comes(struct visitors *visitors, int fd,
			      const struct peer *peer, uint64_t now_ns);

/** visitors_find() - the one with this socket, if it was not shut down; or NULL */
struct visitor *visitors_find(const struct visitors *visitors, int fd);

/** visitor_asks() - all of its request is there */
void visitor_asks(struct visitors *visitors, struct visitor *visitor, uint64_t now_ns);

/** visitor_served() - it got its answer, and may ask again; or NULL */
void visitor_served(struct visitors *visitors, struct visitor *visitor,
		    uint64_t now_ns);

/** visitor_leaves() - its socket is about to be closed: free it; or NULL */
void visitor_leaves(struct visitors *visitors, struct visitor *visitor);

/**
 * visitors_hurry() - shut down a connection that takes too long
 * @visitors: all
 * @now_ns: CLOCK_MONOTONIC
 * @wait_ns: out, if there is none: nanoseconds until the next one is due, UINT64_MAX: no
 *	connection
 *
 * The socket is only shut down; visitor_leaves() follows when its owner closes
 * it.
 *
 * Return: the one that was shut down, or NULL.
 */
struct visitor *visitors_hurry(struct visitors *visitors, uint64_t now_ns, uint64_t *wait_ns);

#endif /* XSCHEDD_VISITORS_H */
