// SPDX-License-Identifier: MIT
/*
 * Workgroups and the slots they take. A compute unit's wave slots, registers
 * and LDS limit how many workgroups of a kind it holds. Each XCC has slots of
 * its own, and an equal part of each dispatch. Who gets slots that are free is
 * in launch.c; a workgroup, once launched, keeps its slots until it ends or is
 * saved.
 */
#include "gpu/aql.h"
#include "gpu/wave.h"

#define SPREAD_BLOCKS	2

/* So many that follow each other are carried out, if it is done late. */
#define LATE_WORKGROUPS	64

/* Least step of the grid, and who has one: a larger spread, per mille, or more rounds. */
#define GRID_NS		8192ULL
#define GRID_SPREAD	62
#define GRID_ROUNDS	8

/* No spread of the profile above this number of workgroups: each block is an event. */
#define MOST_SPREAD	131072

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

/* Each XCC has an equal part; the first ones one less, if there is a rest. */
static void divide(const struct sim_profile *p, struct sim_dispatch *d)
{
	u32 first = 0, next, x;

	for (x = 0; x < p->xccs; x++) {
		next = (u64)d->workgroups * (x + 1) / p->xccs;
		d->parts[x].first = first;
		d->parts[x].workgroups = next - first;
		first = next;
	}
}

bool sim_dispatch_fits(const struct sim_profile *p, struct sim_dispatch *d)
{
	d->capacity = sim_capacity(p, d);
	d->vgprs_each = d->waves * wave_vgprs(p, d);
	divide(p, d);
	/* fewer than compute units do not disturb each other */
	if (d->spread < p->workgroup_spread && d->workgroups >= p->cus && d->workgroups <= MOST_SPREAD)
		d->spread = p->workgroup_spread;
	d->block = d->spread ? d->capacity / p->xccs / SPREAD_BLOCKS + 1 : 0xffffffff;
	return d->capacity;
}

/* Compute units of an XCC that the queue may use. */
static u32 cus_of(const struct sim_profile *p, const struct sim_queue *q)
{
	u32 each = p->cus / p->xccs, masked = (q->cus + p->xccs - 1) / p->xccs;

	return masked && masked < each ? masked : each;
}

struct sim_slots sim_slots_of_cus(const struct sim_profile *p, u32 cus)
{
	struct sim_slots slots = {
		.waves = cus * p->simds_per_cu * p->waves_per_simd,
		.vgprs = cus * p->simds_per_cu * p->vgprs_per_simd,
		.lds = cus * p->lds_per_cu,
	};

	return slots;
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
	struct sim_cohort *c = gpu->unused;

	if (c) {
		gpu->unused = c->next;
		c->next = NULL;
	}
	return c;
}

void sim_cohort_put(struct sim_gpu *gpu, struct sim_cohort *c)
{
	c->next = gpu->unused;
	gpu->unused = c;
}

/* Workgroups that could be launched if there were room. */
u32 sim_waiting(const struct sim_dispatch *d)
{
	return d->workgroups - d->finished - d->resident;
}

u32 sim_waiting_on(const struct sim_dispatch *d, u32 xcc)
{
	const struct sim_part *part = &d->parts[xcc];

	return part->workgroups - part->begun + part->parked_count;
}

/* How many of @d's workgroups these slots hold. */
static u32 hold(const struct sim_dispatch *d, const struct sim_slots *slots)
{
	u32 n = lesser(slots->waves / d->waves, slots->vgprs / d->vgprs_each);

	return d->lds_bytes ? lesser(n, slots->lds / d->lds_bytes) : n;
}

u32 sim_room(const struct sim_gpu *gpu, const struct sim_queue *q, const struct sim_dispatch *d, u32 xcc)
{
	const struct sim_profile *p = gpu->profile;
	const struct sim_slots *used = &q->used[xcc];
	u32 n = hold(d, &gpu->free[xcc]), cus;
	struct sim_slots own;

	/* a compute unit does not take a part of a workgroup */
	if (!q->cus)
		return lesser(n, d->capacity / p->xccs - d->parts[xcc].resident);
	cus = cus_of(p, q);
	n = lesser(n, d->capacity / p->cus * cus - d->parts[xcc].resident);
	own = sim_slots_of_cus(p, cus);
	own.waves -= used->waves;
	own.vgprs -= used->vgprs;
	own.lds -= used->lds;
	return lesser(n, hold(d, &own));
}

/* So many workgroups take their slots; fewer than none give them back. */
static void take(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 xcc, s32 n)
{
	struct sim_slots *free = &gpu->free[xcc], *used = &q->used[xcc];
	s32 waves = n * (s32)d->waves, vgprs = n * (s32)d->vgprs_each;
	s32 lds = n * (s32)d->lds_bytes;

	free->waves -= waves;
	free->vgprs -= vgprs;
	free->lds -= lds;
	used->waves += waves;
	used->vgprs += vgprs;
	used->lds += lds;
	gpu->free_waves -= waves;
	q->waves += waves;
	d->resident += n;
	d->parts[xcc].resident += n;
}

void sim_release(struct sim_gpu *gpu, struct sim_queue *q,
		 struct sim_dispatch *d, u32 xcc, u32 n)
{
	take(gpu, q, d, xcc, -(s32)n);
	gpu->freed |= 1U << xcc;
	if (n && gpu->free_waves == all_waves(gpu->profile))
		gpu->idle_since = gpu->now;
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
	u32 x;

	put_all(gpu, &d->running);
	for (x = 0; x < gpu->profile->xccs; x++) {
		sim_release(gpu, q, d, x, d->parts[x].resident);
		put_all(gpu, &d->parts[x].parked);
		put_all(gpu, &d->parts[x].ended);
		d->parts[x].parked_count = 0;
	}
}

struct sim_cohort *sim_cohort_ended(struct sim_gpu *gpu, struct sim_dispatch *d, struct sim_cohort *c)
{
	struct sim_cohort **at = &d->parts[c->xcc].ended, *next;

	while (*at && (*at)->first + (*at)->workgroups < c->first)
		at = &(*at)->next;
	next = *at;
	if (next && next->first + next->workgroups == c->first) {
		next->workgroups += c->workgroups;
		sim_cohort_put(gpu, c);
		c = next;
	} else {
		c->next = next;
		*at = c;
	}
	next = c->next;
	if (next && c->first + c->workgroups == next->first) {
		c->workgroups += next->workgroups;
		c->next = next->next;
		sim_cohort_put(gpu, next);
	}
	if (c->workgroups < LATE_WORKGROUPS)
		return NULL;
	*at = c->next;
	return c;
}

/* Keep @running sorted. The new one is the last or nearly the last. */
static void insert_running(struct sim_dispatch *d, struct sim_cohort *c)
{
	struct sim_cohort *before = d->running ? d->last : NULL;

	while (before && before->end > c->end)
		before = before->prev;
	c->prev = before;
	c->next = before ? before->next : d->running;
	if (before)
		before->next = c;
	else
		d->running = c;
	if (c->next)
		c->next->prev = c;
	else
		d->last = c;
}

/* Continue up to @n workgroups that were saved, and take @extra longer. */
static u32 resume(struct sim_gpu *gpu, struct sim_dispatch *d, u32 xcc, u32 n, u64 t, u64 extra)
{
	struct sim_part *part = &d->parts[xcc];
	struct sim_cohort *c, *some;
	u32 done = 0;

	while (done < n && (c = part->parked)) {
		if (c->workgroups <= n - done) {
			part->parked = c->next;
			some = c;
		} else {
			some = sim_cohort_get(gpu);
			if (!some)
				break;
			some->xcc = xcc;
			some->first = c->first;
			some->workgroups = n - done;
			some->end = c->end;
			c->first += some->workgroups;
			c->workgroups -= some->workgroups;
		}
		done += some->workgroups;
		some->end += t + extra;
		insert_running(d, some);
	}
	part->parked_count -= done;
	return done;
}

/* Time that the workgroups of a cohort compute whose first is @id. */
static u64 duration(const struct sim_dispatch *d, u32 id)
{
	u32 hash = id * 2654435761U;
	s64 off;

	if (!d->spread)
		return d->workgroup_ns;
	hash ^= hash >> 15;
	off = (s64)(hash % (2 * d->spread + 1)) - d->spread;
	return d->workgroup_ns + (s64)d->workgroup_ns / 1000 * off;
}

/*
 * The ends of workgroups are on a grid of so many ns, a power of two up to an eighth of their time:
 * else each of thousands soon had a moment of its own, which is an event each. 0: they are exact.
 */
static u64 grid_of(const struct sim_dispatch *d)
{
	u64 step = GRID_NS;

	if (d->workgroup_ns < 2 * GRID_NS ||
	    (d->spread < GRID_SPREAD && d->workgroups / GRID_ROUNDS < d->capacity))
		return 0;
	while (step <= d->workgroup_ns / 16)
		step *= 2;
	return step;
}

/* When a workgroup ends that begins at @t and computes for so long. */
static u64 end_of(const struct sim_dispatch *d, u64 t, u64 ns)
{
	u64 step = grid_of(d), end = t + ns;

	if (!step)
		return end;
	end = (end + step / 2) & ~(step - 1);
	return end < t ? t : end;
}

u64 sim_shortest_ns(const struct sim_dispatch *d)
{
	u64 ns = d->workgroup_ns - d->workgroup_ns / 1000 * d->spread, round = grid_of(d) / 2;

	return ns > round ? ns - round : 0;
}

/* Whether another process than that of @q is on the hardware, and none of its queues has work. */
static bool beside_idle(const struct sim_gpu *gpu, const struct sim_queue *q)
{
	u32 all = 0, busy = 1U << q->vmid, i;

	for (i = 0; i < gpu->nr_queues; i++) {
		all |= 1U << gpu->queues[i]->vmid;
		if (sim_queue_busy(gpu->queues[i]))
			busy |= 1U << gpu->queues[i]->vmid;
	}
	return all & ~busy;
}

/* How much longer a workgroup takes that begins now, per mille. */
static u32 slower_pm(const struct sim_gpu *gpu, const struct sim_queue *q, u64 t)
{
	const struct sim_profile *p = gpu->profile;
	u32 pm = 0, all, others;

	if (p->contention_pm) {
		all = all_waves(p);
		others = all - gpu->free_waves - q->waves;
		pm = (u64)p->contention_pm * others / all;
	}
	if (p->idle_process_pm && beside_idle(gpu, q))
		pm += p->idle_process_pm;
	if (t < gpu->ramp_from + p->clock_ramp_ns)
		pm += p->clock_ramp_pm * (gpu->ramp_from + p->clock_ramp_ns - t) /
			p->clock_ramp_ns;
	return pm;
}

/* Begin up to @n workgroups, which take @extra longer. */
static u32 begin(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 xcc, u32 n,
		 u64 t, u64 extra)
{
	struct sim_part *part = &d->parts[xcc];
	struct sim_cohort *c;
	u32 done = 0, slower;
	u64 ns;

	n = lesser(n, part->workgroups - part->begun);
	slower = n ? slower_pm(gpu, q, t) : 0;
	while (done < n && (c = sim_cohort_get(gpu))) {
		if (!d->launched)
			d->start_ns = t;
		c->xcc = xcc;
		c->first = part->first + part->begun;
		c->workgroups = lesser(n - done, d->block);
		ns = duration(d, c->first);
		c->end = end_of(d, t, ns + ns / 1000 * slower + extra);
		part->begun += c->workgroups;
		d->launched += c->workgroups;
		done += c->workgroups;
		insert_running(d, c);
	}
	return done;
}

static u32 place(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u32 xcc, u32 n,
		 u64 t, u64 extra)
{
	u32 done = d->parts[xcc].parked ? resume(gpu, d, xcc, n, t, extra) : 0;

	return done + begin(gpu, q, d, xcc, n - done, t, extra);
}

static void tell_first(struct sim_gpu *gpu, struct sim_queue *q, u64 t)
{
	q->fresh = false;
	if (gpu->ops->first_wave)
		gpu->ops->first_wave(q, t);
}

u32 sim_place(struct sim_gpu *gpu, struct sim_queue *q,
	      struct sim_dispatch *d, u32 xcc, u32 n, u64 t)
{
	u32 cold = 0, done = 0;

	if (t >= gpu->idle_since + RAMP_IDLE_NS && gpu->free_waves == all_waves(gpu->profile))
		gpu->ramp_from = t;
	if (q->cold) {
		cold = lesser(n, (q->cold + d->waves - 1) / d->waves);
		done = place(gpu, q, d, xcc, cold, t, gpu->profile->cold_ns);
		q->cold -= lesser(q->cold, done * d->waves);
	}
	if (done == cold)
		done += place(gpu, q, d, xcc, n - done, t, 0);
	take(gpu, q, d, xcc, done);
	if (q->fresh && done)
		tell_first(gpu, q, t);
	sim_queue_touch(q);
	return done;
}

bool sim_cohort_carry_out(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d,
			  const struct sim_cohort *c, u64 t)
{
	const struct sim_ops *ops = gpu->ops;

	return (ops->retired ? ops->retired : sim_kernel_retired)(q, d, c->first, c->workgroups, t);
}

bool sim_dispatch_carry_out(struct sim_gpu *gpu, struct sim_queue *q, struct sim_dispatch *d, u64 t)
{
	struct sim_cohort *c;
	bool ok = true;
	u32 x;

	for (x = 0; x < gpu->profile->xccs; x++) {
		while (ok && (c = d->parts[x].ended)) {
			d->parts[x].ended = c->next;
			ok = sim_cohort_carry_out(gpu, q, d, c, t);
			sim_cohort_put(gpu, c);
		}
	}
	return ok;
}
