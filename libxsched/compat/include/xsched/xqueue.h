/* SPDX-License-Identifier: MIT */
/*
 * XQueues: streams that can be suspended and resumed.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * An XQueue is a stream whose hardware queue (HSA queue, KFD user queue) belongs
 * to it alone. Work still reaches the GPU through HIP: nothing is intercepted,
 * queued or delayed; the kernel takes the queue off the GPU and puts it back.
 *
 * Any thread may call these functions. In a child after fork(2) all handles are
 * unknown. No function ends the program, and only those that wait for the
 * stream can block for ever: XQueueWait(), XQueueWaitAll(),
 * HwQueueSynchronize().
 */
#ifndef XSCHED_COMPAT_XQUEUE_H
#define XSCHED_COMPAT_XQUEUE_H

#include <xsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * XQueueCreate() - make an XQueue of a hardware queue
 * @xq: out; 0 on failure
 * @hwq: of HipQueueCreate()
 * @level: enum XPreemptLevel
 * @flags: kQueueCreateFlagNone
 *
 * Waits until the stream is idle, a second at most, and sends it a few small
 * memsets, to see which hardware queue they use. A second call for the same
 * @hwq returns the same XQueue.
 *
 * Return: kXSchedSuccess; kXSchedErrorInvalidValue; kXSchedErrorNotFound: no
 * such @hwq, or kfd_xsched is not loaded; kXSchedErrorNotAllowed: the device may
 * not be opened, or the stream is busy; kXSchedErrorNotSupported: the GPU lacks
 * the level, a flag is not supported, or the stream shares its hardware queue
 * with another XQueue. The last is no error under kSchedulerGlobal, which needs
 * no queue.
 */
XResult XQueueCreate(XQueueHandle *xq, HwQueueHandle hwq, int64_t level, int64_t flags);

/** XQueueDestroy() - end an XQueue, and release it if it is held */
XResult XQueueDestroy(XQueueHandle xq);

/** XQueueGet() - the XQueue of a hardware queue */
XResult XQueueGet(XQueueHandle *xq, HwQueueHandle hwq);

/** XQueueSetPreemptLevel() - set the level from the next suspension on */
XResult XQueueSetPreemptLevel(XQueueHandle xq, XPreemptLevel level);

/**
 * XQueueSetLaunchConfig() - not supported: commands are not held back, so there
 * is nothing to count. With both numbers below 1 it succeeds and does nothing.
 */
XResult XQueueSetLaunchConfig(XQueueHandle xq, int64_t threshold, int64_t batch_size);

/** XQueueSubmit() - launch a command at once; its handle ends */
XResult XQueueSubmit(XQueueHandle xq, HwCommandHandle hw_cmd);

/**
 * XQueueWait() - wait for a submitted command, and all other work of the stream
 * Return: also kXSchedErrorNotAllowed: the command was not submitted.
 */
XResult XQueueWait(XQueueHandle xq, HwCommandHandle hw_cmd);

/** XQueueWaitAll() - wait until the stream has nothing to do */
XResult XQueueWaitAll(XQueueHandle xq);

/** XQueueQuery() - whether the stream has something to do */
XResult XQueueQuery(XQueueHandle xq, XQueueState *state);

/**
 * XQueueSuspend() - take it off the GPU, and keep it off
 * @xq: XQueue
 * @flags: enum XQueueSuspendFlag
 *
 * On return none of its waves is on the GPU. To suspend it again has no effect.
 *
 * Return: also kXSchedErrorHardware: the firmware refused, and nothing changed.
 */
XResult XQueueSuspend(XQueueHandle xq, int64_t flags);

/** XQueueResume() - undo XQueueSuspend(); success also if there is nothing to undo */
XResult XQueueResume(XQueueHandle xq, int64_t flags);

/** XQueueProfileHwCommandCount() - not supported: HIP's launches are not seen */
XResult XQueueProfileHwCommandCount(XQueueHandle xq, int64_t *count);

/** HwQueueDestroy() - give up a stream; kXSchedErrorNotAllowed while it has an XQueue */
XResult HwQueueDestroy(HwQueueHandle hwq);

/** HwQueueLaunch() - launch a command at once; its handle ends */
XResult HwQueueLaunch(HwQueueHandle hwq, HwCommandHandle hw_cmd);

/** HwQueueSynchronize() - wait until the stream has nothing to do */
XResult HwQueueSynchronize(HwQueueHandle hwq);

/** HwCommandCreateCallback() - a command that calls a function of the program */
XResult HwCommandCreateCallback(HwCommandHandle *hw_cmd, LaunchCallback launch, void *data);

/** HwCommandDestroy() - forget a command that was not launched */
XResult HwCommandDestroy(HwCommandHandle hw_cmd);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_COMPAT_XQUEUE_H */
