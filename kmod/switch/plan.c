// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver has to do to each queue, and what is known of it once it was done.
 */
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "core.h"
#include "model/queue.h"
#include "switch/switch.h"
#include "trace.h"

/*
 * So many queues of processes that are parked leave with a switch of somebody else, who waits
 * until they have.
 */
#define XS_PLAN_RIDERS	16U

static u32 plan_to_class(s32 level)
{
	return level == XS_PRIORITY_APP ? KFD_XSCHED_CLASS_APP :
		level + KFD_XSCHED_CLASS_LOW;
}

static s32 plan_to_level(u32 prio_class)
{
	return prio_class == KFD_XSCHED_CLASS_APP ? XS_PRIORITY_APP :
		(s32)(prio_class - KFD_XSCHED_CLASS_LOW);
}

static struct xs_queue *plan_queue_of(struct xs_hw_change *change)
{
	return container_of(change, struct xs_queue, change);
}

/* Of a queue of which nothing is known, all is stated. */
static void plan_change(struct xs_queue *queue, const struct xs_terms *asked)
{
	const bool unknown = queue->applied == XS_APPLIED_UNKNOWN;
	struct xs_hw_change *change = &queue->change;

	change->hold = asked->held;
	change->priority = XS_PRIORITY_KEEP;
	change->level = XS_PRIORITY_KEEP;
	if ((asked->priority != queue->override.priority || unknown) &&
	    xs_queue_can_prioritise(queue))
		change->priority = asked->priority;
	if ((asked->prio_class != queue->override.prio_class || unknown) &&
	    xs_queue_can_classify(queue))
		change->level = plan_to_level(asked->prio_class);
}

/* It is held, or not, as of @now: time is counted. Returns how many queues more are held. */
static int plan_count_held_locked(struct xs_queue *queue, u64 now)
{
	lockdep_assert_held(&xs_lock);

	return xs_queue_set_held_locked(queue, xs_queue_is_held_locked(queue), now);
}

/* What is known of a process that leaves changes with this, or how long it took to come back. */
static void plan_note_park_locked(struct xs_pdd *pdd)
{
	struct xs_node *node = pdd->node;

	lockdep_assert_held(&xs_lock);

	node->going |= pdd->process->park.state == XS_PARK_GOING;
	if (pdd->back_ns)
		node->back_ns = min_not_zero(node->back_ns, pdd->back_ns);
	pdd->back_ns = 0;
}

/* Its queues; @last: where the list of changes goes on; returned. */
static struct xs_hw_change **plan_pdd_locked(struct xs_pdd *pdd, struct xs_hw_change **last)
{
	const u64 now = ktime_get_ns();
	const struct xs_terms *asked;
	struct xs_terms on_pdd, own;
	struct xs_queue *queue;
	int held = 0;

	lockdep_assert_held(&xs_lock);

	plan_note_park_locked(pdd);
	xs_pdd_asked_locked(pdd, &on_pdd);
	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		asked = xs_queue_asked_locked(queue, &on_pdd, &own);
		if (xs_terms_settled(asked, queue->applied, &queue->override)) {
			/* Who asks for that may have changed. */
			held += plan_count_held_locked(queue, now);
			continue;
		}
		plan_change(queue, asked);
		queue->pinned = true;
		pdd->node->in_flight++;
		*last = &queue->change;
		last = &queue->change.next;
	}
	xs_news->held(held);
	return last;
}

/* Those in a list, until there are so many queues. */
static struct xs_hw_change **plan_list_locked(struct xs_node *node, struct list_head *list,
					      unsigned int room, struct xs_hw_change **last)
{
	struct xs_pdd *pdd, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(pdd, next, list, in_pending) {
		if (node->in_flight >= room)
			break;
		list_del_init(&pdd->in_pending);
		last = plan_pdd_locked(pdd, last);
	}
	return last;
}

/* On MES each queue that leaves is a call, for which those would wait that come after it. */
static bool plan_takes_riders(const struct xs_node *node)
{
	return node->desc.backend == KFD_XSCHED_BACKEND_HWS;
}

struct xs_hw_change *xs_plan_locked(struct xs_node *node)
{
	struct xs_hw_change *first = NULL, **last = &first;

	lockdep_assert_held(&node->lock);
	lockdep_assert_held(&xs_lock);

	last = plan_list_locked(node, &node->pending, UINT_MAX, last);
	if (node->in_flight && plan_takes_riders(node))
		last = plan_list_locked(node, &node->parking, node->in_flight + XS_PLAN_RIDERS,
					last);
	*last = NULL;
	return first;
}

static void plan_trace(const struct xs_queue *queue)
{
	const struct xs_hw_change *change = &queue->change;

	if (change->flipped && change->hold)
		trace_queue_off(queue);
	else if (change->flipped)
		trace_queue_on(queue);
	if (change->priority != XS_PRIORITY_KEEP || change->level != XS_PRIORITY_KEEP)
		trace_queue_priority(queue);
}

static void plan_set_override(struct xs_queue *queue)
{
	const struct xs_hw_change *change = &queue->change;

	if (change->priority != XS_PRIORITY_KEEP) {
		queue->override.priority = change->priority;
		queue->priority = change->effective_priority;
	}
	if (change->level != XS_PRIORITY_KEEP) {
		queue->override.prio_class = plan_to_class(change->level);
		queue->prio_class = plan_to_class(change->effective_level);
	}
}

/* Returns how many queues more are held. */
static int plan_commit_queue_locked(struct xs_queue *queue, u64 now, u64 save_ns)
{
	const struct xs_hw_change *change = &queue->change;
	int held;

	lockdep_assert_held(&xs_lock);

	/* Dying, or reset and not to run again: it holds nobody up. */
	if (change->ret || queue->applied == XS_APPLIED_GONE)
		return xs_queue_set_gone_locked(queue, now);
	WRITE_ONCE(queue->applied, change->hold ? XS_APPLIED_HELD : XS_APPLIED_FREE);
	if (!change->hold)
		WRITE_ONCE(queue->has_run, true);
	else if (change->flipped)
		WRITE_ONCE(queue->save_ns, save_ns);
	held = plan_count_held_locked(queue, now);
	if (held > 0 && change->flipped)
		WRITE_ONCE(queue->preemptions, queue->preemptions + 1);
	plan_set_override(queue);
	plan_trace(queue);
	return held;
}

static void plan_forget_queue_locked(struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	/* It was lost meanwhile. */
	if (queue->applied == XS_APPLIED_GONE)
		return;
	WRITE_ONCE(queue->applied, XS_APPLIED_UNKNOWN);
	xs_pdd_set_pending_locked(queue->pdd);
}

int xs_plan_commit_locked(struct xs_node *node, struct xs_hw_change *changes, bool failed,
			  u64 save_ns)
{
	const u64 now = ktime_get_ns();
	struct xs_hw_change *change;
	int held = 0;

	lockdep_assert_held(&node->lock);
	lockdep_assert_held(&xs_lock);

	for (change = changes; change; change = change->next) {
		struct xs_queue *queue = plan_queue_of(change);

		queue->pinned = false;
		if (failed)
			plan_forget_queue_locked(queue);
		else
			held += plan_commit_queue_locked(queue, now, save_ns);
	}
	node->in_flight = 0;
	return held;
}
