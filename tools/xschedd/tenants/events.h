/* SPDX-License-Identifier: MIT */
/*
 * Feed events of the device, and its list of queues, to the engine.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_EVENTS_H
#define XSCHEDD_EVENTS_H

#include "state/state.h"

/** events_resync() - take over the list of queues; 0 or a logged errno */
int events_resync(struct sched *sched);

/**
 * events_read() - read all events there are
 * @sched: scheduler
 * @hung_up: the loop reported that the device has ended
 * @event_ns: out, time of the first event; 0: there was none
 *
 * Sets &sched.ejected if the kernel has ejected this client.
 *
 * Return: 0, or a negative errno: the device is gone.
 */
int events_read(struct sched *sched, bool hung_up, uint64_t *event_ns);

/**
 * events_start_afresh() - after an ejection: become a new client, which holds
 * nothing
 *
 * Return: 0, or an errno, and the loop ends.
 */
int events_start_afresh(struct sched *sched);

#endif /* XSCHEDD_EVENTS_H */
