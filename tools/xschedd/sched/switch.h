/* SPDX-License-Identifier: MIT */
/*
 * Switching: carry out plans of the engine.
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
 * Usually this is one APPLY for all that concerns the same GPUs; another follows only
 * when the kernel refused entries and nothing changed.
 */
void switch_now(struct sched *sched, uint64_t event_ns);

/** switch_afresh() - after an ejection: become a new client, and switch */
void switch_afresh(struct sched *sched);

/** switch_release_all() - release all in one switch, and log it */
void switch_release_all(struct sched *sched);

#endif /* XSCHEDD_SWITCH_H */
