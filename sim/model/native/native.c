// SPDX-License-Identifier: MIT
/* Native kernels: finding one, and carrying out its workgroups. */
#include "native/native.h"

/* Workgroups that are one to the model, if a kernel only takes its time. */
#define TIMED_EACH	16

/* No spread of a kernel with more workgroups. */
#define MOST_SPREAD	1024

/*
 * Contents of sim_dispatch.cookie. It is saved with the waves in memory of the
 * process and restored from there, so it is checked each time it is used.
 */
enum {
	COOKIE_ARGS,
	COOKIE_GRID_XY,
	COOKIE_GRID_Z,
	COOKIE_SIZE,	/* 16 bits each */
	COOKIE_UNUSED,
	COOKIE_KERNEL,	/* its number + 1; synthetic kernels have 0 here */
};

/* Added to the number of an unknown kernel; larger than numbers of known ones. */
#define COOKIE_UNKNOWN	(1ULL << 32)

static const struct sim_native *const tables[] = {
	sim_native_plain,
	sim_native_hip,
	sim_native_rocr,
};

const struct sim_native *sim_native_at(u32 i)
{
	const struct sim_native *k;
	u32 t;

	for (t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (k = tables[t]; k->run; k++)
			if (!i--)
				return k;
	return NULL;
}

static s32 find_symbol(const char *name)
{
	const struct sim_native *k;
	u32 i;

	for (i = 0; (k = sim_native_at(i)); i++)
		if (k->symbol && !strcmp(k->symbol, name))
			return i;
	return -1;
}

static s32 find_hash(u64 hash)
{
	const struct sim_native *k;
	u32 i;

	for (i = 0; (k = sim_native_at(i)); i++)
		if (!k->symbol && k->code == hash)
			return i;
	return -1;
}

/* In place of the name of bare code. */
static void name_hash(char name[SIM_NATIVE_NAME], u64 hash)
{
	u32 i;

	memcpy(name, "code ", 5);
	for (i = 0; i < 16; i++)
		name[5 + i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
	name[21] = 0;
}

s32 sim_native_find(struct sim_queue *q, u64 code, char name[SIM_NATIVE_NAME])
{
	u64 hash;

	if (sim_code_symbol(q, code, name))
		return find_symbol(name);
	hash = sim_code_hash(q, code);
	name_hash(name, hash);
	return hash ? find_hash(hash) : -1;
}

static u32 at_least_one(u32 n)
{
	return n ? n : 1;
}

/* A cookie is untrusted: the grid may be anything. */
static bool too_large(const struct sim_native *k, const struct sim_dispatch *d)
{
	u64 x = (u32)d->cookie[COOKIE_GRID_XY], y = d->cookie[COOKIE_GRID_XY] >> 32;
	u64 z = (u32)d->cookie[COOKIE_GRID_Z];

	if (!k->most)
		return false;
	return x > k->most || x * y > k->most || x * y * z > k->most;
}

static bool unknown_kernel(struct sim_queue *q, const struct sim_aql_dispatch *p,
			   struct sim_dispatch *d, u32 number)
{
	if (!q->gpu->time_unknown || !sim_unknown_costs(q, p->code, d))
		return false;
	d->cookie[COOKIE_KERNEL] = COOKIE_UNKNOWN + number;
	return true;
}

bool sim_native_kernel(struct sim_queue *q, const struct sim_aql_dispatch *p,
		       struct sim_dispatch *d, s32 i)
{
	const struct sim_native *k;
	u32 rounds = 1;

	if (i < 0)
		return unknown_kernel(q, p, d, -1 - i);
	k = sim_native_at(i);
	if (!k || (k->rounds && !k->rounds(q, p->args, &rounds)))
		return false;
	d->vgprs = k->vgprs;
	d->workgroup_ns = (u64)k->cycles * at_least_one(rounds) * 1000 /
		q->gpu->profile->clock_mhz;
	/* so that a preemption may find it at many points, as on hardware; a large one has many rounds */
	d->spread = d->workgroups <= MOST_SPREAD ? 20 : 0;
	d->cookie[COOKIE_ARGS] = p->args;
	d->cookie[COOKIE_GRID_XY] = (u64)at_least_one(p->grid[1]) << 32 |
		at_least_one(p->grid[0]);
	d->cookie[COOKIE_GRID_Z] = at_least_one(p->grid[2]);
	d->cookie[COOKIE_SIZE] = (u64)at_least_one(p->workgroup[2]) << 32 |
		at_least_one(p->workgroup[1]) << 16 | at_least_one(p->workgroup[0]);
	d->cookie[COOKIE_KERNEL] = i + 1;
	if (too_large(k, d)) {
		/* which of them ended is not visible: fewer, larger, equal steps */
		d->workgroups = (d->workgroups - 1) / TIMED_EACH + 1;
		d->workgroup_ns *= TIMED_EACH;
		d->spread = 0;
	}
	d->late = k->many && !too_large(k, d);
	return true;
}

bool sim_native_is(const struct sim_dispatch *d)
{
	return d->cookie[COOKIE_KERNEL];
}

bool sim_native_timed(const struct sim_dispatch *d)
{
	u64 i = d->cookie[COOKIE_KERNEL] - 1;
	const struct sim_native *k = i < 1000 ? sim_native_at(i) : NULL;

	return k && too_large(k, d);
}

s32 sim_native_unknown(const struct sim_dispatch *d)
{
	u64 number = d->cookie[COOKIE_KERNEL] - COOKIE_UNKNOWN;

	return number <= 0x7fffffff ? (s32)number : -1;
}

/* False: the cookies are not those of a dispatch. */
static bool load_call(struct sim_queue *q, const struct sim_dispatch *d,
		      struct sim_native_call *c)
{
	u32 i;

	memset(c, 0, sizeof(*c));
	c->q = q;
	c->args = d->cookie[COOKIE_ARGS];
	c->groups = d->workgroups;
	c->grid[0] = (u32)d->cookie[COOKIE_GRID_XY];
	c->grid[1] = d->cookie[COOKIE_GRID_XY] >> 32;
	c->grid[2] = (u32)d->cookie[COOKIE_GRID_Z];
	for (i = 0; i < 3; i++) {
		c->size[i] = d->cookie[COOKIE_SIZE] >> 16 * i & 0xffff;
		if (!c->grid[i] || !c->size[i] || c->size[i] > 1024)
			return false;
	}
	return true;
}

/* Workgroups are numbered along x first. */
static void select_group(struct sim_native_call *c, u32 group)
{
	u32 i, groups;

	c->group = group;
	for (i = 0; i < 3; i++) {
		groups = (c->grid[i] - 1) / c->size[i] + 1;
		c->first[i] = group % groups * c->size[i];
		c->end[i] = c->grid[i] - c->first[i] < c->size[i] ?
			c->grid[i] : c->first[i] + c->size[i];
		group /= groups;
	}
}

bool sim_native_retired(struct sim_queue *q, const struct sim_dispatch *d,
			u32 first, u32 n, u64 t)
{
	u64 i = d->cookie[COOKIE_KERNEL] - 1;
	const struct sim_native *k = i < 1000 ? sim_native_at(i) : NULL;
	struct sim_native_call c;

	if (sim_native_unknown(d) >= 0)
		return true;
	if (!k || !load_call(q, d, &c))
		return false;
	if (too_large(k, d))
		return true;
	c.start = q->gpu->ops->ticks(q->gpu->owner, d->start_ns);
	c.now = q->gpu->ops->ticks(q->gpu->owner, t);
	for (; n; n -= c.count, first += c.count) {
		select_group(&c, first);
		c.count = k->many ? n : 1;
		if (!k->run(&c))
			return false;
	}
	return true;
}
