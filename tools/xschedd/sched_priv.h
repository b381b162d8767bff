/* SPDX-License-Identifier: MIT */
/*
 * What the files of the scheduler know of each other:
 *
 *  sched.c    start, reload, stop
 *  device.c   become a client, read events, start afresh
 *  tenant.c   processes that come and go, and their rating
 *  switch.c   plans into APPLY, back-off
 *  entries.c  the entries of a switch
 *  lease.c    signs of life
 *  armed.c    switches left with the kernel
 *  request.c  what somebody asked for
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_SCHED_PRIV_H
#define XSCHEDD_SCHED_PRIV_H

#include "sched.h"

/* ---- device.c ----------------------------------------------------------- */

/** device_connect() - become a client and subscribe; 0 or a logged errno */
int device_connect(struct sched *sched);

/** device_subscribe() - 0 or a logged errno */
int device_subscribe(struct sched *sched);

/** device_check_nodes() - say at once what would else fail with a switch */
void device_check_nodes(struct sched *sched);

/** device_can() - whether all GPUs have these KFD_XSCHED_CAP_* */
bool device_can(const struct sched *sched, uint32_t caps);

/** device_resync() - take over the list of queues; 0 or a logged errno */
int device_resync(struct sched *sched);

/**
 * device_start_afresh() - the kernel dropped all this client held: become
 * another one, which holds nothing
 *
 * Return: 0, or an errno, and the loop ends.
 */
int device_start_afresh(struct sched *sched);

/* ---- tenant.c ----------------------------------------------------------- */

/** tenant_adopt() - a process showed up */
void tenant_adopt(struct sched *sched, pid_t pid);

/** tenant_apply() - tell the engine what a task is worth now */
void tenant_apply(struct sched *sched, struct task *task);

/** tenant_rate_all() - look at everybody again, by other rules; and try those
 *  again that were refused
 */
void tenant_rate_all(struct sched *sched);

/** tenant_gone() - an xsched_gone_fn */
void tenant_gone(void *context, int32_t pid, void *user);

/** tenant_rules_said() - log each rule that is of no process there is */
void tenant_rules_said(const struct sched *sched);

/* ---- switch.c ----------------------------------------------------------- */

/**
 * switch_now() - bring the kernel to what the engine wants
 * @sched: scheduler
 * @event_ns: time of the event that is the cause, or 0
 *
 * The rule is one APPLY; another follows only when the kernel refused entries
 * and nothing changed.
 */
void switch_now(struct sched *sched, uint64_t event_ns);

/** switch_timer() - have switch_now() called then, or not */
void switch_timer(struct sched *sched, uint64_t at_ns);

/** switch_wait() - after giving up: not more often than the longest back-off */
void switch_wait(struct sched *sched);

/** switch_on_timer() - handler of &sched.timer */
int switch_on_timer(sd_event_source *source, uint64_t usec, void *user);

/** switch_release_all() - let go in one switch and say so */
void switch_release_all(struct sched *sched);

/* ---- entries.c ---------------------------------------------------------- */

/** switch_add_hold() - an entry that holds a process, at the level it has */
int switch_add_hold(struct sched *sched, struct xsched_apply *apply, pid_t pid);

/** entries_fill() - those of a plan into &sched.apply; 0, -E2BIG or -ENOMEM */
int entries_fill(struct sched *sched, const struct xsched_plan *plan);

/** entries_commit() - all were done, but for those that are gone */
void entries_commit(struct sched *sched, uint64_t end_ns, uint64_t call_ns);

/** entries_doubt() - some may have been done */
void entries_doubt(struct sched *sched, uint64_t end_ns);

/**
 * entries_refuse() - none was done
 *
 * Return: whether that was because of some, which will not be in the next plan.
 */
bool entries_refuse(struct sched *sched);

/* ---- lease.c ------------------------------------------------------------ */

/** lease_renew() - a sign of life; what the lease is may change with each */
void lease_renew(struct sched *sched);

/** lease_run() - give signs of life from now on, or no more */
void lease_run(struct sched *sched, bool on);

/** lease_needed() - whether anything may be held */
bool lease_needed(const struct sched *sched);

/** lease_on_timer() - handler of &sched.lease */
int lease_on_timer(sd_event_source *source, uint64_t usec, void *user);

#endif /* XSCHEDD_SCHED_PRIV_H */
