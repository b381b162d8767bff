// SPDX-License-Identifier: MIT
/*
 * HHPF, heterogeneous highest priority first: as HPF, but the highest priority
 * is that of all nodes together. A tenant of lower priority is held also on
 * nodes that no other uses: a pipeline across several GPUs finds them all free.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

static uint64_t hhpf_decide(struct xsched_policy_view *view)
{
	int32_t highest = INT32_MIN;

	for (size_t i = 0; i < view->count; i++) {
		const struct xsched_policy_tenant *t = view->tenants[i];

		if (t->ready && t->priority > highest)
			highest = t->priority;
	}
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		t->hold = t->nodes && t->priority < highest;
	}
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_hhpf = {
	.abi = XSCHED_POLICY_ABI,
	.name = "hhpf",
	.summary = "the highest priority that has work runs, alone on all GPUs",
	.decide = hhpf_decide,
};
