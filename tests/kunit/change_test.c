// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes: one for each queue that differs from what is asked for, and what is known of
 * it afterwards.
 */
#include <linux/delay.h>

#include "harness.h"

#define OP(_op)		KFD_XSCHED_OP_##_op

static long on_process(struct kunit *test, u32 op)
{
	struct xt *xt = test->priv;

	return xt_do(test, xt->files[0], op, KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0);
}

static long on_queue(struct kunit *test, u32 op, unsigned int i)
{
	struct xt *xt = test->priv;

	return xt_do(test, xt->files[0], op, KFD_XSCHED_TARGET_QUEUE, xt->ids[i], 0);
}

static struct kfd_xsched_queue describe(struct kunit *test, unsigned int i)
{
	struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], xt->ids[i]);
}

/* The queue that was added after those of the suite. */
static struct kfd_xsched_queue newcomer(struct kunit *test)
{
	struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], xt->ids[2] + 1);
}

/* How many changes an entry on the process takes. */
static unsigned int changes_of(struct kunit *test, u32 op)
{
	struct xt *xt = test->priv;
	const unsigned int before = xt->node->changes;

	KUNIT_EXPECT_EQ(test, on_process(test, op), 0);
	return xt->node->changes - before;
}

static void expect_held(struct kunit *test, bool a, bool b, bool c)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt->queues[0]->held, a);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->held, b);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->held, c);
}

static void one_for_each(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 3);
		expect_held(test, true, true, true);
		KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 0);
		KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 3);
		expect_held(test, false, false, false);
	}
}

/* One that is held already has none. */
static void none_if_it_is_so(struct kunit *test)
{
	struct xt *xt = test->priv;

	on_queue(test, OP(SUSPEND), 1);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 2);
	expect_held(test, true, true, true);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 3);
	expect_held(test, false, false, false);
	/* Nobody has a request on it by itself any more. */
	xt_close(test, xt->files[0]);
	xt->files[0] = xt_open(test);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 3);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 3);
}

/* A hold keeps overrides as they are. */
static void with_overrides(struct kunit *test)
{
	struct xt *xt = test->priv;
	const unsigned int before = xt->node->changes;

	xt_do(test, xt->files[0], OP(SET_PRIORITY), KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 3);
	KUNIT_EXPECT_EQ(test, xt->node->changes - before, 3);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->override, 3);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 3);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->override, 3);
	xt_do(test, xt->files[0], OP(SET_PRIORITY), KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, KFD_XSCHED_PRIORITY_APP);
	expect_held(test, true, true, true);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 3);
	expect_held(test, false, false, false);
}

/* A queue that goes has none, and a new one has one. */
static void queues_come_and_go(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue;

	on_process(test, OP(SUSPEND));
	fake_queue_remove(xt->queues[1]);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 2);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[2]->held);
	queue = fake_queue_add(test, xt->process, xt->node);
	/* It may have been born held: that was stated. */
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 3);
	KUNIT_EXPECT_TRUE(test, queue->held);
	fake_queue_remove(xt->queues[0]);
	fake_queue_remove(xt->queues[2]);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 1);
	KUNIT_EXPECT_FALSE(test, queue->held);
}

/* What is reported of one queue is not assumed of all, and it is not asked again. */
static void one_is_gone(struct kunit *test)
{
	struct xt *xt = test->priv;

	on_process(test, OP(SUSPEND));
	on_process(test, OP(RESUME));
	xt->queues[1]->ret = -ESRCH;
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(SUSPEND)), 3);
	expect_held(test, true, false, true);
	KUNIT_EXPECT_EQ(test, describe(test, 0).holders, 1);
	KUNIT_EXPECT_EQ(test, describe(test, 0).preemptions, 2);
	KUNIT_EXPECT_EQ(test, describe(test, 1).holders, 0);
	KUNIT_EXPECT_EQ(test, describe(test, 1).preemptions, 1);
	KUNIT_EXPECT_EQ(test, on_queue(test, OP(SUSPEND), 1), -ESRCH);
	KUNIT_EXPECT_EQ(test, changes_of(test, OP(RESUME)), 2);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 2);
	expect_held(test, false, false, false);
}

/* Only those that ran were preempted, and each keeps its own count. */
static void some_did_not_run(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt->queues[0]->reasons = KFD_XSCHED_QUEUE_EVICTED;
	on_process(test, OP(SUSPEND));
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 2);
	KUNIT_EXPECT_EQ(test, describe(test, 0).preemptions, 0);
	KUNIT_EXPECT_EQ(test, describe(test, 1).preemptions, 1);
	on_process(test, OP(RESUME));
	xt->queues[0]->reasons = 0;
	on_process(test, OP(SUSPEND));
	KUNIT_EXPECT_EQ(test, describe(test, 0).preemptions, 1);
	KUNIT_EXPECT_EQ(test, describe(test, 1).preemptions, 2);
	on_process(test, OP(RESUME));
	on_queue(test, OP(SUSPEND), 1);
	KUNIT_EXPECT_EQ(test, describe(test, 1).preemptions, 3);
	KUNIT_EXPECT_EQ(test, describe(test, 2).preemptions, 2);
}

/* The time a queue was held goes on when it stands by itself, or does not any more. */
static void held_time_goes_on(struct kunit *test)
{
	struct xt *xt = test->priv;
	u64 together, apart;

	on_process(test, OP(SUSPEND));
	usleep_range(2000, 3000);
	together = describe(test, 0).held_ns;
	KUNIT_EXPECT_GE(test, together, NSEC_PER_MSEC);
	fake_queue_add(test, xt->process, xt->node);
	apart = describe(test, 0).held_ns;
	KUNIT_EXPECT_GE(test, apart, together);
	on_process(test, OP(RESUME));
	/* Released at one moment; by then the first was held before the newcomer came, too. */
	KUNIT_EXPECT_GE(test, describe(test, 0).held_ns, newcomer(test).held_ns + together);
	together = describe(test, 0).held_ns;
	KUNIT_EXPECT_GE(test, together, apart);
	KUNIT_EXPECT_EQ(test, describe(test, 0).held_ns, together);
	on_process(test, OP(SUSPEND));
	usleep_range(2000, 3000);
	KUNIT_EXPECT_GE(test, describe(test, 0).held_ns, together + NSEC_PER_MSEC);
	on_process(test, OP(RESUME));
	on_queue(test, OP(SUSPEND), 0);
	KUNIT_EXPECT_GE(test, describe(test, 0).held_ns, together + NSEC_PER_MSEC);
}

static void add_queue(void *data)
{
	struct kunit *test = data;
	struct xt *xt = test->priv;

	fake_queue_add(test, xt->process, xt->node);
}

/* One comes while all the others are on their way, and is no part of that. */
static void one_comes_meanwhile(struct kunit *test, int error)
{
	struct xt_call suspend = {}, add = {};
	struct xt *xt = test->priv;

	on_process(test, OP(SUSPEND));
	on_process(test, OP(RESUME));
	fake_hang(xt->node);
	xt_start_do(test, &suspend, xt->files[0], OP(SUSPEND), KFD_XSCHED_TARGET_PROCESS,
		    xt->process->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_fn(test, &add, add_queue, test);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&add, 20));
	fake_answer(xt->node, error);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &suspend), error);
	if (error)
		fake_answer(xt->node, 0);
	xt_call_wait(test, &add);
}

static void newcomer_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;

	one_comes_meanwhile(test, 0);
	expect_held(test, true, true, true);
	KUNIT_EXPECT_EQ(test, describe(test, 0).preemptions, 2);
	KUNIT_EXPECT_EQ(test, newcomer(test).holders, 1);
	KUNIT_EXPECT_EQ(test, newcomer(test).preemptions, 0);
	KUNIT_EXPECT_EQ(test, on_process(test, OP(RESUME)), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 4);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

static void newcomer_in_flight_that_fails(struct kunit *test)
{
	one_comes_meanwhile(test, -EIO);
	KUNIT_EXPECT_EQ(test, describe(test, 0).holders, 0);
	KUNIT_EXPECT_EQ(test, on_process(test, OP(SUSPEND)), 0);
	expect_held(test, true, true, true);
	KUNIT_EXPECT_EQ(test, on_process(test, OP(RESUME)), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

static struct kunit_case cases[] = {
	KUNIT_CASE(one_for_each),
	KUNIT_CASE(none_if_it_is_so),
	KUNIT_CASE(with_overrides),
	KUNIT_CASE(queues_come_and_go),
	KUNIT_CASE(one_is_gone),
	KUNIT_CASE(some_did_not_run),
	KUNIT_CASE(held_time_goes_on),
	KUNIT_CASE(newcomer_in_flight),
	KUNIT_CASE(newcomer_in_flight_that_fails),
	{}
};

static struct kunit_suite suite = {
	.name = "change",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
