// SPDX-License-Identifier: MIT
/*
 * The local scheduler: the engine of libxsched, in which each XQueue is a
 * tenant. It is a client of its own, so that ending it releases all it held.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <unistd.h>

#include "compat.h"

#define MS		1000000ULL
#define SETTLE_US	1000
#define RENEWALS	4
/* After a failed switch, or an ejection: soon, but not at once. */
#define RETRY_NS	(100 * MS)
/* After the kernel refused an XQueue: twice as long each time, up to about a minute. */
#define RETRY_FIRST_NS	MS
#define RETRY_DOUBLINGS	16

#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)
#define EVENTS		(BIT(READY) | BIT(IDLE) | BIT(QUEUE_DEL) | \
			 BIT(NODE_RESET))

static struct {
	struct xsched_engine *engine;
	struct xsched_device *device;
	struct xsched_apply *apply;
	uint64_t next_renewal_ns;
	uint64_t retry_ns;
} local;

static struct xqueue *find_serial(int32_t serial)
{
	struct xqueue *xq = compat.xqs;

	while (xq && xq->serial != serial)
		xq = xq->next;
	return xq;
}

static struct xqueue *find_queue(uint64_t id)
{
	struct xqueue *xq = compat.xqs;

	while (xq && xq->queue.id != id)
		xq = xq->next;
	return xq;
}

int local_fd(void)
{
	return local.device ? xsched_fd(local.device) : -1;
}

static void disconnect(void)
{
	xsched_close(local.device);
	local.device = NULL;
}

/* Become a client, and find out which of our queues have work. */
static int reconnect(void)
{
	struct xsched_queue_list list = { 0 };
	int ret = xsched_open(&local.device, device_path());

	if (ret)
		return ret;
	local.next_renewal_ns = 0;
	ret = xsched_subscribe(local.device, EVENTS, 0, SETTLE_US);
	if (!ret)
		ret = xsched_list_queues(local.device, &list);
	for (size_t i = 0; !ret && i < list.count; i++)
		xsched_engine_queue_ready(local.engine, list.queues[i].id,
			list.queues[i].state & KFD_XSCHED_QUEUE_READY);
	xsched_queue_list_free(&list);
	if (ret)
		disconnect();
	return ret;
}

void local_stop(void)
{
	disconnect();
	xsched_engine_free(local.engine);
	xsched_apply_free(local.apply);
	local.engine = NULL;
	local.apply = NULL;
	local.retry_ns = 0;
}

int local_start(const char *policy)
{
	int ret;

	if (local.engine)
		return xsched_engine_set_policy(local.engine, policy);
	ret = xsched_engine_new(&local.engine, policy, NULL, NULL);
	if (!ret)
		ret = xsched_apply_new(&local.apply, 16);
	if (!ret)
		ret = reconnect();
	for (struct xqueue *xq = compat.xqs; !ret && xq; xq = xq->next)
		if (xq->queue.id)
			ret = local_add(xq);
	if (!ret)
		ret = worker_start();
	if (ret)
		local_stop();
	return ret;
}

int local_add(const struct xqueue *xq)
{
	struct xsched_queue_list list = { 0 };
	int ret;

	if (!local.engine)
		return 0;
	ret = xsched_engine_queue_add(local.engine, xq->queue.id, xq->serial,
				      xq->queue.gpu_id);
	if (ret < 0)
		return ret;
	xsched_engine_set_priority(local.engine, xq->serial, xq->priority);
	/* It may have been READY before the subscription. */
	if (local.device && !xsched_list_queues(local.device, &list))
		for (size_t i = 0; i < list.count; i++)
			if (list.queues[i].id == xq->queue.id)
				xsched_engine_queue_ready(local.engine,
					xq->queue.id, list.queues[i].state &
					KFD_XSCHED_QUEUE_READY);
	xsched_queue_list_free(&list);
	worker_wake();
	return 0;
}

void local_remove(const struct xqueue *xq)
{
	if (!local.engine || !xq->queue.id)
		return;
	xsched_engine_process_exit(local.engine, xq->serial);
	if (local.device) {
		xsched_apply_reset(local.apply);
		/* It may not be held; other errors show at the next switch. */
		if (!xsched_apply_resume_queue(local.apply, xq->queue.id))
			xsched_apply_run(local.apply, local.device);
	}
	worker_wake();
}

void local_priority(const struct xqueue *xq)
{
	if (!local.engine)
		return;
	xsched_engine_set_priority(local.engine, xq->serial, xq->priority);
	worker_wake();
}

int local_hint(const struct xqueue *xq, enum xsched_hint hint, int64_t value)
{
	int ret = local.engine ? xsched_engine_set_hint(local.engine,
							xq->serial, hint,
							value) : -EPERM;

	worker_wake();
	return ret;
}

int local_option(const char *name, int64_t value)
{
	int ret = local.engine ? xsched_engine_set_option(local.engine, name,
							  value) : -EPERM;

	worker_wake();
	return ret == -ENOENT ? -EOPNOTSUPP : ret;
}

/* ---- a step ------------------------------------------------------------- */

static void take_event(const struct kfd_xsched_event *e)
{
	switch (e->type) {
	case KFD_XSCHED_EVENT_READY:
	case KFD_XSCHED_EVENT_IDLE:
		xsched_engine_queue_ready_at(local.engine, e->id,
				e->type == KFD_XSCHED_EVENT_READY, e->time_ns);
		break;
	case KFD_XSCHED_EVENT_QUEUE_DEL:
		xsched_engine_queue_del(local.engine, e->id);
		break;
	case KFD_XSCHED_EVENT_NODE_RESET:
		xsched_engine_event(local.engine, e);
		break;
	default:
		break;
	}
}

/* 0, or -errno: the client cannot be used any more. */
static int take_events(void)
{
	struct kfd_xsched_event events[64];
	bool lost = false;
	int got;

	while ((got = xsched_read_events(local.device, events, 64)) > 0) {
		for (int i = 0; i < got; i++) {
			lost |= events[i].type == KFD_XSCHED_EVENT_LOST;
			take_event(&events[i]);
		}
	}
	if (got && got != -EAGAIN && got != -EINTR)
		return got;
	/* Events were lost: start anew with a client that holds nothing. */
	return lost ? -ESTALE : 0;
}

static int add_all(const struct xsched_plan *plan)
{
	int ret = 0;

	xsched_apply_reset(local.apply);
	for (size_t i = 0; !ret && i < plan->hold_count; i++) {
		const struct xqueue *xq = find_serial(plan->hold[i]);

		if (xq)
			ret = add_hold(local.apply, xq);
	}
	for (size_t i = 0; !ret && i < plan->release_count; i++) {
		const struct xqueue *xq = find_serial(plan->release[i]);

		if (xq)
			ret = xsched_apply_resume_queue(local.apply,
							xq->queue.id);
	}
	return ret;
}

static void commit_all(const struct xsched_plan *plan, uint64_t now_ns)
{
	for (size_t i = 0; i < plan->hold_count; i++) {
		struct xqueue *xq = find_serial(plan->hold[i]);

		xsched_engine_commit(local.engine, plan->hold[i], XSCHED_HELD,
				     now_ns);
		if (xq)
			xq->refusals = 0;
	}
	for (size_t i = 0; i < plan->release_count; i++)
		xsched_engine_commit(local.engine, plan->release[i],
				     XSCHED_RELEASED, now_ns);
}

static bool benign(int error)
{
	return !error || error == -ESRCH || error == -EALREADY;
}

/*
 * An entry at fault makes each switch with it fail, and the kernel has done nothing. Leave its
 * XQueue out of plans for a while, the longer the more often. False: no entry is at fault.
 */
static bool set_apart(uint64_t now_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(local.apply);
	size_t nodes;
	bool any = false;

	xsched_apply_nodes(local.apply, &nodes);
	for (size_t i = 0; !nodes && i < xsched_apply_count(local.apply); i++) {
		struct xqueue *xq = find_queue(e[i].id);

		if (benign(e[i].status) || !xq)
			continue;
		xq->retry_ns = now_ns + (RETRY_FIRST_NS << xq->refusals);
		if (xq->refusals < RETRY_DOUBLINGS)
			xq->refusals++;
		xsched_engine_commit(local.engine, xq->serial, XSCHED_SWITCHING, now_ns);
		any = true;
	}
	return any;
}

/* Let plans have again what has waited. */
static void try_again(uint64_t now_ns)
{
	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next) {
		if (!xq->retry_ns || xq->retry_ns > now_ns)
			continue;
		xq->retry_ns = 0;
		xsched_engine_commit(local.engine, xq->serial, XSCHED_UNCERTAIN, now_ns);
	}
}

/* The earlier of two times: one given, and when the next XQueue has waited. */
static uint64_t or_next_try(uint64_t deadline_ns)
{
	for (const struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		if (xq->retry_ns && xq->retry_ns < deadline_ns)
			deadline_ns = xq->retry_ns;
	return deadline_ns;
}

/* Decide and switch; 0 or -errno. @deadline_ns: when to decide again. */
static int switch_now(uint64_t *deadline_ns)
{
	struct xsched_plan plan;
	int ret;

	do {
		xsched_engine_plan(local.engine, clock_ns(), &plan);
		*deadline_ns = plan.deadline_ns;
		if (!plan.hold_count && !plan.release_count)
			return 0;
		ret = add_all(&plan);
		if (!ret && xsched_apply_count(local.apply))
			ret = xsched_apply_run(local.apply, local.device);
	} while (!benign(ret) && set_apart(clock_ns()));
	if (!benign(ret))
		return ret;
	commit_all(&plan, clock_ns());
	return 0;
}

/* All commits are void: nothing is held any more. */
static void release_in_mind(uint64_t now_ns)
{
	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next) {
		xq->retry_ns = 0;
		xsched_engine_commit(local.engine, xq->serial, XSCHED_RELEASED,
				     now_ns);
	}
}

static uint64_t renew(uint64_t now_ns)
{
	struct kfd_xsched_renew renew;

	if (now_ns < local.next_renewal_ns)
		return local.next_renewal_ns;
	if (xsched_renew(local.device, &renew))
		renew.lease_ms = 400;
	local.next_renewal_ns = now_ns + renew.lease_ms * MS / RENEWALS;
	return local.next_renewal_ns;
}

static bool holds_any(void)
{
	struct xsched_tenant tenant;

	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		if (!xsched_engine_tenant(local.engine, xq->serial, 0,
					  &tenant) &&
		    tenant.state != XSCHED_RELEASED)
			return true;
	return false;
}

uint64_t local_step(uint64_t now_ns)
{
	uint64_t deadline = XSCHED_NO_DEADLINE, renewal;
	int ret = 0;

	if (!local.engine)
		return XSCHED_NO_DEADLINE;
	if (now_ns < local.retry_ns)
		return local.retry_ns;
	local.retry_ns = 0;
	if (!local.device)
		ret = reconnect();
	if (!ret)
		ret = take_events();
	try_again(now_ns);
	if (!ret)
		ret = switch_now(&deadline);
	if (ret) {
		/* Without a client nothing is held: the program runs on. */
		disconnect();
		release_in_mind(now_ns);
		local.retry_ns = now_ns + RETRY_NS;
		return local.retry_ns;
	}
	deadline = or_next_try(deadline);
	if (!holds_any())
		return deadline;
	renewal = renew(now_ns);
	return renewal < deadline ? renewal : deadline;
}
