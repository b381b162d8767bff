// SPDX-License-Identifier: MIT
/*
 * LAX, laxity: a request has one priority while it may still wait, and another
 * one after that; HPF decides by these. So a request that has time lets others
 * go first, until it has no time left.
 *
 * A tenant without a laxity hint always has its own priority. With that hint,
 * its own priority replaces each of the two that is not set. XSched takes the
 * highest priority across all devices; here, as in HPF, it is that of a node.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

/* Its priority now; @next_ns: made earlier if that is going to change. */
static int64_t priority_of(const struct xsched_policy_tenant *t,
			   uint64_t now_ns, uint64_t *next_ns)
{
	int64_t laxity = policy_hint(t, XSCHED_HINT_LAXITY_NS, INT64_MIN);
	int64_t lax = policy_hint(t, XSCHED_HINT_LAX_PRIORITY, t->priority);
	uint64_t used_up;

	if (laxity == INT64_MIN)
		return t->priority;
	if (!t->ready)
		return lax;
	used_up = laxity < 0 ? 0 : t->ready_ns + (uint64_t)laxity;
	if (now_ns >= used_up)
		return policy_hint(t, XSCHED_HINT_CRIT_PRIORITY, t->priority);
	if (used_up < *next_ns)
		*next_ns = used_up;
	return lax;
}

static uint64_t lax_decide(struct xsched_policy_view *view)
{
	uint64_t next_ns = XSCHED_NO_DEADLINE;

	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		t->rank = -priority_of(t, view->now_ns, &next_ns);
	}
	xsched_policy_levels(view);
	return next_ns;
}

const struct xsched_policy_ops xsched_policy_lax = {
	.abi = XSCHED_POLICY_ABI,
	.name = "lax",
	.summary = "requests have another priority once they have waited too long",
	.local = true,
	.decide = lax_decide,
};
