// SPDX-License-Identifier: MIT
/*
 * The time, and timers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

/**
 * struct clock_timer - see clock.h
 * @source: its source in the loop
 * @expired: called when it expires
 * @user: for @expired
 */
struct clock_timer {
	sd_event_source *source;
	clock_fn expired;
	void *user;
};

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int clock_on_time(sd_event_source *source, uint64_t usec, void *user)
{
	struct clock_timer *timer = user;

	(void)source;
	(void)usec;
	timer->expired(timer->user);
	return 0;
}

int clock_timer_new(struct clock_timer **out, sd_event *event, uint64_t late_ns,
		    clock_fn expired, void *user)
{
	struct clock_timer *timer = calloc(1, sizeof(*timer));
	int ret;

	if (!timer)
		return -ENOMEM;
	timer->expired = expired;
	timer->user = user;
	ret = sd_event_add_time(event, &timer->source, CLOCK_MONOTONIC, 0,
				late_ns / 1000, clock_on_time, timer);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(timer->source, SD_EVENT_OFF);
	if (ret < 0) {
		clock_timer_free(timer);
		return ret;
	}
	*out = timer;
	return 0;
}

void clock_timer_yield(struct clock_timer *timer)
{
	sd_event_source_set_priority(timer->source, SD_EVENT_PRIORITY_IDLE);
}

/* Never early: the loop counts in microseconds. */
void clock_timer_set(struct clock_timer *timer, uint64_t at_ns)
{
	sd_event_source_set_time(timer->source, (at_ns + 999) / 1000);
	sd_event_source_set_enabled(timer->source, SD_EVENT_ONESHOT);
}

void clock_timer_off(struct clock_timer *timer)
{
	sd_event_source_set_enabled(timer->source, SD_EVENT_OFF);
}

bool clock_timer_is_on(const struct clock_timer *timer)
{
	int enabled = SD_EVENT_OFF;

	sd_event_source_get_enabled(timer->source, &enabled);
	return enabled != SD_EVENT_OFF;
}

struct clock_timer *clock_timer_free(struct clock_timer *timer)
{
	if (timer)
		sd_event_source_disable_unref(timer->source);
	free(timer);
	return NULL;
}
