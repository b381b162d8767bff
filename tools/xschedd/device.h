/* SPDX-License-Identifier: MIT */
/*
 * The device: become a client, and what its GPUs can.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_DEVICE_H
#define XSCHEDD_DEVICE_H

#include "state.h"

/** device_connect() - become a client, renew its lease and subscribe; 0 or a logged errno */
int device_connect(struct sched *sched);

/** device_subscribe() - 0 or a logged errno */
int device_subscribe(struct sched *sched);

/** device_check_nodes() - say at once what would else fail with a switch */
void device_check_nodes(struct sched *sched);

/** device_disconnect() - be a client no more; what it held is released */
void device_disconnect(struct sched *sched);

/** device_watch() - have a handler of the loop called for its events; 0 or a logged errno */
int device_watch(struct sched *sched, sd_event_io_handler_t handler);

/** device_lost() - without it there is nothing to do: end the loop with this errno */
int device_lost(struct sched *sched, int error);

/** device_has_level() - whether all GPUs have preemption level 2 or 3 */
bool device_has_level(const struct sched *sched, int level);

#endif /* XSCHEDD_DEVICE_H */
