/* SPDX-License-Identifier: MIT */
/*
 * Event sources that wake the scheduler: the device, and its timers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LOOP_H
#define XSCHEDD_LOOP_H

#include "state.h"

/** loop_open() - make the timers, disabled; 0 or a negative errno */
int loop_open(struct sched *sched);

/** loop_watch() - add the device, which is open; 0 or a logged errno */
int loop_watch(struct sched *sched);

/** loop_close() - remove all sources */
void loop_close(struct sched *sched);

#endif /* XSCHEDD_LOOP_H */
