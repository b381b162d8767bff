// SPDX-License-Identifier: MIT
/*
 * HPF, highest priority first, as XSched defines it: on each node the highest
 * priority among the ready tenants runs; all lower ones are held, also idle
 * ones; equals run together; where no tenant is ready, none is held.
 *
 * A tenant is a gang: it is held on all its nodes or on none, because ranks of
 * one collective wait for each other inside their kernels. XSched decides per
 * queue and device, and so has no rule for gangs. The rule here is:
 *
 *   A tenant is held if, on one of its nodes, a tenant of higher priority has
 *   work and is not held itself.
 *
 * Evaluated from the highest priority down, this has one answer. The condition
 * "not held itself" keeps nodes busy: a gang that must wait because of one node
 * does not make others wait on its other nodes. With one node the rule is that
 * of XSched.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "policy_priv.h"

static uint64_t hpf_decide(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		view->tenants[i]->rank = -view->tenants[i]->priority;
	xsched_policy_levels(view);
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_hpf = {
	.abi = XSCHED_POLICY_ABI,
	.name = "hpf",
	.summary = "on each GPU the highest priority that has work runs",
	.local = true,
	.decide = hpf_decide,
};
