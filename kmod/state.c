// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wanted of a queue, and what is known of its work. See state.h.
 */
#include <linux/kfd_xsched.h>

#include "state.h"

void xs_terms_init(struct xs_terms *terms)
{
	*terms = (struct xs_terms){ .priority = KFD_XSCHED_PRIORITY_APP };
}

struct xs_want xs_state_want(const struct list_head *claims)
{
	struct xs_want want = { .priority = KFD_XSCHED_PRIORITY_APP };
	const struct xs_claim *claim;
	u64 latest = 0;

	list_for_each_entry(claim, claims, in_queue) {
		const struct xs_terms *terms = &claim->next;

		want.holders += terms->held;
		if (terms->priority != KFD_XSCHED_PRIORITY_APP &&
		    terms->seq >= latest) {
			want.priority = terms->priority;
			latest = terms->seq;
		}
	}
	return want;
}

bool xs_state_settled(const struct xs_want *want, enum xs_applied applied,
		      s32 override)
{
	switch (applied) {
	case XS_APPLIED_UNKNOWN:
		return false;
	case XS_APPLIED_FREE:
		return !want->holders && want->priority == override;
	case XS_APPLIED_HELD:
		return want->holders && want->priority == override;
	case XS_APPLIED_GONE:
		break;
	}
	return true;
}

bool xs_activity_is_ready(enum xs_activity activity)
{
	return activity == XS_ACTIVITY_READY || activity == XS_ACTIVITY_DRY;
}

bool xs_activity_needs_waves(enum xs_activity now, const struct xs_sample *s)
{
	if (s->gone || s->packets || s->held)
		return false;

	/*
	 * Two quiet looks make a queue idle, the first and the last of the
	 * settle time; those between would cost and tell nothing.
	 */
	switch (now) {
	case XS_ACTIVITY_UNKNOWN:
	case XS_ACTIVITY_READY:
		return true;
	case XS_ACTIVITY_DRY:
		return s->settled;
	case XS_ACTIVITY_IDLE:
		break;
	}
	return false;
}

/* A held queue without packets may have saved waves: work we cannot see. */
static enum xs_activity next_while_held(enum xs_activity now, bool has_run)
{
	if (now == XS_ACTIVITY_IDLE)
		return XS_ACTIVITY_IDLE;
	if (now == XS_ACTIVITY_UNKNOWN && !has_run)
		return XS_ACTIVITY_IDLE;
	return XS_ACTIVITY_READY;
}

enum xs_activity xs_activity_next(enum xs_activity now,
				  const struct xs_sample *s)
{
	if (s->gone)
		return XS_ACTIVITY_IDLE;
	if (s->packets)
		return XS_ACTIVITY_READY;
	if (s->held)
		return next_while_held(now, s->has_run);
	if (now == XS_ACTIVITY_IDLE)
		return XS_ACTIVITY_IDLE;
	if (s->waves == XS_WAVES_SOME)
		return XS_ACTIVITY_READY;
	if (s->waves == XS_WAVES_HIDDEN)
		return now == XS_ACTIVITY_UNKNOWN ? now : XS_ACTIVITY_READY;
	if (now == XS_ACTIVITY_UNKNOWN || s->settled)
		return XS_ACTIVITY_IDLE;
	return XS_ACTIVITY_DRY;
}
