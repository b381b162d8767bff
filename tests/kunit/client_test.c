// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: what is theirs, what is others', and what remains of them: nothing.
 */
#include <linux/delay.h>
#include <linux/sched.h>

#include "compat.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define APP		KFD_XSCHED_PRIORITY_APP
#define CLASS_APP	KFD_XSCHED_CLASS_APP
#define LOW		KFD_XSCHED_CLASS_LOW
#define NORMAL		KFD_XSCHED_CLASS_NORMAL
#define MEDIUM		KFD_XSCHED_CLASS_MEDIUM
#define HIGH		KFD_XSCHED_CLASS_HIGH
#define REALTIME	KFD_XSCHED_CLASS_REALTIME

/* Two clients hold a queue: it runs again when the second releases it. */
static void two_holders(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);
	struct kfd_xsched_queue queue;

	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	queue = xt_describe(test, a, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, queue.holders, 2);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	queue = xt_describe(test, a, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, queue.state & (KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE),
			KFD_XSCHED_QUEUE_HELD);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, xt->ids[0]), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
}

/* Two clients hold a process: it stays held until both release it. */
static void two_rules(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);
	const u64 nr = xt->process->nr;

	xt_do(test, a, OP(SUSPEND), PROCESS, nr, 0);
	xt_do(test, b, OP(SUSPEND), PROCESS, nr, 0);
	xt_do(test, a, OP(RESUME), PROCESS, nr, 0);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
	KUNIT_EXPECT_TRUE(test, xt->queues[2]->held);
	KUNIT_EXPECT_TRUE(test, fake_queue_add(test, xt->process, xt->node)->held);
	xt_close(test, b);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* Closing the file releases everything, in one transaction a node. */
static void close_releases(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	xt_suspend(test, b, xt->ids[0]);
	xt_do(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 0);
	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 2);
	KUNIT_EXPECT_TRUE(test, fake_anything_held());
	xt->node->transactions = 0;
	xt_close(test, b);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders, 0);
}

/* A queue goes while held, then its holder: nothing is left, nothing is sent. */
static void queue_goes_while_held(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	xt_suspend(test, b, xt->ids[0]);
	fake_queue_remove(xt->queues[0]);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, xt->ids[0]), -ESRCH);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
}

/* A process exits while held, with its queues: the same. */
static void process_exits_while_held(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	xt_do(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 0);
	fake_process_exit(xt->process);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 0);
}

/* A client holds a queue, its node begins to fail, and the client goes. */
static void fail_a_release(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	xt_suspend(test, b, xt->ids[0]);
	xt->node->fail = -EIO;
	xt_close(test, b);
}

/* The node fails while a client goes: its queue is released soon after. */
static void release_is_retried(struct kunit *test)
{
	struct xt *xt = test->priv;

	fail_a_release(test);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	/* No client has it any more. */
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders, 0);
	msleep(250);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	xt->node->fail = 0;
	xt_expect_held(test, xt->queues[0], false);
}

/*
 * Each retry comes twice as long after the last one, and the tenth is the last; a reset
 * begins them anew.
 */
static void retries_end(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int applies;

	fail_a_release(test);
	applies = fake_applies();
	msleep(1000);
	KUNIT_EXPECT_LE(test, fake_applies() - applies, 3);
	msleep(110 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, fake_applies() - applies, 10);
	msleep(60 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, fake_applies() - applies, 10);
	xs_node_reset(xt->node, true);
	KUNIT_EXPECT_TRUE(test, xt_comes(fake_applies() - applies == 12));
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	xt->node->fail = 0;
	xt_expect_held(test, xt->queues[0], false);
}

/* A queue that waits for a retry goes first: the retry does not touch it. */
static void queue_goes_before_the_retry(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int applies;

	fail_a_release(test);
	fake_queue_remove(xt->queues[0]);
	xt->node->fail = 0;
	applies = fake_applies();
	msleep(200);
	KUNIT_EXPECT_EQ(test, fake_applies(), applies);
}

/*
 * A switch fails and leaves the flags changed all the same, as when the new
 * runlist cannot be sent: the retry puts them back to what is wanted.
 */
static void half_done_switch_is_mended(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call;

	xt->node->fail_half = true;
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	fake_answer_one(xt->node, -ETIME);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -ETIME);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	fake_answer(xt->node, 0);
	xt_expect_held(test, xt->queues[0], false);
}

/* A reset ends: pending changes are tried, and subscribers are notified. */
static void reset_is_reported(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_subscribe(test, xt->files[0],
		     KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET), 0, 0);
	xs_node_reset(xt->node, false);
	xs_node_reset(xt->node, true);
	KUNIT_EXPECT_EQ(test, xt_read(test, xt->files[0]), 2);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_NODE_RESET);
	KUNIT_EXPECT_EQ(test, xt->events[0].gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, xt->events[0].data, 0);
	KUNIT_EXPECT_EQ(test, xt->events[1].data, 1);
}

/* An override takes effect at once, reads back, and is given back. */
static void priority_is_given_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 11), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 11);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 11);
	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[0]).priority, 11);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], APP), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, FAKE_APP_PRIORITY);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
	/* There is nothing to give back: that is fine, and free. */
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], APP), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 2);

	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
}

/* The latest override wins; when its client goes the one before is back. */
static void priorities_stack(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);

	xt_do(test, a, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3);
	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 1);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 1);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
}

/* A request that goes on without a priority is not in the way of another's. */
static void priority_of_another(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);

	xt_do(test, a, OP(SUSPEND), QUEUE, xt->ids[0], 0);
	xt_do(test, a, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3);
	xt_do(test, a, OP(SET_PRIORITY), QUEUE, xt->ids[0], APP);
	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 5);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), QUEUE, xt->ids[0], 0), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 5);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
}

/* An override of a process holds for queues to come; SDMA has no priority. */
static void priority_of_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct xs_hw_queue_desc sdma = {
		.node = xt->node,
		.process = xt->process,
		.type = KFD_XSCHED_QUEUE_SDMA,
	};
	struct file *a = xt->files[0];
	struct xs_hw_queue *copy, *queue;

	copy = fake_queue_add_desc(test, &sdma);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), QUEUE, xt->ids[2] + 1, 2),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), PROCESS,
				    xt->process->nr, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 2);
	KUNIT_EXPECT_EQ(test, xt->queues[1]->override, 2);
	KUNIT_EXPECT_EQ(test, copy->override, APP);
	queue = fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ(test, queue->override, 2);
	copy = fake_queue_add_desc(test, &sdma);
	KUNIT_EXPECT_EQ(test, copy->override, APP);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), PROCESS,
				    xt->process->nr, APP), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

static long set_class(struct kunit *test, struct file *file, u32 target, u64 id, u32 class)
{
	const struct kfd_xsched_entry entry = {
		.op = OP(SET_PRIORITY),
		.target = target,
		.id = id,
		.value = KFD_XSCHED_PRIORITY_KEEP,
		.prio_class = class,
	};

	return xt_apply(test, file, &entry, 1);
}

/* A class takes effect, reads back, and is given back; the priority is left alone. */
static void class_is_given_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[0]).prio_class, NORMAL);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], HIGH), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, FAKE_APP_PRIORITY);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective_class, HIGH);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 3);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[0]).prio_class, HIGH);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], HIGH), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
	/* The old way to set a priority leaves the class alone. */
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective_class, HIGH);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 3);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], CLASS_APP), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, XS_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective_class, NORMAL);
	set_class(test, b, PROCESS, xt->process->nr, LOW);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->level, 0);
	KUNIT_EXPECT_EQ(test, fake_queue_add(test, xt->process, xt->node)->level, 0);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->level, XS_PRIORITY_APP);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* A copy queue has a class, and no priority: of both it gets the class. */
static void class_of_a_copy_queue(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	const struct xs_hw_queue_desc sdma = {
		.node = xt->node,
		.process = process,
		.type = KFD_XSCHED_QUEUE_SDMA,
	};
	struct xs_hw_queue *copy = fake_queue_add_desc(test, &sdma);
	struct xs_hw_queue *queue = fake_queue_add(test, process, xt->node);
	struct kfd_xsched_entry both =
		XT_ENTRY(SET_PRIORITY, PROCESS, process->nr, 11);

	KUNIT_EXPECT_EQ(test, set_class(test, xt->files[0], PROCESS, process->nr, HIGH), 0);
	KUNIT_EXPECT_EQ(test, copy->level, 3);
	KUNIT_EXPECT_EQ(test, queue->level, 3);
	both.prio_class = LOW;
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], &both, 1), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 11);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective_class, LOW);
	KUNIT_EXPECT_EQ(test, copy->level, 0);
	KUNIT_EXPECT_EQ(test, queue->level, 0);
}

/* The latest class wins; when its client goes the one before is back. */
static void classes_stack(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);

	set_class(test, a, QUEUE, xt->ids[0], LOW);
	set_class(test, b, QUEUE, xt->ids[0], REALTIME);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 4);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 0);
}

/* A node without classes says so, and is left out in a process. */
static void class_where_there_is_none(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xs_hw_node *plain = fake_node_add(test, XT_GPU + 1,
						 FAKE_CAPS & ~KFD_XSCHED_CAP_CLASS);
	struct xs_hw_queue *queue = fake_queue_add(test, xt->process, plain);
	const u64 id = xt->ids[2] + 1;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xt_describe(test, a, id).prio_class, 0);
	KUNIT_EXPECT_EQ(test, set_class(test, a, QUEUE, id, LOW), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, set_class(test, a, PROCESS, xt->process->nr, LOW), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 0);
	KUNIT_EXPECT_EQ(test, queue->level, XS_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), QUEUE, id, 3), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective_class, 0);
	for (i = 0; i < 3; i++)
		fake_queue_remove(xt->queues[i]);
	KUNIT_EXPECT_EQ(test, set_class(test, a, PROCESS, xt->process->nr, LOW),
			-EOPNOTSUPP);
}

/* Two classes for one queue in one array are EBUSY; a class and a priority are not. */
static void class_conflicts(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_entry entries[2] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], KFD_XSCHED_PRIORITY_KEEP),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], KFD_XSCHED_PRIORITY_KEEP),
	};

	entries[0].prio_class = LOW;
	entries[1].prio_class = NORMAL;
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 2), -EBUSY);
	entries[1].prio_class = 0;
	entries[1].value = 2;
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 2);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
}

/* Above normal takes the capability; what one has one may give back without it. */
static void class_permissions(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry both = {
		.op = OP(SET_PRIORITY),
		.target = QUEUE,
		.id = xt->ids[0],
		.value = APP,
		.prio_class = CLASS_APP,
	};
	struct file *b;

	xt_become(test, XT_UID);
	b = xt_open(test);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], NORMAL), 0);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], LOW), 0);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], MEDIUM), -EPERM);
	KUNIT_EXPECT_EQ(test, set_class(test, b, PROCESS, xt->process->nr, REALTIME), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 2), 0);
	compat_set_dumpable(xt->process->task, false);
	KUNIT_EXPECT_EQ(test, set_class(test, b, QUEUE, xt->ids[0], NORMAL), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_apply(test, b, &both, 1), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->level, XS_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
	compat_set_dumpable(xt->process->task, true);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, set_class(test, xt->files[0], QUEUE, xt->ids[0], REALTIME), 0);
}

/* LIST says why a queue does not run, all reasons at once. */
static void reasons_are_listed(struct kunit *test)
{
	const u32 all = KFD_XSCHED_QUEUE_EVICTED | KFD_XSCHED_QUEUE_DEBUGGED |
		KFD_XSCHED_QUEUE_DISABLED | KFD_XSCHED_QUEUE_RESET;
	const u32 held = KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE;
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	u32 bit;

	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).state,
			KFD_XSCHED_QUEUE_ACTIVE);
	for (bit = KFD_XSCHED_QUEUE_EVICTED; bit <= KFD_XSCHED_QUEUE_RESET; bit <<= 1) {
		xt->queues[0]->reasons = bit;
		KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).state, bit);
	}
	xt->queues[0]->reasons = all;
	xt_suspend(test, a, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).state, all | held);
	xt_resume(test, a, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).state, all);
}

/* Without capability: one's own processes, and no higher than the default. */
static void own_process_only(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	const u64 other_id = xt->ids[2] + 1;
	struct file *b;

	fake_queue_add(test, other, xt->node);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 4);
	xt_become(test, XT_UID);
	b = xt_open(test);
	KUNIT_EXPECT_EQ(test, xt_list(test, b), 3);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 7), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 8), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), PROCESS,
				    xt->process->nr, 8), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, other_id), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, other_id), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), PROCESS, other->nr, 0), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, other_id, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 7);
	xt_unbecome(test);
	/* With it: anything. */
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], other_id), 0);
}

/* Who has taken nothing of another's process may give nothing back, either. */
static void nothing_to_give_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u64 nr = xt->process->nr;
	struct file *b;

	xt_become(test, XT_OTHER_UID);
	b = xt_open(test);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), PROCESS, nr, APP), -EPERM);
	KUNIT_EXPECT_EQ(test, set_class(test, b, PROCESS, nr, CLASS_APP), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(RESUME), PROCESS, nr, 0), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], APP), -EPERM);
	xt_unbecome(test);
}

/* One's own process that had changed credentials is not one's own. */
static void elevated_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b;

	compat_set_dumpable(xt->process->task, false);
	xt_become(test, XT_UID);
	b = xt_open(test);
	KUNIT_EXPECT_EQ(test, xt_list(test, b), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), -EPERM);
	compat_set_dumpable(xt->process->task, true);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), 0);
	/* What one has taken one may give back, whatever happened since. */
	compat_set_dumpable(xt->process->task, false);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[1]), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, b, xt->ids[0]), -EPERM);
	xt_unbecome(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(two_holders),
	KUNIT_CASE(two_rules),
	KUNIT_CASE(close_releases),
	KUNIT_CASE(queue_goes_while_held),
	KUNIT_CASE(process_exits_while_held),
	KUNIT_CASE(release_is_retried),
	KUNIT_CASE(retries_end),
	KUNIT_CASE(queue_goes_before_the_retry),
	KUNIT_CASE(half_done_switch_is_mended),
	KUNIT_CASE(reset_is_reported),
	KUNIT_CASE(priority_is_given_back),
	KUNIT_CASE(priorities_stack),
	KUNIT_CASE(priority_of_another),
	KUNIT_CASE(priority_of_process),
	KUNIT_CASE(class_is_given_back),
	KUNIT_CASE(class_of_a_copy_queue),
	KUNIT_CASE(classes_stack),
	KUNIT_CASE(class_where_there_is_none),
	KUNIT_CASE(class_conflicts),
	KUNIT_CASE(class_permissions),
	KUNIT_CASE(reasons_are_listed),
	KUNIT_CASE(own_process_only),
	KUNIT_CASE(nothing_to_give_back),
	KUNIT_CASE(elevated_process),
	{}
};

static struct kunit_suite suite = {
	.name = "client",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
