// SPDX-License-Identifier: MIT
/*
 * HPF, highest priority first, as XSched defines it: on each node the highest
 * priority among the ready tenants runs; everything lower is held, idle ones
 * too; equals run together; where nobody is ready, nobody is held.
 *
 * A tenant is a gang: it is held on all its nodes or on none, because ranks of
 * one collective wait for each other inside their kernels. XSched decides per
 * queue and device and need not say what that means, so we do:
 *
 *   A tenant is held if, on one of its nodes, a tenant of higher priority has
 *   work and is not held itself.
 *
 * Going through the priorities from the top this has one answer. The last half
 * sentence keeps the nodes busy: a gang that must wait because of one node
 * does not make others wait for it on its other nodes. With one node the rule
 * is XSched's, word for word.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <xsched/engine.h>

#include "policy.h"

static bool hpf_before(const struct xsched_policy_tenant *a,
		       const struct xsched_policy_tenant *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->pid < b->pid;
}

static uint64_t hpf_decide(struct xsched_policy_tenant *const *tenants,
			   size_t count, uint64_t now_ns)
{
	uint64_t above = 0;	/* nodes taken by a higher priority */
	uint64_t equal = 0;	/* nodes taken by this priority */

	(void)now_ns;
	for (size_t i = 0; i < count; i++) {
		struct xsched_policy_tenant *t = tenants[i];

		if (i && tenants[i - 1]->priority != t->priority) {
			above |= equal;
			equal = 0;
		}
		t->hold = t->nodes & above;
		if ((!t->hold && !t->manual) || t->exempt)
			equal |= t->ready;
	}
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy_hpf = {
	.name = "hpf",
	.before = hpf_before,
	.decide = hpf_decide,
};
