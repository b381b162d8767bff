// SPDX-License-Identifier: MIT
/*
 * A policy outside the library: first come, first served. On each GPU the tenant
 * that got work first runs until it has none.
 *
 *   cc -shared -fPIC -o fcfs.so fcfs.c $(pkg-config --cflags libxsched)
 *   xsched-sim --load ./fcfs.so --policy fcfs SCENARIO
 *
 * xschedd loads it by name (policy = fcfs) from the directory of policies, see
 * xschedd.conf(5).
 * xsched/policy.h says what a policy may do.
 */
#include <xsched/policy.h>

static uint64_t decide(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		view->tenants[i]->rank = (int64_t)view->tenants[i]->ready_ns;
	xsched_policy_turns(view, 1, false);
	return XSCHED_NO_DEADLINE;
}

const struct xsched_policy_ops xsched_policy = {
	.abi = XSCHED_POLICY_ABI,
	.name = "fcfs",
	.summary = "the tenant that got work first runs until it has none",
	.local = true,
	.decide = decide,
};
