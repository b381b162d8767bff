// SPDX-License-Identifier: MIT
/*
 * Which scheduler the program has: none, the local one, or xschedd.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdlib.h>
#include <strings.h>

#include "compat.h"

/* Names of policies: XSched's, and the engine's. */
static const struct {
	XPolicyType type;
	const char *name;
} policies[] = {
	{ kPolicyHighestPriorityFirst, "hpf" },
	{ kPolicyHeterogeneousHighestPriorityFirst, "hhpf" },
	{ kPolicyCPUHighestPriorityFirst, "chpf" },
	{ kPolicyUtilizationPartition, "up" },
	{ kPolicyProcessUtilizationPartition, "pup" },
	{ kPolicyStrictProcessUtilizationPartition, "spup" },
	{ kPolicyKEarliestDeadlineFirst, "kedf" },
	{ kPolicyLaxity, "lax" },
	{ kPolicyActiveWindowFirst, "awf" },
	{ kPolicyCompletelyFairScheduler, "cfs" },
	{ kPolicyMultiLevelFeedbackQueue, "mlfq" },
};

#define POLICIES (sizeof(policies) / sizeof(policies[0]))

const char *policy_name(XPolicyType type)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (policies[i].type == type)
			return policies[i].name;
	return NULL;
}

void scheduler_end_local(void)
{
	local_stop();
	worker_wake();
}

int scheduler_choose_local(const char *policy)
{
	int ret = local_start(policy);

	if (!ret)
		compat.scheduler = kSchedulerLocal;
	return ret;
}

/* To xschedd a process is one tenant: the highest of its priorities counts. */
static int highest_priority(void)
{
	int highest = PRIORITY_MIN;

	for (struct xqueue *xq = compat.xqs; xq; xq = xq->next)
		if (xq->priority > highest)
			highest = xq->priority;
	return highest;
}

int tell_priority(const struct xqueue *xq)
{
	switch (compat.scheduler) {
	case kSchedulerLocal:
		local_priority(xq);
		return 0;
	case kSchedulerGlobal:
		return global_hint("priority", highest_priority());
	default:
		return 0;
	}
}

/* Send xschedd the hints given before it was chosen. */
int scheduler_choose_global(void)
{
	int ret;

	scheduler_end_local();
	compat.scheduler = kSchedulerGlobal;
	ret = global_reach();
	if (!ret && compat.xqs)
		ret = tell_priority(compat.xqs);
	return ret;
}

void scheduler_from_environment(void)
{
	const char *policy = secure_getenv("XSCHED_POLICY");
	const char *scheduler = secure_getenv("XSCHED_SCHEDULER");

	if (policy) {
		for (size_t i = 0; i < POLICIES; i++)
			if (!strcasecmp(policies[i].name, policy))
				scheduler_choose_local(policies[i].name);
		return;
	}
	if (scheduler && !strcasecmp(scheduler, "GLB"))
		compat.scheduler = kSchedulerGlobal;
	else if (scheduler && !strcasecmp(scheduler, "LCL"))
		scheduler_choose_local("hpf");
}
