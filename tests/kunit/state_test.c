// SPDX-License-Identifier: GPL-2.0-only
/*
 * state.c: what requests amount to, and where samples lead.
 */
#include <kunit/test.h>
#include <linux/kfd_xsched.h>

#include "model/request.h"
#include "model/state.h"

static struct xs_terms terms(bool held, s32 priority, u64 seq)
{
	return (struct xs_terms){
		.held = held,
		.priority = priority,
		.priority_seq = seq,
		.prio_class = KFD_XSCHED_CLASS_APP,
	};
}

static struct xs_terms sum(const struct xs_terms *terms, unsigned int count)
{
	struct xs_terms sum;
	unsigned int i;

	xs_terms_init(&sum);
	for (i = 0; i < count; i++)
		xs_terms_add(&sum, &terms[i]);
	return sum;
}

/* Nobody's queue is wanted free, with the application's priority. */
static void no_terms(struct kunit *test)
{
	const struct xs_terms none = sum(NULL, 0);

	KUNIT_EXPECT_FALSE(test, none.held);
	KUNIT_EXPECT_EQ(test, none.priority, KFD_XSCHED_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, none.prio_class, KFD_XSCHED_CLASS_APP);
}

/* All holders must release it. */
static void holds_add_up(struct kunit *test)
{
	struct xs_terms t[] = {
		terms(true, KFD_XSCHED_PRIORITY_APP, 0),
		terms(false, KFD_XSCHED_PRIORITY_APP, 0),
		terms(true, KFD_XSCHED_PRIORITY_APP, 0),
	};

	KUNIT_EXPECT_TRUE(test, sum(t, 3).held);
	t[0].held = false;
	KUNIT_EXPECT_TRUE(test, sum(t, 3).held);
	t[2].held = false;
	KUNIT_EXPECT_FALSE(test, sum(t, 3).held);
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
	struct xs_holder holder = {};
	struct xs_request request = { .on = XS_ON_TENANT, .holder = &holder };
	LIST_HEAD(idle);

	INIT_LIST_HEAD(&request.in_batch);
	guard(rt_mutex)(&xs_lock);
	request.next.held = true;
	KUNIT_EXPECT_FALSE(test, request.now.held);
	xs_request_end_locked(&request, true, &idle);
	KUNIT_EXPECT_TRUE(test, request.now.held);
	request.next.held = false;
	xs_request_end_locked(&request, false, &idle);
	KUNIT_EXPECT_TRUE(test, request.next.held);
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

/* What becomes of an override, and which of two is in effect. */
static void overrides(struct kunit *test)
{
	const struct xs_terms none = terms(true, KFD_XSCHED_PRIORITY_APP, 0);
	const struct xs_terms three = terms(false, 3, 5), anew = terms(true, 3, 6);
	const struct xs_terms back = terms(false, KFD_XSCHED_PRIORITY_APP, 7);
	const struct xs_terms four = terms(false, 4, 6);
	struct xs_terms copy = none;

	KUNIT_EXPECT_TRUE(test, xs_terms_sets(&none, &three));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets_another(&none, &three));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets(&three, &three));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets(&three, &anew));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets_another(&three, &anew));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets_another(&three, &four));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets(&three, &back));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets_another(&three, &back));
	KUNIT_EXPECT_TRUE(test, xs_terms_gives_back(&three, &back));
	KUNIT_EXPECT_TRUE(test, xs_terms_gives_back(&none, &back));
	KUNIT_EXPECT_FALSE(test, xs_terms_gives_back(&back, &three));
	KUNIT_EXPECT_FALSE(test, xs_terms_gives_back(&three, &four));
	xs_terms_copy_overrides(&copy, &three);
	KUNIT_EXPECT_TRUE(test, copy.held);
	KUNIT_EXPECT_EQ(test, copy.priority, 3);
	KUNIT_EXPECT_EQ(test, copy.priority_seq, 5);
}

static struct xs_terms class_terms(u32 prio_class, u64 seq)
{
	return (struct xs_terms){
		.priority = KFD_XSCHED_PRIORITY_APP,
		.prio_class = prio_class,
		.class_seq = seq,
	};
}

/* The same of classes, by themselves. */
static void class_overrides(struct kunit *test)
{
	const struct xs_terms none = class_terms(KFD_XSCHED_CLASS_APP, 0);
	const struct xs_terms low = class_terms(KFD_XSCHED_CLASS_LOW, 5);
	const struct xs_terms anew = class_terms(KFD_XSCHED_CLASS_LOW, 6);
	const struct xs_terms high = class_terms(KFD_XSCHED_CLASS_HIGH, 6);
	const struct xs_terms back = class_terms(KFD_XSCHED_CLASS_APP, 7);
	struct xs_terms copy = none;

	KUNIT_EXPECT_TRUE(test, xs_terms_sets(&none, &low));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets_another(&none, &low));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets(&low, &low));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets(&low, &anew));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets_another(&low, &anew));
	KUNIT_EXPECT_TRUE(test, xs_terms_sets_another(&low, &high));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets(&low, &back));
	KUNIT_EXPECT_FALSE(test, xs_terms_sets_another(&low, &back));
	KUNIT_EXPECT_TRUE(test, xs_terms_gives_back(&low, &back));
	KUNIT_EXPECT_FALSE(test, xs_terms_gives_back(&back, &low));
	KUNIT_EXPECT_FALSE(test, xs_terms_gives_back(&low, &high));
	xs_terms_copy_overrides(&copy, &low);
	KUNIT_EXPECT_EQ(test, copy.prio_class, KFD_XSCHED_CLASS_LOW);
	KUNIT_EXPECT_EQ(test, copy.class_seq, 5);
}

/* A queue is settled only when hold, priority and class are as wanted. */
static void settled(struct kunit *test)
{
	const u32 app = KFD_XSCHED_CLASS_APP, low = KFD_XSCHED_CLASS_LOW;
	const s32 none = KFD_XSCHED_PRIORITY_APP;
	const struct xs_terms free = { .priority = none, .prio_class = app };
	const struct xs_terms held = { .held = true, .priority = 3, .prio_class = low };
	const struct {
		enum xs_applied applied;
		s32 priority;
		u32 prio_class;
		bool free, held;
	} cases[] = {
		{ XS_APPLIED_UNKNOWN, none, app, false, false },
		{ XS_APPLIED_FREE, none, app, true, false },
		{ XS_APPLIED_FREE, 3, app, false, false },
		{ XS_APPLIED_FREE, none, low, false, false },
		{ XS_APPLIED_HELD, none, low, false, false },
		{ XS_APPLIED_HELD, 3, app, false, false },
		{ XS_APPLIED_HELD, 3, low, false, true },
		{ XS_APPLIED_GONE, 3, app, true, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct xs_terms override = {
			.priority = cases[i].priority,
			.prio_class = cases[i].prio_class,
		};

		KUNIT_EXPECT_EQ_MSG(test, cases[i].free,
				    xs_terms_settled(&free, cases[i].applied, &override),
				    "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].held,
				    xs_terms_settled(&held, cases[i].applied, &override),
				    "case %u", i);
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
		{ "gone", { .packets = true, .gone = true }, { IDLE, IDLE, IDLE, IDLE } },
		{ "dry", {}, { IDLE, DRY, DRY, IDLE } },
		{ "dry and settled", { .settled = true }, { IDLE, IDLE, IDLE, IDLE } },
		{ "waves", { .settled = true, .waves = XS_WAVES_SOME },
			{ READY, READY, READY, IDLE } },
		{ "waves that are not known yet",
			{ .settled = true, .waves = XS_WAVES_HIDDEN },
			{ UNKNOWN, READY, DRY, IDLE } },
		{ "indices that cannot be read", { .unknown = true, .settled = true },
			{ UNKNOWN, READY, DRY, IDLE } },
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
	const struct xs_sample gone = { .gone = true, .settled = true };
	const struct xs_sample unknown = { .unknown = true, .settled = true };
	const struct xs_sample settled = { .settled = true };
	const struct xs_sample dry = {};

	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &packets));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &gone));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(READY, &unknown));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(UNKNOWN, &dry));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(READY, &dry));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(DRY, &dry));
	KUNIT_EXPECT_TRUE(test, xs_activity_needs_waves(DRY, &settled));
	KUNIT_EXPECT_FALSE(test, xs_activity_needs_waves(IDLE, &settled));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(no_terms),
	KUNIT_CASE(holds_add_up),
	KUNIT_CASE(latest_priority_wins),
	KUNIT_CASE(latest_class_wins),
	KUNIT_CASE(success_or_not),
	KUNIT_CASE(join_and_leave),
	KUNIT_CASE(overrides),
	KUNIT_CASE(class_overrides),
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
