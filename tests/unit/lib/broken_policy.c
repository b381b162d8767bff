// SPDX-License-Identifier: MIT
/* A policy that decides nothing: for test_policy_load.c. */
#include <xsched/policy.h>

const struct xsched_policy_ops xsched_policy = {
	.abi = XSCHED_POLICY_ABI,
	.name = "broken",
	.summary = "has no decide",
};
