/* SPDX-License-Identifier: MIT */
/*
 * The time, and timers of the loop: all that the daemon knows of time. The unit
 * tests put a clock of their own in the place of this one.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CLOCK_H
#define XSCHEDD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct clock_timer;

/** typedef clock_fn - called by the loop when a timer expires, which is off */
typedef void (*clock_fn)(void *user);

/** clock_ns() - CLOCK_MONOTONIC */
uint64_t clock_ns(void);

/**
 * clock_timer_new() - make a timer, which is off
 * @out: set on success only
 * @event: loop
 * @late_ns: how late it may be; at least 1000
 * @expired: called when it expires
 * @user: for @expired
 *
 * Return: 0 or a negative errno.
 */
int clock_timer_new(struct clock_timer **out, sd_event *event, uint64_t late_ns,
		    clock_fn expired, void *user);

/** clock_timer_yield() - all other work of the loop goes before it */
void clock_timer_yield(struct clock_timer *timer);

/** clock_timer_set() - expire once; if @at_ns is past, soon, from the loop */
void clock_timer_set(struct clock_timer *timer, uint64_t at_ns);

/** clock_timer_off() - do not expire */
void clock_timer_off(struct clock_timer *timer);

/** clock_timer_is_on() - whether it will expire */
bool clock_timer_is_on(const struct clock_timer *timer);

/** clock_timer_free() - free it; or NULL. Returns NULL. */
struct clock_timer *clock_timer_free(struct clock_timer *timer);

#endif /* XSCHEDD_CLOCK_H */
