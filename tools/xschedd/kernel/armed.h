/* SPDX-License-Identifier: MIT */
/*
 * Armed switches: the policy's answer to the next READY, given to the kernel in
 * advance. The kernel then switches without waiting for the daemon.
 *
 * The engine's plan has the last word. A switch is a holder of its own: the
 * daemon reads the READY as always, holds the same tenants by its own APPLY,
 * and releases these holds when the plan says so. So a switch only makes the
 * hold come sooner, and any change that would make it wrong disarms it first.
 *
 * Switches are armed for hhpf, and for hpf with one GPU: with several, a tenant
 * ready on one GPU would hold tenants on the others. None is armed if a share
 * floor lets lower priorities run, if each GPU is decided about by itself, or
 * if a tenant has several processes, which would hold one another.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ARMED_H
#define XSCHEDD_ARMED_H

#include "state/state.h"

/** armed_open() - nothing is armed yet; 0 or a negative errno */
int armed_open(struct sched *sched);

/** armed_close() - disarm all */
void armed_close(struct sched *sched);

/** armed_stale() - tenants or priorities changed: arm anew soon */
void armed_stale(struct sched *sched);

/** armed_wrong() - a switch may be wrong: disarm now, and arm anew soon */
void armed_wrong(struct sched *sched);

/** armed_lost() - the device was closed, which disarmed all */
void armed_lost(struct sched *sched);

/** armed_renew() - arm anew, now that no more changes come */
void armed_renew(struct sched *sched);

/** armed_event() - a switch ran, or ended with its trigger */
void armed_event(struct sched *sched, const struct kfd_xsched_event *event);

#endif /* XSCHEDD_ARMED_H */
