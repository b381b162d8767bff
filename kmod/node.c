// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPU nodes, and the one place where a transaction is sent.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "event.h"
#include "node.h"
#include "queue.h"
#include "user.h"
#include "xsched.h"

/* How soon a switch that failed is tried again, milliseconds. */
#define XS_RETRY_MS	100

/* Changed under both xs_lock and xs_nodes_lock, read under either. */
static LIST_HEAD(xs_nodes);
static DEFINE_SPINLOCK(xs_nodes_lock);

static void retry_pending(struct work_struct *work);
static DECLARE_DELAYED_WORK(retry_work, retry_pending);

/* Whether retries may be scheduled; under xs_nodes_lock. */
static bool retry_allowed;

struct xs_node *xs_node_find_locked(const struct xs_hw_node *hw)
{
	struct xs_node *node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (node->hw == hw)
			return node;
	}
	return NULL;
}

int xs_node_added(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc)
{
	struct xs_node *node;

	guard(mutex)(&xs_lock);
	if (xs_node_find_locked(hw))
		return 0;
	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;

	node->hw = hw;
	node->desc = *desc;
	INIT_LIST_HEAD(&node->queues);
	INIT_LIST_HEAD(&node->pending);
	INIT_LIST_HEAD(&node->in_batch);
	node->grace_us = XS_GRACE_UNSET;
	scoped_guard(spinlock, &xs_nodes_lock)
		list_add_tail(&node->in_nodes, &xs_nodes);
	return 0;
}

static void node_free_locked(struct xs_node *node)
{
	WARN_ON_ONCE(!list_empty(&node->queues));
	scoped_guard(spinlock, &xs_nodes_lock)
		list_del(&node->in_nodes);
	kvfree(node->changes);
	kfree(node);
}

void xs_node_removed(struct xs_hw_node *hw)
{
	struct xs_node *node;

	guard(mutex)(&xs_lock);
	node = xs_node_find_locked(hw);
	if (node)
		node_free_locked(node);
}

static void schedule_retry(void)
{
	scoped_guard(spinlock, &xs_nodes_lock) {
		if (retry_allowed)
			queue_delayed_work(system_unbound_wq, &retry_work,
					   msecs_to_jiffies(XS_RETRY_MS));
	}
}

/* Called with amdkfd's reset semaphore held for write: no xs_lock here. */
void xs_node_reset(struct xs_hw_node *hw, bool done)
{
	struct xs_node *node;
	u32 gpu_id = 0;

	scoped_guard(spinlock, &xs_nodes_lock) {
		list_for_each_entry(node, &xs_nodes, in_nodes) {
			if (node->hw == hw)
				gpu_id = node->desc.gpu_id;
		}
	}
	if (!gpu_id)
		return;
	xs_event_node(gpu_id, KFD_XSCHED_EVENT_NODE_RESET, ktime_get_ns(), done);
	if (done)
		schedule_retry();
}

int xs_node_reserve_locked(struct xs_node *node)
{
	const unsigned int room = max(16U, 2 * node->change_room);
	struct xs_hw_change *changes;

	lockdep_assert_held(&xs_lock);

	if (node->queue_count < node->change_room)
		return 0;
	changes = kvcalloc(room, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;
	kvfree(node->changes);
	node->changes = changes;
	node->change_room = room;
	return 0;
}

static unsigned int plan_locked(struct xs_node *node)
{
	struct xs_queue *queue, *next;
	unsigned int count = 0;

	list_for_each_entry_safe(queue, next, &node->pending, in_pending) {
		if (xs_queue_plan_locked(queue, &node->changes[count]))
			count++;
		else
			list_del_init(&queue->in_pending);
	}
	return count;
}

/* Pending queues and changes are in the same order, one for one. */
static void commit_locked(struct xs_node *node, int error)
{
	const u64 now = ktime_get_ns();
	struct xs_queue *queue, *next;
	unsigned int i = 0;

	list_for_each_entry_safe(queue, next, &node->pending, in_pending) {
		if (error) {
			xs_queue_forget_locked(queue);
			continue;
		}
		xs_queue_commit_locked(queue, &node->changes[i++], now);
		list_del_init(&queue->in_pending);
	}
}

int xs_node_switch_locked(struct xs_node *node, u32 grace_us,
			  struct kfd_xsched_node_result *result)
{
	struct xs_hw_times times = {};
	unsigned int count;
	int ret;

	lockdep_assert_held(&xs_lock);

	*result = (struct kfd_xsched_node_result){
		.gpu_id = node->desc.gpu_id,
	};
	count = plan_locked(node);
	if (!count)
		return 0;

	/* Odd while waves come and go: see sample_waves() in activity.c. */
	atomic_inc_return(&node->switching);
	ret = xs_backend->apply(node->hw, node->changes, count, grace_us, &times);
	commit_locked(node, ret);
	WRITE_ONCE(node->switched_ns, ktime_get_ns());
	atomic_inc_return(&node->switching);

	result->status = ret;
	result->flips = times.flips;
	result->fw_transactions = times.fw_transactions;
	result->lock_ns = times.lock_ns;
	result->unmap_ns = times.unmap_ns;
	result->map_ns = times.map_ns;
	return ret;
}

void xs_nodes_retry_pending_locked(void)
{
	const struct xs_node *node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (!list_empty(&node->pending)) {
			schedule_retry();
			return;
		}
	}
}

void xs_nodes_settle_locked(void)
{
	struct kfd_xsched_node_result unused;
	struct xs_node *node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (!list_empty(&node->pending))
			xs_node_switch_locked(node, XS_GRACE_NOW, &unused);
	}
	xs_nodes_retry_pending_locked();
}

static void retry_pending(struct work_struct *work)
{
	guard(mutex)(&xs_lock);
	xs_nodes_settle_locked();
}

void xs_nodes_start(void)
{
	scoped_guard(spinlock, &xs_nodes_lock)
		retry_allowed = true;
}

void xs_nodes_stop(void)
{
	scoped_guard(spinlock, &xs_nodes_lock)
		retry_allowed = false;
	cancel_delayed_work_sync(&retry_work);
}

void xs_nodes_free_locked(void)
{
	struct xs_node *node, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(node, next, &xs_nodes, in_nodes)
		node_free_locked(node);
}

static u32 count_nodes_locked(void)
{
	return list_count_nodes(&xs_nodes);
}

static void fill_nodes_locked(struct kfd_xsched_node *out, u32 count)
{
	const struct xs_node *node;

	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (!count--)
			break;
		*out++ = (struct kfd_xsched_node){
			.gpu_id = node->desc.gpu_id,
			.backend = node->desc.backend,
			.caps = node->desc.caps,
			.max_grace_us = node->desc.max_grace_us,
		};
	}
}

long xs_node_ioctl_info(struct xs_client *client, void *argument)
{
	const u32 size = sizeof(struct kfd_xsched_node);
	struct kfd_xsched_node *nodes __free(kvfree) = NULL;
	struct kfd_xsched_info *arg = argument;
	struct xs_user_array to = {
		.address = arg->nodes,
		.stride = arg->node_stride,
		.count = arg->nodes ? arg->node_capacity : 0,
	};
	int ret;

	if (arg->flags)
		return -EOPNOTSUPP;
	if (to.count) {
		ret = xs_user_check_size(to.stride, size);
		if (ret)
			return ret;
	}
	scoped_guard(mutex, &xs_lock) {
		arg->abi_version = KFD_XSCHED_ABI_VERSION;
		arg->node_count = count_nodes_locked();
		to.count = min(to.count, arg->node_count);
		nodes = kvcalloc(to.count, size, GFP_KERNEL);
		if (!nodes)
			return -ENOMEM;
		fill_nodes_locked(nodes, to.count);
	}
	return xs_user_put_array(&to, nodes, size);
}
