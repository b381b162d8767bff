// SPDX-License-Identifier: MIT
/*
 * Switching: plan, and send what is planned.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/lease.h"
#include "sched/route.h"
#include "sched/switch.h"
#include "tenants/events.h"
#include "tenants/flight.h"

/* How often to plan a switch anew when the kernel refused some of it, and when to go on
 * if that was in vain.
 */
#define PLAN_ATTEMPTS	4
#define AGAIN_NS	100000000ULL

static bool switch_is_empty(const struct xsched_plan *plan)
{
	return !plan->hold_count && !plan->release_count &&
	       !plan->hold_queue_count && !plan->release_queue_count;
}

/* Returns whether to plan anew. */
static bool switch_send(struct sched *sched, const struct xsched_plan *plan,
			uint64_t event_ns)
{
	struct route route;
	bool replan;

	sched->last_error = route_make(sched, plan, event_ns, &route);
	replan = sched->last_error;
	/* What concerns GPUs that do not answer is the first, and sent last. */
	for (size_t i = route.count; i-- > 0;)
		if (route.flights[i])
			replan |= flight_send(sched, route.flights[i]);
	/* After a release, see whether that was the last. */
	lease_run(sched, plan->hold_count || plan->hold_queue_count ||
		  lease_needed(sched));
	return replan;
}

static void switch_timer(struct sched *sched, uint64_t deadline_ns, bool again)
{
	uint64_t at_ns = flight_due(sched);

	if (deadline_ns < at_ns)
		at_ns = deadline_ns;
	if (again && clock_ns() + AGAIN_NS < at_ns)
		at_ns = clock_ns() + AGAIN_NS;
	if (at_ns == XSCHED_NO_DEADLINE)
		clock_timer_off(sched->timer);
	else
		clock_timer_set(sched->timer, at_ns);
}

void switch_now(struct sched *sched, uint64_t event_ns)
{
	struct xsched_plan plan;
	bool again = true;

	flight_retry(sched, clock_ns());
	for (int i = 0; again && i < PLAN_ATTEMPTS; i++) {
		xsched_engine_plan(sched->engine, clock_ns(), &plan);
		sched->last_error = 0;
		again = !switch_is_empty(&plan) && switch_send(sched, &plan, event_ns);
		if (!sched->ejected)
			continue;
		if (events_start_afresh(sched))
			return;
		again = true;
	}
	if (again)
		log_message(LOG_WARNING, "cannot switch for now: %s",
			    strerror(-sched->last_error));
	switch_timer(sched, plan.deadline_ns, again);
}

void switch_afresh(struct sched *sched)
{
	if (!events_start_afresh(sched))
		switch_now(sched, 0);
}

/* Release explicitly, not by closing the device. */
void switch_release_all(struct sched *sched)
{
	struct xsched_tenant tenant;
	struct flight *flight;

	if (!lease_needed(sched))
		return;
	flight = flight_new(sched, 0);
	if (!flight)
		return;
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.state != XSCHED_RELEASED &&
		    xsched_apply_resume_process(flight->apply, tenant.pid))
			break;
	}
	sched->last_error = 0;
	flight_run(sched, flight);
	if (sched->last_error)
		log_message(LOG_WARNING, "cannot release, the kernel will: %s",
			    strerror(-sched->last_error));
}
