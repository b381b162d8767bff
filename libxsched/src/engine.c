// SPDX-License-Identifier: MIT
/*
 * The engine: what happened goes in, a plan comes out.
 *
 * It keeps, for each tenant, what was committed; the policy says what ought to
 * be; the plan is the difference. So a plan that was lost, or carried out in
 * part, needs no repair: the next one has what is missing.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_priv.h"

static const struct xsched_policy_ops *const policies[] = {
	&xsched_policy_hpf,
};

#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))

const char *xsched_policy_name(size_t index)
{
	return index < POLICY_COUNT ? policies[index]->name : NULL;
}

static const struct xsched_policy_ops *policy_find(const char *name)
{
	for (size_t i = 0; i < POLICY_COUNT; i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}

int xsched_engine_new(struct xsched_engine **out, const char *policy,
		      xsched_gone_fn gone, void *context)
{
	const struct xsched_policy_ops *ops = policy_find(policy);
	struct xsched_engine *engine;

	if (!ops)
		return -EOPNOTSUPP;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	engine->policy = ops;
	engine->gone = gone;
	engine->context = context;
	*out = engine;
	return 0;
}

void xsched_engine_free(struct xsched_engine *engine)
{
	if (!engine)
		return;
	while (engine->tenants.count)
		tenant_remove(engine, tenant_of(engine->order[0]));
	xsched_map_free(&engine->tenants);
	xsched_map_free(&engine->queues);
	free(engine->order);
	free(engine->hold);
	free(engine->release);
	free(engine);
}

int xsched_engine_set_policy(struct xsched_engine *engine, const char *policy)
{
	const struct xsched_policy_ops *ops = policy_find(policy);

	if (!ops)
		return -EOPNOTSUPP;
	engine->policy = ops;
	/*
	 * Another policy may want another order: place each tenant anew. A
	 * tenant goes behind those it passes, so each is met once.
	 */
	for (size_t i = 0; i < engine->tenants.count; i++) {
		struct xsched_policy_tenant *item = engine->order[i];
		size_t j = i;

		for (; j && ops->before(item, engine->order[j - 1]); j--)
			engine->order[j] = engine->order[j - 1];
		engine->order[j] = item;
	}
	return 0;
}

const char *xsched_engine_policy(const struct xsched_engine *engine)
{
	return engine->policy->name;
}

/* ---- what happened ------------------------------------------------------ */

int xsched_engine_queue_add(struct xsched_engine *engine, uint64_t id,
			    int32_t pid, uint32_t gpu_id)
{
	struct tenant *tenant;
	bool fresh = false;
	int ret;

	if (pid <= 0)
		return -EINVAL;
	if (queue_find(engine, id))
		return 0;
	tenant = tenant_find(engine, pid);
	if (!tenant) {
		ret = tenant_add(engine, pid, &tenant);
		if (ret)
			return ret;
		fresh = true;
	}
	ret = queue_add(engine, tenant, id, gpu_id);
	if (ret) {
		if (fresh)
			tenant_remove(engine, tenant);
		return ret;
	}
	return fresh ? XSCHED_NEW_TENANT : 0;
}

int xsched_engine_queue_del(struct xsched_engine *engine, uint64_t id)
{
	struct queue *queue = queue_find(engine, id);

	if (!queue)
		return -ENOENT;
	queue_remove(engine, queue);
	return 0;
}

int xsched_engine_queue_ready(struct xsched_engine *engine, uint64_t id,
			      bool ready)
{
	struct queue *queue = queue_find(engine, id);

	if (!queue)
		return -ENOENT;
	queue_set_ready(queue, ready);
	return 0;
}

int xsched_engine_process_exit(struct xsched_engine *engine, int32_t pid)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	tenant_remove(engine, tenant);
	return 0;
}

/* What a reset left of our holds is the kernel's affair: assert them again. */
static void doubt_holds(struct xsched_engine *engine)
{
	for (size_t i = 0; i < engine->tenants.count; i++) {
		struct tenant *tenant = tenant_of(engine->order[i]);

		if (tenant->state == XSCHED_HELD)
			tenant->state = XSCHED_UNCERTAIN;
	}
}

int xsched_engine_event(struct xsched_engine *engine,
			const struct kfd_xsched_event *event)
{
	switch (event->type) {
	case KFD_XSCHED_EVENT_QUEUE_ADD:
		if (event->pid <= 0)
			return 0;
		return xsched_engine_queue_add(engine, event->id, event->pid,
					       event->gpu_id);
	case KFD_XSCHED_EVENT_QUEUE_DEL:
		xsched_engine_queue_del(engine, event->id);
		return 0;
	case KFD_XSCHED_EVENT_PROCESS_EXIT:
		xsched_engine_process_exit(engine, event->pid);
		return 0;
	case KFD_XSCHED_EVENT_READY:
	case KFD_XSCHED_EVENT_IDLE:
		xsched_engine_queue_ready(engine, event->id,
				event->type == KFD_XSCHED_EVENT_READY);
		return 0;
	case KFD_XSCHED_EVENT_LOST:
		return -ESTALE;
	case KFD_XSCHED_EVENT_NODE_RESET:
		if (event->data)
			doubt_holds(engine);
		return 0;
	default:
		return 0;
	}
}

void xsched_engine_sync_begin(struct xsched_engine *engine)
{
	for (size_t i = 0; i < engine->tenants.count; i++) {
		struct tenant *tenant = tenant_of(engine->order[i]);

		for (struct queue *q = tenant->queues; q; q = q->next)
			q->listed = false;
	}
}

int xsched_engine_sync_queue(struct xsched_engine *engine,
			     const struct kfd_xsched_queue *listed)
{
	struct queue *queue;
	int ret;

	ret = xsched_engine_queue_add(engine, listed->id, listed->pid,
				      listed->gpu_id);
	if (ret < 0)
		return ret;
	queue = queue_find(engine, listed->id);
	queue->listed = true;
	queue_set_ready(queue, listed->state & KFD_XSCHED_QUEUE_READY);
	return ret;
}

void xsched_engine_sync_end(struct xsched_engine *engine)
{
	/* From the end: removal moves only what has been looked at. */
	for (size_t i = engine->tenants.count; i-- > 0;) {
		struct tenant *tenant = tenant_of(engine->order[i]);
		struct queue *next;

		for (struct queue *q = tenant->queues; q; q = next) {
			next = q->next;
			if (!q->listed)
				queue_remove(engine, q);
		}
		if (!tenant->queues && tenant->state == XSCHED_RELEASED &&
		    !tenant->policy.manual)
			tenant_remove(engine, tenant);
	}
}

/* ---- what somebody wants ------------------------------------------------ */

int xsched_engine_set_priority(struct xsched_engine *engine, int32_t pid,
			       int32_t priority)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	if (priority < XSCHED_PRIORITY_MIN || priority > XSCHED_PRIORITY_MAX)
		return -EINVAL;
	tenant->policy.priority = priority;
	tenant_place(engine, tenant);
	return 0;
}

int xsched_engine_set_manual(struct xsched_engine *engine, int32_t pid,
			     bool manual)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	tenant->policy.manual = manual;
	return 0;
}

int xsched_engine_set_exempt(struct xsched_engine *engine, int32_t pid,
			     bool exempt)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	tenant->policy.exempt = exempt;
	return 0;
}

int xsched_engine_set_user(struct xsched_engine *engine, int32_t pid,
			   void *user)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	tenant->user = user;
	return 0;
}

/* ---- what to do --------------------------------------------------------- */

void xsched_engine_plan(struct xsched_engine *engine, uint64_t now_ns,
			struct xsched_plan *plan)
{
	size_t count = engine->tenants.count;

	*plan = (struct xsched_plan){
		.hold = engine->hold,
		.release = engine->release,
	};
	plan->deadline_ns = engine->policy->decide(engine->order, count,
						   now_ns);
	for (size_t i = 0; i < count; i++) {
		const struct tenant *tenant = tenant_of(engine->order[i]);
		const struct xsched_policy_tenant *p = &tenant->policy;
		bool hold = p->hold || p->manual;

		if (p->exempt)
			continue;
		if (hold && tenant->state != XSCHED_HELD)
			engine->hold[plan->hold_count++] = p->pid;
		else if (!hold && tenant->state != XSCHED_RELEASED)
			engine->release[plan->release_count++] = p->pid;
	}
}

int xsched_engine_commit(struct xsched_engine *engine, int32_t pid, int state,
			 uint64_t now_ns)
{
	struct tenant *tenant = tenant_find(engine, pid);

	if (!tenant)
		return -ENOENT;
	if (state == XSCHED_HELD && !tenant->counting) {
		tenant->counting = true;
		tenant->held_since_ns = now_ns;
		tenant->holds++;
		if (tenant->policy.ready)
			tenant->preemptions++;
	} else if (state == XSCHED_RELEASED && tenant->counting) {
		tenant->counting = false;
		tenant->held_ns += now_ns - tenant->held_since_ns;
	}
	tenant->state = state;
	return 0;
}

/* ---- what there is ------------------------------------------------------ */

size_t xsched_engine_tenants(const struct xsched_engine *engine)
{
	return engine->tenants.count;
}

static void describe(const struct tenant *tenant, uint64_t now_ns,
		     struct xsched_tenant *out)
{
	const struct xsched_policy_tenant *p = &tenant->policy;

	*out = (struct xsched_tenant){
		.pid = p->pid,
		.priority = p->priority,
		.state = tenant->state,
		.manual = p->manual,
		.exempt = p->exempt,
		.ready = p->ready != 0,
		.queues = tenant->queue_count,
		.nodes = __builtin_popcountll(p->nodes),
		.holds = tenant->holds,
		.preemptions = tenant->preemptions,
		.held_ns = tenant->held_ns,
		.user = tenant->user,
	};
	if (tenant->counting && now_ns > tenant->held_since_ns)
		out->held_ns += now_ns - tenant->held_since_ns;
}

int xsched_engine_tenant_at(const struct xsched_engine *engine, size_t index,
			    uint64_t now_ns, struct xsched_tenant *tenant)
{
	if (index >= engine->tenants.count)
		return -ENOENT;
	describe(tenant_of(engine->order[index]), now_ns, tenant);
	return 0;
}

int xsched_engine_tenant(const struct xsched_engine *engine, int32_t pid,
			 uint64_t now_ns, struct xsched_tenant *tenant)
{
	const struct tenant *found = tenant_find(engine, pid);

	if (!found)
		return -ENOENT;
	describe(found, now_ns, tenant);
	return 0;
}

void *xsched_engine_user(const struct xsched_engine *engine, int32_t pid)
{
	const struct tenant *tenant = tenant_find(engine, pid);

	return tenant ? tenant->user : NULL;
}
