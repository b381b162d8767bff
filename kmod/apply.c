// SPDX-License-Identifier: GPL-2.0-only
/*
 * APPLY: copy in, check and stage everything (stage.c), then one transaction a
 * node, then copy out.
 *
 * Nodes are switched one after another. That keeps xs_lock the only thing that
 * guards a transaction; its price is that several nodes take the sum of their
 * times, and that a node that hangs delays the others.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "apply.h"
#include "client.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "user.h"
#include "xsched.h"

bool xs_status_is_benign(int status)
{
	return status == -ESRCH || status == -EALREADY;
}

/* The verdict on all items: the first hard error, or benign ones and no other. */
static int batch_verdict(const struct xs_batch *batch)
{
	int benign = 0;
	bool good = false;
	u32 i;

	for (i = 0; i < batch->count; i++) {
		const int status = batch->items[i].status;

		if (!status)
			good = true;
		else if (!xs_status_is_benign(status))
			return status;
		else if (!benign)
			benign = status;
	}
	return good ? 0 : benign;
}

static int batch_stage_locked(struct xs_batch *batch)
{
	u32 i;

	for (i = 0; i < batch->count; i++) {
		struct xs_item *item = &batch->items[i];

		if (!item->status)
			item->status = xs_item_stage_locked(batch, item);
	}
	return batch_verdict(batch);
}

/* Switch all nodes. Returns the first node's error, or 0. */
static int batch_switch_locked(struct xs_batch *batch,
			       struct kfd_xsched_node_result *results)
{
	struct xs_process *process;
	struct xs_node *node;
	int first = 0;

	/* Before the queues: what is created meanwhile must not slip through. */
	list_for_each_entry(process, &batch->processes, in_batch)
		xs_process_sync_rules_locked(process);

	list_for_each_entry(node, &batch->nodes, in_batch) {
		const u32 grace = node->grace_us == XS_GRACE_UNSET ?
			XS_GRACE_NOW : node->grace_us;
		const int ret = xs_node_switch_locked(node, grace, &node->result);

		if (ret && !first)
			first = ret;
		node->result.total_ns = ktime_get_ns() - batch->start_ns;
		*results++ = node->result;
	}
	return first;
}

static u32 priority_of_process(const struct xs_item *item)
{
	const struct xs_queue *queue;

	list_for_each_entry(queue, &item->process->queues, in_process) {
		if (xs_queue_can_prioritise(queue))
			return queue->priority;
	}
	return item->entry->value < 0 ? KFD_XSCHED_PRIORITY_NORMAL :
					item->entry->value;
}

/* What became of an item that was good, after the switch. */
static void item_finish_locked(struct xs_item *item)
{
	const bool priority = item->entry->op == KFD_XSCHED_OP_SET_PRIORITY;

	if (item->queue) {
		item->status = item->queue->applied == XS_APPLIED_GONE ?
			-ESRCH : item->queue->node->result.status;
		item->entry->effective = priority ? item->queue->priority : 1;
	} else {
		item->status = item->process->batch_status;
		item->entry->effective = priority ? priority_of_process(item) :
						    item->concerned;
	}
	if (item->status)
		item->entry->effective = 0;
}

static int batch_run_locked(struct xs_batch *batch,
			    struct kfd_xsched_node_result *results)
{
	int ret = batch_switch_locked(batch, results);
	u32 i;

	xs_batch_commit_locked(batch);
	for (i = 0; i < batch->count; i++) {
		if (!batch->items[i].status)
			item_finish_locked(&batch->items[i]);
	}
	return ret ?: batch_verdict(batch);
}

/**
 * struct apply_call - an APPLY with its copies of what is in user space
 * @batch: the work
 * @entries: its entries
 * @results: what it did to each node
 * @result_count: how many
 */
struct apply_call {
	struct xs_batch batch;
	struct kfd_xsched_entry *entries;
	struct kfd_xsched_node_result *results;
	u32 result_count;
};

static int call_run(struct apply_call *call)
{
	struct xs_batch *batch = &call->batch;
	int ret;

	guard(mutex)(&xs_lock);
	ret = batch_stage_locked(batch);
	if (!ret) {
		call->results = kvcalloc(batch->node_count,
					 sizeof(*call->results), GFP_KERNEL);
		ret = call->results ? 0 : -ENOMEM;
	}
	if (!ret) {
		call->result_count = batch->node_count;
		ret = batch_run_locked(batch, call->results);
	}
	xs_batch_unstage_locked(batch);
	xs_nodes_retry_pending_locked();
	return ret;
}

static int call_init(struct apply_call *call, struct xs_client *client, u32 count)
{
	struct xs_batch *batch = &call->batch;

	*call = (struct apply_call){
		.batch = {
			.client = client,
			.count = count,
			.start_ns = ktime_get_ns(),
		},
	};
	INIT_LIST_HEAD(&batch->queues);
	INIT_LIST_HEAD(&batch->processes);
	INIT_LIST_HEAD(&batch->nodes);
	call->entries = kvcalloc(count, sizeof(*call->entries), GFP_KERNEL_ACCOUNT);
	batch->items = kvcalloc(count, sizeof(*batch->items), GFP_KERNEL_ACCOUNT);
	return call->entries && batch->items ? 0 : -ENOMEM;
}

static void call_free(struct apply_call *call)
{
	kvfree(call->entries);
	kvfree(call->batch.items);
	kvfree(call->results);
}

static void check_entries(struct apply_call *call)
{
	u32 i;

	for (i = 0; i < call->batch.count; i++) {
		struct xs_item *item = &call->batch.items[i];

		item->entry = &call->entries[i];
		item->entry->status = 0;
		item->entry->effective = 0;
		item->status = xs_entry_check(item->entry);
	}
}

static void report_entries(struct apply_call *call)
{
	u32 i;

	for (i = 0; i < call->batch.count; i++)
		call->entries[i].status = call->batch.items[i].status;
}

static int call_do(struct apply_call *call, struct kfd_xsched_apply *arg)
{
	const u32 size = sizeof(*call->entries);
	const struct xs_user_array entries = {
		.address = arg->entries,
		.stride = arg->stride,
		.count = call->batch.count,
	};
	struct xs_user_array nodes = {
		.address = arg->nodes,
		.stride = arg->node_stride,
	};
	int ret;

	ret = xs_user_get_array(call->entries, size, &entries);
	if (ret)
		return ret;
	check_entries(call);

	/* What cannot be written is better known before anything changed. */
	if (xs_user_update_array(&entries, call->entries, size))
		return -EFAULT;

	ret = call_run(call);
	report_entries(call);
	arg->node_count = call->result_count;
	if (arg->nodes)
		nodes.count = min(call->result_count, arg->node_capacity);
	if (xs_user_update_array(&entries, call->entries, size) ||
	    xs_user_put_array(&nodes, call->results, sizeof(*call->results)))
		return -EFAULT;
	return ret;
}

static int apply_check(const struct kfd_xsched_apply *arg)
{
	int ret;

	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved || !arg->count)
		return -EINVAL;
	if (arg->count > KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	ret = xs_user_check_size(arg->stride, sizeof(struct kfd_xsched_entry));
	if (ret || !arg->nodes || !arg->node_capacity)
		return ret;
	return xs_user_check_size(arg->node_stride,
				  sizeof(struct kfd_xsched_node_result));
}

long xs_apply_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_apply *arg = argument;
	struct apply_call call;
	int ret;

	ret = apply_check(arg);
	if (ret)
		return ret;
	arg->node_count = 0;
	ret = call_init(&call, client, arg->count);
	if (!ret)
		ret = call_do(&call, arg);
	call_free(&call);
	return ret;
}
