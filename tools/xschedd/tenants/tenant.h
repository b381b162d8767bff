/* SPDX-License-Identifier: MIT */
/*
 * Processes that come and go, and their rating.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_TENANT_H
#define XSCHEDD_TENANT_H

#include "state/state.h"

/**
 * tenant_adopt() - a process appeared
 *
 * Until the facts about it are read, it has the lowest priority that a rule might give it.
 */
void tenant_adopt(struct sched *sched, pid_t pid);

/** tenant_apply() - pass the current rating of a task to the engine */
void tenant_apply(struct sched *sched, struct task *task);

/** tenant_note_demotion() - the kernel has said whether it is demoted: log a change */
void tenant_note_demotion(struct sched *sched, pid_t pid, bool demoted);

/**
 * tenant_rate_all() - read about all processes, to rate them by other rules
 *
 * Those that the kernel refused are tried again. When all are rated, each rule
 * that matches no present process is logged.
 */
void tenant_rate_all(struct sched *sched);

/** tenant_gone() - an xsched_gone_fn */
void tenant_gone(void *context, int32_t pid, void *user);

/** tenant_awaits() - whether switches wait for facts about a new process */
bool tenant_awaits(const struct sched *sched);

/**
 * tenant_await_ends() - the facts have come, or it has taken too long
 * @sched: scheduler
 *
 * Return: time of the event that had to wait, 0: there was none.
 */
uint64_t tenant_await_ends(struct sched *sched);

#endif /* XSCHEDD_TENANT_H */
