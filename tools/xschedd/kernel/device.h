/* SPDX-License-Identifier: MIT */
/*
 * The device: become a client, and the capabilities of its GPUs.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_DEVICE_H
#define XSCHEDD_DEVICE_H

#include <stdio.h>

#include "state/state.h"

/** device_connect() - become a client, renew its lease and subscribe; 0 or a logged errno */
int device_connect(struct sched *sched);

/** device_subscribe() - 0 or a logged errno */
int device_subscribe(struct sched *sched);

/** device_read_nodes() - tell the engine on which nodes nothing can be held; 0 or a logged errno */
int device_read_nodes(struct sched *sched);

/** device_check_nodes() - log now what would fail only with a switch */
void device_check_nodes(struct sched *sched);

/** device_disconnect() - end the client, which releases all it held */
void device_disconnect(struct sched *sched);

/** device_watch() - add a handler for its events; 0 or a logged errno */
int device_watch(struct sched *sched, sd_event_io_handler_t handler);

/** device_lost() - the device is gone: end the loop with this errno */
int device_lost(struct sched *sched, int error);

/** device_is_shut() - whether the breaker of a GPU is open, as far as was read */
bool device_is_shut(const struct sched *sched, uint32_t gpu_id);

/** device_is_alone() - whether there is one GPU, or none */
bool device_is_alone(const struct sched *sched);

/** device_open_file() - read a file of a GPU in /sys; NULL: it is not there */
FILE *device_open_file(uint32_t gpu_id, const char *name);

/** device_open_module_file() - read a file of a loaded module in /sys; NULL: it is not there */
FILE *device_open_module_file(const char *module, const char *name);

/** device_has_level() - whether all GPUs have preemption level 2 or 3 */
bool device_has_level(const struct sched *sched, int level);

#endif /* XSCHEDD_DEVICE_H */
