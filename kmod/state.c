// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wanted of a queue, and what is known of its work. See state.h.
 */
#include <linux/kfd_xsched.h>

#include "state.h"

bool xs_terms_any(const struct xs_terms *terms)
{
	return terms->held || terms->priority != KFD_XSCHED_PRIORITY_APP ||
		terms->prio_class != KFD_XSCHED_CLASS_APP;
}

bool xs_stake_any(const struct xs_stake *stake)
{
	return xs_terms_any(&stake->now) || xs_terms_any(&stake->next);
}

void xs_terms_join(struct xs_terms *terms, const struct xs_terms *others, u64 seq)
{
	terms->held |= others->held;
	if (others->priority != KFD_XSCHED_PRIORITY_APP) {
		terms->priority = others->priority;
		terms->priority_seq = seq;
	}
	if (others->prio_class != KFD_XSCHED_CLASS_APP) {
		terms->prio_class = others->prio_class;
		terms->class_seq = seq;
	}
}

void xs_terms_leave(struct xs_terms *terms, const struct xs_terms *others)
{
	terms->held &= !others->held;
	if (others->priority != KFD_XSCHED_PRIORITY_APP)
		terms->priority = KFD_XSCHED_PRIORITY_APP;
	if (others->prio_class != KFD_XSCHED_CLASS_APP)
		terms->prio_class = KFD_XSCHED_CLASS_APP;
}

bool xs_want_settled(const struct xs_want *want, enum xs_applied applied,
		     const struct xs_want *override)
{
	const bool same = want->priority == override->priority &&
		want->prio_class == override->prio_class;

	switch (applied) {
	case XS_APPLIED_UNKNOWN:
		return false;
	case XS_APPLIED_FREE:
		return !want->holders && same;
	case XS_APPLIED_HELD:
		return want->holders && same;
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
		return s->tapping;
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
		return s->tapping && s->waves == XS_WAVES_SOME ?
			XS_ACTIVITY_READY : XS_ACTIVITY_IDLE;
	if (s->waves == XS_WAVES_SOME)
		return XS_ACTIVITY_READY;
	if (s->waves == XS_WAVES_HIDDEN)
		return now == XS_ACTIVITY_UNKNOWN ? now : XS_ACTIVITY_READY;
	if (now == XS_ACTIVITY_UNKNOWN || s->settled)
		return XS_ACTIVITY_IDLE;
	return XS_ACTIVITY_DRY;
}
