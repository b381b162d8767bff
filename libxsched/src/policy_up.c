// SPDX-License-Identifier: MIT
/*
 * UP, utilisation partition: round robin among the tenants with a share. A
 * round is "up.slice_us" long, of which each has its part of the sum of all
 * shares. A tenant without work is skipped, and the rest of its turn is lost.
 *
 * Tenants without a share, or with one of 0, run where no tenant with a share
 * has work, in turns of equal length. XSched never lets such a queue run again.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_slice.h"

enum { UP_SLICE_US };

/* A turn shorter than that would be spent on switching. */
#define SHORTEST_NS	100000

/* Of the view: sum of all shares, as of this decision. */
#define UP_TOTAL	SLICE_VIEW_OWN

static const struct xsched_option up_options[] = {
	[UP_SLICE_US] = { "up.slice_us", "length of a round of all tenants",
			  100, 10000000, 5000 },
};

static int64_t share_of(const struct xsched_policy_tenant *t)
{
	return policy_hint(t, XSCHED_HINT_UTILIZATION, 0);
}

static int64_t up_rank(const struct xsched_policy_tenant *t)
{
	return share_of(t) ? 0 : SLICE_LAST;
}

static uint64_t up_budget(struct xsched_policy_view *view,
			  struct xsched_policy_tenant *t)
{
	uint64_t round = 1000 * policy_hint(t, XSCHED_HINT_TIMESLICE_US,
					    view->option[UP_SLICE_US]);
	uint64_t budget = round;

	if (share_of(t))
		budget = round * share_of(t) / view->data[UP_TOTAL];
	return budget > SHORTEST_NS ? budget : SHORTEST_NS;
}

static uint64_t up_decide(struct xsched_policy_view *view)
{
	static const struct slice_rules rules = {
		.rank = up_rank,
		.budget = up_budget,
	};

	view->data[UP_TOTAL] = 0;
	for (size_t i = 0; i < view->count; i++)
		view->data[UP_TOTAL] += share_of(view->tenants[i]);
	return slice_decide(view, &rules);
}

const struct xsched_policy_ops xsched_policy_up = {
	.abi = XSCHED_POLICY_ABI,
	.name = "up",
	.summary = "all take turns in short rounds, each as long as its share",
	.local = true,
	.options = up_options,
	.option_count = sizeof(up_options) / sizeof(up_options[0]),
	.decide = up_decide,
};
