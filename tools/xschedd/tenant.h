/* SPDX-License-Identifier: MIT */
/*
 * Processes that come and go, and what they are worth.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_TENANT_H
#define XSCHEDD_TENANT_H

#include "state.h"

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

#endif /* XSCHEDD_TENANT_H */
