// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an entry asks for: find what it names, check it against the caller, the node
 * and the other entries, and make it the next terms of requests (xs_request.next),
 * without any effect yet.
 *
 * An entry on a process is one on its queues, node by node, and on the process, for queues
 * to come. An entry on a tenant is one on each of its processes, and on the tenant.
 */
#include <linux/err.h>
#include <linux/ktime.h>

#include "core.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/tenant.h"
#include "switch/switch.h"

/* Orders overrides: the latest wins. Under xs_lock. */
static u64 stage_last_seq;

/* ---- entries ------------------------------------------------------------- */

static bool stage_sets_priority(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->value != KFD_XSCHED_PRIORITY_KEEP;
}

static bool stage_sets_class(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SET_PRIORITY &&
		entry->prio_class != KFD_XSCHED_CLASS_KEEP;
}

static bool stage_holds(const struct kfd_xsched_entry *entry)
{
	return entry->op == KFD_XSCHED_OP_SUSPEND || entry->op == KFD_XSCHED_OP_UNMAP;
}

/* XS_ASKED_* */
static u32 stage_asks(const struct kfd_xsched_entry *entry)
{
	if (entry->op == KFD_XSCHED_OP_RESUME)
		return XS_ASKED_RELEASE;
	if (stage_holds(entry))
		return XS_ASKED_HOLD;
	return (stage_sets_priority(entry) ? XS_ASKED_PRIORITY : 0) |
		(stage_sets_class(entry) ? XS_ASKED_CLASS : 0);
}

bool xs_stage_takes(const struct kfd_xsched_entry *entry)
{
	return stage_holds(entry) ||
		(stage_sets_priority(entry) && entry->value != KFD_XSCHED_PRIORITY_APP) ||
		(stage_sets_class(entry) && entry->prio_class != KFD_XSCHED_CLASS_APP);
}

bool xs_stage_suits(const struct xs_queue *queue, const struct kfd_xsched_entry *entry)
{
	return (!stage_sets_priority(entry) || xs_queue_can_prioritise(queue)) &&
		(!stage_sets_class(entry) || xs_queue_can_classify(queue));
}

/* Whether a queue can have any of what is set: an entry on several gives each what it can have. */
static bool stage_suits_partly(const struct xs_queue *queue, const struct kfd_xsched_entry *entry)
{
	return entry->op != KFD_XSCHED_OP_SET_PRIORITY ||
		(stage_sets_priority(entry) && xs_queue_can_prioritise(queue)) ||
		(stage_sets_class(entry) && xs_queue_can_classify(queue));
}

/* The same of a node: whether any queue there may. */
static bool stage_suits_node(const struct xs_node *node, const struct kfd_xsched_entry *entry)
{
	const u32 caps = node->desc.caps;

	return entry->op != KFD_XSCHED_OP_SET_PRIORITY ||
		(stage_sets_priority(entry) && caps & KFD_XSCHED_CAP_PRIORITY) ||
		(stage_sets_class(entry) && caps & KFD_XSCHED_CAP_CLASS);
}

/* What SET_PRIORITY needs is asked of each queue: xs_stage_suits(). */
static int stage_check_node(const struct xs_node *node, const struct kfd_xsched_entry *entry)
{
	const struct xs_hw_node_desc *desc = &node->desc;

	if (xs_stage_takes(entry) && xs_node_is_shut(node))
		return -ESHUTDOWN;
	switch (entry->op) {
	case KFD_XSCHED_OP_SUSPEND:
		return desc->caps & KFD_XSCHED_CAP_SUSPEND ? 0 : -EOPNOTSUPP;
	case KFD_XSCHED_OP_UNMAP:
		if (!(desc->caps & KFD_XSCHED_CAP_UNMAP))
			return -EOPNOTSUPP;
		if (entry->value > 0 && !(desc->caps & KFD_XSCHED_CAP_GRACE))
			return -EOPNOTSUPP;
		return entry->value > (s64)desc->max_grace_us ? -EINVAL : 0;
	default:
		return 0;
	}
}

/* ---- permissions --------------------------------------------------------- */

/* What a holder has taken it may give back, whatever it may do by now. */
static bool stage_gives_back(const struct kfd_xsched_entry *entry,
			     const struct xs_terms *mine)
{
	if (entry->op == KFD_XSCHED_OP_RESUME)
		return mine->held;
	if (entry->op != KFD_XSCHED_OP_SET_PRIORITY)
		return false;
	if (stage_sets_priority(entry) &&
	    (entry->value != KFD_XSCHED_PRIORITY_APP ||
	     mine->priority == KFD_XSCHED_PRIORITY_APP))
		return false;
	return !stage_sets_class(entry) ||
		(entry->prio_class == KFD_XSCHED_CLASS_APP &&
		 mine->prio_class != KFD_XSCHED_CLASS_APP);
}

/* Add what the holder has on queues of the pdd. */
static void stage_add_terms_on_pdd_locked(const struct xs_pdd *pdd,
					  const struct xs_holder *holder, struct xs_terms *terms)
{
	const struct xs_request *request = xs_request_find(&pdd->requests, holder);
	const struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	if (!request)
		return;
	xs_terms_add(terms, &request->now);
	if (!request->children)
		return;
	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		request = xs_request_find(&queue->requests, holder);
		if (request)
			xs_terms_add(terms, &request->now);
	}
}

/* What the holder has on a process or any of its queues, taken together. */
static struct xs_terms stage_terms_on_process_locked(const struct xs_process *process,
						     const struct xs_holder *holder)
{
	const struct xs_request *request = xs_request_find(&process->requests, holder);
	const struct xs_pdd *pdd;
	struct xs_terms terms;

	lockdep_assert_held(&xs_lock);

	xs_terms_init(&terms);
	if (request)
		xs_terms_add(&terms, &request->now);
	list_for_each_entry(pdd, &process->pdds, in_process)
		stage_add_terms_on_pdd_locked(pdd, holder, &terms);
	return terms;
}

/* To stage it again is not to ask again. */
bool xs_stage_permits_locked(const struct xs_batch *batch, const struct xs_process *process,
			     s32 priority, u32 prio_class)
{
	const enum xs_permit what = xs_terms_raise(priority, prio_class) ?
		XS_PERMIT_RAISE : XS_PERMIT_USE;
	const bool permitted = xs_process_permits_locked(process, what);

	lockdep_assert_held(&xs_lock);

	if (!batch->refills)
		xs_process_trace_change(process, what, permitted);
	return permitted;
}

static bool stage_permits_entry_locked(const struct xs_batch *batch,
				       const struct xs_process *process,
				       const struct kfd_xsched_entry *entry)
{
	lockdep_assert_held(&xs_lock);

	return xs_stage_permits_locked(batch, process,
				       stage_sets_priority(entry) ? entry->value : 0,
				       entry->prio_class);
}

/* It would wait for itself. */
static bool stage_is_own_trigger_locked(const struct xs_batch *batch,
					const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	return batch->trigger && xs_trigger_is_locked(batch->trigger, process);
}

/* ---- one request --------------------------------------------------------- */

/* Whether an entry of the batch has asked for the opposite. @asks: stage_asks(entry) */
static bool stage_is_contrary(const struct xs_request *request,
			      const struct kfd_xsched_entry *entry, u32 asks)
{
	const u32 asked = request->asked, again = asks & asked;

	if ((asks & XS_ASKED_HOLD && asked & XS_ASKED_RELEASE) ||
	    (asks & XS_ASKED_RELEASE && asked & XS_ASKED_HOLD))
		return true;
	return (again & XS_ASKED_PRIORITY && request->next.priority != entry->value) ||
		(again & XS_ASKED_CLASS && request->next.prio_class != entry->prio_class);
}

/* Have it ask for what the entry does: 0, or -EBUSY. */
static int stage_ask(struct xs_request *request, const struct kfd_xsched_entry *entry)
{
	struct xs_terms *next = &request->next;
	const u32 asks = stage_asks(entry);

	if (request->asked && stage_is_contrary(request, entry, asks))
		return -EBUSY;
	request->asked |= asks;
	if (asks & (XS_ASKED_HOLD | XS_ASKED_RELEASE))
		next->held = asks & XS_ASKED_HOLD;
	if (asks & XS_ASKED_PRIORITY) {
		next->priority = entry->value;
		next->priority_seq = ++stage_last_seq;
	}
	if (asks & XS_ASKED_CLASS) {
		next->prio_class = entry->prio_class;
		next->class_seq = ++stage_last_seq;
	}
	return 0;
}

/* The default is compatible with any other grace: an entry that asks for it has no wish. */
static int stage_grace(struct xs_part *part, s32 grace_us)
{
	if (grace_us == KFD_XSCHED_GRACE_DEFAULT) {
		part->default_grace = true;
		return 0;
	}
	if (part->grace_us == XS_GRACE_UNSET)
		part->grace_us = grace_us;
	return part->grace_us == grace_us ? 0 : -EINVAL;
}

/*
 * Whether it is to take what it has not: a hold; an override; or the same override anew,
 * so that it is the latest. For that, its node is preempted.
 */
static bool stage_preempts_locked(const struct xs_request *request)
{
	const struct xs_terms *now = &request->now, *next = &request->next;

	lockdep_assert_held(&xs_lock);

	return (next->held && !now->held) || xs_terms_sets_another(now, next) ||
		(xs_terms_sets(now, next) && xs_request_is_overruled_locked(request));
}

/* The part of the request is paid for once, whatever else it takes: 0, or -EBUSY. */
static int stage_pay_locked(const struct xs_request *request)
{
	struct xs_part *part = request->part;

	lockdep_assert_held(&xs_lock);

	if (part->toll == XS_TOLL_PAID || !stage_preempts_locked(request))
		return 0;
	if (part->toll == XS_TOLL_NONE)
		part->toll = xs_rates_take(&part->node->rates, part->batch->payer,
					   ktime_get_ns(), &part->toll_ns) ?
			XS_TOLL_PAID : XS_TOLL_REFUSED;
	return part->toll == XS_TOLL_PAID ? 0 : -EBUSY;
}

/* One on a queue or a pdd. 0, or -EALREADY: there is nothing to be released. */
static int stage_request_locked(struct xs_batch *batch, struct xs_item *item,
				struct xs_request *request)
{
	const struct kfd_xsched_entry *entry = item->entry;
	int ret;

	lockdep_assert_held(&xs_lock);

	ret = xs_batch_take_locked(batch, request) ?: stage_ask(request, entry);
	if (ret)
		return ret;
	item->parts |= BIT_ULL(request->part->number);
	item->held |= request->now.held;
	if (entry->op == KFD_XSCHED_OP_RESUME && !request->now.held)
		return -EALREADY;
	request->part->concerned = true;
	ret = stage_pay_locked(request);
	return ret || !stage_holds(entry) ? ret : stage_grace(request->part, entry->value);
}

/* ---- an entry on a queue ------------------------------------------------- */

/* The same. */
static int stage_queue_locked(struct xs_batch *batch, struct xs_item *item,
			      struct xs_queue *queue)
{
	struct xs_request *request = xs_request_find(&queue->pdd->requests, batch->holder);

	lockdep_assert_held(&xs_lock);

	if (request && xs_batch_meets_locked(batch, request))
		return -EAGAIN;
	request = xs_request_on_queue_locked(queue, batch->holder, &batch->supply,
					     !xs_stage_takes(item->entry));
	return IS_ERR(request) ? PTR_ERR(request) : stage_request_locked(batch, item, request);
}

static int stage_queue_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_queue *queue = xs_queue_find_locked(item->entry->id);
	const struct xs_request *mine;
	struct xs_process *process;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(queue))
		return PTR_ERR(queue);
	process = queue->pdd->process;
	if (stage_is_own_trigger_locked(batch, process))
		return -EINVAL;
	mine = xs_request_of_queue_locked(queue, batch->holder);
	if (!stage_permits_entry_locked(batch, process, item->entry) &&
	    !(mine && stage_gives_back(item->entry, &mine->now)))
		return -EPERM;
	if (process->exited || queue->applied == XS_APPLIED_GONE || xs_pdd_is_gone(queue->pdd))
		return -ESRCH;
	item->concerned = 1;
	ret = stage_check_node(queue->pdd->node, item->entry);
	if (ret)
		return ret;
	return xs_stage_suits(queue, item->entry) ? stage_queue_locked(batch, item, queue) :
		-EOPNOTSUPP;
}

/* ---- an entry on a process ----------------------------------------------- */

/* 0, or -E2BIG: all entries together ask for too much. */
static int stage_steps(struct xs_batch *batch, u32 steps)
{
	if (batch->steps_left < steps)
		return -E2BIG;
	batch->steps_left -= steps;
	return 0;
}

static bool stage_concerns_locked(const struct xs_queue *queue,
				  const struct kfd_xsched_entry *entry)
{
	lockdep_assert_held(&xs_lock);

	return queue->applied != XS_APPLIED_GONE && stage_suits_partly(queue, entry);
}

/* Where the holder has named queues by themselves. */
static int stage_each_queue_locked(struct xs_batch *batch, struct xs_item *item,
				   struct xs_pdd *pdd)
{
	struct xs_queue *queue;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		if (!stage_concerns_locked(queue, item->entry))
			continue;
		ret = stage_queue_locked(batch, item, queue);
		if (ret && ret != -EALREADY)
			return ret;
		item->concerned += !ret;
	}
	return 0;
}

/* How many queues the entry concerns; at least whether there is one. */
static u32 stage_count_locked(const struct xs_pdd *pdd, const struct kfd_xsched_entry *entry)
{
	const struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	if (!stage_sets_priority(entry))
		return pdd->live;
	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		if (stage_concerns_locked(queue, entry))
			return 1;
	}
	return 0;
}

static int stage_all_queues_locked(struct xs_batch *batch, struct xs_item *item,
				   struct xs_pdd *pdd)
{
	struct xs_request *request = xs_request_find(&pdd->requests, batch->holder);
	const u32 concerned = stage_count_locked(pdd, item->entry);
	int ret;

	lockdep_assert_held(&xs_lock);

	/* One that is there is for queues to come, too. */
	if (!request && !concerned)
		return 0;
	request = xs_request_on_pdd_locked(pdd, batch->holder, &batch->supply,
					   !xs_stage_takes(item->entry));
	if (IS_ERR(request))
		return PTR_ERR(request);
	if (request->children)
		return stage_each_queue_locked(batch, item, pdd);
	ret = stage_request_locked(batch, item, request);
	if (!ret)
		item->concerned += concerned;
	return ret == -EALREADY ? 0 : ret;
}

/* Where nothing will run again, one can give back: else a queue that comes there would be held. */
static bool stage_passes_over_locked(const struct xs_item *item, const struct xs_pdd *pdd)
{
	lockdep_assert_held(&xs_lock);

	return xs_pdd_is_gone(pdd) || (!pdd->live && xs_stage_takes(item->entry));
}

/* For one of its nodes. */
static int stage_pdd_locked(struct xs_batch *batch, struct xs_item *item, struct xs_pdd *pdd)
{
	int ret;

	lockdep_assert_held(&xs_lock);

	if (stage_passes_over_locked(item, pdd))
		return 0;
	item->any |= !!pdd->live;
	if (!stage_suits_node(pdd->node, item->entry))
		return 0;
	ret = stage_check_node(pdd->node, item->entry);
	if (ret == -ESHUTDOWN) {
		item->shut = true;
		return 0;
	}
	return ret ?: stage_steps(batch, pdd->live) ?: stage_all_queues_locked(batch, item, pdd);
}

static bool stage_may_give_back_locked(const struct xs_batch *batch,
				       const struct kfd_xsched_entry *entry,
				       const struct xs_process *process)
{
	const struct xs_terms mine = stage_terms_on_process_locked(process, batch->holder);

	lockdep_assert_held(&xs_lock);

	return stage_gives_back(entry, &mine);
}

static int stage_process_locked(struct xs_batch *batch, struct xs_item *item,
				struct xs_process *process)
{
	struct xs_request *request;
	struct xs_pdd *pdd;
	int ret;

	lockdep_assert_held(&xs_lock);

	ret = stage_steps(batch, 1);
	if (ret)
		return ret;
	if (stage_is_own_trigger_locked(batch, process))
		return -EINVAL;
	if (!stage_permits_entry_locked(batch, process, item->entry) &&
	    !stage_may_give_back_locked(batch, item->entry, process))
		return -EPERM;
	request = xs_request_on_process_locked(process, batch->holder, &batch->supply,
					       !xs_stage_takes(item->entry));
	if (IS_ERR(request))
		return PTR_ERR(request);
	ret = xs_batch_take_locked(batch, request) ?: stage_ask(request, item->entry);
	if (ret)
		return ret;
	item->held |= request->now.held;
	list_for_each_entry(pdd, &process->pdds, in_process) {
		ret = stage_pdd_locked(batch, item, pdd);
		if (ret)
			return ret;
	}
	return 0;
}

/* An entry on several queues: was there anything to be done? */
static int stage_verdict(const struct xs_item *item)
{
	if (item->shut && !item->concerned)
		return -ESHUTDOWN;
	if (item->entry->op == KFD_XSCHED_OP_SET_PRIORITY && item->any && !item->concerned)
		return -EOPNOTSUPP;
	return item->entry->op == KFD_XSCHED_OP_RESUME && !item->held ? -EALREADY : 0;
}

static struct xs_process *stage_find_process_locked(const struct xs_batch *batch,
						    const struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	if (!item->named)
		return xs_process_named_locked(item->entry->target, item->entry->id, batch->ns);
	return item->named->exited ? ERR_PTR(-ESRCH) : item->named;
}

/*
 * Who had the number of the process before, and left others with the address space. Not one
 * that the caller may not name: then it is none of his business.
 */
static int stage_former_locked(struct xs_batch *batch, struct xs_item *item,
			       const struct xs_process *process)
{
	struct xs_process *former = NULL;
	int ret = 0;

	lockdep_assert_held(&xs_lock);

	if (item->entry->target == KFD_XSCHED_TARGET_PROCESS_ID)
		return 0;
	while (!ret && (former = xs_process_also_locked(item->entry->id, batch->ns, process,
							former))) {
		ret = stage_process_locked(batch, item, former);
		if (ret == -EPERM)
			ret = 0;
	}
	return ret;
}

static int stage_process_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_process *process = stage_find_process_locked(batch, item);
	int ret;

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(process))
		return PTR_ERR(process);
	ret = stage_process_locked(batch, item, process) ?:
		stage_former_locked(batch, item, process);
	if (ret)
		return ret;
	if (batch->items)
		item->process = xs_process_get_locked(process);
	return stage_verdict(item);
}

/* ---- an entry on a tenant ------------------------------------------------ */

/* For processes that are yet to join. An armed switch looks for those itself. */
static int stage_tenant_locked(struct xs_batch *batch, struct xs_tenant *tenant,
			       const struct kfd_xsched_entry *entry)
{
	lockdep_assert_held(&xs_lock);

	if (batch->trigger)
		return 0;
	return xs_batch_take_locked(batch, &tenant->request) ?:
		stage_ask(&tenant->request, entry);
}

static int stage_tenant_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	struct xs_tenant *tenant =
		xs_tenant_find_locked(batch->holder->tenants, item->entry->id);
	struct xs_request *member;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(tenant))
		return PTR_ERR(tenant);
	item->held = tenant->request.now.held;
	ret = stage_tenant_locked(batch, tenant, item->entry);
	if (ret)
		return ret;
	list_for_each_entry(member, &tenant->members, in_tenant) {
		if (member->process->exited)
			continue;
		ret = stage_process_locked(batch, item, member->process);
		if (ret)
			return ret;
	}
	item->tenant = tenant;
	return stage_verdict(item);
}

int xs_stage_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	/* It may have been staged before, perhaps as part of another batch. */
	item->parts = 0;
	item->process = NULL;
	item->tenant = NULL;
	item->concerned = 0;
	item->any = false;
	item->held = false;
	item->shut = false;
	switch (item->entry->target) {
	case KFD_XSCHED_TARGET_QUEUE:
		return stage_queue_item_locked(batch, item);
	case KFD_XSCHED_TARGET_PROCESS:
	case KFD_XSCHED_TARGET_PROCESS_ID:
		return stage_process_item_locked(batch, item);
	default:
		return stage_tenant_item_locked(batch, item);
	}
}

/* ---- joining, leaving, giving back --------------------------------------- */

/**
 * struct stage_move - a process that joins, or leaves, what others ask for as one
 * @batch: does it
 * @others: what they ask for
 * @seq: from when on; 0: it leaves
 */
struct stage_move {
	struct xs_batch *batch;
	const struct xs_terms *others;
	u64 seq;
};

static void stage_move_terms(const struct stage_move *move, struct xs_terms *terms)
{
	if (move->seq)
		xs_terms_join(terms, move->others, move->seq);
	else
		xs_terms_leave(terms, move->others);
}

/* A process that joins needs requests, if anything is asked; one that leaves may have some. */
static bool stage_move_needs(const struct stage_move *move)
{
	return move->seq && xs_terms_any(move->others);
}

/* One on a queue or a pdd. */
static int stage_move_request_locked(const struct stage_move *move, struct xs_request *request)
{
	int ret = xs_batch_take_locked(move->batch, request);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	stage_move_terms(move, &request->next);
	if (move->seq)
		xs_request_mask(request, &request->next);
	request->part->concerned |= xs_terms_any(move->others);
	return stage_pay_locked(request);
}

static int stage_move_each_queue_locked(const struct stage_move *move, struct xs_pdd *pdd)
{
	struct xs_batch *batch = move->batch;
	struct xs_request *request;
	struct xs_queue *queue;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		request = stage_move_needs(move) ?
			xs_request_on_queue_locked(queue, batch->holder, &batch->supply, false) :
			xs_request_find(&queue->requests, batch->holder);
		if (!request)
			continue;
		ret = IS_ERR(request) ? PTR_ERR(request) :
			stage_move_request_locked(move, request);
		if (ret)
			return ret;
	}
	return 0;
}

/* A node whose breaker is open is left out: nothing can be taken there. */
static int stage_move_pdd_locked(const struct stage_move *move, struct xs_pdd *pdd)
{
	struct xs_batch *batch = move->batch;
	struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	if (pdd->node->gone || (move->seq && xs_node_is_shut(pdd->node)))
		return 0;
	request = stage_move_needs(move) ?
		xs_request_on_pdd_locked(pdd, batch->holder, &batch->supply, false) :
		xs_request_find(&pdd->requests, batch->holder);
	if (IS_ERR_OR_NULL(request))
		return PTR_ERR(request);
	return request->children ? stage_move_each_queue_locked(move, pdd) :
		stage_move_request_locked(move, request);
}

static int stage_move_process_locked(const struct stage_move *move,
				     struct xs_request *request)
{
	int ret = xs_batch_take_locked(move->batch, request);
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	stage_move_terms(move, &request->next);
	list_for_each_entry(pdd, &request->process->pdds, in_process) {
		ret = stage_move_pdd_locked(move, pdd);
		if (ret)
			return ret;
	}
	return 0;
}

int xs_stage_join_locked(struct xs_batch *batch, struct xs_request *request,
			 const struct xs_terms *others)
{
	const struct stage_move move = {
		.batch = batch,
		.others = others,
		.seq = ++stage_last_seq,
	};

	lockdep_assert_held(&xs_lock);

	return stage_move_process_locked(&move, request);
}

int xs_stage_leave_locked(struct xs_batch *batch, struct xs_request *request,
			  const struct xs_terms *others)
{
	const struct stage_move move = { .batch = batch, .others = others };

	lockdep_assert_held(&xs_lock);

	return stage_move_process_locked(&move, request);
}

int xs_stage_give_back_locked(struct xs_batch *batch)
{
	struct xs_request *request;
	int ret;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(request, &batch->holder->requests, in_holder) {
		if (!xs_terms_any(&request->now))
			continue;
		/* It goes with its queue. */
		if (request->pdd && request->pdd->node->gone)
			continue;
		ret = xs_batch_take_locked(batch, request);
		if (ret)
			return ret;
		xs_terms_init(&request->next);
		if (request->pdd)
			request->part->concerned = true;
	}
	return 0;
}
