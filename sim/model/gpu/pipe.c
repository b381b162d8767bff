// SPDX-License-Identifier: MIT
/*
 * Pipes. A hardware queue slot belongs to a pipe of the compute engine, and a
 * pipe works for one of its queues at a time: it fetches their packets, and
 * launches their workgroups. ("Pipes provide better concurrency than queues",
 * amd-gfx, 2017.) Waves that run already go on.
 *
 * It stays with a queue while that has something to do, up to a quantum
 * (CP_HQD_QUANTUM of the MQD: 1 ms) if another one waits, and then goes to the
 * next of those with the highest queue priority. It is assumed that a packet
 * which waits for earlier ones, or for a signal, gives the pipe away, and that
 * going from one queue to another takes no time.
 */
#include "gpu/wave.h"

/* The one with the fewest queues; dump: they are filled one queue each first. */
void sim_pipe_join(struct sim_gpu *gpu, struct sim_queue *q)
{
	u32 i, best = 0;

	if (q->type != SIM_QUEUE_COMPUTE)
		return;
	for (i = 1; i < gpu->profile->pipes; i++)
		if (gpu->pipes[i].queues < gpu->pipes[best].queues)
			best = i;
	q->pipe = best;
	gpu->pipes[best].queues++;
}

void sim_pipe_leave(struct sim_gpu *gpu, struct sim_queue *q)
{
	struct sim_pipe *pipe = &gpu->pipes[q->pipe];

	if (q->type != SIM_QUEUE_COMPUTE)
		return;
	pipe->queues--;
	if (pipe->active == q)
		pipe->active = NULL;
}

bool sim_pipe_serves(const struct sim_queue *q)
{
	return q->gpu->pipes[q->pipe].active == q;
}

/* Whether its pipe has something to do for this queue: launch, process or fetch. */
static bool wants_pipe(const struct sim_queue *q)
{
	u32 i;

	if (q->type != SIM_QUEUE_COMPUTE || q->state != SIM_QUEUE_ON)
		return false;
	for (i = 0; i < q->count; i++)
		if (sim_waiting(&q->inflight[i]))
			return true;
	if (q->has_next)
		return q->next_at != SIM_NEVER || !q->count;
	return q->rung && !q->blocked && q->count < SIM_INFLIGHT;
}

/* Who is next on that pipe: the highest queue priority, of equal ones the next in turn. */
static struct sim_queue *next_queue(const struct sim_gpu *gpu, u32 pipe)
{
	const struct sim_queue *active = gpu->pipes[pipe].active;
	u32 n = gpu->nr_queues, from = active ? active->index + 1 : 0, i;
	struct sim_queue *best = NULL, *q;

	for (i = 0; i < n; i++) {
		q = gpu->queues[(from + i) % n];
		if (q->pipe == pipe && wants_pipe(q) &&
		    (!best || q->queue_priority > best->queue_priority))
			best = q;
	}
	return best;
}

/* A packet in its hands is not given up, nor its turn for one of a lower priority. */
static bool stays(const struct sim_pipe *pipe, const struct sim_queue *next, u64 t)
{
	const struct sim_queue *q = pipe->active;

	if (!q || !wants_pipe(q))
		return false;
	if (q->has_next && q->next_at != SIM_NEVER)
		return true;
	return next->queue_priority < q->queue_priority ||
		(next->queue_priority == q->queue_priority && t < pipe->until);
}

/* Let it work for whom it should. Whether that is another queue now. */
static bool choose(struct sim_gpu *gpu, struct sim_pipe *pipe, u64 t)
{
	struct sim_queue *next = next_queue(gpu, pipe - gpu->pipes), *before = pipe->active;

	if (!next || (next == before && pipe->queues == 1))
		return false;
	if (stays(pipe, next, t)) {
		if (next != before && pipe->until > t && pipe->until < gpu->next)
			gpu->next = pipe->until;
		return false;
	}
	pipe->until = t + gpu->profile->queue_quantum_ns;
	if (next == before)
		return false;
	pipe->active = next;
	if (before) {
		gpu->contends[before->index] = 0;
		sim_queue_touch(before);
	}
	sim_queue_touch(next);
	gpu->freed = (1U << gpu->profile->xccs) - 1;
	return true;
}

u64 sim_pipe_next_turn(const struct sim_gpu *gpu)
{
	const struct sim_pipe *pipe;
	u64 next = SIM_NEVER;

	for (pipe = gpu->pipes; pipe < gpu->pipes + gpu->profile->pipes; pipe++)
		if (pipe->queues > 1 && pipe->until > gpu->now && pipe->until < next)
			next = pipe->until;
	return next;
}

bool sim_pipe_step(struct sim_gpu *gpu, u64 t)
{
	struct sim_pipe *pipe;
	bool changed = false;

	for (pipe = gpu->pipes; pipe < gpu->pipes + gpu->profile->pipes; pipe++)
		if (pipe->queues > 1 || (pipe->queues && !pipe->active))
			changed |= choose(gpu, pipe, t);
	return changed;
}
