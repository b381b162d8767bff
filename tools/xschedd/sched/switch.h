/* SPDX-License-Identifier: MIT */
/*
 * Switching: apply plans of the engine, and try again after a failure.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SWITCH_H
#define XSCHEDD_SWITCH_H

#include "state/state.h"

/**
 * switch_now() - make the kernel do what the engine wants
 * @sched: scheduler
 * @event_ns: time of the event that is the cause, or 0
 *
 * Usually this is one APPLY; another follows only when the kernel refused
 * entries and nothing changed.
 */
void switch_now(struct sched *sched, uint64_t event_ns);

/** switch_wait() - after giving up: at most one try in the longest back-off */
void switch_wait(struct sched *sched);

/** switch_due() - a deadline, or the time of the next attempt, has come */
void switch_due(struct sched *sched);

/** switch_afresh() - after an ejection: become a new client, and switch */
void switch_afresh(struct sched *sched);

/** switch_release_all() - release all in one switch, and log it */
void switch_release_all(struct sched *sched);

#endif /* XSCHEDD_SWITCH_H */
