// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell tap: processes that rang. The suffix _locked means tap_lock.
 *
 * The driver takes the doorbells of an idle process away, and reports the next ring
 * in the page fault it causes, which is no place to wait in. So all that is done
 * there is to note the pdd and the time, and to wake the worker that looks at it and
 * decides what is tapped and what is sampled (sampler.c).
 *
 * A ring is a hint to look at the indices, and may come late: after the process was
 * tapped again. It is looked at all the same. But one that nobody expects, because the
 * process is sampled anyway, is nothing: a program may map its doorbells all the time, and
 * the driver reports each mapping like a ring. So a process on a node has at most one ring
 * looked at for each time that it is tapped there.
 *
 * To a process that is parked a ring is more than a hint: its park ends, whatever a look would
 * find. That it rang is noted by itself, and never given up for a ring that is noted already.
 */
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "core.h"
#include "model/queue.h"
#include "trace.h"
#include "watch/watch.h"

/* Those with queues to look at, by process, and those that rang; under tap_lock. */
static DEFINE_HASHTABLE(doorbell_pdds, 8);
static LIST_HEAD(doorbell_rung);
/* Those that rang while their process was parked; likewise. */
static LIST_HEAD(doorbell_woken);
static u64 doorbell_rings;
static u64 doorbell_ns;

/* For what the worker of a node cannot look at. */
static struct kthread_worker *doorbell_worker;
static struct kthread_work doorbell_look;

/* Taken in page faults: nothing is waited for under it. Only workers' are inside. */
static DEFINE_SPINLOCK(tap_lock);

void xs_doorbell_add(struct xs_pdd *pdd)
{
	scoped_guard(spinlock, &tap_lock)
		hash_add(doorbell_pdds, &pdd->watch.by_hw, (unsigned long)pdd->space->hw);
}

void xs_doorbell_remove(struct xs_pdd *pdd)
{
	scoped_guard(spinlock, &tap_lock) {
		hash_del(&pdd->watch.by_hw);
		list_del_init(&pdd->watch.in_rung);
		list_del_init(&pdd->watch.in_woken);
		pdd->watch.expected = false;
	}
}

void xs_doorbell_expect(struct xs_pdd *pdd, bool expected)
{
	scoped_guard(spinlock, &tap_lock)
		pdd->watch.expected = expected;
}

void xs_doorbell_init(struct kthread_worker *worker, kthread_work_func_t look)
{
	kthread_init_work(&doorbell_look, look);
	doorbell_worker = worker;
}

/* Without tap_lock the node might be gone. */
static void doorbell_have_looked_at_locked(struct xs_pdd *pdd)
{
	struct xs_node *node = pdd->node;

	lockdep_assert_held(&tap_lock);

	/* It would wait for the transaction, and so would all others that ring there. */
	if (xs_process_is_parked(pdd->process) || xs_is_locked(&node->lock))
		kthread_queue_work(doorbell_worker, &doorbell_look);
	else
		kthread_queue_work(node->worker, &node->ring);
}

static struct xs_pdd *doorbell_first_locked(void)
{
	lockdep_assert_held(&tap_lock);

	return list_first_entry_or_null(&doorbell_rung, struct xs_pdd, watch.in_rung);
}

static struct xs_pdd *doorbell_take_locked(u64 *rung_ns)
{
	struct xs_pdd *pdd = doorbell_first_locked(), *next;

	lockdep_assert_held(&tap_lock);

	if (!pdd)
		return NULL;
	list_del_init(&pdd->watch.in_rung);
	*rung_ns = pdd->watch.rung_ns;
	next = doorbell_first_locked();
	if (next)
		doorbell_have_looked_at_locked(next);
	return pdd;
}

struct xs_pdd *xs_doorbell_take(u64 *rung_ns)
{
	struct xs_pdd *pdd;

	scoped_guard(spinlock, &tap_lock)
		pdd = doorbell_take_locked(rung_ns);
	return pdd;
}

static struct xs_pdd *doorbell_take_woken_locked(u64 *woken_ns)
{
	struct xs_pdd *pdd = list_first_entry_or_null(&doorbell_woken, struct xs_pdd,
						      watch.in_woken);

	lockdep_assert_held(&tap_lock);

	if (!pdd)
		return NULL;
	list_del_init(&pdd->watch.in_woken);
	*woken_ns = pdd->watch.woken_ns;
	return pdd;
}

struct xs_pdd *xs_doorbell_take_woken(u64 *woken_ns)
{
	struct xs_pdd *pdd;

	scoped_guard(spinlock, &tap_lock)
		pdd = doorbell_take_woken_locked(woken_ns);
	return pdd;
}

bool xs_doorbell_any_woken(void)
{
	return !list_empty_careful(&doorbell_woken);
}

/* Which pdds there are, xs_lock says. */
static bool doorbell_park_locked(struct xs_process *process)
{
	const struct xs_pdd *pdd;

	lockdep_assert_held(&tap_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!pdd->watch.expected)
			return false;
	}
	WRITE_ONCE(process->park.state, XS_PARK_GOING);
	return true;
}

bool xs_doorbell_park(struct xs_process *process)
{
	bool good;

	scoped_guard(spinlock, &tap_lock)
		good = doorbell_park_locked(process);
	return good;
}

bool xs_doorbell_any(void)
{
	return !list_empty_careful(&doorbell_rung);
}

u64 xs_doorbell_last_ns(void)
{
	return READ_ONCE(doorbell_ns);
}

u64 xs_doorbell_count(void)
{
	return READ_ONCE(doorbell_rings);
}

static struct xs_pdd *doorbell_find_locked(const struct xs_hw_process *process,
					   const struct xs_hw_node *node)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&tap_lock);

	hash_for_each_possible(doorbell_pdds, pdd, watch.by_hw, (unsigned long)process) {
		if (pdd->space->hw == process && pdd->node->hw == node)
			return pdd;
	}
	return NULL;
}

static void doorbell_wake_locked(struct xs_pdd *pdd, u64 now)
{
	lockdep_assert_held(&tap_lock);

	if (!list_empty(&pdd->watch.in_woken))
		return;
	pdd->watch.woken_ns = now;
	list_add_tail(&pdd->watch.in_woken, &doorbell_woken);
}

static void doorbell_ring_locked(struct xs_pdd *pdd, u64 now)
{
	const bool parked = xs_process_is_parked(pdd->process);

	lockdep_assert_held(&tap_lock);

	if (!pdd->watch.expected)
		return;
	pdd->watch.expected = false;
	WRITE_ONCE(doorbell_rings, doorbell_rings + 1);
	WRITE_ONCE(doorbell_ns, now);
	trace_doorbell(pdd);
	if (parked)
		doorbell_wake_locked(pdd, now);
	else if (!list_empty(&pdd->watch.in_rung))
		return;
	if (list_empty(&pdd->watch.in_rung)) {
		pdd->watch.rung_ns = now;
		list_add_tail(&pdd->watch.in_rung, &doorbell_rung);
	}
	doorbell_have_looked_at_locked(pdd);
}

void xs_doorbell_rang(struct xs_hw_process *process, struct xs_hw_node *node)
{
	const u64 now = ktime_get_ns();
	struct xs_pdd *pdd;

	scoped_guard(spinlock, &tap_lock) {
		pdd = doorbell_find_locked(process, node);
		if (pdd)
			doorbell_ring_locked(pdd, now);
	}
}
