// SPDX-License-Identifier: MIT
/*
 * Workgroups and the slots they take. A compute unit's wave slots, registers
 * and LDS limit how many workgroups of a kind it holds; free ones are given to
 * waiting workgroups by pipe priority, and evenly among queues of the same
 * priority. That the hardware shares evenly is assumed; that a workgroup,
 * once launched, keeps its slots until it ends or is saved is certain.
 */
#include "model.h"

#define SIM_PRIORITIES	3

static u32 lesser(u32 a, u32 b)
{
	return a < b ? a : b;
}

static u32 wave_vgprs(const struct sim_profile *p, const struct sim_dispatch *d)
{
	u32 g = p->vgpr_granule;

	return d->vgprs <= g ? g : (d->vgprs + g - 1) / g * g;
}

u32 sim_capacity(const struct sim_profile *p, const struct sim_dispatch *d)
{
	u32 simd, cu;

	if (!d->waves || d->vgprs > p->vgprs_per_simd ||
	    d->lds_bytes > p->lds_per_cu)
		return 0;
	simd = lesser(p->waves_per_simd, p->vgprs_per_simd / wave_vgprs(p, d));
	cu = simd * p->simds_per_cu / d->waves;
	if (d->lds_bytes)
		cu = lesser(cu, p->lds_per_cu / d->lds_bytes);
	return cu * p->cus;
}

u64 sim_workgroup_bytes(const struct sim_profile *p, const struct sim_dispatch *d)
{
	/* a register is 4 bytes in each of 64 lanes */
	u64 wave = (u64)wave_vgprs(p, d) * 4 * 64 + p->wave_state_bytes;

	return wave * d->waves + d->lds_bytes;
}

struct sim_cohort *sim_cohort_get(struct sim_gpu *gpu)
{
	struct sim_cohort *c = gpu->free;

	if (c) {
		gpu->free = c->next;
		c->next = NULL;
	}
	return c;
}

void sim_cohort_put(struct sim_gpu *gpu, struct sim_cohort *c)
{
	c->next = gpu->free;
	gpu->free = c;
}

/* Workgroups that could be launched if there were room. */
u32 sim_waiting(const struct sim_dispatch *d)
{
	return d->workgroups - d->finished - d->resident;
}

static u32 room(const struct sim_gpu *gpu, const struct sim_dispatch *d)
{
	u32 n = lesser(gpu->free_waves / d->waves, d->capacity - d->resident);

	n = lesser(n, gpu->free_vgprs / (d->waves * wave_vgprs(gpu->profile, d)));
	if (d->lds_bytes)
		n = lesser(n, gpu->free_lds / d->lds_bytes);
	return n;
}

static void occupy(struct sim_gpu *gpu, struct sim_queue *q,
		   struct sim_dispatch *d, u32 n)
{
	gpu->free_waves -= n * d->waves;
	gpu->free_vgprs -= n * d->waves * wave_vgprs(gpu->profile, d);
	gpu->free_lds -= n * d->lds_bytes;
	d->resident += n;
	q->waves += n * d->waves;
}

void sim_release(struct sim_gpu *gpu, struct sim_queue *q,
		 struct sim_dispatch *d, u32 n)
{
	gpu->free_waves += n * d->waves;
	gpu->free_vgprs += n * d->waves * wave_vgprs(gpu->profile, d);
	gpu->free_lds += n * d->lds_bytes;
	d->resident -= n;
	q->waves -= n * d->waves;
}

static void put_all(struct sim_gpu *gpu, struct sim_cohort **list)
{
	struct sim_cohort *c;

	while ((c = *list)) {
		*list = c->next;
		sim_cohort_put(gpu, c);
	}
}

void sim_dispatch_drop(struct sim_gpu *gpu, struct sim_queue *q,
		       struct sim_dispatch *d)
{
	sim_release(gpu, q, d, d->resident);
	put_all(gpu, &d->running);
	put_all(gpu, &d->parked);
}

/* Keep @running sorted. Nearly always the new one is the last. */
static void insert_running(struct sim_dispatch *d, struct sim_cohort *c)
{
	struct sim_cohort **at = &d->running;

	while (*at && (*at)->end <= c->end)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
}

/* Up to @n workgroups that were saved go on where they stopped. */
static u32 resume(struct sim_gpu *gpu, struct sim_dispatch *d, u32 n, u64 t)
{
	struct sim_cohort *c, *part;
	u32 done = 0;

	while (done < n && (c = d->parked)) {
		if (c->workgroups <= n - done) {
			d->parked = c->next;
			part = c;
		} else {
			part = sim_cohort_get(gpu);
			if (!part)
				break;
			part->workgroups = n - done;
			part->end = c->end;
			c->workgroups -= part->workgroups;
		}
		done += part->workgroups;
		part->end += t;
		insert_running(d, part);
	}
	return done;
}

/* Launch up to @n workgroups of @d; returns how many it were. */
static u32 launch(struct sim_gpu *gpu, struct sim_queue *q,
		  struct sim_dispatch *d, u32 n, u64 t)
{
	u32 done = resume(gpu, d, n, t);
	struct sim_cohort *c;
	u32 fresh;

	fresh = lesser(n - done, d->workgroups - d->launched);
	c = fresh ? sim_cohort_get(gpu) : NULL;
	if (c) {
		if (!d->launched)
			d->start_ns = t;
		c->workgroups = fresh;
		c->end = t + d->workgroup_ns;
		insert_running(d, c);
		d->launched += fresh;
		done += fresh;
	}
	occupy(gpu, q, d, done);
	return done;
}

/* The oldest dispatch with work to launch: packets of a queue are in order. */
static struct sim_dispatch *waiting_dispatch(struct sim_queue *q)
{
	u32 i;

	if (q->state != SIM_QUEUE_ON)
		return NULL;
	for (i = 0; i < q->count; i++)
		if (sim_waiting(&q->inflight[i]))
			return &q->inflight[i];
	return NULL;
}

/*
 * One round among the queues of a priority: each gets an equal part of what
 * is free, rounded up to one workgroup; the next round begins with the next
 * queue. Returns whether another round can achieve something.
 */
static bool launch_round(struct sim_gpu *gpu, u32 priority, u64 t)
{
	struct sim_dispatch *d;
	struct sim_queue *q;
	u32 i, n, want, waiting = 0, done = 0;

	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		waiting += q->priority == priority && waiting_dispatch(q);
	}
	if (!waiting)
		return false;
	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[(i + gpu->turn[priority]) % gpu->nr_queues];
		d = q->priority == priority ? waiting_dispatch(q) : NULL;
		if (!d)
			continue;
		n = room(gpu, d);
		want = lesser(n, (n + waiting - 1) / waiting);
		want = lesser(want, sim_waiting(d));
		waiting--;
		if (want)
			done += launch(gpu, q, d, want, t);
	}
	gpu->turn[priority]++;
	return done;
}

void sim_launch(struct sim_gpu *gpu, u64 t)
{
	u32 p;

	for (p = SIM_PRIORITIES; p-- > 0;)
		while (gpu->free_waves && launch_round(gpu, p, t))
			;
}
