// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process a number names: while its leader is there, when only its address space is
 * left, when there are several of those, and when the number is used again.
 */

#include "compat.h"
#include "watch/watch.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define PROCESS		KFD_XSCHED_TARGET_PROCESS

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

static long op_on(struct kunit *test, u32 op, pid_t nr)
{
	return xt_do(test, client(test), op, PROCESS, nr, 0);
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

/* The credentials of its leader decide, not those of the task that has its address space. */
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

/* A number names all that have it, also a process whose leader is gone. */
static void number_is_used_again(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;
	struct xs_hw_process *other;
	struct xs_hw_queue *queue;

	fake_leader_exit(xt->process);
	other = fake_process_add_again(test, XT_UID, nr);
	/* It has no queue. */
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	queue = fake_queue_add(test, other, xt->node);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 4);
	KUNIT_EXPECT_TRUE(test, queue->held && xt->queues[0]->held);
	fake_process_exit(other);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* An id names one process for ever, whatever becomes of its number. */
static void named_by_id(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	const u64 id = xt_describe(test, a, xt->ids[0]).process;
	const u32 target = KFD_XSCHED_TARGET_PROCESS_ID;
	struct xs_hw_process *other;
	struct xs_hw_queue *queue;

	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[2]).process, id);
	fake_leader_exit(xt->process);
	other = fake_process_add_again(test, XT_UID, xt->process->nr);
	queue = fake_queue_add(test, other, xt->node);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), target, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && !queue->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), target, id, 0), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), target, 0, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), target, U64_MAX, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), target, id + 1, 0), -ESRCH);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), target, id, 0), -ESRCH);
}

/* The driver is told whether new queues are born held when that changes, and only then. */
static void driver_is_told_once(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;
	struct file *b = xt_open(test);

	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
	KUNIT_EXPECT_EQ(test, xt->process->told, 1);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), PROCESS, nr, 0), 0);
	xt_close(test, b);
	KUNIT_EXPECT_EQ(test, xt->process->told, 1);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	KUNIT_EXPECT_EQ(test, xt->process->told, 2);
}

/* All address spaces of a process are held by its number, also in what is to come. */
static void spaces_are_one_process(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *space = fake_space_add(test, xt->process), *late;
	struct xs_hw_queue *first = fake_queue_add(test, space, xt->node), *more;
	const pid_t nr = xt->process->nr;

	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 4);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && first->held);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new && space->hold_new);
	more = fake_queue_add(test, space, xt->node);
	KUNIT_EXPECT_TRUE(test, more->held);
	late = fake_space_add(test, xt->process);
	more = fake_queue_add(test, late, xt->node);
	KUNIT_EXPECT_TRUE(test, more->held);
	KUNIT_EXPECT_TRUE(test, late->hold_new);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(RESUME), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 6);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held || first->held || more->held);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new || space->hold_new || late->hold_new);
}

/* Work in any of them is work of the process; each is watched by itself. */
static void spaces_are_watched(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *space = fake_space_add(test, xt->process);
	struct xs_hw_node *node = fake_node_add(test, XT_GPU + 1, FAKE_CAPS | KFD_XSCHED_CAP_TAP);
	struct xt_watched one = xt_add_watched_on(test, xt->process, node, 0);
	struct xt_watched other = xt_add_watched_on(test, space, node, 0);

	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_sampler_counts().tapped == 2));
	xt_set_indices(test, &other, 0, 1);
	fake_ring(space, node);
	xt_expect_event(test, client(test), &other, XT_READY);
	xt_set_indices(test, &one, 0, 1);
	fake_ring(xt->process, node);
	xt_expect_event(test, client(test), &one, XT_READY);
}

/* The process is there until the last of them is gone. */
static void last_space_is_the_exit(struct kunit *test)
{
	const u32 exits = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT);
	struct xt *xt = test->priv;
	struct xs_hw_process *space = fake_space_add(test, xt->process);
	struct xs_hw_queue *queue = fake_queue_add(test, space, xt->node);
	const pid_t nr = xt->process->nr;

	xt_subscribe(test, client(test), exits, 0, 0);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), -EAGAIN);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_TRUE(test, queue->held);
	fake_process_exit(space);
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].pid, nr);
	KUNIT_EXPECT_EQ(test, op_on(test, OP(SUSPEND), nr), -ESRCH);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(leader_is_gone),
	KUNIT_CASE(leader_goes_while_held),
	KUNIT_CASE(joins_without_leader),
	KUNIT_CASE(address_space_goes),
	KUNIT_CASE(permissions_without_leader),
	KUNIT_CASE(number_is_used_again),
	KUNIT_CASE(named_by_id),
	KUNIT_CASE(driver_is_told_once),
	KUNIT_CASE(spaces_are_one_process),
	KUNIT_CASE(spaces_are_watched),
	KUNIT_CASE(last_space_is_the_exit),
	{}
};

static struct kunit_suite suite = {
	.name = "process",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
