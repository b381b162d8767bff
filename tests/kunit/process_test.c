// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process a number names: while its leader is there, when only its address space is
 * left, and when the number is used again.
 */
#include "compat.h"
#include "harness.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define TRIES		3

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

static long op_on(struct kunit *test, u32 op, pid_t nr)
{
	return xt_do(test, client(test), op, PROCESS, nr, 0);
}

/* A process with the number of another, whose leader is gone. */
static struct xs_hw_process *add_with_number(struct kunit *test, pid_t nr)
{
	struct xs_hw_process *process;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		fake_next_number(nr);
		process = fake_process_add(test, XT_UID);
		if (process->nr == nr)
			return process;
		kunit_info(test, "somebody else has taken number %d\n", nr);
		fake_process_exit(process);
	}
	KUNIT_FAIL_AND_ABORT(test, "nobody gets number %d", nr);
	return NULL;
}

/* It is held, and released, by its number, as before. */
static void leader_is_gone(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;

	fake_leader_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).pid, nr);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && xt->queues[2]->held);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held || xt->queues[2]->held);
}

/* What was held before stays held, and is released by its number. */
static void leader_goes_while_held(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), xt->process->nr), 0);
	fake_leader_exit(xt->process);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), xt->process->nr), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* It can be a member of a tenant. */
static void joins_without_leader(struct kunit *test)
{
	const long id = xt_tenant(test, client(test), KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct xt *xt = test->priv;

	fake_leader_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), KFD_XSCHED_TENANT_ADD, id,
					xt->process->nr), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), KFD_XSCHED_TARGET_TENANT,
				    id, 0), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/* With its address space it is gone. */
static void address_space_goes(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;

	fake_leader_exit(xt->process);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), -ESRCH);
}

static long suspend_as(struct kunit *test, unsigned int uid, pid_t nr, u32 *listed)
{
	struct xt *xt = test->priv;
	struct file *file;
	long ret;

	xt_become(test, uid);
	file = xt_open(test);
	ret = xt_do(test, file, OP(SUSPEND), PROCESS, nr, 0);
	*listed = xt_list(test, file);
	xt_unbecome(test);
	xt_close(test, file);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	return ret;
}

/* The credentials that it had decide, not those of whoever has its address space. */
static void permissions_without_leader(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;
	u32 listed;

	fake_leader_exit(xt->process);
	KUNIT_EXPECT_EQ(test, suspend_as(test, XT_UID, nr, &listed),
			COMPAT_DUMPABLE_OF_MM ? 0 : -EPERM);
	KUNIT_EXPECT_EQ(test, listed, COMPAT_DUMPABLE_OF_MM ? 3 : 0);
	KUNIT_EXPECT_EQ(test, suspend_as(test, XT_OTHER_UID, nr, &listed), -EPERM);
	KUNIT_EXPECT_EQ(test, listed, 0);
	if (!COMPAT_DUMPABLE_OF_MM)
		return;
	compat_set_dumpable(xt->process->task, false);
	KUNIT_EXPECT_EQ(test, suspend_as(test, XT_UID, nr, &listed), -EPERM);
	KUNIT_EXPECT_EQ(test, listed, 0);
}

/* A process with queues that leads with the number is what it names, as long as it is there. */
static void number_is_used_again(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;
	struct xs_hw_process *other;
	struct xs_hw_queue *queue;

	fake_leader_exit(xt->process);
	other = add_with_number(test, nr);
	/* It has no queue. */
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	queue = fake_queue_add(test, other, xt->node);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	fake_process_exit(other);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(leader_is_gone),
	KUNIT_CASE(leader_goes_while_held),
	KUNIT_CASE(joins_without_leader),
	KUNIT_CASE(address_space_goes),
	KUNIT_CASE(permissions_without_leader),
	KUNIT_CASE(number_is_used_again),
	{}
};

static struct kunit_suite suite = {
	.name = "process",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
