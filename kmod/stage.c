// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first half of an APPLY: find what an entry names, check it against the
 * caller, the node and the other entries, and stage its terms (xs_stake.next)
 * without any effect yet.
 *
 * An entry on a process is an entry on each of its places, on each of its queues
 * of which the client has a claim by themselves, and on its rule. An entry on a
 * tenant is one on each of its processes, and on the tenant.
 */
#include <linux/err.h>

#include "apply.h"
#include "armed.h"
#include "batch.h"
#include "claim.h"
#include "client.h"
#include "eject.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "xsched.h"

/* Orders overrides: the latest wins. Under xs_lock. */
static u64 last_seq;

static bool sets_priority(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->value != KFD_XSCHED_PRIORITY_KEEP;
}

static bool sets_class(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->prio_class != KFD_XSCHED_CLASS_KEEP;
}

static bool holds(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SUSPEND || entry->op == KFD_XSCHED_OP_UNMAP;
}

static u32 entry_asks(const struct kfd_xsched_entry *entry)
{
	if (entry->op == KFD_XSCHED_OP_RESUME)
		return XS_ASKED_RELEASE;
	if (holds(entry))
		return XS_ASKED_HOLD;
	return (sets_priority(entry) ? XS_ASKED_PRIORITY : 0) |
		(sets_class(entry) ? XS_ASKED_CLASS : 0);
}

/* What a client has taken it may give back, whatever it may do by now. */
static bool gives_back(const struct kfd_xsched_entry *entry,
		       const struct xs_terms *mine)
{
	if (entry->op == KFD_XSCHED_OP_RESUME)
		return mine->held;
	if (entry->op != KFD_XSCHED_OP_SET_PRIORITY)
		return false;
	if (sets_priority(entry) &&
	    (entry->value != KFD_XSCHED_PRIORITY_APP ||
	     mine->priority == KFD_XSCHED_PRIORITY_APP))
		return false;
	return !sets_class(entry) ||
		(entry->prio_class == KFD_XSCHED_CLASS_APP &&
		 mine->prio_class != KFD_XSCHED_CLASS_APP);
}

bool xs_terms_raise(const struct xs_terms *terms)
{
	return terms->priority > KFD_XSCHED_PRIORITY_NORMAL ||
		terms->prio_class > KFD_XSCHED_CLASS_NORMAL;
}

static bool permitted_locked(const struct xs_process *process,
			     const struct kfd_xsched_entry *entry,
			     const struct xs_terms *mine)
{
	const struct xs_terms asked = {
		.priority = sets_priority(entry) ? entry->value : 0,
		.prio_class = entry->prio_class,
	};

	if (mine && gives_back(entry, mine))
		return true;
	return xs_process_permits_locked(process, xs_terms_raise(&asked) ?
					 XS_PERMIT_RAISE : XS_PERMIT_USE);
}

bool xs_queue_has_what_is_set(const struct xs_queue *queue,
			      const struct kfd_xsched_entry *entry)
{
	return (!sets_priority(entry) || xs_queue_can_prioritise(queue)) &&
		(!sets_class(entry) || xs_queue_can_classify(queue));
}

/* What SET_PRIORITY needs is asked of each queue: xs_queue_has_what_is_set(). */
static inline int check_node(const struct xs_hw_node_desc *node,
			     const struct kfd_xsched_entry *entry)
{
	switch (entry->op) {
	case KFD_XSCHED_OP_SUSPEND:
		return node->caps & KFD_XSCHED_CAP_SUSPEND ? 0 : -EOPNOTSUPP;
	case KFD_XSCHED_OP_UNMAP:
		if (!(node->caps & KFD_XSCHED_CAP_UNMAP))
			return -EOPNOTSUPP;
		if (entry->value > 0 && !(node->caps & KFD_XSCHED_CAP_GRACE))
			return -EOPNOTSUPP;
		return entry->value > (s64)node->max_grace_us ? -EINVAL : 0;
	default:
		return 0;
	}
}

/* Whether an entry of the batch has asked for the opposite. */
static bool is_contrary(const struct xs_stake *stake, const struct kfd_xsched_entry *entry,
			u32 asks)
{
	const u32 asked = stake->asked, again = asks & asked;

	if ((asks & XS_ASKED_HOLD && asked & XS_ASKED_RELEASE) ||
	    (asks & XS_ASKED_RELEASE && asked & XS_ASKED_HOLD))
		return true;
	return (again & XS_ASKED_PRIORITY && stake->next.priority != entry->value) ||
		(again & XS_ASKED_CLASS && stake->next.prio_class != entry->prio_class);
}

static void stage_priority(struct xs_terms *next, const struct kfd_xsched_entry *entry)
{
	if (sets_priority(entry)) {
		next->priority = entry->value;
		next->priority_seq = ++last_seq;
	}
	if (sets_class(entry)) {
		next->prio_class = entry->prio_class;
		next->class_seq = ++last_seq;
	}
}

/* Remember what is asked, as what will be: 0, or -EBUSY. */
static inline int ask(struct xs_stake *stake, const struct kfd_xsched_entry *entry, u32 asks)
{
	if (stake->asked && is_contrary(stake, entry, asks))
		return -EBUSY;
	stake->asked |= asks;
	if (asks & XS_ASKED_HOLD)
		stake->next.held = true;
	else if (asks & XS_ASKED_RELEASE)
		stake->next.held = false;
	else
		stage_priority(&stake->next, entry);
	return 0;
}

/* The default goes with any other: whoever asks for it leaves the choice open. */
static int stage_grace(struct xs_part *part, const struct kfd_xsched_entry *entry)
{
	if (entry->value == KFD_XSCHED_GRACE_DEFAULT) {
		part->default_grace = true;
		return 0;
	}
	if (part->grace_us == XS_GRACE_UNSET)
		part->grace_us = entry->value;
	return part->grace_us == entry->value ? 0 : -EINVAL;
}

/* 0, or -EALREADY: there is nothing to be released. */
static __always_inline int stage_claim_locked(struct xs_batch *batch, struct xs_claim *claim,
					      const struct kfd_xsched_entry *entry, u32 asks)
{
	struct xs_place *place;
	struct xs_part *part;
	int ret;

	ret = xs_batch_take_claim_locked(batch, claim) ?: ask(&claim->stake, entry, asks);
	if (ret)
		return ret;
	if (asks == XS_ASKED_RELEASE && !claim->stake.now.held)
		return -EALREADY;
	place = claim->place;
	part = place->node->staging;
	part->concerned = true;
	xs_place_set_pending_locked(place);
	return asks == XS_ASKED_HOLD ? stage_grace(part, entry) : 0;
}

static int stage_queue_locked(struct xs_batch *batch, struct xs_queue *queue,
			      const struct kfd_xsched_entry *entry)
{
	const struct xs_claim *on_place;
	struct xs_claim *claim;
	int ret;

	ret = check_node(&queue->node->desc, entry);
	if (ret)
		return ret;
	if (!xs_queue_has_what_is_set(queue, entry))
		return -EOPNOTSUPP;
	/* It would be copied on its way. */
	on_place = xs_claim_on_place_locked(queue->place, batch->client);
	if (on_place && xs_stake_busy(&on_place->stake, batch))
		return -EAGAIN;
	claim = xs_claim_need_on_queue_locked(queue, batch->client);
	return claim ? stage_claim_locked(batch, claim, entry, entry_asks(entry)) : -ENOMEM;
}

/* It would wait for itself. */
static bool is_own_trigger_locked(const struct xs_batch *batch,
				  struct xs_process *process)
{
	return batch->armed && xs_armed_triggers_locked(batch->armed, process);
}

static noinline int stage_queue_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_queue *queue = xs_queue_find_locked(item->entry->id);
	const struct xs_claim *mine;
	int ret;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	if (is_own_trigger_locked(batch, queue->process))
		return -EINVAL;
	mine = xs_claim_of_queue_locked(queue, batch->client);
	if (!permitted_locked(queue->process, item->entry,
			      mine ? &mine->stake.now : NULL))
		return -EPERM;
	if (queue->process->exited || xs_queue_applied(queue) == XS_APPLIED_GONE)
		return -ESRCH;
	ret = stage_queue_locked(batch, queue, item->entry);
	if (ret)
		return ret;
	item->part = queue->node->staging;
	item->concerned = 1;
	return 0;
}

/* Whether the client has a claim on the queue by itself. */
static bool has_own_claim(const struct xs_batch *batch, struct xs_queue *queue)
{
	return xs_claim_on_queue_locked(queue, batch->client);
}

/* Queues that the claim on a place governs, which an entry on it can mean. */
static noinline u32 count_meant_locked(const struct xs_batch *batch, struct xs_place *place,
				       const struct kfd_xsched_entry *entry)
{
	struct xs_queue *queue;
	u32 count = 0;

	list_for_each_entry(queue, &place->queues, in_place) {
		count += xs_queue_applied(queue) != XS_APPLIED_GONE &&
			!has_own_claim(batch, queue) && xs_queue_has_what_is_set(queue, entry);
	}
	return count;
}

static noinline int stage_own_claims_locked(struct xs_batch *batch, struct xs_item *item,
					    struct xs_place *place)
{
	struct xs_queue *queue;
	int ret;

	list_for_each_entry(queue, &place->queues, in_place) {
		if (xs_queue_applied(queue) == XS_APPLIED_GONE || !has_own_claim(batch, queue) ||
		    !xs_queue_has_what_is_set(queue, item->entry))
			continue;
		ret = stage_queue_locked(batch, queue, item->entry);
		if (ret == -EALREADY)
			continue;
		if (ret)
			return ret;
		item->concerned++;
	}
	return 0;
}

/* What is set but not there, on the whole node, is left out: as for its queues. */
static inline bool node_has_what_is_set(const struct xs_node *node, u32 asks)
{
	if (!(asks & (XS_ASKED_PRIORITY | XS_ASKED_CLASS)))
		return true;
	return (!(asks & XS_ASKED_PRIORITY) || node->desc.caps & KFD_XSCHED_CAP_PRIORITY) &&
		(!(asks & XS_ASKED_CLASS) || node->desc.caps & KFD_XSCHED_CAP_CLASS);
}

/*
 * Queues that have not all of what is set, as copy queues have no priority, are left
 * out of it: they get claims by themselves, which keep the terms as they are.
 */
static noinline int leave_out_locked(struct xs_batch *batch, const struct xs_claim *on_place,
				     const struct kfd_xsched_entry *entry)
{
	struct xs_claim *claim;
	struct xs_queue *queue;
	int ret;

	if (xs_stake_busy(&on_place->stake, batch))
		return -EAGAIN;
	list_for_each_entry(queue, &on_place->place->queues, in_place) {
		if (xs_queue_has_what_is_set(queue, entry))
			continue;
		claim = xs_claim_need_on_queue_locked(queue, batch->client);
		ret = claim ? xs_batch_take_claim_locked(batch, claim) : -ENOMEM;
		if (ret)
			return ret;
	}
	return 0;
}

/* Stage an entry on a process for one of its nodes. */
static __always_inline int stage_place_locked(struct xs_batch *batch, struct xs_item *item,
					      struct xs_place *place, u32 asks)
{
	const struct kfd_xsched_entry *entry = item->entry;
	struct xs_claim *claim;
	int ret;

	if (!place->live)
		return 0;
	item->any = true;
	if (!node_has_what_is_set(place->node, asks))
		return 0;
	ret = check_node(&place->node->desc, entry);
	if (ret)
		return ret;
	claim = xs_claim_need_on_place_locked(place, batch->client);
	if (!claim)
		return -ENOMEM;
	ret = asks == (XS_ASKED_PRIORITY | XS_ASKED_CLASS) ?
		leave_out_locked(batch, claim, entry) : 0;
	ret = ret ?: stage_claim_locked(batch, claim, entry, asks);
	if (!ret)
		item->concerned += !place->own_claims && asks & (XS_ASKED_HOLD | XS_ASKED_RELEASE) ?
			place->live : count_meant_locked(batch, place, entry);
	else if (ret != -EALREADY)
		return ret;
	return place->own_claims ? stage_own_claims_locked(batch, item, place) : 0;
}

/* What the client has on a process or any of its queues, taken together. */
static struct xs_terms terms_on_process_locked(struct xs_process *process,
					       struct xs_client *client)
{
	const struct xs_rule *rule = xs_process_rule_locked(process, client);
	const struct xs_claim *claim;
	struct xs_place *place;
	struct xs_queue *queue;
	struct xs_terms terms;

	xs_terms_init(&terms);
	if (rule)
		terms = rule->stake.now;
	list_for_each_entry(place, &process->places, in_process) {
		claim = xs_claim_on_place_locked(place, client);
		if (claim)
			xs_terms_join(&terms, &claim->stake.now, 0);
		if (!place->own_claims)
			continue;
		list_for_each_entry(queue, &place->queues, in_place) {
			claim = xs_claim_on_queue_locked(queue, client);
			if (claim)
				xs_terms_join(&terms, &claim->stake.now, 0);
		}
	}
	return terms;
}

/* Who holds asks for nothing back. */
static int check_hold_locked(const struct xs_process *process)
{
	return xs_process_permits_locked(process, XS_PERMIT_USE) ? 0 : -EPERM;
}

static noinline int check_other_locked(const struct xs_batch *batch, struct xs_item *item,
				       struct xs_process *process)
{
	const struct xs_terms mine = terms_on_process_locked(process, batch->client);

	item->held |= mine.held;
	return permitted_locked(process, item->entry, &mine) ? 0 : -EPERM;
}

static __always_inline int stage_process_locked(struct xs_batch *batch, struct xs_item *item,
						struct xs_process *process)
{
	const u32 asks = entry_asks(item->entry);
	struct xs_place *place;
	struct xs_rule *rule;
	int ret;

	if (is_own_trigger_locked(batch, process))
		return -EINVAL;
	ret = asks == XS_ASKED_HOLD ?
		check_hold_locked(process) : check_other_locked(batch, item, process);
	if (ret)
		return ret;
	rule = xs_process_need_rule_locked(process, batch->client);
	if (!rule)
		return -ENOMEM;
	ret = xs_batch_take_rule_locked(batch, rule) ?: ask(&rule->stake, item->entry, asks);
	if (ret)
		return ret;
	list_for_each_entry(place, &process->places, in_process) {
		ret = stage_place_locked(batch, item, place, asks);
		if (ret)
			return ret;
	}
	return 0;
}

/* An entry on several queues: was there anything to be done? */
static int verdict(const struct xs_item *item)
{
	if (item->entry->op == KFD_XSCHED_OP_SET_PRIORITY && item->any &&
	    !item->concerned)
		return -EOPNOTSUPP;
	return item->entry->op == KFD_XSCHED_OP_RESUME && !item->held ? -EALREADY : 0;
}

static struct xs_process *find_process_locked(const struct xs_item *item)
{
	if (!item->target)
		return xs_process_find_locked(item->entry->id);
	return item->target->exited ? ERR_PTR(-ESRCH) : item->target;
}

static int stage_process_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_process *process = find_process_locked(item);
	int ret;

	if (IS_ERR(process))
		return PTR_ERR(process);
	ret = stage_process_locked(batch, item, process);
	if (ret)
		return ret;
	if (batch->items)
		item->process = xs_process_pin_locked(process);
	return verdict(item);
}

/* For members that are yet to come. An armed switch looks for those itself. */
static int stage_tenant_locked(struct xs_batch *batch, struct xs_tenant *tenant,
			       const struct kfd_xsched_entry *entry)
{
	if (batch->client->owner)
		return 0;
	return xs_batch_take_tenant_locked(batch, tenant) ?:
		ask(&tenant->stake, entry, entry_asks(entry));
}

static noinline int stage_tenant_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_client *client = batch->client->owner ?: batch->client;
	struct xs_tenant *tenant = xs_tenant_find_locked(client, item->entry->id);
	struct xs_rule *rule;
	int ret;

	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	item->held = tenant->stake.now.held;
	ret = stage_tenant_locked(batch, tenant, item->entry);
	if (ret)
		return ret;
	list_for_each_entry(rule, &tenant->rules, in_tenant) {
		if (rule->process->exited)
			continue;
		ret = stage_process_locked(batch, item, rule->process);
		if (ret)
			return ret;
	}
	item->tenant = tenant;
	return verdict(item);
}

bool xs_entry_takes(const struct kfd_xsched_entry *entry)
{
	return holds(entry) ||
		(sets_priority(entry) && entry->value != KFD_XSCHED_PRIORITY_APP) ||
		(sets_class(entry) && entry->prio_class != KFD_XSCHED_CLASS_APP);
}

int xs_item_stage_locked(struct xs_batch *batch, struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	/* It may have been staged before, perhaps as part of another call. */
	item->part = NULL;
	item->process = NULL;
	item->tenant = NULL;
	item->concerned = 0;
	item->any = false;
	item->held = false;
	/* What only gives back is legal whatever else is not. */
	if (!xs_enabled() && xs_entry_takes(item->entry))
		return -ECANCELED;
	switch (item->entry->target) {
	case KFD_XSCHED_TARGET_QUEUE:
		return stage_queue_item_locked(batch, item);
	case KFD_XSCHED_TARGET_PROCESS:
		return stage_process_item_locked(batch, item);
	default:
		return stage_tenant_item_locked(batch, item);
	}
}

/**
 * struct move - a process that joins, or leaves, what others ask for as one
 * @batch: does it
 * @others: what they ask for
 * @seq: from when on; 0: it leaves
 */
struct move {
	struct xs_batch *batch;
	const struct xs_terms *others;
	u64 seq;
};

static int move_claim_locked(const struct move *move, struct xs_claim *claim)
{
	struct xs_stake *stake = &claim->stake;
	int ret = xs_batch_take_claim_locked(move->batch, claim);

	if (ret)
		return ret;
	if (move->seq)
		xs_terms_join(&stake->next, move->others, move->seq);
	else
		xs_terms_leave(&stake->next, move->others);
	xs_place_mask_terms(claim->place, &stake->next);
	claim->place->node->staging->concerned |= xs_terms_any(move->others);
	xs_place_set_pending_locked(claim->place);
	return 0;
}

/* Who joins needs claims on all its places; who leaves has them, or nothing. */
static int move_place_locked(const struct move *move, struct xs_place *place)
{
	struct xs_client *client = move->batch->client;
	struct xs_claim *claim;
	struct xs_queue *queue;
	int ret;

	claim = move->seq ? xs_claim_need_on_place_locked(place, client) :
			    xs_claim_on_place_locked(place, client);
	if (!claim && move->seq)
		return -ENOMEM;
	ret = claim ? move_claim_locked(move, claim) : 0;
	if (ret || !place->own_claims)
		return ret;
	list_for_each_entry(queue, &place->queues, in_place) {
		claim = xs_claim_on_queue_locked(queue, client);
		ret = claim ? move_claim_locked(move, claim) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

static int move_process_locked(const struct move *move, struct xs_rule *rule)
{
	int ret = xs_batch_take_rule_locked(move->batch, rule);
	struct xs_place *place;

	if (ret)
		return ret;
	if (move->seq)
		xs_terms_join(&rule->stake.next, move->others, move->seq);
	else
		xs_terms_leave(&rule->stake.next, move->others);
	list_for_each_entry(place, &rule->process->places, in_process) {
		ret = move_place_locked(move, place);
		if (ret)
			return ret;
	}
	return 0;
}

int xs_stage_join_locked(struct xs_batch *batch, struct xs_rule *rule,
			 const struct xs_terms *others)
{
	const struct move move = { .batch = batch, .others = others, .seq = ++last_seq };

	return move_process_locked(&move, rule);
}

int xs_stage_leave_locked(struct xs_batch *batch, struct xs_rule *rule,
			  const struct xs_terms *others)
{
	const struct move move = { .batch = batch, .others = others };

	return move_process_locked(&move, rule);
}

static int give_back_claim_locked(struct xs_batch *batch, struct xs_claim *claim)
{
	int ret;

	if (!xs_terms_any(&claim->stake.now))
		return 0;
	ret = xs_batch_take_claim_locked(batch, claim);
	if (ret)
		return ret;
	xs_terms_init(&claim->stake.next);
	claim->place->node->staging->concerned = true;
	xs_place_set_pending_locked(claim->place);
	return 0;
}

int xs_stage_give_back_locked(struct xs_batch *batch)
{
	struct xs_claim *claim;
	struct xs_rule *rule;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(rule, &batch->client->rules, in_client) {
		ret = xs_batch_take_rule_locked(batch, rule);
		if (ret)
			return ret;
		xs_terms_init(&rule->stake.next);
	}
	list_for_each_entry(claim, &batch->client->claims, in_client) {
		ret = give_back_claim_locked(batch, claim);
		if (ret)
			return ret;
	}
	return 0;
}
