// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders and requests. See request.h.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core.h"
#include "model/account.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "trace.h"

/* ---- holders ------------------------------------------------------------- */

void xs_holder_init(struct xs_holder *holder, void (*free)(struct xs_holder *holder))
{
	*holder = (struct xs_holder){
		.free = free,
		.spare_max = XS_STEPS,
		.steps = XS_STEPS,
	};
	INIT_LIST_HEAD(&holder->in_client);
	refcount_set(&holder->refs, 1);
	INIT_LIST_HEAD(&holder->requests);
	xs_supply_init(&holder->spare, 0);
	init_waitqueue_head(&holder->unsettled);
}

struct xs_holder *xs_holder_get(struct xs_holder *holder)
{
	refcount_inc(&holder->refs);
	return holder;
}

void xs_holder_put(struct xs_holder *holder)
{
	if (!refcount_dec_and_test(&holder->refs))
		return;
	xs_supply_free(&holder->spare);
	holder->free(holder);
}

/* How many queues the request keeps from running. */
static u32 request_count_held_locked(const struct xs_request *request)
{
	const struct xs_queue *queue = NULL;
	u32 held = 0;

	lockdep_assert_held(&xs_lock);

	while (request->now.held && (queue = xs_request_next_queue_locked(request, queue)))
		held += xs_request_holds_locked(request, queue);
	return held;
}

bool xs_holder_drop_some_locked(struct xs_holder *holder, u32 count, u32 *held)
{
	struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	/* With one, others may go: those born with it, and a parent with the last child. */
	while ((request = list_first_entry_or_null(&holder->requests, struct xs_request,
						   in_holder))) {
		if (!count--)
			return true;
		*held += request_count_held_locked(request);
		if (request->children)
			list_move_tail(&request->in_holder, &holder->requests);
		else
			xs_request_drop_locked(request);
	}
	return false;
}

u32 xs_holder_drop_all_locked(struct xs_holder *holder)
{
	u32 held = 0;

	lockdep_assert_held(&xs_lock);

	xs_holder_drop_some_locked(holder, U32_MAX, &held);
	return held;
}

void xs_holder_settled_locked(struct xs_holder *holder)
{
	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(holder->settled, holder->settled + 1);
	if (wq_has_sleeper(&holder->unsettled))
		wake_up_all(&holder->unsettled);
}

int xs_holder_wait_settled(struct xs_holder *holder, u32 settled)
{
	return wait_event_killable(holder->unsettled, READ_ONCE(holder->settled) != settled);
}

/* ---- supplies ------------------------------------------------------------ */

void xs_supply_init(struct xs_supply *supply, gfp_t gfp)
{
	*supply = (struct xs_supply){ .gfp = gfp };
	INIT_LIST_HEAD(&supply->requests);
}

void xs_request_blank(struct xs_request *request)
{
	*request = (struct xs_request){};
	INIT_LIST_HEAD(&request->in_holder);
	INIT_HLIST_NODE(&request->in_target);
	INIT_LIST_HEAD(&request->in_tenant);
	INIT_LIST_HEAD(&request->in_batch);
	INIT_LIST_HEAD(&request->born);
	RB_CLEAR_NODE(&request->by_priority);
	RB_CLEAR_NODE(&request->by_class);
	xs_terms_init(&request->now);
	request->next = request->now;
}

static struct xs_request *request_alloc(gfp_t gfp)
{
	struct xs_request *request = kmalloc(sizeof(*request), gfp);

	if (request)
		xs_request_blank(request);
	return request;
}

static struct xs_request *request_from_supply(struct xs_supply *supply)
{
	struct xs_request *request = list_first_entry_or_null(&supply->requests,
							      struct xs_request, in_holder);

	if (!request)
		return NULL;
	list_del(&request->in_holder);
	supply->count--;
	return request;
}

static void request_to_supply(struct xs_supply *supply, struct xs_request *request)
{
	list_add(&request->in_holder, &supply->requests);
	supply->count++;
}

int xs_supply_fill(struct xs_supply *supply, u32 count)
{
	struct xs_request *request;

	lockdep_assert_not_held(&xs_lock);

	supply->is_short = false;
	while (supply->count < count) {
		request = request_alloc(GFP_KERNEL_ACCOUNT);
		if (!request)
			return -ENOMEM;
		request_to_supply(supply, request);
	}
	return 0;
}

void xs_supply_free(struct xs_supply *supply)
{
	struct xs_request *request, *next;

	list_for_each_entry_safe(request, next, &supply->requests, in_holder)
		kfree(request);
	xs_supply_init(supply, supply->gfp);
}

/* NULL: @supply is short. */
static struct xs_request *request_take_one_locked(struct xs_holder *holder,
						  struct xs_supply *supply)
{
	struct xs_request *request = request_from_supply(&holder->spare) ?:
		request_from_supply(supply);

	lockdep_assert_held(&xs_lock);

	if (!request && supply->gfp)
		request = request_alloc(supply->gfp);
	supply->is_short |= !request;
	return request;
}

/* ---- sums ---------------------------------------------------------------- */

/* Those of its terms that count. */
static const struct xs_terms *request_terms(const struct xs_request *request)
{
	return request->started ? &request->next : &request->now;
}

static bool request_is_before_by_priority(struct rb_node *a, const struct rb_node *b)
{
	return request_terms(rb_entry(a, struct xs_request, by_priority))->priority_seq <
		request_terms(rb_entry(b, struct xs_request, by_priority))->priority_seq;
}

static bool request_is_before_by_class(struct rb_node *a, const struct rb_node *b)
{
	return request_terms(rb_entry(a, struct xs_request, by_class))->class_seq <
		request_terms(rb_entry(b, struct xs_request, by_class))->class_seq;
}

static struct xs_request *request_latest_priority(const struct xs_sum *sum)
{
	return RB_EMPTY_ROOT(&sum->priorities) ? NULL :
		rb_entry(rb_last(&sum->priorities), struct xs_request, by_priority);
}

static struct xs_request *request_latest_class(const struct xs_sum *sum)
{
	return RB_EMPTY_ROOT(&sum->classes) ? NULL :
		rb_entry(rb_last(&sum->classes), struct xs_request, by_class);
}

static void request_leave_overrides(struct xs_request *request, struct xs_sum *sum)
{
	if (!RB_EMPTY_NODE(&request->by_priority)) {
		rb_erase(&request->by_priority, &sum->priorities);
		RB_CLEAR_NODE(&request->by_priority);
	}
	if (!RB_EMPTY_NODE(&request->by_class)) {
		rb_erase(&request->by_class, &sum->classes);
		RB_CLEAR_NODE(&request->by_class);
	}
}

/* Those of its pdd that are on all queues there need not look at each. */
static void request_note_override(const struct xs_request *request, u64 seq)
{
	if (request->queue)
		request->pdd->own_seq = max(request->pdd->own_seq, seq);
}

static void request_join_overrides(struct xs_request *request, struct xs_sum *sum)
{
	const struct xs_terms *terms = request_terms(request);

	if (terms->priority != KFD_XSCHED_PRIORITY_APP) {
		rb_add(&request->by_priority, &sum->priorities, request_is_before_by_priority);
		request_note_override(request, terms->priority_seq);
	}
	if (terms->prio_class != KFD_XSCHED_CLASS_APP) {
		rb_add(&request->by_class, &sum->classes, request_is_before_by_class);
		request_note_override(request, terms->class_seq);
	}
}

/* What it asks for counts no more: it is about to change. */
static void request_leave_sum(struct xs_request *request)
{
	struct xs_sum *sum = request->sum;

	if (!sum)
		return;
	request->holder->holds -= request->now.held;
	sum->held -= request->now.held;
	sum->holds -= request_terms(request)->held;
	request_leave_overrides(request, sum);
}

static void request_join_sum(struct xs_request *request)
{
	struct xs_sum *sum = request->sum;

	if (!sum)
		return;
	request->holder->holds += request->now.held;
	sum->held += request->now.held;
	sum->holds += request_terms(request)->held;
	request_join_overrides(request, sum);
}

/* Its next terms count from now on. */
static void request_start_in_sum(struct xs_request *request)
{
	struct xs_sum *sum = request->sum;

	request->started = true;
	if (!sum)
		return;
	sum->holds += request->next.held - request->now.held;
	request_leave_overrides(request, sum);
	request_join_overrides(request, sum);
}

/* What was on its way is in force, which counts as it did. */
static void request_settle_in_sum(struct xs_request *request)
{
	const int holds = request->next.held - request->now.held;

	if (request->sum) {
		request->holder->holds += holds;
		request->sum->held += holds;
	}
	request->now = request->next;
	request->started = false;
}

void xs_sum_add(const struct xs_sum *sum, struct xs_terms *terms)
{
	const struct xs_request *priority = request_latest_priority(sum);
	const struct xs_request *prio_class = request_latest_class(sum);

	terms->held |= sum->holds > 0;
	if (priority)
		xs_terms_add(terms, request_terms(priority));
	if (prio_class)
		xs_terms_add(terms, request_terms(prio_class));
}

bool xs_request_is_overruled_locked(const struct xs_request *request)
{
	const u64 own_seq = request->queue ? 0 : request->pdd->own_seq;
	const struct xs_terms *now = &request->now;
	struct xs_terms all;

	lockdep_assert_held(&xs_lock);

	xs_terms_init(&all);
	xs_sum_add(&request->pdd->sum, &all);
	if (request->queue)
		xs_sum_add(&request->queue->sum, &all);
	return (now->priority != KFD_XSCHED_PRIORITY_APP &&
		max(all.priority_seq, own_seq) > now->priority_seq) ||
		(now->prio_class != KFD_XSCHED_CLASS_APP &&
		 max(all.class_seq, own_seq) > now->class_seq);
}

/* ---- requests ------------------------------------------------------------ */

struct xs_request *xs_request_find(const struct hlist_head *requests,
				   const struct xs_holder *holder)
{
	struct xs_request *request;

	hlist_for_each_entry(request, requests, in_target) {
		if (request->holder == holder)
			return request;
	}
	return NULL;
}

/* @requests: the list of a target */
static int request_charge_locked(struct xs_account *account, const struct hlist_head *requests)
{
	const struct xs_request *request;
	u32 count = 0;

	lockdep_assert_held(&xs_lock);

	if (!account)
		return 0;
	hlist_for_each_entry(request, requests, in_target)
		count += request->holder->account == account;
	return count >= XS_REQUESTS_ON_TARGET ? -EDQUOT :
		xs_account_charge(account, XS_QUOTA_REQUESTS, 1);
}

void xs_process_sync_locked(struct xs_process *process)
{
	const struct xs_space *space;
	const bool hold = process->sum.holds;

	lockdep_assert_held(&xs_lock);

	if (process->exited || hold == process->hold_new)
		return;
	list_for_each_entry(space, &process->spaces, in_process) {
		if (space->hw)
			xs_backend->hold_new(space->hw, hold);
	}
	process->hold_new = hold;
	process->born_held |= hold;
}

/* Off the account, and blank. */
static void request_put_away_locked(struct xs_request *request)
{
	struct xs_holder *holder = request->holder;

	lockdep_assert_held(&xs_lock);

	holder->in_use--;
	if (request->charged)
		xs_account_uncharge(holder->account, XS_QUOTA_REQUESTS, 1);
	/* The allocator may take long, so not here. */
	if (holder->spare.count == holder->spare_max) {
		kfree_rcu(request, rcu);
		return;
	}
	xs_request_blank(request);
	request_to_supply(&holder->spare, request);
}

/* @requests: the list of the target */
static struct xs_request *request_new_locked(enum xs_target on, struct xs_holder *holder,
					     struct hlist_head *requests,
					     struct xs_supply *supply, bool must)
{
	struct xs_request *request;
	int ret = request_charge_locked(holder->account, requests);

	lockdep_assert_held(&xs_lock);

	if (ret && !must)
		return ERR_PTR(ret);
	request = request_take_one_locked(holder, supply);
	if (!request) {
		if (!ret)
			xs_account_uncharge(holder->account, XS_QUOTA_REQUESTS, 1);
		return ERR_PTR(-ENOMEM);
	}
	request->on = on;
	request->holder = holder;
	request->charged = !ret;
	holder->in_use++;
	list_add_tail(&request->in_holder, &holder->requests);
	hlist_add_head(&request->in_target, requests);
	return request;
}

struct xs_request *xs_request_on_pdd_locked(struct xs_pdd *pdd, struct xs_holder *holder,
					    struct xs_supply *supply, bool must)
{
	struct xs_request *request = xs_request_find(&pdd->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = request_new_locked(XS_ON_PDD, holder, &pdd->requests, supply, must);
	if (IS_ERR(request))
		return request;
	request->pdd = pdd;
	request->sum = &pdd->sum;
	return request;
}

static struct xs_request *request_new_child_locked(struct xs_request *parent,
						   struct xs_queue *queue,
						   struct xs_supply *supply, bool must)
{
	struct xs_request *request = request_new_locked(XS_ON_QUEUE, parent->holder,
							&queue->requests, supply, must);

	lockdep_assert_held(&xs_lock);

	if (IS_ERR(request))
		return request;
	request->queue = queue;
	request->pdd = queue->pdd;
	request->sum = &queue->sum;
	request->parent = parent;
	parent->children++;
	return request;
}

/* It asks for what its parent does, and is before it in the list of the same batch, if any. */
static void request_follow_locked(struct xs_request *request, struct xs_request *parent)
{
	lockdep_assert_held(&xs_lock);

	request->now = parent->now;
	request->next = parent->next;
	xs_request_mask(request, &request->now);
	xs_request_mask(request, &request->next);
	request->asked = parent->asked;
	request_join_sum(request);
	if (parent->batch)
		xs_request_take_locked(request, parent->batch, parent->part, &parent->in_batch);
}

/* From now on its children say what is asked for. */
static void request_resign_locked(struct xs_request *parent)
{
	lockdep_assert_held(&xs_lock);

	request_leave_sum(parent);
	xs_terms_init(&parent->now);
	parent->next = parent->now;
	parent->batch = NULL;
	parent->part = NULL;
	parent->asked = 0;
	list_del_init(&parent->in_batch);
}

static void request_drop_children_locked(struct xs_request *parent)
{
	struct xs_request *request;
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &parent->pdd->queues, in_pdd) {
		request = xs_request_find(&queue->requests, parent->holder);
		if (request)
			xs_request_drop_locked(request);
	}
}

/* Make a request on each of its queues of it: 0, or an error, and all is as before. */
static int request_split_locked(struct xs_request *parent, struct xs_supply *supply, bool must)
{
	struct xs_request *request;
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &parent->pdd->queues, in_pdd) {
		request = request_new_child_locked(parent, queue, supply, must);
		if (IS_ERR(request)) {
			request_drop_children_locked(parent);
			return PTR_ERR(request);
		}
	}
	list_for_each_entry(queue, &parent->pdd->queues, in_pdd)
		request_follow_locked(xs_request_find(&queue->requests, parent->holder), parent);
	request_resign_locked(parent);
	return 0;
}

struct xs_request *xs_request_on_queue_locked(struct xs_queue *queue,
					      struct xs_holder *holder,
					      struct xs_supply *supply, bool must)
{
	struct xs_request *request = xs_request_find(&queue->requests, holder), *parent;
	int ret;

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	parent = xs_request_on_pdd_locked(queue->pdd, holder, supply, must);
	if (IS_ERR(parent))
		return parent;
	if (xs_request_is_for_all(parent)) {
		ret = request_split_locked(parent, supply, must);
		return ret ? ERR_PTR(ret) : xs_request_find(&queue->requests, holder);
	}
	request = request_new_child_locked(parent, queue, supply, must);
	if (!IS_ERR(request))
		list_del_init(&parent->in_batch);
	else if (!parent->children)
		xs_request_drop_locked(parent);
	return request;
}

struct xs_request *xs_request_of_queue_locked(const struct xs_queue *queue,
					      const struct xs_holder *holder)
{
	struct xs_request *request = xs_request_find(&queue->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = xs_request_find(&queue->pdd->requests, holder);
	return request && xs_request_is_for_all(request) ? request : NULL;
}

struct xs_queue *xs_request_next_queue_locked(const struct xs_request *request,
					      const struct xs_queue *queue)
{
	struct list_head *at;

	lockdep_assert_held(&xs_lock);

	if (request->on != XS_ON_PDD)
		return queue ? NULL : request->queue;
	at = queue ? queue->in_pdd.next : request->pdd->queues.next;
	return at == &request->pdd->queues ? NULL : list_entry(at, struct xs_queue, in_pdd);
}

struct xs_request *xs_request_on_process_locked(struct xs_process *process,
						struct xs_holder *holder,
						struct xs_supply *supply, bool must)
{
	struct xs_request *request = xs_request_find(&process->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = request_new_locked(XS_ON_PROCESS, holder, &process->requests, supply, must);
	if (IS_ERR(request))
		return request;
	request->process = process;
	request->sum = &process->sum;
	return request;
}

bool xs_request_any(const struct xs_request *request)
{
	return xs_terms_any(&request->now) || xs_terms_any(&request->next);
}

bool xs_request_is_for_all(const struct xs_request *on_pdd)
{
	return !on_pdd->children && (on_pdd->batch || xs_request_any(on_pdd));
}

void xs_request_take_locked(struct xs_request *request, struct xs_batch *batch,
			    struct xs_part *part, struct list_head *list)
{
	lockdep_assert_held(&xs_lock);

	request->batch = batch;
	request->part = part;
	request->status = 0;
	/* It may be idle, and about to be dropped. */
	if (!list_empty(&request->in_batch))
		list_del(&request->in_batch);
	list_add_tail(&request->in_batch, list);
}

static void request_set_pending_locked(const struct xs_request *request)
{
	lockdep_assert_held(&xs_lock);

	if (request->pdd)
		xs_pdd_set_pending_locked(request->pdd);
}

void xs_request_start_locked(struct xs_request *request)
{
	struct xs_request *born;

	lockdep_assert_held(&xs_lock);

	request_start_in_sum(request);
	request_set_pending_locked(request);
	list_for_each_entry(born, &request->born, in_batch)
		xs_request_start_locked(born);
}

bool xs_request_is_idle(const struct xs_request *request)
{
	return !request->batch && !request->tenant && !request->children &&
		!xs_request_any(request);
}

/* Whether it stays when it asks for nothing any more: see struct xs_request. */
static bool request_stays(const struct xs_request *request)
{
	return !request->queue && !request->holder->account;
}

void xs_request_end_locked(struct xs_request *request, bool success, struct list_head *idle)
{
	const bool stays = success && xs_request_any(request) && request_stays(request);

	lockdep_assert_held(&xs_lock);

	if (success) {
		request_settle_in_sum(request);
	} else {
		if (request->started)
			request_set_pending_locked(request);
		request_leave_sum(request);
		request->next = request->now;
		request->started = false;
		request_join_sum(request);
	}
	request->batch = NULL;
	request->part = NULL;
	request->asked = 0;
	list_del_init(&request->in_batch);
	if (!stays && xs_request_is_idle(request))
		list_add(&request->in_batch, idle);
}

/* Those of the driver's that are not there yet may be born held. */
void xs_request_inherit_locked(struct xs_request *request, struct xs_request *on_process)
{
	lockdep_assert_held(&xs_lock);

	request->now = on_process->now;
	request->next = on_process->next;
	request->started = on_process->started;
	xs_request_mask(request, &request->now);
	xs_request_mask(request, &request->next);
	request->now.held_ns = ktime_get_ns();
	request_join_sum(request);
	if (on_process->batch)
		xs_request_take_locked(request, on_process->batch, NULL, &on_process->born);
}

static void request_trace_release_locked(const struct xs_request *request)
{
	const struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	if (!request->now.held || !trace_release_enabled())
		return;
	while ((queue = xs_request_next_queue_locked(request, queue)))
		trace_release(request->holder, queue);
}

/* Its batch will not change those that queues were born with. */
static void request_end_born_locked(struct xs_request *on_process)
{
	struct xs_request *born, *next;
	LIST_HEAD(idle);

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(born, next, &on_process->born, in_batch)
		xs_request_end_locked(born, false, &idle);
	xs_request_drop_idle_locked(&idle);
}

void xs_request_drop_locked(struct xs_request *request)
{
	struct xs_request *parent = request->parent;
	struct xs_process *process = request->process;

	lockdep_assert_held(&xs_lock);

	WARN_ON_ONCE(request->children);
	request_trace_release_locked(request);
	if (!list_empty(&request->born))
		request_end_born_locked(request);
	/* One that asked for nothing changes nothing. */
	if (xs_request_any(request))
		request_set_pending_locked(request);
	request_leave_sum(request);
	list_del(&request->in_holder);
	hlist_del(&request->in_target);
	if (request->tenant)
		list_del(&request->in_tenant);
	if (!list_empty(&request->in_batch))
		list_del(&request->in_batch);
	request_put_away_locked(request);
	if (process)
		xs_process_sync_locked(process);
	if (parent && !--parent->children && xs_request_is_idle(parent))
		xs_request_drop_locked(parent);
}

void xs_requests_drop_locked(struct hlist_head *requests)
{
	struct xs_request *request;
	struct hlist_node *next;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry_safe(request, next, requests, in_target)
		xs_request_drop_locked(request);
}

bool xs_request_drop_some_locked(struct list_head *idle, u32 count)
{
	struct xs_request *request, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(request, next, idle, in_batch) {
		if (!count--)
			return true;
		xs_request_drop_locked(request);
	}
	return false;
}

void xs_request_drop_idle_locked(struct list_head *idle)
{
	lockdep_assert_held(&xs_lock);

	xs_request_drop_some_locked(idle, U32_MAX);
}

void xs_request_withdraw_locked(struct xs_request *request, bool overrides)
{
	struct xs_process *process = request->process;
	const bool holds = request->now.held || request->next.held;

	lockdep_assert_held(&xs_lock);

	request_trace_release_locked(request);
	request_leave_sum(request);
	request->now.held = false;
	request->next.held = false;
	if (overrides)
		xs_terms_copy_overrides(&request->next, &request->now);
	request_join_sum(request);
	if (holds)
		request_set_pending_locked(request);
	if (xs_request_is_idle(request))
		xs_request_drop_locked(request);
	else if (holds && process)
		xs_process_sync_locked(process);
}

void xs_request_mask(const struct xs_request *request, struct xs_terms *terms)
{
	const struct xs_node *node = request->pdd->node;

	terms->held &= xs_node_can_hold(node);
	if (!(xs_node_caps(node) & KFD_XSCHED_CAP_PRIORITY) ||
	    (request->queue && !xs_queue_can_prioritise(request->queue)))
		terms->priority = KFD_XSCHED_PRIORITY_APP;
	if (!(xs_node_caps(node) & KFD_XSCHED_CAP_CLASS))
		terms->prio_class = KFD_XSCHED_CLASS_APP;
}

bool xs_request_holds_locked(const struct xs_request *request, const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return request->now.held && queue->applied != XS_APPLIED_FREE &&
		queue->applied != XS_APPLIED_GONE;
}
