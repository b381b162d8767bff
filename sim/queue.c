// SPDX-License-Identifier: MIT
/*
 * Queues: when a packet is fetched, processed and complete.
 *
 * The command processor handles the packets of a queue one after the other. It
 * fetches the next one when all workgroups of the one before have been
 * launched, takes packet_ns for it, and then consumes it: the read index moves
 * although no workgroup may have found room yet. With the barrier bit it waits
 * for all earlier packets of the queue to complete.
 */
#include "model.h"

u64 sim_queue_map(struct sim_gpu *gpu, struct sim_queue *q, u32 priority,
		  u64 at, u32 image_bytes)
{
	const struct sim_profile *p = gpu->profile;

	if (q->state != SIM_QUEUE_OFF || gpu->nr_queues == SIM_MAX_QUEUES)
		return SIM_NEVER;
	memset(q, 0, sizeof(*q));
	q->state = SIM_QUEUE_LOADING;
	q->priority = priority > 2 ? 2 : priority;
	q->rung = true;		/* whatever was rung while it was out */
	q->next_at = SIM_NEVER;
	gpu->queues[gpu->nr_queues++] = q;
	q->ready_at = at + p->map_queue_ns;
	if (!image_bytes)
		return q->ready_at;
	if (!sim_image_load(gpu, q, image_bytes)) {
		sim_queue_fault(gpu, q, "save area");
		return q->ready_at;
	}
	q->ready_at += p->restore_ns + sim_queue_state_bytes(gpu, q) * 1000 /
		p->save_bytes_per_us;
	gpu->stats.restores++;
	return q->ready_at;
}

void sim_queue_ring(struct sim_queue *q)
{
	q->rung = true;
}

void sim_queue_stop(struct sim_queue *q)
{
	if (q->state == SIM_QUEUE_OFF)
		return;
	q->state = SIM_QUEUE_STOPPING;
	q->has_next = false;	/* not consumed: it will be fetched again */
	q->next_at = SIM_NEVER;
	q->blocked = false;
}

void sim_queue_fault(struct sim_gpu *gpu, struct sim_queue *q, const char *why)
{
	u32 i;

	for (i = 0; i < q->count; i++)
		sim_dispatch_drop(gpu, q, &q->inflight[i]);
	q->count = 0;
	q->has_next = false;
	q->next_at = SIM_NEVER;
	if (q->state != SIM_QUEUE_STOPPING)
		q->state = SIM_QUEUE_FAULTED;
	gpu->stats.faults++;
	gpu->ops->fault(q, why);
}

u64 sim_queue_next_event(const struct sim_queue *q)
{
	u64 next = q->state == SIM_QUEUE_LOADING ? q->ready_at : q->next_at;
	u32 i;

	for (i = 0; i < q->count; i++)
		if (q->inflight[i].running && q->inflight[i].running->end < next)
			next = q->inflight[i].running->end;
	return next;
}

static bool can_fetch(const struct sim_queue *q)
{
	if (q->state != SIM_QUEUE_ON || !q->rung || q->has_next || q->blocked)
		return false;
	if (!q->count)
		return true;
	return q->count < SIM_INFLIGHT && !sim_waiting(&q->inflight[q->count - 1]);
}

void sim_queue_fetch(struct sim_gpu *gpu, struct sim_queue *q, u64 t)
{
	struct sim_dispatch *d = &q->next;

	if (!can_fetch(q))
		return;
	memset(d, 0, sizeof(*d));
	switch (gpu->ops->fetch(q, d)) {
	case SIM_FETCH_EMPTY:
		q->rung = false;
		return;
	case SIM_FETCH_BLOCKED:
		q->blocked = true;
		return;
	case SIM_FETCH_FAULT:
		sim_queue_fault(gpu, q, "fetch");
		return;
	case SIM_FETCH_PACKET:
		break;
	}
	d->capacity = d->workgroups ? sim_capacity(gpu->profile, d) : 0;
	if (d->workgroups && !d->capacity) {
		sim_queue_fault(gpu, q, "workgroup too large");
		return;
	}
	q->has_next = true;
	q->next_at = d->barrier && q->count ? SIM_NEVER :
		t + gpu->profile->packet_ns;
}

static bool complete(struct sim_gpu *gpu, struct sim_queue *q,
		     struct sim_dispatch *d, u64 t)
{
	if (!gpu->ops->complete(q, d, t)) {
		sim_queue_fault(gpu, q, "completion");
		return false;
	}
	gpu->stats.dispatches++;
	sim_retry_blocked(gpu);
	return true;
}

void sim_queue_process(struct sim_gpu *gpu, struct sim_queue *q, u64 t)
{
	if (!q->has_next || q->next_at > t)
		return;
	q->has_next = false;
	q->next_at = SIM_NEVER;
	if (!gpu->ops->consume(q)) {
		sim_queue_fault(gpu, q, "consume");
		return;
	}
	if (q->next.workgroups) {
		q->inflight[q->count++] = q->next;
		return;
	}
	q->next.start_ns = t;
	complete(gpu, q, &q->next, t);
}

/* Workgroups of @d that ended by @t. */
static void retire_cohorts(struct sim_gpu *gpu, struct sim_queue *q,
			   struct sim_dispatch *d, u64 t)
{
	struct sim_cohort *c;

	while ((c = d->running) && c->end <= t) {
		d->running = c->next;
		d->finished += c->workgroups;
		gpu->stats.workgroups += c->workgroups;
		sim_release(gpu, q, d, c->workgroups);
		sim_cohort_put(gpu, c);
	}
}

void sim_queue_retire(struct sim_gpu *gpu, struct sim_queue *q, u64 t)
{
	struct sim_dispatch done;
	u32 i = 0;

	while (i < q->count) {
		retire_cohorts(gpu, q, &q->inflight[i], t);
		if (q->inflight[i].finished < q->inflight[i].workgroups) {
			i++;
			continue;
		}
		done = q->inflight[i];
		q->count--;
		memmove(&q->inflight[i], &q->inflight[i + 1],
			(q->count - i) * sizeof(done));
		if (!complete(gpu, q, &done, t))
			return;
	}
	if (!q->count && q->has_next && q->next_at == SIM_NEVER)
		q->next_at = t + gpu->profile->packet_ns;
}
