// SPDX-License-Identifier: MIT
/*
 * Hints: xsched/hint.h.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "compat.h"

XResult XHintSetScheduler(XSchedulerType scheduler, XPolicyType policy)
{
	const char *name = policy_name(policy);
	int ret = 0;

	compat_enter();
	switch (scheduler) {
	case kSchedulerAppManaged:
		scheduler_end_local();
		compat.scheduler = scheduler;
		break;
	case kSchedulerLocal:
		ret = name ? scheduler_choose_local(name) : -EINVAL;
		break;
	case kSchedulerGlobal:
		ret = scheduler_choose_global();
		break;
	default:
		ret = -EINVAL;
		break;
	}
	compat_leave();
	return result_of(ret);
}

/* PRIORITY_NO_EXECUTE, or back. */
static int set_forbidden(struct xqueue *xq, bool forbidden)
{
	bool before = xq->forbidden;
	int ret;

	if (forbidden && !xq->queue.id)
		return -EOPNOTSUPP;
	xq->forbidden = forbidden;
	ret = holder_update(xq);
	if (ret)
		xq->forbidden = before;
	return ret;
}

XResult XHintPriority(XQueueHandle handle, Priority prio)
{
	struct xqueue *xq;
	int ret = -ENOENT;

	if (prio < PRIORITY_NO_EXECUTE || prio > PRIORITY_MAX)
		return kXSchedErrorInvalidValue;
	compat_enter();
	xq = find_xqueue(handle);
	if (xq && prio == PRIORITY_NO_EXECUTE) {
		ret = set_forbidden(xq, true);
	} else if (xq) {
		Priority before = xq->priority;

		xq->priority = prio;
		ret = tell_priority(xq);
		if (ret)
			xq->priority = before;
		else
			ret = set_forbidden(xq, false);
	}
	compat_leave();
	return result_of(ret);
}

static int tell(const struct xqueue *xq, enum xsched_hint hint, int64_t value)
{
	switch (compat.scheduler) {
	case kSchedulerLocal:
		return local_hint(xq, hint, value);
	case kSchedulerGlobal:
		return global_hint(xsched_hint_name(hint), value);
	default:
		return -EPERM;
	}
}

static int tell_option(const char *name, int64_t value)
{
	switch (compat.scheduler) {
	case kSchedulerLocal:
		return local_option(name, value);
	case kSchedulerGlobal:
		return global_option(name, value);
	default:
		return -EPERM;
	}
}

static XResult hint_one(XQueueHandle handle, enum xsched_hint hint,
			int64_t value)
{
	struct xqueue *xq;
	int ret;

	compat_enter();
	xq = find_xqueue(handle);
	ret = xq ? tell(xq, hint, value) : -ENOENT;
	compat_leave();
	return result_of(ret);
}

XResult XHintUtilization(XQueueHandle xq, Utilization util)
{
	if (util < UTILIZATION_MIN || util > UTILIZATION_MAX)
		return kXSchedErrorInvalidValue;
	return hint_one(xq, XSCHED_HINT_UTILIZATION, util);
}

XResult XHintTimeslice(Timeslice ts_us)
{
	int ret;

	if (ts_us == (Timeslice)TIMESLICE_UNLIMITED)
		return kXSchedErrorNotSupported;
	if (ts_us < TIMESLICE_MIN || ts_us > TIMESLICE_MAX)
		return kXSchedErrorInvalidValue;
	compat_enter();
	ret = tell_option("up.slice_us", ts_us);
	if (!ret)
		ret = tell_option("pup.slice_us", ts_us);
	compat_leave();
	return result_of(ret);
}

/* Microseconds that fit nanoseconds, or @none for none. */
static bool to_ns(int64_t us, int64_t none, int64_t *ns)
{
	if (us == none) {
		*ns = XSCHED_HINT_UNSET;
		return true;
	}
	if (us <= 0 || us > INT64_MAX / 1000)
		return false;
	*ns = us * 1000;
	return true;
}

static bool is_priority(Priority prio)
{
	return prio >= PRIORITY_MIN && prio <= PRIORITY_MAX;
}

XResult XHintLaxity(XQueueHandle xq, Laxity lax_us, Priority lax_prio, Priority crit_prio)
{
	XResult result;
	int64_t ns;

	if (!to_ns(lax_us, NO_LAXITY, &ns) || !is_priority(lax_prio) ||
	    !is_priority(crit_prio))
		return kXSchedErrorInvalidValue;
	result = hint_one(xq, XSCHED_HINT_LAX_PRIORITY, lax_prio);
	if (!result)
		result = hint_one(xq, XSCHED_HINT_CRIT_PRIORITY, crit_prio);
	return result ? result : hint_one(xq, XSCHED_HINT_LAXITY_NS, ns);
}

XResult XHintDeadline(XQueueHandle xq, Deadline ddl_us)
{
	int64_t ns;

	if (!to_ns(ddl_us, NO_DEADLINE, &ns))
		return kXSchedErrorInvalidValue;
	return hint_one(xq, XSCHED_HINT_DEADLINE_NS, ns);
}

XResult XHintKDeadline(size_t k)
{
	int ret;

	if (!k || k > INT32_MAX)
		return kXSchedErrorInvalidValue;
	compat_enter();
	ret = tell_option("kedf.k", k);
	compat_leave();
	return result_of(ret);
}
