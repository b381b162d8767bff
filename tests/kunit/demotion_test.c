// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who pays first for a preemption that failed: a process, and then its user.
 */
#include <linux/delay.h>
#include <linux/string.h>

#include "files.h"
#include "model/demotion.h"
#include "watched.h"

#define OP(op)	KFD_XSCHED_OP_##op
#define FILE	"class/kfd_xsched/global/demoted"
#define NODE	"class/kfd_xsched/node4660/"
#define EVENTS	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_DEMOTED)
#define ROOT	0

static bool is_demoted(struct kunit *test, u64 queue)
{
	const struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], queue).state & KFD_XSCHED_QUEUE_DEMOTED;
}

static bool has_lowest(const struct xs_hw_queue *queue)
{
	return queue->override == 0 && queue->level == 0;
}

static bool has_its_own(const struct xs_hw_queue *queue)
{
	return queue->override == KFD_XSCHED_PRIORITY_APP && queue->level < 0;
}

static void expect_event(struct kunit *test, struct file *file, pid_t nr, bool demoted)
{
	const struct kfd_xsched_event event = xt_wait_event(test, file);

	KUNIT_EXPECT_EQ(test, event.type, KFD_XSCHED_EVENT_DEMOTED);
	KUNIT_EXPECT_EQ(test, event.pid, nr);
	KUNIT_EXPECT_EQ(test, event.data, demoted);
}

/* A file whose lines are numbers is compared with what is written into it. */
static void expect_file(struct kunit *test, const char *format, ...)
{
	char *want = kunit_kzalloc(test, 256, GFP_KERNEL);
	va_list args;

	KUNIT_ASSERT_NOT_NULL(test, want);
	va_start(args, format);
	vsnprintf(want, 256, format, args);
	va_end(args);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, FILE), want);
}

static int pardon(struct kunit *test, const char *who, unsigned int number)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %u\n", who, number);
	return xt_sysfs_write(test, FILE, text);
}

/* One of its queues did not save: the others, and those to come, have the lowest priority. */
static void process_is_demoted(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *node = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_queue *elsewhere = fake_queue_add(test, xt->process, node), *fresh;
	const pid_t nr = xt->process->nr;

	xt_subscribe(test, xt->files[0], EVENTS, 0, 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, FILE), "");
	fake_queue_lose(xt->queues[0]);
	expect_event(test, xt->files[0], nr, true);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_lowest(xt->queues[1])));
	KUNIT_EXPECT_TRUE(test, xt_comes(has_lowest(elsewhere)));
	KUNIT_EXPECT_TRUE(test, is_demoted(test, xt->ids[1]));
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[1]).priority, 0);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[1]).prio_class,
			KFD_XSCHED_CLASS_LOW);
	fresh = fake_queue_add(test, xt->process, node);
	KUNIT_EXPECT_TRUE(test, has_lowest(fresh));
	expect_file(test, "process %d %u 1\n", nr, XT_UID);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "breaker"), "closed\n");
	/* It is told once; each queue counts once, on how many XCCs ever it is reset. */
	fake_queue_lose(xt->queues[0]);
	fake_queue_lose(xt->queues[1]);
	expect_file(test, "process %d %u 2\n", nr, XT_UID);
	KUNIT_EXPECT_EQ(test, pardon(test, "process", nr), 0);
	expect_event(test, xt->files[0], nr, false);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_its_own(fresh) && has_its_own(elsewhere)));
	KUNIT_EXPECT_FALSE(test, is_demoted(test, xt->ids[2]));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, FILE), "");
}

/* Whatever is asked for meanwhile is in force afterwards; holds are as ever. */
static void nothing_raises_it(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u64 queue = xt->ids[1];

	KUNIT_ASSERT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), KFD_XSCHED_TARGET_QUEUE, queue, 9),
			0);
	fake_queue_lose(xt->queues[0]);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_lowest(xt->queues[1])));
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), KFD_XSCHED_TARGET_QUEUE, queue, 12),
			0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 11), 0);
	KUNIT_EXPECT_TRUE(test, has_lowest(xt->queues[1]));
	KUNIT_EXPECT_TRUE(test, has_lowest(xt->queues[2]));
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, queue), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, queue), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt->queues[1]->override == 11));
	KUNIT_EXPECT_TRUE(test, xt_comes(xt->queues[2]->override == 11));
}

/* The second process of a user that does not save: all of his are demoted, and born so. */
static void user_is_demoted(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *second = fake_process_add(test, XT_UID), *third;
	struct xs_hw_process *stranger = fake_process_add(test, XT_UID + 1);
	struct xs_hw_queue *lost = fake_queue_add(test, second, xt->node);
	struct xs_hw_queue *others = fake_queue_add(test, stranger, xt->node), *born;

	fake_queue_lose(xt->queues[0]);
	KUNIT_EXPECT_FALSE(test, has_lowest(lost));
	/* The same process once more is not a second one. */
	fake_queue_lose(xt->queues[1]);
	KUNIT_EXPECT_NULL(test, strstr(xt_sysfs_read(test, FILE), "user"));
	fake_queue_lose(lost);
	expect_file(test, "user %u 2\nprocess %d %u 2\nprocess %d %u 1\n", XT_UID,
		    xt->process->nr, XT_UID, second->nr, XT_UID);
	third = fake_process_add(test, XT_UID);
	xt_subscribe(test, xt->files[0], EVENTS, 0, 0);
	born = fake_queue_add(test, third, xt->node);
	expect_event(test, xt->files[0], third->nr, true);
	KUNIT_EXPECT_TRUE(test, has_lowest(born));
	KUNIT_EXPECT_TRUE(test, has_its_own(others));
	/* Of one process alone it cannot end. */
	KUNIT_EXPECT_EQ(test, pardon(test, "process", third->nr), -ESRCH);
	KUNIT_EXPECT_EQ(test, pardon(test, "process", second->nr), 0);
	KUNIT_EXPECT_TRUE(test, has_lowest(born));
	KUNIT_EXPECT_EQ(test, pardon(test, "user", XT_UID + 1), -ESRCH);
	KUNIT_EXPECT_EQ(test, pardon(test, "user", XT_UID), 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_its_own(born)));
	KUNIT_EXPECT_TRUE(test, xt_comes(has_its_own(xt->queues[2])));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, FILE), "");
}

/* Not for what was long ago, or has been pardoned. */
static void the_past_is_over(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *second = fake_process_add(test, XT_UID);
	struct xs_hw_process *third = fake_process_add(test, XT_UID);
	struct xs_hw_queue *of_second = fake_queue_add(test, second, xt->node);
	struct xs_hw_queue *of_third = fake_queue_add(test, third, xt->node);

	KUNIT_ASSERT_EQ(test, xt_sysfs_write(test, NODE "breaker_window_s", "1"), 0);
	fake_queue_lose(xt->queues[0]);
	msleep(1100);
	fake_queue_lose(of_second);
	KUNIT_EXPECT_NULL(test, strstr(xt_sysfs_read(test, FILE), "user"));
	KUNIT_ASSERT_EQ(test, xt_sysfs_write(test, NODE "breaker_window_s", "3600"), 0);
	KUNIT_EXPECT_EQ(test, pardon(test, "process", second->nr), 0);
	fake_queue_lose(of_third);
	KUNIT_EXPECT_NULL(test, strstr(xt_sysfs_read(test, FILE), "user"));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, FILE), "");
}

/* Most containers run as root: one of them does not pay for another. */
static void root_is_not(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *first = fake_process_add(test, ROOT);
	struct xs_hw_process *second = fake_process_add(test, ROOT);
	struct xs_hw_process *third = fake_process_add(test, ROOT);
	struct xs_hw_queue *innocent = fake_queue_add(test, third, xt->node);

	fake_queue_lose(fake_queue_add(test, first, xt->node));
	fake_queue_lose(fake_queue_add(test, second, xt->node));
	KUNIT_EXPECT_NULL(test, strstr(xt_sysfs_read(test, FILE), "user"));
	KUNIT_EXPECT_EQ(test, xt_count(xt_sysfs_read(test, FILE), "process"), 2);
	KUNIT_EXPECT_TRUE(test, has_its_own(innocent));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
}

/* It is found out by a transaction that succeeds, fails, or changes that queue itself. */
static void lost_in_a_transaction(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	xt->node->culprit = xt->queues[1];
	xt->node->fail = -ETIME;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -ETIME);
	xt->node->fail = 0;
	xt->queues[1]->ret = -EACCES;
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "breaker"), "closed\n");
	KUNIT_EXPECT_TRUE(test, xt_comes(has_lowest(xt->queues[0]) && !xt->queues[0]->held));
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[1]), -ESRCH);
	xt->node->culprit = xt->queues[0];
	xt->node->fail = -ETIME;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -ETIME);
	xt->node->fail = 0;
	xt->queues[0]->ret = -EACCES;
	/* It is gone, and was not counted twice. */
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[2]), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_its_own(xt->queues[2])));
}

/* A held queue that is lost is held no more: no lease waits for it. */
static void lost_while_held(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[0]), 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, "class/kfd_xsched/global/statistics/held"),
			   "1\n");
	fake_queue_lose(xt->queues[0]);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, "class/kfd_xsched/global/statistics/held"),
			   "0\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
}

/* With a breaker open a demotion goes on; what has it is not given its own back. */
static void survives_an_open_breaker(struct kunit *test)
{
	struct xt *xt = test->priv;

	fake_queue_lose(xt->queues[0]);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_lowest(xt->queues[1])));
	KUNIT_ASSERT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[1]), 0);
	xs_news->preempt_failed(xt->node, NULL);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "breaker"), "open\n");
	KUNIT_EXPECT_TRUE(test, xt_comes(!xt->queues[1]->held));
	KUNIT_EXPECT_TRUE(test, has_lowest(xt->queues[1]));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(has_its_own(xt->queues[1])));
}

static void bad_writes_change_nothing(struct kunit *test)
{
	static const char *const bad[] = {
		"process", "process ", "process 0", "process x", "user", "user -1", "user 1 2",
		"everybody", "all users", "user 4294967295",
	};
	struct xt *xt = test->priv;
	unsigned int i;

	fake_queue_lose(xt->queues[0]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, xt_sysfs_write(test, FILE, bad[i]), -EINVAL, "%s", bad[i]);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "process 4194303"), -ESRCH);
	KUNIT_EXPECT_EQ(test, pardon(test, "user", XT_UID), -ESRCH);
	expect_file(test, "process %d %u 1\n", xt->process->nr, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all\n"), 0);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, FILE, "all"), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(process_is_demoted),
	KUNIT_CASE(nothing_raises_it),
	KUNIT_CASE(user_is_demoted),
	KUNIT_CASE(the_past_is_over),
	KUNIT_CASE(root_is_not),
	KUNIT_CASE(lost_in_a_transaction),
	KUNIT_CASE(lost_while_held),
	KUNIT_CASE(survives_an_open_breaker),
	KUNIT_CASE(bad_writes_change_nothing),
	{}
};

static struct kunit_suite suite = {
	.name = "demotion",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
