// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first half of an APPLY: find what an entry names, check it against the
 * caller, the node and the other entries, and stage its terms in the claims
 * (xs_claim.next) without any effect yet.
 *
 * An entry on a process is an entry on each of its queues, and on its rule.
 */
#include <linux/err.h>

#include "apply.h"
#include "client.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "xsched.h"

/* Orders priority overrides: the latest wins. */
static u64 last_seq;

static int check_value(const struct kfd_xsched_entry *entry)
{
	switch (entry->op) {
	case KFD_XSCHED_OP_UNMAP:
		return entry->value < 0 ? -EINVAL : 0;
	case KFD_XSCHED_OP_SET_PRIORITY:
		if (entry->value == KFD_XSCHED_PRIORITY_APP)
			return 0;
		return entry->value < KFD_XSCHED_PRIORITY_MIN ||
			entry->value > KFD_XSCHED_PRIORITY_MAX ? -EINVAL : 0;
	default:
		return entry->value ? -EINVAL : 0;
	}
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
		break;
	default:
		return -EOPNOTSUPP;
	}
	return entry->reserved ? -EINVAL : check_value(entry);
}

static u32 entry_asks(const struct kfd_xsched_entry *entry)
{
	switch (entry->op) {
	case KFD_XSCHED_OP_RESUME:
		return XS_ASKED_RELEASE;
	case KFD_XSCHED_OP_SET_PRIORITY:
		return XS_ASKED_PRIORITY;
	default:
		return XS_ASKED_HOLD;
	}
}

/* What a client has taken it may give back, whatever it may do by now. */
static bool gives_back(const struct kfd_xsched_entry *entry,
		       const struct xs_terms *mine)
{
	if (entry->op == KFD_XSCHED_OP_RESUME)
		return mine->held;
	return entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->value == KFD_XSCHED_PRIORITY_APP &&
		mine->priority != KFD_XSCHED_PRIORITY_APP;
}

static bool permitted_locked(const struct xs_process *process,
			     const struct kfd_xsched_entry *entry,
			     const struct xs_terms *mine)
{
	const bool raises = entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->value > KFD_XSCHED_PRIORITY_NORMAL;

	if (mine && gives_back(entry, mine))
		return true;
	return xs_process_permits_locked(process, raises ? XS_PERMIT_RAISE :
							   XS_PERMIT_USE);
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
		if (entry->value && !(node->caps & KFD_XSCHED_CAP_GRACE))
			return -EOPNOTSUPP;
		return (u32)entry->value > node->max_grace_us ? -EINVAL : 0;
	case KFD_XSCHED_OP_SET_PRIORITY:
		return xs_queue_can_prioritise(queue) ? 0 : -EOPNOTSUPP;
	default:
		return 0;
	}
}

/* Remember what is asked; -EBUSY if an earlier entry asked for the opposite. */
static int ask(u32 *asked, const struct xs_terms *next,
	       const struct kfd_xsched_entry *entry)
{
	const u32 asks = entry_asks(entry);

	if ((asks == XS_ASKED_HOLD && *asked & XS_ASKED_RELEASE) ||
	    (asks == XS_ASKED_RELEASE && *asked & XS_ASKED_HOLD))
		return -EBUSY;
	if (asks & *asked & XS_ASKED_PRIORITY && next->priority != entry->value)
		return -EBUSY;
	*asked |= asks;
	return 0;
}

static void stage_terms(struct xs_terms *next, const struct kfd_xsched_entry *entry)
{
	switch (entry_asks(entry)) {
	case XS_ASKED_HOLD:
		next->held = true;
		break;
	case XS_ASKED_RELEASE:
		next->held = false;
		break;
	default:
		next->priority = entry->value;
		next->seq = ++last_seq;
		break;
	}
}

static void batch_add_node(struct xs_batch *batch, struct xs_node *node)
{
	if (!list_empty(&node->in_batch))
		return;
	list_add_tail(&node->in_batch, &batch->nodes);
	batch->node_count++;
}

static int stage_grace(struct xs_node *node, const struct kfd_xsched_entry *entry)
{
	const s32 grace = entry->value;

	if (entry_asks(entry) != XS_ASKED_HOLD)
		return 0;
	if (node->grace_us == XS_GRACE_UNSET)
		node->grace_us = grace;
	return node->grace_us == grace ? 0 : -EINVAL;
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
	if (list_empty(&queue->in_batch)) {
		list_add_tail(&queue->in_batch, &batch->queues);
		queue->staged = claim;
	}
	ret = ask(&queue->asked, &claim->next, entry);
	if (ret)
		return ret;
	if (entry->op == KFD_XSCHED_OP_RESUME && !claim->now.held)
		return -EALREADY;

	batch_add_node(batch, queue->node);
	ret = stage_grace(queue->node, entry);
	if (ret)
		return ret;
	stage_terms(&claim->next, entry);
	xs_queue_set_pending_locked(queue);
	return 0;
}

static int stage_queue_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_queue *queue = xs_queue_find_locked(item->entry->id);
	const struct xs_claim *mine;
	int ret;

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	mine = xs_queue_claim_locked(queue, batch->client);
	if (!permitted_locked(queue->process, item->entry, mine ? &mine->now : NULL))
		return -EPERM;
	if (queue->process->exited || queue->applied == XS_APPLIED_GONE)
		return -ESRCH;
	ret = stage_queue_locked(batch, queue, item->entry);
	if (ret)
		return ret;
	item->queue = queue;
	item->concerned = 1;
	return 0;
}

static int stage_rule_locked(struct xs_batch *batch, struct xs_process *process,
			     const struct kfd_xsched_entry *entry)
{
	struct xs_rule *rule = xs_process_need_rule_locked(process, batch->client);
	int ret;

	if (!rule)
		return -ENOMEM;
	if (list_empty(&process->in_batch)) {
		list_add_tail(&process->in_batch, &batch->processes);
		process->staged = rule;
		process->batch_status = 0;
	}
	ret = ask(&process->asked, &rule->next, entry);
	if (!ret)
		stage_terms(&rule->next, entry);
	return ret;
}

/* Stage an entry on a process for each of its queues it can mean. */
static int stage_queues_of_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_queue *queue;
	bool any = false;
	int ret;

	list_for_each_entry(queue, &item->process->queues, in_process) {
		if (queue->applied == XS_APPLIED_GONE)
			continue;
		any = true;
		if (item->entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		    !xs_queue_can_prioritise(queue))
			continue;
		ret = stage_queue_locked(batch, queue, item->entry);
		if (ret == -EALREADY)
			continue;
		if (ret)
			return ret;
		item->concerned++;
	}
	if (item->entry->op == KFD_XSCHED_OP_SET_PRIORITY && any && !item->concerned)
		return -EOPNOTSUPP;
	return 0;
}

/* What the client has on a process or any of its queues, taken together. */
static struct xs_terms terms_on_process_locked(struct xs_process *process,
					       struct xs_client *client)
{
	const struct xs_rule *rule = xs_process_rule_locked(process, client);
	const struct xs_claim *claim;
	struct xs_queue *queue;
	struct xs_terms terms;

	xs_terms_init(&terms);
	if (rule)
		terms = rule->now;
	list_for_each_entry(queue, &process->queues, in_process) {
		claim = xs_queue_claim_locked(queue, client);
		if (!claim)
			continue;
		terms.held |= claim->now.held;
		terms.priority = max(terms.priority, claim->now.priority);
	}
	return terms;
}

static int stage_process_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_process *process = xs_process_find_locked(item->entry->id);
	struct xs_terms mine;
	int ret;

	if (IS_ERR(process))
		return PTR_ERR(process);
	mine = terms_on_process_locked(process, batch->client);
	if (!permitted_locked(process, item->entry, &mine))
		return -EPERM;
	item->process = process;
	ret = stage_rule_locked(batch, process, item->entry);
	if (ret)
		return ret;
	ret = stage_queues_of_locked(batch, item);
	if (ret)
		return ret;
	if (item->entry->op == KFD_XSCHED_OP_RESUME && !mine.held)
		return -EALREADY;
	return 0;
}

int xs_item_stage_locked(struct xs_batch *batch, struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	return item->entry->target == KFD_XSCHED_TARGET_QUEUE ?
		stage_queue_item_locked(batch, item) :
		stage_process_item_locked(batch, item);
}

void xs_batch_commit_locked(struct xs_batch *batch)
{
	struct xs_process *process;
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &batch->queues, in_batch) {
		const int status = queue->node->result.status;

		if (status && !queue->process->batch_status)
			queue->process->batch_status = status;
		if (!status && queue->applied != XS_APPLIED_GONE)
			queue->staged->now = queue->staged->next;
	}
	/* A rule is half of an entry: it follows only if the queues all did. */
	list_for_each_entry(process, &batch->processes, in_batch) {
		if (!process->batch_status)
			process->staged->now = process->staged->next;
	}
}

void xs_batch_unstage_locked(struct xs_batch *batch)
{
	struct xs_process *process, *next_process;
	struct xs_queue *queue, *next_queue;
	struct xs_node *node, *next_node;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(queue, next_queue, &batch->queues, in_batch) {
		queue->staged->next = queue->staged->now;
		queue->staged = NULL;
		queue->asked = 0;
		list_del_init(&queue->in_batch);
		xs_queue_clear_pending_locked(queue);
	}
	list_for_each_entry_safe(process, next_process, &batch->processes, in_batch) {
		process->staged->next = process->staged->now;
		process->staged = NULL;
		process->asked = 0;
		list_del_init(&process->in_batch);
		xs_process_sync_rules_locked(process);
	}
	list_for_each_entry_safe(node, next_node, &batch->nodes, in_batch) {
		node->grace_us = XS_GRACE_UNSET;
		node->result = (struct kfd_xsched_node_result){};
		list_del_init(&node->in_batch);
	}
	batch->node_count = 0;
}
