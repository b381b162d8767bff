// SPDX-License-Identifier: MIT
/*
 * Signs of life. The kernel ejects a client that holds something and gives
 * none. Switches and reads are signs of life; while something is held, a timer
 * gives more.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kernel/lease.h"

/* Signs of life in the time of one lease. */
#define SIGNS_A_LEASE		4

bool lease_needed(const struct sched *sched)
{
	struct xsched_tenant tenant;

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		xsched_engine_tenant_at(sched->engine, i, 0, &tenant);
		if (tenant.state != XSCHED_RELEASED)
			return true;
	}
	return false;
}

void lease_run(struct sched *sched, bool on)
{
	if (on == clock_timer_is_on(sched->lease))
		return;
	if (on)
		clock_timer_set(sched->lease, clock_ns() + sched->lease_ns);
	else
		clock_timer_off(sched->lease);
}

void lease_renew(struct sched *sched)
{
	struct kfd_xsched_renew renew;
	int ret = xsched_renew(sched->device, &renew);

	if (ret == -EOWNERDEAD)
		sched->ejected = true;
	else if (ret)
		log_message(LOG_ERR, "cannot renew the lease: %s",
			    strerror(-ret));
	else
		sched->lease_ns = renew.lease_ms * 1000000ULL / SIGNS_A_LEASE;
}
