// SPDX-License-Identifier: MIT
/*
 * The client that holds XQueues at the program's own request.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "compat.h"

#define MS	1000000ULL
/* Signs of life in a lease. */
#define RENEWALS	4

static struct xsched_device *device;
static uint64_t next_renewal_ns;

bool level_present(const struct hip_queue *queue, int level)
{
	switch (level) {
	case kPreemptLevelInterrupt:
		return queue->caps & KFD_XSCHED_CAP_SUSPEND;
	case kPreemptLevelDeactivate:
		return queue->caps & KFD_XSCHED_CAP_UNMAP;
	default:
		return queue->caps &
		       (KFD_XSCHED_CAP_UNMAP | KFD_XSCHED_CAP_SUSPEND);
	}
}

int add_hold(struct xsched_apply *apply, const struct xqueue *xq)
{
	if (xq->level == kPreemptLevelInterrupt ||
	    !(xq->queue.caps & KFD_XSCHED_CAP_UNMAP))
		return xsched_apply_suspend_queue(apply, xq->queue.id);
	return xsched_apply_add(apply, KFD_XSCHED_OP_UNMAP,
				KFD_XSCHED_TARGET_QUEUE, xq->queue.id,
				xq->queue.caps & KFD_XSCHED_CAP_GRACE ?
				KFD_XSCHED_GRACE_DEFAULT : 0);
}

void holder_forget(void)
{
	xsched_close(device);
	device = NULL;
	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		xq->held = false;
}

static int apply_once(const struct xqueue *xq, bool hold)
{
	struct xsched_apply *apply;
	int ret = device ? 0 : xsched_open(&device, device_path());

	if (ret)
		return ret;
	ret = xsched_apply_new(&apply, 1);
	if (ret)
		return ret;
	ret = hold ? add_hold(apply, xq) :
		     xsched_apply_resume_queue(apply, xq->queue.id);
	if (!ret)
		ret = xsched_apply_run(apply, device);
	xsched_apply_free(apply);
	/* A queue that is not held, or is gone, need not be released. */
	if (!hold && (ret == -EALREADY || ret == -ESRCH))
		return 0;
	return ret;
}

/*
 * An ejected client has lost its holds: XQueues that the program suspended run
 * again, and nothing reports this to the program. Later requests start afresh.
 */
static void start_afresh(void)
{
	holder_forget();
	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		xq->suspended = xq->forbidden = false;
}

int holder_update(struct xqueue *xq)
{
	bool suspended = xq->suspended, forbidden = xq->forbidden;
	bool hold = suspended || forbidden;
	int ret;

	if (hold == xq->held)
		return 0;
	ret = apply_once(xq, hold);
	if (ret == -EOWNERDEAD) {
		start_afresh();
		xq->suspended = suspended;
		xq->forbidden = forbidden;
		ret = hold ? apply_once(xq, true) : 0;
	}
	if (ret)
		return ret;
	xq->held = hold;
	if (!hold)
		return 0;
	next_renewal_ns = 0;
	/* Without the thread the hold would end with its lease. */
	ret = worker_start();
	if (ret && !apply_once(xq, false))
		xq->held = false;
	return ret;
}

uint64_t holder_step(uint64_t now_ns)
{
	struct kfd_xsched_renew renew;
	bool any = false;
	int ret;

	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		any |= xq->held;
	if (!any || !device)
		return XSCHED_NO_DEADLINE;
	if (now_ns < next_renewal_ns)
		return next_renewal_ns;
	ret = xsched_renew(device, &renew);
	if (ret == -EOWNERDEAD) {
		start_afresh();
		return XSCHED_NO_DEADLINE;
	}
	next_renewal_ns = now_ns + (ret ? 100 * MS :
				    renew.lease_ms * MS / RENEWALS);
	return next_renewal_ns;
}
