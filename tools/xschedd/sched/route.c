// SPDX-License-Identifier: MIT
/*
 * Routes.
 *
 * What concerns the same GPU is sent together, so that its firmware has one
 * transaction. What has no GPU in common is sent apart, so that nothing waits for a
 * GPU that does not answer but what concerns it. A process on several GPUs connects
 * these: if one of them hangs, what is switched with the process on the others is
 * known to be done only when the hang is over. That is so once: while a GPU does not
 * answer, what concerns it goes by itself.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "base/clock.h"
#include "kernel/device.h"
#include "sched/route.h"
#include "tenants/entries.h"
#include "tenants/flight.h"

/* Far longer than a switch takes, and far shorter than amdkfd waits for a GPU. */
#define SLOW_NS		20000000ULL

/* The kernel has room for KFD_XSCHED_MAX_ASYNC switches. Those that get no answer must
 * leave some for others.
 */
#define SENT_IN_VAIN	(KFD_XSCHED_MAX_ASYNC / 2)

static uint64_t route_slow(const struct sched *sched)
{
	uint64_t now_ns = clock_ns(), nodes = 0;
	const struct flight *flight;

	LIST_FOREACH(flight, &sched->flights.sent, entry)
		if (flight->start_ns + SLOW_NS <= now_ns)
			nodes |= flight->nodes;
	return nodes;
}

static uint64_t route_nodes(const struct sched *sched, const struct change *change)
{
	if (device_is_alone(sched))
		return 0;
	return change->target == KFD_XSCHED_TARGET_QUEUE ?
	       xsched_engine_queue_node(sched->engine, change->id) :
	       xsched_engine_nodes(sched->engine, change->id);
}

/* What concerns no GPU, such as a process without queues, goes together, too. */
static bool route_meet(uint64_t a, uint64_t b)
{
	return (a & b) || (!a && !b);
}

/* Add GPUs that are to be switched together: sets that have one of them become one. */
static void route_connect(struct route *route, uint64_t nodes)
{
	size_t count = 1;

	for (size_t i = 1; i < route->count; i++) {
		if (route_meet(route->nodes[i], nodes))
			nodes |= route->nodes[i];
		else
			route->nodes[count++] = route->nodes[i];
	}
	route->nodes[count++] = nodes;
	route->count = count;
}

static size_t route_find(const struct route *route, uint64_t nodes)
{
	size_t i = 1;

	if (nodes & route->slow)
		return 0;
	while (!route_meet(route->nodes[i], nodes))
		i++;
	return i;
}

static int route_add(struct sched *sched, struct route *route, uint64_t event_ns,
		     const struct change *change)
{
	uint64_t nodes = route_nodes(sched, change);
	size_t index = route_find(route, nodes);
	struct flight **flight = &route->flights[index];

	if (!index && sched->flights.sent_count >= SENT_IN_VAIN)
		return 0;
	if (!*flight)
		*flight = flight_new(sched, event_ns);
	if (!*flight)
		return -ENOMEM;
	(*flight)->nodes |= nodes;
	return entries_add(sched, (*flight)->apply, change);
}

int route_make(struct sched *sched, const struct xsched_plan *plan, uint64_t event_ns,
	       struct route *route)
{
	struct change change;
	int ret, error = 0;

	*route = (struct route){ .slow = route_slow(sched), .count = 1 };
	route->nodes[0] = route->slow;
	for (size_t i = 0; entries_at(plan, i, &change); i++) {
		uint64_t nodes = route_nodes(sched, &change);

		if (!(nodes & route->slow))
			route_connect(route, nodes);
	}
	for (size_t i = 0; entries_at(plan, i, &change); i++) {
		ret = route_add(sched, route, event_ns, &change);
		if (ret && ret != -ENOENT)
			error = ret;
	}
	return error;
}
