// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bringing the core up and down.
 */
#include <linux/cred.h>
#include <linux/mm_types.h>
#include <linux/pid.h>

#include "files.h"
#include "watch/watch.h"
#include "watched.h"
#include "core.h"

static struct kunit *current_test;

static int fail_to_start(void)
{
	return -EBUSY;
}

/* As in amdkfd: existing objects are reported before registering returns. */
static int replay(void)
{
	struct xt *xt = current_test->priv;

	xt->node = fake_node_add(current_test, XT_GPU, FAKE_CAPS);
	xt->process = fake_process_add(current_test, XT_UID);
	xt->queues[0] = fake_queue_add(current_test, xt->process, xt->node);
	return 0;
}

/* The core goes away under live queues, as when the module is unloaded. */
static void stop_and_forget(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_close(test, xt->files[0]);
	xs_core_stop();
	fake_remove_all();
	fake_reset();
}

/* Stopped with queues alive, started again: all is forgotten, but for ids. */
static void stop_with_live_queues(struct kunit *test)
{
	struct xt *xt = test->priv;

	stop_and_forget(test);
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[0]), -ESRCH);
	xt->node = fake_node_add(test, XT_GPU, FAKE_CAPS);
	xt->process = fake_process_add(test, XT_UID);
	fake_queue_add(test, xt->process, xt->node);
	KUNIT_ASSERT_EQ(test, xt_list(test, xt->files[0]), 1);
	KUNIT_EXPECT_EQ(test, xt->list[0].id, xt->ids[2] + 1);
}

/* A queue with work, which a client comes to hear of. */
static void expect_work_is_seen(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct xt_watched w = xt_add_watched(test, 1);

	KUNIT_EXPECT_EQ(test, xt_subscribe(test, xt->files[0], XT_ACTIVITY, 1000, 0), 0);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
}

/* Stopped while it looks at a queue: it looks no more, and at others once it is started again. */
static void stop_with_watched_queue(struct kunit *test)
{
	struct xt *xt = test->priv;

	expect_work_is_seen(test);
	stop_and_forget(test);
	KUNIT_EXPECT_EQ(test, xs_sampler_counts().sampled, 0);
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
	xt->node = fake_node_add(test, XT_GPU, FAKE_CAPS);
	xt->process = fake_process_add(test, XT_UID);
	expect_work_is_seen(test);
}

/* Its files are there while it runs, those for reports and those for administrators. */
static void files_go_with_it(struct kunit *test)
{
	stop_and_forget(test);
	KUNIT_EXPECT_NULL(test, xt_read_in(test, "debugfs", "kfd_xsched/state"));
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, XT_GLOBAL "enabled"));
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
	KUNIT_EXPECT_NOT_NULL(test, xt_read_in(test, "debugfs", "kfd_xsched/state"));
	KUNIT_EXPECT_NOT_NULL(test, xt_sysfs_read(test, XT_GLOBAL "enabled"));
}

/* A GPU is unplugged under live queues: nobody asks the driver anything of them. */
static void node_goes_with_queues(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *second = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_queue *queue = fake_queue_add(test, xt->process, second);
	const u64 nr = xt->process->nr, id = xt->ids[2] + 1;
	struct file *a = xt->files[0];
	const long tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);

	KUNIT_EXPECT_EQ(test, xt_do(test, a, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
				    nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, id).holders, 1);
	fake_node_remove(second);
	second->applies = 0;
	queue->asked = 0;
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, id).holders, 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, id), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_PROCESS,
				    nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 3);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_TENANT,
				    tenant, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, nr), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_async(test, a, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
				       nr, 1), 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, a).id, 1);
	xt_close(test, a);
	KUNIT_EXPECT_EQ(test, second->applies, 0);
	KUNIT_EXPECT_EQ(test, queue->asked, 0);
	/* The driver takes them away when it gets there. */
	fake_queue_remove(queue);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/* What exists when the core starts is there for the first client. */
static void start_replays(struct kunit *test)
{
	struct xt *xt = test->priv;

	stop_and_forget(test);
	current_test = test;
	fake_on_start = replay;
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
	KUNIT_ASSERT_EQ(test, xt_list(test, xt->files[0]), 1);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], xt->list[0].id), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/* The driver refuses: the core does, too, and can be started later. */
static void start_fails(struct kunit *test)
{
	stop_and_forget(test);
	fake_on_start = fail_to_start;
	KUNIT_EXPECT_EQ(test, xs_core_start(&fake_backend), -EBUSY);
	fake_on_start = NULL;
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
}

/* An object reported twice is added once; one never reported can be removed. */
static void told_twice(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue stranger = { .desc = xt->queues[0]->desc };

	KUNIT_EXPECT_EQ(test, xs_node_added(xt->node, &xt->node->desc), 0);
	KUNIT_EXPECT_EQ(test, xs_queue_added(xt->queues[0], &xt->queues[0]->desc), 0);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 3);
	xs_queue_removed(&stranger);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 3);
	stranger.desc.node = (void *)&stranger;
	KUNIT_EXPECT_EQ(test, xs_queue_added(&stranger, &stranger.desc), -ENOENT);
}

/**
 * struct references - how many there are on what the core takes references on
 * @mm: address space, grabbed
 * @pid: thread group leader
 * @cred: credentials
 */
struct references {
	int mm;
	unsigned int pid;
	long cred;
};

static struct references references(struct xs_hw_process *process)
{
	struct references references = {
		.mm = atomic_read(&current->mm->mm_count),
		.pid = refcount_read(&task_pid(process->task)->count),
	};

	scoped_guard(rcu)
		references.cred = atomic_long_read(&__task_cred(process->task)->usage);
	return references;
}

/* A process that comes and goes gets its references back, all of them. */
static void references_are_dropped(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	const struct references before = references(process);
	struct references during, after;
	unsigned int i;

	for (i = 0; i < 3; i++)
		xt->queues[i] = fake_queue_add(test, process, xt->node);
	xt_do(test, xt->files[0], KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      process->nr, 0);
	xt_list(test, xt->files[0]);
	during = references(process);
	KUNIT_EXPECT_GT(test, during.mm, before.mm);
	KUNIT_EXPECT_GT(test, during.pid, before.pid);
	KUNIT_EXPECT_GT(test, during.cred, before.cred);
	for (i = 0; i < 3; i++)
		fake_queue_remove(xt->queues[i]);
	xs_process_exited(process);
	process->exited = true;
	after = references(process);
	KUNIT_EXPECT_EQ(test, after.mm, before.mm);
	KUNIT_EXPECT_EQ(test, after.cred, before.cred);
	/* Remembered, to distinguish ESRCH from ENOENT. */
	KUNIT_EXPECT_EQ(test, after.pid, before.pid + 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stop_with_live_queues),
	KUNIT_CASE(stop_with_watched_queue),
	KUNIT_CASE(files_go_with_it),
	KUNIT_CASE(node_goes_with_queues),
	KUNIT_CASE(start_replays),
	KUNIT_CASE(start_fails),
	KUNIT_CASE(told_twice),
	KUNIT_CASE(references_are_dropped),
	{}
};

static struct kunit_suite suite = {
	.name = "core",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
