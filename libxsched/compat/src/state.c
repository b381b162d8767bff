// SPDX-License-Identifier: MIT
/*
 * Handles, the lock, and what becomes of them in a child.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "compat.h"

struct state compat;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void reset(void)
{
	compat = (struct state){
		.next_serial = 1,
		.next_command = 1,
		.scheduler = kSchedulerAppManaged,
	};
}

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

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * The parent's queues do not belong to the child, and a copy of its descriptors
 * would keep the parent's holds after the parent has died.
 */
static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	holder_forget();
	local_stop();
	worker_forget();
	free_lists();
	reset();
}

static void begin(void)
{
	reset();
	pthread_atfork(before_fork, in_parent, in_child);
}

void compat_enter(void)
{
	pthread_once(&once, begin);
	pthread_mutex_lock(&lock);
	if (compat.started)
		return;
	/* In a child, too, but only on its first call: it may just exec. */
	compat.started = true;
	scheduler_from_environment();
}

void compat_leave(void)
{
	pthread_mutex_unlock(&lock);
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
