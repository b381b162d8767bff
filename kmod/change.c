// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes: what a transaction asks of the backend, from what is wanted; and what is
 * known of queues, from what it confirmed. See change.h.
 *
 * Queues of a place that stand alike, and are only held or released, have one change,
 * and what is known of them then is written once (struct xs_place.common). A queue of
 * which something else is wanted has one by itself.
 */
#include <linux/ktime.h>

#include <linux/kfd_xsched.h>

#include "change.h"
#include "claim.h"
#include "node.h"
#include "place.h"
#include "queue.h"
#include "trace.h"
#include "xsched.h"

/* @of_place: what is wanted of the place; @own: room for what is of this queue alone. */
static const struct xs_want *want_locked(const struct xs_queue *queue,
					 const struct xs_want *of_place, struct xs_want *own)
{
	const bool fits = xs_queue_can_prioritise(queue) ||
		of_place->priority == KFD_XSCHED_PRIORITY_APP;
	struct xs_claim *claim = NULL;

	/* Of nearly all: of hundreds, a sum for each would cost. */
	if (list_empty(&queue->claims) && fits)
		return of_place;
	xs_want_init(own);
	while ((claim = xs_next_claim_locked(queue, claim)))
		xs_want_add(own, &claim->stake.next);
	if (!xs_queue_can_prioritise(queue))
		own->priority = KFD_XSCHED_PRIORITY_APP;
	return own;
}

bool xs_queue_is_settled_locked(const struct xs_queue *queue, const struct xs_want *of_place)
{
	struct xs_want own;

	lockdep_assert_held(&xs_lock);

	return xs_want_settled(want_locked(queue, of_place, &own), xs_queue_applied(queue),
			       &queue->override);
}

static u32 to_class(s32 level)
{
	return level == XS_PRIORITY_APP ? KFD_XSCHED_CLASS_APP :
		level + KFD_XSCHED_CLASS_LOW;
}

static s32 to_level(u32 prio_class)
{
	return prio_class == KFD_XSCHED_CLASS_APP ? XS_PRIORITY_APP :
		(s32)(prio_class - KFD_XSCHED_CLASS_LOW);
}

static struct xs_queue *first_of(const struct xs_hw_change *change)
{
	return container_of(change->targets, struct xs_queue, target);
}

/* A change more, of so many queues, which only holds or releases them so far. */
static struct xs_hw_change *add(struct xs_load *load, struct xs_queue *first,
				unsigned int count, bool hold)
{
	struct xs_hw_change *change = &load->changes[load->count++];

	load->queues += count;
	change->targets = &first->target;
	change->count = count;
	change->hold = hold;
	change->priority = XS_PRIORITY_KEEP;
	change->level = XS_PRIORITY_KEEP;
	return change;
}

static void plan_queue_locked(struct xs_load *load, struct xs_queue *queue,
			      const struct xs_want *of_place)
{
	const bool unknown = queue->own.applied == XS_APPLIED_UNKNOWN;
	const struct xs_want *want;
	struct xs_hw_change *change;
	struct xs_want own;

	want = want_locked(queue, of_place, &own);
	if (xs_want_settled(want, queue->own.applied, &queue->override))
		return;
	change = add(load, queue, 1, want->holders);
	if ((want->priority != queue->override.priority || unknown) &&
	    xs_queue_can_prioritise(queue))
		change->priority = want->priority;
	if ((want->prio_class != queue->override.prio_class || unknown) &&
	    xs_queue_can_classify(queue))
		change->level = to_level(want->prio_class);
	queue->in_flight = true;
}

static noinline void plan_each_locked(struct xs_load *load, struct xs_place *place)
{
	const struct xs_want want = xs_place_want_locked(place);
	struct xs_queue *queue;

	xs_place_split_locked(place);
	list_for_each_entry(queue, &place->queues, in_place)
		plan_queue_locked(load, queue, &want);
}

static void plan_all_locked(struct xs_load *load, struct xs_place *place, bool hold)
{
	struct xs_queue *first;

	if (place->common.applied == (hold ? XS_APPLIED_HELD : XS_APPLIED_FREE))
		return;
	first = list_first_entry(&place->queues, struct xs_queue, in_place);
	add(load, first, place->live, hold);
	place->in_flight = true;
}

/* Whether nothing but to hold all of a place, or not, is asked for. @hold: which. */
static bool only_hold_locked(const struct xs_place *place, bool *hold)
{
	const struct xs_claim *claim;

	*hold = false;
	list_for_each_entry(claim, &place->claims, in_target) {
		const struct xs_terms *terms = &claim->stake.next;

		if (terms->priority != KFD_XSCHED_PRIORITY_APP ||
		    terms->prio_class != KFD_XSCHED_CLASS_APP)
			return false;
		*hold |= terms->held;
	}
	return !place->own_claims;
}

static void plan_place_locked(struct xs_load *load, struct xs_place *place)
{
	bool hold;

	if (only_hold_locked(place, &hold) &&
	    (place->shared || xs_place_share_locked(place)))
		plan_all_locked(load, place, hold);
	else
		plan_each_locked(load, place);
}

void xs_changes_plan_locked(struct xs_load *load, struct hlist_head *pending)
{
	struct hlist_node *next;
	struct xs_place *place;

	lockdep_assert_held(&xs_lock);

	/* Emptied as a whole: of hundreds of places, each by itself would cost. */
	hlist_for_each_entry_safe(place, next, pending, in_pending) {
		INIT_HLIST_NODE(&place->in_pending);
		plan_place_locked(load, place);
	}
	INIT_HLIST_HEAD(pending);
}

/* Returns by how many more of those that stand so are held: 1, 0 or -1. */
static int account(struct xs_standing *standing, bool hold, u64 now)
{
	if (hold && !standing->held_since) {
		standing->held_since = now;
		return 1;
	}
	if (!hold && standing->held_since) {
		standing->held_ns += now - standing->held_since;
		standing->held_since = 0;
		return -1;
	}
	return 0;
}

static int confirm(struct xs_standing *standing, bool hold, u64 now)
{
	WRITE_ONCE(standing->applied, hold ? XS_APPLIED_HELD : XS_APPLIED_FREE);
	if (!hold)
		WRITE_ONCE(standing->has_run, true);
	return account(standing, hold, now);
}

static void trace_change(const struct xs_queue *queue, const struct xs_hw_change *change)
{
	if (queue->target.flipped && change->hold)
		trace_queue_off(queue);
	else if (queue->target.flipped)
		trace_queue_on(queue);
	if (change->priority != XS_PRIORITY_KEEP || change->level != XS_PRIORITY_KEEP)
		trace_queue_priority(queue);
}

static bool traces_changes(void)
{
	return trace_queue_off_enabled() || trace_queue_on_enabled() ||
		trace_queue_priority_enabled();
}

/* Dying, or reset and not to run again: it holds nobody up. */
static int set_gone_locked(struct xs_queue *queue, u64 now)
{
	WRITE_ONCE(queue->own.applied, XS_APPLIED_GONE);
	queue->place->live--;
	return account(&queue->own, false, now);
}

static void set_override_locked(struct xs_queue *queue, const struct xs_hw_change *change)
{
	if (change->priority != XS_PRIORITY_KEEP) {
		queue->override.priority = change->priority;
		queue->priority = queue->target.effective_priority;
	}
	if (change->level != XS_PRIORITY_KEEP) {
		queue->override.prio_class = to_class(change->level);
		queue->prio_class = to_class(queue->target.effective_level);
	}
}

static int commit_queue_locked(struct xs_queue *queue, const struct xs_hw_change *change,
			       u64 now)
{
	int held;

	if (queue->target.ret)
		return set_gone_locked(queue, now);
	held = confirm(&queue->own, change->hold, now);
	queue->own.preemptions += held > 0 && queue->target.flipped;
	set_override_locked(queue, change);
	if (traces_changes())
		trace_change(queue, change);
	return held;
}

/* The next queue of a change, the first after NULL, or NULL. @left: how many are. */
static struct xs_queue *next_of(const struct xs_hw_change *change, struct xs_queue *queue,
				unsigned int *left)
{
	if (!(*left)--)
		return NULL;
	return queue ? container_of(queue->target.next, struct xs_queue, target) :
		       first_of(change);
}

static noinline int commit_each_locked(const struct xs_hw_change *change, u64 now)
{
	unsigned int left = change->count;
	struct xs_queue *queue = NULL;
	int held = 0;

	xs_place_split_locked(first_of(change)->place);
	while ((queue = next_of(change, queue, &left))) {
		queue->in_flight = false;
		held += commit_queue_locked(queue, change, now);
	}
	return held;
}

/* Some of a place did not run, for other reasons, when they were held. */
static noinline void count_preemptions_locked(const struct xs_hw_change *change)
{
	unsigned int left = change->count;
	struct xs_queue *queue = NULL;

	while ((queue = next_of(change, queue, &left)))
		queue->own.preemptions += queue->target.flipped;
}

static noinline void trace_all(const struct xs_hw_change *change)
{
	unsigned int left = change->count;
	struct xs_queue *queue = NULL;

	while ((queue = next_of(change, queue, &left)))
		trace_change(queue, change);
}

/* All of a place did as they were told: what is known of them is written once. */
static int commit_all_locked(struct xs_place *place, const struct xs_hw_change *change,
			     u64 now)
{
	const int held = confirm(&place->common, change->hold, now);

	if (held > 0 && change->flips == change->count)
		place->common.preemptions++;
	else if (held > 0 && change->flips)
		count_preemptions_locked(change);
	if (traces_changes())
		trace_all(change);
	return held * (int)change->count;
}

static int commit_locked(const struct xs_hw_change *change, u64 now)
{
	struct xs_place *place = first_of(change)->place;
	/* Queues may have come since, and stand otherwise. */
	const bool all = place->in_flight && place->shared && !change->failed;

	place->in_flight = false;
	return all ? commit_all_locked(place, change, now) : commit_each_locked(change, now);
}

static void forget_locked(const struct xs_hw_change *change)
{
	struct xs_place *place = first_of(change)->place;
	unsigned int left = change->count;
	struct xs_queue *queue = NULL;

	place->in_flight = false;
	xs_place_split_locked(place);
	xs_place_set_pending_locked(place);
	while ((queue = next_of(change, queue, &left))) {
		queue->in_flight = false;
		WRITE_ONCE(queue->own.applied, XS_APPLIED_UNKNOWN);
	}
}

int xs_changes_commit_locked(struct xs_load *load, bool failed)
{
	const u64 now = ktime_get_ns();
	unsigned int i;
	int held = 0;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < load->count; i++) {
		if (failed)
			forget_locked(&load->changes[i]);
		else
			held += commit_locked(&load->changes[i], now);
	}
	load->count = 0;
	load->queues = 0;
	return held;
}
