// SPDX-License-Identifier: MIT
/*
 * AWF, active window first: on a node where a process with an active window has
 * work, all others are held. On other nodes, or without hints about windows,
 * all run.
 *
 * Several windows may be active, one for each display. XSched holds the other
 * processes on all devices; here they are held only on nodes of the active one.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

static uint64_t awf_decide(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		t->rank = !policy_hint(t, XSCHED_HINT_WINDOW_ACTIVE, 0);
	}
	xsched_policy_levels(view);
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_awf = {
	.abi = XSCHED_POLICY_ABI,
	.name = "awf",
	.summary = "the process of the active window runs, when it has work",
	.local = true,
	.decide = awf_decide,
};
