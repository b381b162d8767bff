/* SPDX-License-Identifier: MIT */
/*
 * The library's policies, and how they are found.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_POLICY_PRIV_H
#define XSCHED_POLICY_PRIV_H

#include <xsched/policy.h>

/** policy_at() - policy by its number; NULL after the last */
const struct xsched_policy_ops *policy_at(size_t index);

/** policy_find() - policy and its number by its name, or NULL */
const struct xsched_policy_ops *policy_find(const char *name, size_t *index);

/** policy_hint() - value of a hint, or @otherwise if it is not set */
static inline int64_t policy_hint(const struct xsched_policy_tenant *tenant,
				  enum xsched_hint hint, int64_t otherwise)
{
	int64_t value = tenant->hint[hint];

	return value == XSCHED_HINT_UNSET ? otherwise : value;
}

/** policy_runs() - whether it uses a GPU, by the decision just made */
static inline bool policy_runs(const struct xsched_policy_tenant *tenant)
{
	return tenant->ready && !tenant->hold && !tenant->pinned;
}

/**
 * policy_hold_idle() - hold tenants without work on those @nodes where one runs
 * @view: all tenants
 * @nodes: set of nodes
 *
 * If turns may be shorter than the firmware's, idle queues must be off the
 * hardware: with more queues than slots, the firmware begins with the first of
 * the list after every change, and may never reach the one that has the turn.
 */
void policy_hold_idle(struct xsched_policy_view *view, uint64_t nodes);

extern const struct xsched_policy_ops xsched_policy_hpf;
extern const struct xsched_policy_ops xsched_policy_hhpf;
extern const struct xsched_policy_ops xsched_policy_chpf;
extern const struct xsched_policy_ops xsched_policy_up;
extern const struct xsched_policy_ops xsched_policy_pup;
extern const struct xsched_policy_ops xsched_policy_kedf;
extern const struct xsched_policy_ops xsched_policy_lax;
extern const struct xsched_policy_ops xsched_policy_cfs;
extern const struct xsched_policy_ops xsched_policy_mlfq;
extern const struct xsched_policy_ops xsched_policy_awf;

#endif /* XSCHED_POLICY_PRIV_H */
