// SPDX-License-Identifier: MIT
/*
 * Connections by HTTP.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdlib.h>
#include <sys/socket.h>

#include "serve/visitors.h"

#define PATIENCE_NS	(HTTP_PATIENCE_S * 1000000000ULL)

void visitors_init(struct visitors *visitors)
{
	TAILQ_INIT(&visitors->list);
}

static void visitors_wait_for(struct visitors *visitors, struct visitor *visitor,
			      uint64_t now_ns)
{
	visitor->since_ns = now_ns;
	visitor->waited_for = true;
	TAILQ_INSERT_TAIL(&visitors->list, visitor, entry);
}

static void visitors_wait_no_more(struct visitors *visitors, struct visitor *visitor)
{
	if (visitor->waited_for)
		TAILQ_REMOVE(&visitors->list, visitor, entry);
	visitor->waited_for = false;
}

struct visitor *visitor_comes(struct visitors *visitors, int fd,
			      const struct peer *peer, uint64_t now_ns)
{
	struct visitor *visitor = calloc(1, sizeof(*visitor));

	if (!visitor)
		return NULL;
	visitor->fd = fd;
	visitor->peer = *peer;
	visitors_wait_for(visitors, visitor, now_ns);
	return visitor;
}

struct visitor *visitors_find(const struct visitors *visitors, int fd)
{
	struct visitor *visitor;

	TAILQ_FOREACH(visitor, &visitors->list, entry)
		if (visitor->fd == fd)
			break;
	return visitor;
}

static void visitors_turn(struct visitors *visitors, struct visitor *visitor, bool asked,
			  uint64_t now_ns)
{
	visitor->asked = asked;
	if (!visitor->waited_for)
		return;
	visitors_wait_no_more(visitors, visitor);
	visitors_wait_for(visitors, visitor, now_ns);
}

void visitor_asks(struct visitors *visitors, struct visitor *visitor, uint64_t now_ns)
{
	visitors_turn(visitors, visitor, true, now_ns);
}

void visitor_served(struct visitors *visitors, struct visitor *visitor, uint64_t now_ns)
{
	if (visitor)
		visitors_turn(visitors, visitor, false, now_ns);
}

void visitor_leaves(struct visitors *visitors, struct visitor *visitor)
{
	if (!visitor)
		return;
	visitors_wait_no_more(visitors, visitor);
	free(visitor);
}

struct visitor *visitors_hurry(struct visitors *visitors, uint64_t now_ns, uint64_t *wait_ns)
{
	struct visitor *first = TAILQ_FIRST(&visitors->list);

	*wait_ns = UINT64_MAX;
	if (!first)
		return NULL;
	if (now_ns - first->since_ns < PATIENCE_NS) {
		*wait_ns = first->since_ns + PATIENCE_NS - now_ns;
		return NULL;
	}
	shutdown(first->fd, SHUT_RDWR);
	visitors_wait_no_more(visitors, first);
	return first;
}
