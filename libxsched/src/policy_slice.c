// SPDX-License-Identifier: MIT
/*
 * Round robin with turns of given length. The tenant whose last turn is longest
 * ago comes next; on each node one tenant runs. A turn ends when the tenant has
 * run for its length or has no work any more.
 *
 * A gang needs all its nodes at once. While it waits for the turn on one of
 * them to end, others may run on its other nodes, but without a turn: when the
 * last of its nodes is free, the gang begins.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_slice.h"

/*
 * Only time that the tenant ran counts, so that a switch costs it nothing of
 * its turn. But a turn in which it never runs must end, too.
 */
#define PATIENCE	2

static void end_turn(struct xsched_policy_view *view,
		     struct xsched_policy_tenant *t)
{
	t->data[SLICE_BUDGET] = 0;
	t->data[SLICE_TURN] = ++view->data[SLICE_LAST_TURN];
}

/* Continue the turn it has, or end it. */
static void go_on(struct xsched_policy_view *view,
		  struct xsched_policy_tenant *t,
		  const struct slice_rules *rules)
{
	uint64_t *data = t->data;

	if (!data[SLICE_BUDGET])
		return;
	data[SLICE_USED] += t->ran_ns;
	if (data[SLICE_USED] < data[SLICE_BUDGET] &&
	    view->now_ns < data[SLICE_END] && t->ready && !t->pinned)
		return;
	if (data[SLICE_USED] < data[SLICE_BUDGET] && !t->ready && rules->early)
		rules->early(t, data[SLICE_BUDGET] - data[SLICE_USED]);
	end_turn(view, t);
}

/* Begin a turn. Tenants that came before, but have no work, are passed over. */
static void begin_turn(struct xsched_policy_view *view,
		       struct xsched_policy_tenant *t,
		       const struct slice_rules *rules)
{
	uint64_t turn = t->data[SLICE_TURN];

	for (size_t i = 0; rules->passed && i < view->count; i++) {
		struct xsched_policy_tenant *other = view->tenants[i];

		if (other->ready || !(other->nodes & t->nodes) ||
		    other->data[SLICE_TURN] >= turn)
			continue;
		rules->passed(view, other);
		other->data[SLICE_TURN] = ++view->data[SLICE_LAST_TURN];
	}
	t->data[SLICE_BUDGET] = rules->budget(view, t);
	t->data[SLICE_USED] = 0;
	t->data[SLICE_END] = view->now_ns + PATIENCE * t->data[SLICE_BUDGET];
}

/* After the choice: a tenant that runs begins a turn, unless it is backfill. */
static uint64_t take_turn(struct xsched_policy_view *view,
			  struct xsched_policy_tenant *t,
			  const struct slice_rules *rules, uint64_t waited)
{
	uint64_t *data = t->data;

	if (!policy_runs(t)) {
		if (data[SLICE_BUDGET])
			end_turn(view, t);
		return XSCHED_NO_DEADLINE;
	}
	if (!data[SLICE_BUDGET] && t->backfill)
		return XSCHED_NO_DEADLINE;
	if (!data[SLICE_BUDGET])
		begin_turn(view, t, rules);
	/* No tenant waits: its turn ends when one does. */
	if (!(t->ready & waited))
		return XSCHED_NO_DEADLINE;
	return view->now_ns + data[SLICE_BUDGET] - data[SLICE_USED];
}

uint64_t slice_decide(struct xsched_policy_view *view,
		      const struct slice_rules *rules)
{
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	uint64_t waited;

	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		go_on(view, t, rules);
		t->rank = rules->rank(t);
		if (!t->data[SLICE_BUDGET])
			t->rank += 1 + (int64_t)t->data[SLICE_TURN];
	}
	waited = xsched_policy_turns(view, 1, true);
	for (size_t i = 0; i < view->count; i++) {
		uint64_t end_ns = take_turn(view, view->tenants[i], rules,
					    waited);

		if (end_ns < next_ns)
			next_ns = end_ns;
	}
	return next_ns;
}
