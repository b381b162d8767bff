// SPDX-License-Identifier: MIT
/*
 * KEDF, k earliest deadlines first: on each node the k ready tenants with the
 * earliest deadlines run; the others are held. The hint says how long after the
 * tenant got work its deadline is. Tenants without a deadline come after those
 * with one, in order of arrival.
 *
 * A request lasts from when a tenant gets work until it has none: a tenant that
 * always has work keeps the deadline of its first request.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

/* For tenants without a deadline: after all others. */
#define NO_DEADLINE	((int64_t)1 << 62)

enum { KEDF_K };

static const struct xsched_option kedf_options[] = {
	[KEDF_K] = { "kedf.k", "tenants that run at a time on a GPU",
		     1, 64, 1 },
};

static int64_t rank_of(const struct xsched_policy_tenant *t)
{
	int64_t after = policy_hint(t, XSCHED_HINT_DEADLINE_NS, NO_DEADLINE);

	if (t->ready_ns >= (uint64_t)NO_DEADLINE)
		return INT64_MAX;
	if (after > NO_DEADLINE - (int64_t)t->ready_ns)
		return NO_DEADLINE + (int64_t)t->ready_ns;
	return (int64_t)t->ready_ns + after;
}

static uint64_t kedf_decide(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		view->tenants[i]->rank = rank_of(view->tenants[i]);
	xsched_policy_turns(view, view->option[KEDF_K], true);
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_kedf = {
	.abi = XSCHED_POLICY_ABI,
	.name = "kedf",
	.summary = "on each GPU the tenants with the earliest deadlines run",
	.local = true,
	.options = kedf_options,
	.option_count = sizeof(kedf_options) / sizeof(kedf_options[0]),
	.decide = kedf_decide,
};
