// SPDX-License-Identifier: MIT
/*
 * MLFQ, multi-level feedback queue: finds out by itself which tenants need
 * little. A tenant begins at level 0, the highest, and goes down one level when
 * it has run for as long as its level allows: "mlfq.slice_us", doubled with
 * each level. On each node the highest level that has work runs; within it, the
 * tenant that has waited longest, for at least "mlfq.tick_us".
 *
 * It goes up one level after "mlfq.recovery_us" without having gone down. The
 * part of its waiting time that is due to its equals does not count: 0.9/N of
 * it with N of them. So a tenant that uses little rises, and none waits for
 * ever. (In XSched none of the wait counts with one equal, so a tenant never
 * rises while it waits.) A tenant may rise several levels after a long idle
 * time. Idle tenants are held where others wait.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

enum { MLFQ_SLICE_US, MLFQ_TICK_US, MLFQ_RECOVERY_US };

#define LEVELS	4

/* Of a tenant. */
enum {
	MLFQ_LEVEL,
	MLFQ_USED,	/* time it ran at this level */
	MLFQ_WAITED,	/* time it waited since MLFQ_STAMP */
	MLFQ_STAMP,	/* when its level was last looked at anew */
	MLFQ_SEEN,	/* when it was last looked at */
	MLFQ_SINCE,	/* when it was chosen; 0: it is not */
};

static const struct xsched_option mlfq_options[] = {
	[MLFQ_SLICE_US] = { "mlfq.slice_us", "time at the highest level",
			    100, 10000000, 10000 },
	[MLFQ_TICK_US] = { "mlfq.tick_us", "shortest time a tenant runs",
			   100, 1000000, 5000 },
	[MLFQ_RECOVERY_US] = { "mlfq.recovery_us", "time to rise one level",
			       1000, 60000000, 100000 },
};

static void restart(const struct xsched_policy_view *view,
		    struct xsched_policy_tenant *t)
{
	t->data[MLFQ_STAMP] = view->now_ns;
	t->data[MLFQ_USED] = 0;
	t->data[MLFQ_WAITED] = 0;
}

static void mlfq_enter(struct xsched_policy_view *view,
		       struct xsched_policy_tenant *t)
{
	t->data[MLFQ_SEEN] = view->now_ns;
	restart(view, t);
}

/* Ready tenants of each level on each node. */
static void count_levels(const struct xsched_policy_view *view,
			 uint16_t (*n)[LEVELS])
{
	for (size_t i = 0; i < view->count; i++) {
		const struct xsched_policy_tenant *t = view->tenants[i];

		for (uint64_t set = t->ready; set; set &= set - 1)
			n[__builtin_ctzll(set)][t->data[MLFQ_LEVEL]]++;
	}
}

static uint64_t equals_of(const struct xsched_policy_tenant *t,
			  uint16_t (*n)[LEVELS])
{
	uint64_t most = 1;

	for (uint64_t set = t->ready; set; set &= set - 1) {
		uint64_t here = n[__builtin_ctzll(set)][t->data[MLFQ_LEVEL]];

		if (here > most)
			most = here;
	}
	return most;
}

/* The time since the last decision: it ran, or it waited. */
static void account(const struct xsched_policy_view *view,
		    struct xsched_policy_tenant *t)
{
	uint64_t from = t->data[MLFQ_SEEN];

	t->data[MLFQ_SEEN] = view->now_ns;
	t->data[MLFQ_USED] += t->ran_ns;
	if (t->ready_ns > from)
		from = t->ready_ns;
	if (t->ready && !t->running && view->now_ns > from)
		t->data[MLFQ_WAITED] += view->now_ns - from;
}

/* Up, after a time in which it did not go down. */
static void recover(const struct xsched_policy_view *view,
		    struct xsched_policy_tenant *t, uint64_t equals)
{
	uint64_t threshold = 1000 * view->option[MLFQ_RECOVERY_US];
	uint64_t passed = view->now_ns - t->data[MLFQ_STAMP];
	uint64_t waited = t->data[MLFQ_WAITED] / 10 * 9 / equals;
	uint64_t steps;

	if (passed <= waited || passed - waited <= threshold)
		return;
	steps = (passed - waited) / threshold;
	t->data[MLFQ_LEVEL] -= steps < t->data[MLFQ_LEVEL] ?
			       steps : t->data[MLFQ_LEVEL];
	restart(view, t);
}

static uint64_t slice_of(const struct xsched_policy_view *view,
			 const struct xsched_policy_tenant *t)
{
	return (uint64_t)view->option[MLFQ_SLICE_US] * 1000
	       << t->data[MLFQ_LEVEL];
}

/* Down, after all the time of its level; then its turn ends. */
static void exhaust(const struct xsched_policy_view *view,
		    struct xsched_policy_tenant *t)
{
	uint64_t used = t->data[MLFQ_USED];

	if (used < slice_of(view, t))
		return;
	/* Alone, it ran without a decision: several levels at once. */
	while (used >= slice_of(view, t) && t->data[MLFQ_LEVEL] < LEVELS - 1) {
		used -= slice_of(view, t);
		t->data[MLFQ_LEVEL]++;
	}
	restart(view, t);
	t->data[MLFQ_SINCE] = 0;
}

/* Higher levels first; within one, a tenant in its tick first. */
static int64_t rank_of(const struct xsched_policy_view *view,
		       const struct xsched_policy_tenant *t)
{
	const uint64_t longest = (1ULL << 56) - 1;
	uint64_t tick = 1000 * view->option[MLFQ_TICK_US];
	uint64_t waited = t->data[MLFQ_WAITED];
	uint64_t since = t->data[MLFQ_SINCE];

	if (waited > longest - 1)
		waited = longest - 1;
	if (since && view->now_ns < since + tick)
		waited = longest;
	return (int64_t)(t->data[MLFQ_LEVEL] << 56 | (longest - waited));
}

/* When to look again, if it runs while others wait. */
static uint64_t next_look(const struct xsched_policy_view *view,
			  struct xsched_policy_tenant *t, uint64_t waited)
{
	uint64_t tick = 1000 * view->option[MLFQ_TICK_US];
	uint64_t *since = &t->data[MLFQ_SINCE];
	uint64_t next, used_up;

	/* As backfill it keeps its tick, but gets no new one. */
	if (!policy_runs(t))
		*since = 0;
	else if (!*since || view->now_ns >= *since + tick)
		*since = t->backfill ? 0 : view->now_ns;
	if (!policy_runs(t) || !(t->ready & waited))
		return XSCHED_NO_DEADLINE;
	next = (*since ? *since : view->now_ns) + tick;
	used_up = view->now_ns + slice_of(view, t) - t->data[MLFQ_USED];
	return used_up < next ? used_up : next;
}

static uint64_t mlfq_decide(struct xsched_policy_view *view)
{
	uint16_t levels[XSCHED_ENGINE_NODES][LEVELS] = { 0 };
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	uint64_t waited;

	count_levels(view, levels);
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		account(view, t);
		if (t->ready) {
			recover(view, t, equals_of(t, levels));
			exhaust(view, t);
		}
		t->rank = rank_of(view, t);
	}
	waited = xsched_policy_turns(view, 1, false);
	policy_hold_idle(view, waited);
	for (size_t i = 0; i < view->count; i++) {
		uint64_t look = next_look(view, view->tenants[i], waited);

		if (look < next_ns)
			next_ns = look;
	}
	return next_ns;
}

const struct xsched_policy_ops xsched_policy_mlfq = {
	.abi = XSCHED_POLICY_ABI,
	.name = "mlfq",
	.summary = "tenants that use little GPU time come first; nothing is configured",
	.local = true,
	.options = mlfq_options,
	.option_count = sizeof(mlfq_options) / sizeof(mlfq_options[0]),
	.enter = mlfq_enter,
	.decide = mlfq_decide,
};
