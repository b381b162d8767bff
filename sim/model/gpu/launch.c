// SPDX-License-Identifier: MIT
/*
 * Who gets free slots. Pipes that have workgroups to launch share those of an
 * XCC: the pipes whose queues have the highest pipe priority first (driver:
 * "The priority values are used to perform queue and pipe arbitration",
 * 0ccbc7cdf54d), and evenly among those of the same. It is assumed that the
 * hardware shares evenly, and that a higher priority is served before any
 * lower one.
 */
#include "gpu/wave.h"

static u32 lesser(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* The oldest dispatch with work to launch: packets of a queue are in order. */
static struct sim_dispatch *waiting_dispatch(struct sim_queue *q)
{
	u32 i;

	if (q->state != SIM_QUEUE_ON || !sim_pipe_serves(q))
		return NULL;
	for (i = 0; i < q->count; i++)
		if (sim_waiting(&q->inflight[i]))
			return &q->inflight[i];
	return NULL;
}

/* The same on one XCC: each of them goes through the dispatches by itself. */
static struct sim_dispatch *waiting_there(struct sim_queue *q, u32 xcc)
{
	u32 i;

	for (i = 0; i < q->count; i++)
		if (sim_waiting_on(&q->inflight[i], xcc))
			return &q->inflight[i];
	return NULL;
}

u8 sim_contends(struct sim_queue *q)
{
	return waiting_dispatch(q) ? 1 + q->priority : 0;
}

/* Launch its share of what is free, for @left queues. Returns how many. */
static u32 serve(struct sim_gpu *gpu, struct sim_queue *q, u32 xcc, u32 left, u64 t)
{
	struct sim_dispatch *d = waiting_there(q, xcc);
	u32 n, done = 0;

	n = d ? sim_room(gpu, q, d, xcc) : 0;
	if (left > 1)
		n = lesser(n, (n + left - 1) / left);
	if (n)
		done = sim_place(gpu, q, d, xcc, lesser(n, sim_waiting_on(d, xcc)), t);
	gpu->contends[q->index] = sim_contends(q);
	return done;
}

static u32 count_contenders(const struct sim_gpu *gpu, u32 priority)
{
	u32 i, n = 0;

	for (i = 0; i < gpu->nr_queues; i++)
		n += gpu->contends[i] == 1 + priority;
	return n;
}

/*
 * One round among the queues of a priority: each gets an equal part of what is
 * free, rounded up to one workgroup; the next round begins with the next queue.
 * Returns whether another round could launch more.
 */
static bool launch_round(struct sim_gpu *gpu, u32 xcc, u32 priority, u64 t)
{
	u32 left = count_contenders(gpu, priority), done = 0, i, at;
	bool more = false;

	if (!left)
		return false;
	at = gpu->turn[priority] % gpu->nr_queues;
	for (i = 0; i < gpu->nr_queues && left && gpu->free[xcc].waves; i++) {
		if (gpu->contends[at] == 1 + priority) {
			done += serve(gpu, gpu->queues[at], xcc, left--, t);
			more |= gpu->contends[at];
		}
		at = at + 1 == gpu->nr_queues ? 0 : at + 1;
	}
	gpu->turn[priority]++;
	return more && done;
}

/* @present: a bit for each priority of which there are queues with workgroups to launch. */
static void launch_on(struct sim_gpu *gpu, u32 xcc, u32 present, u64 t)
{
	u32 p;

	for (; present && gpu->free[xcc].waves; present &= ~(1U << p)) {
		p = 31 - __builtin_clz(present);
		while (gpu->free[xcc].waves && launch_round(gpu, xcc, p, t))
			;
	}
}

void sim_launch(struct sim_gpu *gpu, u64 t)
{
	u32 freed = gpu->freed, present = 0, xcc, i;

	gpu->freed = 0;
	for (i = 0; freed && i < gpu->nr_queues; i++)
		present |= 1U << gpu->contends[i] >> 1;
	for (xcc = 0; present && freed >> xcc; xcc++)
		if (freed >> xcc & 1)
			launch_on(gpu, xcc, present, t);
}
