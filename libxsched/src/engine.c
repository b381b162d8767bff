// SPDX-License-Identifier: MIT
/*
 * The engine: events go in, a plan comes out.
 *
 * It keeps, for each process, what was committed; the policy says what ought to
 * be; the plan (engine_plan.c) is the difference. So a plan that was lost, or
 * carried out in part, needs no repair: the next one has what is missing.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_priv.h"

int xsched_engine_new(struct xsched_engine **out, const char *policy,
		      xsched_gone_fn gone, void *context)
{
	struct xsched_engine *engine;
	size_t index;

	if (!policy_find(policy, &index))
		return -EOPNOTSUPP;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	engine->policy = policy_at(index);
	engine->policy_index = index;
	engine->gone = gone;
	engine->context = context;
	options_init(engine);
	options_choose(engine);
	*out = engine;
	return 0;
}

void xsched_engine_free(struct xsched_engine *engine)
{
	if (!engine)
		return;
	while (engine->processes.count)
		process_remove(engine, engine->order[0]);
	xsched_map_free(&engine->processes);
	xsched_map_free(&engine->groups);
	xsched_map_free(&engine->queues);
	free(engine->order);
	free(engine->hold);
	free(engine->release);
	free(engine->hold_queues);
	free(engine->release_queues);
	free(engine->units);
	free(engine->view.scratch);
	free(engine);
}

int xsched_engine_set_policy(struct xsched_engine *engine, const char *policy)
{
	const struct xsched_policy_ops *ops;
	size_t index;

	ops = policy_find(policy, &index);
	if (!ops)
		return -EOPNOTSUPP;
	if (ops == engine->policy)
		return 0;
	engine->policy = ops;
	engine->policy_index = index;
	options_choose(engine);
	memset(engine->view.data, 0, sizeof(engine->view.data));
	engine->regroup = true;
	for (size_t i = 0; i < engine->unit_count; i++)
		unit_forget(unit_of(engine->units[i]));
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
	struct process *process;
	bool fresh = false;
	int ret;

	if (pid <= 0)
		return -EINVAL;
	if (queue_find(engine, id))
		return 0;
	process = process_find(engine, pid);
	if (!process) {
		ret = process_add(engine, pid, &process);
		if (ret)
			return ret;
		fresh = true;
	}
	ret = queue_add(engine, process, id, gpu_id);
	if (ret) {
		if (fresh)
			process_remove(engine, process);
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

int xsched_engine_queue_ready_at(struct xsched_engine *engine, uint64_t id,
				 bool ready, uint64_t time_ns)
{
	struct queue *queue = queue_find(engine, id);

	if (!queue)
		return -ENOENT;
	queue_set_ready(engine, queue, ready, time_ns);
	return 0;
}

int xsched_engine_queue_ready(struct xsched_engine *engine, uint64_t id,
			      bool ready)
{
	return xsched_engine_queue_ready_at(engine, id, ready, 0);
}

int xsched_engine_process_exit(struct xsched_engine *engine, int32_t pid)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	process_remove(engine, process);
	return 0;
}

/* It is not known which holds a reset left: assert them again. */
static void doubt_holds(struct xsched_engine *engine)
{
	for (size_t i = 0; i < engine->processes.count; i++) {
		struct process *process = engine->order[i];

		unit_open(engine, process->tenant->units[0]);
		if (process->state == XSCHED_HELD)
			process->state = XSCHED_UNCERTAIN;
		for (struct queue *q = process->queues; q; q = q->next)
			if (q->state == XSCHED_HELD)
				q->state = XSCHED_UNCERTAIN;
	}
}

int xsched_engine_set_shut(struct xsched_engine *engine, uint32_t gpu_id, bool shut)
{
	int ret = node_set_shut(engine, gpu_id, shut);

	if (ret > 0)
		doubt_holds(engine);
	return ret < 0 ? ret : 0;
}

int xsched_engine_event(struct xsched_engine *engine,
			const struct kfd_xsched_event *event)
{
	int ret;

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
		xsched_engine_queue_ready_at(engine, event->id,
				event->type == KFD_XSCHED_EVENT_READY,
				event->time_ns);
		return 0;
	case KFD_XSCHED_EVENT_LOST:
		return -ESTALE;
	case KFD_XSCHED_EVENT_NODE_RESET:
		if (event->data)
			doubt_holds(engine);
		return 0;
	case KFD_XSCHED_EVENT_NODE_BREAKER:
		return xsched_engine_set_shut(engine, event->gpu_id, event->data);
	case KFD_XSCHED_EVENT_DEMOTED:
		ret = xsched_engine_set_demoted(engine, event->pid, event->data);
		return ret == -ENOENT ? 0 : ret;
	default:
		return 0;
	}
}

void xsched_engine_sync_begin(struct xsched_engine *engine)
{
	for (size_t i = 0; i < engine->processes.count; i++) {
		struct process *process = engine->order[i];

		for (struct queue *q = process->queues; q; q = q->next)
			q->listed = false;
	}
}

int xsched_engine_sync_queue(struct xsched_engine *engine,
			     const struct kfd_xsched_queue *listed)
{
	struct queue *queue;
	int ret, demoted;

	ret = xsched_engine_queue_add(engine, listed->id, listed->pid,
				      listed->gpu_id);
	if (ret < 0)
		return ret;
	queue = queue_find(engine, listed->id);
	queue->listed = true;
	queue_set_ready(engine, queue, listed->state & KFD_XSCHED_QUEUE_READY,
			0);
	demoted = process_set_demoted(engine, queue->process,
				      listed->state & KFD_XSCHED_QUEUE_DEMOTED);
	return demoted ? demoted : ret;
}

void xsched_engine_sync_end(struct xsched_engine *engine)
{
	/* From the end: removal moves only elements already visited. */
	for (size_t i = engine->processes.count; i-- > 0;) {
		struct process *process = engine->order[i];
		struct queue *next;

		for (struct queue *q = process->queues; q; q = next) {
			next = q->next;
			if (!q->listed)
				queue_remove(engine, q);
		}
		if (!process->queues && process->state == XSCHED_RELEASED &&
		    !process->manual)
			process_remove(engine, process);
	}
}

/* ---- what somebody wants ------------------------------------------------ */

int xsched_engine_set_priority(struct xsched_engine *engine, int32_t pid,
			       int32_t priority)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	if (priority < XSCHED_PRIORITY_MIN || priority > XSCHED_PRIORITY_MAX)
		return -EINVAL;
	process->priority = priority;
	process_place(engine, process);
	tenant_refresh(engine, process->tenant);
	return 0;
}

int xsched_engine_set_group(struct xsched_engine *engine, int32_t pid,
			    uint64_t group)
{
	struct process *process = process_find(engine, pid);

	return process ? process_set_group(engine, process, group) : -ENOENT;
}

int xsched_engine_set_demoted(struct xsched_engine *engine, int32_t pid,
			      bool demoted)
{
	struct process *process = process_find(engine, pid);

	return process ? process_set_demoted(engine, process, demoted) : -ENOENT;
}

int xsched_engine_set_manual(struct xsched_engine *engine, int32_t pid,
			     bool manual)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	process_set_flags(engine, process, manual, process->exempt);
	return 0;
}

int xsched_engine_set_exempt(struct xsched_engine *engine, int32_t pid,
			     bool exempt)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	process_set_flags(engine, process, process->manual, exempt);
	return 0;
}

int xsched_engine_set_user(struct xsched_engine *engine, int32_t pid,
			   void *user)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	process->user = user;
	return 0;
}
