// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPU nodes. See node.h.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>

#include "compat.h"
#include "core.h"
#include "model/node.h"
#include "model/park.h"

/*
 * How soon a switch that failed is tried again, milliseconds: each time after twice as
 * long. All tries together take 102 s: many times what a reset takes, which begins the
 * row anew. A node that still refuses then has no firmware to speak to.
 */
#define XS_RETRY_MS	100
#define XS_RETRIES	10

/*
 * How long waves are on their way back, until the node has shown it. What it shows may have
 * been so for some time. A restore reads what a save has written, from the same memory: it is
 * taken to last a few times as long, in case it was never seen.
 */
#define XS_RESTORE_NS		(5 * NSEC_PER_MSEC)
#define XS_RESTORE_PER_SEEN	2
#define XS_RESTORE_PER_SAVE	4

/* What a node loses whose breaker is open. */
#define XS_CAPS_PREEMPT	(KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP |	\
			 KFD_XSCHED_CAP_GRACE | KFD_XSCHED_CAP_PRIORITY |	\
			 KFD_XSCHED_CAP_CLASS)

/* By number. Changed under both xs_lock and xs_nodes_lock, read under either. */
static LIST_HEAD(node_list);
static DEFINE_SPINLOCK(xs_nodes_lock);
/* A worker that is flushed is not destroyed meanwhile. Before any other lock. */
static DEFINE_MUTEX(node_worker_mutex);
static u32 node_last_number;
static u32 node_waves_percent = XS_WAVES_PERCENT;
static unsigned int node_list_count;

static struct xs_domain *node_new_domain(void)
{
	struct xs_domain *domain = kzalloc(sizeof(*domain), GFP_KERNEL);

	if (!domain)
		return NULL;
	refcount_set(&domain->refs, 1);
	xs_breaker_init(&domain->breaker);
	return domain;
}

static void node_put_domain(struct xs_domain *domain)
{
	if (domain && refcount_dec_and_test(&domain->refs))
		kfree(domain);
}

static void node_free(struct xs_node *node)
{
	node_put_domain(node->domain);
	kfree(node);
}

struct xs_node *xs_node_new(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc)
{
	struct xs_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->domain = node_new_domain();
	node->worker = kthread_run_worker(0, "xsched-%u", desc->gpu_id);
	if (IS_ERR(node->worker) || !node->domain) {
		if (!IS_ERR(node->worker))
			kthread_destroy_worker(node->worker);
		node_free(node);
		return NULL;
	}
	/* A switch is short, or sleeps: late is worse than early. */
	sched_set_fifo_low(node->worker->task);
	node->hw = hw;
	node->desc = *desc;
	node->default_grace_us = min_t(u32, XS_DEFAULT_GRACE_US, desc->max_grace_us);
	node->restore_ns = XS_RESTORE_NS;
	xs_rates_init(&node->rates);
	refcount_set(&node->refs, 1);
	INIT_LIST_HEAD(&node->queues);
	INIT_LIST_HEAD(&node->pending);
	INIT_LIST_HEAD(&node->parking);
	INIT_LIST_HEAD(&node->asked);
	node->park_ms = XS_PARK_MS;
	node->park_batch_ms = XS_PARK_BATCH_MS;
	rt_mutex_init(&node->lock);
	init_waitqueue_head(&node->quiet);
	return node;
}

static void node_join_domain_locked(struct xs_node *node)
{
	struct xs_node *other;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(other, &node_list, in_nodes) {
		if (other->desc.reset_domain != node->desc.reset_domain)
			continue;
		node_put_domain(node->domain);
		node->domain = other->domain;
		refcount_inc(&node->domain->refs);
		return;
	}
}

void xs_node_insert_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	node_join_domain_locked(node);
	node->number = ++node_last_number;
	WRITE_ONCE(node_list_count, node_list_count + 1);
	scoped_guard(spinlock, &xs_nodes_lock)
		list_add_tail(&node->in_nodes, &node_list);
}

void xs_node_unlink_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	node->gone = true;
	WRITE_ONCE(node_list_count, node_list_count - 1);
	scoped_guard(spinlock, &xs_nodes_lock)
		list_del(&node->in_nodes);
}

/* Works are queued under a lock, and only while the node is not gone: no more are. */
void xs_node_stop(struct xs_node *node)
{
	scoped_guard(mutex, &node_worker_mutex) {
		kthread_cancel_delayed_work_sync(&node->retry);
		kthread_destroy_worker(node->worker);
		node->worker = NULL;
	}
	/* A transaction may go on in another thread. */
	rt_mutex_lock(&node->lock);
	rt_mutex_unlock(&node->lock);
}

void xs_node_flush(struct xs_node *node)
{
	guard(mutex)(&node_worker_mutex);
	if (!node->worker)
		return;
	kthread_cancel_delayed_work_sync(&node->retry);
	kthread_flush_worker(node->worker);
}

struct xs_node *xs_node_find_locked(const struct xs_hw_node *hw)
{
	struct xs_node *node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(node, &node_list, in_nodes) {
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

	list_for_each_entry(next, &node_list, in_nodes) {
		if (next->number > number)
			return next;
	}
	return NULL;
}

struct xs_node *xs_node_next_of_locked(const struct xs_domain *domain,
				       const struct xs_node *node)
{
	struct xs_node *next = xs_node_next_locked(node);

	lockdep_assert_held(&xs_lock);

	while (next && next->domain != domain)
		next = xs_node_next_locked(next);
	return next;
}

struct xs_node *xs_node_above(u32 number)
{
	struct xs_node *node;

	guard(rt_mutex)(&xs_lock);
	list_for_each_entry(node, &node_list, in_nodes) {
		if (node->number > number)
			return xs_node_get(node);
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
	if (!refcount_dec_and_test(&node->refs))
		return;
	WARN_ON_ONCE(!list_empty(&node->queues));
	node_free(node);
}

u32 xs_node_caps(const struct xs_node *node)
{
	u32 caps = node->desc.caps;

	if (xs_node_is_shut(node))
		caps &= ~XS_CAPS_PREEMPT;
	if (!xs_node_waves_percent())
		caps &= ~KFD_XSCHED_CAP_WAVES;
	return caps;
}

bool xs_node_can_hold(const struct xs_node *node)
{
	return xs_node_caps(node) & (KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP);
}

u32 xs_node_waves_percent(void)
{
	return READ_ONCE(node_waves_percent);
}

void xs_node_set_waves_percent(u32 percent)
{
	WRITE_ONCE(node_waves_percent, percent);
}

void xs_node_note_save(struct xs_node *node, u64 ns)
{
	WRITE_ONCE(node->save_ns, ns);
}

/* A single one that took long is forgotten in the course of some others. */
void xs_node_note_restore(struct xs_node *node, u64 ns)
{
	const u64 before = node->restore_ns;

	WRITE_ONCE(node->restore_ns, max(before - before / 8, XS_RESTORE_PER_SEEN * ns));
}

u64 xs_node_restore_ns(const struct xs_node *node, u64 save_ns)
{
	return max(READ_ONCE(node->restore_ns),
		   XS_RESTORE_PER_SAVE * max(READ_ONCE(node->save_ns), save_ns));
}

/* As xs_node_note_restore(). */
void xs_node_note_return(struct xs_node *node, u64 ns)
{
	const u64 before = READ_ONCE(node->return_ns);

	WRITE_ONCE(node->return_ns, max(before - before / 8, ns));
}

/* A restore takes about as long as a save. */
u64 xs_node_return_cost_ns(const struct xs_node *node)
{
	const u64 save_ns = READ_ONCE(node->save_ns);

	return max(READ_ONCE(node->return_ns), save_ns) + save_ns;
}

unsigned int xs_node_count(void)
{
	return READ_ONCE(node_list_count);
}

bool xs_node_is_failing_locked(const struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	return node->failing && !list_empty(&node->pending);
}

bool xs_node_retry_later(struct xs_node *node)
{
	bool more = false;

	scoped_guard(spinlock, &xs_nodes_lock) {
		const unsigned long delay = msecs_to_jiffies(XS_RETRY_MS << node->retries);

		more = node->retries < XS_RETRIES;
		if (more && kthread_queue_delayed_work(node->worker, &node->retry, delay))
			node->retries++;
	}
	return more;
}

void xs_node_retry_no_more(struct xs_node *node)
{
	scoped_guard(spinlock, &xs_nodes_lock)
		node->retries = 0;
}

/* One that is to run much later runs soon. */
static void node_retry_anew_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_nodes_lock);

	node->retries = 1;
	kthread_mod_delayed_work(node->worker, &node->retry, msecs_to_jiffies(XS_RETRY_MS));
}

u32 xs_node_note_reset(const struct xs_hw_node *hw, bool done)
{
	struct xs_node *node;
	u32 gpu_id = 0;

	scoped_guard(spinlock, &xs_nodes_lock) {
		list_for_each_entry(node, &node_list, in_nodes) {
			if (node->hw != hw)
				continue;
			gpu_id = node->desc.gpu_id;
			if (done)
				node_retry_anew_locked(node);
		}
	}
	return gpu_id;
}
