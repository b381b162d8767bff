// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues: from xs_queue_added() to xs_queue_removed(), and their list.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <linux/kfd_xsched.h>

#include "activity.h"
#include "armed.h"
#include "change.h"
#include "claim.h"
#include "client.h"
#include "event.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "trace.h"
#include "tenant.h"
#include "user.h"
#include "watchdog.h"
#include "xsched.h"

/* The list's element as it was first published. */
#define XS_QUEUE_MIN_SIZE	offsetofend(struct kfd_xsched_queue, held_ns)

/* By id. An index is an unsigned long: amdkfd needs 64 bits, too. */
static DEFINE_XARRAY(queues);
static unsigned int queue_count;
static DEFINE_HASHTABLE(by_hw, 12);

/* The next queue's id. Starts at 1, is not reset when the core restarts. */
static u64 next_id = 1;

static struct xs_queue *find_by_hw_locked(const struct xs_hw_queue *hw)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(by_hw, queue, by_hw, (unsigned long)hw) {
		if (queue->target.hw == hw)
			return queue;
	}
	return NULL;
}

struct xs_queue *xs_queue_find_locked(u64 id)
{
	lockdep_assert_held(&xs_lock);

	if (!id || id >= next_id)
		return ERR_PTR(-ENOENT);
	return xa_load(&queues, id) ?: ERR_PTR(-ESRCH);
}

bool xs_queue_can_prioritise(const struct xs_queue *queue)
{
	return queue->type == KFD_XSCHED_QUEUE_COMPUTE &&
		queue->node->desc.caps & KFD_XSCHED_CAP_PRIORITY;
}

bool xs_queue_can_classify(const struct xs_queue *queue)
{
	return queue->node->desc.caps & KFD_XSCHED_CAP_CLASS;
}

static struct xs_queue *queue_new(struct xs_hw_queue *hw,
				  const struct xs_hw_queue_desc *desc)
{
	struct xs_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL);

	if (!queue)
		return NULL;
	queue->target.hw = hw;
	queue->queue_id = desc->queue_id;
	queue->type = desc->type;
	queue->priority = desc->priority;
	queue->override = (struct xs_want){
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
	INIT_LIST_HEAD(&queue->claims);
	if (desc->indices_count_packets) {
		queue->watch.read_index = desc->read_index;
		queue->watch.write_index = desc->write_index;
	}
	return queue;
}

/* It comes, or goes, and with it holds of its place. */
static void trace_holds(struct xs_queue *queue, bool comes)
{
	struct xs_claim *claim = NULL;

	if (comes ? !trace_hold_enabled() : !trace_release_enabled())
		return;
	while ((claim = xs_next_claim_locked(queue, claim))) {
		if (claim->queue || !claim->stake.now.held)
			continue;
		if (comes)
			trace_hold(claim->client, queue);
		else
			trace_release(claim->client, queue);
	}
}

static int insert_locked(struct xs_queue *queue)
{
	int ret;

	ret = xs_node_reserve_locked(queue->node);
	if (ret)
		return ret;
	ret = xa_err(xa_store(&queues, next_id, queue, GFP_KERNEL));
	if (ret)
		return ret;
	ret = xs_place_enter_locked(queue);
	if (ret) {
		xa_erase(&queues, next_id);
		return ret;
	}
	queue->id = next_id++;
	queue_count++;
	hash_add(by_hw, &queue->by_hw, (unsigned long)queue->target.hw);
	list_add_tail(&queue->in_node, &queue->node->queues);
	queue->node->queue_count++;
	list_add_tail(&queue->in_process, &queue->process->queues);
	return 0;
}

/* From here on it can be held, and is, if its process is. */
static void start_locked(struct xs_queue *queue)
{
	struct xs_want want;

	/* amdkfd made it before we could look: born held or not? */
	queue->own.applied = queue->process->born_held ?
		XS_APPLIED_UNKNOWN : XS_APPLIED_FREE;
	queue->own.has_run = queue->own.applied == XS_APPLIED_FREE;
	if (xs_queue_can_classify(queue))
		queue->prio_class = KFD_XSCHED_CLASS_NORMAL;
	trace_holds(queue, true);
	want = xs_place_want_locked(queue->place);
	if (!xs_queue_is_settled_locked(queue, &want))
		xs_place_set_pending_locked(queue->place);
}

static int add_locked(struct xs_queue *queue, const struct xs_hw_queue_desc *desc)
{
	int ret;

	queue->node = xs_node_find_locked(desc->node);
	if (!queue->node)
		return -ENOENT;
	queue->process = xs_process_get_locked(desc);
	if (IS_ERR(queue->process))
		return PTR_ERR(queue->process);
	ret = insert_locked(queue);
	if (ret)
		return ret;
	queue->owner = xs_owner_get(queue->process);
	start_locked(queue);
	return 0;
}

/*
 * @node: out, where a switch is needed, with a reference, or NULL
 * @id: out, its id, or 0: it was there
 */
static int add(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc,
	       struct xs_node **node, u64 *id)
{
	struct xs_queue *queue;
	int ret;

	guard(mutex)(&xs_lock);
	if (find_by_hw_locked(hw))
		return 0;
	queue = queue_new(hw, desc);
	if (!queue)
		return -ENOMEM;
	ret = add_locked(queue, desc);
	if (ret) {
		kfree(queue);
		return ret;
	}
	if (!hlist_unhashed(&queue->place->in_pending))
		*node = xs_node_get(queue->node);
	*id = queue->id;
	trace_queue_add(queue);
	xs_event_queue(queue, KFD_XSCHED_EVENT_QUEUE_ADD, ktime_get_ns());
	xs_activity_add_locked(queue);
	return 0;
}

int xs_queue_added(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc)
{
	struct xs_node *node = NULL;
	u64 id = 0;
	int ret = add(hw, desc, &node, &id);

	if (ret)
		return ret;
	if (id)
		xs_sysfs_queue_add(hw, id, desc->kobj);
	if (node) {
		/* What fails is tried again. */
		xs_node_switch(node, XS_GRACE_NOW);
		xs_node_put(node);
	}
	return 0;
}

static void queue_free_locked(struct xs_queue *queue)
{
	struct xs_claim *claim, *next;

	xs_activity_remove_locked(queue);
	trace_holds(queue, false);
	list_for_each_entry_safe(claim, next, &queue->claims, in_target)
		xs_claim_drop_locked(claim);
	if (xs_queue_standing_locked(queue).held_since)
		xs_watchdog_add(-1);
	xs_place_leave_locked(queue);
	list_del(&queue->in_process);
	list_del(&queue->in_node);
	queue->node->queue_count--;
	hash_del(&queue->by_hw);
	xa_erase(&queues, queue->id);
	queue_count--;
	xs_owner_put(&queue->owner);
	kfree(queue);
}

static void remove_locked(struct xs_queue *queue)
{
	struct xs_process *process = queue->process;

	/* DEL is the last that is heard of it. */
	xs_activity_remove_locked(queue);
	trace_queue_del(queue);
	xs_event_queue(queue, KFD_XSCHED_EVENT_QUEUE_DEL, ktime_get_ns());
	queue_free_locked(queue);
	xs_process_put_locked(process);
}

/* Returns the node, with a reference, if the queue is in flight there. */
static struct xs_node *remove_unless_in_flight(struct xs_hw_queue *hw)
{
	struct xs_queue *queue;

	guard(mutex)(&xs_lock);
	queue = find_by_hw_locked(hw);
	if (!queue)
		return NULL;
	if (xs_queue_in_flight_locked(queue))
		return xs_node_get(queue->node);
	remove_locked(queue);
	return NULL;
}

void xs_queue_removed(struct xs_hw_queue *hw)
{
	struct xs_node *node;

	/* Before any lock: it waits for those who read and write. */
	xs_sysfs_queue_del(hw);
	node = remove_unless_in_flight(hw);
	if (!node)
		return;
	scoped_guard(mutex, &node->lock)
		remove_unless_in_flight(hw);
	xs_node_put(node);
}

void xs_queues_free_locked(void)
{
	struct xs_queue *queue;
	unsigned long id;

	lockdep_assert_held(&xs_lock);

	xa_for_each(&queues, id, queue)
		queue_free_locked(queue);
	xa_destroy(&queues);
}

u32 xs_queue_holders_locked(const struct xs_queue *queue)
{
	struct xs_claim *claim = NULL;
	u32 holders = 0;

	lockdep_assert_held(&xs_lock);

	if (xs_queue_applied(queue) == XS_APPLIED_GONE)
		return 0;
	while ((claim = xs_next_claim_locked(queue, claim)))
		holders += claim->stake.now.held;
	return holders;
}

/* The application may have changed it since, which nobody tells. */
u32 xs_queue_priority_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->override.priority == KFD_XSCHED_PRIORITY_APP ?
		xs_backend->priority(queue->target.hw) : queue->priority;
}

u32 xs_queue_state_locked(const struct xs_queue *queue, const struct xs_client *client)
{
	const u32 holders = xs_queue_holders_locked(queue);
	u32 state = xs_backend->state(queue->target.hw);

	if (holders)
		state |= KFD_XSCHED_QUEUE_HELD;
	if (holders && client && xs_armed_or_client_holds_locked(queue, client))
		state |= KFD_XSCHED_QUEUE_MINE;
	if (xs_activity_is_ready(READ_ONCE(queue->watch.activity)))
		state |= KFD_XSCHED_QUEUE_READY;
	if (xs_activity_watches(queue))
		state |= KFD_XSCHED_QUEUE_WATCHED;
	if (xs_activity_taps_locked(queue))
		state |= KFD_XSCHED_QUEUE_TAPPED;
	return state;
}

static u64 tenant_locked(struct xs_queue *queue, struct xs_client *client)
{
	const struct xs_rule *rule = xs_process_rule_locked(queue->process, client);

	return rule && rule->tenant ? rule->tenant->id : 0;
}

static void describe_locked(struct kfd_xsched_queue *out, struct xs_queue *queue,
			    struct xs_client *client, u64 now)
{
	const struct xs_standing standing = xs_queue_standing_locked(queue);
	const u32 holders = xs_queue_holders_locked(queue);

	*out = (struct kfd_xsched_queue){
		.id = queue->id,
		.pid = pid_vnr(queue->process->pid),
		.queue_id = queue->queue_id,
		.gpu_id = queue->node->desc.gpu_id,
		.type = queue->type,
		.state = xs_queue_state_locked(queue, client),
		.priority = xs_queue_priority_locked(queue),
		.holders = holders,
		.prio_class = queue->prio_class,
		.preemptions = standing.preemptions,
		.held_ns = xs_standing_held_ns(&standing, now),
		.tenant = tenant_locked(queue, client),
	};
}

/* Describe up to @room queues; returns how many the caller may see. */
static u32 fill_locked(struct kfd_xsched_queue *out, u32 room,
		       struct xs_client *client)
{
	const u64 now = ktime_get_ns();
	struct xs_queue *queue;
	unsigned long id;
	u32 count = 0;

	xa_for_each(&queues, id, queue) {
		if (!xs_process_permits_locked(queue->process, XS_PERMIT_LIST))
			continue;
		if (count < room)
			describe_locked(&out[count], queue, client, now);
		count++;
	}
	return count;
}

static int list_check(const struct kfd_xsched_list *arg)
{
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	if (arg->capacity > KFD_XSCHED_MAX_ENTRIES)
		return -E2BIG;
	return arg->capacity ?
		xs_user_check_size(arg->stride, XS_QUEUE_MIN_SIZE) : 0;
}

long xs_queue_ioctl_list(struct xs_client *client, void *argument)
{
	const u32 size = sizeof(struct kfd_xsched_queue);
	struct kfd_xsched_queue *found __free(kvfree) = NULL;
	struct kfd_xsched_list *arg = argument;
	struct xs_user_array to = {
		.address = arg->queues,
		.stride = arg->stride,
	};
	int ret = list_check(arg);
	u32 room;

	if (ret)
		return ret;
	scoped_guard(mutex, &xs_lock) {
		room = min(arg->capacity, queue_count);
		found = kvcalloc(room, size, GFP_KERNEL);
		if (!found)
			return -ENOMEM;
		arg->count = fill_locked(found, room, client);
	}
	to.count = min(room, arg->count);
	return xs_user_put_array(&to, found, size);
}
