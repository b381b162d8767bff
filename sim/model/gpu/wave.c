// SPDX-License-Identifier: MIT
/*
 * Workgroups and the slots they take. A compute unit's wave slots, registers
 * and LDS limit how many workgroups of a kind it holds; free ones are given to
 * waiting workgroups by pipe priority, and evenly among queues of the same
 * priority. It is assumed that the hardware shares evenly; it is certain that a
 * workgroup, once launched, keeps its slots until it ends or is saved.
 */
#include "model.h"

#define SPREAD_BLOCKS	64

/* No spread of the profile above this number of workgroups: each block is an event. */
#define MOST_SPREAD	16384

/* Without a wave for so long, the clock goes down. Assumed. */
#define RAMP_IDLE_NS	1000000

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

	if (!d->waves || d->vgprs > p->vgprs_per_wave ||
	    d->lds_bytes > p->lds_per_cu)
		return 0;
	simd = lesser(p->waves_per_simd, p->vgprs_per_simd / wave_vgprs(p, d));
	cu = simd * p->simds_per_cu / d->waves;
	if (d->lds_bytes)
		cu = lesser(cu, p->lds_per_cu / d->lds_bytes);
	return cu * p->cus;
}

bool sim_dispatch_fits(const struct sim_profile *p, const struct sim_queue *q,
		       struct sim_dispatch *d)
{
	d->capacity = sim_capacity(p, d);
	if (d->spread < p->workgroup_spread && d->workgroups <= MOST_SPREAD)
		d->spread = p->workgroup_spread;
	if (q->cus && q->cus < p->cus)	/* of one dispatch, not of the queue */
		d->capacity = d->capacity / p->cus * q->cus;
	d->block = d->spread ? d->capacity / SPREAD_BLOCKS + 1 : 0xffffffff;
	return d->capacity;
}

static u32 all_waves(const struct sim_profile *p)
{
	return p->cus * p->simds_per_cu * p->waves_per_simd;
}

u64 sim_longest_ns(const struct sim_profile *p, const struct sim_dispatch *d)
{
	u64 ns = d->workgroup_ns + d->workgroup_ns / 1000 * d->spread;

	return ns + (ns / 1000 + 1) * (p->contention_pm + p->clock_ramp_pm) + p->cold_ns;
}

void sim_queue_cools(struct sim_queue *q)
{
	const struct sim_profile *p = q->gpu->profile;
	struct sim_cohort *c;
	u32 i;

	if (!p->cold_ns)
		return;
	/* a slot in use is charged now, one that is free when it is used */
	q->cold = all_waves(p) - q->waves;
	for (i = 0; i < q->count; i++)
		for (c = q->inflight[i].running; c; c = c->next)
			c->end += p->cold_ns;
	sim_queue_touch(q);
}

u64 sim_save_bytes(const struct sim_profile *p)
{
	u64 vgprs = (u64)p->simds_per_cu * p->vgprs_per_simd * p->wave_lanes * 4;
	u64 waves = (u64)p->simds_per_cu * p->waves_per_simd * p->wave_state_bytes;

	return p->cus * (vgprs + waves + p->lds_per_cu);
}

u64 sim_workgroup_bytes(const struct sim_profile *p, const struct sim_dispatch *d)
{
	/* a register is 4 bytes in each lane */
	u64 wave = (u64)wave_vgprs(p, d) * 4 * p->wave_lanes + p->wave_state_bytes;

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
	u32 n;

	if (gpu->free_waves < d->waves)
		return 0;
	n = lesser(gpu->free_waves / d->waves, d->capacity - d->resident);
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
	gpu->freed = true;
	if (n && gpu->free_waves == all_waves(gpu->profile))
		gpu->idle_since = gpu->now;
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

	if (*at && d->last->end <= c->end)
		at = &d->last->next;
	while (*at && (*at)->end <= c->end)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
	if (!c->next)
		d->last = c;
}

/* Continue up to @n workgroups that were saved, and take @extra longer. */
static u32 resume(struct sim_gpu *gpu, struct sim_dispatch *d, u32 n, u64 t, u64 extra)
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
			part->first = c->first;
			part->workgroups = n - done;
			part->end = c->end;
			c->first += part->workgroups;
			c->workgroups -= part->workgroups;
		}
		done += part->workgroups;
		part->end += t + extra;
		insert_running(d, part);
	}
	return done;
}

/* Time that the workgroups of @id's block compute. */
static u64 duration(const struct sim_dispatch *d, u32 id)
{
	u32 hash = id / d->block * 2654435761U;
	s64 off;

	if (!d->spread)
		return d->workgroup_ns;
	hash ^= hash >> 15;
	off = (s64)(hash % (2 * d->spread + 1)) - d->spread;
	return d->workgroup_ns + (s64)d->workgroup_ns / 1000 * off;
}

/* How much longer a workgroup takes that begins now, per mille. */
static u32 slower_pm(const struct sim_gpu *gpu, const struct sim_queue *q, u64 t)
{
	const struct sim_profile *p = gpu->profile;
	u32 all = all_waves(p), others = all - gpu->free_waves - q->waves;
	u32 pm = (u64)p->contention_pm * others / all;

	if (t < gpu->ramp_from + p->clock_ramp_ns)
		pm += p->clock_ramp_pm * (gpu->ramp_from + p->clock_ramp_ns - t) /
			p->clock_ramp_ns;
	return pm;
}

/* Begin up to @n workgroups, which take @extra longer. */
static u32 begin(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 n, u64 t,
		 u64 extra)
{
	u32 done = 0, slower = slower_pm(gpu, q, t);
	struct sim_cohort *c;
	u64 ns;

	n = lesser(n, d->workgroups - d->launched);
	while (done < n && (c = sim_cohort_get(gpu))) {
		if (!d->launched)
			d->start_ns = t;
		c->first = d->launched;
		c->workgroups = lesser(n - done, d->block - c->first % d->block);
		ns = duration(d, c->first);
		c->end = t + ns + ns / 1000 * slower + extra;
		d->launched += c->workgroups;
		done += c->workgroups;
		insert_running(d, c);
	}
	return done;
}

static u32 place(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 n, u64 t,
		 u64 extra)
{
	u32 done = resume(gpu, d, n, t, extra);

	return done + begin(gpu, q, d, n - done, t, extra);
}

/* Launch up to @n workgroups of @d; returns how many. */
static u32 launch(struct sim_gpu *gpu, struct sim_queue *q,
		  struct sim_dispatch *d, u32 n, u64 t)
{
	u32 cold = lesser(n, (q->cold + d->waves - 1) / d->waves), done;

	if (gpu->free_waves == all_waves(gpu->profile) && t >= gpu->idle_since + RAMP_IDLE_NS)
		gpu->ramp_from = t;
	done = place(gpu, q, d, cold, t, gpu->profile->cold_ns);
	q->cold -= lesser(q->cold, done * d->waves);
	if (done == cold)
		done += place(gpu, q, d, n - done, t, 0);
	occupy(gpu, q, d, done);
	sim_queue_touch(q);
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

u8 sim_contends(struct sim_queue *q)
{
	return waiting_dispatch(q) ? 1 + q->priority : 0;
}

static u32 count_contenders(const struct sim_gpu *gpu, u32 priority)
{
	u32 i, n = 0;

	for (i = 0; i < gpu->nr_queues; i++)
		n += gpu->contends[i] == 1 + priority;
	return n;
}

/* Launch its share of what is free, for @left queues. Returns how many. */
static u32 serve(struct sim_gpu *gpu, struct sim_queue *q, u32 left, u64 t)
{
	struct sim_dispatch *d = waiting_dispatch(q);
	u32 n, done = 0;

	n = d ? room(gpu, d) : 0;
	n = lesser(n, (n + left - 1) / left);
	if (n)
		done = launch(gpu, q, d, lesser(n, sim_waiting(d)), t);
	gpu->contends[q->index] = sim_contends(q);
	return done;
}

/*
 * One round among the queues of a priority: each gets an equal part of what is
 * free, rounded up to one workgroup; the next round begins with the next queue.
 * Returns whether another round could launch more.
 */
static bool launch_round(struct sim_gpu *gpu, u32 priority, u64 t)
{
	u32 left = count_contenders(gpu, priority), done = 0, i, at;

	if (!left)
		return false;
	at = gpu->turn[priority] % gpu->nr_queues;
	for (i = 0; i < gpu->nr_queues && left && gpu->free_waves; i++) {
		if (gpu->contends[at] == 1 + priority)
			done += serve(gpu, gpu->queues[at], left--, t);
		at = at + 1 == gpu->nr_queues ? 0 : at + 1;
	}
	gpu->turn[priority]++;
	return done;
}

void sim_launch(struct sim_gpu *gpu, u64 t)
{
	u32 i, p, present = 0;

	if (!gpu->freed)
		return;
	gpu->freed = false;
	for (i = 0; i < gpu->nr_queues; i++)
		present |= 1U << gpu->contends[i];
	for (p = SIM_PRIORITIES; p-- > 0;)
		while (present >> p & 2 && gpu->free_waves && launch_round(gpu, p, t))
			;
}
