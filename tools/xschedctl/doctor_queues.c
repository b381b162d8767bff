// SPDX-License-Identifier: MIT
/*
 * doctor: queues that nobody can schedule, or of which nobody can see whether they have work.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm.h"
#include "finding.h"

/* ---- of DRM ------------------------------------------------------------- */

static void report_client(void *context, const struct drm_client *client)
{
	finding(context, "drm queues", NOTE,
		"let it use KFD; amdgpu with user_queue=0 lets nobody have such queues",
		"process %d (%s) has %u queue%s of DRM (amdgpu_userq), which kfd_xsched neither sees nor holds",
		client->pid, client->comm, client->queues, client->queues == 1 ? "" : "s");
}

/* Without this parameter amdgpu has no such queues. */
static void check_drm_queues(struct doctor *doctor)
{
	int ret;

	if (!root_exists(doctor, "/sys/module/amdgpu/parameters/user_queue"))
		return;
	ret = drm_each_client(doctor->options->root, doctor, report_client);
	if (ret)
		finding(doctor, "drm queues", SKIPPED, "",
			"/sys/kernel/debug/dri cannot be read: %s", strerror(-ret));
}

/* ---- of KFD ------------------------------------------------------------- */

static bool is_unwatched(const struct kfd_xsched_queue *queue)
{
	return queue->type == KFD_XSCHED_QUEUE_COMPUTE && !(queue->state & KFD_XSCHED_QUEUE_WATCHED);
}

static int by_pid(const void *a, const void *b)
{
	const struct kfd_xsched_queue *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

static void report_unwatched(struct doctor *doctor, int pid, unsigned int count)
{
	if (count)
		finding(doctor, "queues", NOTE,
			"nothing to do; such a process is never parked, and counts as without work",
			"process %d has %u compute queue%s of which cannot be seen whether there is work",
			pid, count, count == 1 ? "" : "s");
}

/* Somebody watches all queues that can be: if one is watched, the others cannot be. */
static void check_unwatched(struct doctor *doctor, struct xsched_queue_list *list)
{
	unsigned int watched = 0, count = 0;
	int pid = 0;

	for (size_t i = 0; i < list->count; i++)
		watched += !!(list->queues[i].state & KFD_XSCHED_QUEUE_WATCHED);
	if (!watched)
		return;
	qsort(list->queues, list->count, sizeof(*list->queues), by_pid);
	for (size_t i = 0; i < list->count; i++) {
		if (list->queues[i].pid != pid) {
			report_unwatched(doctor, pid, count);
			count = 0;
		}
		pid = list->queues[i].pid;
		count += is_unwatched(&list->queues[i]);
	}
	report_unwatched(doctor, pid, count);
}

void check_queues(struct doctor *doctor)
{
	struct xsched_queue_list list = { 0 };
	struct xsched_device *device;

	check_drm_queues(doctor);
	/* If not, another check says so. */
	if (xsched_open(&device, doctor->options->device))
		return;
	if (!xsched_list_queues(device, &list))
		check_unwatched(doctor, &list);
	xsched_queue_list_free(&list);
	xsched_close(device);
}
