// SPDX-License-Identifier: MIT
/*
 * XQueues: xsched/xqueue.h.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat.h"

#define SUSPEND_WAIT	(kQueueSuspendFlagWaitAll | kQueueSuspendFlagWaitIdle)
#define SUSPEND_FLAGS	(kQueueSuspendFlagSyncHwQueue | SUSPEND_WAIT)

static bool is_level(int64_t level)
{
	return level > kPreemptLevelUnknown && level < kPreemptLevelMax;
}

/* The XQueue with that hardware queue, or NULL. */
static struct xqueue *find_owner(uint64_t id)
{
	struct xqueue *xq = id ? compat.xqs : NULL;

	while (xq && xq->queue.id != id)
		xq = xq->next;
	return xq;
}

/*
 * The stream's hardware queue, provided it belongs to this XQueue alone. The
 * global scheduler holds processes and needs no queue.
 */
static int judge(struct hip_queue *queue, int error, int level)
{
	bool global = compat.scheduler == kSchedulerGlobal;

	if (!error && !level_present(queue, level))
		return -EOPNOTSUPP;
	if (!error && find_owner(queue->id))
		error = -EOPNOTSUPP;
	if (error == -EOPNOTSUPP && global) {
		queue->id = 0;
		return 0;
	}
	return error;
}

static int add_xqueue(struct hwqueue *hwq, const struct hip_queue *queue,
		      int level)
{
	struct xqueue *xq = calloc(1, sizeof(*xq));
	int ret = 0;

	if (!xq)
		return -ENOMEM;
	xq->hwq = hwq;
	xq->queue = *queue;
	xq->level = level;
	xq->serial = compat.next_serial++;
	xq->handle = (uint64_t)getpid() << 32 | xq->serial;
	if (queue->id)
		ret = local_add(xq);
	if (ret) {
		free(xq);
		return ret;
	}
	xq->next = compat.xqs;
	compat.xqs = xq;
	hwq->xq = xq;
	return 0;
}

/* The XQueue a stream has: 0 if it has none, kXSchedErrorNotFound: no stream. */
static XResult existing(HwQueueHandle handle, XQueueHandle *xq,
			hipStream_t *stream)
{
	struct hwqueue *hwq = find_hwqueue(handle);

	if (!hwq)
		return kXSchedErrorNotFound;
	*xq = hwq->xq ? hwq->xq->handle : 0;
	*stream = hwq->stream;
	return kXSchedSuccess;
}

XResult XQueueCreate(XQueueHandle *xq, HwQueueHandle hwq, int64_t level, int64_t flags)
{
	struct hip_queue queue;
	hipStream_t stream;
	XResult result;
	int ret;

	if (!xq)
		return kXSchedErrorInvalidValue;
	*xq = 0;
	if (!is_level(level))
		return kXSchedErrorInvalidValue;
	if (flags)
		return flags == kQueueCreateFlagBlockingSubmit ?
		       kXSchedErrorNotSupported : kXSchedErrorInvalidValue;
	compat_enter();
	result = existing(hwq, xq, &stream);
	compat_leave();
	if (result || *xq)
		return result;
	ret = hip_find_queue(stream, &queue);
	compat_enter();
	ret = judge(&queue, ret, level);
	/* Another thread may have made the XQueue, or ended the stream. */
	result = existing(hwq, xq, &stream);
	if (!result && !*xq) {
		if (!ret)
			ret = add_xqueue(find_hwqueue(hwq), &queue, level);
		result = ret ? result_of(ret) : existing(hwq, xq, &stream);
	}
	compat_leave();
	return result;
}

XResult XQueueDestroy(XQueueHandle handle)
{
	struct xqueue **link = &compat.xqs;
	struct xqueue *xq;
	int ret = 0;

	compat_enter();
	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	xq = *link;
	if (xq) {
		xq->suspended = xq->forbidden = false;
		ret = holder_update(xq);
		local_remove(xq);
		*link = xq->next;
		xq->hwq->xq = NULL;
		free(xq);
	}
	compat_leave();
	return xq ? result_of(ret) : kXSchedErrorNotFound;
}

XResult XQueueGet(XQueueHandle *xq, HwQueueHandle hwq)
{
	hipStream_t stream;
	XResult result;

	if (!xq)
		return kXSchedErrorInvalidValue;
	*xq = 0;
	compat_enter();
	result = existing(hwq, xq, &stream);
	compat_leave();
	return result || *xq ? result : kXSchedErrorNotFound;
}

XResult XQueueSetPreemptLevel(XQueueHandle handle, XPreemptLevel level)
{
	XResult result = kXSchedSuccess;
	struct xqueue *xq;

	if (!is_level(level))
		return kXSchedErrorInvalidValue;
	compat_enter();
	xq = find_xqueue(handle);
	if (!xq)
		result = kXSchedErrorNotFound;
	else if (!level_present(&xq->queue, level))
		result = kXSchedErrorNotSupported;
	else
		xq->level = level;
	compat_leave();
	return result;
}

XResult XQueueSetLaunchConfig(XQueueHandle handle, int64_t threshold, int64_t batch_size)
{
	struct xqueue *xq;

	compat_enter();
	xq = find_xqueue(handle);
	compat_leave();
	if (!xq)
		return kXSchedErrorNotFound;
	return threshold > 0 || batch_size > 0 ? kXSchedErrorNotSupported :
						 kXSchedSuccess;
}

/* The stream of an XQueue, or NULL. */
static hipStream_t stream_of(XQueueHandle handle)
{
	struct xqueue *xq;
	hipStream_t stream;

	compat_enter();
	xq = find_xqueue(handle);
	stream = xq ? xq->hwq->stream : NULL;
	compat_leave();
	return stream;
}

XResult XQueueWaitAll(XQueueHandle xq)
{
	hipStream_t stream = stream_of(xq);

	return stream ? result_of(hip_wait(stream)) : kXSchedErrorNotFound;
}

XResult XQueueQuery(XQueueHandle xq, XQueueState *state)
{
	hipStream_t stream;
	int idle;

	if (!state)
		return kXSchedErrorInvalidValue;
	*state = kQueueStateUnknown;
	stream = stream_of(xq);
	if (!stream)
		return kXSchedErrorNotFound;
	idle = hip_idle(stream);
	if (idle < 0)
		return result_of(idle);
	*state = idle ? kQueueStateIdle : kQueueStateReady;
	return kXSchedSuccess;
}

/* Suspend or resume: record it only on success. */
static XResult set_suspended(XQueueHandle handle, bool suspended)
{
	struct xqueue *xq;
	bool before;
	int ret;

	compat_enter();
	xq = find_xqueue(handle);
	if (!xq) {
		compat_leave();
		return kXSchedErrorNotFound;
	}
	before = xq->suspended;
	xq->suspended = suspended;
	ret = xq->queue.id ? holder_update(xq) : -EOPNOTSUPP;
	if (ret)
		xq->suspended = before;
	compat_leave();
	return result_of(ret);
}

XResult XQueueSuspend(XQueueHandle xq, int64_t flags)
{
	XResult result = kXSchedSuccess;

	if (flags & ~(int64_t)SUSPEND_FLAGS)
		return kXSchedErrorInvalidValue;
	if (flags & SUSPEND_WAIT)
		result = XQueueWaitAll(xq);
	return result ? result : set_suspended(xq, true);
}

XResult XQueueResume(XQueueHandle xq, int64_t flags)
{
	if (flags & ~(int64_t)kQueueResumeFlagDropCommands)
		return kXSchedErrorInvalidValue;
	if (flags)
		return kXSchedErrorNotSupported;
	return set_suspended(xq, false);
}

XResult XQueueProfileHwCommandCount(XQueueHandle xq, int64_t *count)
{
	if (!count)
		return kXSchedErrorInvalidValue;
	return stream_of(xq) ? kXSchedErrorNotSupported : kXSchedErrorNotFound;
}
