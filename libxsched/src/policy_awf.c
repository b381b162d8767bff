// SPDX-License-Identifier: MIT
/*
 * AWF, active window first: where a process with an active window has work, all
 * others are held. Where none has, or nobody tells of windows, all run.
 *
 * There may be several: one for each display. XSched holds the others on all
 * devices; here only where the active one is.
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
