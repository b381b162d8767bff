// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPU nodes, and the one place where a transaction is sent.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "activity.h"
#include "batch.h"
#include "change.h"
#include "compat.h"
#include "event.h"
#include "node.h"
#include "place.h"
#include "sysfs.h"
#include "trace.h"
#include "user.h"
#include "watchdog.h"
#include "xsched.h"

/* How soon a switch that failed is tried again, milliseconds. */
#define XS_RETRY_MS	100

/* How long who lets go waits for all nodes together: a save, many times over. */
#define XS_SETTLE_MS	500

/* By number. Changed under both xs_lock and xs_nodes_lock, read under either. */
static LIST_HEAD(xs_nodes);
static DEFINE_SPINLOCK(xs_nodes_lock);
static u32 last_number;
static unsigned int node_count;

/* No transaction may be sent; under xs_lock. */
static bool stopped;

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

struct xs_node *xs_node_next_locked(const struct xs_node *node)
{
	const u32 number = node ? node->number : 0;
	struct xs_node *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(next, &xs_nodes, in_nodes) {
		if (next->number > number)
			return next;
	}
	return NULL;
}

struct xs_node *xs_node_get(struct xs_node *node)
{
	refcount_inc(&node->refs);
	return node;
}

void xs_node_put(struct xs_node *node)
{
	if (refcount_dec_and_test(&node->refs))
		complete(&node->unused);
}

unsigned int xs_node_count(void)
{
	return READ_ONCE(node_count);
}

/* The first node behind that number, with a reference, or NULL. */
static struct xs_node *node_behind(u32 number)
{
	struct xs_node *node;

	guard(mutex)(&xs_lock);
	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (node->number > number)
			return xs_node_get(node);
	}
	return NULL;
}

static void settle(struct kthread_work *work)
{
	struct xs_node *node = container_of(work, struct xs_node, settle);
	u32 kicked;

	scoped_guard(mutex, &xs_lock)
		kicked = node->kicked;
	xs_node_switch(node, XS_GRACE_NOW);
	WRITE_ONCE(node->done, kicked);
	wake_up_all(&node->quiet);
}

static void retry(struct kthread_work *work)
{
	xs_node_switch(container_of(work, struct xs_node, retry.work), XS_GRACE_NOW);
}

static void free_load(struct xs_load *load)
{
	kvfree(load->changes);
	*load = (struct xs_load){};
}

static void node_free(struct xs_node *node)
{
	free_load(&node->load);
	free_load(&node->spare);
	kfree(node);
}

static struct xs_node *node_new(struct xs_hw_node *hw,
				const struct xs_hw_node_desc *desc)
{
	struct xs_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->worker = kthread_run_worker(0, "xsched-%u", desc->gpu_id);
	if (IS_ERR(node->worker)) {
		kfree(node);
		return NULL;
	}
	/* A switch is short, or sleeps: late is worse than early. */
	sched_set_fifo_low(node->worker->task);
	node->hw = hw;
	node->desc = *desc;
	node->default_grace_us = min_t(u32, XS_DEFAULT_GRACE_US, desc->max_grace_us);
	refcount_set(&node->refs, 1);
	init_completion(&node->unused);
	INIT_LIST_HEAD(&node->queues);
	INIT_HLIST_HEAD(&node->pending);
	mutex_init(&node->lock);
	init_waitqueue_head(&node->quiet);
	kthread_init_work(&node->settle, settle);
	kthread_init_delayed_work(&node->retry, retry);
	kthread_init_work(&node->ring, xs_activity_look_at_rung);
	return node;
}

int xs_node_added(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc)
{
	struct xs_node *node = node_new(hw, desc);
	bool known;

	if (!node)
		return -ENOMEM;
	scoped_guard(mutex, &xs_lock) {
		known = xs_node_find_locked(hw);
		if (!known) {
			node->number = ++last_number;
			WRITE_ONCE(node_count, node_count + 1);
			scoped_guard(spinlock, &xs_nodes_lock)
				list_add_tail(&node->in_nodes, &xs_nodes);
		}
	}
	if (known) {
		kthread_destroy_worker(node->worker);
		node_free(node);
		return 0;
	}
	trace_node_add(desc->gpu_id);
	xs_sysfs_node_add(node);
	return 0;
}

static void unlink_locked(struct xs_node *node)
{
	WARN_ON_ONCE(!list_empty(&node->queues));
	node->gone = true;
	WRITE_ONCE(node_count, node_count - 1);
	scoped_guard(spinlock, &xs_nodes_lock)
		list_del(&node->in_nodes);
}

/* It is in no list: see off who still uses it. */
static void node_destroy(struct xs_node *node)
{
	trace_node_del(node->desc.gpu_id);
	xs_sysfs_node_del(node);
	kthread_cancel_delayed_work_sync(&node->retry);
	xs_node_put(node);
	wait_for_completion(&node->unused);
	kthread_destroy_worker(node->worker);
	node_free(node);
}

void xs_node_removed(struct xs_hw_node *hw)
{
	struct xs_node *node;

	scoped_guard(mutex, &xs_lock) {
		node = xs_node_find_locked(hw);
		if (node)
			unlink_locked(node);
	}
	if (node)
		node_destroy(node);
}

static void retry_later(struct xs_node *node)
{
	kthread_queue_delayed_work(node->worker, &node->retry,
				   msecs_to_jiffies(XS_RETRY_MS));
}

/* Called with amdkfd's reset semaphore held for write: no xs_lock here. */
void xs_node_reset(struct xs_hw_node *hw, bool done)
{
	struct xs_node *node;
	u32 gpu_id = 0;

	scoped_guard(spinlock, &xs_nodes_lock) {
		list_for_each_entry(node, &xs_nodes, in_nodes) {
			if (node->hw != hw)
				continue;
			gpu_id = node->desc.gpu_id;
			if (done)
				retry_later(node);
		}
	}
	if (!gpu_id)
		return;
	trace_node_reset(gpu_id, done);
	xs_event_node(gpu_id, KFD_XSCHED_EVENT_NODE_RESET, ktime_get_ns(), done);
}

int xs_node_reserve_locked(struct xs_node *node)
{
	const unsigned int had = max(node->load.room, node->spare.room);
	struct xs_load spare = { .room = max(16U, 2 * had) };

	lockdep_assert_held(&xs_lock);

	if (node->queue_count < had)
		return 0;
	spare.changes = kvcalloc(spare.room, sizeof(*spare.changes), GFP_KERNEL);
	if (!spare.changes)
		return -ENOMEM;
	free_load(&node->spare);
	node->spare = spare;
	return 0;
}

static void take_spare_locked(struct xs_node *node)
{
	if (!node->spare.room)
		return;
	free_load(&node->load);
	node->load = node->spare;
	node->spare = (struct xs_load){};
}

/* What is pending and differs is in flight from here on. */
static void plan_locked(struct xs_node *node)
{
	take_spare_locked(node);
	xs_changes_plan_locked(&node->load, &node->pending);
}

/* What is wanted may have changed meanwhile: then places are pending again. */
static void commit_locked(struct xs_node *node, int error)
{
	xs_watchdog_add(xs_changes_commit_locked(&node->load, error));
	/* Whoever removes the node or stops the core cancels this afterwards. */
	if (error && !node->gone && !stopped) {
		trace_node_retry(node->desc.gpu_id);
		retry_later(node);
	}
}

static void note(struct kfd_xsched_node_result *result, int status,
		 const struct xs_hw_times *times)
{
	result->status = status;
	result->flips = times->flips;
	result->fw_transactions = times->fw_transactions;
	result->lock_ns = times->lock_ns;
	result->unmap_ns = times->unmap_ns;
	result->map_ns = times->map_ns;
}

/* Under the node's lock: whoever was told of the switch finds it in the figures. */
static void account(struct xs_node *node, int status, const struct xs_hw_times *times,
		    u64 start_ns)
{
	struct kfd_xsched_node_result result = {
		.gpu_id = node->desc.gpu_id,
		.total_ns = ktime_get_ns() - start_ns,
	};

	note(&result, status, times);
	xs_stats_switch(&node->stats, &result);
	trace_switch_end(&result);
}

static bool finish_locked(struct xs_part *part, int status,
			  const struct xs_hw_times *times)
{
	if (!part)
		return false;
	note(&part->result, status, times);
	return xs_part_commit_locked(part);
}

static int node_switch(struct xs_node *node, u32 grace_us, struct xs_part *part,
		       bool *over)
{
	const u64 start_ns = ktime_get_ns();
	struct xs_load *load = &node->load;
	struct xs_hw_times times = {};
	int ret = 0;

	guard(mutex)(&node->lock);
	scoped_guard(mutex, &xs_lock) {
		if (node->gone || stopped)
			ret = -ENODEV;
		if (!ret)
			plan_locked(node);
		if (!load->count) {
			*over = finish_locked(part, ret, &times);
			return ret;
		}
	}

	trace_switch_begin(node, load->queues, grace_us);
	/* Odd while waves come and go: see sample_waves() in activity.c. */
	atomic_inc_return(&node->switching);
	ret = xs_backend->apply(node->hw, load->changes, load->count, grace_us, &times);
	scoped_guard(mutex, &xs_lock) {
		commit_locked(node, ret);
		*over = finish_locked(part, ret, &times);
	}
	WRITE_ONCE(node->switched_ns, ktime_get_ns());
	atomic_inc_return(&node->switching);
	account(node, ret, &times, start_ns);
	return ret;
}

int xs_node_switch(struct xs_node *node, u32 grace_us)
{
	bool unused;

	return node_switch(node, grace_us, NULL, &unused);
}

bool xs_node_switch_part(struct xs_node *node, struct xs_part *part)
{
	u32 grace = part->default_grace ? READ_ONCE(node->default_grace_us) : XS_GRACE_NOW;
	bool over;

	if (part->grace_us != XS_GRACE_UNSET)
		grace = part->grace_us;

	node_switch(node, grace, part, &over);
	return over;
}

void xs_node_kick_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	if (node->gone || stopped)
		return;
	node->kicked++;
	kthread_queue_work(node->worker, &node->settle);
}

void xs_nodes_kick_locked(void)
{
	struct xs_node *node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(node, &xs_nodes, in_nodes) {
		if (!hlist_empty(&node->pending))
			xs_node_kick_locked(node);
	}
}

static bool has_tried(const struct xs_node *node, u32 kicked)
{
	return (s32)(READ_ONCE(node->done) - kicked) >= 0;
}

void xs_nodes_settle(void)
{
	long left = msecs_to_jiffies(XS_SETTLE_MS);
	struct xs_node *node;
	u32 number = 0, kicked;

	scoped_guard(mutex, &xs_lock)
		xs_nodes_kick_locked();
	while ((node = node_behind(number))) {
		scoped_guard(mutex, &xs_lock)
			kicked = node->kicked;
		left = wait_event_timeout(node->quiet, has_tried(node, kicked), left);
		number = node->number;
		xs_node_put(node);
	}
}

void xs_nodes_start(void)
{
	scoped_guard(mutex, &xs_lock)
		stopped = false;
}

void xs_nodes_stop(void)
{
	struct xs_node *node;
	u32 number = 0;

	scoped_guard(mutex, &xs_lock)
		stopped = true;
	while ((node = node_behind(number))) {
		kthread_cancel_delayed_work_sync(&node->retry);
		kthread_flush_worker(node->worker);
		number = node->number;
		xs_node_put(node);
	}
}

void xs_nodes_free(void)
{
	struct xs_node *node;

	for (;;) {
		scoped_guard(mutex, &xs_lock) {
			node = list_first_entry_or_null(&xs_nodes, struct xs_node,
							in_nodes);
			if (node)
				unlink_locked(node);
		}
		if (!node)
			return;
		node_destroy(node);
	}
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
		arg->node_count = node_count;
		to.count = min(to.count, arg->node_count);
		nodes = kvcalloc(to.count, size, GFP_KERNEL);
		if (!nodes)
			return -ENOMEM;
		fill_nodes_locked(nodes, to.count);
	}
	return xs_user_put_array(&to, nodes, size);
}
