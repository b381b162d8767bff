// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders, requests and tenants. See request.h.
 */
#include <linux/err.h>
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
		.steps = XS_STEPS,
		.payer = XS_PAYER_ADMIN,
	};
	INIT_LIST_HEAD(&holder->in_client);
	refcount_set(&holder->refs, 1);
	INIT_LIST_HEAD(&holder->requests);
	init_waitqueue_head(&holder->unsettled);
}

struct xs_holder *xs_holder_get(struct xs_holder *holder)
{
	refcount_inc(&holder->refs);
	return holder;
}

void xs_holder_put(struct xs_holder *holder)
{
	if (refcount_dec_and_test(&holder->refs))
		holder->free(holder);
}

void xs_holder_drop_all_locked(struct xs_holder *holder)
{
	struct xs_request *request, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(request, next, &holder->requests, in_holder)
		xs_request_drop_locked(request);
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

int xs_supply_fill(struct xs_supply *supply, u32 count)
{
	struct xs_request *request;

	lockdep_assert_not_held(&xs_lock);

	supply->is_short = false;
	while (supply->count < count) {
		request = kmalloc(sizeof(*request), GFP_KERNEL_ACCOUNT);
		if (!request)
			return -ENOMEM;
		list_add(&request->in_holder, &supply->requests);
		supply->count++;
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

static struct xs_request *request_take_one(struct xs_supply *supply)
{
	struct xs_request *request = list_first_entry_or_null(&supply->requests,
							      struct xs_request, in_holder);

	if (request) {
		list_del(&request->in_holder);
		supply->count--;
	} else if (supply->gfp) {
		request = kmalloc(sizeof(*request), supply->gfp);
	}
	supply->is_short |= !request;
	return request;
}

/* ---- requests ------------------------------------------------------------ */

static void request_init(struct xs_request *request, enum xs_target on,
			 struct xs_holder *holder)
{
	*request = (struct xs_request){ .on = on, .holder = holder };
	INIT_LIST_HEAD(&request->in_holder);
	INIT_LIST_HEAD(&request->in_target);
	INIT_LIST_HEAD(&request->in_tenant);
	INIT_LIST_HEAD(&request->in_batch);
	INIT_LIST_HEAD(&request->born);
	xs_terms_init(&request->now);
	request->next = request->now;
}

/* @requests: the list of the target */
static struct xs_request *request_new_locked(enum xs_target on, struct xs_holder *holder,
					     struct list_head *requests,
					     struct xs_supply *supply)
{
	struct xs_request *request = request_take_one(supply);

	lockdep_assert_held(&xs_lock);

	if (!request)
		return NULL;
	request_init(request, on, holder);
	list_add_tail(&request->in_holder, &holder->requests);
	list_add_tail(&request->in_target, requests);
	return request;
}

struct xs_request *xs_request_find(const struct list_head *requests,
				   const struct xs_holder *holder)
{
	struct xs_request *request;

	list_for_each_entry(request, requests, in_target) {
		if (request->holder == holder)
			return request;
	}
	return NULL;
}

struct xs_request *xs_request_on_process_locked(struct xs_process *process,
						struct xs_holder *holder,
						struct xs_supply *supply)
{
	struct xs_request *request = xs_request_find(&process->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = request_new_locked(XS_ON_PROCESS, holder, &process->requests, supply);
	if (request)
		request->process = process;
	return request;
}

struct xs_request *xs_request_on_pdd_locked(struct xs_pdd *pdd, struct xs_holder *holder,
					    struct xs_supply *supply)
{
	struct xs_request *request = xs_request_find(&pdd->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = request_new_locked(XS_ON_PDD, holder, &pdd->requests, supply);
	if (request)
		request->pdd = pdd;
	return request;
}

/* It is what the other one is, and will be what the other one will be. */
static void request_follow(struct xs_request *request, struct xs_request *other)
{
	request->now = other->now;
	request->next = other->next;
	request->asked = other->asked;
	request->batch = other->batch;
	request->part = other->part;
	if (other->batch)
		list_add(&request->in_batch, &other->in_batch);
}

struct xs_request *xs_request_on_queue_locked(struct xs_queue *queue,
					      struct xs_holder *holder,
					      struct xs_supply *supply)
{
	struct xs_request *on_pdd = xs_request_find(&queue->pdd->requests, holder);
	struct xs_request *request = xs_request_find(&queue->requests, holder);

	lockdep_assert_held(&xs_lock);

	if (request)
		return request;
	request = request_new_locked(XS_ON_QUEUE, holder, &queue->requests, supply);
	if (!request)
		return NULL;
	request->queue = queue;
	request->pdd = queue->pdd;
	queue->pdd->own_requests++;
	if (on_pdd)
		request_follow(request, on_pdd);
	return request;
}

bool xs_request_any(const struct xs_request *request)
{
	return xs_terms_any(&request->now) || xs_terms_any(&request->next);
}

bool xs_request_busy(const struct xs_request *request, const struct xs_batch *batch)
{
	return request->batch && request->batch != batch;
}

void xs_request_take_locked(struct xs_request *request, struct xs_batch *batch,
			    struct xs_part *part, struct list_head *list)
{
	lockdep_assert_held(&xs_lock);

	request->batch = batch;
	request->part = part;
	request->status = 0;
	list_add_tail(&request->in_batch, list);
}

void xs_request_end_locked(struct xs_request *request, bool success)
{
	lockdep_assert_held(&xs_lock);

	if (success)
		request->now = request->next;
	else
		request->next = request->now;
	request->batch = NULL;
	request->part = NULL;
	request->asked = 0;
	list_del_init(&request->in_batch);
}

static void request_trace_release_locked(const struct xs_request *request)
{
	struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	if (!request->now.held || !trace_release_enabled())
		return;
	while ((queue = xs_request_next_queue_locked(request, queue)))
		trace_release(request->holder, queue);
}

void xs_request_drop_locked(struct xs_request *request)
{
	struct xs_request *born, *next;

	lockdep_assert_held(&xs_lock);

	request_trace_release_locked(request);
	list_for_each_entry_safe(born, next, &request->born, in_batch)
		xs_request_end_locked(born, false);
	list_del(&request->in_holder);
	list_del(&request->in_target);
	list_del(&request->in_tenant);
	list_del(&request->in_batch);
	if (request->queue)
		request->pdd->own_requests--;
	/* One that asked for nothing changes nothing. */
	if (request->pdd && xs_request_any(request))
		xs_pdd_set_pending_locked(request->pdd);
	if (request->process)
		xs_process_sync_locked(request->process);
	kfree(request);
}

void xs_request_drop_hold_locked(struct xs_request *request)
{
	lockdep_assert_held(&xs_lock);

	if (!request->now.held && !request->next.held)
		return;
	request_trace_release_locked(request);
	request->now.held = false;
	request->next.held = false;
	if (request->pdd)
		xs_pdd_set_pending_locked(request->pdd);
	else
		xs_process_sync_locked(request->process);
}

void xs_request_mask(const struct xs_pdd *pdd, struct xs_terms *terms)
{
	const u32 caps = xs_node_caps(pdd->node);

	terms->held &= xs_node_can_hold(pdd->node);
	if (!(caps & KFD_XSCHED_CAP_PRIORITY))
		terms->priority = KFD_XSCHED_PRIORITY_APP;
	if (!(caps & KFD_XSCHED_CAP_CLASS))
		terms->prio_class = KFD_XSCHED_CLASS_APP;
}

/* ---- which request governs which queue ----------------------------------- */

struct xs_request *xs_request_of_queue_locked(const struct xs_queue *queue,
					      const struct xs_holder *holder)
{
	lockdep_assert_held(&xs_lock);

	return xs_request_find(&queue->requests, holder) ?:
		xs_request_find(&queue->pdd->requests, holder);
}

/* Whether it governs a queue of its pdd. */
static bool request_governs(const struct xs_request *request, const struct xs_queue *queue)
{
	return request->on == XS_ON_QUEUE ? request->queue == queue :
					    !xs_request_find(&queue->requests, request->holder);
}

/* Those on the queue come first, then those on its pdd. */
struct xs_request *xs_request_next_locked(const struct xs_queue *queue,
					  const struct xs_request *request)
{
	const struct list_head *own = &queue->requests, *common = &queue->pdd->requests;
	const struct list_head *at = request ? request->in_target.next : own->next;
	struct xs_request *next;

	lockdep_assert_held(&xs_lock);

	if (at == own)
		at = common->next;
	for (; at != common; at = at->next) {
		next = list_entry(at, struct xs_request, in_target);
		if (request_governs(next, queue))
			return next;
	}
	return NULL;
}

struct xs_queue *xs_request_next_queue_locked(const struct xs_request *request,
					      const struct xs_queue *queue)
{
	const struct list_head *queues, *at;
	struct xs_queue *next;

	lockdep_assert_held(&xs_lock);

	if (!request->pdd)
		return NULL;
	queues = &request->pdd->queues;
	for (at = queue ? queue->in_pdd.next : queues->next; at != queues; at = at->next) {
		next = list_entry(at, struct xs_queue, in_pdd);
		if (request_governs(request, next))
			return next;
	}
	return NULL;
}

struct xs_queue *xs_request_next_held_locked(const struct xs_request *request,
					     const struct xs_queue *queue)
{
	struct xs_queue *next;

	lockdep_assert_held(&xs_lock);

	if (!request->now.held)
		return NULL;
	for (next = xs_request_next_queue_locked(request, queue); next;
	     next = xs_request_next_queue_locked(request, next)) {
		if (next->applied != XS_APPLIED_FREE && next->applied != XS_APPLIED_GONE)
			return next;
	}
	return NULL;
}

/* ---- tenants ------------------------------------------------------------- */

void xs_tenants_init(struct xs_tenants *tenants, struct xs_account *account)
{
	*tenants = (struct xs_tenants){ .account = account };
}

int xs_tenant_add_locked(struct xs_tenant *tenant, struct xs_holder *holder)
{
	struct xs_tenants *tenants = holder->tenants;
	int ret = xs_account_charge(tenants->account, XS_QUOTA_TENANTS, 1);

	lockdep_assert_held(&xs_lock);

	if (ret)
		return ret;
	tenant->id = ++tenants->last;
	tenant->tenants = tenants;
	INIT_LIST_HEAD(&tenant->members);
	request_init(&tenant->request, XS_ON_TENANT, holder);
	tenant->request.tenant = tenant;
	hash_add(tenants->by_id, &tenant->by_id, tenant->id);
	tenants->count++;
	return 0;
}

struct xs_tenant *xs_tenant_find_locked(const struct xs_tenants *tenants, u64 id)
{
	struct xs_tenant *tenant;

	lockdep_assert_held(&xs_lock);

	if (!tenants || !id || id > tenants->last)
		return ERR_PTR(-ENOENT);
	hash_for_each_possible(tenants->by_id, tenant, by_id, id) {
		if (tenant->id == id)
			return tenant;
	}
	return ERR_PTR(-ESRCH);
}

void xs_tenant_free_locked(struct xs_tenant *tenant)
{
	struct xs_request *member, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(member, next, &tenant->members, in_tenant) {
		list_del_init(&member->in_tenant);
		member->tenant = NULL;
	}
	list_del(&tenant->request.in_batch);
	hash_del(&tenant->by_id);
	tenant->tenants->count--;
	xs_account_uncharge(tenant->tenants->account, XS_QUOTA_TENANTS, 1);
	kfree(tenant);
}

void xs_tenants_free_locked(struct xs_tenants *tenants)
{
	struct xs_tenant *tenant;
	struct hlist_node *next;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	hash_for_each_safe(tenants->by_id, i, next, tenant, by_id)
		xs_tenant_free_locked(tenant);
}

/* ---- triggers ------------------------------------------------------------ */

bool xs_trigger_is_locked(const struct xs_trigger *trigger, const struct xs_process *process)
{
	const struct xs_request *member;

	lockdep_assert_held(&xs_lock);

	if (!trigger->tenant)
		return trigger->process == process;
	member = xs_request_find(&process->requests, trigger->holder);
	return member && member->tenant && member->tenant->id == trigger->tenant;
}

bool xs_trigger_any_locked(const struct xs_process *process)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	if (process->triggers)
		return true;
	list_for_each_entry(request, &process->requests, in_target) {
		if (request->tenant && request->tenant->triggers)
			return true;
	}
	return false;
}
