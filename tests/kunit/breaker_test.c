// SPDX-License-Identifier: GPL-2.0-only
/*
 * The breaker of what is reset together: when it opens, what is dropped then, and how it is closed.
 */
#include <linux/string.h>
#include <linux/time64.h>

#include "files.h"
#include "model/node.h"
#include "watched.h"

#define OP(op)	KFD_XSCHED_OP_##op
#define NODE	"class/kfd_xsched/node4660/"
#define EVENTS	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER)

/* ---- when it opens ------------------------------------------------------- */

#define ALICE	KUIDT_INIT(1000)
#define BOB	KUIDT_INIT(1001)

/* One is enough, unless somebody says otherwise; once it is open, no more is needed. */
static void opens_at_the_limit(struct kunit *test)
{
	struct xs_breaker breaker;
	unsigned int i;

	xs_breaker_init(&breaker);
	KUNIT_EXPECT_EQ(test, breaker.limit, 1);
	breaker.limit = 3;
	for (i = 1; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, i));
		KUNIT_EXPECT_EQ(test, xs_breaker_recent(&breaker, i), i);
	}
	KUNIT_EXPECT_TRUE(test, xs_breaker_fail(&breaker, XS_NOBODY, i));
	KUNIT_EXPECT_EQ(test, breaker.open_ns, i);
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, i + 1));
	KUNIT_EXPECT_EQ(test, breaker.open_ns, i);
	KUNIT_EXPECT_EQ(test, breaker.openings, 1);
}

/* A failure does not count once the window is over. */
static void forgets_old_failures(struct kunit *test)
{
	struct xs_breaker breaker;
	u64 now = NSEC_PER_SEC, after;

	xs_breaker_init(&breaker);
	breaker.limit = 2;
	breaker.window_s = 10;
	after = 10 * NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, now));
	KUNIT_EXPECT_EQ(test, xs_breaker_recent(&breaker, now + after - 1), 1);
	KUNIT_EXPECT_EQ(test, xs_breaker_recent(&breaker, now + after), 0);
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, now + after));
	KUNIT_EXPECT_TRUE(test, xs_breaker_fail(&breaker, XS_NOBODY, now + 2 * after - 1));
}

static void zero_means_never(struct kunit *test)
{
	struct xs_breaker breaker;
	unsigned int i;

	xs_breaker_init(&breaker);
	breaker.limit = 0;
	for (i = 0; i < 3 * XS_BREAKER_FAILURES_MAX; i++)
		KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, i % 2 ? ALICE : BOB, i));
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, i));
	KUNIT_EXPECT_EQ(test, xs_breaker_recent(&breaker, i), XS_BREAKER_FAILURES_MAX);
	KUNIT_EXPECT_FALSE(test, xs_breaker_close(&breaker));
	KUNIT_EXPECT_EQ(test, xs_breaker_recent(&breaker, i), 0);
}

static void opens_at_the_highest_limit(struct kunit *test)
{
	struct xs_breaker breaker;
	unsigned int i;

	xs_breaker_init(&breaker);
	breaker.limit = XS_BREAKER_FAILURES_MAX;
	for (i = 1; i < XS_BREAKER_FAILURES_MAX; i++)
		KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, XS_NOBODY, i));
	KUNIT_EXPECT_TRUE(test, xs_breaker_fail(&breaker, XS_NOBODY, i));
	KUNIT_EXPECT_TRUE(test, xs_breaker_close(&breaker));
	KUNIT_EXPECT_EQ(test, breaker.open_ns, 0);
}

/* However often one user's programs fail, that is his; a second user within the window is not. */
static void takes_two_users(struct kunit *test)
{
	const u64 window = XS_BREAKER_WINDOW_S * NSEC_PER_SEC;
	struct xs_breaker breaker;
	unsigned int i;

	xs_breaker_init(&breaker);
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, BOB, 1));
	for (i = 0; i < 3 * XS_BREAKER_FAILURES_MAX; i++)
		KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, ALICE, window + i + 1));
	KUNIT_EXPECT_TRUE(test, xs_breaker_fail(&breaker, BOB, window + i + 1));
	KUNIT_EXPECT_TRUE(test, xs_breaker_close(&breaker));
	KUNIT_EXPECT_FALSE(test, xs_breaker_fail(&breaker, ALICE, window + i + 2));
}

/* ---- what becomes of the node -------------------------------------------- */

static void set_limit(struct kunit *test, const char *failures)
{
	KUNIT_ASSERT_EQ(test, xt_sysfs_write(test, NODE "breaker_failures", failures), 0);
}

static bool is_open(struct kunit *test)
{
	return !strcmp(xt_sysfs_read(test, NODE "breaker"), "open\n");
}

static void expect_event(struct kunit *test, struct file *file, bool open)
{
	const struct kfd_xsched_event event = xt_wait_event(test, file);

	KUNIT_EXPECT_EQ(test, event.type, KFD_XSCHED_EVENT_NODE_BREAKER);
	KUNIT_EXPECT_EQ(test, event.gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, event.data, open);
}

/* The next hold opens it. */
static void fail_hold(struct kunit *test, struct file *file, u64 queue)
{
	struct xt *xt = test->priv;

	xt->node->fail = -ETIME;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, file, queue), -ETIME);
}

/* The node answers again, and everything on it runs. */
static void recover(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt->node->fail = 0;
	KUNIT_EXPECT_TRUE(test, xt_comes(!fake_anything_held()));
}

/* Holds of queues and of processes end, of all clients; nobody can hold any more. */
static void drops_all_holds(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	struct file *a = xt->files[0], *b = xt_open(test);
	const u64 last = xt->ids[2] + 1;

	fake_queue_add(test, process, xt->node);
	xt_subscribe(test, b, EVENTS, 0, 0);
	set_limit(test, "1");
	KUNIT_ASSERT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
	KUNIT_ASSERT_EQ(test, xt_do(test, b, OP(SUSPEND), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	fail_hold(test, a, last);
	KUNIT_EXPECT_TRUE(test, is_open(test));
	expect_event(test, b, true);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).holders, 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[0]), -EALREADY);
	recover(test);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(UNMAP), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), -ESHUTDOWN);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	/* What is there can be looked at as before. */
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).priority, FAKE_APP_PRIORITY);
}

static long set_priority(struct kunit *test, u32 target, u64 id, s32 priority)
{
	struct xt *xt = test->priv;

	return xt_do(test, xt->files[0], OP(SET_PRIORITY), target, id, priority);
}

static long set_class(struct kunit *test, u64 queue, u32 prio_class)
{
	struct kfd_xsched_entry entry =
		XT_ENTRY(SET_PRIORITY, QUEUE, queue, KFD_XSCHED_PRIORITY_KEEP);
	struct xt *xt = test->priv;

	entry.prio_class = prio_class;
	return xt_apply(test, xt->files[0], &entry, 1);
}

/* Priorities preempt, too: none is set, those that were set stay until they are given back. */
static void sets_no_priority(struct kunit *test)
{
	const u32 queue = KFD_XSCHED_TARGET_QUEUE, process = KFD_XSCHED_TARGET_PROCESS;
	const s32 app = KFD_XSCHED_PRIORITY_APP;
	struct xt *xt = test->priv;
	unsigned int before;

	set_limit(test, "1");
	KUNIT_ASSERT_EQ(test, set_priority(test, queue, xt->ids[0], 3), 0);
	KUNIT_ASSERT_EQ(test, set_class(test, xt->ids[0], KFD_XSCHED_CLASS_LOW), 0);
	fail_hold(test, xt->files[0], xt->ids[1]);
	xt->node->fail = 0;
	KUNIT_EXPECT_TRUE(test, xt_comes(!xt->queues[1]->held));
	KUNIT_EXPECT_TRUE(test, xt_comes(xt->queues[0]->override == 3));
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).priority, 3);
	before = fake_transactions();
	KUNIT_EXPECT_EQ(test, set_priority(test, queue, xt->ids[0], 4), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, set_priority(test, queue, xt->ids[1], 3), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, set_priority(test, process, xt->process->nr, 3), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, set_class(test, xt->ids[1], KFD_XSCHED_CLASS_LOW), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, fake_transactions(), before);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 3);
	KUNIT_EXPECT_EQ(test, set_priority(test, queue, xt->ids[0], app), 0);
	KUNIT_EXPECT_EQ(test, set_class(test, xt->ids[0], KFD_XSCHED_CLASS_APP), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, app);
	recover(test);
}

/* A process that joins a tenant takes nothing there, and one that leaves gives back. */
static void joins_without_effect(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const long id = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);

	KUNIT_ASSERT_EQ(test, xt_do(test, a, OP(SET_PRIORITY), KFD_XSCHED_TARGET_TENANT, id, 3),
			0);
	set_limit(test, "1");
	fail_hold(test, a, xt->ids[0]);
	recover(test);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, id, xt->process->nr), 0);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, KFD_XSCHED_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_REMOVE, id, xt->process->nr),
			0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* A new queue of a process that is held elsewhere runs on a node that is open. */
static void new_queues_run(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_queue *there = fake_queue_add(test, xt->process, other), *fresh;
	struct file *a = xt->files[0];

	set_limit(test, "1");
	fail_hold(test, a, xt->ids[0]);
	recover(test);
	/* The node is left out, the other is not. */
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(SUSPEND), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 1);
	KUNIT_EXPECT_TRUE(test, there->held);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
	fresh = fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_FALSE(test, fresh->held);
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* What waited for its turn while the one before it failed does not go on. */
static void what_waits_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test), *c = xt_open(test);
	const struct kfd_xsched_entry priority = XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[2], 3);
	struct xt_call first, second, third;

	set_limit(test, "1");
	fake_hang(xt->node);
	xt_start_do(test, &first, a, OP(SUSPEND), KFD_XSCHED_TARGET_QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_do(test, &second, b, OP(SUSPEND), KFD_XSCHED_TARGET_QUEUE, xt->ids[1]);
	xt_start_entry(test, &third, c, &priority);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&second, 100));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "closed"), -EBUSY);
	fake_answer(xt->node, -ETIME);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &first), -ETIME);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &second), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &third), -ESHUTDOWN);
	recover(test);
	KUNIT_EXPECT_EQ(test, xt->queues[2]->override, KFD_XSCHED_PRIORITY_APP);
	KUNIT_EXPECT_EQ(test, xt_describe(test, b, xt->ids[1]).holders, 0);
}

/* Only what the firmware left unanswered counts, and only as often as was set. */
static void refusals_do_not_count(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	set_limit(test, "1");
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), -EIO);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	set_limit(test, "0");
	fail_hold(test, a, xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	KUNIT_EXPECT_STRNEQ(test, xt_sysfs_read(test, NODE "statistics/recent_failures"), "0\n");
	recover(test);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
}

/* Who is to blame if it was a queue of that process? The first one has failed before. */
static void fail_two_users(struct kunit *test, unsigned int uid)
{
	struct xs_hw_process *other = fake_process_add(test, uid);
	struct xs_hw_queue *queue = fake_queue_add(test, other, ((struct xt *)test->priv)->node);

	fake_queue_lose(((struct xt *)test->priv)->queues[0]);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	fake_queue_lose(queue);
}

/* Whose preemption it was does not matter: here it is nobody's in this module. */
static void two_users_open_it(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[1]), 0);
	fail_two_users(test, XT_UID + 1);
	KUNIT_EXPECT_TRUE(test, is_open(test));
	KUNIT_EXPECT_TRUE(test, xt_comes(!xt->queues[1]->held));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, "class/kfd_xsched/global/demoted", "all"), 0);
}

static void one_user_does_not(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_suspend(test, xt->files[0], xt->ids[1]), 0);
	fail_two_users(test, XT_UID);
	fake_queue_lose(xt->queues[2]);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/recent_failures"), "3\n");
	KUNIT_EXPECT_EQ(test, xt_resume(test, xt->files[0], xt->ids[1]), 0);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, "class/kfd_xsched/global/demoted", "all"), 0);
}

/* A queue that nobody knows, and a node that is gone, are nothing to go by. */
static void the_unknown_do_not_count(struct kunit *test)
{
	struct xs_hw_queue stranger = {};
	struct xt *xt = test->priv;

	xs_news->preempt_failed(xt->node, &stranger);
	xs_news->preempt_failed((struct xs_hw_node *)&stranger, NULL);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/recent_failures"), "0\n");
	xs_news->preempt_failed(xt->node, NULL);
	KUNIT_EXPECT_TRUE(test, is_open(test));
}

/* What is reset together has one breaker, which any of its nodes opens, shows and closes. */
static void nodes_share_it(struct kunit *test)
{
	static const char *const with = "class/kfd_xsched/node4661/breaker";
	static const char *const apart = "class/kfd_xsched/node4662/breaker";
	struct xt *xt = test->priv;
	struct xs_hw_node *mate = fake_node_add_with(test, XT_GPU + 1, FAKE_CAPS, xt->node);
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 2, FAKE_CAPS);
	struct xs_hw_queue *there = fake_queue_add(test, xt->process, mate);
	struct xs_hw_queue *apart_queue = fake_queue_add(test, xt->process, other);
	struct file *a = xt->files[0];

	KUNIT_ASSERT_EQ(test, xt_do(test, a, OP(SUSPEND), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	xt_subscribe(test, a, EVENTS, 0, 0);
	xs_news->preempt_failed(mate, NULL);
	KUNIT_EXPECT_TRUE(test, is_open(test));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, with), "open\n");
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, apart), "closed\n");
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, a).gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, a).gpu_id, XT_GPU + 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(!xt->queues[0]->held && !there->held));
	KUNIT_EXPECT_TRUE(test, apart_queue->held);
	/* Its own process is held there still. */
	KUNIT_EXPECT_EQ(test, xt_do(test, a, OP(RESUME), KFD_XSCHED_TARGET_PROCESS,
				    xt->process->nr, 0), 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_sysfs_write(test, NODE "breaker", "closed") != -EBUSY));
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, with), "closed\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, "class/kfd_xsched/node4661/breaker_failures",
					     "5"), 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "breaker_failures"), "5\n");
}

/* ---- who closes it ------------------------------------------------------- */

static u32 node_caps(struct kunit *test, u64 *shut_ns)
{
	struct kfd_xsched_node node = {};
	struct kfd_xsched_info info = {
		.size = sizeof(info),
		.node_capacity = 1,
		.node_stride = sizeof(node),
		.nodes = xt_alloc(test, sizeof(node)),
	};
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_ioctl_arg(test, xt->files[0], KFD_XSCHED_INFO, &info,
					   sizeof(info)), 0);
	xt_get(test, &node, info.nodes, sizeof(node));
	*shut_ns = node.shut_ns;
	return node.caps;
}

/* Not while the firmware has yet to recover; and then holds are possible again. */
static void is_closed_by_root(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	u64 shut_ns;

	xt_subscribe(test, a, EVENTS, 0, 0);
	set_limit(test, "1");
	KUNIT_EXPECT_EQ(test, node_caps(test, &shut_ns), FAKE_CAPS);
	KUNIT_EXPECT_EQ(test, shut_ns, 0);
	fail_hold(test, a, xt->ids[0]);
	expect_event(test, a, true);
	KUNIT_EXPECT_EQ(test, node_caps(test, &shut_ns),
			FAKE_CAPS & ~(KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP |
				      KFD_XSCHED_CAP_GRACE | KFD_XSCHED_CAP_PRIORITY |
				      KFD_XSCHED_CAP_CLASS));
	KUNIT_EXPECT_NE(test, shut_ns, 0);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "closed\n"), -EBUSY);
	KUNIT_EXPECT_TRUE(test, is_open(test));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "open"), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "0"), -EINVAL);
	recover(test);
	/* All runs, but the transaction that saw to it may not be over. */
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_sysfs_write(test, NODE "breaker", "closed") != -EBUSY));
	expect_event(test, a, false);
	KUNIT_EXPECT_FALSE(test, is_open(test));
	KUNIT_EXPECT_EQ(test, node_caps(test, &shut_ns), FAKE_CAPS);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/recent_failures"), "0\n");
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/breaker_openings"), "1\n");
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE "statistics/breaker_open_ms"), "0\n");
	/* What was dropped stays dropped. */
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
	/* One that is closed may be closed: its failures are forgotten. */
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "closed"), 0);
}

/* Retries have ended: a write asks the firmware once more, and the next one succeeds. */
static void closing_asks_the_firmware(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_suspend(test, xt->files[0], xt->ids[0]);
	set_limit(test, "1");
	xt->node->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_resume(test, xt->files[0], xt->ids[0]), -EIO);
	msleep(110 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "closed"), -EBUSY);
	xt->node->fail = 0;
	msleep(10 * MSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "breaker", "closed"), -EBUSY);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_sysfs_write(test, NODE "breaker", "closed") != -EBUSY));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(opens_at_the_limit),
	KUNIT_CASE(forgets_old_failures),
	KUNIT_CASE(zero_means_never),
	KUNIT_CASE(opens_at_the_highest_limit),
	KUNIT_CASE(takes_two_users),
	KUNIT_CASE(drops_all_holds),
	KUNIT_CASE(sets_no_priority),
	KUNIT_CASE(joins_without_effect),
	KUNIT_CASE(new_queues_run),
	KUNIT_CASE(what_waits_fails),
	KUNIT_CASE(refusals_do_not_count),
	KUNIT_CASE(two_users_open_it),
	KUNIT_CASE(one_user_does_not),
	KUNIT_CASE(the_unknown_do_not_count),
	KUNIT_CASE(nodes_share_it),
	KUNIT_CASE(is_closed_by_root),
	KUNIT_CASE(closing_asks_the_firmware),
	{}
};

static struct kunit_suite suite = {
	.name = "breaker",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);
