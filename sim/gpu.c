// SPDX-License-Identifier: MIT
/* Time: which event comes next, and what an instant consists of. */
#include "model.h"

static const struct sim_profile *const profiles[] = {
	&sim_profile_mi308x,
};

const struct sim_profile *sim_profile_find(const char *name)
{
	u32 i;

	for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (!strcmp(profiles[i]->name, name))
			return profiles[i];
	return NULL;
}

void sim_gpu_reset(struct sim_gpu *gpu)
{
	const struct sim_profile *p = gpu->profile;
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++)
		gpu->queues[i]->state = SIM_QUEUE_OFF;
	gpu->nr_queues = 0;
	gpu->free_waves = p->cus * p->simds_per_cu * p->waves_per_simd;
	gpu->free_vgprs = p->cus * p->simds_per_cu * p->vgprs_per_simd;
	gpu->free_lds = p->cus * p->lds_per_cu;
	gpu->preempt = SIM_PREEMPT_NONE;
	gpu->free = NULL;
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
	sim_gpu_reset(gpu);
}

u64 sim_next_event(const struct sim_gpu *gpu)
{
	u64 next = SIM_NEVER, t;
	u32 i;

	if (gpu->preempt != SIM_PREEMPT_NONE)
		next = gpu->preempt_at;
	for (i = 0; i < gpu->nr_queues; i++) {
		t = sim_queue_next_event(gpu->queues[i]);
		if (t < next)
			next = t;
	}
	return next;
}

/*
 * One instant. What ends comes before what begins, so that a slot which gets
 * free and a workgroup which waits for it meet in the same instant.
 */
static void sim_step(struct sim_gpu *gpu, u64 t)
{
	struct sim_queue *q;
	u32 i;

	gpu->now = t;
	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		if (q->state == SIM_QUEUE_LOADING && q->ready_at <= t)
			q->state = SIM_QUEUE_ON;
		sim_queue_retire(gpu, q, t);
	}
	sim_preempt_step(gpu, t);
	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		sim_queue_process(gpu, q, t);
	}
	sim_launch(gpu, t);
	/* only now is it known which packets have launched all their work */
	for (i = 0; i < gpu->nr_queues; i++)
		sim_queue_fetch(gpu, gpu->queues[i], t);
}

void sim_advance(struct sim_gpu *gpu, u64 now)
{
	u64 t;

	do {
		t = sim_next_event(gpu);
		if (t > now)
			t = now;
		sim_step(gpu, t > gpu->now ? t : gpu->now);
	} while (sim_next_event(gpu) <= now);
	gpu->now = now;
}

bool sim_retry_blocked(struct sim_gpu *gpu)
{
	bool any = false;
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++) {
		any |= gpu->queues[i]->blocked;
		gpu->queues[i]->blocked = false;
	}
	return any;
}
