// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints report decisions, with usable ids. They are read as text, as perf and
 * trace-cmd do.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "files.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS

/* Nothing of the past is in the trace. */
static int init(struct kunit *test)
{
	const int ret = xt_init(test);
	struct file *file;

	if (ret)
		return ret;
	KUNIT_ASSERT_EQ(test, trace_set_clr_event("kfd_xsched", NULL, 1), 0);
	file = xt_open_in(test, "tracefs", "trace", O_WRONLY | O_TRUNC);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	__fput_sync(file);
	return 0;
}

static void finish(struct kunit *test)
{
	trace_set_clr_event("kfd_xsched", NULL, 0);
	xt_exit(test);
}

static u64 number_of(struct kunit *test, struct file *file)
{
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };

	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, file, KFD_XSCHED_RENEW, &arg,
					   sizeof(arg)), 0);
	return arg.client;
}

static const char *read_trace(struct kunit *test)
{
	const char *trace = xt_read_in(test, "tracefs", "trace");

	KUNIT_ASSERT_NOT_NULL(test, trace);
	return trace;
}

/* Another thread writes such a line. */
static void wait_for(struct kunit *test, const char *text)
{
	const char *trace = NULL;

	KUNIT_EXPECT_TRUE_MSG(test, xt_comes(({
		kunit_kfree(test, trace);
		trace = read_trace(test);
		xt_count(trace, text);
	})), "%s", text);
}

/* So many lines with that text. */
static void __printf(3, 4) expect(struct kunit *test, unsigned int times,
				  const char *format, ...)
{
	const char *trace = read_trace(test);
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (xt_count(trace, text) != times)
		KUNIT_FAIL(test, "%u times \"%s\", not %u, in:\n%s",
			   xt_count(trace, text), text, times, trace);
}

/* A client from open to close, with a hold in between: each step, once. */
static void hold_and_release(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	const u64 client = number_of(test, b), id = xt->ids[0];
	const int pid = xt->process->nr;

	expect(test, 1, "client_open: client=%llu pid=%d comm=%s\n", client,
	       task_tgid_nr(current), current->group_leader->comm);
	expect(test, 1, "client_renew: client=%llu ", client);
	xt_do(test, b, OP(UNMAP), QUEUE, id, 50);
	expect(test, 1, "switch_begin: node%u changes=1 grace_us=50\n", XT_GPU);
	expect(test, 1, "queue_off: node%u queue=%llu pid=%d queue_id=0\n", XT_GPU, id, pid);
	expect(test, 1, "hold: node%u client=%llu queue=%llu pid=%d queue_id=0\n", XT_GPU,
	       client, id, pid);
	expect(test, 1, "switch_end: node%u status=0 flips=1 fw_transactions=1 lock_ns=0 unmap_ns=1 map_ns=0 total_ns=",
	       XT_GPU);
	expect(test, 1, "apply: client=%llu entries=1 nodes=1 status=0 total_ns=", client);
	xt_resume(test, b, id);
	expect(test, 1, "queue_on: node%u queue=%llu ", XT_GPU, id);
	expect(test, 1, "release: node%u client=%llu queue=%llu ", XT_GPU, client, id);
	/* A change without effect is reported as requested, but not as done. */
	xt_resume(test, b, id);
	expect(test, 1, "apply: client=%llu entries=1 nodes=0 status=%d ", client, -EALREADY);
	expect(test, 2, "switch_begin: ");
	expect(test, 1, "release: ");
	xt_close(test, b);
	expect(test, 1, "client_close: client=%llu ", client);
}

/* What a client takes along as it goes is released, too. */
static void close_releases(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	xt_do(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 0);
	expect(test, 3, "hold: ");
	fake_queue_add(test, xt->process, xt->node);
	expect(test, 4, "hold: ");
	xt_close(test, b);
	expect(test, 4, "release: ");
	expect(test, 3, "queue_off: ");
	expect(test, 4, "queue_on: ");
}

static void priorities(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u64 client = number_of(test, a), id = xt->ids[0];

	xt_do(test, a, OP(SET_PRIORITY), QUEUE, id, 11);
	expect(test, 1, "set_priority: node%u client=%llu queue=%llu priority=11 class=%u\n",
	       XT_GPU, client, id, KFD_XSCHED_CLASS_APP);
	expect(test, 1, "queue_priority: node%u queue=%llu priority=11 class=%u override=11\n",
	       XT_GPU, id, KFD_XSCHED_CLASS_NORMAL);
	xt_do(test, a, OP(SET_PRIORITY), QUEUE, id, KFD_XSCHED_PRIORITY_APP);
	expect(test, 1, "queue_priority: node%u queue=%llu priority=%u class=%u override=-1\n",
	       XT_GPU, id, FAKE_APP_PRIORITY, KFD_XSCHED_CLASS_NORMAL);
}

static void queues_and_nodes(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *node = fake_node_add(test, 77, FAKE_CAPS);
	struct xs_hw_queue *queue = fake_queue_add(test, xt->process, node);

	expect(test, 1, "node_add: node77\n");
	expect(test, 1, "queue_add: node77 queue=%llu pid=%d queue_id=3\n",
	       xt->ids[2] + 1, xt->process->nr);
	xs_node_reset(node, false);
	xs_node_reset(node, true);
	expect(test, 1, "node_reset: node77 done=0\n");
	expect(test, 1, "node_reset: node77 done=1\n");
	fake_queue_remove(queue);
	fake_node_remove(node);
	expect(test, 1, "queue_del: node77 queue=%llu ", xt->ids[2] + 1);
	expect(test, 1, "node_del: node77\n");
}

/* A node that fails, and is tried again. */
static void retry(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_call call;

	/* What is tried again is not over before the trace was read. */
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	fake_answer_one(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	expect(test, 1, "switch_end: node%u status=%d ", XT_GPU, -EIO);
	expect(test, 1, "node_retry: node%u\n", XT_GPU);
	expect(test, 0, "hold: ");
	fake_answer(xt->node, 0);
	wait_for(test, " status=0 flips=");
	expect(test, 1, "switch_end: node%u status=0 ", XT_GPU);
}

/* The watchdog looks, and ejects; an administrator does; the switch for all. */
static void ejections(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);
	const u64 first = number_of(test, a), second = number_of(test, b);

	xs_watchdog_set_ms(50);
	xt_suspend(test, a, xt->ids[0]);
	wait_for(test, "client_eject: ");
	expect(test, 1, "watchdog: client=%llu silent_ns=", first);
	expect(test, 1, " ready_queue=%llu\n", xt->ids[0]);
	expect(test, 1, "client_eject: client=%llu pid=%d reason=watchdog silent_ns=", first,
	       task_tgid_nr(current));
	xs_eject_number(second);
	expect(test, 1, "client_eject: client=%llu pid=%d reason=admin ", second,
	       task_tgid_nr(current));
	xs_watchdog_set_ms(XS_WATCHDOG_MS_MAX);
	xt_suspend(test, xt_open(test), xt->ids[0]);
	xs_set_enabled(false);
	xs_set_enabled(true);
	expect(test, 1, "set_enabled: enabled=0\n");
	expect(test, 1, "set_enabled: enabled=1\n");
	expect(test, 1, "reason=disabled ");
}

/* Work comes and goes. */
static void activity(struct kunit *test)
{
	const u32 events = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |
		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE);
	const u64 full[2] = { 0, 1 }, empty[2] = { 1, 1 };
	struct xt *xt = test->priv;
	const unsigned long indices = xt_put(test, full, sizeof(full));
	const struct xs_hw_queue_desc desc = {
		.node = xt->node,
		.process = xt->process,
		.indices_count_packets = true,
		.read_index = (u64 __user *)indices,
		.write_index = (u64 __user *)(indices + 8),
	};

	fake_queue_add_desc(test, &desc);
	xt_subscribe(test, xt->files[0], events, 1000, 0);
	xt_wait_event(test, xt->files[0]);
	KUNIT_EXPECT_EQ(test, copy_to_user((void __user *)indices, empty, sizeof(empty)), 0);
	xt_wait_event(test, xt->files[0]);
	expect(test, 1, "queue_ready: node%u queue=%llu pid=%d queue_id=3\n", XT_GPU,
	       xt->ids[2] + 1, xt->process->nr);
	expect(test, 1, "queue_idle: node%u queue=%llu ", XT_GPU, xt->ids[2] + 1);
}

/* Who changes what is another user's, or tries to. One's own is nobody else's business. */
static void other_users(struct kunit *test)
{
	const int own = task_tgid_nr(current);
	struct xt *xt = test->priv;
	struct file *b = xt_open_as(test, XT_OTHER_UID);
	const int pid = xt->process->nr;

	xt_suspend(test, xt->files[0], xt->ids[0]);
	expect(test, 1, "other_user: by_pid=%d by_uid=0 pid=%d uid=%d raise=0 permitted=1\n", own,
	       pid, XT_UID);
	xt_do(test, xt->files[0], OP(SET_PRIORITY), QUEUE, xt->ids[0], 8);
	expect(test, 1, "other_user: by_pid=%d by_uid=0 pid=%d uid=%d raise=1 permitted=1\n", own,
	       pid, XT_UID);
	xt_become(test, XT_OTHER_UID);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, xt->ids[0]), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_list(test, b), 0);
	xt_unbecome(test);
	expect(test, 1, "other_user: by_pid=%d by_uid=%d pid=%d uid=%d raise=0 permitted=0\n", own,
	       XT_OTHER_UID, pid, XT_UID);
	xt_become(test, XT_UID);
	xt_do(test, xt->files[1], OP(SUSPEND), PROCESS, pid, 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[1], OP(SET_PRIORITY), QUEUE, xt->ids[0], 9),
			-EPERM);
	xt_unbecome(test);
	expect(test, 3, "other_user: ");
}

/* No line has what looks like an address, or like one that was hashed. */
static void no_pointers(struct kunit *test)
{
	struct xt *xt = test->priv;
	const char *trace;

	xt_do(test, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr, 0);
	xt_do(test, xt->files[0], OP(RESUME), PROCESS, xt->process->nr, 0);
	trace = xt_read_in(test, "tracefs", "trace");
	KUNIT_EXPECT_GT(test, xt_count(trace, "node4660"), 6);
	KUNIT_EXPECT_NULL(test, strstr(trace, "0x"));
	KUNIT_EXPECT_NULL(test, strstr(trace, "00000000"));
	KUNIT_EXPECT_NULL(test, strstr(trace, "ptrval"));
}

/* When a process is parked, and why it comes back. */
static void park_and_ring(struct kunit *test)
{
	const u32 caps = FAKE_CAPS | KFD_XSCHED_CAP_TAP | KFD_XSCHED_CAP_PARK;
	struct xs_hw_node *node = fake_node_add(test, XT_GPU + 1, caps);
	struct xs_hw_process *process = fake_process_add(test, XT_UID);
	struct xt *xt = test->priv;
	char text[64];

	xt_add_watched_on(test, process, node, 0);
	KUNIT_EXPECT_EQ(test, xt_park(test, xt->files[0], KFD_XSCHED_PARK_SET, process->nr,
				      KFD_XSCHED_PARK_MS_MIN), 0);
	snprintf(text, sizeof(text), " park: pid=%d idle_ns=", process->nr);
	wait_for(test, text);
	/* Once is enough. */
	KUNIT_EXPECT_EQ(test, xt_park(test, xt->files[0], KFD_XSCHED_PARK_SET, process->nr,
				      KFD_XSCHED_PARK_MS_MAX), 0);
	fake_ring(process, node);
	snprintf(text, sizeof(text), " unpark: pid=%d why=ring lasted_ns=", process->nr);
	wait_for(test, text);
	expect(test, 1, " unpark: ");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(hold_and_release),
	KUNIT_CASE(close_releases),
	KUNIT_CASE(priorities),
	KUNIT_CASE(queues_and_nodes),
	KUNIT_CASE(retry),
	KUNIT_CASE(ejections),
	KUNIT_CASE(activity),
	KUNIT_CASE(other_users),
	KUNIT_CASE(no_pointers),
	KUNIT_CASE(park_and_ring),
	{}
};

static struct kunit_suite suite = {
	.name = "trace",
	.init = init,
	.exit = finish,
	.test_cases = cases,
};

kunit_test_suite(suite);
