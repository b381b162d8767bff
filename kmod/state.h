/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wanted of a queue, and what is known of its work: pure functions,
 * without locks, allocation or clock. Those are inline that a switch of hundreds of
 * queues calls for each of their processes.
 */
#ifndef KFD_XSCHED_STATE_H
#define KFD_XSCHED_STATE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

struct xs_batch;

/**
 * struct xs_terms - what a client asks for
 * @priority_seq: when it asked for @priority: the latest of all clients wins
 * @class_seq: the same for @prio_class
 * @priority: override, or KFD_XSCHED_PRIORITY_APP for none
 * @prio_class: override, or KFD_XSCHED_CLASS_APP for none
 * @held_ns: since when @held is in force, CLOCK_MONOTONIC
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

/**
 * struct xs_stake - terms on their way from asked for to in force
 * @batch: the APPLY that changes them and is not over, or NULL. It alone may.
 * @now: in force
 * @next: in force once @batch has succeeded; without one equal to @now
 * @asked: what the entries of @batch asked for so far, XS_ASKED_*
 */
struct xs_stake {
	struct xs_batch *batch;
	struct xs_terms now;
	struct xs_terms next;
	u32 asked;
};

/**
 * enum xs_applied - what the driver below last confirmed of a queue
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
 *	that is wanted.
 * @XS_APPLIED_FREE: not held by us. Legal: hold, set priority.
 * @XS_APPLIED_HELD: held by us. Legal: release, set priority.
 * @XS_APPLIED_GONE: will never run again. Legal: remove.
 */
enum xs_applied {
	XS_APPLIED_UNKNOWN,
	XS_APPLIED_FREE,
	XS_APPLIED_HELD,
	XS_APPLIED_GONE,
};

/**
 * struct xs_standing - what is known of one queue, or of several at once
 * @applied: what the backend last confirmed; read by the sampler
 * @has_run: it was free to run at some time; read by the sampler
 * @held_since: when it went from free to held, or 0
 * @held_ns: time held before that
 * @preemptions: times a hold took it off the hardware
 */
struct xs_standing {
	enum xs_applied applied;
	bool has_run;
	u64 held_since;
	u64 held_ns;
	u64 preemptions;
};

/**
 * struct xs_want - what several terms amount to
 * @holders: terms that hold
 * @priority: override that wins, or KFD_XSCHED_PRIORITY_APP
 * @prio_class: override that wins, or KFD_XSCHED_CLASS_APP
 * @priority_seq: of @priority
 * @class_seq: of @prio_class
 */
struct xs_want {
	u32 holders;
	s32 priority;
	u32 prio_class;
	u64 priority_seq;
	u64 class_seq;
};

/* Nobody asks for anything. */
static inline void xs_terms_init(struct xs_terms *terms)
{
	*terms = (struct xs_terms){
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
}

/* Whether anything is asked for. */
bool xs_terms_any(const struct xs_terms *terms);

/* Take over what others ask for, from @seq on; give up what they ask for. */
void xs_terms_join(struct xs_terms *terms, const struct xs_terms *others, u64 seq);
void xs_terms_leave(struct xs_terms *terms, const struct xs_terms *others);

/* Nobody asks for anything, and nothing is on its way. */
static inline void xs_stake_init(struct xs_stake *stake)
{
	stake->batch = NULL;
	xs_terms_init(&stake->now);
	stake->next = stake->now;
	stake->asked = 0;
}

/* Whether a batch other than @batch (or any, if NULL) is changing it. */
static inline bool xs_stake_busy(const struct xs_stake *stake, const struct xs_batch *batch)
{
	return stake->batch && stake->batch != batch;
}

/* Whether anything is asked for, or about to be. */
bool xs_stake_any(const struct xs_stake *stake);

/* The batch is over: what it asked for comes into force, or is forgotten. */
static inline void xs_stake_end(struct xs_stake *stake, bool success)
{
	if (success)
		stake->now = stake->next;
	else
		stake->next = stake->now;
	stake->batch = NULL;
	stake->asked = 0;
}

/* What is known of one, with what is known since of all that it stands with. */
static inline void xs_standing_join(struct xs_standing *own, const struct xs_standing *common)
{
	WRITE_ONCE(own->applied, common->applied);
	WRITE_ONCE(own->has_run, own->has_run || common->has_run);
	own->held_since = common->held_since;
	own->held_ns += common->held_ns;
	own->preemptions += common->preemptions;
}

/* Time it was held, also now, nanoseconds. @now: CLOCK_MONOTONIC. */
static inline u64 xs_standing_held_ns(const struct xs_standing *standing, u64 now)
{
	return standing->held_ns + (standing->held_since ? now - standing->held_since : 0);
}

/* Nothing is wanted. */
static inline void xs_want_init(struct xs_want *want)
{
	*want = (struct xs_want){
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
}

/* What one more asks for is wanted, too. */
static inline void xs_want_add(struct xs_want *want, const struct xs_terms *terms)
{
	want->holders += terms->held;
	if (terms->priority != KFD_XSCHED_PRIORITY_APP &&
	    terms->priority_seq >= want->priority_seq) {
		want->priority = terms->priority;
		want->priority_seq = terms->priority_seq;
	}
	if (terms->prio_class != KFD_XSCHED_CLASS_APP &&
	    terms->class_seq >= want->class_seq) {
		want->prio_class = terms->prio_class;
		want->class_seq = terms->class_seq;
	}
}

/* Whether the driver below need not be told anything. */
bool xs_want_settled(const struct xs_want *want, enum xs_applied applied,
		     const struct xs_want *override);

/**
 * enum xs_activity - whether a queue has work, as the sampler knows it
 *
 *	          work          dry        dry for the settle time, or gone
 *	UNKNOWN --------> READY -----> DRY -------------------------------> IDLE
 *	   |                ^ <-------- |                                    |
 *	   | dry            |   work                                         |
 *	   +--> IDLE        +------------------------------------------------+
 *	                                work, or waves as it is tapped
 *
 * READY is reported on entering it from UNKNOWN or IDLE, IDLE on entering it
 * from READY or DRY.
 *
 * @XS_ACTIVITY_UNKNOWN: not sampled yet
 * @XS_ACTIVITY_READY: has work, or cannot be known to have none
 * @XS_ACTIVITY_DRY: no work seen, settle time not over
 * @XS_ACTIVITY_IDLE: no work
 */
enum xs_activity {
	XS_ACTIVITY_UNKNOWN,
	XS_ACTIVITY_READY,
	XS_ACTIVITY_DRY,
	XS_ACTIVITY_IDLE,
};

/**
 * enum xs_waves - what is known of waves in flight
 * @XS_WAVES_NONE: none, or the node cannot tell: trust the indices
 * @XS_WAVES_SOME: some, or reading failed
 * @XS_WAVES_HIDDEN: a switch is on its way or just over: look again
 */
enum xs_waves {
	XS_WAVES_NONE,
	XS_WAVES_SOME,
	XS_WAVES_HIDDEN,
};

/**
 * struct xs_sample - one look at a queue
 * @packets: the indices differ, or the write index moved, or they could not be read
 * @gone: it will never run again, whatever its indices say
 * @held: it is held, or may be; waves saved then cannot be seen
 * @has_run: it was free to run at some time
 * @waves: waves in flight
 * @settled: it has been dry for the settle time
 * @tapping: its process was tapped just now: only what this look does not see
 *	will ring
 */
struct xs_sample {
	bool packets;
	bool gone;
	bool held;
	bool has_run;
	bool settled;
	bool tapping;
	enum xs_waves waves;
};

/* Whether waves matter to xs_activity_next(): reading them is expensive. */
bool xs_activity_needs_waves(enum xs_activity now, const struct xs_sample *s);

/* Where a sample leads. */
enum xs_activity xs_activity_next(enum xs_activity now,
				  const struct xs_sample *s);

/* As READY counts in KFD_XSCHED_LIST and in events. */
bool xs_activity_is_ready(enum xs_activity activity);

#endif /* KFD_XSCHED_STATE_H */
