/* SPDX-License-Identifier: MIT */
/*
 * Events of the device, and its list of queues, into the engine.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_EVENTS_H
#define XSCHEDD_EVENTS_H

#include "state.h"

/** events_resync() - take over the list of queues; 0 or a logged errno */
int events_resync(struct sched *sched);

/**
 * events_read() - read what there is
 * @sched: scheduler
 * @hung_up: the loop says that the device has ended
 * @event_ns: out, time of the first event; 0: there was none
 *
 * The kernel may have ejected this client: then &sched.ejected is set.
 *
 * Return: 0, or a negative errno: the device is gone.
 */
int events_read(struct sched *sched, bool hung_up, uint64_t *event_ns);

/**
 * events_start_afresh() - the kernel dropped all this client held: become
 * another one, which holds nothing
 *
 * Return: 0, or an errno, and the loop ends.
 */
int events_start_afresh(struct sched *sched);

#endif /* XSCHEDD_EVENTS_H */
