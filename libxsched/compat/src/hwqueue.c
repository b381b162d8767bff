// SPDX-License-Identifier: MIT
/*
 * Hardware queues and commands: xsched/hip/hal.h, and a part of xqueue.h.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>

#include "compat.h"

XResult HipQueueCreate(HwQueueHandle *hwq, hipStream_t stream)
{
	struct hwqueue *fresh;
	XResult result = kXSchedSuccess;

	if (!hwq)
		return kXSchedErrorInvalidValue;
	*hwq = 0;
	if (!stream || !hip_present())
		return kXSchedErrorNotSupported;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return kXSchedErrorUnknown;
	fresh->stream = stream;
	compat_enter();
	if (find_hwqueue((uintptr_t)stream)) {
		free(fresh);
		result = kXSchedErrorNotAllowed;
	} else {
		fresh->next = compat.hwqs;
		compat.hwqs = fresh;
		*hwq = (uintptr_t)stream;
	}
	compat_leave();
	return result;
}

XResult HwQueueDestroy(HwQueueHandle handle)
{
	struct hwqueue **link = &compat.hwqs;
	XResult result = kXSchedSuccess;
	struct hwqueue *hwq;

	compat_enter();
	while (*link && (uintptr_t)(*link)->stream != handle)
		link = &(*link)->next;
	hwq = *link;
	if (!hwq) {
		result = kXSchedErrorNotFound;
	} else if (hwq->xq) {
		result = kXSchedErrorNotAllowed;
	} else {
		*link = hwq->next;
		free(hwq);
	}
	compat_leave();
	return result;
}

XResult HwQueueSynchronize(HwQueueHandle handle)
{
	hipStream_t stream = NULL;
	struct hwqueue *hwq;

	compat_enter();
	hwq = find_hwqueue(handle);
	if (hwq)
		stream = hwq->stream;
	compat_leave();
	return stream ? result_of(hip_wait(stream)) : kXSchedErrorNotFound;
}

/* Without the lock: the program's function may call us. */
static XResult launch(HwQueueHandle hwq, struct command *command)
{
	XResult result = command->launch(hwq, command->data);

	free(command);
	return result;
}

XResult HwQueueLaunch(HwQueueHandle hwq, HwCommandHandle hw_cmd)
{
	struct command *command = NULL;

	compat_enter();
	if (find_hwqueue(hwq))
		command = take_command(hw_cmd);
	compat_leave();
	return command ? launch(hwq, command) : kXSchedErrorNotFound;
}

XResult XQueueSubmit(XQueueHandle handle, HwCommandHandle hw_cmd)
{
	struct command *command = NULL;
	HwQueueHandle hwq = 0;
	struct xqueue *xq;

	compat_enter();
	xq = find_xqueue(handle);
	if (xq) {
		hwq = (uintptr_t)xq->hwq->stream;
		command = take_command(hw_cmd);
	}
	compat_leave();
	return command ? launch(hwq, command) : kXSchedErrorNotFound;
}

XResult XQueueWait(XQueueHandle handle, HwCommandHandle hw_cmd)
{
	XResult result = kXSchedSuccess;
	struct command *command;
	hipStream_t stream = NULL;
	struct xqueue *xq;

	compat_enter();
	xq = find_xqueue(handle);
	if (xq)
		stream = xq->hwq->stream;
	if (!xq || !hw_cmd || hw_cmd >= compat.next_command)
		result = kXSchedErrorNotFound;
	/* A command that is still there was not submitted. */
	for (command = compat.commands; command; command = command->next)
		if (command->handle == hw_cmd)
			result = kXSchedErrorNotAllowed;
	compat_leave();
	return result ? result : result_of(hip_wait(stream));
}

XResult HwCommandCreateCallback(HwCommandHandle *hw_cmd, LaunchCallback launch, void *data)
{
	struct command *fresh;

	if (!hw_cmd)
		return kXSchedErrorInvalidValue;
	*hw_cmd = 0;
	if (!launch)
		return kXSchedErrorInvalidValue;
	fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return kXSchedErrorUnknown;
	fresh->launch = launch;
	fresh->data = data;
	compat_enter();
	fresh->handle = compat.next_command++;
	fresh->next = compat.commands;
	compat.commands = fresh;
	*hw_cmd = fresh->handle;
	compat_leave();
	return kXSchedSuccess;
}

XResult HwCommandDestroy(HwCommandHandle hw_cmd)
{
	struct command *command;

	compat_enter();
	command = take_command(hw_cmd);
	compat_leave();
	free(command);
	return command ? kXSchedSuccess : kXSchedErrorNotFound;
}
