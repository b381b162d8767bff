/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: feeds events to the engine, and applies its plans.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SCHED_H
#define XSCHEDD_SCHED_H

#include "state/state.h"

/**
 * sched_start() - open the device, subscribe, list the queues
 * @sched: set to zero
 * @event: loop to run in
 * @config: stays in use until sched_reload() or sched_stop()
 *
 * Return: 0 or a negative errno, logged; then call sched_stop() all the same.
 */
int sched_start(struct sched *sched, sd_event *event,
		const struct config *config);

/** sched_stop() - release everything, finish the trace, close the device */
void sched_stop(struct sched *sched);

/**
 * sched_reload() - use another configuration
 * @sched: scheduler
 * @config: replaces the former one, which may be freed afterwards
 *
 * A setting that cannot change is logged and stays as it was.
 */
void sched_reload(struct sched *sched, const struct config *config);

#endif /* XSCHEDD_SCHED_H */
