/* SPDX-License-Identifier: MIT */
/*
 * Flights: switches from when they are sent until it is known what they came to,
 * and, if they failed, until they may be tried again.
 *
 * Where there are several GPUs, the kernel answers by an event, so that one GPU
 * that does not answer keeps nothing waiting that concerns others. The engine does
 * not plan what is on its way, nor what has failed and is to wait.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_FLIGHT_H
#define XSCHEDD_FLIGHT_H

#include "state/state.h"

/** flight_open() - have one in reserve; 0 or -ENOMEM */
int flight_open(struct sched *sched);

/** flight_new() - one without entries; NULL: no memory */
struct flight *flight_new(struct sched *sched, uint64_t event_ns);

/**
 * flight_send() - send it, and settle what is known of it at once
 * @sched: scheduler
 * @flight: it has entries; not to be used any more
 *
 * Sets &sched.ejected, and &sched.last_error if it was not accepted or failed.
 *
 * Return: whether to plan anew at once: the kernel refused some of it, and the
 * next plan is without that.
 */
bool flight_send(struct sched *sched, struct flight *flight);

/** flight_run() - the same, but wait for the GPUs */
bool flight_run(struct sched *sched, struct flight *flight);

/** flight_land() - the kernel's answer has come */
void flight_land(struct sched *sched, const struct kfd_xsched_event *event);

/** flight_stir() - something happened: try again, in a second, what was given up */
void flight_stir(struct sched *sched);

/** flight_retry() - let the next plan have what failed and was to wait until @until_ns, or less */
void flight_retry(struct sched *sched, uint64_t until_ns);

/** flight_due() - when something that failed may be tried again, or XSCHED_NO_DEADLINE */
uint64_t flight_due(const struct sched *sched);

/** flight_forget_all() - after an ejection: no answer comes any more */
void flight_forget_all(struct sched *sched);

/** flight_close() - free all */
void flight_close(struct sched *sched);

#endif /* XSCHEDD_FLIGHT_H */
