// SPDX-License-Identifier: GPL-2.0-only
/*
 * state.c: what claims amount to, and where samples lead.
 */
#include <kunit/test.h>
#include <linux/kfd_xsched.h>

#include "state.h"

static struct xs_terms terms(bool held, s32 priority, u64 seq)
{
	return (struct xs_terms){
		.held = held,
		.priority = priority,
		.priority_seq = seq,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
}

static struct xs_want sum(const struct xs_terms *terms, unsigned int count)
{
	struct xs_want want;
	unsigned int i;

	xs_want_init(&want);
	for (i = 0; i < count; i++)
		xs_want_add(&want, &terms[i]);
	return want;
}

/* Nobody's queue is wanted free, with the application's priority. */
static void no_terms(struct kunit *test)
{
	const struct xs_want want = sum(NULL, 0);

	KUNIT_EXPECT_EQ(test, want.holders, 0);
	KUNIT_EXPECT_EQ(test, want.priority, KFD_XSCHED_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, want.prio_class, KFD_XSCHED_CLASS_APP);
}

/* Holders are counted; it takes all of them to let go. */
static void holders_add_up(struct kunit *test)
{
	struct xs_terms t[] = {
		terms(true, KFD_XSCHED_PRIORITY_APP, 0),
		terms(false, KFD_XSCHED_PRIORITY_APP, 0),
		terms(true, KFD_XSCHED_PRIORITY_APP, 0),
	};

	KUNIT_EXPECT_EQ(test, sum(t, 3).holders, 2);
	t[0].held = false;
	KUNIT_EXPECT_EQ(test, sum(t, 3).holders, 1);
	t[2].held = false;
	KUNIT_EXPECT_EQ(test, sum(t, 3).holders, 0);
}

/* Of several overrides the latest wins, whatever their order. */
static void latest_priority_wins(struct kunit *test)
{
	struct xs_terms t[] = { terms(false, 3, 7), terms(false, 9, 12), terms(false, 1, 8) };

	KUNIT_EXPECT_EQ(test, sum(t, 3).priority, 9);
	t[1].priority = KFD_XSCHED_PRIORITY_APP;
	KUNIT_EXPECT_EQ(test, sum(t, 3).priority, 1);
}

/* The same for classes, whatever wins among the priorities. */
static void latest_class_wins(struct kunit *test)
{
	struct xs_terms t[] = { terms(false, 3, 7), terms(false, 9, 12) };

	t[0].prio_class = KFD_XSCHED_CLASS_LOW;
	t[0].class_seq = 20;
	KUNIT_EXPECT_EQ(test, sum(t, 2).prio_class, KFD_XSCHED_CLASS_LOW);
	t[1].prio_class = KFD_XSCHED_CLASS_HIGH;
	t[1].class_seq = 19;
	KUNIT_EXPECT_EQ(test, sum(t, 2).prio_class, KFD_XSCHED_CLASS_LOW);
	KUNIT_EXPECT_EQ(test, sum(t, 2).priority, 9);
}

/* What is on its way is not so yet, and never, if it fails. */
static void success_or_not(struct kunit *test)
{
	struct xs_stake stake;

	xs_stake_init(&stake);
	stake.next.held = true;
	KUNIT_EXPECT_FALSE(test, stake.now.held);
	xs_stake_end(&stake, true);
	KUNIT_EXPECT_TRUE(test, stake.now.held);
	stake.next.held = false;
	xs_stake_end(&stake, false);
	KUNIT_EXPECT_TRUE(test, stake.next.held);
}

/* Joining others takes over what they ask for, and nothing else; so does leaving. */
static void join_and_leave(struct kunit *test)
{
	const struct xs_terms nothing = {
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
	const struct xs_terms others = {
		.held = true,
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = KFD_XSCHED_CLASS_HIGH,
	};
	struct xs_terms terms = nothing;

	KUNIT_EXPECT_FALSE(test, xs_terms_any(&nothing));
	KUNIT_EXPECT_TRUE(test, xs_terms_any(&others));
	terms.priority = 3;
	xs_terms_join(&terms, &nothing, 9);
	KUNIT_EXPECT_FALSE(test, terms.held);
	xs_terms_join(&terms, &others, 9);
	KUNIT_EXPECT_TRUE(test, terms.held);
	KUNIT_EXPECT_EQ(test, terms.priority, 3);
	KUNIT_EXPECT_EQ(test, terms.prio_class, KFD_XSCHED_CLASS_HIGH);
	KUNIT_EXPECT_EQ(test, terms.class_seq, 9);
	xs_terms_leave(&terms, &nothing);
	KUNIT_EXPECT_TRUE(test, terms.held);
	xs_terms_leave(&terms, &others);
	KUNIT_EXPECT_FALSE(test, terms.held);
	KUNIT_EXPECT_EQ(test, terms.priority, 3);
	KUNIT_EXPECT_EQ(test, terms.prio_class, KFD_XSCHED_CLASS_APP);
}

/* A queue is settled only when hold, priority and class are as wanted. */
static void settled(struct kunit *test)
{
	const u32 app = KFD_XSCHED_CLASS_APP, low = KFD_XSCHED_CLASS_LOW;
	const s32 none = KFD_XSCHED_PRIORITY_APP;
	const struct xs_want free = { .priority = none, .prio_class = app };
	const struct xs_want held = { .holders = 1, .priority = 3, .prio_class = low };
	const struct {
		enum xs_applied applied;
		struct xs_want override;
		bool free, held;
	} cases[] = {
		{ XS_APPLIED_UNKNOWN, { 0, none, app }, false, false },
		{ XS_APPLIED_FREE, { 0, none, app }, true, false },
		{ XS_APPLIED_FREE, { 0, 3, app }, false, false },
		{ XS_APPLIED_FREE, { 0, none, low }, false, false },
		{ XS_APPLIED_HELD, { 0, none, low }, false, false },
		{ XS_APPLIED_HELD, { 0, 3, app }, false, false },
		{ XS_APPLIED_HELD, { 0, 3, low }, false, true },
		{ XS_APPLIED_GONE, { 0, 3, app }, true, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, cases[i].free,
				    xs_want_settled(&free, cases[i].applied,
						     &cases[i].override), "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].held,
				    xs_want_settled(&held, cases[i].applied,
						     &cases[i].override), "case %u", i);
	}
}

#define UNKNOWN	XS_ACTIVITY_UNKNOWN
#define READY	XS_ACTIVITY_READY
#define DRY	XS_ACTIVITY_DRY
#define IDLE	XS_ACTIVITY_IDLE

/* Every state under every kind of sample leads where the diagram says. */
static void activity(struct kunit *test)
{
	static const struct {
		const char *what;
		struct xs_sample sample;
		enum xs_activity to[4];	/* from UNKNOWN, READY, DRY, IDLE */
	} cases[] = {
		{ "packets", { .packets = true }, { READY, READY, READY, READY } },
		{ "packets while held", { .packets = true, .held = true },
			{ READY, READY, READY, READY } },
		{ "gone", { .packets = true, .gone = true }, { IDLE, IDLE, IDLE, IDLE } },
		{ "dry", {}, { IDLE, DRY, DRY, IDLE } },
		{ "dry and settled", { .settled = true }, { IDLE, IDLE, IDLE, IDLE } },
		{ "waves", { .settled = true, .waves = XS_WAVES_SOME },
			{ READY, READY, READY, IDLE } },
		{ "waves hidden by a switch", { .settled = true, .waves = XS_WAVES_HIDDEN },
			{ UNKNOWN, READY, READY, IDLE } },
		{ "held, may have waves saved",
			{ .held = true, .settled = true, .has_run = true },
			{ READY, READY, READY, IDLE } },
		{ "born held", { .held = true, .settled = true },
			{ IDLE, READY, READY, IDLE } },
	};
	unsigned int i, from;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (from = UNKNOWN; from <= IDLE; from++)
			KUNIT_EXPECT_EQ_MSG(test, cases[i].to[from],
					    xs_activity_next(from, &cases[i].sample),
					    "%s, from %u", cases[i].what, from);
	}
}

/* Waves are read only where they decide something. */
static void waves_are_asked_sparingly(struct kunit *test)
{
	const struct xs_sample packets = { .packets = true, .settled = true };
	const struct xs_sample held = { .held = true, .settled = true };
	const struct xs_sample gone = { .gone = true, .settled = true };
	const struct xs_sample settled = { .settled = true };
	const struct xs_sample dry = {};

	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &packets));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &held));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &gone));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(UNKNOWN, &dry));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(READY, &dry));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(DRY, &dry));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(DRY, &settled));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(IDLE, &settled));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(no_terms),
	KUNIT_CASE(holders_add_up),
	KUNIT_CASE(latest_priority_wins),
	KUNIT_CASE(latest_class_wins),
	KUNIT_CASE(success_or_not),
	KUNIT_CASE(join_and_leave),
	KUNIT_CASE(settled),
	KUNIT_CASE(activity),
	KUNIT_CASE(waves_are_asked_sparingly),
	{}
};

static struct kunit_suite suite = {
	.name = "state",
	.test_cases = cases,
};

kunit_test_suite(suite);
