// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parks: processes without work leave the hardware until they ring.
 *
 * A park is not a hold: it has no holder, and so no client whose death would matter, no
 * lease, and no request for which there might be no memory. It is a state of the process, as
 * a demotion is, which changes what is asked of its queues: xs_pdd_asked_locked(). So it
 * composes with holds by itself, and to end it is to change that state: that cannot fail, nor
 * meet a batch that is on its way.
 *
 * All that is here can be called from any floor. When a process is parked is decided by
 * front/park.c; that it has no work by watch/quiet.c; and that it rang by watch/doorbell.c.
 */
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "core.h"
#include "model/account.h"
#include "model/node.h"
#include "model/park.h"
#include "model/process.h"
#include "model/queue.h"
#include "trace.h"

/* Written under xs_lock, read without. */
static unsigned int park_count;

unsigned int xs_park_count(void)
{
	return READ_ONCE(park_count);
}

u64 xs_park_idle_ns(u32 ms, u64 cost_ns, u32 shift)
{
	return max((u64)ms * NSEC_PER_MSEC, XS_PARK_WORTH * cost_ns) << shift;
}

u32 xs_park_shift_next(u32 shift, u64 lasted_ns, u64 cost_ns)
{
	if (lasted_ns < XS_PARK_WORTH * max(cost_ns, 1ULL))
		return min(shift + 1, XS_PARK_SHIFT_MAX);
	return shift ? shift - 1 : 0;
}

bool xs_process_is_parked(const struct xs_process *process)
{
	return READ_ONCE(process->park.state) != XS_PARK_RESIDENT;
}

/* Each of its nodes has to want that, and the most patient one decides. */
static u32 park_ms_of_nodes_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;
	u32 ms = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!READ_ONCE(pdd->node->park_ms))
			return 0;
		ms = max(ms, READ_ONCE(pdd->node->park_ms));
	}
	return ms;
}

u32 xs_process_park_ms_locked(const struct xs_process *process)
{
	const struct list_head *wishes = &process->park.wishes;

	lockdep_assert_held(&xs_lock);

	return list_empty(wishes) ? park_ms_of_nodes_locked(process) :
		list_first_entry(wishes, struct xs_wish, in_process)->ms;
}

bool xs_process_may_park_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (pdd->blind || !(pdd->node->desc.caps & KFD_XSCHED_CAP_PARK))
			return false;
	}
	return xs_process_park_ms_locked(process);
}

u64 xs_process_return_cost_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;
	u64 cost_ns = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process)
		cost_ns = max(cost_ns, xs_node_return_cost_ns(pdd->node));
	return cost_ns;
}

/* ---- to leave -------------------------------------------------------------- */

static void park_pdd_locked(struct xs_pdd *pdd, u64 now)
{
	struct xs_node *node = pdd->node;

	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(node->parks, node->parks + 1);
	/* What is pending is switched before that anyway. */
	if (!list_empty(&pdd->in_pending))
		return;
	if (list_empty(&node->parking))
		node->park_due_ns = now + (u64)READ_ONCE(node->park_batch_ms) * NSEC_PER_MSEC;
	list_add_tail(&pdd->in_pending, &node->parking);
}

void xs_process_park_locked(struct xs_process *process, u64 now)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	process->park.since_ns = now;
	WRITE_ONCE(park_count, park_count + 1);
	list_for_each_entry(pdd, &process->pdds, in_process)
		park_pdd_locked(pdd, now);
}

/* ---- to come back ---------------------------------------------------------- */

/* Whether a transaction brings a queue back that nobody else keeps off. */
static bool park_keeps_off_locked(const struct xs_pdd *pdd)
{
	const struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		if (queue->applied == XS_APPLIED_HELD && !xs_queue_is_held_locked(queue))
			return true;
	}
	return false;
}

/* A return is not refused, but preempts the node. */
static void park_bring_back_locked(struct xs_pdd *pdd, u64 since_ns)
{
	const struct xs_queue *queue = list_first_entry(&pdd->queues, struct xs_queue, in_pdd);
	struct xs_node *node = pdd->node;

	lockdep_assert_held(&xs_lock);

	if (park_keeps_off_locked(pdd)) {
		xs_rates_charge(&node->rates, queue->payer, ktime_get_ns());
		WRITE_ONCE(node->returns, node->returns + 1);
		pdd->back_ns = since_ns;
	}
	xs_pdd_set_pending_locked(pdd);
}

/* One that was in vain counts as short. */
static u64 park_lasted_ns(const struct xs_park *park, enum xs_unpark why)
{
	return why == XS_UNPARK_WORK || why == XS_UNPARK_FAILED ? 0 :
		ktime_get_ns() - park->since_ns;
}

static void park_end_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(process->park.state, XS_PARK_RESIDENT);
	process->park.since_ns = 0;
	process->park.quiet_ns = 0;
	WRITE_ONCE(park_count, park_count - 1);
}

void xs_process_unpark_locked(struct xs_process *process, enum xs_unpark why, u64 since_ns)
{
	struct xs_park *park = &process->park;
	struct xs_pdd *pdd;
	u64 lasted_ns;

	lockdep_assert_held(&xs_lock);

	if (!xs_process_is_parked(process) || park->exits)
		return;
	lasted_ns = park_lasted_ns(park, why);
	park->shift = xs_park_shift_next(park->shift, lasted_ns,
					 xs_process_return_cost_locked(process));
	park->returns++;
	park_end_locked(process);
	trace_unpark(process, why, lasted_ns);
	list_for_each_entry(pdd, &process->pdds, in_process)
		park_bring_back_locked(pdd, since_ns);
	xs_news->unparked(process, why);
}

/* ---- the end --------------------------------------------------------------- */

void xs_wish_free_locked(struct xs_wish *wish)
{
	lockdep_assert_held(&xs_lock);

	list_del(&wish->in_process);
	list_del(&wish->in_client);
	xs_account_uncharge(wish->account, XS_QUOTA_REQUESTS, 1);
	kfree(wish);
}

void xs_process_drop_wishes_locked(struct xs_process *process)
{
	struct xs_wish *wish, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(wish, next, &process->park.wishes, in_process)
		xs_wish_free_locked(wish);
}

void xs_process_forget_park_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	if (xs_process_is_parked(process))
		park_end_locked(process);
}
