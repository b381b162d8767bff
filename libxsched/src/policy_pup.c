// SPDX-License-Identifier: MIT
/*
 * PUP, process utilisation partition: round robin among all tenants. A turn is
 * "pup.slice_us" long on average, and proportional to the tenant's share;
 * without that hint the share is 100. Time that a tenant could not use, because
 * it had no work, is kept for its next turn; of what exceeds one turn, a tenth
 * is lost each time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_slice.h"

enum { PUP_SLICE_US };

#define SHARE_DEFAULT	100
/* A turn shorter than that would be spent on switching. */
#define SHORTEST_NS	100000

/* Of a tenant: time it has kept. Of the view: sum of all shares. */
#define PUP_KEPT	SLICE_OWN
#define PUP_TOTAL	SLICE_VIEW_OWN
#define PUP_COUNT	(SLICE_VIEW_OWN + 1)

static const struct xsched_option pup_options[] = {
	[PUP_SLICE_US] = { "pup.slice_us", "length of a turn, on average",
			   100, 10000000, 5000 },
};

static uint64_t share_of(const struct xsched_policy_tenant *t)
{
	return policy_hint(t, XSCHED_HINT_UTILIZATION, SHARE_DEFAULT);
}

/* A tenant with a share of 0 runs where no other has work. */
static int64_t pup_rank(const struct xsched_policy_tenant *t)
{
	return share_of(t) ? 0 : SLICE_LAST;
}

/* One turn, and what was kept. */
static uint64_t turn_of(const struct xsched_policy_view *view,
			const struct xsched_policy_tenant *t)
{
	uint64_t slice = 1000 * policy_hint(t, XSCHED_HINT_TIMESLICE_US,
					    view->option[PUP_SLICE_US]);
	uint64_t kept = t->data[PUP_KEPT];
	uint64_t turn = slice;

	if (share_of(t))
		turn = slice * view->data[PUP_COUNT] * share_of(t) /
		       view->data[PUP_TOTAL];
	if (kept > turn)
		kept -= (kept - turn) / 10;
	return turn + kept;
}

static uint64_t pup_budget(struct xsched_policy_view *view,
			   struct xsched_policy_tenant *t)
{
	uint64_t budget = turn_of(view, t);

	t->data[PUP_KEPT] = 0;
	return budget > SHORTEST_NS ? budget : SHORTEST_NS;
}

static void pup_early(struct xsched_policy_tenant *t, uint64_t left)
{
	t->data[PUP_KEPT] = left;
}

static void pup_passed(struct xsched_policy_view *view,
		       struct xsched_policy_tenant *t)
{
	t->data[PUP_KEPT] = share_of(t) ? turn_of(view, t) : 0;
}

static uint64_t pup_decide(struct xsched_policy_view *view)
{
	static const struct slice_rules rules = {
		.rank = pup_rank,
		.budget = pup_budget,
		.early = pup_early,
		.passed = pup_passed,
	};

	view->data[PUP_TOTAL] = 0;
	view->data[PUP_COUNT] = 0;
	for (size_t i = 0; i < view->count; i++) {
		if (!view->tenants[i]->nodes)
			continue;
		view->data[PUP_TOTAL] += share_of(view->tenants[i]);
		view->data[PUP_COUNT]++;
	}
	return slice_decide(view, &rules);
}

const struct xsched_policy_ops xsched_policy_pup = {
	.abi = XSCHED_POLICY_ABI,
	.name = "pup",
	.summary = "like up, but a tenant keeps the time it did not use",
	.local = true,
	.options = pup_options,
	.option_count = sizeof(pup_options) / sizeof(pup_options[0]),
	.decide = pup_decide,
};
