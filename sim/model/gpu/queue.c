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
#include "gpu/aql.h"
#include "gpu/sdma.h"
#include "gpu/wave.h"

static u32 all_xccs(const struct sim_gpu *gpu)
{
	return (1U << gpu->profile->xccs) - 1;
}

u64 sim_queue_map(struct sim_gpu *gpu, struct sim_queue *q, u64 at, u32 image_bytes)
{
	const struct sim_profile *p = gpu->profile;

	if (q->state != SIM_QUEUE_OFF || gpu->nr_queues == SIM_MAX_QUEUES)
		return SIM_NEVER;
	q->gpu = gpu;
	q->index = gpu->nr_queues++;
	gpu->queues[q->index] = q;
	q->state = SIM_QUEUE_LOADING;
	q->rung = true;		/* it may have been rung while it was off */
	q->blocked = false;
	q->has_next = false;
	q->next_at = SIM_NEVER;
	q->count = 0;
	q->waves = 0;
	q->fresh = true;
	memset(q->used, 0, sizeof(q->used));
	sim_pipe_join(gpu, q);
	sim_queue_cools(q);
	q->blame = NULL;
	q->ready_at = at + sim_firmware_ns(gpu, p->map_queue_ns);
	if (q->type == SIM_QUEUE_SDMA)
		sim_sdma_map(q);
	if (q->halted)
		q->state = SIM_QUEUE_FAULTED;
	else if (image_bytes && !sim_image_load(gpu, q, image_bytes))
		sim_queue_fault(gpu, q, "save area");
	if (q->count) {
		q->ready_at += sim_firmware_ns(gpu, p->restore_ns) +
			sim_queue_state_bytes(gpu, q) * 1000 / p->save_bytes_per_us;
		gpu->stats.restores++;
	}
	gpu->due[q->index] = q->ready_at;
	gpu->contends[q->index] = 0;
	if (q->ready_at < gpu->next)
		gpu->next = q->ready_at;
	return q->ready_at;
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

/* When the dispatch can be complete at the earliest. */
static u64 complete_at(const struct sim_gpu *gpu, const struct sim_dispatch *d)
{
	u32 x;

	if (!sim_waiting(d))
		return d->running ? d->last->end : gpu->next;
	/* what waits begins at the next event or later, but what was saved may end soon after */
	for (x = 0; x < gpu->profile->xccs; x++)
		if (d->parts[x].parked)
			return gpu->next;
	return gpu->next == SIM_NEVER ? SIM_NEVER : gpu->next + sim_shortest_ns(d);
}

u64 sim_queue_next_visible(const struct sim_queue *q)
{
	u64 next = q->state == SIM_QUEUE_LOADING ? q->ready_at : q->next_at, at;
	u32 i;

	for (i = 0; i < q->count; i++) {
		at = complete_at(q->gpu, &q->inflight[i]);
		if (at < next)
			next = at;
	}
	return next;
}

static bool can_fetch(const struct sim_queue *q)
{
	if (q->type != SIM_QUEUE_COMPUTE || q->state != SIM_QUEUE_ON || !q->rung ||
	    q->has_next || q->blocked || !sim_pipe_serves(q))
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
	switch (sim_aql_fetch(q, d)) {
	case SIM_FETCH_EMPTY:
		q->rung = false;
		return;
	case SIM_FETCH_BLOCKED:
		sim_queue_block(q);
		return;
	case SIM_FETCH_FAULT:
		sim_queue_fault(gpu, q, "fetch");
		return;
	case SIM_FETCH_PACKET:
		break;
	}
	if (d->workgroups && !sim_dispatch_fits(gpu->profile, d)) {
		sim_queue_fault(gpu, q, "workgroup too large");
		return;
	}
	q->has_next = true;
	q->next_at = d->barrier && q->count ? SIM_NEVER :
		t + sim_dispatch_ns(gpu);
}

static bool complete_dispatch(struct sim_gpu *gpu, struct sim_queue *q,
		     struct sim_dispatch *d, u64 t)
{
	if (!sim_aql_complete(q, d, t)) {
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
	if (!sim_aql_consume(q)) {
		sim_queue_fault(gpu, q, "consume");
		return;
	}
	if (q->next.workgroups) {
		q->inflight[q->count++] = q->next;
		gpu->freed = all_xccs(gpu);
		return;
	}
	q->next.start_ns = t;
	complete_dispatch(gpu, q, &q->next, t);
}

/* Workgroups of @d that ended by @t. False: fault. */
static bool retire_cohorts(struct sim_gpu *gpu, struct sim_queue *q,
			   struct sim_dispatch *d, u64 t)
{
	struct sim_cohort *c;
	bool ok = true;

	while (ok && (c = d->running) && c->end <= t) {
		d->running = c->next;
		if (c->next)
			c->next->prev = NULL;
		d->finished += c->workgroups;
		gpu->stats.workgroups += c->workgroups;
		sim_release(gpu, q, d, c->xcc, c->workgroups);
		if (d->late)
			c = sim_cohort_ended(gpu, d, c);
		if (!c)
			continue;
		ok = sim_cohort_carry_out(gpu, q, d, c, t);
		sim_cohort_put(gpu, c);
	}
	if (ok && d->late && d->finished == d->workgroups)
		ok = sim_dispatch_carry_out(gpu, q, d, t);
	if (!ok)
		sim_queue_fault(gpu, q, "result");
	return ok;
}

void sim_queue_retire(struct sim_gpu *gpu, struct sim_queue *q, u64 t)
{
	struct sim_dispatch done;
	u32 i = 0;

	if (q->state == SIM_QUEUE_LOADING && q->ready_at <= t) {
		q->state = SIM_QUEUE_ON;
		gpu->freed |= q->count ? all_xccs(gpu) : 0;
	}
	while (i < q->count) {
		if (!retire_cohorts(gpu, q, &q->inflight[i], t))
			return;
		if (q->inflight[i].finished < q->inflight[i].workgroups) {
			i++;
			continue;
		}
		done = q->inflight[i];
		q->count--;
		memmove(&q->inflight[i], &q->inflight[i + 1],
			(q->count - i) * sizeof(done));
		if (!complete_dispatch(gpu, q, &done, t))
			return;
	}
	if (!q->count && q->has_next && q->next_at == SIM_NEVER && sim_pipe_serves(q))
		q->next_at = t + sim_dispatch_ns(gpu);
}
