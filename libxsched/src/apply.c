// SPDX-License-Identifier: MIT
/*
 * A switch: entries to apply together, and their results.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xsched/object.h>

/* Node results of one switch; KFD's topology has at most 127 nodes. */
#define NODE_CAPACITY	128

/**
 * struct xsched_apply - see xsched/object.h
 * @entries: @count entries
 * @count: entries added
 * @capacity: room in @entries
 * @node_count: results of the last run in @nodes
 * @nodes: results
 */
struct xsched_apply {
	struct kfd_xsched_entry *entries;
	size_t count;
	size_t capacity;
	size_t node_count;
	struct kfd_xsched_node_result nodes[NODE_CAPACITY];
};

static int apply_reserve(struct xsched_apply *apply, size_t capacity)
{
	struct kfd_xsched_entry *entries;

	if (capacity <= apply->capacity)
		return 0;
	entries = realloc(apply->entries, capacity * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	apply->entries = entries;
	apply->capacity = capacity;
	return 0;
}

int xsched_apply_new(struct xsched_apply **out, size_t capacity)
{
	struct xsched_apply *apply;

	if (capacity > KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	apply = calloc(1, sizeof(*apply));
	if (!apply)
		return -ENOMEM;
	if (apply_reserve(apply, capacity)) {
		free(apply);
		return -ENOMEM;
	}
	*out = apply;
	return 0;
}

void xsched_apply_free(struct xsched_apply *apply)
{
	if (!apply)
		return;
	free(apply->entries);
	free(apply);
}

void xsched_apply_reset(struct xsched_apply *apply)
{
	apply->count = 0;
	apply->node_count = 0;
}

int xsched_apply_add(struct xsched_apply *apply, uint32_t op, uint32_t target,
		     uint64_t id, int32_t value)
{
	if (apply->count == KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	if (apply->count == apply->capacity) {
		size_t capacity = apply->capacity ? 2 * apply->capacity : 16;

		if (capacity > KFD_XSCHED_MAX_ENTRIES)
			capacity = KFD_XSCHED_MAX_ENTRIES;
		if (apply_reserve(apply, capacity))
			return -ENOMEM;
	}
	apply->entries[apply->count++] = (struct kfd_xsched_entry){
		.op = op,
		.target = target,
		.id = id,
		.value = value,
	};
	return 0;
}

int xsched_apply_suspend_queue(struct xsched_apply *apply, uint64_t id)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_SUSPEND,
				KFD_XSCHED_TARGET_QUEUE, id, 0);
}

int xsched_apply_suspend_process(struct xsched_apply *apply, pid_t pid)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_SUSPEND,
				KFD_XSCHED_TARGET_PROCESS, pid, 0);
}

int xsched_apply_suspend_tenant(struct xsched_apply *apply, uint64_t id)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_SUSPEND,
				KFD_XSCHED_TARGET_TENANT, id, 0);
}

int xsched_apply_unmap_queue(struct xsched_apply *apply, uint64_t id,
			     uint32_t grace_us)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_UNMAP,
				KFD_XSCHED_TARGET_QUEUE, id, grace_us);
}

int xsched_apply_unmap_process(struct xsched_apply *apply, pid_t pid,
			       uint32_t grace_us)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_UNMAP,
				KFD_XSCHED_TARGET_PROCESS, pid, grace_us);
}

int xsched_apply_unmap_tenant(struct xsched_apply *apply, uint64_t id,
			      uint32_t grace_us)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_UNMAP,
				KFD_XSCHED_TARGET_TENANT, id, grace_us);
}

int xsched_apply_resume_queue(struct xsched_apply *apply, uint64_t id)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_RESUME,
				KFD_XSCHED_TARGET_QUEUE, id, 0);
}

int xsched_apply_resume_process(struct xsched_apply *apply, pid_t pid)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_RESUME,
				KFD_XSCHED_TARGET_PROCESS, pid, 0);
}

int xsched_apply_resume_tenant(struct xsched_apply *apply, uint64_t id)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_RESUME,
				KFD_XSCHED_TARGET_TENANT, id, 0);
}

int xsched_apply_set_priority(struct xsched_apply *apply, uint32_t target,
			      uint64_t id, int32_t priority)
{
	return xsched_apply_add(apply, KFD_XSCHED_OP_SET_PRIORITY, target, id,
				priority);
}

int xsched_apply_set_class(struct xsched_apply *apply, uint32_t target,
			   uint64_t id, uint32_t prio_class)
{
	int ret = xsched_apply_add(apply, KFD_XSCHED_OP_SET_PRIORITY, target, id,
				   KFD_XSCHED_PRIORITY_KEEP);

	if (!ret)
		apply->entries[apply->count - 1].prio_class = prio_class;
	return ret;
}

/* A call that fails early leaves former results: clear them first. */
static void apply_forget_results(struct xsched_apply *apply)
{
	apply->node_count = 0;
	for (size_t i = 0; i < apply->count; i++) {
		apply->entries[i].status = 0;
		apply->entries[i].effective = 0;
		apply->entries[i].effective_class = 0;
	}
}

int xsched_apply_start(struct xsched_apply *apply, struct xsched_device *device,
		       uint64_t cookie)
{
	struct kfd_xsched_apply arg = {
		.flags = KFD_XSCHED_APPLY_ASYNC,
		.count = apply->count,
		.entries = (uintptr_t)apply->entries,
		.cookie = cookie,
	};

	apply_forget_results(apply);
	return apply->count ? xsched_sys_apply(xsched_fd(device), &arg) : -EINVAL;
}

int xsched_apply_run(struct xsched_apply *apply, struct xsched_device *device)
{
	struct kfd_xsched_apply arg = {
		.count = apply->count,
		.entries = (uintptr_t)apply->entries,
		.node_capacity = NODE_CAPACITY,
		.nodes = (uintptr_t)apply->nodes,
	};
	int ret;

	apply_forget_results(apply);
	if (!apply->count)
		return -EINVAL;
	ret = xsched_sys_apply(xsched_fd(device), &arg);
	apply->node_count = arg.node_count < NODE_CAPACITY ? arg.node_count :
							     NODE_CAPACITY;
	return ret;
}

int xsched_apply_arm(struct xsched_apply *apply, struct xsched_device *device,
		     uint32_t trigger, uint64_t trigger_id, uint64_t *id)
{
	struct kfd_xsched_arm arg = {
		.op = KFD_XSCHED_ARM_SET,
		.trigger = trigger,
		.trigger_id = trigger_id,
		.count = apply->count,
		.entries = (uintptr_t)apply->entries,
	};
	int ret;

	apply_forget_results(apply);
	if (!apply->count)
		return -EINVAL;
	ret = xsched_sys_arm(xsched_fd(device), &arg);
	if (!ret)
		*id = arg.id;
	return ret;
}

static int apply_disarm(struct xsched_device *device, uint64_t id, uint32_t flags)
{
	struct kfd_xsched_arm arg = {
		.flags = flags,
		.op = KFD_XSCHED_ARM_CLEAR,
		.id = id,
	};

	return xsched_sys_arm(xsched_fd(device), &arg);
}

int xsched_disarm(struct xsched_device *device, uint64_t id)
{
	return apply_disarm(device, id, 0);
}

int xsched_disarm_async(struct xsched_device *device, uint64_t id)
{
	return apply_disarm(device, id, KFD_XSCHED_ARM_ASYNC);
}

size_t xsched_apply_count(const struct xsched_apply *apply)
{
	return apply->count;
}

const struct kfd_xsched_entry *
xsched_apply_entries(const struct xsched_apply *apply)
{
	return apply->entries;
}

const struct kfd_xsched_node_result *
xsched_apply_nodes(const struct xsched_apply *apply, size_t *count)
{
	*count = apply->node_count;
	return apply->nodes;
}
