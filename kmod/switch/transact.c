// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one place where a transaction is sent; and what makes one without a caller.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/printk.h>

#include "backend.h"
#include "core.h"
#include "model/node.h"
#include "switch/switch.h"
#include "trace.h"

/* How long a release waits at most, for all nodes together: a save takes far less. */
#define XS_SETTLE_MS	500

/* No transaction may be sent; under xs_lock. */
static bool transact_stopped;

static void transact_note(struct kfd_xsched_node_result *result, int status,
			  const struct xs_hw_times *times)
{
	result->status = status;
	result->flips = times->flips;
	result->fw_transactions = times->fw_transactions;
	result->lock_ns = times->lock_ns;
	result->unmap_ns = times->unmap_ns;
	result->map_ns = times->map_ns;
}

/* Under the node's lock, so that the next switch is counted after this one. */
static void transact_account(struct xs_node *node, int status,
			     const struct xs_hw_times *times, u64 start_ns)
{
	struct kfd_xsched_node_result result = {
		.gpu_id = node->desc.gpu_id,
		.total_ns = ktime_get_ns() - start_ns,
	};

	lockdep_assert_held(&node->lock);

	transact_note(&result, status, times);
	xs_stats_switch(&node->stats, &result);
	trace_switch_end(&result);
}

/* Under the node's lock, too: processes that were parked are back, or would be. */
static void transact_account_returns(struct xs_node *node, int status,
				     const struct xs_hw_times *times)
{
	lockdep_assert_held(&node->lock);

	if (node->back_ns && !status) {
		xs_stats_return(&node->stats, ktime_get_ns() - node->back_ns);
		xs_node_note_return(node, times->unmap_ns + times->map_ns);
	}
	node->back_ns = 0;
}

/* Those that are about to be parked may be off by now. */
static void transact_tell_going(struct xs_node *node)
{
	lockdep_assert_held(&node->lock);

	if (node->going)
		xs_news->parking();
	node->going = false;
}

static bool transact_end_part_locked(struct xs_part *part, int status,
				     const struct xs_hw_times *times)
{
	lockdep_assert_held(&xs_lock);

	if (!part)
		return false;
	transact_note(&part->result, status, times);
	return part->done(part);
}

bool xs_transact_later_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	/* The removal of the node and the stop of the core cancel this afterwards. */
	if (node->gone || transact_stopped)
		return true;
	if (!xs_node_retry_later(node))
		return false;
	trace_node_retry(node->desc.gpu_id);
	return true;
}

/* What is asked for may have changed meanwhile: then queues are pending again. */
static void transact_commit_locked(struct xs_node *node, struct xs_hw_change *changes,
				   int error, const struct xs_hw_times *times)
{
	lockdep_assert_held(&xs_lock);

	xs_news->held(xs_plan_commit_locked(node, changes, error, times->unmap_ns));
	node->failing = error;
	if (!error)
		xs_node_retry_no_more(node);
	else if (!xs_transact_later_locked(node))
		pr_err_ratelimited("kfd_xsched: node %u: every switch fails (%d): what is left to do there waits for a reset of the GPU, or for \"closed\" in /sys/class/kfd_xsched/node%u/breaker\n",
				   node->desc.gpu_id, error, node->desc.gpu_id);
}

static int transact_check_locked(const struct xs_node *node, const struct xs_part *part)
{
	lockdep_assert_held(&xs_lock);

	if (node->gone || transact_stopped)
		return -ENODEV;
	return part && part->shut ? -ESHUTDOWN : 0;
}

/* Returns whether @part, if not NULL, was the last of its batch. */
static bool transact_run(struct xs_node *node, u32 grace_us, struct xs_part *part)
{
	const u64 start_ns = ktime_get_ns();
	struct xs_hw_change *changes = NULL;
	struct xs_hw_times times = {};
	bool over;
	int ret;

	guard(rt_mutex)(&node->lock);
	scoped_guard(rt_mutex, &xs_lock) {
		ret = transact_check_locked(node, part);
		if (!ret)
			changes = xs_plan_locked(node);
		if (!changes) {
			node->back_ns = 0;
			transact_tell_going(node);
			return transact_end_part_locked(part, ret, &times);
		}
	}

	trace_switch_begin(node, node->in_flight, grace_us);
	ret = xs_backend->apply(node->hw, changes, grace_us, &times);
	scoped_guard(rt_mutex, &xs_lock) {
		transact_commit_locked(node, changes, ret, &times);
		over = transact_end_part_locked(part, ret, &times);
	}
	if (!ret && times.unmap_ns)
		xs_node_note_save(node, times.unmap_ns);
	transact_account(node, ret, &times, start_ns);
	transact_account_returns(node, ret, &times);
	transact_tell_going(node);
	return over;
}

void xs_transact(struct xs_node *node, u32 grace_us)
{
	transact_run(node, grace_us, NULL);
}

bool xs_transact_part(struct xs_part *part)
{
	/* The part and its reference may be gone before the node's lock is free. */
	struct xs_node *node = xs_node_get(part->node);
	u32 grace_us = XS_GRACE_NOW;
	bool over;

	if (part->grace_us != XS_GRACE_UNSET)
		grace_us = part->grace_us;
	else if (part->default_grace)
		grace_us = READ_ONCE(node->default_grace_us);
	over = transact_run(node, grace_us, part);
	xs_node_put(node);
	return over;
}

/* ---- without a caller ---------------------------------------------------- */

static void transact_settle_work(struct kthread_work *work)
{
	struct xs_node *node = container_of(work, struct xs_node, settle);
	u32 kicked;

	scoped_guard(rt_mutex, &xs_lock)
		kicked = node->kicked;
	xs_transact(node, XS_GRACE_NOW);
	WRITE_ONCE(node->done, kicked);
	wake_up_all(&node->quiet);
}

static void transact_retry_work(struct kthread_work *work)
{
	xs_transact(container_of(work, struct xs_node, retry.work), XS_GRACE_NOW);
}

void xs_transact_init(struct xs_node *node)
{
	kthread_init_work(&node->settle, transact_settle_work);
	kthread_init_delayed_work(&node->retry, transact_retry_work);
}

void xs_transact_kick_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	if (node->gone || transact_stopped)
		return;
	node->kicked++;
	kthread_queue_work(node->worker, &node->settle);
}

void xs_transact_kick_all_locked(void)
{
	struct xs_node *node = NULL;

	lockdep_assert_held(&xs_lock);

	while ((node = xs_node_next_locked(node))) {
		if (!list_empty(&node->pending))
			xs_transact_kick_locked(node);
	}
}

static bool transact_has_tried(const struct xs_node *node, u32 kicked)
{
	return (s32)(READ_ONCE(node->done) - kicked) >= 0;
}

void xs_transact_settle(void)
{
	long left = msecs_to_jiffies(XS_SETTLE_MS);
	struct xs_node *node;
	u32 number = 0, kicked;

	scoped_guard(rt_mutex, &xs_lock)
		xs_transact_kick_all_locked();
	while ((node = xs_node_above(number))) {
		scoped_guard(rt_mutex, &xs_lock)
			kicked = node->kicked;
		left = wait_event_timeout(node->quiet, transact_has_tried(node, kicked),
					  left);
		number = node->number;
		xs_node_put(node);
	}
}

void xs_transact_start_all(void)
{
	scoped_guard(rt_mutex, &xs_lock)
		transact_stopped = false;
}

void xs_transact_stop_all(void)
{
	struct xs_node *node;
	u32 number = 0;

	scoped_guard(rt_mutex, &xs_lock)
		transact_stopped = true;
	while ((node = xs_node_above(number))) {
		xs_node_flush(node);
		number = node->number;
		xs_node_put(node);
	}
}
