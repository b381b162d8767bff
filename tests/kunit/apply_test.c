// SPDX-License-Identifier: GPL-2.0-only
/*
 * APPLY: what it does to queues and processes, and what it leaves alone.
 */
#include "files.h"
#include "harness.h"

#define SUSPEND(_id)	XT_ENTRY(SUSPEND, QUEUE, _id, 0)
#define RESUME(_id)	XT_ENTRY(RESUME, QUEUE, _id, 0)

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

/* Holding three queues is one transaction, and all three are off. */
static void batch_is_one_transaction(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		SUSPEND(xt->ids[0]), SUSPEND(xt->ids[1]), SUSPEND(xt->ids[2]),
	};
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 3), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, xt->queues[i]->held);
		KUNIT_EXPECT_EQ(test, xt->entries[i].status, 0);
		KUNIT_EXPECT_EQ(test, xt->entries[i].effective, 1);
	}
	KUNIT_EXPECT_EQ(test, xt->result_count, 1);
	KUNIT_EXPECT_EQ(test, xt->results[0].gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, xt->results[0].flips, 3);
	KUNIT_EXPECT_EQ(test, xt->results[0].fw_transactions, 1);
	KUNIT_EXPECT_GE(test, xt->results[0].total_ns, xt->results[0].unmap_ns);
}

/* Suspend A and resume B in one array is one switch, not two. */
static void exchange_is_one_transaction(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		SUSPEND(xt->ids[0]), RESUME(xt->ids[1]),
	};

	xt_suspend(test, client(test), xt->ids[1]);
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 2), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
}

/* Holding what one holds succeeds and does not even call the driver. */
static void second_suspend_is_free(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_UNMAP,
				    KFD_XSCHED_TARGET_QUEUE, xt->ids[0], 0), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
	KUNIT_EXPECT_EQ(test, xt->result_count, 1);
	KUNIT_EXPECT_EQ(test, xt->results[0].fw_transactions, 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* A second RESUME is EALREADY, alone or as the only kind in an array. */
static void second_resume_is_ealready(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_suspend(test, client(test), xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->result_count, 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 2);
}

/* A benign entry is skipped: the good one beside it is done. */
static void benign_beside_good(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		RESUME(xt->ids[0]), SUSPEND(xt->ids[1]),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
}

/* ENOENT for what never was, ESRCH for what is gone. */
static void wrong_and_dead_ids(struct kunit *test)
{
	struct xt *xt = test->priv;
	const pid_t nr = xt->process->nr;

	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[2] + 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), U64_MAX), -ENOENT);
	fake_queue_remove(xt->queues[1]);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[1]), -ESRCH);

	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND,
				    KFD_XSCHED_TARGET_PROCESS, 1, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND,
				    KFD_XSCHED_TARGET_PROCESS, 1ULL << 32 | nr, 0),
			-ENOENT);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND,
				    KFD_XSCHED_TARGET_PROCESS, nr, 0), -ESRCH);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* amdkfd finds a queue dying: that entry is ESRCH, the other is done. */
static void queue_dies_during_the_call(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		SUSPEND(xt->ids[0]), SUSPEND(xt->ids[1]),
	};

	xt->queues[0]->ret = -ESRCH;
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -ESRCH);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), -ESRCH);
	KUNIT_EXPECT_EQ(test, fake_applies(), 1);
}

/* One entry that is neither good nor benign: nothing changes at all. */
static void one_bad_entry_changes_nothing(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry bad[] = {
		SUSPEND(0x7fffffff),
		{ .op = 99, .target = KFD_XSCHED_TARGET_QUEUE, .id = xt->ids[1] },
		{ .op = 0, .target = KFD_XSCHED_TARGET_QUEUE, .id = xt->ids[1] },
		{ .op = KFD_XSCHED_OP_SUSPEND, .target = 5, .id = xt->ids[1] },
		{ .op = KFD_XSCHED_OP_SUSPEND, .target = 0, .id = xt->ids[1] },
		{ .op = KFD_XSCHED_OP_SUSPEND, .target = KFD_XSCHED_TARGET_QUEUE,
		  .id = xt->ids[1], .reserved = 1 },
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 1),
		XT_ENTRY(RESUME, QUEUE, xt->ids[1], 1),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], -2),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], FAKE_MAX_GRACE_US + 1),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], -2),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], -3),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], 16),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], S32_MIN),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], S32_MAX),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], S32_MAX),
		XT_ENTRY(SUSPEND, TENANT, 1, 0),
		{ .op = KFD_XSCHED_OP_SUSPEND, .target = KFD_XSCHED_TARGET_QUEUE,
		  .id = xt->ids[1], .prio_class = KFD_XSCHED_CLASS_LOW },
		{ .op = KFD_XSCHED_OP_SET_PRIORITY, .target = KFD_XSCHED_TARGET_QUEUE,
		  .id = xt->ids[1], .prio_class = KFD_XSCHED_CLASS_REALTIME + 1 },
		{ .op = KFD_XSCHED_OP_SET_PRIORITY, .target = KFD_XSCHED_TARGET_QUEUE,
		  .id = xt->ids[1], .prio_class = U32_MAX },
		{ .op = U32_MAX, .target = U32_MAX, .id = U64_MAX, .value = -1 },
	};
	static const int errors[] = {
		-ENOENT, -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP, -EOPNOTSUPP, -EINVAL,
		-EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL, -EINVAL,
		-EINVAL, -EINVAL, -EINVAL, -EINVAL, -ENOENT, -EINVAL, -EINVAL, -EINVAL,
		-EOPNOTSUPP,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct kfd_xsched_entry entries[] = {
			SUSPEND(xt->ids[0]), bad[i],
			XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
		};

		KUNIT_EXPECT_EQ_MSG(test, xt_apply(test, client(test), entries, 3),
				    errors[i], "entry %u", i);
		KUNIT_EXPECT_EQ(test, xt->entries[1].status, errors[i]);
		KUNIT_EXPECT_EQ(test, xt->entries[0].status, 0);
	}
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).holders, 0);
}

/* An entry that is not done applied to no queue, whatever the caller had written there. */
static void effective_is_cleared(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_entry entries[] = {
		SUSPEND(xt->ids[0]), RESUME(xt->ids[1]), SUSPEND(xt->ids[2] + 1),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		entries[i].effective = 77;
		entries[i].effective_class = 77;
	}
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_EQ(test, xt->entries[1].status, -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->entries[1].effective, 0);
	KUNIT_EXPECT_EQ(test, xt->entries[1].effective_class, 0);
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 3), -ENOENT);
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		KUNIT_EXPECT_EQ(test, xt->entries[i].effective, 0);
		KUNIT_EXPECT_EQ(test, xt->entries[i].effective_class, 0);
	}
}

/* An APPLY from inside the kernel says what became of each entry, as that of a client does. */
static void from_inside_the_kernel(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 3),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], 3),
	};

	fake_queue_remove(xt->queues[1]);
	KUNIT_EXPECT_EQ(test, xs_apply_internal(&xs_sysfs_holder, entries, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	KUNIT_EXPECT_EQ(test, entries[0].status, 0);
	KUNIT_EXPECT_EQ(test, entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, entries[1].status, -ESRCH);
	entries[0].value = KFD_XSCHED_PRIORITY_APP;
	KUNIT_EXPECT_EQ(test, xs_apply_internal(&xs_sysfs_holder, entries, 1), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, XS_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, entries[0].effective, FAKE_APP_PRIORITY);
}

/* The driver fails: its errno comes back, and nobody holds anything. */
static void failure_changes_nothing(struct kunit *test)
{
	static const int errors[] = { -EIO, -ETIME, -ENOMEM };
	struct xt *xt = test->priv;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, xt_sysfs_write(test, "class/kfd_xsched/node4660/breaker_failures",
					     "0"), 0);
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		xt->node->fail = errors[i];
		KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), errors[i]);
		KUNIT_EXPECT_EQ(test, xt->entries[0].status, errors[i]);
		KUNIT_EXPECT_EQ(test, xt->results[0].status, errors[i]);
		KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).state &
				(KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE), 0);
		KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), -EALREADY);
		xt->node->fail = 0;
	}
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, fake_transactions(), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/* A failed release leaves the hold with its client, which may try again. */
static void failed_resume_keeps_the_hold(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_suspend(test, client(test), xt->ids[0]);
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), -EIO);
	KUNIT_EXPECT_TRUE(test, xt_describe(test, client(test), xt->ids[0]).state &
			  KFD_XSCHED_QUEUE_MINE);
	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* Nodes fail independently: the other one keeps what was done. */
static void nodes_fail_independently(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_queue *queue = fake_queue_add(test, xt->process, other);
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);

	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), &entry, 1), -EIO);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EIO);
	KUNIT_EXPECT_EQ(test, xt->result_count, 2);
	KUNIT_EXPECT_EQ(test, xt->results[0].status, -EIO);
	KUNIT_EXPECT_EQ(test, xt->results[1].status, 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_TRUE(test, queue->held);
	/* Half of a rule is none. */
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);

	xt->node->fail = 0;
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* Opposite wishes for one queue in one array are EBUSY, in any order. */
static void opposites_are_ebusy(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u64 nr = xt->process->nr;
	const struct kfd_xsched_entry pairs[][2] = {
		{ SUSPEND(xt->ids[0]), RESUME(xt->ids[0]) },
		{ RESUME(xt->ids[0]), SUSPEND(xt->ids[0]) },
		{ RESUME(xt->ids[0]), XT_ENTRY(UNMAP, QUEUE, xt->ids[0], 0) },
		{ XT_ENTRY(RESUME, PROCESS, nr, 0), SUSPEND(xt->ids[0]) },
		{ XT_ENTRY(SUSPEND, PROCESS, nr, 0), RESUME(xt->ids[0]) },
		{ XT_ENTRY(SUSPEND, PROCESS, nr, 0), XT_ENTRY(RESUME, PROCESS, nr, 0) },
		{ XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 1),
		  XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 2) },
		{ XT_ENTRY(SET_PRIORITY, PROCESS, nr, 1),
		  XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 2) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		KUNIT_EXPECT_EQ_MSG(test, xt_apply(test, client(test), pairs[i], 2),
				    -EBUSY, "pair %u", i);
		KUNIT_EXPECT_EQ(test, xt->entries[1].status, -EBUSY);
	}
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* The same wish twice in one array is no conflict. */
static void agreement_is_fine(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		SUSPEND(xt->ids[0]), SUSPEND(xt->ids[0]),
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 2),
		XT_ENTRY(SET_PRIORITY, PROCESS, xt->process->nr, 2),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), entries, 5), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).holders, 1);
}

/* Grace reaches the driver; two different ones for a node are EINVAL. */
static void grace(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry good[] = {
		XT_ENTRY(UNMAP, QUEUE, xt->ids[0], FAKE_MAX_GRACE_US),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], FAKE_MAX_GRACE_US),
	};
	const struct kfd_xsched_entry mixed[] = {
		XT_ENTRY(UNMAP, QUEUE, xt->ids[0], 10), SUSPEND(xt->ids[1]),
	};
	const struct kfd_xsched_entry zero[] = {
		XT_ENTRY(UNMAP, QUEUE, xt->ids[2], 0), RESUME(xt->ids[1]),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), mixed, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), good, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->node->last_grace_us, FAKE_MAX_GRACE_US);
	KUNIT_EXPECT_EQ(test, xt_apply(test, client(test), zero, 2), 0);
	KUNIT_EXPECT_EQ(test, xt->node->last_grace_us, XS_GRACE_NOW);
}

/* What a node cannot do is EOPNOTSUPP, never a silent no-op. */
static void capabilities(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *bare = fake_node_add(test, XT_GPU + 1, 0);
	struct xs_hw_node *plain = fake_node_add(test, XT_GPU + 2,
						 KFD_XSCHED_CAP_UNMAP);
	u64 on_bare, on_plain;

	fake_queue_add(test, xt->process, bare);
	on_bare = xt->ids[2] + 1;
	fake_queue_add(test, xt->process, plain);
	on_plain = xt->ids[2] + 2;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), on_bare), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), on_plain), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_UNMAP,
				    KFD_XSCHED_TARGET_QUEUE, on_plain, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SET_PRIORITY,
				    KFD_XSCHED_TARGET_QUEUE, on_plain, 1), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND,
				    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_UNMAP,
				    KFD_XSCHED_TARGET_QUEUE, on_plain, 0), 0);
}

/* A process is held with all its queues, in one transaction. */
static void process_is_held_whole(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u64 nr = xt->process->nr;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND,
				    KFD_XSCHED_TARGET_PROCESS, nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 1);
	/* What is created during the switch must not slip through. */
	KUNIT_EXPECT_TRUE(test, xt->process->was_hold_new);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, xt->queues[i]->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, nr, 0), 0);
	KUNIT_EXPECT_EQ(test, fake_transactions(), 2);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, nr, 0), -EALREADY);
}

/* RESUME of a process drops holds taken on its queues one by one, too. */
static void process_resume_drops_queue_holds(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_suspend(test, client(test), xt->ids[1]);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* A queue of a held process can be released alone; the process stays held. */
static void queue_of_held_process_is_released(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), xt->ids[1]), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
}

/* Queues a held process creates are born held, and released with it. */
static void born_held(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue;
	unsigned int sent;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	sent = fake_transactions();
	queue = fake_queue_add(test, xt->process, xt->node);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_TRUE(test, queue->held);
	KUNIT_EXPECT_EQ(test, fake_transactions(), sent);
	KUNIT_EXPECT_TRUE(test, xt_describe(test, client(test), xt->ids[2] + 1).state &
			  KFD_XSCHED_QUEUE_MINE);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[2] + 1).preemptions, 0);
	xt_do(test, client(test), KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	KUNIT_EXPECT_FALSE(test, queue->held);
	KUNIT_EXPECT_FALSE(test, fake_queue_add(test, xt->process, xt->node)->held);
}

/* All queues of a held process were reset, which its release finds, or a call @before. */
static void lose_and_release(struct kunit *test, bool before)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	struct xs_hw_queue *lost = fake_queue_add(test, process, xt->node), *queue;
	const u64 id = xt->list[xt_list(test, client(test)) - 1].id;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      process->nr, 0);
	KUNIT_ASSERT_TRUE(test, lost->held);
	lost->ret = -EACCES;
	if (before)
		KUNIT_EXPECT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_SET_PRIORITY,
					    KFD_XSCHED_TARGET_QUEUE, id, 3), -ESRCH);
	xt_do(test, client(test), KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_PROCESS,
	      process->nr, 0);
	queue = fake_queue_add(test, process, xt->node);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_FALSE(test, queue->held);
	KUNIT_EXPECT_FALSE(test, process->hold_new);
}

/* They are lost, but others may come. */
static void released_without_a_queue(struct kunit *test)
{
	lose_and_release(test, false);
	lose_and_release(test, true);
}

/*
 * amdkfd creates a queue before it reports it: it may have been created held for a
 * hold that is gone by then, or free before a hold that has come.
 */
static void born_before_the_rule_changed(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	xt->process->hold_new = false;
	queue = fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_TRUE(test, queue->held);

	xt->process->hold_new = true;
	xt_do(test, client(test), KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	xt->process->hold_new = true;
	queue = fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_FALSE(test, queue->held);
	xt->process->hold_new = false;
}

/* A node that cannot hold is not asked to when a held process uses it. */
static void born_on_a_node_that_cannot(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *bare = fake_node_add(test, XT_GPU + 1, 0);
	struct xs_hw_queue *queue;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	xt->process->hold_new = false;
	queue = fake_queue_add(test, xt->process, bare);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_FALSE(test, queue->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[2] + 1).holders, 0);
	xt->process->hold_new = true;
}

/* Held time runs while held, preemptions count what left the hardware. */
static void accounting(struct kunit *test)
{
	struct kfd_xsched_queue before, after;
	struct xt *xt = test->priv;

	xt_suspend(test, client(test), xt->ids[0]);
	before = xt_describe(test, client(test), xt->ids[0]);
	after = xt_describe(test, client(test), xt->ids[0]);
	KUNIT_EXPECT_GT(test, after.held_ns, before.held_ns);
	KUNIT_EXPECT_EQ(test, after.preemptions, 1);
	xt_resume(test, client(test), xt->ids[0]);
	before = xt_describe(test, client(test), xt->ids[0]);
	after = xt_describe(test, client(test), xt->ids[0]);
	KUNIT_EXPECT_GT(test, before.held_ns, 0);
	KUNIT_EXPECT_EQ(test, after.held_ns, before.held_ns);
	xt_suspend(test, client(test), xt->ids[0]);
	after = xt_describe(test, client(test), xt->ids[0]);
	KUNIT_EXPECT_EQ(test, after.preemptions, 2);
	KUNIT_EXPECT_GT(test, after.held_ns, before.held_ns);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(batch_is_one_transaction),
	KUNIT_CASE(exchange_is_one_transaction),
	KUNIT_CASE(second_suspend_is_free),
	KUNIT_CASE(second_resume_is_ealready),
	KUNIT_CASE(benign_beside_good),
	KUNIT_CASE(wrong_and_dead_ids),
	KUNIT_CASE(queue_dies_during_the_call),
	KUNIT_CASE(one_bad_entry_changes_nothing),
	KUNIT_CASE(effective_is_cleared),
	KUNIT_CASE(from_inside_the_kernel),
	KUNIT_CASE(failure_changes_nothing),
	KUNIT_CASE(failed_resume_keeps_the_hold),
	KUNIT_CASE(nodes_fail_independently),
	KUNIT_CASE(opposites_are_ebusy),
	KUNIT_CASE(agreement_is_fine),
	KUNIT_CASE(grace),
	KUNIT_CASE(capabilities),
	KUNIT_CASE(process_is_held_whole),
	KUNIT_CASE(process_resume_drops_queue_holds),
	KUNIT_CASE(queue_of_held_process_is_released),
	KUNIT_CASE(born_held),
	KUNIT_CASE(released_without_a_queue),
	KUNIT_CASE(born_before_the_rule_changed),
	KUNIT_CASE(born_on_a_node_that_cannot),
	KUNIT_CASE(accounting),
	{}
};

static struct kunit_suite suite = {
	.name = "apply",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
