/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is asked of a queue, and what is known of its work: pure functions, without
 * locks, allocation or clock.
 */
#ifndef KFD_XSCHED_STATE_H
#define KFD_XSCHED_STATE_H

#include <linux/types.h>

#include <linux/kfd_xsched.h>

/**
 * struct xs_terms - what is asked for
 * @priority_seq: when @priority was asked for: the latest of all holders wins
 * @class_seq: the same for @prio_class
 * @held_ns: since when @held is in force, CLOCK_MONOTONIC
 * @priority: an override, or KFD_XSCHED_PRIORITY_APP for none
 * @prio_class: an override, or KFD_XSCHED_CLASS_APP for none
 * @held: a hold
 */
struct xs_terms {
	u64 priority_seq;
	u64 class_seq;
	u64 held_ns;
	s32 priority;
	u32 prio_class;
	bool held;
};

/* Nothing is asked for. */
void xs_terms_init(struct xs_terms *terms);

/* Whether anything is asked for. */
bool xs_terms_any(const struct xs_terms *terms);

/* Whether these overrides need more than the permission to hold the process. */
static inline bool xs_terms_raise(s32 priority, u32 prio_class)
{
	return priority > KFD_XSCHED_PRIORITY_NORMAL || prio_class > KFD_XSCHED_CLASS_NORMAL;
}

/* Make a sum of what several holders ask for: a hold of any holds, the latest override wins. */
void xs_terms_add(struct xs_terms *sum, const struct xs_terms *terms);

/* Ask for what @others ask for, too, from @seq on; or not any more. */
void xs_terms_join(struct xs_terms *terms, const struct xs_terms *others, u64 seq);
void xs_terms_leave(struct xs_terms *terms, const struct xs_terms *others);

/*
 * What becomes of overrides from @now to @next: whether one is asked for, be it the same
 * anew; whether one is asked for that is another; whether one is given back.
 */
bool xs_terms_sets(const struct xs_terms *now, const struct xs_terms *next);
bool xs_terms_sets_another(const struct xs_terms *now, const struct xs_terms *next);
bool xs_terms_gives_back(const struct xs_terms *now, const struct xs_terms *next);

/* Have the overrides of @others, and no other. */
void xs_terms_copy_overrides(struct xs_terms *terms, const struct xs_terms *others);

/**
 * enum xs_applied - what the driver last confirmed of a queue
 *
 *	              hold
 *	added --> FREE ---> HELD
 *	           | <------- |
 *	           |  release |	from all three, by a transaction that finds
 *	           v          v	the queue dying or reset: GONE
 *	added ----> UNKNOWN <--	by a transaction that fails
 *	in a held   |
 *	process     +--> FREE or HELD, by the next transaction that succeeds
 *
 * @XS_APPLIED_UNKNOWN: perhaps born held, or half changed. Legal: state all
 *	that is asked for.
 * @XS_APPLIED_FREE: not held by us. Legal: hold, set priority.
 * @XS_APPLIED_HELD: held by us. Legal: release, set priority.
 * @XS_APPLIED_GONE: it will never run again. Legal: remove.
 */
enum xs_applied {
	XS_APPLIED_UNKNOWN,
	XS_APPLIED_FREE,
	XS_APPLIED_HELD,
	XS_APPLIED_GONE,
};

/* Whether the driver has nothing to do. @override: overrides it last confirmed. */
bool xs_terms_settled(const struct xs_terms *asked, enum xs_applied applied,
		      const struct xs_terms *override);

/**
 * enum xs_activity - whether a queue has work, as the sampler knows it
 *
 *	          work          dry        dry for the settle time, or gone
 *	UNKNOWN --------> READY -----> DRY -------------------------------> IDLE
 *	   |                ^ <-------- |                                    |
 *	   | dry            |   work                                         |
 *	   +--> IDLE        +------------------------------------------------+
 *	                                work
 *
 * READY is reported on entering it from UNKNOWN or IDLE, IDLE on entering it
 * from READY or DRY.
 *
 * @XS_ACTIVITY_UNKNOWN: not sampled yet
 * @XS_ACTIVITY_READY: it has work, or cannot be known to have none
 * @XS_ACTIVITY_DRY: no work was seen, and the settle time is not over
 * @XS_ACTIVITY_IDLE: it has no work
 */
enum xs_activity {
	XS_ACTIVITY_UNKNOWN,
	XS_ACTIVITY_READY,
	XS_ACTIVITY_DRY,
	XS_ACTIVITY_IDLE,
};

/**
 * enum xs_waves - what is known of waves in flight
 * @XS_WAVES_NONE: there are none, or the node cannot tell: trust the indices
 * @XS_WAVES_SOME: there are some, or they could not be read
 * @XS_WAVES_HIDDEN: that is not known yet, or they may be saved: look again
 */
enum xs_waves {
	XS_WAVES_NONE,
	XS_WAVES_SOME,
	XS_WAVES_HIDDEN,
};

/**
 * struct xs_sample - one look at a queue
 * @packets: the indices differ, or the write index moved, or they make no sense
 * @unknown: they cannot be read just now
 * @gone: it will never run again, whatever its indices say
 * @settled: it has been dry for the settle time
 * @waves: waves in flight
 */
struct xs_sample {
	bool packets;
	bool unknown;
	bool gone;
	bool settled;
	enum xs_waves waves;
};

/* Whether waves matter to xs_activity_next(): reading them is expensive. */
bool xs_activity_needs_waves(enum xs_activity now, const struct xs_sample *sample);

/* Where a sample leads. */
enum xs_activity xs_activity_next(enum xs_activity now, const struct xs_sample *sample);

/* Whether it counts as READY in KFD_XSCHED_LIST and in events. */
bool xs_activity_is_ready(enum xs_activity activity);

#endif /* KFD_XSCHED_STATE_H */
