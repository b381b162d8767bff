// SPDX-License-Identifier: MIT
/*
 * How long who was held, and on which nodes.
 *
 * A process is held on all its nodes. Those it comes to while it is held count
 * from the hold on; those it leaves meanwhile count until its end: what is told
 * of a node never becomes less.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "engine_priv.h"

static void begin(struct process *process, uint64_t now_ns)
{
	process->counting = true;
	process->held_since_ns = now_ns;
	process->held_nodes = 0;
	for (const struct queue *q = process->queues; q; q = q->next)
		process->held_nodes |= 1ULL << q->node;
	process->holds++;
	if (process->ready_count)
		process->preemptions++;
}

uint64_t process_held_for(const struct process *process, uint64_t now_ns)
{
	if (!process->counting || now_ns < process->held_since_ns)
		return 0;
	return now_ns - process->held_since_ns;
}

static void end(struct xsched_engine *engine, struct process *process,
		uint64_t now_ns)
{
	uint64_t held_ns = process_held_for(process, now_ns);

	process->counting = false;
	process->held_ns += held_ns;
	for (unsigned int i = 0; i < engine->node_count; i++)
		if (process->held_nodes & 1ULL << i)
			engine->node_held_ns[i] += held_ns;
}

void process_account(struct xsched_engine *engine, struct process *process,
		     int state, uint64_t now_ns)
{
	if (state == XSCHED_HELD && !process->counting)
		begin(process, now_ns);
	else if (state == XSCHED_RELEASED && process->counting)
		end(engine, process, now_ns);
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
