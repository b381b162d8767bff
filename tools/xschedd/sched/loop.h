/* SPDX-License-Identifier: MIT */
/*
 * Event sources that wake the scheduler: the device, and its timers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LOOP_H
#define XSCHEDD_LOOP_H

#include "state/state.h"

/** loop_open() - make the timers, disabled; 0 or a negative errno */
int loop_open(struct sched *sched);

/** loop_watch() - add the device, which is open; 0 or a logged errno */
int loop_watch(struct sched *sched);

/**
 * loop_switch() - switch, unless facts about a new process are about to come
 * @sched: scheduler
 * @event_ns: time of the event that is the cause, or 0
 *
 * It would change again at once. Then the switch follows when they have come.
 */
void loop_switch(struct sched *sched, uint64_t event_ns);

/** loop_close() - remove all sources */
void loop_close(struct sched *sched);

#endif /* XSCHEDD_LOOP_H */
