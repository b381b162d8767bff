// SPDX-License-Identifier: MIT
/*
 * CFS, completely fair: on each node the ready tenant runs that has had the
 * least, its virtual runtime. That grows with the time it runs, the slower the
 * higher its priority: the weight is 1024 at priority 0 and a fifth more with
 * each step. A tick, "cfs.tick_us", is how long one runs before another may
 * follow it that is not more than a tick behind.
 *
 * A tenant that is new begins with the least of those it competes with; one
 * that had no work is put at most a tick behind it, as saved-up time would keep
 * the others waiting for long. XSched does the first only. Idle tenants are not
 * held.
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
	[CFS_TICK_US] = { "cfs.tick_us", "how long a tenant runs at least",
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

/* No sum may overflow: what is that far behind never runs anyway. */
static void add_vruntime(struct xsched_policy_tenant *t, uint64_t ran_ns)
{
	double vruntime = (double)t->data[CFS_VRUNTIME] +
			  (double)ran_ns / weight_of(t->priority);

	t->data[CFS_VRUNTIME] = vruntime < 0x1p62 ? (uint64_t)vruntime : 1ULL << 62;
}

/* The least on each node of those who had work before, too. */
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

/* It has work again: it may be behind, but not far. */
static void wake(struct xsched_policy_tenant *t, const uint64_t *least,
		 uint64_t tick)
{
	uint64_t from = UINT64_MAX;

	for (uint64_t n = t->nodes; n; n &= n - 1) {
		uint64_t there = least[__builtin_ctzll(n)];

		if (there < from)
			from = there;
	}
	if (from == UINT64_MAX)
		return;
	from = from > tick ? from - tick : 0;
	if (t->data[CFS_VRUNTIME] < from)
		t->data[CFS_VRUNTIME] = from;
}

static void cfs_enter(struct xsched_policy_view *view,
		      struct xsched_policy_tenant *t)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < view->count; i++) {
		const struct xsched_policy_tenant *other = view->tenants[i];

		if (other != t && other->data[CFS_WAS_READY] &&
		    (other->ready & t->nodes) &&
		    other->data[CFS_VRUNTIME] < least)
			least = other->data[CFS_VRUNTIME];
	}
	t->data[CFS_VRUNTIME] = least == UINT64_MAX ? 0 : least;
}

/* Time, and with it the place in the order. */
static void update(struct xsched_policy_view *view, const uint64_t *least,
		   uint64_t tick)
{
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];
		uint64_t lead = 0;

		add_vruntime(t, t->ran_ns);
		if (t->ready && !t->data[CFS_WAS_READY])
			wake(t, least, tick);
		/* Within its tick others must be more than one behind it. */
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
	find_least(view, least);
	update(view, least, tick);
	waited = xsched_policy_turns(view, 1, false);
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];
		uint64_t *since = &t->data[CFS_SINCE];
		uint64_t look;

		t->data[CFS_WAS_READY] = t->ready != 0;
		if (!policy_runs(t) || t->backfill)
			*since = 0;
		else if (!*since || view->now_ns >= *since + tick)
			*since = view->now_ns;
		look = (*since ? *since : view->now_ns) + tick;
		if (policy_runs(t) && (t->nodes & waited) && look < next_ns)
			next_ns = look;
	}
	return next_ns;
}

const struct xsched_policy_ops xsched_policy_cfs = {
	.abi = XSCHED_POLICY_ABI,
	.name = "cfs",
	.summary = "all get the same time on the GPU, weighted by priority",
	.options = cfs_options,
	.option_count = sizeof(cfs_options) / sizeof(cfs_options[0]),
	.enter = cfs_enter,
	.decide = cfs_decide,
};
