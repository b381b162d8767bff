// SPDX-License-Identifier: GPL-2.0-only
/*
 * INFO and LIST: which nodes and queues there are.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "backend.h"
#include "compat.h"
#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "watch/watch.h"

/* Elements as they were first published. */
#define XS_NODE_MIN_SIZE	offsetofend(struct kfd_xsched_node, max_grace_us)
#define XS_QUEUE_MIN_SIZE	offsetofend(struct kfd_xsched_queue, held_ns)

/* ---- INFO ---------------------------------------------------------------- */

/* Describe up to @room nodes; returns how many there are. */
static u32 list_fill_nodes_locked(struct kfd_xsched_node *out, u32 room)
{
	const u64 now = ktime_get_ns();
	struct xs_node *node = NULL;

	lockdep_assert_held(&xs_lock);

	while (room-- && (node = xs_node_next_locked(node))) {
		*out++ = (struct kfd_xsched_node){
			.gpu_id = node->desc.gpu_id,
			.backend = node->desc.backend,
			.caps = xs_node_caps(node),
			.max_grace_us = node->desc.max_grace_us,
			.failures = xs_breaker_recent(&node->domain->breaker, now),
			.shut_ns = node->domain->breaker.open_ns,
		};
	}
	return xs_node_count();
}

long xs_list_ioctl_info(struct xs_client *client, void *argument)
{
	const u32 size = sizeof(struct kfd_xsched_node);
	struct kfd_xsched_node *nodes __free(kvfree) = NULL;
	struct kfd_xsched_info *arg = argument;
	struct xs_user_array to = {
		.address = arg->nodes,
		.stride = arg->node_stride,
		.count = arg->nodes ? arg->node_capacity : 0,
	};
	u32 room;
	int ret;

	if (arg->flags)
		return -EOPNOTSUPP;
	if (to.count) {
		ret = xs_user_check_size(to.stride, XS_NODE_MIN_SIZE);
		if (ret)
			return ret;
	}
	arg->abi_version = KFD_XSCHED_ABI_VERSION;
	/* For nodes that came meanwhile there must be more room. */
	do {
		room = min(to.count, xs_node_count());
		kvfree(nodes);
		nodes = kvcalloc(room, size, GFP_KERNEL);
		if (!nodes)
			return -ENOMEM;
		scoped_guard(rt_mutex, &xs_lock)
			arg->node_count = list_fill_nodes_locked(nodes, room);
	} while (room < min(to.count, arg->node_count));
	to.count = min(room, arg->node_count);
	return xs_user_put_array(&to, nodes, size);
}

/* ---- LIST ---------------------------------------------------------------- */

/* Whether the client, itself or by an armed switch, holds it. */
static bool list_is_mine_locked(const struct xs_queue *queue, const struct xs_client *client)
{
	const struct xs_request *request;
	const struct xs_holder *holder;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(holder, &client->holders, in_client) {
		if (!holder->holds)
			continue;
		request = xs_request_of_queue_locked(queue, holder);
		if (request && request->now.held)
			return true;
	}
	return false;
}

u32 xs_list_state_locked(const struct xs_queue *queue, const struct xs_client *client)
{
	const u32 holders = xs_queue_holders_locked(queue);
	u32 state = xs_backend->state(queue->change.hw);

	lockdep_assert_held(&xs_lock);

	if (holders)
		state |= KFD_XSCHED_QUEUE_HELD;
	if (holders && client && list_is_mine_locked(queue, client))
		state |= KFD_XSCHED_QUEUE_MINE;
	if (xs_activity_is_ready(READ_ONCE(queue->watch.activity)))
		state |= KFD_XSCHED_QUEUE_READY;
	if (xs_sampler_watches(queue))
		state |= KFD_XSCHED_QUEUE_WATCHED;
	if (xs_sampler_taps(queue))
		state |= KFD_XSCHED_QUEUE_TAPPED;
	if (xs_process_is_demoted(queue->pdd->process))
		state |= KFD_XSCHED_QUEUE_DEMOTED;
	if (xs_process_is_parked(queue->pdd->process) && queue->applied == XS_APPLIED_HELD)
		state |= KFD_XSCHED_QUEUE_PARKED;
	return state;
}

static u64 list_tenant_locked(const struct xs_queue *queue, const struct xs_client *client)
{
	const struct xs_request *request =
		xs_request_find(&queue->pdd->process->requests, &client->holder);

	lockdep_assert_held(&xs_lock);

	return request && request->tenant ? request->tenant->id : 0;
}

/* @resident: of its process */
static void list_describe_locked(struct kfd_xsched_queue *out, const struct xs_queue *queue,
				 const struct xs_client *client, u64 now, u32 resident)
{
	lockdep_assert_held(&xs_lock);

	*out = (struct kfd_xsched_queue){
		.id = queue->id,
		.pid = pid_vnr(queue->pdd->process->pid),
		.queue_id = queue->queue_id,
		.gpu_id = queue->pdd->node->desc.gpu_id,
		.type = queue->type,
		.state = xs_list_state_locked(queue, client),
		.priority = xs_queue_priority_locked(queue),
		.holders = xs_queue_holders_locked(queue),
		.prio_class = queue->prio_class,
		.preemptions = queue->preemptions,
		.held_ns = xs_queue_held_ns_locked(queue, now),
		.tenant = list_tenant_locked(queue, client),
		.process = queue->pdd->process->id,
		.parked_ns = queue->pdd->process->park.since_ns,
		.resident = resident,
		.returns = queue->pdd->process->park.returns,
	};
}

/**
 * struct list_walk - a walk over all queues, in slices
 * @client: who asks
 * @at: id of the last queue that was seen
 * @count: how many the caller may see, so far
 * @room: how many can be described
 * @changes: xs_queue_changes_locked() when it began
 * @to: where descriptions go
 * @found: those of a slice
 */
struct list_walk {
	const struct xs_client *client;
	u64 at;
	u32 count;
	u32 room;
	u64 changes;
	struct xs_user_array to;
	struct kfd_xsched_queue found[XS_SLICE];
};

/* Go on for a slice. Whether there may be more. xs_user_array.count: out, how many it found */
static bool list_slice_locked(struct list_walk *walk)
{
	const struct xs_process *process = NULL;
	const u64 now = ktime_get_ns();
	struct xs_queue *queue;
	u32 left = XS_SLICE, resident = 0;

	lockdep_assert_held(&xs_lock);

	walk->to.count = 0;
	while (left-- && (queue = xs_queue_above_locked(walk->at))) {
		walk->at = queue->id;
		if (!xs_process_permits_locked(queue->pdd->process, XS_PERMIT_LIST))
			continue;
		if (walk->count++ >= walk->room)
			continue;
		/* Mostly it is that of the queue before. */
		if (process != queue->pdd->process)
			resident = xs_park_resident_locked(queue->pdd->process);
		process = queue->pdd->process;
		list_describe_locked(&walk->found[walk->to.count++], queue, walk->client, now,
				     resident);
	}
	return queue;
}

/* Each queue is in one slice, so none is there twice. */
static int list_walk(struct list_walk *walk, struct kfd_xsched_list *arg)
{
	bool more;

	scoped_guard(rt_mutex, &xs_lock)
		walk->changes = xs_queue_changes_locked();
	do {
		scoped_guard(rt_mutex, &xs_lock) {
			more = list_slice_locked(walk);
			arg->changed = xs_queue_changes_locked() != walk->changes;
		}
		if (xs_user_put_array(&walk->to, walk->found, sizeof(walk->found[0])))
			return -EFAULT;
		walk->to.address += (u64)walk->to.count * walk->to.stride;
	} while (more);
	arg->count = walk->count;
	return 0;
}

static int list_check(const struct kfd_xsched_list *arg)
{
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->capacity > KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	return arg->capacity ?
		xs_user_check_size(arg->stride, XS_QUEUE_MIN_SIZE) : 0;
}

long xs_list_ioctl_list(struct xs_client *client, void *argument)
{
	struct kfd_xsched_list *arg = argument;
	struct list_walk *walk __free(kfree) = NULL;
	int ret = list_check(arg);

	if (ret)
		return ret;
	walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	if (!walk)
		return -ENOMEM;
	walk->client = client;
	walk->room = arg->capacity;
	walk->to.address = arg->queues;
	walk->to.stride = arg->stride;
	return list_walk(walk, arg);
}
