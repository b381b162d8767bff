/* SPDX-License-Identifier: MIT */
/*
 * Armed switches: what the policy would answer to the next READY, left with the
 * kernel, which then does it without waiting for us.
 *
 * The engine's plan has the last word. What a switch holds it holds by itself,
 * beside us: we learn of the READY as always, hold the same by our own APPLY,
 * and release that when the plan says so. So a switch only makes the hold come
 * sooner, and whatever would make it wrong disarms it first.
 *
 * That is so for hhpf, and for hpf where there is one GPU: else who becomes
 * ready on one GPU holds those that are on others. Not where a share floor lets
 * the lower ones run, nor where each GPU is decided about by itself, nor with
 * tenants of several processes, which would hold one another.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ARMED_H
#define XSCHEDD_ARMED_H

#include "state.h"

/** armed_open() - nothing is armed yet; 0 or a negative errno */
int armed_open(struct sched *sched);

/** armed_close() - disarm all */
void armed_close(struct sched *sched);

/** armed_stale() - there are others to hold, or to hold for; arm anew soon */
void armed_stale(struct sched *sched);

/** armed_wrong() - what is armed may not be done: disarm now, and arm anew soon */
void armed_wrong(struct sched *sched);

/** armed_lost() - the device was closed, and with it all is disarmed */
void armed_lost(struct sched *sched);

/** armed_renew() - arm anew what may be armed now: changes have come to a rest */
void armed_renew(struct sched *sched);

/** armed_event() - a switch ran, or ended with its trigger */
void armed_event(struct sched *sched, const struct kfd_xsched_event *event);

#endif /* XSCHEDD_ARMED_H */
