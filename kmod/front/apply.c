// SPDX-License-Identifier: GPL-2.0-only
/*
 * APPLY: copy in, check, stage (switch/stage.c), one transaction for each node at the
 * same time (switch/batch.c), copy out.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"

/* The elements of another array as they were first published. */
#define XS_RESULT_MIN_SIZE	offsetofend(struct kfd_xsched_node_result, total_ns)

/* A call that waits, with no more entries, has its memory for sure: to release must not fail. */
#define XS_SURE_ENTRIES		64

/* ---- checks -------------------------------------------------------------- */

static int apply_check_priority(const struct kfd_xsched_entry *entry)
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

static int apply_check_value(const struct kfd_xsched_entry *entry)
{
	if (entry->op == KFD_XSCHED_OP_SET_PRIORITY)
		return apply_check_priority(entry);
	if (entry->prio_class)
		return -EINVAL;
	if (entry->op == KFD_XSCHED_OP_UNMAP)
		return entry->value < KFD_XSCHED_GRACE_DEFAULT ? -EINVAL : 0;
	return entry->value ? -EINVAL : 0;
}

int xs_apply_check(const struct kfd_xsched_entry *entry)
{
	if (!entry->op || entry->op > KFD_XSCHED_OP_SET_PRIORITY || !entry->target ||
	    entry->target > KFD_XSCHED_TARGET_PROCESS_ID)
		return -EOPNOTSUPP;
	return entry->reserved ? -EINVAL : apply_check_value(entry);
}

bool xs_apply_is_benign(int status)
{
	return status == -ESRCH || status == -EALREADY;
}

/* The verdict on all items: the first hard error, or benign ones and no other. */
static int apply_verdict(const struct kfd_xsched_entry *entries, u32 count)
{
	int benign = 0;
	bool good = false;
	u32 i;

	for (i = 0; i < count; i++) {
		const int status = entries[i].status;

		if (!status)
			good = true;
		else if (!xs_apply_is_benign(status))
			return status;
		else if (!benign)
			benign = status;
	}
	return good ? 0 : benign;
}

/* What only gives back is legal whatever else is not. */
static int apply_stage_item_locked(struct xs_batch *batch, struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	if (!xs_enabled() && xs_stage_takes(item->entry))
		return -ECANCELED;
	return xs_stage_item_locked(batch, item);
}

/* ---- answers ------------------------------------------------------------- */

/* The first queue of a process that the entry concerned, or NULL. */
static const struct xs_queue *apply_queue_of_process(const struct xs_process *process,
						     const struct kfd_xsched_entry *entry)
{
	const struct xs_queue *queue;
	const struct xs_pdd *pdd;

	list_for_each_entry(pdd, &process->pdds, in_process) {
		list_for_each_entry(queue, &pdd->queues, in_pdd) {
			if (xs_stage_suits(queue, entry))
				return queue;
		}
	}
	return NULL;
}

static const struct xs_queue *apply_queue_of_tenant(const struct xs_tenant *tenant,
						    const struct kfd_xsched_entry *entry)
{
	const struct xs_request *member;
	const struct xs_queue *queue;

	list_for_each_entry(member, &tenant->members, in_tenant) {
		queue = apply_queue_of_process(member->process, entry);
		if (queue)
			return queue;
	}
	return NULL;
}

/* A queue that the item concerned, or NULL: only such as are yet to come. */
static const struct xs_queue *apply_queue_of_locked(const struct xs_item *item)
{
	lockdep_assert_held(&xs_lock);

	if (item->tenant)
		return apply_queue_of_tenant(item->tenant, item->entry);
	if (item->process)
		return apply_queue_of_process(item->process, item->entry);
	return xs_queue_find_locked(item->entry->id);
}

static void apply_report_priority_locked(const struct xs_item *item)
{
	struct kfd_xsched_entry *entry = item->entry;
	const struct xs_queue *queue = apply_queue_of_locked(item);

	lockdep_assert_held(&xs_lock);

	if (queue) {
		entry->effective = xs_queue_priority_locked(queue);
		entry->effective_class = queue->prio_class;
	} else {
		entry->effective = entry->value < 0 ? KFD_XSCHED_PRIORITY_NORMAL :
						      entry->value;
	}
}

/* Its node may be done long since: what it named may be gone. */
static bool apply_is_gone_locked(const struct xs_item *item)
{
	const struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	if (item->tenant)
		return false;
	if (item->process)
		return item->process->exited;
	queue = xs_queue_find_locked(item->entry->id);
	return IS_ERR(queue) || queue->applied == XS_APPLIED_GONE;
}

static int apply_status_locked(const struct xs_batch *batch, const struct xs_item *item)
{
	const struct xs_client *client = batch->holder->client;
	const struct xs_part *failed = xs_batch_failed_of(batch, item);

	lockdep_assert_held(&xs_lock);

	/* What it got is gone, and what it named may be. */
	if (client && client->ends)
		return -EOWNERDEAD;
	if (apply_is_gone_locked(item))
		return -ESRCH;
	return failed ? failed->result.status : 0;
}

static void apply_finish_item_locked(const struct xs_batch *batch, struct xs_item *item)
{
	struct kfd_xsched_entry *entry = item->entry;

	lockdep_assert_held(&xs_lock);

	entry->status = apply_status_locked(batch, item);
	if (entry->status)
		return;
	if (entry->op == KFD_XSCHED_OP_SET_PRIORITY)
		apply_report_priority_locked(item);
	else
		entry->effective = item->concerned;
}

/* The event of an async APPLY. */
static void apply_tell(struct xs_batch *batch)
{
	const struct xs_part *failed = xs_batch_failed(batch);
	const struct kfd_xsched_event event = {
		.type = KFD_XSCHED_EVENT_APPLY_DONE,
		.time_ns = ktime_get_ns(),
		.id = batch->cookie,
		.gpu_id = failed ? failed->result.gpu_id : 0,
		.queue_id = xs_batch_flips(batch),
		.data = failed ? -failed->result.status : 0,
	};

	xs_event_promised(batch->holder->client, &event);
}

void xs_apply_over_locked(struct xs_batch *batch)
{
	u32 i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < batch->item_count; i++) {
		if (!batch->items[i].entry->status)
			apply_finish_item_locked(batch, &batch->items[i]);
	}
	if (!batch->promised)
		return;
	xs_account_uncharge(batch->holder->client->account, XS_QUOTA_ENTRIES, batch->charged);
	apply_tell(batch);
}

/* ---- calls --------------------------------------------------------------- */

/**
 * struct xs_call - an APPLY with its copies of what is in user space
 * @batch: what it does; of an async call NULL once that has started
 * @count: how many entries
 * @staged: how many of them are staged, in this try
 * @node_count: how many nodes
 * @entries: the entries, in memory after @items
 * @items: one for each
 */
struct xs_call {
	struct xs_batch *batch;
	u32 count;
	u32 staged;
	u32 node_count;
	struct kfd_xsched_entry *entries;
	struct xs_item items[] __counted_by(count);
};

static struct xs_call *apply_new_call(struct xs_holder *holder, u32 count, bool async)
{
	/* No lock is held, so other tasks can free memory meanwhile. */
	const bool sure = count <= XS_SURE_ENTRIES && !async;
	const gfp_t gfp = sure ? GFP_KERNEL | __GFP_NOFAIL : GFP_KERNEL_ACCOUNT;
	struct xs_call *call;
	u32 i;

	call = kvzalloc(struct_size(call, items, count) + count * sizeof(*call->entries), gfp);
	if (!call)
		return NULL;
	call->count = count;
	call->entries = (void *)&call->items[count];
	for (i = 0; i < count; i++)
		call->items[i].entry = &call->entries[i];
	call->batch = xs_batch_new(holder, gfp);
	if (!call->batch) {
		kvfree(call);
		return NULL;
	}
	call->batch->async = async;
	call->batch->promised = async;
	return call;
}

static void apply_free_call(struct xs_call *call)
{
	xs_batch_free(call->batch);
	kvfree(call);
}

static void apply_check_entries(struct xs_call *call)
{
	u32 i;

	for (i = 0; i < call->count; i++) {
		struct kfd_xsched_entry *entry = &call->entries[i];

		entry->status = xs_apply_check(entry);
		entry->effective = 0;
		entry->effective_class = 0;
	}
}

static void apply_begin_to_stage(struct xs_call *call)
{
	struct xs_batch *batch = call->batch;

	call->node_count = 0;
	batch->steps_left = batch->holder->steps;
	if (!batch->async) {
		batch->items = call->items;
		batch->item_count = call->count;
	}
}

/* Go on until all entries have been staged, or tried: 0; else -EINPROGRESS. */
static int apply_stage_slice_locked(struct xs_call *call)
{
	struct xs_batch *batch = call->batch;
	const u32 first = call->staged, steps_left = batch->steps_left;

	lockdep_assert_held(&xs_lock);

	while (call->staged < call->count) {
		const u32 i = call->staged;
		struct kfd_xsched_entry *entry = &call->entries[i];

		if (i - first + steps_left - batch->steps_left >= XS_SLICE)
			return -EINPROGRESS;
		call->staged++;
		if (!entry->status)
			entry->status = apply_stage_item_locked(batch, &call->items[i]);
	}
	return 0;
}

static int apply_verdict_of_call(struct xs_call *call)
{
	/* Entries that failed before may have done so without one that was missing. */
	int ret = xs_batch_is_short(call->batch) ? -ENOMEM :
		apply_verdict(call->entries, call->count);

	if (!ret && call->batch->promised && !xs_event_promise(call->batch->holder->client))
		ret = -EAGAIN;
	return ret;
}

static int apply_stage_locked(struct xs_batch *batch, void *arg)
{
	struct xs_client *client = batch->holder->client;
	struct xs_call *call = arg;
	int ret = client ? xs_client_check_locked(client) : 0;

	lockdep_assert_held(&xs_lock);

	if (!call->staged)
		apply_begin_to_stage(call);
	ret = ret ?: apply_stage_slice_locked(call);
	if (ret)
		return ret;
	ret = apply_verdict_of_call(call);
	if (!ret)
		call->node_count = batch->part_count;
	/* There will be another try. */
	if (ret == -ENOMEM || (ret == -EAGAIN && !batch->async))
		apply_check_entries(call);
	call->staged = 0;
	return ret;
}

static int apply_run(struct xs_call *call, struct xs_holder *holder)
{
	struct xs_batch *batch = call->batch;
	const u64 start_ns = batch->start_ns;
	const bool async = batch->async;
	int ret;

	ret = xs_batch_stage_and_start(batch, apply_stage_locked, call);
	if (!ret && async)
		call->batch = NULL;
	else if (!ret)
		ret = xs_batch_finish(batch) ?: apply_verdict(call->entries, call->count);
	if (trace_apply_enabled())
		trace_apply(holder, call->count, call->node_count, ret,
			    ktime_get_ns() - start_ns);
	return ret;
}

int xs_apply_internal(struct xs_holder *holder, struct kfd_xsched_entry *entries, u32 count)
{
	struct xs_call *call = apply_new_call(holder, count, false);
	int ret;

	if (!call)
		return -ENOMEM;
	/* The holder is nobody's: the caller pays. */
	call->batch->payer = xs_account_payer_of(current_cred());
	memcpy(call->entries, entries, count * sizeof(*entries));
	apply_check_entries(call);
	ret = apply_run(call, holder);
	memcpy(entries, call->entries, count * sizeof(*entries));
	apply_free_call(call);
	return ret;
}

/* ---- from user space ----------------------------------------------------- */

/* Those that may be written. */
static int apply_clear_results(const struct kfd_xsched_apply *arg)
{
	const struct xs_user_array array = {
		.address = arg->nodes,
		.stride = arg->node_stride,
		.count = arg->nodes ? min(arg->node_capacity, xs_node_count()) : 0,
	};

	return array.count ? xs_user_clear_array(&array) : 0;
}

static int apply_put_results(const struct xs_call *call, const struct kfd_xsched_apply *arg)
{
	struct xs_user_array to = {
		.address = arg->nodes,
		.stride = arg->node_stride,
		.count = 1,
	};
	u32 room = arg->nodes ? arg->node_capacity : 0;
	const struct xs_part *part;

	if (!call->batch)
		return 0;
	list_for_each_entry(part, &call->batch->parts, in_batch) {
		if (!room--)
			break;
		if (xs_user_put_array(&to, &part->result, sizeof(part->result)))
			return -EFAULT;
		to.address += to.stride;
	}
	return 0;
}

static int apply_do(struct xs_call *call, struct xs_client *client,
		    struct kfd_xsched_apply *arg)
{
	const u32 size = sizeof(*call->entries);
	const struct xs_user_array entries = {
		.address = arg->entries,
		.stride = arg->stride,
		.count = call->count,
	};
	int ret;

	ret = call->batch->promised ? xs_client_need_ring(client) : 0;
	ret = ret ?: xs_user_get_array(call->entries, size, &entries);
	if (ret)
		return ret;
	apply_check_entries(call);

	/* What cannot be written is better known before anything changed. */
	if (xs_user_update_array(&entries, call->entries, size) || apply_clear_results(arg))
		return -EFAULT;

	ret = apply_run(call, &client->holder);
	arg->node_count = call->node_count;
	if (xs_user_update_array(&entries, call->entries, size) ||
	    apply_put_results(call, arg))
		return -EFAULT;
	return ret;
}

static int apply_check_arg(const struct kfd_xsched_apply *arg)
{
	int ret;

	if (arg->flags & ~KFD_XSCHED_APPLY_ASYNC)
		return -EOPNOTSUPP;
	if (arg->reserved || !arg->count)
		return -EINVAL;
	if (arg->cookie && !(arg->flags & KFD_XSCHED_APPLY_ASYNC))
		return -EINVAL;
	if (arg->count > KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	ret = xs_user_check_size(arg->stride, XS_ENTRY_MIN_SIZE);
	if (ret || !arg->nodes || !arg->node_capacity)
		return ret;
	return xs_user_check_size(arg->node_stride, XS_RESULT_MIN_SIZE);
}

/* How many entries are on the user's account. A small call is free: it may be a release. */
static u32 apply_charged(const struct kfd_xsched_apply *arg)
{
	return arg->count > XS_SURE_ENTRIES || arg->flags & KFD_XSCHED_APPLY_ASYNC ? arg->count : 0;
}

/* The end of the batch takes them off the account: of an ASYNC call, its last part. */
static int apply_call(struct xs_client *client, struct kfd_xsched_apply *arg, u32 charged)
{
	const bool async = arg->flags & KFD_XSCHED_APPLY_ASYNC;
	struct xs_call *call = apply_new_call(&client->holder, arg->count, async);
	int ret = -ENOMEM;

	if (call) {
		call->batch->cookie = arg->cookie;
		call->batch->charged = charged;
		ret = apply_do(call, client, arg);
	}
	if (!call || call->batch)
		xs_account_uncharge(client->account, XS_QUOTA_ENTRIES, charged);
	if (call)
		apply_free_call(call);
	return ret;
}

long xs_apply_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_apply *arg = argument;
	int ret = apply_check_arg(arg);
	u32 charged;

	if (ret)
		return ret;
	arg->node_count = 0;
	charged = apply_charged(arg);
	ret = xs_account_charge(client->account, XS_QUOTA_ENTRIES, charged);
	return ret ?: apply_call(client, arg, charged);
}
