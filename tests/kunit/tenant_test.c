// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tenants: processes that join and leave, and the effect on their holds.
 */
#include <linux/delay.h>
#include <linux/file.h>

#include "harness.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define T(_op)		KFD_XSCHED_TENANT_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define TENANT		KFD_XSCHED_TARGET_TENANT
#define APP		KFD_XSCHED_PRIORITY_APP

static struct xs_hw_process *second;	/* another process, of another user */
static struct xs_hw_queue *queue2;	/* its queue */

static int init(struct kunit *test)
{
	const int ret = xt_init(test);
	struct xt *xt = test->priv;

	if (ret)
		return ret;
	second = fake_process_add(test, XT_OTHER_UID);
	queue2 = fake_queue_add(test, second, xt->node);
	KUNIT_ASSERT_NOT_NULL(test, queue2);
	return 0;
}

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

/* A new tenant with both processes. */
static long both(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);

	KUNIT_ASSERT_GT(test, id, 0);
	KUNIT_ASSERT_EQ(test, xt_tenant(test, client(test), T(ADD), id, xt->process->nr), 0);
	KUNIT_ASSERT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), 0);
	return id;
}

/* One entry switches all its processes, in one transaction. */
static void is_held_as_one(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = both(test);

	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 4);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && xt->queues[2]->held && queue2->held);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new && second->hold_new);
	KUNIT_EXPECT_TRUE(test, fake_queue_add(test, second, xt->node)->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).tenant, id);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0),
			-EALREADY);
}

/* A process that joins a held tenant is held when ADD returns; one that leaves is not. */
static void add_and_remove(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);

	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SET_PRIORITY), TENANT, id, 3), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	KUNIT_EXPECT_TRUE(test, queue2->held);
	KUNIT_EXPECT_EQ(test, queue2->override, 3);
	KUNIT_EXPECT_TRUE(test, second->was_hold_new);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_TRUE(test, fake_queue_add(test, second, xt->node)->held);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), id, second->nr), 0);
	KUNIT_EXPECT_EQ(test, queue2->override, APP);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[2] + 1).tenant, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), id, second->nr),
			-ENOENT);
}

/* What the client asked of a process by itself is not the tenant's to take. */
static void own_holds_stay(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = both(test);

	xt_do(test, client(test), OP(SUSPEND), PROCESS, second->nr, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), id, second->nr), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), id, 0), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held && second->hold_new);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* In one tenant of a client at most; in as many as there are clients. */
static void one_tenant_each(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	const long id = both(test);
	const long other = xt_tenant(test, client(test), T(CREATE), 0, 0);
	const long of_b = xt_tenant(test, b, T(CREATE), 0, 0);

	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr),
			-EALREADY);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), other, second->nr),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), other, second->nr),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), of_b, second->nr), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), TENANT, of_b, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[2] + 1).tenant, of_b);
	xt_close(test, b);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* Destroyed, or closed with its client: all its processes run. */
static void destroy_and_close(struct kunit *test)
{
	struct file *b = xt_open(test);
	long id = both(test);

	xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), id, 0), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), id, 0), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), -ESRCH);

	id = xt_tenant(test, b, T(CREATE), 0, 0);
	xt_tenant(test, b, T(ADD), id, second->nr);
	xt_do(test, b, OP(SUSPEND), TENANT, id, 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);
	xt_close(test, b);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* Ids of others, of none, and of the gone. */
static void wrong_ids(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	const long id = both(test);
	const pid_t nr = second->nr;

	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), id, nr), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(DESTROY), id, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), TENANT, id, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), 0, nr), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id + 1, nr), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), U64_MAX, nr), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, U64_MAX), -ENOENT);
	fake_process_exit(second);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, nr), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), id, nr), -ESRCH);
	/* The one that is left is still there. */
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
}

/* Operations, flags and fields that are none of theirs. */
static void bad_arguments(struct kunit *test)
{
	const long id = both(test);
	const struct {
		struct kfd_xsched_tenant arg;
		int error;
	} bad[] = {
		{ { .op = 0 }, -EOPNOTSUPP },
		{ { .op = T(DESTROY) + 1 }, -EOPNOTSUPP },
		{ { .op = U32_MAX }, -EOPNOTSUPP },
		{ { .op = T(CREATE), .flags = 1 }, -EOPNOTSUPP },
		{ { .op = T(CREATE), .reserved = 1 }, -EINVAL },
		{ { .op = T(CREATE), .id = 1 }, -EINVAL },
		{ { .op = T(CREATE), .process = 1 }, -EINVAL },
		{ { .op = T(DESTROY), .id = id, .process = 1 }, -EINVAL },
		{ { .op = T(DESTROY), .id = id, .reserved = U32_MAX }, -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kfd_xsched_tenant arg = bad[i].arg;

		arg.size = sizeof(arg);
		KUNIT_EXPECT_EQ_MSG(test, xt_ioctl_arg(test, client(test),
						       KFD_XSCHED_TENANT, &arg,
						       sizeof(arg)),
				    bad[i].error, "argument %u", i);
	}
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), 0);
}

/* There may be so many, and one more when one is gone. */
static void limit(struct kunit *test)
{
	unsigned int i;

	for (i = 1; i <= KFD_XSCHED_MAX_TENANTS; i++)
		KUNIT_ASSERT_EQ(test, xt_tenant(test, client(test), T(CREATE), 0, 0), i);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(CREATE), 0, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), 7, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(CREATE), 0, 0), i);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), 7, 0), -ESRCH);
}

/* A node fails: the process has not joined, or has not left. */
static void failures(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);

	xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0);
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), -EIO);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[2] + 1).tenant, 0);
	KUNIT_EXPECT_FALSE(test, second->hold_new);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);

	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(REMOVE), id, second->nr), -EIO);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), id, 0), -EIO);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[2] + 1).tenant, id);
	KUNIT_EXPECT_TRUE(test, second->hold_new);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), -EIO);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EIO);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(DESTROY), id, 0), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* Half of a tenant is none: processes to come are not held, those done are. */
static void one_node_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);
	struct xs_hw_process *third = fake_process_add(test, XT_UID);
	struct xs_hw_queue *queue3 = fake_queue_add(test, third, other);

	xt_tenant(test, client(test), T(ADD), id, third->nr);
	xt_tenant(test, client(test), T(ADD), id, xt->process->nr);
	other->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0), -EIO);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EIO);
	other->fail = 0;
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held && xt->process->hold_new);
	KUNIT_EXPECT_FALSE(test, queue3->held || third->hold_new);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), 0);
	KUNIT_EXPECT_FALSE(test, queue2->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* On a node that cannot hold the tenant's terms are left out, as at birth. */
static void node_that_cannot(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *bare = fake_node_add(test, XT_GPU + 1, 0);
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);
	struct xs_hw_queue *queue = fake_queue_add(test, second, bare);

	xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), T(ADD), id, second->nr), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);
	KUNIT_EXPECT_FALSE(test, queue->held);
	/* Asked for by name it is an error, and nothing happens. */
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0),
			-EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, queue2->held || second->hold_new);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->held, false);
}

/* Without capability: one's own processes, and no higher than the default. */
static void permissions(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b;
	long id, high;

	xt_become(test, XT_UID);
	b = xt_open(test);
	id = xt_tenant(test, b, T(CREATE), 0, 0);
	high = xt_tenant(test, b, T(CREATE), 0, 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), id, xt->process->nr), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), id, second->nr), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), TENANT, id, 8), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), TENANT, id, 7), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(REMOVE), id, xt->process->nr), 0);
	/* The empty tenant may be raised; to come to it then takes the capability. */
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), TENANT, high, 8), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), high, xt->process->nr), -EPERM);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, APP);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), high, xt->process->nr), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 8);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, T(ADD), id, second->nr), 0);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), TENANT, id, 0), -EPERM);
	xt_unbecome(test);
}

/* Opposite wishes for a tenant and one of its processes are EBUSY. */
static void opposites(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = both(test);
	const struct kfd_xsched_entry pairs[][2] = {
		{ XT_ENTRY(SUSPEND, TENANT, id, 0), XT_ENTRY(RESUME, TENANT, id, 0) },
		{ XT_ENTRY(SUSPEND, TENANT, id, 0), XT_ENTRY(RESUME, PROCESS, second->nr, 0) },
		{ XT_ENTRY(RESUME, QUEUE, xt->ids[0], 0), XT_ENTRY(SUSPEND, TENANT, id, 0) },
		{ XT_ENTRY(SET_PRIORITY, TENANT, id, 1),
		  XT_ENTRY(SET_PRIORITY, PROCESS, second->nr, 2) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++)
		KUNIT_EXPECT_EQ_MSG(test, xt_apply(test, client(test), pairs[i], 2),
				    -EBUSY, "pair %u", i);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* A TENANT in a thread. */
static void start_tenant(struct kunit *test, struct xt_call *call, u32 op, u64 id, u64 nr)
{
	const struct kfd_xsched_tenant arg = {
		.size = sizeof(arg),
		.op = op,
		.id = id,
		.process = nr,
	};

	*call = (struct xt_call){
		.file = client(test),
		.cmd = KFD_XSCHED_TENANT,
		.address = xt_put(test, &arg, sizeof(arg)),
	};
	xt_call_start(test, call);
}

/* A hold of the tenant is in progress: a process that joins waits for it, and is held. */
static void add_during_a_hold(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);
	struct xt_call hold, add, destroy;

	xt_tenant(test, client(test), T(ADD), id, xt->process->nr);
	fake_hang(xt->node);
	xt_start_do(test, &hold, client(test), OP(SUSPEND), TENANT, id);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	start_tenant(test, &add, T(ADD), id, second->nr);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&add, 60));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &hold), 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &add), 0);
	KUNIT_EXPECT_TRUE(test, queue2->held);

	/* And a DESTROY waits for a RESUME. */
	fake_hang(xt->node);
	xt_start_do(test, &hold, client(test), OP(RESUME), TENANT, id);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	start_tenant(test, &destroy, T(DESTROY), id, 0);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&destroy, 60));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &hold), 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &destroy), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* A process exits while it comes: it has not come, and nothing is left of it. */
static void exit_while_it_comes(struct kunit *test)
{
	struct xt *xt = test->priv;
	const long id = xt_tenant(test, client(test), T(CREATE), 0, 0);
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xt_call add;

	fake_queue_add(test, second, other);
	xt_do(test, client(test), OP(SUSPEND), TENANT, id, 0);
	fake_hang(other);
	start_tenant(test, &add, T(ADD), id, second->nr);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	fake_queue_remove(queue2);
	xs_process_exited(second);
	second->exited = true;
	fake_answer(other, 0);
	xt_call_wait(test, &add);
	second->exited = false;
	fake_process_exit(second);
	KUNIT_EXPECT_EQ(test, xt_list(test, client(test)), 3);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), TENANT, id, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(is_held_as_one),
	KUNIT_CASE(add_and_remove),
	KUNIT_CASE(own_holds_stay),
	KUNIT_CASE(one_tenant_each),
	KUNIT_CASE(destroy_and_close),
	KUNIT_CASE(wrong_ids),
	KUNIT_CASE(bad_arguments),
	KUNIT_CASE(limit),
	KUNIT_CASE(failures),
	KUNIT_CASE(one_node_fails),
	KUNIT_CASE(node_that_cannot),
	KUNIT_CASE(permissions),
	KUNIT_CASE(opposites),
	KUNIT_CASE(add_during_a_hold),
	KUNIT_CASE(exit_while_it_comes),
	{}
};

static struct kunit_suite suite = {
	.name = "tenant",
	.init = init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
