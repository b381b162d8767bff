/* SPDX-License-Identifier: MIT */
/*
 * What a policy sees of the engine, and what the engine asks of a policy.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_POLICY_H
#define XSCHED_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct xsched_policy_tenant - a tenant, as a policy sees it
 * @pid: process
 * @priority: XSCHED_PRIORITY_MIN..MAX
 * @nodes: set of nodes it has queues on, a bit each
 * @ready: of these, the nodes on which it has work
 * @manual: will be held whatever the policy says
 * @exempt: will not be held whatever the policy says
 * @hold: out, whether the policy wants it held
 */
struct xsched_policy_tenant {
	int32_t pid;
	int32_t priority;
	uint64_t nodes;
	uint64_t ready;
	bool manual;
	bool exempt;
	bool hold;
};

/**
 * struct xsched_policy_ops - a policy
 * @name: what users call it
 * @before: whether @a comes before @b in the array given to @decide; a strict
 *	total order. It may depend on pid and priority only, so that the engine
 *	need not sort again when work comes and goes.
 * @decide: set @hold of each of @count tenants. Returns when to be asked again
 *	without an event, or XSCHED_NO_DEADLINE. Makes no system call, reads no
 *	clock, allocates nothing.
 */
struct xsched_policy_ops {
	const char *name;
	bool (*before)(const struct xsched_policy_tenant *a,
		       const struct xsched_policy_tenant *b);
	uint64_t (*decide)(struct xsched_policy_tenant *const *tenants,
			   size_t count, uint64_t now_ns);
};

extern const struct xsched_policy_ops xsched_policy_hpf;

#endif /* XSCHED_POLICY_H */
