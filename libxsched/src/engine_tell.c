// SPDX-License-Identifier: MIT
/*
 * What there is, for display.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "engine_priv.h"

size_t xsched_engine_tenants(const struct xsched_engine *engine)
{
	return engine->processes.count;
}

/* For a tenant with several units: the one that ran longest. */
static void describe_units(const struct tenant *tenant, uint64_t now_ns,
			   struct xsched_tenant *out)
{
	for (size_t i = 0; i < XSCHED_ENGINE_NODES; i++) {
		const struct unit *unit = tenant->units[i];
		uint64_t ran_ns;

		if (!unit)
			continue;
		ran_ns = unit->ran_ns;
		if (unit->view.running && now_ns > unit->run_since_ns)
			ran_ns += now_ns - unit->run_since_ns;
		if (ran_ns > out->ran_ns)
			out->ran_ns = ran_ns;
		out->wanted |= unit->wanted;
	}
}

static void describe(const struct xsched_engine *engine, const struct process *process,
		     uint64_t now_ns, struct xsched_tenant *out)
{
	uint64_t nodes = 0, held = 0;

	*out = (struct xsched_tenant){
		.pid = process->pid,
		.priority = process->priority,
		.state = process->state,
		.manual = process->manual,
		.exempt = process->exempt,
		.demoted = process->demoted,
		.ready = process->ready_count != 0,
		.queues = process->queue_count,
		.holds = process->holds,
		.preemptions = process->preemptions,
		.held_ns = process->held_ns + process_held_for(process, now_ns),
		.user = process->user,
		.group = process->group,
		.wanted = process->manual,
	};
	for (const struct queue *q = process->queues; q; q = q->next) {
		nodes |= 1ULL << q->node;
		if (q->state == XSCHED_HELD)
			held |= 1ULL << q->node;
		if (process->state == XSCHED_RELEASED && q->state != XSCHED_RELEASED)
			out->by_queue = true;
		if (process->state == XSCHED_RELEASED && q->state > out->state)
			out->state = q->state;
	}
	out->nodes = __builtin_popcountll(nodes);
	out->held_nodes = __builtin_popcountll(held);
	out->shut = nodes && !(nodes & ~engine->shut);
	describe_units(process->tenant, now_ns, out);
}

int xsched_engine_tenant_at(const struct xsched_engine *engine, size_t index,
			    uint64_t now_ns, struct xsched_tenant *tenant)
{
	if (index >= engine->processes.count)
		return -ENOENT;
	describe(engine, engine->order[index], now_ns, tenant);
	return 0;
}

int xsched_engine_tenant(const struct xsched_engine *engine, int32_t pid,
			 uint64_t now_ns, struct xsched_tenant *tenant)
{
	const struct process *found = process_find(engine, pid);

	if (!found)
		return -ENOENT;
	describe(engine, found, now_ns, tenant);
	return 0;
}

int xsched_engine_queue(const struct xsched_engine *engine, uint64_t id,
			int32_t *pid, uint32_t *gpu_id)
{
	const struct queue *queue = queue_find(engine, id);

	if (!queue)
		return -ENOENT;
	*pid = queue->process->pid;
	*gpu_id = engine->gpu_ids[queue->node];
	return 0;
}

uint64_t xsched_engine_nodes(const struct xsched_engine *engine, int32_t pid)
{
	const struct process *process = process_find(engine, pid);
	uint64_t nodes = 0;

	for (const struct queue *q = process ? process->queues : NULL; q; q = q->next)
		nodes |= 1ULL << q->node;
	return nodes;
}

uint64_t xsched_engine_queue_node(const struct xsched_engine *engine, uint64_t id)
{
	const struct queue *queue = queue_find(engine, id);

	return queue ? 1ULL << queue->node : 0;
}

bool xsched_engine_is_switching(const struct xsched_engine *engine, int32_t pid)
{
	const struct process *process = process_find(engine, pid);

	return process && process->state == XSCHED_SWITCHING;
}

void *xsched_engine_user(const struct xsched_engine *engine, int32_t pid)
{
	const struct process *process = process_find(engine, pid);

	return process ? process->user : NULL;
}
