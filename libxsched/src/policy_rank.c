// SPDX-License-Identifier: MIT
/*
 * What policies have in common: an order, and which tenants run by it.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <string.h>

#include "policy_priv.h"

static bool comes_before(const struct xsched_policy_tenant *a,
			 const struct xsched_policy_tenant *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->pid < b->pid;
}

/* Merge two sorted runs of @from, which end at @middle and @end, into @to. */
static void merge(struct xsched_policy_tenant **from,
		  struct xsched_policy_tenant **to, size_t begin, size_t middle,
		  size_t end)
{
	size_t a = begin, b = middle;

	for (size_t i = begin; i < end; i++) {
		bool left = b == end ||
			    (a < middle && !comes_before(from[b], from[a]));

		to[i] = from[left ? a++ : b++];
	}
}

static size_t run_end(struct xsched_policy_tenant **t, size_t begin,
		      size_t count)
{
	size_t i = begin + 1;

	while (i < count && !comes_before(t[i], t[i - 1]))
		i++;
	return i < count ? i : count;
}

/*
 * Natural merge sort: little more than one pass if the order has hardly
 * changed, and at most log2(count) passes.
 */
static void sort(struct xsched_policy_view *view)
{
	struct xsched_policy_tenant **from = view->tenants;
	struct xsched_policy_tenant **to = view->scratch;
	size_t count = view->count;

	while (count && run_end(from, 0, count) < count) {
		struct xsched_policy_tenant **swap = from;

		for (size_t i = 0; i < count;) {
			size_t middle = run_end(from, i, count);
			size_t end = middle < count ?
				     run_end(from, middle, count) : count;

			merge(from, to, i, middle, end);
			i = end;
		}
		from = to;
		to = swap;
	}
	if (from != view->tenants)
		memcpy(view->tenants, from, count * sizeof(*from));
}

void xsched_policy_levels(struct xsched_policy_view *view)
{
	uint64_t above = 0;	/* nodes taken by a smaller rank */
	uint64_t equal = 0;	/* nodes taken by this rank */

	sort(view);
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		if (i && view->tenants[i - 1]->rank != t->rank) {
			above |= equal;
			equal = 0;
		}
		t->hold = t->nodes & above;
		if (!t->hold || t->pinned)
			equal |= t->ready;
	}
}

/**
 * struct room - nodes while tenants are being let run
 * @used: tenants that run on each
 * @limit: how many may
 * @full: nodes on which that many do
 */
struct room {
	uint8_t used[XSCHED_ENGINE_NODES];
	unsigned int limit;
	uint64_t full;
};

static void take(struct room *room, uint64_t nodes)
{
	for (; nodes; nodes &= nodes - 1) {
		unsigned int node = __builtin_ctzll(nodes);

		if (++room->used[node] >= room->limit)
			room->full |= 1ULL << node;
	}
}

void policy_hold_idle(struct xsched_policy_view *view, uint64_t nodes)
{
	uint64_t busy = 0;

	for (size_t i = 0; i < view->count; i++)
		if (policy_runs(view->tenants[i]))
			busy |= view->tenants[i]->ready;
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		if (!t->ready)
			t->hold = t->nodes & nodes & busy;
	}
}

uint64_t xsched_policy_turns(struct xsched_policy_view *view,
			     unsigned int limit, bool hold_idle)
{
	struct room room = { .limit = limit };
	uint64_t waited = 0;

	sort(view);
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		t->hold = false;
		t->backfill = false;
		if (!t->ready || t->pinned)
			continue;
		t->hold = t->ready & room.full;
		if (t->hold) {
			waited |= t->ready;
			continue;
		}
		t->backfill = t->ready & waited;
		take(&room, t->ready);
	}
	if (hold_idle)
		policy_hold_idle(view, room.full);
	return waited;
}
