// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of one client, one after the other and at once: nothing of one is left in another.
 */
#include <linux/file.h>
#include <linux/fs.h>

#include "harness.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define TENANT		KFD_XSCHED_TARGET_TENANT
#define MANY		16

static void expect_nothing_held(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* One more hold of the process, and its release, which say all that they must. */
static void expect_good(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry suspend = XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);
	const struct kfd_xsched_entry resume = XT_ENTRY(RESUME, PROCESS, xt->process->nr, 0);

	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], &suspend, 1), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, xt->result_count, 1);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 3);
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], &resume, 1), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 3);
	expect_nothing_held(test);
}

/* @count queues, of which the first are there, all by themselves. */
static long apply_many(struct kunit *test, u32 op, unsigned int count)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_entry entries[MANY];
	unsigned int i;

	for (i = 0; i < count; i++) {
		entries[i] = (struct kfd_xsched_entry){
			.op = op, .target = QUEUE, .id = xt->ids[0] + i,
		};
	}
	return xt_apply(test, xt->files[0], entries, count);
}

/* Of queues, of the process, and of none: each says what became of its own entries. */
static void larger_and_smaller(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int i;

	expect_good(test);
	for (i = 3; i < MANY; i++)
		KUNIT_ASSERT_NOT_NULL(test, fake_queue_add(test, xt->process, xt->node));
	KUNIT_EXPECT_EQ(test, apply_many(test, OP(SUSPEND), MANY), 0);
	for (i = 0; i < MANY; i++)
		KUNIT_EXPECT_EQ(test, xt->entries[i].effective, 1);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, MANY);
	KUNIT_EXPECT_EQ(test, xt_resume(test, xt->files[0], xt->ids[1]), 0);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 1);
	KUNIT_EXPECT_EQ(test, apply_many(test, OP(RESUME), 3), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 2);
	KUNIT_EXPECT_EQ(test, apply_many(test, OP(RESUME), MANY), 0);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, MANY - 3);
	expect_nothing_held(test);
}

/* A call that failed in the middle, in the check, or at a node, has no effect. */
static void after_a_failure(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u64 nr = xt->process->nr;
	const struct kfd_xsched_entry contrary[] = {
		XT_ENTRY(SUSPEND, PROCESS, nr, 0), XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		XT_ENTRY(RESUME, PROCESS, nr, 0),
	};
	const struct kfd_xsched_entry wrong[] = {
		XT_ENTRY(SUSPEND, PROCESS, nr, 0), XT_ENTRY(SUSPEND, PROCESS, nr, 1),
	};
	const struct kfd_xsched_entry grace[] = { XT_ENTRY(UNMAP, PROCESS, nr, 100) };

	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], contrary, 3), -EBUSY);
	expect_nothing_held(test);
	expect_good(test);
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], wrong, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt->result_count, 0);
	expect_good(test);
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], grace, 1), -EIO);
	xt->node->fail = 0;
	expect_good(test);
}

/* The same entry of the array named a tenant, a process, and a queue. */
static void other_targets(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *file = xt->files[0];
	const long id = xt_tenant(test, file, KFD_XSCHED_TENANT_CREATE, 0, 0);

	KUNIT_ASSERT_GT(test, id, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, file, KFD_XSCHED_TENANT_ADD, id, xt->process->nr), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, file, OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, file, OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, file, KFD_XSCHED_TENANT_DESTROY, id, 0), 0);
	expect_good(test);
	/* Had it still the process, that would be reported instead of the queue's own node. */
	xt->queues[1]->ret = -EACCES;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, file, xt->ids[1]), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, file, xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_EQ(test, xt_resume(test, file, xt->ids[0]), 0);
	expect_nothing_held(test);
}

/* Entries that are not staged do not release the targets of an earlier call. */
static void not_staged(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u64 nr = xt->process->nr;
	struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, PROCESS, nr, 0), XT_ENTRY(SUSPEND, PROCESS, nr, 0),
	};

	expect_good(test);
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 2), 0);
	entries[0].op = OP(RESUME);
	entries[1].op = 99;
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 2), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 1), 0);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(SUSPEND), PROCESS, nr, 0), -ESRCH);
}

/* Two threads of one client, on two nodes. */
static void two_at_once(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_process *neighbour = fake_process_add(test, XT_UID);
	struct xs_hw_queue *there = fake_queue_add(test, neighbour, other);
	struct xt_call call;

	expect_good(test);
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(SUSPEND), PROCESS, neighbour->nr, 0), 0);
	KUNIT_EXPECT_TRUE(test, there->held);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(RESUME), PROCESS, neighbour->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(RESUME), PROCESS, xt->process->nr, 0),
			0);
	expect_good(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(larger_and_smaller),
	KUNIT_CASE(after_a_failure),
	KUNIT_CASE(other_targets),
	KUNIT_CASE(not_staged),
	KUNIT_CASE(two_at_once),
	{}
};

static struct kunit_suite suite = {
	.name = "call",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
