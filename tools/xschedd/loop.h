/* SPDX-License-Identifier: MIT */
/*
 * Where the scheduler is woken: by the device, and by its timers.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LOOP_H
#define XSCHEDD_LOOP_H

#include "state.h"

/** loop_open() - make the timers, which are off; 0 or a negative errno */
int loop_open(struct sched *sched);

/** loop_watch() - be woken by the device, too, which is open; 0 or a logged errno */
int loop_watch(struct sched *sched);

/** loop_close() - be woken no more */
void loop_close(struct sched *sched);

#endif /* XSCHEDD_LOOP_H */
