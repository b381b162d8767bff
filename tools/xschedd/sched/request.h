/* SPDX-License-Identifier: MIT */
/*
 * Changes by request.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_REQUEST_H
#define XSCHEDD_REQUEST_H

#include "state/state.h"

/**
 * request_suspend() - hold a process by request
 * @sched: scheduler
 * @pid: process
 * @admin: only an administrator may undo it
 *
 * Return: 0 when it is held or, with several GPUs, when the kernel has accepted that;
 * -ENOENT: no such tenant; or the errno with which the kernel refused, and then the
 * request is dropped.
 */
int request_suspend(struct sched *sched, pid_t pid, bool admin);

/**
 * request_resume() - undo request_suspend()
 * @sched: scheduler
 * @pid: process
 *
 * The policy may still want it held.
 *
 * Return: 0, -ENOENT: no such tenant, -EALREADY: it was not suspended by
 * request, or the errno with which the kernel refused; then it is retried.
 */
int request_resume(struct sched *sched, pid_t pid);

/**
 * request_set_priority() - by request, until the process ends
 * @sched: scheduler
 * @pid: process
 * @priority: PRIORITY_NEVER..XSCHED_PRIORITY_MAX
 * @admin: it overrides rules and hints; else it is a hint, and the caller has
 *	checked that it is not above &rating.limit
 *
 * Return: 0, -ENOENT, or the error of the switch this led to.
 */
int request_set_priority(struct sched *sched, pid_t pid, int32_t priority,
			 bool admin);

/** request_set_level() - preemption level 2 or 3 of a process; 0, -ENOENT, or
 *  -EOPNOTSUPP: a GPU cannot
 */
int request_set_level(struct sched *sched, pid_t pid, int level);

/** request_set_hint() - 0, or an error of xsched_engine_set_hint() or of the
 *  switch
 */
int request_set_hint(struct sched *sched, pid_t pid, enum xsched_hint hint,
		     int64_t value);

/** request_set_policy() - 0, -EOPNOTSUPP, or the error of the switch */
int request_set_policy(struct sched *sched, const char *name);

/** request_set_option() - 0, or an error of xsched_engine_set_option() */
int request_set_option(struct sched *sched, const char *name, int64_t value);

#endif /* XSCHEDD_REQUEST_H */
