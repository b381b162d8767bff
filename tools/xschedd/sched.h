/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: events of the device into the engine, its plans into APPLY.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SCHED_H
#define XSCHEDD_SCHED_H

#include "state.h"

/**
 * sched_start() - open the device, subscribe, take over what there is
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
 * sched_reload() - take another configuration into use
 * @sched: scheduler
 * @config: takes the place of the former one, which may be freed afterwards
 *
 * What cannot be taken over is logged and stays as it was.
 */
void sched_reload(struct sched *sched, const struct config *config);

#endif /* XSCHEDD_SCHED_H */
