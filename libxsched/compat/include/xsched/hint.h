/* SPDX-License-Identifier: MIT */
/*
 * Hints: what a program declares about its XQueues to the scheduler.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * XHintSetScheduler(), or XSCHED_SCHEDULER and XSCHED_POLICY in the environment
 * as XSched defines them, decide which scheduler gets a hint:
 *
 *  - kSchedulerGlobal: xschedd. A process is one tenant there; its priority is
 *    the highest of its XQueues, and of other hints the last one counts.
 *  - kSchedulerLocal: a thread that schedules the XQueues of this process.
 *  - kSchedulerAppManaged, the default: none. Priorities are remembered for a
 *    scheduler that is chosen later; other hints are kXSchedErrorNotAllowed.
 */
#ifndef XSCHED_COMPAT_HINT_H
#define XSCHED_COMPAT_HINT_H

#include <xsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * XHintSetScheduler() - choose the scheduler
 * @scheduler: scheduler
 * @policy: with kSchedulerLocal: its policy
 *
 * Return: kXSchedSuccess; kXSchedErrorInvalidValue; kXSchedErrorNotSupported: no
 * such policy here; kXSchedErrorNotFound: no daemon (it is tried again with the
 * next hint) or no device (and nothing changed); kXSchedErrorNotAllowed.
 */
XResult XHintSetScheduler(XSchedulerType scheduler, XPolicyType policy);

/**
 * XHintPriority() - priority of an XQueue
 * @xq: XQueue
 * @prio: PRIORITY_MIN..PRIORITY_MAX, or PRIORITY_NO_EXECUTE: hold it, with any
 *	scheduler, until another priority is set
 *
 * Return: also kXSchedErrorNotAllowed: xschedd does not let this user raise it.
 */
XResult XHintPriority(XQueueHandle xq, Priority prio);

/** XHintUtilization() - share of the GPU, percent */
XResult XHintUtilization(XQueueHandle xq, Utilization util);

/** XHintTimeslice() - time slice of policies that take turns, microseconds */
XResult XHintTimeslice(Timeslice ts_us);

/**
 * XHintLaxity() - how long an XQueue can wait
 * @xq: XQueue
 * @lax_us: microseconds, > 0, or NO_LAXITY
 * @lax_prio: priority until then
 * @crit_prio: priority after that
 */
XResult XHintLaxity(XQueueHandle xq, Laxity lax_us, Priority lax_prio, Priority crit_prio);

/** XHintDeadline() - microseconds from READY to the deadline, or NO_DEADLINE */
XResult XHintDeadline(XQueueHandle xq, Deadline ddl_us);

/** XHintKDeadline() - how many XQueues K-EDF runs at a time */
XResult XHintKDeadline(size_t k);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_COMPAT_HINT_H */
