/* SPDX-License-Identifier: MIT */
/*
 * Processes that come and go, and their rating.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_TENANT_H
#define XSCHEDD_TENANT_H

#include "state.h"

/** tenant_adopt() - a process appeared */
void tenant_adopt(struct sched *sched, pid_t pid);

/** tenant_apply() - pass the current rating of a task to the engine */
void tenant_apply(struct sched *sched, struct task *task);

/** tenant_rate_all() - rate all processes again, by other rules; and try those
 *  again that the kernel refused
 */
void tenant_rate_all(struct sched *sched);

/** tenant_gone() - an xsched_gone_fn */
void tenant_gone(void *context, int32_t pid, void *user);

/** tenant_rules_said() - log each rule that matches no present process */
void tenant_rules_said(const struct sched *sched);

#endif /* XSCHEDD_TENANT_H */
