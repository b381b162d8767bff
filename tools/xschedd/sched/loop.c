// SPDX-License-Identifier: MIT
/*
 * Event sources that wake the scheduler.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <sys/epoll.h>

#include "base/clock.h"
#include "kernel/armed.h"
#include "kernel/device.h"
#include "kernel/lease.h"
#include "sched/loop.h"
#include "sched/switch.h"
#include "tenants/events.h"
#include "tenants/tenant.h"

/* How late each timer may be. */
#define REST_LATE_NS	1000000
#define SIGN_LATE_NS	5000000
#define DUE_LATE_NS	1000

void loop_switch(struct sched *sched, uint64_t event_ns)
{
	if (!tenant_awaits(sched))
		switch_now(sched, event_ns);
	else if (!sched->await.event_ns)
		sched->await.event_ns = event_ns;
}

static void loop_on_awaited(void *user)
{
	struct sched *sched = user;

	switch_now(sched, tenant_await_ends(sched));
}

static int loop_on_device(sd_event_source *source, int fd, uint32_t revents,
			  void *user)
{
	struct sched *sched = user;
	uint64_t event_ns;
	int ret = events_read(sched, revents & (EPOLLHUP | EPOLLERR), &event_ns);

	(void)source;
	(void)fd;
	if (ret)
		return device_lost(sched, ret);
	if (sched->ejected) {
		switch_afresh(sched);
		return 0;
	}
	loop_switch(sched, event_ns);
	return 0;
}

static void loop_on_due(void *user)
{
	switch_now(user, 0);
}

static void loop_on_sign(void *user)
{
	struct sched *sched = user;

	if (!lease_needed(sched))
		return;
	lease_renew(sched);
	if (sched->ejected)
		switch_afresh(sched);
	else
		lease_run(sched, true);
}

static void loop_on_rest(void *user)
{
	struct sched *sched = user;

	armed_renew(sched);
	if (sched->ejected)
		switch_afresh(sched);
}

int loop_open(struct sched *sched)
{
	int ret = clock_timer_new(&sched->armed.timer, sched->event,
				  REST_LATE_NS, loop_on_rest, sched);

	if (!ret)
		ret = clock_timer_new(&sched->timer, sched->event, DUE_LATE_NS,
				      loop_on_due, sched);
	if (!ret)
		ret = clock_timer_new(&sched->lease, sched->event, SIGN_LATE_NS,
				      loop_on_sign, sched);
	if (!ret)
		ret = clock_timer_new(&sched->await.timer, sched->event,
				      DUE_LATE_NS, loop_on_awaited, sched);
	return ret;
}

int loop_watch(struct sched *sched)
{
	return device_watch(sched, loop_on_device);
}

void loop_close(struct sched *sched)
{
	sd_event_source_disable_unref(sched->device_source);
	clock_timer_free(sched->timer);
	clock_timer_free(sched->lease);
	sched->await.timer = clock_timer_free(sched->await.timer);
}
