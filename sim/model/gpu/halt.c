// SPDX-License-Identifier: MIT
/* A queue does nothing more: until the next preemption has taken it off, or for good. */
#include "gpu/sdma.h"
#include "gpu/wave.h"

static void forget_packet(struct sim_queue *q)
{
	q->has_next = false;
	q->next_at = SIM_NEVER;
	if (q->blocked)
		q->gpu->blocked--;
	q->blocked = false;
}

void sim_queue_stop(struct sim_queue *q)
{
	if (q->state == SIM_QUEUE_OFF)
		return;
	q->state = SIM_QUEUE_STOPPING;
	forget_packet(q);	/* not consumed: it will be fetched again */
	if (q->type == SIM_QUEUE_SDMA)
		sim_sdma_stop(q);
	sim_queue_touch(q);
}

void sim_queue_fault(struct sim_gpu *gpu, struct sim_queue *q, const char *why)
{
	u32 i;

	for (i = 0; i < q->count; i++)
		sim_dispatch_drop(gpu, q, &q->inflight[i]);
	q->count = 0;
	forget_packet(q);
	if (q->type == SIM_QUEUE_SDMA)
		sim_sdma_halt(q);
	if (q->state != SIM_QUEUE_STOPPING)
		q->state = SIM_QUEUE_FAULTED;
	q->halted = true;
	gpu->stats.faults++;
	gpu->ops->fault(q, why);
	q->blame = NULL;
}
