// SPDX-License-Identifier: GPL-2.0-only
/*
 * APPLY: copy in, check and stage everything (stage.c), then one transaction a
 * node, all at once (batch.c), then copy out.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "apply.h"
#include "batch.h"
#include "client.h"
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "trace.h"
#include "user.h"
#include "xsched.h"

/* The elements of another array as they were first published. */
#define XS_RESULT_MIN_SIZE	offsetofend(struct kfd_xsched_node_result, total_ns)

/* Room for so many entries at least, and for no more in a call that is kept. */
#define XS_ROOM_MIN	8
#define XS_ROOM_KEPT	256

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

static inline int check_value(const struct kfd_xsched_entry *entry)
{
	if (entry->op == KFD_XSCHED_OP_SET_PRIORITY)
		return check_priority(entry);
	if (entry->prio_class)
		return -EINVAL;
	if (entry->op == KFD_XSCHED_OP_UNMAP)
		return entry->value < KFD_XSCHED_GRACE_DEFAULT ? -EINVAL : 0;
	return entry->value ? -EINVAL : 0;
}

static __always_inline int check_entry(const struct kfd_xsched_entry *entry)
{
	if (!entry->op || entry->op > KFD_XSCHED_OP_SET_PRIORITY || !entry->target ||
	    entry->target > KFD_XSCHED_TARGET_TENANT)
		return -EOPNOTSUPP;
	return entry->reserved ? -EINVAL : check_value(entry);
}

int xs_entry_check(const struct kfd_xsched_entry *entry)
{
	return check_entry(entry);
}

bool xs_status_is_benign(int status)
{
	return status == -ESRCH || status == -EALREADY;
}

/* The verdict on all items: the first hard error, or benign ones and no other. */
static int verdict(const struct kfd_xsched_entry *entries, u32 count)
{
	int benign = 0;
	bool good = false;
	u32 i;

	for (i = 0; i < count; i++) {
		const int status = entries[i].status;

		if (!status)
			good = true;
		else if (!xs_status_is_benign(status))
			return status;
		else if (!benign)
			benign = status;
	}
	return good ? 0 : benign;
}

/* The first queue of a process that the entry concerned, or NULL. */
static const struct xs_queue *first_queue(const struct xs_process *process,
					  const struct kfd_xsched_entry *entry)
{
	const struct xs_queue *queue;

	list_for_each_entry(queue, &process->queues, in_process) {
		if (xs_queue_has_what_is_set(queue, entry))
			return queue;
	}
	return NULL;
}

static const struct xs_queue *
first_queue_of_tenant(const struct xs_tenant *tenant, const struct kfd_xsched_entry *entry)
{
	const struct xs_queue *queue;
	const struct xs_rule *rule;

	list_for_each_entry(rule, &tenant->rules, in_tenant) {
		queue = first_queue(rule->process, entry);
		if (queue)
			return queue;
	}
	return NULL;
}

/* A queue that the item concerned, or NULL: only such as are yet to come. */
static const struct xs_queue *queue_of(const struct xs_item *item)
{
	if (item->tenant)
		return first_queue_of_tenant(item->tenant, item->entry);
	if (item->process)
		return first_queue(item->process, item->entry);
	return xs_queue_find_locked(item->entry->id);
}

static noinline void report_priority(struct xs_item *item)
{
	struct kfd_xsched_entry *entry = item->entry;
	const struct xs_queue *queue = queue_of(item);

	if (queue) {
		entry->effective = xs_queue_priority_locked(queue);
		entry->effective_class = queue->prio_class;
	} else {
		entry->effective = entry->value < 0 ? KFD_XSCHED_PRIORITY_NORMAL :
						      entry->value;
	}
}

static noinline int queue_status_locked(const struct xs_item *item)
{
	const struct xs_queue *queue = xs_queue_find_locked(item->entry->id);

	/* Its node may be done long since: it may even be gone. */
	if (IS_ERR(queue) || xs_queue_applied(queue) == XS_APPLIED_GONE)
		return -ESRCH;
	return item->part->result.status;
}

static inline int item_status_locked(const struct xs_batch *batch, const struct xs_item *item)
{
	const struct xs_rule *rule;

	/* What it named may be gone, and what it got is. */
	if (batch->client->ejected)
		return -EOWNERDEAD;
	if (item->tenant)
		return item->tenant->status;
	if (!item->process)
		return queue_status_locked(item);
	rule = xs_process_rule_locked(item->process, batch->client);
	return rule && !item->process->exited ? rule->status : -ESRCH;
}

void xs_item_finish_locked(const struct xs_batch *batch, struct xs_item *item)
{
	struct kfd_xsched_entry *entry = item->entry;
	int status;

	lockdep_assert_held(&xs_lock);

	status = item_status_locked(batch, item);
	entry->status = status;
	if (status)
		return;
	if (entry->op == KFD_XSCHED_OP_SET_PRIORITY)
		report_priority(item);
	else
		entry->effective = item->concerned;
}

/**
 * struct xs_call - an APPLY with its copies of what is in user space
 * @client: who asks
 * @async: KFD_XSCHED_APPLY_ASYNC
 * @cookie: for its event
 * @count: how many entries
 * @node_count: how many nodes
 * @batch: what was done to the nodes: @own, that of an async call until it starts, or NULL
 * @own: that of a call that waits for it
 * @room: for so many entries
 * @entries: its entries, behind @items
 * @items: one for each, which it names for good
 *
 * A client keeps that of its last call for the next. Nothing is left of that but @room and
 * which entry is whose: what else a call looks at is set by call_init(), xs_batch_init(),
 * check_entries(), or as an item is staged.
 */
struct xs_call {
	struct xs_client *client;
	bool async;
	u64 cookie;
	u32 count;
	u32 node_count;
	struct xs_batch *batch;
	struct xs_batch own;
	u32 room;
	struct kfd_xsched_entry *entries;
	struct xs_item items[] __counted_by(room);
};

static void check_entries(struct xs_call *call)
{
	struct kfd_xsched_entry *const end = call->entries + call->count;
	struct kfd_xsched_entry *entry;

	for (entry = call->entries; entry != end; entry++) {
		entry->status = check_entry(entry);
		entry->effective = 0;
		entry->effective_class = 0;
	}
}

static int stage_locked(struct xs_call *call)
{
	struct xs_item *const end = call->items + call->count;
	struct xs_batch *batch = call->batch;
	struct xs_item *item;

	if (!call->async) {
		batch->items = call->items;
		batch->item_count = call->count;
	}
	for (item = call->items; item != end; item++) {
		struct kfd_xsched_entry *entry = item->entry;

		if (!entry->status)
			entry->status = xs_item_stage_locked(batch, item);
	}
	return verdict(call->entries, call->count);
}

static void tell_done(struct xs_batch *batch)
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

	xs_event_promised(batch->client, &event);
}

/* From here on its event will come, and the batch is its own. */
static int start_async_locked(struct xs_call *call)
{
	struct xs_batch *batch = call->batch;
	int ret = xs_client_need_ring_locked(call->client);

	if (ret)
		return ret;
	if (!xs_event_promise(call->client))
		return -EAGAIN;
	batch->async = true;
	batch->ended = tell_done;
	batch->cookie = call->cookie;
	call->batch = NULL;
	xs_batch_start_locked(batch);
	return 0;
}

/* @settled: out, what xs_client_wait_settled() needs to know after -EAGAIN */
static int try_locked(struct xs_call *call, u32 *settled)
{
	struct xs_batch *batch = call->batch;
	int ret;

	*settled = call->client->settled;
	ret = xs_client_check_locked(call->client) ?: stage_locked(call);
	call->node_count = batch->part_count;
	if (!ret && call->async)
		ret = start_async_locked(call);
	else if (!ret)
		xs_batch_start_locked(batch);
	if (ret) {
		xs_batch_abort_locked(batch);
		call->node_count = 0;
	}
	return ret;
}

/*
 * The entries have been checked. Waits for others of the client that are in the way,
 * unless it is async.
 */
static int start(struct xs_call *call)
{
	u32 settled;
	int ret;

	for (;;) {
		scoped_guard(mutex, &xs_lock)
			ret = try_locked(call, &settled);
		if (ret != -EAGAIN || call->async)
			return ret;
		ret = xs_client_wait_settled(call->client, settled);
		if (ret)
			return ret;
		check_entries(call);
	}
}

static int finish(struct xs_call *call)
{
	int ret = xs_batch_finish(call->batch);

	return ret ?: verdict(call->entries, call->count);
}

static int run(struct xs_call *call)
{
	u64 start_ns;
	int ret;

	if (call->async) {
		call->batch = xs_batch_new(call->client);
		if (!call->batch)
			return -ENOMEM;
	} else {
		call->batch = &call->own;
		xs_batch_init(call->batch, call->client);
	}
	/* It may be gone afterwards. */
	start_ns = call->batch->start_ns;
	ret = start(call);
	if (!ret && !call->async)
		ret = finish(call);
	if (trace_apply_enabled())
		trace_apply(call->client, call->count, call->node_count, ret,
			    ktime_get_ns() - start_ns);
	return ret;
}

static struct xs_call *call_alloc(u32 count)
{
	const u32 room = max(count, XS_ROOM_MIN);
	struct xs_call *call;
	u32 i;

	call = kvmalloc(struct_size(call, items, room) + room * sizeof(*call->entries),
			GFP_KERNEL_ACCOUNT);
	if (!call)
		return NULL;
	call->room = room;
	call->entries = (void *)&call->items[room];
	for (i = 0; i < room; i++)
		call->items[i] = (struct xs_item){ .entry = &call->entries[i] };
	return call;
}

static void call_init(struct xs_call *call, struct xs_client *client, u32 count)
{
	call->client = client;
	call->async = false;
	call->cookie = 0;
	call->count = count;
	call->node_count = 0;
	call->batch = NULL;
}

static void call_done(struct xs_call *call)
{
	if (call->batch == &call->own)
		xs_batch_exit(call->batch);
	else
		xs_batch_free(call->batch);
}

/* Of two threads that call at once, one finds what the client keeps. */
static struct xs_call *call_take(struct xs_client *client, u32 count)
{
	struct xs_call *call = xchg(&client->call, NULL);

	if (call && call->room < count) {
		kvfree(call);
		call = NULL;
	}
	return call ?: call_alloc(count);
}

static void call_keep(struct xs_client *client, struct xs_call *call)
{
	if (call->room <= XS_ROOM_KEPT)
		call = xchg(&client->call, call);
	kvfree(call);
}

int xs_apply_internal(struct xs_client *client, struct kfd_xsched_entry *entries,
		      u32 count)
{
	struct xs_call *call = call_alloc(count);
	int ret;

	if (!call)
		return -ENOMEM;
	call_init(call, client, count);
	memcpy(call->entries, entries, count * sizeof(*entries));
	check_entries(call);
	ret = run(call);
	memcpy(entries, call->entries, count * sizeof(*entries));
	call_done(call);
	kvfree(call);
	return ret;
}

/* Those that may be written. */
static int clear_results(const struct kfd_xsched_apply *arg)
{
	const struct xs_user_array array = {
		.address = arg->nodes,
		.stride = arg->node_stride,
		.count = arg->nodes ? min(arg->node_capacity, xs_node_count()) : 0,
	};

	return array.count ? xs_user_clear_array(&array) : 0;
}

static int put_results(const struct xs_call *call,
		       const struct kfd_xsched_apply *arg)
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

static int call_do(struct xs_call *call, struct kfd_xsched_apply *arg)
{
	const u32 size = sizeof(*call->entries);
	const struct xs_user_array entries = {
		.address = arg->entries,
		.stride = arg->stride,
		.count = call->count,
	};
	int ret;

	ret = xs_user_get_array(call->entries, size, &entries);
	if (ret)
		return ret;
	check_entries(call);

	/* What cannot be written is better known before anything changed. */
	if (xs_user_update_array(&entries, call->entries, size) ||
	    clear_results(arg))
		return -EFAULT;

	ret = run(call);
	arg->node_count = call->node_count;
	if (xs_user_update_array(&entries, call->entries, size) ||
	    put_results(call, arg))
		return -EFAULT;
	return ret;
}

static int apply_check(const struct kfd_xsched_apply *arg)
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

long xs_apply_ioctl(struct xs_client *client, void *argument)
{
	struct kfd_xsched_apply *arg = argument;
	struct xs_call *call;
	int ret;

	ret = apply_check(arg);
	if (ret)
		return ret;
	arg->node_count = 0;
	call = call_take(client, arg->count);
	if (!call)
		return -ENOMEM;
	call_init(call, client, arg->count);
	call->async = arg->flags & KFD_XSCHED_APPLY_ASYNC;
	call->cookie = arg->cookie;
	ret = call_do(call, arg);
	call_done(call);
	call_keep(client, call);
	return ret;
}
