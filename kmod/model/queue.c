// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues. See queue.h.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "core.h"
#include "model/account.h"
#include "model/queue.h"
#include "model/request.h"

/* By id. An index is an unsigned long: amdkfd needs 64 bits, too. */
static DEFINE_XARRAY(queue_by_id);
static unsigned int queue_count;	/* read without the lock */
static u64 queue_changes;
static DEFINE_HASHTABLE(queue_by_hw, 12);

static atomic64_t queue_nonsense;

struct xs_queue *xs_queue_find_hw_locked(const struct xs_hw_queue *hw)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(queue_by_hw, queue, by_hw, (unsigned long)hw) {
		if (queue->change.hw == hw)
			return queue;
	}
	return NULL;
}

struct xs_queue *xs_queue_find_locked(u64 id)
{
	lockdep_assert_held(&xs_lock);

	if (!id || id > xs_id_last())
		return ERR_PTR(-ENOENT);
	return xa_load(&queue_by_id, id) ?: ERR_PTR(-ESRCH);
}

struct xs_queue *xs_queue_above_locked(u64 id)
{
	unsigned long at = id;

	lockdep_assert_held(&xs_lock);

	return xa_find_after(&queue_by_id, &at, ULONG_MAX, XA_PRESENT);
}

u64 xs_queue_changes_locked(void)
{
	lockdep_assert_held(&xs_lock);

	return queue_changes;
}

unsigned int xs_queue_count(void)
{
	return READ_ONCE(queue_count);
}

bool xs_queue_can_be_watched(const struct xs_queue *queue)
{
	return queue->watch.read_index && queue->watch.write_index;
}

void xs_queue_makes_no_sense(const struct xs_queue *queue)
{
	atomic64_inc(&queue_nonsense);
	pr_warn_once("kfd_xsched: queue %u on node %u: its indices, or what was saved of it, make no sense: it is taken to have work. This is said once; see /sys/class/kfd_xsched/global/statistics/nonsense\n",
		     queue->queue_id, queue->pdd->node->desc.gpu_id);
}

u64 xs_queue_nonsense_count(void)
{
	return atomic64_read(&queue_nonsense);
}

static bool queue_shows_idle(const struct xs_queue *queue)
{
	return queue->quiet.read_index && queue->quiet.write_index;
}

/* ---- come and go --------------------------------------------------------- */

/* The driver made it before anybody could look: was it born held or not? */
static void queue_init(struct xs_queue *queue, struct xs_hw_queue *hw,
		       const struct xs_hw_queue_desc *desc, struct xs_pdd *pdd)
{
	const bool unknown = pdd->process->born_held;

	queue->change.hw = hw;
	queue->pdd = pdd;
	queue->queue_id = desc->queue_id;
	queue->type = desc->type;
	queue->owner = xs_owner_get(pdd->space);
	queue->payer = xs_account_payer_of(queue->owner.cred);
	queue->applied = unknown ? XS_APPLIED_UNKNOWN : XS_APPLIED_FREE;
	queue->has_run = !unknown;
	xs_terms_init(&queue->override);
	INIT_LIST_HEAD(&queue->in_asked);
	queue->priority = desc->priority;
	if (xs_queue_can_classify(queue))
		queue->prio_class = KFD_XSCHED_CLASS_NORMAL;
	queue->watch.doorbell = desc->doorbell;
	if (desc->indices_count_packets) {
		queue->watch.read_index = desc->read_index;
		queue->watch.write_index = desc->write_index;
	}
	if (desc->indices_show_idle) {
		queue->quiet.read_index = desc->read_index;
		queue->quiet.write_index = desc->write_index;
	}
}

static void queue_link_locked(struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	/* There is room for it. */
	xa_store(&queue_by_id, queue->id, queue, 0);
	WRITE_ONCE(queue_count, queue_count + 1);
	queue_changes++;
	hash_add(queue_by_hw, &queue->by_hw, (unsigned long)queue->change.hw);
	list_add_tail(&queue->in_node, &pdd->node->queues);
	WRITE_ONCE(pdd->node->queue_count, pdd->node->queue_count + 1);
	list_add_tail(&queue->in_pdd, &pdd->queues);
	pdd->live++;
	pdd->blind += !queue_shows_idle(queue);
}

int xs_birth_begin(struct xs_birth *birth, const struct xs_hw_queue_desc *desc)
{
	lockdep_assert_not_held(&xs_lock);

	*birth = (struct xs_birth){
		.id = xs_id_new(),
		.queue = kzalloc(sizeof(*birth->queue), GFP_KERNEL),
		.pdd = kzalloc(sizeof(*birth->pdd), GFP_KERNEL),
		.space = kzalloc(sizeof(*birth->space), GFP_KERNEL),
	};
	birth->process = xs_process_alloc(desc->pid, birth->id);
	xs_supply_init(&birth->requests, 0);
	if (birth->queue && birth->pdd && birth->space && birth->process &&
	    !xa_reserve(&queue_by_id, birth->id, GFP_KERNEL))
		return 0;
	xs_birth_end(birth);
	return -ENOMEM;
}

void xs_birth_end(struct xs_birth *birth)
{
	/* It keeps what was stored. */
	xa_release(&queue_by_id, birth->id);
	kfree(birth->queue);
	kfree(birth->pdd);
	kfree(birth->space);
	xs_process_dealloc(birth->process, birth->id);
	xs_supply_free(&birth->requests);
}

/* Without memory it is not asked for that. */
static void queue_inherit_from_locked(struct xs_queue *queue, struct xs_request *on_process,
				      struct xs_supply *requests)
{
	struct xs_holder *holder = on_process->holder;
	struct xs_pdd *pdd = queue->pdd;
	struct xs_request *request = xs_request_find(&pdd->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request && xs_request_is_for_all(request))
		return;
	request = list_is_singular(&pdd->queues) ?
		xs_request_on_pdd_locked(pdd, holder, requests, true) :
		xs_request_on_queue_locked(queue, holder, requests, true);
	if (!IS_ERR(request))
		xs_request_inherit_locked(request, on_process);
}

static void queue_inherit_locked(struct xs_queue *queue, struct xs_supply *requests)
{
	struct xs_request *on_process;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry(on_process, &queue->pdd->process->requests, in_target) {
		if (xs_request_any(on_process))
			queue_inherit_from_locked(queue, on_process, requests);
	}
}

/* How many requests it may need: for each on the process one on the queue, and its parent. */
static u32 queue_wants_locked(const struct xs_process *process)
{
	const struct xs_request *request;
	u32 count = 0;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry(request, &process->requests, in_target) {
		if (xs_request_any(request))
			count += 2;
	}
	return count;
}

struct xs_queue *xs_queue_new_locked(struct xs_hw_queue *hw,
				     const struct xs_hw_queue_desc *desc,
				     struct xs_space *space, struct xs_node *node,
				     struct xs_birth *birth)
{
	const u32 wants = queue_wants_locked(space->process);
	struct xs_queue *queue = birth->queue;

	lockdep_assert_held(&xs_lock);

	if (wants > birth->wanted) {
		birth->wanted = wants;
		return ERR_PTR(-EAGAIN);
	}
	birth->queue = NULL;
	queue->id = birth->id;
	queue_init(queue, hw, desc, xs_pdd_need_locked(space, node, birth));
	queue_link_locked(queue);
	queue_inherit_locked(queue, &birth->requests);
	if (!xs_queue_is_settled_locked(queue))
		xs_pdd_set_pending_locked(queue->pdd);
	return queue;
}

void xs_queue_free_locked(struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	xs_requests_drop_locked(&queue->requests);
	list_del(&queue->in_pdd);
	pdd->blind -= !queue_shows_idle(queue);
	list_del(&queue->in_node);
	list_del(&queue->in_asked);
	WRITE_ONCE(pdd->node->queue_count, pdd->node->queue_count - 1);
	hash_del(&queue->by_hw);
	xa_erase(&queue_by_id, queue->id);
	WRITE_ONCE(queue_count, queue_count - 1);
	queue_changes++;
	xs_owner_put(&queue->owner);
	kfree(queue);
	if (list_empty(&pdd->queues))
		xs_pdd_free_locked(pdd);
}

void xs_queues_free_locked(void)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	while ((queue = xs_queue_above_locked(0))) {
		xs_queue_set_gone_locked(queue, ktime_get_ns());
		xs_queue_free_locked(queue);
	}
	xa_destroy(&queue_by_id);
}

/* ---- what is known of it ------------------------------------------------- */

int xs_queue_set_held_locked(struct xs_queue *queue, bool held, u64 now)
{
	lockdep_assert_held(&xs_lock);

	if (held && !queue->held_since) {
		queue->held_since = now;
		return 1;
	}
	if (!held && queue->held_since) {
		queue->held_ns += now - queue->held_since;
		queue->held_since = 0;
		return -1;
	}
	return 0;
}

int xs_queue_set_gone_locked(struct xs_queue *queue, u64 now)
{
	lockdep_assert_held(&xs_lock);

	if (queue->applied != XS_APPLIED_GONE)
		queue->pdd->live--;
	WRITE_ONCE(queue->applied, XS_APPLIED_GONE);
	return xs_queue_set_held_locked(queue, false, now);
}

static void queue_demote(const struct xs_queue *queue, struct xs_terms *terms)
{
	if (xs_queue_can_prioritise(queue))
		terms->priority = 0;
	if (xs_queue_can_classify(queue))
		terms->prio_class = KFD_XSCHED_CLASS_LOW;
}

/* The usual case. An override may be one that the queue cannot have. */
static bool queue_is_asked_as_its_pdd(const struct xs_queue *queue, const struct xs_terms *on_pdd)
{
	return hlist_empty(&queue->requests) && on_pdd->priority == KFD_XSCHED_PRIORITY_APP &&
		on_pdd->prio_class == KFD_XSCHED_CLASS_APP &&
		!xs_process_is_demoted(queue->pdd->process);
}

const struct xs_terms *xs_queue_asked_locked(const struct xs_queue *queue,
					     const struct xs_terms *on_pdd, struct xs_terms *own)
{
	lockdep_assert_held(&xs_lock);

	if (queue_is_asked_as_its_pdd(queue, on_pdd))
		return on_pdd;
	*own = *on_pdd;
	xs_sum_add(&queue->sum, own);
	if (!xs_queue_can_prioritise(queue))
		own->priority = KFD_XSCHED_PRIORITY_APP;
	if (!xs_queue_can_classify(queue))
		own->prio_class = KFD_XSCHED_CLASS_APP;
	if (xs_process_is_demoted(queue->pdd->process))
		queue_demote(queue, own);
	return own;
}

bool xs_queue_is_settled_locked(const struct xs_queue *queue)
{
	struct xs_terms on_pdd, own;

	lockdep_assert_held(&xs_lock);

	xs_pdd_asked_locked(queue->pdd, &on_pdd);
	return xs_terms_settled(xs_queue_asked_locked(queue, &on_pdd, &own), queue->applied,
				&queue->override);
}

u32 xs_queue_holders_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->applied == XS_APPLIED_GONE ? 0 : queue->pdd->sum.held + queue->sum.held;
}

u64 xs_queue_held_ns_locked(const struct xs_queue *queue, u64 now)
{
	lockdep_assert_held(&xs_lock);

	return queue->held_ns + (queue->held_since ? now - queue->held_since : 0);
}

/* The application may have changed it since, which nobody reports. */
u32 xs_queue_priority_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->override.priority == KFD_XSCHED_PRIORITY_APP ?
		xs_backend->priority(queue->change.hw) : queue->priority;
}
