// SPDX-License-Identifier: MIT
/*
 * Time: which event comes next, and the steps of an instant. The queues that
 * are looked at are those that are due (due.c).
 */
#include "gpu/aql.h"
#include "gpu/sdma.h"
#include "gpu/wave.h"

void sim_gpu_reset(struct sim_gpu *gpu)
{
	const struct sim_profile *p = gpu->profile;
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++)
		gpu->queues[i]->state = SIM_QUEUE_OFF;
	gpu->nr_queues = 0;
	memset(gpu->sdma, 0, sizeof(gpu->sdma));
	gpu->sdma_queues = 0;
	gpu->next = SIM_NEVER;
	gpu->blocked = 0;
	gpu->touched = false;
	gpu->free_waves = p->cus * p->simds_per_cu * p->waves_per_simd;
	for (i = 0; i < p->xccs; i++)
		gpu->free[i] = sim_slots_of_cus(p, p->cus / p->xccs);
	memset(gpu->pipes, 0, sizeof(gpu->pipes));
	gpu->preempt = SIM_PREEMPT_NONE;
	gpu->unused = NULL;
	for (i = 0; i < SIM_MAX_COHORTS; i++)
		sim_cohort_put(gpu, &gpu->cohorts[i]);
}

void sim_gpu_init(struct sim_gpu *gpu, const struct sim_profile *profile,
		  const struct sim_ops *ops, void *owner)
{
	memset(gpu, 0, sizeof(*gpu));
	gpu->profile = profile;
	gpu->ops = ops;
	gpu->owner = owner;
	sim_random_init(gpu);
	sim_gpu_reset(gpu);
}

u64 sim_next_event(const struct sim_gpu *gpu)
{
	u64 next = gpu->next;

	if (gpu->preempt != SIM_PREEMPT_NONE && gpu->preempt_at < next)
		next = gpu->preempt_at;
	return next;
}

/*
 * What a workgroup does that ends is not seen before others ended, too: a dispatch is complete, a
 * packet is consumed.
 */
u64 sim_next_visible(const struct sim_gpu *gpu)
{
	u64 next = sim_sdma_next_event(gpu), at;
	u32 i;

	if (gpu->preempt != SIM_PREEMPT_NONE)
		return sim_next_event(gpu);
	for (i = 0; i < gpu->nr_queues; i++) {
		at = sim_queue_next_visible(gpu->queues[i]);
		if (at < next)
			next = at;
	}
	at = sim_pipe_next_turn(gpu);
	return at < next ? at : next;
}

static void look_again(struct sim_gpu *gpu, u64 t)
{
	u64 next = sim_sdma_next_event(gpu);
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++) {
		if (gpu->due[i] <= t)
			gpu->due[i] = sim_queue_next_event(gpu->queues[i]);
		if (gpu->due[i] < next)
			next = gpu->due[i];
	}
	gpu->next = next;
}

/*
 * One instant. Ends are handled before beginnings, so that a workgroup gets a
 * slot in the same instant in which it becomes free.
 */
static void handle_instant(struct sim_gpu *gpu, u64 t)
{
	struct sim_queue *q;
	u32 i;

	gpu->now = t;
	gpu->stats.steps++;
	for (i = 0; i < gpu->nr_queues; i++)
		if (gpu->due[i] <= t)
			sim_queue_retire(gpu, gpu->queues[i], t);
	sim_sdma_step(gpu, t);
	sim_preempt_step(gpu, t);
	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		if (gpu->due[i] > t)
			continue;
		sim_queue_process(gpu, q, t);
		gpu->contends[i] = sim_contends(q);
	}
	sim_launch(gpu, t);
	/* after launching: which packets have launched all their work? */
	for (i = 0; i < gpu->nr_queues; i++)
		if (gpu->due[i] <= t)
			sim_queue_fetch(gpu, gpu->queues[i], t);
	sim_sdma_step(gpu, t);
	look_again(gpu, t);
	gpu->touched = false;
}

/* The same again, if a pipe has gone to another queue. */
static void sim_step(struct sim_gpu *gpu, u64 t)
{
	do {
		handle_instant(gpu, t);
	} while (sim_pipe_step(gpu, t));
}

void sim_advance(struct sim_gpu *gpu, u64 now)
{
	u64 t;

	while ((t = sim_next_event(gpu)) <= now || gpu->touched || gpu->freed) {
		if (t > now)
			t = now;
		sim_step(gpu, t > gpu->now ? t : gpu->now);
	}
	gpu->now = now;
}

