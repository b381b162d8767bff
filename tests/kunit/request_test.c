// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests on processes, and on queues of them.
 */
#include "front/client.h"
#include "harness.h"
#include "model/request.h"
#include "switch/switch.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS

static long on_process(struct kunit *test, struct file *file, u32 op, s32 value)
{
	struct xt *xt = test->priv;

	return xt_do(test, file, op, PROCESS, xt->process->nr, value);
}

static long on_queue(struct kunit *test, struct file *file, u32 op, unsigned int i, s32 value)
{
	struct xt *xt = test->priv;

	return xt_do(test, file, op, QUEUE, xt->ids[i], value);
}

/* Bits of which queues are held. */
static unsigned int held(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int i, bits = 0;

	for (i = 0; i < ARRAY_SIZE(xt->queues); i++)
		bits |= xt->queues[i]->held << i;
	return bits;
}

static u32 holders(struct kunit *test, unsigned int i)
{
	struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], xt->ids[i]).holders;
}

static bool is_mine(struct kunit *test, struct file *file, unsigned int i)
{
	struct xt *xt = test->priv;

	return xt_describe(test, file, xt->ids[i]).state & KFD_XSCHED_QUEUE_MINE;
}

/* A queue that was released by itself is held again with the others, and released. */
static void queue_differs_and_returns(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	on_process(test, a, OP(SUSPEND), 0);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 1, 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 5);
	KUNIT_EXPECT_EQ(test, holders(test, 1), 0);
	KUNIT_EXPECT_FALSE(test, is_mine(test, a, 1));
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 1, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, held(test), 0);
}

/* A queue held by itself stays so only until its process is named. */
static void queue_first_then_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	on_queue(test, a, OP(SUSPEND), 2, 0);
	KUNIT_EXPECT_EQ(test, held(test), 4);
	KUNIT_EXPECT_FALSE(test, fake_queue_add(test, xt->process, xt->node)->held);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_EQ(test, held(test), 0);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), -EALREADY);
}

/* One client's queue differs; another's request on the process goes on to govern it. */
static void others_are_not_concerned(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);

	on_process(test, a, OP(SUSPEND), 0);
	on_process(test, b, OP(SUSPEND), 0);
	on_queue(test, a, OP(RESUME), 0, 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, holders(test, 0), 1);
	KUNIT_EXPECT_EQ(test, holders(test, 1), 2);
	KUNIT_EXPECT_FALSE(test, is_mine(test, a, 0));
	KUNIT_EXPECT_TRUE(test, is_mine(test, b, 0));
	on_process(test, b, OP(RESUME), 0);
	KUNIT_EXPECT_EQ(test, held(test), 6);
	on_queue(test, b, OP(SUSPEND), 1, 0);
	xt_close(test, a);
	KUNIT_EXPECT_EQ(test, held(test), 2);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, held(test), 0);
}

/* A new queue is governed as its process is, whatever differs beside it, and can differ, too. */
static void newcomers_follow_the_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u64 id = xt->ids[2] + 1;
	struct xs_hw_queue *queue;

	on_process(test, a, OP(SUSPEND), 0);
	on_queue(test, a, OP(RESUME), 0, 0);
	queue = fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, id).holders, 1);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, id), 0);
	KUNIT_EXPECT_FALSE(test, queue->held);
	KUNIT_EXPECT_EQ(test, held(test), 6);
	fake_queue_remove(queue);
	KUNIT_EXPECT_TRUE(test, fake_queue_add(test, xt->process, xt->node)->held);
}

/* Overrides likewise: the queue's own, until the process is given another. */
static void priorities_differ_and_return(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	on_process(test, a, OP(SET_PRIORITY), 3);
	on_queue(test, a, OP(SET_PRIORITY), 0, 5);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 5);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->override, 3);
	/* A hold of all changes no override. */
	on_process(test, a, OP(SUSPEND), 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 5);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->override, 3);
	on_process(test, a, OP(SET_PRIORITY), 2);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 2);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->override, 2);
	KUNIT_EXPECT_EQ(test, fake_queue_add(test, xt->process, xt->node)->override, 2);
	on_process(test, a, OP(SET_PRIORITY), KFD_XSCHED_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, KFD_XSCHED_PRIORITY_APP);
	on_process(test, a, OP(RESUME), 0);
	KUNIT_EXPECT_EQ(test, held(test), 0);
}

/* What an array that is refused would have made differ does not. */
static void refused_changes_nothing(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const struct kfd_xsched_entry bad[] = {
		XT_ENTRY(RESUME, QUEUE, xt->ids[0], 0),
		XT_ENTRY(SUSPEND, PROCESS, 0, 0),
	};
	const struct kfd_xsched_entry opposite[] = {
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
		XT_ENTRY(RESUME, QUEUE, xt->ids[0], 0),
	};

	on_process(test, a, OP(SUSPEND), 0);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, bad, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_apply(test, a, opposite, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, holders(test, 0), 1);
	on_process(test, a, OP(RESUME), 0);
	KUNIT_EXPECT_EQ(test, held(test), 0);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
}

/* Both in one array: the queue is named twice, and agrees. */
static void process_and_queue_agree(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const struct kfd_xsched_entry both[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0),
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, a, both, 3), 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, xt->entries[1].effective, 3);
	on_process(test, a, OP(RESUME), 0);
	KUNIT_EXPECT_EQ(test, held(test), 0);
}

/* A transaction fails while one queue differs: each falls back to its own. */
static void each_falls_back_to_its_own(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	on_process(test, a, OP(SUSPEND), 0);
	on_queue(test, a, OP(RESUME), 0, 0);
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(SUSPEND), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 6);
	KUNIT_EXPECT_EQ(test, holders(test, 0), 0);
	KUNIT_EXPECT_EQ(test, holders(test, 2), 1);
}

/* All queues of a held process go, and one comes: it is born as the process is. */
static void no_queue_left(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	struct xs_hw_queue *queue = fake_queue_add(test, process, xt->node);
	struct file *a = xt->files[0];

	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), PROCESS, process->nr, 0), 0);
	KUNIT_EXPECT_TRUE(test, queue->held);
	fake_queue_remove(queue);
	queue = fake_queue_add(test, process, xt->node);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), PROCESS, process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, queue->held);
	fake_queue_remove(queue);
	KUNIT_EXPECT_FALSE(test, fake_queue_add(test, process, xt->node)->held);
}

static const struct xs_holder *holder_of(struct file *file)
{
	return &((const struct xs_client *)file->private_data)->holder;
}

static size_t requests_of(struct file *file)
{
	return list_count_nodes((struct list_head *)&holder_of(file)->requests);
}

/* What a user does not ask for any more, or never did, is not there. */
static void nothing_is_left(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt_open_as(test, XT_UID);
	unsigned int i;

	xt_become(test, XT_UID);
	for (i = 0; i < ARRAY_SIZE(xt->ids); i++)
		KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), i, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SET_PRIORITY), KFD_XSCHED_PRIORITY_APP), 0);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(SUSPEND), 0, -5), -EINVAL);
	KUNIT_EXPECT_EQ(test, requests_of(a), 0);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), 0), 0);
	/* On the process, and on all its queues on a node. */
	KUNIT_EXPECT_EQ(test, requests_of(a), 2);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 1, 0), 0);
	/* And on each of the two that are still held. */
	KUNIT_EXPECT_EQ(test, requests_of(a), 4);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), 0);
	KUNIT_EXPECT_EQ(test, requests_of(a), 0);
	/* It needs no memory to do the same again. */
	KUNIT_EXPECT_EQ(test, holder_of(a)->spare.count, 5);
	xt_unbecome(test);
}

/* Of an administrator's client that stays which asked for something, and is no hold. */
static void what_asked_stays(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xs_hw_queue *queue = fake_queue_add(test, other, xt->node);
	struct file *a = xt->files[0];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 0, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), -5), -EINVAL);
	KUNIT_EXPECT_EQ(test, requests_of(a), 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), 0), 0);
		KUNIT_EXPECT_EQ(test, holders(test, 0), 1);
		KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), 0);
		KUNIT_EXPECT_EQ(test, holders(test, 0), 0);
		KUNIT_EXPECT_EQ(test, requests_of(a), 2);
	}
	/* Queues that come need none, and those that are named have them for a time. */
	KUNIT_EXPECT_FALSE(test, fake_queue_add(test, xt->process, xt->node)->held);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(SUSPEND), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 1);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, requests_of(a), 1);
	/* It goes with its target. */
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), PROCESS, other->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), PROCESS, other->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, requests_of(a), 3);
	fake_queue_remove(queue);
	KUNIT_EXPECT_EQ(test, requests_of(a), 2);
	fake_process_exit(other);
	KUNIT_EXPECT_EQ(test, requests_of(a), 1);
}

/* The latest override of all clients is in force, then the one before, and at last none. */
static void latest_override_wins(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test), *c = xt_open(test);
	const s32 app = KFD_XSCHED_PRIORITY_APP;

	on_process(test, a, OP(SET_PRIORITY), 1);
	on_queue(test, b, OP(SET_PRIORITY), 0, 2);
	on_process(test, c, OP(SET_PRIORITY), 3);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	on_process(test, a, OP(SET_PRIORITY), 1);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 1);
	on_process(test, a, OP(SET_PRIORITY), app);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	on_process(test, c, OP(SET_PRIORITY), app);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 2);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->override, app);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, app);
}

static long set_both(struct kunit *test, struct file *file, s32 priority, u32 prio_class)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_entry entry = XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], priority);

	entry.prio_class = prio_class;
	return xt_apply(test, file, &entry, 1);
}

static void expect_override(struct kunit *test, s32 priority, s32 level)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, priority);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, level);
}

/* One that was given back does not go again with a hold: that of another stays in force. */
static void given_back_once(struct kunit *test)
{
	struct file *a = ((struct xt *)test->priv)->files[0], *b = xt_open(test);
	const s32 app = KFD_XSCHED_PRIORITY_APP;

	KUNIT_EXPECT_EQ(test, set_both(test, a, 3, KFD_XSCHED_CLASS_HIGH), 0);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(SUSPEND), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, set_both(test, a, app, KFD_XSCHED_CLASS_APP), 0);
	expect_override(test, XS_PRIORITY_APP, XS_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, set_both(test, b, 5, KFD_XSCHED_CLASS_LOW), 0);
	expect_override(test, 5, 0);
	KUNIT_EXPECT_EQ(test, on_queue(test, a, OP(RESUME), 0, 0), 0);
	KUNIT_EXPECT_EQ(test, held(test), 0);
	expect_override(test, 5, 0);
	xt_close(test, b);
	expect_override(test, XS_PRIORITY_APP, XS_PRIORITY_APP);
}

/* One that fails leaves the order as it was. */
static void failed_override_does_not(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);

	on_process(test, a, OP(SET_PRIORITY), 1);
	on_process(test, b, OP(SET_PRIORITY), 2);
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SET_PRIORITY), 4), -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(SUSPEND), 0), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 2);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 1);
	KUNIT_EXPECT_EQ(test, on_process(test, a, OP(RESUME), 0), 0);
}

/* More entries than are staged at a time: all of them, or none. */
static void more_than_a_slice(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u32 count = 3 * XS_SLICE + 1, size = sizeof(struct kfd_xsched_entry);
	struct kfd_xsched_entry *entries = kunit_kcalloc(test, count, size, GFP_KERNEL);
	struct kfd_xsched_apply arg = { .size = sizeof(arg), .count = count, .stride = size };
	u32 i;

	for (i = 0; i < count; i++)
		entries[i] = (struct kfd_xsched_entry)
			XT_ENTRY(SUSPEND, QUEUE, xt->ids[i % ARRAY_SIZE(xt->ids)], 0);
	entries[count - 1].op = OP(RESUME);
	arg.entries = xt_put(test, entries, count * size);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, a, KFD_XSCHED_APPLY, &arg, sizeof(arg)), -EBUSY);
	KUNIT_EXPECT_EQ(test, held(test), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, requests_of(a), 0);
	entries[count - 1].op = OP(SUSPEND);
	arg.entries = xt_put(test, entries, count * size);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, a, KFD_XSCHED_APPLY, &arg, sizeof(arg)), 0);
	KUNIT_EXPECT_EQ(test, held(test), 7);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
	on_process(test, a, OP(RESUME), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(queue_differs_and_returns),
	KUNIT_CASE(queue_first_then_process),
	KUNIT_CASE(others_are_not_concerned),
	KUNIT_CASE(newcomers_follow_the_process),
	KUNIT_CASE(priorities_differ_and_return),
	KUNIT_CASE(refused_changes_nothing),
	KUNIT_CASE(process_and_queue_agree),
	KUNIT_CASE(each_falls_back_to_its_own),
	KUNIT_CASE(no_queue_left),
	KUNIT_CASE(nothing_is_left),
	KUNIT_CASE(what_asked_stays),
	KUNIT_CASE(latest_override_wins),
	KUNIT_CASE(given_back_once),
	KUNIT_CASE(failed_override_does_not),
	KUNIT_CASE(more_than_a_slice),
	{}
};

static struct kunit_suite suite = {
	.name = "request",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
