// SPDX-License-Identifier: MIT
/*
 * Event sources that wake the scheduler.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <sys/epoll.h>

#include "armed.h"
#include "device.h"
#include "events.h"
#include "lease.h"
#include "loop.h"
#include "switch.h"
#include "tenant.h"

/* How late each timer may be. */
#define REST_LATE_USEC	1000
#define SIGN_LATE_USEC	5000
#define DUE_LATE_USEC	1

void loop_switch(struct sched *sched, uint64_t event_ns)
{
	if (!tenant_awaits(sched))
		switch_now(sched, event_ns);
	else if (!sched->await.event_ns)
		sched->await.event_ns = event_ns;
}

static int loop_on_awaited(sd_event_source *source, uint64_t usec, void *user)
{
	struct sched *sched = user;

	(void)source;
	(void)usec;
	switch_now(sched, tenant_await_ends(sched));
	return 0;
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
	switch_wait(sched);
	loop_switch(sched, event_ns);
	return 0;
}

static int loop_on_due(sd_event_source *source, uint64_t usec, void *user)
{
	(void)source;
	(void)usec;
	switch_due(user);
	return 0;
}

static int loop_on_sign(sd_event_source *source, uint64_t usec, void *user)
{
	struct sched *sched = user;

	(void)source;
	(void)usec;
	if (!lease_needed(sched))
		return 0;
	lease_renew(sched);
	if (sched->ejected)
		switch_afresh(sched);
	else
		lease_run(sched, true);
	return 0;
}

static int loop_on_rest(sd_event_source *source, uint64_t usec, void *user)
{
	struct sched *sched = user;

	(void)source;
	(void)usec;
	armed_renew(sched);
	if (sched->ejected)
		switch_afresh(sched);
	return 0;
}

static int loop_add_timer(struct sched *sched, sd_event_source **timer,
			  uint64_t accuracy, sd_event_time_handler_t handler)
{
	int ret = sd_event_add_time(sched->event, timer, CLOCK_MONOTONIC, 0,
				    accuracy, handler, sched);

	return ret < 0 ? ret : sd_event_source_set_enabled(*timer, SD_EVENT_OFF);
}

int loop_open(struct sched *sched)
{
	int ret = loop_add_timer(sched, &sched->armed.timer, REST_LATE_USEC,
				 loop_on_rest);

	if (ret >= 0)
		ret = loop_add_timer(sched, &sched->timer, DUE_LATE_USEC,
				     loop_on_due);
	if (ret >= 0)
		ret = loop_add_timer(sched, &sched->lease, SIGN_LATE_USEC,
				     loop_on_sign);
	if (ret >= 0)
		ret = loop_add_timer(sched, &sched->await.timer, DUE_LATE_USEC,
				     loop_on_awaited);
	return ret < 0 ? ret : 0;
}

int loop_watch(struct sched *sched)
{
	return device_watch(sched, loop_on_device);
}

void loop_close(struct sched *sched)
{
	sd_event_source_disable_unref(sched->device_source);
	sd_event_source_disable_unref(sched->timer);
	sd_event_source_disable_unref(sched->lease);
	sched->await.timer = sd_event_source_disable_unref(sched->await.timer);
}
