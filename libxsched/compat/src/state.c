// SPDX-License-Identifier: MIT
/*
 * Handles.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "compat.h"

struct state compat;

static void free_lists(void)
{
	while (compat.hwqs) {
		struct hwqueue *next = compat.hwqs->next;

		free(compat.hwqs->xq);
		free(compat.hwqs);
		compat.hwqs = next;
	}
	while (compat.commands) {
		struct command *next = compat.commands->next;

		free(compat.commands);
		compat.commands = next;
	}
}

void state_reset(void)
{
	free_lists();
	compat = (struct state){
		.next_serial = 1,
		.next_command = 1,
		.scheduler = kSchedulerAppManaged,
	};
}

struct xqueue *find_xqueue(XQueueHandle handle)
{
	struct xqueue *xq = compat.xqs;

	while (xq && xq->handle != handle)
		xq = xq->next;
	return xq;
}

struct hwqueue *find_hwqueue(HwQueueHandle handle)
{
	struct hwqueue *hwq = compat.hwqs;

	while (hwq && (uintptr_t)hwq->stream != handle)
		hwq = hwq->next;
	return hwq;
}

struct command *take_command(HwCommandHandle handle)
{
	struct command **link = &compat.commands;
	struct command *command;

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	command = *link;
	if (command)
		*link = command->next;
	return command;
}

XResult result_of(int error)
{
	switch (-error) {
	case 0:
		return kXSchedSuccess;
	case EINVAL:
	case ERANGE:
	case E2BIG:
		return kXSchedErrorInvalidValue;
	case ENOENT:
	case ENXIO:
	case ESRCH:
	case ECONNREFUSED:
		return kXSchedErrorNotFound;
	case EPERM:
	case EACCES:
	case EBUSY:
	case ECANCELED:
		return kXSchedErrorNotAllowed;
	case EOPNOTSUPP:
		return kXSchedErrorNotSupported;
	case EIO:
	case ETIME:
	case ENODEV:
		return kXSchedErrorHardware;
	case EPROTO:
	case ETIMEDOUT:
	case ECONNRESET:
	case EPROTONOSUPPORT:
		return kXSchedErrorBadResponse;
	default:
		return kXSchedErrorUnknown;
	}
}

const char *device_path(void)
{
	const char *path = secure_getenv("XSCHED_KFD_DEVICE");

	return path ? path : XSCHED_DEVICE_PATH;
}

const char *socket_path(void)
{
	const char *path = secure_getenv("XSCHED_KFD_SOCKET");

	return path ? path : "/run/xsched/xschedd.sock";
}

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
