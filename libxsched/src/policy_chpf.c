// SPDX-License-Identifier: MIT
/*
 * CHPF, CPU highest priority first: HPF by the priority the process has on the
 * CPU, its nice value. Without that hint a process has nice 0.
 *
 * XSched takes the number in /proc/PID/sched, by which a process of real-time
 * priority 1 comes before one of 99; here the higher one comes first.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

static uint64_t chpf_decide(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		struct xsched_policy_tenant *t = view->tenants[i];

		t->rank = policy_hint(t, XSCHED_HINT_NICE, 0);
	}
	xsched_policy_levels(view);
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_chpf = {
	.abi = XSCHED_POLICY_ABI,
	.name = "chpf",
	.summary = "on each GPU the process with the lowest nice value runs",
	.local = true,
	.decide = chpf_decide,
};
