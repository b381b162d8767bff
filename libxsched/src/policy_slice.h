/* SPDX-License-Identifier: MIT */
/*
 * Turns of given length: what UP and PUP have in common.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_POLICY_SLICE_H
#define XSCHED_POLICY_SLICE_H

#include "policy_priv.h"

/** Where a tenant without a share comes: after all that have one. */
#define SLICE_LAST	((int64_t)1 << 62)

/**
 * struct slice_rules - what differs
 * @rank: 0, or SLICE_LAST
 * @budget: length of the turn that begins now, in ns
 * @early: called when its turn ends @left ns early, for lack of work; or NULL
 * @passed: called if it has no work when its turn comes; or NULL
 */
struct slice_rules {
	int64_t (*rank)(const struct xsched_policy_tenant *tenant);
	uint64_t (*budget)(struct xsched_policy_view *view,
			   struct xsched_policy_tenant *tenant);
	void (*early)(struct xsched_policy_tenant *tenant, uint64_t left);
	void (*passed)(struct xsched_policy_view *view,
		       struct xsched_policy_tenant *tenant);
};

/** Numbers of the data that slice_decide() uses; the rest is the policy's. */
enum {
	SLICE_TURN,	/* number of its last turn: least goes first */
	SLICE_BUDGET,	/* length of the turn it has, 0: it has none */
	SLICE_USED,	/* of that, time it ran */
	SLICE_END,	/* when it ends at the latest */
	SLICE_OWN,	/* first one that is free for the policy */
};

/** Of the view: number of the turn given last, and what is free. */
enum { SLICE_LAST_TURN, SLICE_VIEW_OWN };

/** slice_decide() - round robin: as struct xsched_policy_ops.decide */
uint64_t slice_decide(struct xsched_policy_view *view,
		      const struct slice_rules *rules);

#endif /* XSCHED_POLICY_SLICE_H */
