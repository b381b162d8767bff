// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places: a process on a node, with its queues there.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include <linux/kfd_xsched.h>

#include "batch.h"
#include "change.h"
#include "claim.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "queue.h"
#include "xsched.h"

static struct xs_place *find_locked(const struct xs_queue *queue)
{
	struct xs_place *place;

	list_for_each_entry(place, &queue->process->places, in_process) {
		if (place->node == queue->node)
			return place;
	}
	return NULL;
}

static void drop_claims_locked(struct xs_place *place)
{
	struct xs_claim *claim, *next;

	list_for_each_entry_safe(claim, next, &place->claims, in_target)
		xs_claim_drop_locked(claim);
}

/* As the rule will be if it is on its way: so will its queues be born. */
static void inherit_rule_locked(struct xs_claim *claim, const struct xs_rule *rule)
{
	struct xs_stake *stake = &claim->stake;

	stake->now = rule->stake.now;
	stake->next = rule->stake.next;
	xs_place_mask_terms(claim->place, &stake->now);
	xs_place_mask_terms(claim->place, &stake->next);
	stake->now.held_ns = ktime_get_ns();
	if (rule->stake.batch)
		xs_batch_adopt_locked(rule->stake.batch, claim);
}

static void inherit_rules_locked(struct xs_place *place)
{
	const struct xs_rule *rule;

	list_for_each_entry(rule, &place->process->rules, in_process) {
		struct xs_claim *claim =
			xs_claim_new_locked(rule->client, place, NULL);

		if (!claim) {
			drop_claims_locked(place);
			return;
		}
		inherit_rule_locked(claim, rule);
	}
}

static struct xs_place *new_locked(const struct xs_queue *queue)
{
	struct xs_place *place = kzalloc(sizeof(*place), GFP_KERNEL);

	if (!place)
		return NULL;
	place->process = queue->process;
	place->node = queue->node;
	INIT_HLIST_NODE(&place->in_pending);
	INIT_LIST_HEAD(&place->queues);
	INIT_LIST_HEAD(&place->claims);
	list_add_tail(&place->in_process, &queue->process->places);
	inherit_rules_locked(place);
	return place;
}

int xs_place_enter_locked(struct xs_queue *queue)
{
	struct xs_place *place = find_locked(queue) ?: new_locked(queue);

	lockdep_assert_held(&xs_lock);

	if (!place)
		return -ENOMEM;
	xs_place_split_locked(place);
	queue->place = place;
	list_add_tail(&queue->in_place, &place->queues);
	place->live++;
	return 0;
}

void xs_place_leave_locked(struct xs_queue *queue)
{
	struct xs_place *place = queue->place;

	lockdep_assert_held(&xs_lock);

	xs_place_split_locked(place);
	place->live -= queue->own.applied != XS_APPLIED_GONE;
	list_del(&queue->in_place);
	if (!list_empty(&place->queues))
		return;
	drop_claims_locked(place);
	hlist_del_init(&place->in_pending);
	list_del(&place->in_process);
	kfree(place);
}

/* Whether it stands as the first does, and nothing but a hold of all can change that. */
static bool is_like(const struct xs_queue *queue, const struct xs_queue *first)
{
	return queue->own.applied == first->own.applied &&
		queue->own.held_since == first->own.held_since &&
		queue->override.priority == KFD_XSCHED_PRIORITY_APP &&
		queue->override.prio_class == KFD_XSCHED_CLASS_APP;
}

bool xs_place_share_locked(struct xs_place *place)
{
	const struct xs_queue *first =
		list_first_entry(&place->queues, struct xs_queue, in_place);
	struct xs_hw_target *last = NULL;
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	if (first->own.applied != XS_APPLIED_FREE && first->own.applied != XS_APPLIED_HELD)
		return false;
	list_for_each_entry(queue, &place->queues, in_place) {
		if (!is_like(queue, first))
			return false;
		if (last)
			last->next = &queue->target;
		last = &queue->target;
	}
	place->common = (struct xs_standing){
		.applied = first->own.applied,
		.held_since = first->own.held_since,
	};
	/* After what that is: see xs_queue_common(). */
	smp_store_release(&place->shared, true);
	return true;
}

void xs_place_split_locked(struct xs_place *place)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	if (!place->shared)
		return;
	list_for_each_entry(queue, &place->queues, in_place)
		xs_standing_join(&queue->own, &place->common);
	/* After what they are: see xs_queue_common(). */
	smp_store_release(&place->shared, false);
}

void xs_place_clear_pending_locked(struct xs_place *place)
{
	const struct xs_want want = xs_place_want_locked(place);
	const struct xs_queue *queue;

	list_for_each_entry(queue, &place->queues, in_place) {
		/* In flight, nobody knows yet what will be left to be done. */
		if (xs_queue_in_flight_locked(queue) || !xs_queue_is_settled_locked(queue, &want))
			return;
	}
	hlist_del_init(&place->in_pending);
}

void xs_place_mask_terms(const struct xs_place *place, struct xs_terms *terms)
{
	const u32 caps = place->node->desc.caps;

	terms->held &= xs_node_can_hold(place->node);
	if (!(caps & KFD_XSCHED_CAP_PRIORITY))
		terms->priority = KFD_XSCHED_PRIORITY_APP;
	if (!(caps & KFD_XSCHED_CAP_CLASS))
		terms->prio_class = KFD_XSCHED_CLASS_APP;
}
