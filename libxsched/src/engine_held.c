// SPDX-License-Identifier: MIT
/*
 * How long each process was held, and on which nodes.
 *
 * A process is held on all its nodes or, without gangs, on each by itself.
 * While it is held as a process, a node that it joins counts from the start of
 * the hold, and a node that it leaves counts until the end. What is reported of
 * a node never decreases.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "engine_priv.h"

uint64_t process_held_for(const struct process *process, uint64_t now_ns)
{
	if (!process->counting || now_ns < process->held_since_ns)
		return 0;
	return now_ns - process->held_since_ns;
}

/* The nodes it is held on. One that is uncertain or being switched stays as it was. */
static uint64_t nodes_held(const struct process *process)
{
	uint64_t held = 0, uncertain = 0;

	for (const struct queue *q = process->queues; q; q = q->next) {
		if (q->state == XSCHED_HELD)
			held |= 1ULL << q->node;
		else if (q->state != XSCHED_RELEASED)
			uncertain |= 1ULL << q->node;
	}
	if (process->state == XSCHED_HELD)
		uncertain = UINT64_MAX;
	return held | (process->held_nodes & uncertain);
}

static bool has_work(const struct process *process, uint64_t nodes)
{
	for (const struct queue *q = process->queues; q; q = q->next)
		if (q->ready && (nodes & 1ULL << q->node))
			return true;
	return false;
}

/* Account for the time up to now; from then on it is held on @nodes. */
static void turn(struct xsched_engine *engine, struct process *process,
		 bool held, uint64_t nodes, uint64_t now_ns)
{
	uint64_t held_ns = process_held_for(process, now_ns);

	process->held_ns += held_ns;
	for (unsigned int i = 0; i < engine->node_count; i++)
		if (process->held_nodes & 1ULL << i)
			engine->node_held_ns[i] += held_ns;
	process->counting = held;
	process->held_since_ns = now_ns;
	process->held_nodes = nodes;
}

void process_account(struct xsched_engine *engine, struct process *process,
		     uint64_t now_ns)
{
	uint64_t nodes = nodes_held(process);
	uint64_t fresh = nodes & ~process->held_nodes;
	bool held = nodes || process->state == XSCHED_HELD ||
		    (process->counting && process->state != XSCHED_RELEASED);

	if (held == process->counting && nodes == process->held_nodes)
		return;
	if (held && (fresh || !process->counting)) {
		process->holds++;
		if (has_work(process, fresh)) {
			process->preemptions++;
			engine->preemptions++;
		}
	}
	turn(engine, process, held, nodes, now_ns);
}

uint64_t xsched_engine_preemptions(const struct xsched_engine *engine)
{
	return engine->preemptions;
}

uint64_t xsched_engine_node_held(const struct xsched_engine *engine,
				 uint32_t gpu_id, uint64_t now_ns)
{
	uint64_t held_ns;
	unsigned int node = 0;

	while (node < engine->node_count && engine->gpu_ids[node] != gpu_id)
		node++;
	if (node == engine->node_count)
		return 0;
	held_ns = engine->node_held_ns[node];
	for (size_t i = 0; i < engine->processes.count; i++)
		if (engine->order[i]->held_nodes & 1ULL << node)
			held_ns += process_held_for(engine->order[i], now_ns);
	return held_ns;
}
