// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that change together: on their way to the nodes, and what becomes of them.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "core.h"
#include "model/account.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/tenant.h"
#include "switch/switch.h"
#include "trace.h"

/* How many requests are made at first, and how often twice as many: up to XS_STEPS. */
#define XS_REFILL	8U
#define XS_REFILLS	13U

static int batch_make_parts(struct xs_batch *batch, u32 count)
{
	struct xs_part *part;

	batch->lacks_part = false;
	while (count--) {
		part = kmalloc(sizeof(*part), batch->gfp);
		if (!part)
			return -ENOMEM;
		list_add(&part->in_batch, &batch->spare);
	}
	return 0;
}

struct xs_batch *xs_batch_new(struct xs_holder *holder, gfp_t gfp)
{
	struct xs_batch *batch = kzalloc(sizeof(*batch), gfp);

	if (!batch)
		return NULL;
	batch->holder = xs_holder_get(holder);
	batch->payer = xs_account_payer(holder->account);
	batch->ns = task_active_pid_ns(current);
	batch->start_ns = ktime_get_ns();
	INIT_LIST_HEAD(&batch->parts);
	INIT_LIST_HEAD(&batch->requests);
	INIT_LIST_HEAD(&batch->idle);
	init_completion(&batch->done);
	batch->steps_left = holder->steps;
	xs_supply_init(&batch->supply, 0);
	INIT_LIST_HEAD(&batch->spare);
	batch->gfp = gfp;
	/* It is likely to concern as many nodes as the last one; if not, more are made later. */
	batch_make_parts(batch, max(READ_ONCE(holder->parts), 1U));
	if (list_empty(&batch->spare)) {
		xs_batch_free(batch);
		return NULL;
	}
	return batch;
}

/* It is kept to spare. */
static void batch_put_part(struct xs_part *part)
{
	struct xs_batch *batch = part->batch;

	list_move(&part->in_batch, &batch->spare);
	batch->part_count--;
	xs_node_put(part->node);
}

void xs_batch_free(struct xs_batch *batch)
{
	struct xs_part *part, *next;

	if (!batch)
		return;
	list_for_each_entry_safe(part, next, &batch->parts, in_batch)
		batch_put_part(part);
	list_for_each_entry_safe(part, next, &batch->spare, in_batch)
		kfree(part);
	xs_supply_free(&batch->supply);
	xs_holder_put(batch->holder);
	kfree(batch);
}

static struct xs_part *batch_spare_part(struct xs_batch *batch)
{
	struct xs_part *part = list_first_entry_or_null(&batch->spare, struct xs_part, in_batch);

	if (part)
		list_del(&part->in_batch);
	else if (batch->supply.gfp)
		part = kmalloc(sizeof(*part), batch->supply.gfp);
	batch->lacks_part |= !part;
	return part;
}

bool xs_batch_is_short(const struct xs_batch *batch)
{
	return batch->lacks_part || batch->supply.is_short;
}

int xs_batch_refill(struct xs_batch *batch)
{
	const u32 count = XS_REFILL << min(batch->refills++, XS_REFILLS);
	int ret = batch->lacks_part ? batch_make_parts(batch, xs_node_count()) : 0;

	lockdep_assert_not_held(&xs_lock);

	if (!ret && batch->supply.is_short)
		ret = xs_supply_fill(&batch->supply, count);
	return ret;
}

/* ---- taking -------------------------------------------------------------- */

static void batch_part_work(struct kthread_work *work);
static bool batch_part_done_locked(struct xs_part *part);

static struct xs_part *batch_new_part_locked(struct xs_batch *batch, struct xs_node *node)
{
	struct xs_part *part = batch_spare_part(batch);

	lockdep_assert_held(&xs_lock);

	if (!part)
		return NULL;
	*part = (struct xs_part){
		.done = batch_part_done_locked,
		.batch = batch,
		.node = xs_node_get(node),
		.number = min(batch->part_count, 63U),
		.grace_us = XS_GRACE_UNSET,
		.result.gpu_id = node->desc.gpu_id,
	};
	kthread_init_work(&part->work, batch_part_work);
	INIT_LIST_HEAD(&part->requests);
	list_add_tail(&part->in_batch, &batch->parts);
	batch->part_count++;
	return part;
}

/* The part for a node; a spare one if there is none. NULL: there is none left, either. */
static struct xs_part *batch_part_locked(struct xs_batch *batch, struct xs_node *node)
{
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(part, &batch->parts, in_batch) {
		if (part->node == node)
			return part;
	}
	return batch_new_part_locked(batch, node);
}

bool xs_batch_meets_locked(const struct xs_batch *batch, const struct xs_request *request)
{
	lockdep_assert_held(&xs_lock);

	if (!xs_request_busy(request, batch))
		return false;
	request->batch->in_way = true;
	return true;
}

int xs_batch_take_locked(struct xs_batch *batch, struct xs_request *request)
{
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	if (xs_batch_meets_locked(batch, request))
		return -EAGAIN;
	if (request->batch)
		return 0;
	if (!request->pdd) {
		xs_request_take_locked(request, batch, NULL, &batch->requests);
		return 0;
	}
	part = batch_part_locked(batch, request->pdd->node);
	if (!part)
		return -ENOMEM;
	xs_request_take_locked(request, batch, part, &part->requests);
	return 0;
}

/* ---- ends ---------------------------------------------------------------- */

static void batch_trace_queue(const struct xs_request *request, const struct xs_queue *queue)
{
	const struct xs_terms *now = &request->now, *next = &request->next;

	if (next->held && !now->held)
		trace_hold(request->holder, queue);
	else if (now->held && !next->held)
		trace_release(request->holder, queue);
	if (next->priority != now->priority || next->prio_class != now->prio_class)
		trace_set_priority(request->holder, queue, next);
}

static void batch_trace_locked(const struct xs_request *request)
{
	struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	if (!trace_hold_enabled() && !trace_release_enabled() && !trace_set_priority_enabled())
		return;
	while ((queue = xs_request_next_queue_locked(request, queue)))
		batch_trace_queue(request, queue);
}

/* One on queues. @now: CLOCK_MONOTONIC. @idle: see xs_request_end_locked() */
static void batch_end_request_locked(struct xs_request *request, bool success, u64 now,
				     struct list_head *idle)
{
	lockdep_assert_held(&xs_lock);

	if (success && request->next.held && !request->now.held)
		request->next.held_ns = now;
	if (success)
		batch_trace_locked(request);
	xs_request_end_locked(request, success, idle);
}

/* What a queue was born with is kept if its process has it, else mended. */
static void batch_end_born_locked(struct xs_request *on_process, bool success)
{
	struct xs_request *request, *next;
	LIST_HEAD(idle);

	lockdep_assert_held(&xs_lock);

	if (list_empty(&on_process->born))
		return;
	list_for_each_entry_safe(request, next, &on_process->born, in_batch) {
		batch_end_request_locked(request, success, ktime_get_ns(), &idle);
		if (!success)
			xs_transact_kick_locked(request->pdd->node);
	}
	xs_request_drop_idle_locked(&idle);
}

/* It is half of an entry: it follows only if the queues all did. */
static void batch_end_process_locked(struct xs_request *request, bool success)
{
	lockdep_assert_held(&xs_lock);

	success &= !request->status;
	batch_end_born_locked(request, success);
	if (request->move == (success ? XS_MOVE_LEAVE : XS_MOVE_JOIN)) {
		list_del_init(&request->in_tenant);
		request->tenant = NULL;
	}
	request->move = XS_MOVE_NONE;
	xs_request_end_locked(request, success, &request->batch->idle);
	/* The driver knew of what succeeds before the queues were switched. */
	if (!success)
		xs_process_sync_locked(request->process);
}

static void batch_end_tenant_locked(struct xs_request *request, bool success)
{
	struct xs_tenant *tenant = request->tenant;

	lockdep_assert_held(&xs_lock);

	success &= !request->status;
	xs_request_end_locked(request, success, &request->batch->idle);
	if (tenant->ends && success)
		xs_tenant_free_locked(tenant);
	else
		tenant->ends = false;
}

/* Those on processes and tenants. A tenant that ends has no member then. */
static void batch_end_requests_locked(struct xs_batch *batch, bool success)
{
	struct xs_request *request, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(request, next, &batch->requests, in_batch) {
		if (request->on == XS_ON_PROCESS)
			batch_end_process_locked(request, success);
	}
	list_for_each_entry_safe(request, next, &batch->requests, in_batch)
		batch_end_tenant_locked(request, success);
}

static void batch_put_items_locked(struct xs_batch *batch)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < batch->item_count; i++) {
		struct xs_item *item = &batch->items[i];

		if (item->process)
			xs_process_put_locked(item->process);
		item->process = NULL;
	}
}

/* The part will not run. */
static void batch_drop_part_locked(struct xs_part *part)
{
	struct xs_request *request, *next;
	LIST_HEAD(idle);

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(request, next, &part->requests, in_batch)
		xs_request_end_locked(request, false, &idle);
	xs_request_drop_idle_locked(&idle);
	if (part->toll == XS_TOLL_PAID)
		xs_rates_give_back(&part->node->rates, part->batch->payer, part->toll_ns);
	batch_put_part(part);
}

void xs_batch_abort_locked(struct xs_batch *batch)
{
	struct xs_part *part, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(part, next, &batch->parts, in_batch)
		batch_drop_part_locked(part);
	batch_end_requests_locked(batch, false);
	xs_request_drop_idle_locked(&batch->idle);
	batch_put_items_locked(batch);
	/* Only for who met it: two that a third one keeps waiting would wake each other. */
	if (batch->in_way)
		xs_holder_settled_locked(batch->holder);
	batch->in_way = false;
}

/* What its entries asked for was not there: RESUME of what is not held. */
static void batch_drop_idle_parts_locked(struct xs_batch *batch)
{
	struct xs_part *part, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(part, next, &batch->parts, in_batch) {
		if (!part->concerned)
			batch_drop_part_locked(part);
	}
}

/*
 * The part's node failed: so did the requests on the processes it concerned, and on
 * their tenants. Queues that came meanwhile may have been born as if it had not.
 */
static void batch_fail_request_locked(const struct xs_request *request, int status)
{
	struct xs_request *on_process, *on_tenant;

	lockdep_assert_held(&xs_lock);

	on_process = xs_request_find(&request->pdd->process->requests, request->holder);
	if (!on_process || on_process->batch != request->batch)
		return;
	on_process->status = on_process->status ?: status;
	if (!on_process->tenant)
		return;
	on_tenant = &on_process->tenant->request;
	if (on_tenant->batch == request->batch)
		on_tenant->status = on_tenant->status ?: status;
}

/* The same of queues that came to the node meanwhile. */
static void batch_fail_born_locked(const struct xs_part *part)
{
	const struct xs_request *on_process, *born;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(on_process, &part->batch->requests, in_batch) {
		list_for_each_entry(born, &on_process->born, in_batch) {
			if (born->pdd->node == part->node)
				batch_fail_request_locked(born, part->result.status);
		}
	}
}

u32 xs_batch_flips(const struct xs_batch *batch)
{
	const struct xs_part *part;
	u32 flips = 0;

	list_for_each_entry(part, &batch->parts, in_batch)
		flips += part->result.flips;
	return flips;
}

static const struct xs_part *batch_failed_among(const struct xs_batch *batch, u64 numbers)
{
	const struct xs_part *part;

	list_for_each_entry(part, &batch->parts, in_batch) {
		if (part->result.status && numbers & BIT_ULL(part->number))
			return part;
	}
	return NULL;
}

const struct xs_part *xs_batch_failed(const struct xs_batch *batch)
{
	return batch_failed_among(batch, U64_MAX);
}

const struct xs_part *xs_batch_failed_of(const struct xs_batch *batch,
					 const struct xs_item *item)
{
	return batch_failed_among(batch, item->parts);
}

/* All parts are done: the other requests follow, and the outcome is known. */
static void batch_end_locked(struct xs_batch *batch)
{
	lockdep_assert_held(&xs_lock);

	batch_end_requests_locked(batch, true);
	batch->holder->batches--;
	xs_news->batch_over(batch);
	batch_put_items_locked(batch);
	xs_holder_settled_locked(batch->holder);
}

/*
 * Whether what it is on will not run again: then it is not in force. But a queue may come where all
 * others are lost: what holds it no more must be.
 */
static bool batch_is_in_vain(const struct xs_request *request)
{
	if (request->queue)
		return request->queue->applied == XS_APPLIED_GONE;
	return !request->pdd->live && request->next.held;
}

static bool batch_part_done_locked(struct xs_part *part)
{
	struct xs_batch *batch = part->batch;
	const int status = part->result.status;
	const u64 now = ktime_get_ns();
	struct xs_request *request, *next;

	lockdep_assert_held(&xs_lock);

	if (status)
		batch_fail_born_locked(part);
	list_for_each_entry_safe(request, next, &part->requests, in_batch) {
		const bool in_vain = batch_is_in_vain(request);

		if (status)
			batch_fail_request_locked(request, status);
		batch_end_request_locked(request, !status && !in_vain, now, &batch->idle);
	}
	part->result.total_ns = ktime_get_ns() - batch->start_ns;
	if (--batch->unfinished) {
		xs_holder_settled_locked(batch->holder);
		return false;
	}
	batch_end_locked(batch);
	return true;
}

/* ---- on its way ---------------------------------------------------------- */

/* The batch is over. Others want xs_lock, too. */
static void batch_drop_idle(struct xs_batch *batch)
{
	bool more = !list_empty_careful(&batch->idle);

	while (more) {
		scoped_guard(rt_mutex, &xs_lock)
			more = xs_request_drop_some_locked(&batch->idle, XS_SLICE);
	}
}

static void batch_part_work(struct kthread_work *work)
{
	struct xs_part *part = container_of(work, struct xs_part, work);
	struct xs_batch *batch = part->batch;

	if (!xs_transact_part(part))
		return;
	if (!batch->async) {
		complete(&batch->done);
		return;
	}
	batch_drop_idle(batch);
	xs_batch_free(batch);
}

static struct xs_part *batch_last_part(struct xs_batch *batch)
{
	return list_last_entry(&batch->parts, struct xs_part, in_batch);
}

/* Whether a hold or an override ends with the part, so that its node is preempted. */
static bool batch_gives_back_locked(const struct xs_part *part)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(request, &part->requests, in_batch) {
		if (xs_terms_gives_back(&request->now, &request->next))
			return true;
	}
	return false;
}

/*
 * What only gives back is never refused, but it counts: what one call took on many queues
 * could be given back one by one.
 */
static void batch_charge_locked(const struct xs_batch *batch)
{
	const struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(part, &batch->parts, in_batch) {
		if (part->toll == XS_TOLL_NONE && batch_gives_back_locked(part))
			xs_rates_charge(&part->node->rates, batch->payer, ktime_get_ns());
	}
}

/*
 * A queue that came as the batch was staged may be the first of its process on that node: this
 * has a part then, or the call would be over before the queue is switched.
 */
static int batch_cover_born_locked(struct xs_batch *batch)
{
	const struct xs_request *on_process, *born;
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(on_process, &batch->requests, in_batch) {
		list_for_each_entry(born, &on_process->born, in_batch) {
			part = batch_part_locked(batch, born->pdd->node);
			if (!part)
				return -ENOMEM;
			part->concerned = true;
		}
	}
	return 0;
}

void xs_batch_start_locked(struct xs_batch *batch)
{
	struct xs_request *request;
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	/* Before the queues: what is created meanwhile must not slip through. */
	list_for_each_entry(request, &batch->requests, in_batch) {
		xs_request_start_locked(request);
		if (request->on == XS_ON_PROCESS)
			xs_process_sync_locked(request->process);
	}
	batch_drop_idle_parts_locked(batch);
	list_for_each_entry(part, &batch->parts, in_batch) {
		list_for_each_entry(request, &part->requests, in_batch)
			xs_request_start_locked(request);
	}
	WRITE_ONCE(batch->holder->parts, batch->part_count);
	WRITE_ONCE(batch->holder->used, batch->holder->in_use);
	batch_charge_locked(batch);
	batch->holder->batches++;
	batch->unfinished = batch->part_count;
	if (!batch->unfinished) {
		batch_end_locked(batch);
		if (batch->async) {
			xs_request_drop_idle_locked(&batch->idle);
			xs_batch_free(batch);
		}
		return;
	}
	/* A node that is not gone has a worker: it is stopped after that, without the lock. */
	list_for_each_entry(part, &batch->parts, in_batch) {
		if (batch->async || part != batch_last_part(batch))
			kthread_queue_work(part->node->worker, &part->work);
	}
}

/* It is likely to need as many requests as the last one; if not, more are made later. */
static void batch_foresee(struct xs_batch *batch)
{
	const struct xs_holder *holder = batch->holder;
	const u32 there = READ_ONCE(holder->in_use) + READ_ONCE(holder->spare.count);
	const u32 used = READ_ONCE(holder->used);

	if (used > there)
		xs_supply_fill(&batch->supply, used - there);
}

int xs_batch_stage_and_start(struct xs_batch *batch,
			     int (*stage)(struct xs_batch *batch, void *arg), void *arg)
{
	u32 settled;
	int ret;

	batch_foresee(batch);
	for (;;) {
		scoped_guard(rt_mutex, &xs_lock) {
			ret = stage(batch, arg) ?: batch_cover_born_locked(batch);
			if (!ret)
				xs_batch_start_locked(batch);
			else if (ret != -EINPROGRESS)
				xs_batch_abort_locked(batch);
			settled = ret ? batch->holder->settled : 0;
		}
		/* An async batch that was started may be gone. */
		switch (ret) {
		case -EINPROGRESS:
			continue;
		case -ENOMEM:
			ret = xs_batch_refill(batch);
			break;
		case -EAGAIN:
			if (batch->async)
				return ret;
			ret = xs_holder_wait_settled(batch->holder, settled);
			break;
		default:
			return ret;
		}
		if (ret)
			return ret;
	}
}

int xs_batch_finish(struct xs_batch *batch)
{
	const struct xs_part *failed;

	if (batch->part_count && !xs_transact_part(batch_last_part(batch)))
		wait_for_completion(&batch->done);
	batch_drop_idle(batch);
	failed = xs_batch_failed(batch);
	return failed ? failed->result.status : 0;
}
