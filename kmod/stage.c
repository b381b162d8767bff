// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first half of an APPLY: find what an entry names, check it against the
 * caller, the node and the other entries, and stage its terms (xs_stake.next)
 * without any effect yet.
 *
 * An entry on a process is an entry on each of its queues, and on its rule. An
 * entry on a tenant is one on each of its processes, and on the tenant.
 */
#include <linux/err.h>

#include "apply.h"
#include "armed.h"
#include "batch.h"
#include "client.h"
#include "eject.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "xsched.h"

/* Orders overrides: the latest wins. Under xs_lock. */
static u64 last_seq;

static int check_priority(const struct kfd_xsched_entry *entry)
{
	if (entry->prio_class > KFD_XSCHED_CLASS_REALTIME)
		return -EINVAL;
	switch (entry->value) {
	case KFD_XSCHED_PRIORITY_KEEP:
		return entry->prio_class == KFD_XSCHED_CLASS_KEEP ? -EINVAL : 0;
	case KFD_XSCHED_PRIORITY_APP:
		return 0;
	default:
		return entry->value < KFD_XSCHED_PRIORITY_MIN ||
			entry->value > KFD_XSCHED_PRIORITY_MAX ? -EINVAL : 0;
	}
}

static int check_value(const struct kfd_xsched_entry *entry)
{
	if (entry->op == KFD_XSCHED_OP_SET_PRIORITY)
		return check_priority(entry);
	if (entry->prio_class)
		return -EINVAL;
	if (entry->op == KFD_XSCHED_OP_UNMAP)
		return entry->value < KFD_XSCHED_GRACE_DEFAULT ? -EINVAL : 0;
	return entry->value ? -EINVAL : 0;
}

int xs_entry_check(const struct kfd_xsched_entry *entry)
{
	switch (entry->op) {
	case KFD_XSCHED_OP_SUSPEND:
	case KFD_XSCHED_OP_UNMAP:
	case KFD_XSCHED_OP_RESUME:
	case KFD_XSCHED_OP_SET_PRIORITY:
		break;
	default:
		return -EOPNOTSUPP;
	}
	switch (entry->target) {
	case KFD_XSCHED_TARGET_QUEUE:
	case KFD_XSCHED_TARGET_PROCESS:
	case KFD_XSCHED_TARGET_TENANT:
		break;
	default:
		return -EOPNOTSUPP;
	}
	return entry->reserved ? -EINVAL : check_value(entry);
}

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

static int check_node(const struct xs_queue *queue,
		      const struct kfd_xsched_entry *entry)
{
	const struct xs_hw_node_desc *node = &queue->node->desc;

	switch (entry->op) {
	case KFD_XSCHED_OP_SUSPEND:
		return node->caps & KFD_XSCHED_CAP_SUSPEND ? 0 : -EOPNOTSUPP;
	case KFD_XSCHED_OP_UNMAP:
		if (!(node->caps & KFD_XSCHED_CAP_UNMAP))
			return -EOPNOTSUPP;
		if (entry->value > 0 && !(node->caps & KFD_XSCHED_CAP_GRACE))
			return -EOPNOTSUPP;
		return entry->value > (s64)node->max_grace_us ? -EINVAL : 0;
	case KFD_XSCHED_OP_SET_PRIORITY:
		return xs_queue_has_what_is_set(queue, entry) ? 0 : -EOPNOTSUPP;
	default:
		return 0;
	}
}

/* Remember what is asked; -EBUSY if an earlier entry asked for the opposite. */
static int ask(struct xs_stake *stake, const struct kfd_xsched_entry *entry)
{
	const u32 asks = entry_asks(entry);

	if ((asks == XS_ASKED_HOLD && stake->asked & XS_ASKED_RELEASE) ||
	    (asks == XS_ASKED_RELEASE && stake->asked & XS_ASKED_HOLD))
		return -EBUSY;
	if (asks & stake->asked & XS_ASKED_PRIORITY &&
	    stake->next.priority != entry->value)
		return -EBUSY;
	if (asks & stake->asked & XS_ASKED_CLASS &&
	    stake->next.prio_class != entry->prio_class)
		return -EBUSY;
	stake->asked |= asks;
	return 0;
}

static void stage_terms(struct xs_terms *next, const struct kfd_xsched_entry *entry)
{
	if (holds(entry))
		next->held = true;
	if (entry->op == KFD_XSCHED_OP_RESUME)
		next->held = false;
	if (sets_priority(entry)) {
		next->priority = entry->value;
		next->priority_seq = ++last_seq;
	}
	if (sets_class(entry)) {
		next->prio_class = entry->prio_class;
		next->class_seq = ++last_seq;
	}
}

/* The default goes with any other: whoever asks for it leaves the choice open. */
static int stage_grace(struct xs_part *part, const struct kfd_xsched_entry *entry)
{
	if (!holds(entry))
		return 0;
	if (entry->value == KFD_XSCHED_GRACE_DEFAULT) {
		part->default_grace = true;
		return 0;
	}
	if (part->grace_us == XS_GRACE_UNSET)
		part->grace_us = entry->value;
	return part->grace_us == entry->value ? 0 : -EINVAL;
}

static int stage_queue_locked(struct xs_batch *batch, struct xs_queue *queue,
			      const struct kfd_xsched_entry *entry)
{
	struct xs_claim *claim;
	int ret;

	ret = check_node(queue, entry);
	if (ret)
		return ret;
	claim = xs_queue_need_claim_locked(queue, batch->client);
	if (!claim)
		return -ENOMEM;
	ret = xs_batch_take_claim_locked(batch, claim) ?: ask(&claim->stake, entry);
	if (ret)
		return ret;
	if (entry->op == KFD_XSCHED_OP_RESUME && !claim->stake.now.held)
		return -EALREADY;
	ret = stage_grace(queue->node->staging, entry);
	if (ret)
		return ret;
	queue->node->staging->concerned = true;
	stage_terms(&claim->stake.next, entry);
	xs_queue_set_pending_locked(queue);
	return 0;
}

/* It would wait for itself. */
static bool is_own_trigger_locked(const struct xs_batch *batch,
				  struct xs_process *process)
{
	return batch->armed && xs_armed_triggers_locked(batch->armed, process);
}

static int stage_queue_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_queue *queue = xs_queue_find_locked(item->entry->id);
	const struct xs_claim *mine;
	int ret;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	if (is_own_trigger_locked(batch, queue->process))
		return -EINVAL;
	mine = xs_queue_claim_locked(queue, batch->client);
	if (!permitted_locked(queue->process, item->entry,
			      mine ? &mine->stake.now : NULL))
		return -EPERM;
	if (queue->process->exited || queue->applied == XS_APPLIED_GONE)
		return -ESRCH;
	ret = stage_queue_locked(batch, queue, item->entry);
	if (ret)
		return ret;
	item->part = queue->node->staging;
	item->concerned = 1;
	return 0;
}

/* Stage an entry on a process for each of its queues it can mean. */
static int stage_queues_of_locked(struct xs_batch *batch, struct xs_item *item,
				  struct xs_process *process)
{
	struct xs_queue *queue;
	int ret;

	list_for_each_entry(queue, &process->queues, in_process) {
		if (queue->applied == XS_APPLIED_GONE)
			continue;
		item->any = true;
		if (!xs_queue_has_what_is_set(queue, item->entry))
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

/* What the client has on a process or any of its queues, taken together. */
static struct xs_terms terms_on_process_locked(struct xs_process *process,
					       struct xs_client *client)
{
	const struct xs_rule *rule = xs_process_rule_locked(process, client);
	struct xs_queue *queue;
	struct xs_terms terms;

	xs_terms_init(&terms);
	if (rule)
		terms = rule->stake.now;
	list_for_each_entry(queue, &process->queues, in_process) {
		const struct xs_claim *claim = xs_queue_claim_locked(queue, client);

		if (claim)
			xs_terms_join(&terms, &claim->stake.now, 0);
	}
	return terms;
}

/* Returns 0 or -errno; @held, for RESUME: whether the client held anything of it. */
static int stage_process_locked(struct xs_batch *batch, struct xs_item *item,
				struct xs_process *process, bool *held)
{
	struct xs_terms mine = {};
	struct xs_rule *rule;
	int ret;

	if (is_own_trigger_locked(batch, process))
		return -EINVAL;
	/* Who holds asks for nothing back. */
	if (!holds(item->entry))
		mine = terms_on_process_locked(process, batch->client);
	if (!permitted_locked(process, item->entry, &mine))
		return -EPERM;
	*held |= mine.held;
	rule = xs_process_need_rule_locked(process, batch->client);
	if (!rule)
		return -ENOMEM;
	ret = xs_batch_take_rule_locked(batch, rule) ?: ask(&rule->stake, item->entry);
	if (ret)
		return ret;
	stage_terms(&rule->stake.next, item->entry);
	return stage_queues_of_locked(batch, item, process);
}

/* An entry on several queues: was there anything to be done? */
static int verdict(const struct xs_item *item, bool held)
{
	if (item->entry->op == KFD_XSCHED_OP_SET_PRIORITY && item->any &&
	    !item->concerned)
		return -EOPNOTSUPP;
	return item->entry->op == KFD_XSCHED_OP_RESUME && !held ? -EALREADY : 0;
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
	bool held = false;
	int ret;

	if (IS_ERR(process))
		return PTR_ERR(process);
	ret = stage_process_locked(batch, item, process, &held);
	if (ret)
		return ret;
	if (batch->items)
		item->process = xs_process_pin_locked(process);
	return verdict(item, held);
}

/* For members that are yet to come. An armed switch looks for those itself. */
static int stage_tenant_locked(struct xs_batch *batch, struct xs_tenant *tenant,
			       const struct kfd_xsched_entry *entry)
{
	int ret;

	if (batch->client->owner)
		return 0;
	ret = xs_batch_take_tenant_locked(batch, tenant) ?: ask(&tenant->stake, entry);
	if (!ret)
		stage_terms(&tenant->stake.next, entry);
	return ret;
}

static int stage_tenant_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_client *client = batch->client->owner ?: batch->client;
	struct xs_tenant *tenant = xs_tenant_find_locked(client, item->entry->id);
	struct xs_rule *rule;
	bool held;
	int ret;

	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	held = tenant->stake.now.held;
	ret = stage_tenant_locked(batch, tenant, item->entry);
	if (ret)
		return ret;
	list_for_each_entry(rule, &tenant->rules, in_tenant) {
		if (rule->process->exited)
			continue;
		ret = stage_process_locked(batch, item, rule->process, &held);
		if (ret)
			return ret;
	}
	item->tenant = tenant;
	return verdict(item, held);
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

int xs_stage_join_locked(struct xs_batch *batch, struct xs_rule *rule,
			 const struct xs_terms *others)
{
	const u64 seq = ++last_seq;
	struct xs_queue *queue;
	int ret = xs_batch_take_rule_locked(batch, rule);

	if (ret)
		return ret;
	xs_terms_join(&rule->stake.next, others, seq);
	list_for_each_entry(queue, &rule->process->queues, in_process) {
		struct xs_claim *claim;

		if (queue->applied == XS_APPLIED_GONE)
			continue;
		claim = xs_queue_need_claim_locked(queue, batch->client);
		ret = claim ? xs_batch_take_claim_locked(batch, claim) : -ENOMEM;
		if (ret)
			return ret;
		xs_terms_join(&claim->stake.next, others, seq);
		xs_queue_mask_terms(queue, &claim->stake.next);
		queue->node->staging->concerned |= xs_terms_any(others);
		xs_queue_set_pending_locked(queue);
	}
	return 0;
}

int xs_stage_leave_locked(struct xs_batch *batch, struct xs_rule *rule,
			  const struct xs_terms *others)
{
	struct xs_queue *queue;
	int ret = xs_batch_take_rule_locked(batch, rule);

	if (ret)
		return ret;
	xs_terms_leave(&rule->stake.next, others);
	list_for_each_entry(queue, &rule->process->queues, in_process) {
		struct xs_claim *claim = xs_queue_claim_locked(queue, batch->client);

		if (!claim)
			continue;
		ret = xs_batch_take_claim_locked(batch, claim);
		if (ret)
			return ret;
		xs_terms_leave(&claim->stake.next, others);
		queue->node->staging->concerned |= xs_terms_any(others);
		xs_queue_set_pending_locked(queue);
	}
	return 0;
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
	claim->queue->node->staging->concerned = true;
	xs_queue_set_pending_locked(claim->queue);
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
