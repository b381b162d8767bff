// SPDX-License-Identifier: MIT
/*
 * CFS, completely fair: on each node the ready tenant with the least virtual
 * runtime runs. Virtual runtime grows with the time a tenant runs, and more
 * slowly at a higher priority: the weight is 1 at priority 0, and a fifth more
 * with each step. During its first tick, "cfs.tick_us", only a tenant with less
 * virtual runtime by more than a tick may take its place.
 *
 * A tenant that is new, or had no work, begins within a tick of the least of
 * those it competes with: time it saved up would make them wait for long, and
 * time it ran alone took nothing from them. XSched does so only for new ones.
 * Idle tenants are held where others wait.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

enum { CFS_TICK_US };

/* Of a tenant. */
enum {
	CFS_VRUNTIME,
	CFS_SINCE,	/* when it was chosen; 0: it is not */
	CFS_WAS_READY,	/* at the decision before */
};

static const struct xsched_option cfs_options[] = {
	[CFS_TICK_US] = { "cfs.tick_us", "shortest time a tenant runs",
			  100, 1000000, 1000 },
};

/* 1.2 to the power of @priority. */
static double weight_of(int32_t priority)
{
	double weight = 1, factor = priority < 0 ? 1 / 1.2 : 1.2;

	for (uint32_t n = priority < 0 ? -priority : priority; n; n >>= 1) {
		if (n & 1)
			weight *= factor;
		factor *= factor;
	}
	return weight;
}

/* No sum may overflow: a tenant with that much never runs anyway. */
static void add_vruntime(struct xsched_policy_tenant *t, uint64_t ran_ns)
{
	double vruntime = (double)t->data[CFS_VRUNTIME] +
			  (double)ran_ns / weight_of(t->priority);

	t->data[CFS_VRUNTIME] = vruntime < 0x1p62 ? (uint64_t)vruntime : 1ULL << 62;
}

/* The least on each node, of ready tenants that were ready before, too. */
static void find_least(const struct xsched_policy_view *view, uint64_t *least)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct xsched_policy_tenant *t = view->tenants[i];

		if (!t->data[CFS_WAS_READY])
			continue;
		for (uint64_t n = t->ready; n; n &= n - 1) {
			unsigned int node = __builtin_ctzll(n);

			if (t->data[CFS_VRUNTIME] < least[node])
				least[node] = t->data[CFS_VRUNTIME];
		}
	}
}

/*
 * It has work after having had none: place it near those it competes with. Time
 * it ran while no other tenant wanted to does not count against it, and idle
 * time does not count for it; but a pause does not undo the tick it just had.
 */
static void wake(struct xsched_policy_tenant *t, const uint64_t *least,
		 uint64_t tick)
{
	double ahead = (double)tick / weight_of(t->priority);
	uint64_t from = UINT64_MAX;
	uint64_t *own = &t->data[CFS_VRUNTIME];

	for (uint64_t n = t->nodes; n; n &= n - 1) {
		uint64_t there = least[__builtin_ctzll(n)];

		if (there < from)
			from = there;
	}
	if (from == UINT64_MAX)
		return;
	if ((double)*own > (double)from + ahead)
		*own = from + (uint64_t)ahead;
	else if (*own + tick < from)
		*own = from - tick;
}

/* The place in the order. */
static void set_ranks(struct xsched_policy_view *view, const uint64_t *least,
		   uint64_t tick)
{
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];
		uint64_t lead = 0;

		if (t->ready && !t->data[CFS_WAS_READY])
			wake(t, least, tick);
		/* In its tick, only one that is over a tick less may follow. */
		if (t->data[CFS_SINCE] &&
		    view->now_ns < t->data[CFS_SINCE] + tick)
			lead = tick;
		t->rank = (int64_t)t->data[CFS_VRUNTIME] - (int64_t)lead;
	}
}

static uint64_t cfs_decide(struct xsched_policy_view *view)
{
	uint64_t tick = 1000 * view->option[CFS_TICK_US];
	uint64_t least[XSCHED_ENGINE_NODES];
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	uint64_t waited;

	for (size_t i = 0; i < XSCHED_ENGINE_NODES; i++)
		least[i] = UINT64_MAX;
	for (size_t i = 0; i < view->count; i++)
		add_vruntime(view->tenants[i], view->tenants[i]->ran_ns);
	find_least(view, least);
	set_ranks(view, least, tick);
	waited = xsched_policy_turns(view, 1, false);
	policy_hold_idle(view, waited);
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];
		uint64_t *since = &t->data[CFS_SINCE];
		uint64_t look;

		t->data[CFS_WAS_READY] = t->ready != 0;
		/* As backfill it keeps its tick, but gets no new one. */
		if (!policy_runs(t))
			*since = 0;
		else if (!*since || view->now_ns >= *since + tick)
			*since = t->backfill ? 0 : view->now_ns;
		look = (*since ? *since : view->now_ns) + tick;
		if (policy_runs(t) && (t->ready & waited) && look < next_ns)
			next_ns = look;
	}
	return next_ns;
}

const struct xsched_policy_ops xsched_policy_cfs = {
	.abi = XSCHED_POLICY_ABI,
	.name = "cfs",
	.summary = "all get the same time on the GPU, weighted by priority",
	.local = true,
	.options = cfs_options,
	.option_count = sizeof(cfs_options) / sizeof(cfs_options[0]),
	.decide = cfs_decide,
};
