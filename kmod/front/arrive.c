// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the floors below report of nodes, processes and queues: they come and go.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "backend.h"
#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/demotion.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"
#include "watch/watch.h"

/* ---- nodes --------------------------------------------------------------- */

int xs_node_added(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc)
{
	struct xs_node *node = xs_node_new(hw, desc);
	bool known;

	if (!node)
		return -ENOMEM;
	xs_transact_init(node);
	xs_sampler_init_node(node);
	xs_waves_init_node(node);
	xs_watchdog_init_node(node);
	scoped_guard(rt_mutex, &xs_lock) {
		known = xs_node_find_locked(hw);
		if (!known)
			xs_node_insert_locked(node);
	}
	if (known) {
		xs_node_stop(node);
		xs_node_put(node);
		return 0;
	}
	trace_node_add(desc->gpu_id);
	xs_sysfs_node_add(node);
	return 0;
}

/* Its queues may still be there, if the GPU was unplugged: they do not run any more. */
static void arrive_watch_no_more_locked(struct xs_node *node)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &node->queues, in_node)
		xs_sampler_remove_locked(queue);
}

static void arrive_set_gone_locked(struct xs_node *node)
{
	const u64 now = ktime_get_ns();
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &node->queues, in_node)
		xs_watchdog_add(xs_queue_set_gone_locked(queue, now));
}

/* It is in no list. */
static void arrive_end_node(struct xs_node *node)
{
	trace_node_del(node->desc.gpu_id);
	xs_sysfs_node_del(node);
	xs_waves_stop_node(node);
	xs_node_stop(node);
	scoped_guard(rt_mutex, &xs_lock)
		arrive_set_gone_locked(node);
	xs_node_put(node);
}

void xs_node_removed(struct xs_hw_node *hw)
{
	struct xs_node *node;

	scoped_guard(rt_mutex, &xs_lock) {
		node = xs_node_find_locked(hw);
		if (node) {
			xs_node_unlink_locked(node);
			arrive_watch_no_more_locked(node);
		}
	}
	if (node)
		arrive_end_node(node);
}

/* Called with amdkfd's reset semaphore held for writing: xs_lock must not be taken. */
void xs_node_reset(struct xs_hw_node *hw, bool done)
{
	const u32 gpu_id = xs_node_note_reset(hw, done);

	if (!gpu_id)
		return;
	trace_node_reset(gpu_id, done);
	if (done)
		xs_park_tapped();
	xs_event_node(gpu_id, KFD_XSCHED_EVENT_NODE_RESET, ktime_get_ns(), done);
}

void xs_node_breaker(const struct xs_node *node)
{
	const bool open = xs_node_is_shut(node);
	const u32 gpu_id = node->desc.gpu_id;

	if (open)
		pr_err("kfd_xsched: node %u: preemptions failed, and no single user's programs are to blame: nothing is held or prioritised there until an administrator writes \"closed\" to /sys/class/kfd_xsched/node%u/breaker\n",
		       gpu_id, gpu_id);
	else
		pr_info("kfd_xsched: node %u: queues can be held and prioritised there again\n",
			gpu_id);
	trace_node_breaker(gpu_id, open);
	if (!open)
		xs_park_tapped();
	xs_event_node(gpu_id, KFD_XSCHED_EVENT_NODE_BREAKER, ktime_get_ns(), open);
}

/* The lock of a queue manager is held, and of this module's perhaps xs_node.lock. */
void xs_preempt_failed(struct xs_hw_node *hw_node, struct xs_hw_queue *hw_queue)
{
	struct xs_queue *queue;
	struct xs_node *node;

	guard(rt_mutex)(&xs_lock);
	node = xs_node_find_locked(hw_node);
	queue = hw_queue ? xs_queue_find_hw_locked(hw_queue) : NULL;
	/* Of a queue that is not known yet, somebody is to blame, but nobody knows who. */
	if (node && (queue || !hw_queue))
		xs_trip_failed_locked(node, queue);
}

void xs_process_demoted(struct xs_process *process)
{
	const bool demoted = xs_process_is_demoted(process);

	if (demoted)
		pr_warn_ratelimited("kfd_xsched: process %d of user %u is demoted: a queue of it, or of another process of that user, did not save its waves; see /sys/class/kfd_xsched/global/demoted\n",
				    pid_nr(process->pid), __kuid_val(xs_process_user(process)));
	trace_process_demoted(process);
	xs_event_process(process, KFD_XSCHED_EVENT_DEMOTED, ktime_get_ns(), demoted);
	xs_armed_look_later();
}

/* ---- queues -------------------------------------------------------------- */

static void arrive_trace_requests_locked(const struct xs_queue *queue,
					 const struct hlist_head *requests)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry(request, requests, in_target) {
		if (request->now.held)
			trace_hold(request->holder, queue);
	}
}

/* It came with the holds of its process. */
static void arrive_trace_holds_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	arrive_trace_requests_locked(queue, &queue->pdd->requests);
	arrive_trace_requests_locked(queue, &queue->requests);
}

/*
 * A queue that comes, changes or goes has preempted its node: that is amdkfd's to do, and is
 * not refused. But it counts, so that its user is not twice as fast with both.
 */
static void arrive_charge_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	xs_rates_charge(&queue->pdd->node->rates, queue->payer, ktime_get_ns());
}

/* Those of an address space that goes are taken off a node all at once. */
static bool arrive_goes_with_others_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return !queue->pdd->space->hw && !list_is_singular(&queue->pdd->queues);
}

/*
 * Who creates a queue is about to ring. It may be what a process has become by execve(), of
 * which the former address space is going.
 */
static void arrive_unpark_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	process->park.exits = false;
	xs_process_unpark_locked(process, XS_UNPARK_QUEUE, ktime_get_ns());
}

static struct xs_queue *arrive_new_queue_locked(struct xs_hw_queue *hw,
						const struct xs_hw_queue_desc *desc,
						struct xs_birth *birth)
{
	struct xs_node *node = xs_node_find_locked(desc->node);
	struct xs_space *space;

	lockdep_assert_held(&xs_lock);

	if (!node)
		return ERR_PTR(-ENOENT);
	space = xs_space_find_hw_locked(desc->process);
	if (!space) {
		space = xs_space_new_locked(desc, birth);
		xs_demote_as_user_locked(space->process);
	}
	arrive_unpark_locked(space->process);
	return xs_queue_new_locked(hw, desc, space, node, birth);
}

/* Returns its id, or 0: it is known. @node: out, where a switch is due, or NULL. */
static u64 arrive_try_to_add(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc,
			     struct xs_birth *birth, struct xs_node **node, int *ret)
{
	struct xs_queue *queue;

	guard(rt_mutex)(&xs_lock);
	*node = NULL;
	*ret = 0;
	if (xs_queue_find_hw_locked(hw))
		return 0;
	queue = arrive_new_queue_locked(hw, desc, birth);
	*ret = PTR_ERR_OR_ZERO(queue);
	if (*ret)
		return 0;
	if (!xs_queue_is_settled_locked(queue))
		*node = xs_node_get(queue->pdd->node);
	arrive_charge_locked(queue);
	arrive_trace_holds_locked(queue);
	trace_queue_add(queue);
	xs_event_queue(NULL, queue, KFD_XSCHED_EVENT_QUEUE_ADD, ktime_get_ns());
	xs_sampler_add_locked(queue);
	return queue->id;
}

/* Requests that cannot be had are not waited for: without them the queue runs. */
static u64 arrive_add_queue(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc,
			    struct xs_node **node, int *ret)
{
	struct xs_birth birth;
	u64 id;

	*node = NULL;
	*ret = xs_birth_begin(&birth, desc);
	if (*ret)
		return 0;
	while (!(id = arrive_try_to_add(hw, desc, &birth, node, ret)) && *ret == -EAGAIN)
		xs_supply_fill(&birth.requests, birth.wanted);
	xs_birth_end(&birth);
	return id;
}

/* From here on it can be held, and is, if its process is. */
int xs_queue_added(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc)
{
	struct xs_node *node;
	int ret;
	u64 id;

	id = arrive_add_queue(hw, desc, &node, &ret);
	if (id)
		xs_sysfs_queue_add(hw, id, desc->kobj);
	if (node) {
		/* What fails is tried again. */
		xs_transact(node, XS_GRACE_NOW);
		xs_node_put(node);
	}
	return ret;
}

void xs_queue_changed(struct xs_hw_queue *hw)
{
	struct xs_queue *queue;

	guard(rt_mutex)(&xs_lock);
	queue = xs_queue_find_hw_locked(hw);
	if (queue)
		arrive_charge_locked(queue);
}

/* The end of a process is reported after that of its last queue. */
static void arrive_report_exit_locked(const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	if (process->exited && list_empty(&process->pdds))
		xs_event_process(process, KFD_XSCHED_EVENT_PROCESS_EXIT, ktime_get_ns(), 0);
}

/* Returns its process, with a reference. */
static struct xs_process *arrive_free_queue_locked(struct xs_queue *queue)
{
	struct xs_process *process = xs_process_get_locked(queue->pdd->process);

	lockdep_assert_held(&xs_lock);

	if (!arrive_goes_with_others_locked(queue))
		arrive_charge_locked(queue);
	/* No event of the queue follows QUEUE_DEL. */
	xs_sampler_remove_locked(queue);
	trace_queue_del(queue);
	xs_event_queue(NULL, queue, KFD_XSCHED_EVENT_QUEUE_DEL, ktime_get_ns());
	xs_watchdog_add(xs_queue_set_gone_locked(queue, ktime_get_ns()));
	xs_queue_free_locked(queue);
	arrive_report_exit_locked(process);
	return process;
}

/* Returns the node, with a reference, if the queue may not be removed yet. */
static struct xs_node *arrive_remove_queue(struct xs_hw_queue *hw)
{
	struct xs_process *process;
	struct xs_queue *queue;

	scoped_guard(rt_mutex, &xs_lock) {
		queue = xs_queue_find_hw_locked(hw);
		if (!queue)
			return NULL;
		if (queue->pinned)
			return xs_node_get(queue->pdd->node);
		process = arrive_free_queue_locked(queue);
	}
	/* With the last one, requests on the process go, too: others want xs_lock before. */
	scoped_guard(rt_mutex, &xs_lock)
		xs_process_put_locked(process);
	return NULL;
}

void xs_queue_removed(struct xs_hw_queue *hw)
{
	struct xs_node *node;

	/* Before any lock: it waits for readers and writers of the files. */
	xs_sysfs_queue_del(hw);
	node = arrive_remove_queue(hw);
	if (!node)
		return;
	/* With the lock, nobody has it pinned. */
	scoped_guard(rt_mutex, &node->lock)
		arrive_remove_queue(hw);
	xs_node_put(node);
}

/* ---- processes ----------------------------------------------------------- */

/* Some of its queues are watched no more. Whether there are others. */
static bool arrive_watch_some_no_more_locked(const struct xs_space *space)
{
	struct xs_queue *queue;
	struct xs_pdd *pdd;
	u32 left = XS_SLICE;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &space->process->pdds, in_process) {
		if (pdd->space != space)
			continue;
		list_for_each_entry(queue, &pdd->queues, in_pdd) {
			if (!queue->watch.on)
				continue;
			if (!left--)
				return true;
			xs_sampler_remove_locked(queue);
		}
	}
	return false;
}

static void arrive_exit_locked(struct xs_space *space)
{
	struct xs_process *process = xs_process_get_locked(space->process);

	lockdep_assert_held(&xs_lock);

	xs_space_exit_locked(space);
	if (process->exited)
		xs_armed_process_exited_locked(process);
	arrive_report_exit_locked(process);
	xs_process_put_locked(process);
}

/* Returns whether there is more to do. */
static bool arrive_exit_some_locked(struct xs_hw_process *hw)
{
	struct xs_space *space = xs_space_find_hw_locked(hw);

	lockdep_assert_held(&xs_lock);

	if (!space)
		return false;
	/* If it is parked, its end preempts nobody. */
	if (space->process->live == 1)
		space->process->park.exits = true;
	if (arrive_watch_some_no_more_locked(space))
		return true;
	arrive_exit_locked(space);
	return false;
}

/* It has no new queues any more. Others want xs_lock, too. */
void xs_process_exited(struct xs_hw_process *hw)
{
	bool more = true;

	while (more) {
		scoped_guard(rt_mutex, &xs_lock)
			more = arrive_exit_some_locked(hw);
	}
}

/* ---- the end ------------------------------------------------------------- */

void xs_arrive_exit(void)
{
	struct xs_node *node;

	scoped_guard(rt_mutex, &xs_lock) {
		struct xs_queue *queue;
		u64 at = 0;

		while ((queue = xs_queue_above_locked(at))) {
			xs_sampler_remove_locked(queue);
			at = queue->id;
		}
		xs_queues_free_locked();
		xs_processes_free_locked();
		xs_pardon_all_locked();
	}
	for (;;) {
		scoped_guard(rt_mutex, &xs_lock) {
			node = xs_node_next_locked(NULL);
			if (node)
				xs_node_unlink_locked(node);
		}
		if (!node)
			return;
		arrive_end_node(node);
	}
}
