/* SPDX-License-Identifier: MIT */
/*
 * Routes: which changes of a plan are sent together.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ROUTE_H
#define XSCHEDD_ROUTE_H

#include "state/state.h"

/* One for each GPU, one for what concerns none, one for those that do not answer. */
#define ROUTE_FLIGHTS	(XSCHED_ENGINE_NODES + 2)

/**
 * struct route - the flights of a plan
 * @slow: GPUs that have not answered for long
 * @nodes: sets of other GPUs, no two of which have one in common; the first is @slow
 * @flights: of each set, once there is an entry, or NULL
 * @count: number of sets
 */
struct route {
	uint64_t slow;
	uint64_t nodes[ROUTE_FLIGHTS];
	struct flight *flights[ROUTE_FLIGHTS];
	size_t count;
};

/**
 * route_make() - make the flights of a plan
 * @sched: scheduler
 * @plan: plan
 * @event_ns: time of the event that is the cause, or 0
 * @route: out
 *
 * Return: 0; -E2BIG or -ENOMEM: something was left out, but what there is can be sent.
 */
int route_make(struct sched *sched, const struct xsched_plan *plan, uint64_t event_ns,
	       struct route *route);

#endif /* XSCHEDD_ROUTE_H */
