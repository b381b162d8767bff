// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is asked of a queue, and what is known of its work. See state.h.
 */
#include <linux/kfd_xsched.h>

#include "model/state.h"

void xs_terms_init(struct xs_terms *terms)
{
	*terms = (struct xs_terms){
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
}

bool xs_terms_any(const struct xs_terms *terms)
{
	return terms->held || terms->priority != KFD_XSCHED_PRIORITY_APP ||
		terms->prio_class != KFD_XSCHED_CLASS_APP;
}

void xs_terms_add(struct xs_terms *sum, const struct xs_terms *terms)
{
	sum->held |= terms->held;
	if (terms->priority != KFD_XSCHED_PRIORITY_APP &&
	    terms->priority_seq >= sum->priority_seq) {
		sum->priority = terms->priority;
		sum->priority_seq = terms->priority_seq;
	}
	if (terms->prio_class != KFD_XSCHED_CLASS_APP && terms->class_seq >= sum->class_seq) {
		sum->prio_class = terms->prio_class;
		sum->class_seq = terms->class_seq;
	}
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

bool xs_terms_sets(const struct xs_terms *now, const struct xs_terms *next)
{
	return (next->priority != KFD_XSCHED_PRIORITY_APP &&
		next->priority_seq != now->priority_seq) ||
		(next->prio_class != KFD_XSCHED_CLASS_APP && next->class_seq != now->class_seq);
}

bool xs_terms_sets_another(const struct xs_terms *now, const struct xs_terms *next)
{
	return (next->priority != KFD_XSCHED_PRIORITY_APP && next->priority != now->priority) ||
		(next->prio_class != KFD_XSCHED_CLASS_APP &&
		 next->prio_class != now->prio_class);
}

bool xs_terms_gives_back(const struct xs_terms *now, const struct xs_terms *next)
{
	return (now->held && !next->held) ||
		(now->priority != KFD_XSCHED_PRIORITY_APP &&
		 next->priority == KFD_XSCHED_PRIORITY_APP) ||
		(now->prio_class != KFD_XSCHED_CLASS_APP &&
		 next->prio_class == KFD_XSCHED_CLASS_APP);
}

void xs_terms_copy_overrides(struct xs_terms *terms, const struct xs_terms *others)
{
	terms->priority = others->priority;
	terms->priority_seq = others->priority_seq;
	terms->prio_class = others->prio_class;
	terms->class_seq = others->class_seq;
}

bool xs_terms_settled(const struct xs_terms *asked, enum xs_applied applied,
		      const struct xs_terms *override)
{
	const bool same = asked->priority == override->priority &&
		asked->prio_class == override->prio_class;

	switch (applied) {
	case XS_APPLIED_UNKNOWN:
		return false;
	case XS_APPLIED_FREE:
		return !asked->held && same;
	case XS_APPLIED_HELD:
		return asked->held && same;
	case XS_APPLIED_GONE:
		break;
	}
	return true;
}

bool xs_activity_is_ready(enum xs_activity activity)
{
	return activity == XS_ACTIVITY_READY || activity == XS_ACTIVITY_DRY;
}

bool xs_activity_needs_waves(enum xs_activity now, const struct xs_sample *sample)
{
	if (sample->gone || sample->packets || sample->unknown)
		return false;

	/*
	 * Two quiet looks make a queue idle, the first and the last of the
	 * settle time; those between would cost something and show nothing.
	 */
	switch (now) {
	case XS_ACTIVITY_UNKNOWN:
	case XS_ACTIVITY_READY:
		return true;
	case XS_ACTIVITY_DRY:
		return sample->settled;
	case XS_ACTIVITY_IDLE:
		break;
	}
	return false;
}

enum xs_activity xs_activity_next(enum xs_activity now,
				  const struct xs_sample *sample)
{
	if (sample->gone)
		return XS_ACTIVITY_IDLE;
	if (sample->packets)
		return XS_ACTIVITY_READY;
	if (sample->unknown)
		return now;
	if (now == XS_ACTIVITY_IDLE || sample->waves == XS_WAVES_HIDDEN)
		return now;
	if (sample->waves == XS_WAVES_SOME)
		return XS_ACTIVITY_READY;
	if (now == XS_ACTIVITY_UNKNOWN || sample->settled)
		return XS_ACTIVITY_IDLE;
	return XS_ACTIVITY_DRY;
}
