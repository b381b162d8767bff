/* SPDX-License-Identifier: MIT */
/*
 * Switching: plans of the engine into APPLY, and again after a failure.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SWITCH_H
#define XSCHEDD_SWITCH_H

#include "state.h"

/**
 * switch_now() - bring the kernel to what the engine wants
 * @sched: scheduler
 * @event_ns: time of the event that is the cause, or 0
 *
 * The rule is one APPLY; another follows only when the kernel refused entries
 * and nothing changed.
 */
void switch_now(struct sched *sched, uint64_t event_ns);

/** switch_wait() - after giving up: not more often than the longest back-off */
void switch_wait(struct sched *sched);

/** switch_due() - the time of a deadline, or of the next attempt, has come */
void switch_due(struct sched *sched);

/** switch_afresh() - after the kernel ejected this client: become another one, and switch */
void switch_afresh(struct sched *sched);

/** switch_release_all() - let go in one switch and say so */
void switch_release_all(struct sched *sched);

#endif /* XSCHEDD_SWITCH_H */
