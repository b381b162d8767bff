// SPDX-License-Identifier: MIT
/*
 * The list of queues: an array that grows until everything fits.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>

#include <xsched/object.h>

#include "log.h"

#define FIRST_CAPACITY	64
/* Room for queues that appear between two attempts. */
#define SLACK		16

static int list_reserve(struct xsched_queue_list *list, size_t capacity)
{
	struct kfd_xsched_queue *queues;

	if (capacity > KFD_XSCHED_MAX_ENTRIES)
		capacity = KFD_XSCHED_MAX_ENTRIES;
	if (capacity <= list->capacity)
		return 0;
	queues = realloc(list->queues, capacity * sizeof(*queues));
	if (!queues)
		return -ENOMEM;
	list->queues = queues;
	list->capacity = capacity;
	return 0;
}

int xsched_list_queues(struct xsched_device *device,
		       struct xsched_queue_list *list)
{
	size_t wanted = FIRST_CAPACITY;

	list->count = 0;
	/* The loop ends: each failed turn increases capacity, up to MAX. */
	for (;;) {
		struct kfd_xsched_list arg = { 0 };
		int ret = list_reserve(list, wanted);

		if (ret)
			return ret;
		arg.capacity = list->capacity;
		arg.queues = (uintptr_t)list->queues;
		ret = xsched_sys_list(xsched_fd(device), &arg);
		if (ret)
			return ret;
		if (arg.count <= list->capacity) {
			list->count = arg.count;
			return 0;
		}
		if (list->capacity == KFD_XSCHED_MAX_ENTRIES) {
			xsched_log(XSCHED_LOG_ERROR,
				   "%u queues, at most %u can be listed",
				   arg.count, KFD_XSCHED_MAX_ENTRIES);
			return -E2BIG;
		}
		wanted = (size_t)arg.count + SLACK;
	}
}

void xsched_queue_list_free(struct xsched_queue_list *list)
{
	free(list->queues);
	*list = (struct xsched_queue_list){ 0 };
}
