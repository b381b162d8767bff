// SPDX-License-Identifier: MIT
/*
 * What a queue waits for, and when it is to be looked at.
 *
 * gpu->due[] has the time at which to look at each mapped queue, so that an
 * instant costs little more than the queues it affects. Code that changes a
 * queue from outside sets its entry to 0: look at it in the next step.
 */
#include "model.h"

void sim_queue_touch(struct sim_queue *q)
{
	if (q->state == SIM_QUEUE_OFF)
		return;
	q->gpu->due[q->index] = 0;
	q->gpu->touched = true;
}

void sim_queue_ring(struct sim_queue *q)
{
	q->rung = true;
	sim_queue_touch(q);
}

bool sim_queue_busy(const struct sim_queue *q)
{
	if (q->state != SIM_QUEUE_ON && q->state != SIM_QUEUE_LOADING)
		return false;
	return q->rung || q->blocked || q->has_next || q->count;
}

void sim_queue_block(struct sim_queue *q)
{
	q->gpu->blocked += !q->blocked;
	q->blocked = true;
}

bool sim_retry_blocked(struct sim_gpu *gpu)
{
	bool any = gpu->blocked;
	u32 i;

	for (i = 0; gpu->blocked && i < gpu->nr_queues; i++) {
		if (!gpu->queues[i]->blocked)
			continue;
		gpu->queues[i]->blocked = false;
		gpu->blocked--;
		sim_queue_touch(gpu->queues[i]);
	}
	return any;
}

void sim_queue_blame(struct sim_queue *q, const char *what, u64 value)
{
	q->blame = what;
	q->blame_value = value;
}
