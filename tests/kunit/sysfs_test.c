// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files for administrators: limits, counters, and the directory of a queue.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"
#include "front/client.h"
#include "model/node.h"
#include "model/park.h"
#include "watch/watch.h"
#include "watched.h"
#include "core.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define APP		KFD_XSCHED_PRIORITY_APP
#define NODE		"class/kfd_xsched/node4660/"
#define DIR		"xt_queue/xsched/"
#define PERIOD_TRIES	10

static struct kobject *parent;

static int init(struct kunit *test)
{
	parent = kobject_create_and_add("xt_queue", NULL);
	KUNIT_ASSERT_NOT_NULL(test, parent);
	return xt_init(test);
}

static void finish(struct kunit *test)
{
	xt_exit(test);
	/* Nobody else has a reference: what is below must be gone. */
	KUNIT_EXPECT_EQ(test, kref_read(&parent->kref), 1);
	kobject_put(parent);
}

/* ---- limits -------------------------------------------------------------- */

/**
 * struct limit - a file with limits
 * @dir: of the device
 * @name: of the file
 * @least: what is legal
 * @most: likewise
 * @initial: what it is at first
 */
struct limit {
	const char *dir;
	const char *name;
	u32 least;
	u32 most;
	u32 initial;
};

static const struct limit limits[] = {
	{ XT_GLOBAL, "watchdog_ms", XS_WATCHDOG_MS_MIN, XS_WATCHDOG_MS_MAX, 2000 },
	{ XT_GLOBAL, "sample_period_us", KFD_XSCHED_SAMPLE_US_MIN,
	  KFD_XSCHED_SAMPLE_US_MAX, XS_SAMPLE_PERIOD_US },
	{ XT_GLOBAL, "tap_idle_us", 0, XS_TAP_IDLE_US_MAX, XS_TAP_IDLE_US },
	{ XT_GLOBAL, "waves_percent", 0, XS_WAVES_PERCENT_MAX, XS_WAVES_PERCENT },
	{ NODE, "default_grace_us", 0, FAKE_MAX_GRACE_US, XS_DEFAULT_GRACE_US },
	{ NODE, "park_ms", 0, KFD_XSCHED_PARK_MS_MAX, XS_PARK_MS },
	{ NODE, "park_batch_ms", XS_PARK_BATCH_MS_MIN, XS_PARK_BATCH_MS_MAX, XS_PARK_BATCH_MS },
	{ NODE, "user_rate", 0, XS_RATE_MAX, XS_USER_RATE },
	{ NODE, "user_burst", XS_BURST_MIN, XS_BURST_MAX, XS_USER_BURST },
	{ NODE, "admin_rate", 0, XS_RATE_MAX, XS_ADMIN_RATE },
	{ NODE, "admin_burst", XS_BURST_MIN, XS_BURST_MAX, XS_ADMIN_BURST },
	{ NODE, "breaker_failures", 0, XS_BREAKER_FAILURES_MAX, XS_BREAKER_FAILURES },
	{ NODE, "breaker_window_s", XS_BREAKER_WINDOW_S_MIN, XS_BREAKER_WINDOW_S_MAX,
	  XS_BREAKER_WINDOW_S },
};

static void limit_name(const struct limit *limit, char *name)
{
	strscpy(name, limit->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limit, limits, limit_name);

static void expect_number(struct kunit *test, const struct limit *limit,
			  const char *before, const char *after, u32 value)
{
	char path[96], wanted[16];
	const char *text;

	snprintf(path, sizeof(path), "%s%s%s%s", limit->dir, before, limit->name, after);
	snprintf(wanted, sizeof(wanted), "%u\n", value);
	text = xt_sysfs_read(test, path);
	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", path);
	KUNIT_EXPECT_STREQ_MSG(test, text, wanted, "%s", path);
}

static int write_number(struct kunit *test, const struct limit *limit, s64 value)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), "%s%s", limit->dir, limit->name);
	snprintf(text, sizeof(text), "%lld\n", value);
	return xt_sysfs_write(test, path, text);
}

/* Each limit says what is legal; within it is in effect, outside it is EINVAL. */
static void legal_values(struct kunit *test)
{
	static const char *const nonsense[] = { "\n", "x", "1 2", "0x100", "1.5", "--" };
	const struct limit *limit = test->param_value;
	char path[96];
	unsigned int i;

	/* Not that of xt_init(); see stop_with_live_queue(). */
	xs_watchdog_set_ms(XS_WATCHDOG_MS);
	expect_number(test, limit, "", "", limit->initial);
	expect_number(test, limit, "", "_min", limit->least);
	expect_number(test, limit, "", "_max", limit->most);
	expect_number(test, limit, ".defaults/", "", limit->initial);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, limit->least), 0);
	expect_number(test, limit, "", "", limit->least);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, limit->most), 0);
	expect_number(test, limit, "", "", limit->most);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, (s64)limit->least - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, (s64)limit->most + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, 1LL << 32), -EINVAL);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, S64_MIN), -EINVAL);
	snprintf(path, sizeof(path), "%s%s", limit->dir, limit->name);
	for (i = 0; i < ARRAY_SIZE(nonsense); i++)
		KUNIT_EXPECT_EQ_MSG(test, xt_sysfs_write(test, path, nonsense[i]), -EINVAL,
				    "%s", nonsense[i]);
	expect_number(test, limit, "", "", limit->most);
	expect_number(test, limit, ".defaults/", "", limit->initial);
	KUNIT_EXPECT_EQ(test, write_number(test, limit, limit->initial), 0);
}

/* What says what is legal cannot be written, even by root. */
static void locked_limits(struct kunit *test)
{
	static const char *const forms[] = { "%s%s_min", "%s%s_max", "%s.defaults/%s" };
	const struct limit *limit = test->param_value;
	char path[96];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		snprintf(path, sizeof(path), forms[i], limit->dir, limit->name);
		KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, path, "1"), -EACCES);
	}
}

/* Root opened the file, but the writer has no capability. */
static void writer_counts(struct kunit *test)
{
	static const char *const names[] = {
		"watchdog_ms", "sample_period_us", "tap_idle_us", "waves_percent", "enabled",
		"eject"
	};
	struct file *files[ARRAY_SIZE(names)];
	char path[96];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), XT_GLOBAL "%s", names[i]);
		files[i] = xt_open_in(test, "sysfs", path, O_WRONLY);
		KUNIT_ASSERT_FALSE(test, IS_ERR(files[i]));
	}
	xt_become(test, XT_UID);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		KUNIT_EXPECT_EQ(test, xt_file_write(files[i], "100"), -EPERM);
	xt_unbecome(test);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		__fput_sync(files[i]);
	KUNIT_EXPECT_EQ(test, xs_watchdog_ms(), XS_WATCHDOG_MS_MAX);
	KUNIT_EXPECT_TRUE(test, xs_enabled());
}

/* ---- what they do -------------------------------------------------------- */

/* Microseconds of grace of the next UNMAPs, one on each of two queues. */
static u32 grace_of(struct kunit *test, s32 first, s32 second)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(UNMAP, QUEUE, xt->ids[0], first),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], second),
	};

	KUNIT_EXPECT_EQ(test, xt_apply(test, xt->files[0], entries, 2), 0);
	xt_do(test, xt->files[0], OP(RESUME), PROCESS, xt->process->nr, 0);
	xt_apply(test, xt->files[0], entries, 2);
	first = xt->node->last_grace_us;
	xt_do(test, xt->files[0], OP(RESUME), PROCESS, xt->process->nr, 0);
	return first;
}

/* An UNMAP that leaves it open gets the node's grace; others have their own. */
static void default_grace(struct kunit *test)
{
	const s32 open = KFD_XSCHED_GRACE_DEFAULT;
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, grace_of(test, open, open), XS_DEFAULT_GRACE_US);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "default_grace_us", "77"), 0);
	KUNIT_EXPECT_EQ(test, grace_of(test, open, open), 77);
	KUNIT_EXPECT_EQ(test, grace_of(test, open, 50), 50);
	KUNIT_EXPECT_EQ(test, grace_of(test, 0, open), 0);
	xt_suspend(test, xt->files[0], xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt->node->last_grace_us, 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(UNMAP), QUEUE, xt->ids[1],
				    open - 1), -EINVAL);
}

/* One look, and no other for a second, unless the period becomes shorter meanwhile. */
static bool shorter_in_time(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u64 next = ktime_get_ns() + NSEC_PER_SEC;
	struct kfd_xsched_event event;
	long early;

	KUNIT_EXPECT_EQ(test, xt_subscribe(test, a, XT_ACTIVITY, 0, 0), 0);
	xt_expect_event(test, a, w, XT_READY);
	xt_set_indices(test, w, 1, 1);
	msleep(100);
	early = xt_read(test, a);
	if (ktime_get_ns() >= next)
		return false;
	KUNIT_EXPECT_EQ(test, early, -EAGAIN);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "sample_period_us", "500"), 0);
	event = xt_wait_event(test, a);
	KUNIT_EXPECT_EQ(test, event.type, XT_IDLE);
	return event.time_ns < next;
}

/* A client that leaves it open is sampled as the administrator says, at once. */
static void sample_period(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w;
	bool good = false;
	unsigned int i;

	/* Again, if the machine stood still for that second. */
	for (i = 0; i < PERIOD_TRIES && !good; i++) {
		KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "sample_period_us",
						     "1000000"), 0);
		w = xt_add_watched(test, 1);
		good = shorter_in_time(test, &w);
		xt_subscribe(test, xt->files[0], 0, 0, 0);
		fake_queue_remove(w.queue);
		while (xt_read(test, xt->files[0]) > 0)
			;
	}
	KUNIT_EXPECT_TRUE(test, good);
}

static void expect_text(struct kunit *test, const char *path, const char *wanted)
{
	const char *text = xt_sysfs_read(test, path);

	KUNIT_ASSERT_NOT_NULL_MSG(test, text, "%s", path);
	KUNIT_EXPECT_STREQ_MSG(test, text, wanted, "%s", path);
}

/* Ejecting by file: by number, by process, and what is neither. */
static void eject(struct kunit *test)
{
	static const char *const nonsense[] = { "0", "-1", "x", "pid", "pid 0", "pid -1",
						"pid x", "1 2", "" };
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };
	char text[32];
	unsigned int i;

	xt_suspend(test, b, xt->ids[0]);
	for (i = 0; i < ARRAY_SIZE(nonsense) - 1; i++)
		KUNIT_EXPECT_EQ_MSG(test, xt_sysfs_write(test, XT_GLOBAL "eject", nonsense[i]),
				    -EINVAL, "%s", nonsense[i]);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "eject", "999999999"), -ESRCH);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "eject", "pid 4000000"), -ESRCH);
	expect_text(test, XT_GLOBAL "statistics/clients", "2\n");
	expect_text(test, XT_GLOBAL "statistics/held", "1\n");
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, b, KFD_XSCHED_RENEW, &arg, sizeof(arg)), 0);
	snprintf(text, sizeof(text), "%llu\n", arg.client);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "eject", text), 0);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
	expect_text(test, XT_GLOBAL "statistics/held", "0\n");
	expect_text(test, XT_GLOBAL "statistics/ejected_admin", "1\n");
	expect_text(test, XT_GLOBAL "statistics/ejected_watchdog", "0\n");
	snprintf(text, sizeof(text), "pid %d", task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "eject", text), 0);
	expect_text(test, XT_GLOBAL "statistics/ejected_admin", "2\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "eject", text), -ESRCH);
	/* It is to be written, not read. */
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, XT_GLOBAL "eject"));
}

/* The switch for everything. */
static void enabled(struct kunit *test)
{
	struct xt *xt = test->priv;

	expect_text(test, XT_GLOBAL "enabled", "1\n");
	xt_suspend(test, xt->files[0], xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "2"), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "0\n"), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	expect_text(test, XT_GLOBAL "enabled", "0\n");
	expect_text(test, XT_GLOBAL "statistics/ejected_disabled", "1\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "0"), 0);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "1"), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt_open(test), xt->ids[0]), 0);
}

/* How many there are in a histogram: the second number of each line. */
static u64 counted(struct kunit *test, const char *path)
{
	const char *at = xt_sysfs_read(test, path);
	u64 sum = 0, floor, count;

	KUNIT_ASSERT_NOT_NULL_MSG(test, at, "%s", path);
	for (; *at; at = strchr(at, '\n') + 1) {
		const int numbers = sscanf(at, "%llu %llu\n", &floor, &count);

		KUNIT_ASSERT_EQ(test, numbers, 2);
		sum += count;
	}
	return sum;
}

/* A node's device comes and goes with it, and counts what was done. */
static void node(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *second = fake_node_add(test, 77, KFD_XSCHED_CAP_SUSPEND);
	struct xt_call call;

	expect_text(test, NODE "gpu_id", "4660\n");
	expect_text(test, NODE "backend", "hws\n");
	expect_text(test, NODE "statistics/queues", "3\n");
	expect_text(test, NODE "statistics/switches", "0\n");
	expect_text(test, NODE "latency/total", "");
	expect_text(test, "class/kfd_xsched/node77/default_grace_us", "0\n");
	expect_text(test, "class/kfd_xsched/node77/default_grace_us_max", "0\n");
	xt_suspend(test, xt->files[0], xt->ids[0]);
	/* It fails, and when it is tried again it is not over before all was read. */
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[1]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	fake_answer_one(xt->node, -EIO);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EIO);
	expect_text(test, NODE "statistics/switches", "2\n");
	expect_text(test, NODE "statistics/failures", "1\n");
	expect_text(test, NODE "statistics/transactions", "1\n");
	expect_text(test, NODE "statistics/flips", "1\n");
	/* The fake takes one nanosecond for that, and none for the rest. */
	expect_text(test, NODE "latency/unmap", "0 1\n");
	expect_text(test, NODE "latency/lock", "0 1\n");
	KUNIT_EXPECT_EQ(test, counted(test, NODE "latency/total"), 2);
	fake_node_remove(second);
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, "class/kfd_xsched/node77/gpu_id"));
	fake_answer(xt->node, 0);
}

/* ---- the directory of a queue -------------------------------------------- */

static struct xs_hw_queue *add_queue(struct kunit *test, struct xs_hw_process *process)
{
	struct xt *xt = test->priv;
	const struct xs_hw_queue_desc desc = {
		.node = xt->node,
		.process = process,
		.kobj = parent,
	};
	struct xs_hw_queue *queue = fake_queue_add_desc(test, &desc);

	KUNIT_ASSERT_NOT_NULL(test, queue);
	return queue;
}

static u64 last_id(struct kunit *test)
{
	struct xt *xt = test->priv;

	return xt->list[xt_list(test, xt->files[0]) - 1].id;
}

/* What is to be read of a queue, free and held. */
static void queue_files(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	const u64 id = last_id(test);
	char holder[64];

	expect_text(test, DIR "priority", "5\n");
	expect_text(test, DIR "class", "normal\n");
	expect_text(test, DIR "state", "active\n");
	expect_text(test, DIR "holder", "");
	expect_text(test, DIR "held_us", "0\n");
	expect_text(test, DIR "preemptions", "0\n");
	xt_suspend(test, b, id);
	msleep(20);
	xt_ioctl_arg(test, b, KFD_XSCHED_RENEW, &arg, sizeof(arg));
	snprintf(holder, sizeof(holder), "%llu %d %s\n", arg.client,
		 task_tgid_nr(current), current->group_leader->comm);
	expect_text(test, DIR "holder", holder);
	expect_text(test, DIR "state", "held\n");
	expect_text(test, DIR "preemptions", "1\n");
	KUNIT_EXPECT_GT(test, strlen(xt_sysfs_read(test, DIR "held_us")), 5);
	xt_resume(test, b, id);
	expect_text(test, DIR "holder", "");
	queue->reasons = KFD_XSCHED_QUEUE_EVICTED | KFD_XSCHED_QUEUE_RESET;
	expect_text(test, DIR "state", "evicted reset\n");
	fake_queue_remove(queue);
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, DIR "priority"));
}

/* What LIST does not show to a user, the files do not, either. */
static void queue_files_of_others(struct kunit *test)
{
	static const char *const names[] = {
		DIR "priority", DIR "class", DIR "state", DIR "holder", DIR "held_us",
		DIR "preemptions",
	};
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	struct file *file;
	char text[64];
	unsigned int i;

	xt_suspend(test, xt->files[0], last_id(test));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		file = xt_open_in(test, "sysfs", names[i], O_RDONLY);
		KUNIT_ASSERT_FALSE(test, IS_ERR(file));
		xt_become(test, XT_OTHER_UID);
		KUNIT_EXPECT_EQ_MSG(test, xt_file_read(file, text, sizeof(text)), -EPERM, "%s",
				    names[i]);
		xt_unbecome(test);
		xt_become(test, XT_UID);
		KUNIT_EXPECT_GT_MSG(test, xt_file_read(file, text, sizeof(text)), 0, "%s",
				    names[i]);
		xt_unbecome(test);
		__fput_sync(file);
	}
	fake_queue_remove(queue);
}

/* A priority that is written is in effect until "app" is written. */
static void write_priority(struct kunit *test)
{
	static const char *const nonsense[] = { "16", "-1", "-2", "x", "7 ", "apps", "none" };
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	const u64 id = last_id(test);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "11\n"), 0);
	KUNIT_EXPECT_EQ(test, queue->override, 11);
	expect_text(test, DIR "priority", "11\n");
	for (i = 0; i < ARRAY_SIZE(nonsense); i++)
		KUNIT_EXPECT_EQ_MSG(test, xt_sysfs_write(test, DIR "priority", nonsense[i]),
				    -EINVAL, "%s", nonsense[i]);
	KUNIT_EXPECT_EQ(test, queue->override, 11);
	/* The latest override is in effect, of any client. */
	xt_do(test, xt->files[0], OP(SET_PRIORITY), QUEUE, id, 2);
	expect_text(test, DIR "priority", "2\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "3"), 0);
	xt_do(test, xt->files[0], OP(SET_PRIORITY), QUEUE, id, APP);
	expect_text(test, DIR "priority", "3\n");
	/* What the application sets meanwhile is in effect once nobody overrides it. */
	WRITE_ONCE(queue->desc.priority, 6);
	expect_text(test, DIR "priority", "3\n");
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], id).priority, 3);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "app\n"), 0);
	expect_text(test, DIR "priority", "6\n");
	WRITE_ONCE(queue->desc.priority, FAKE_APP_PRIORITY);
	expect_text(test, DIR "priority", __stringify(FAKE_APP_PRIORITY) "\n");
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], id).priority,
			FAKE_APP_PRIORITY);
	KUNIT_EXPECT_EQ(test, queue->override, APP);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "app"), 0);
	/* It goes with the queue. */
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "9"), 0);
	fake_queue_remove(queue);
}

/* The same for the class, which not every queue has. */
static void write_class(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);

	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "high\n"), 0);
	KUNIT_EXPECT_EQ(test, queue->level, KFD_XSCHED_CLASS_HIGH - KFD_XSCHED_CLASS_LOW);
	expect_text(test, DIR "class", "high\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "none"), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "3"), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "low"), 0);
	expect_text(test, DIR "class", "low\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "app"), 0);
	KUNIT_EXPECT_EQ(test, queue->level, XS_PRIORITY_APP);
	fake_queue_remove(queue);
	xt->node = fake_node_add(test, 77, FAKE_CAPS & ~KFD_XSCHED_CAP_CLASS);
	queue = add_queue(test, xt->process);
	expect_text(test, DIR "class", "none\n");
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "class", "low"), -EOPNOTSUPP);
}

/* A writer has the permissions of APPLY, whatever user opened the file. */
static void write_permission(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	struct file *priority = xt_open_in(test, "sysfs", DIR "priority", O_WRONLY);
	struct file *prio_class = xt_open_in(test, "sysfs", DIR "class", O_WRONLY);

	KUNIT_ASSERT_FALSE(test, IS_ERR(priority) || IS_ERR(prio_class));
	xt_become(test, XT_OTHER_UID);
	KUNIT_EXPECT_EQ(test, xt_file_write(priority, "3"), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_file_write(prio_class, "low"), -EPERM);
	xt_unbecome(test);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_file_write(priority, "8"), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_file_write(prio_class, "medium"), -EPERM);
	KUNIT_EXPECT_EQ(test, queue->override, APP);
	KUNIT_EXPECT_EQ(test, xt_file_write(priority, "3"), 0);
	KUNIT_EXPECT_EQ(test, queue->override, 3);
	/* He cannot open it, of course. */
	xt_unbecome(test);
	__fput_sync(priority);
	__fput_sync(prio_class);
	xt_sysfs_write(test, DIR "priority", "app");
}

/* A writer without capability pays as for any APPLY, and one with it does not. */
static void writer_pays(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	struct file *file = xt_open_in(test, "sysfs", DIR "priority", O_WRONLY);

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "user_burst", "1"), 0);
	/* What was before, as the queue, is forgotten. */
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE "user_rate", "1"), 0);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "3"), 0);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "4"), -EBUSY);
	KUNIT_EXPECT_EQ(test, queue->override, 3);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "app"), 0);
	KUNIT_EXPECT_EQ(test, queue->override, APP);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "4"), 0);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "5"), 0);
	KUNIT_EXPECT_EQ(test, xt_file_write(file, "app"), 0);
	__fput_sync(file);
}

/* Disabling takes what was written back, too. */
static void write_disabled(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);

	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "3"), 0);
	xs_set_enabled(false);
	KUNIT_EXPECT_EQ(test, queue->override, APP);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "3"), -ECANCELED);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "app"), 0);
	xs_set_enabled(true);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "3"), 0);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, DIR "priority", "app"), 0);
}

/* Reads a file repeatedly, until it is stopped. */
static int read_all_the_time(void *data)
{
	static const char *const names[] = {
		DIR "priority", DIR "class", DIR "state", DIR "holder", DIR "held_us",
		NODE "statistics/queues", NODE "latency/total",
	};
	struct kunit *test = data;
	unsigned int i = 0;

	while (!kthread_should_stop()) {
		const char *name = names[i++ % ARRAY_SIZE(names)];
		struct file *file = xt_open_in(test, "sysfs", name, O_RDONLY);
		char text[64];

		if (IS_ERR(file))
			continue;
		xt_file_read(file, text, sizeof(text));
		__fput_sync(file);
		usleep_range(10, 100);
	}
	return 0;
}

/* Queues come and go, are held and prioritised, while somebody reads. */
static void readers(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct task_struct *tasks[2];
	struct xs_hw_queue *queue;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(read_all_the_time, test, "xt-reader");
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
	for (i = 0; i < 200; i++) {
		queue = add_queue(test, xt->process);
		xt_suspend(test, xt->files[0], last_id(test));
		xt_sysfs_write(test, DIR "priority", i & 1 ? "3" : "12");
		fake_queue_remove(queue);
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 3);
}

/**
 * struct writer - a write in a thread of its own
 * @file: to what
 * @ret: what became of it
 */
struct writer {
	struct file *file;
	int ret;
};

static void write_once(void *data)
{
	struct writer *writer = data;

	writer->ret = xt_file_write(writer->file, "3");
}

static void remove_queue(void *queue)
{
	fake_queue_remove(queue);
}

/* A queue goes while a write to it waits for the firmware: it waits, too. */
static void removal_waits(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_queue *queue = add_queue(test, xt->process);
	struct file *open = xt_open_in(test, "sysfs", DIR "state", O_RDONLY);
	struct writer writer = {
		.file = xt_open_in(test, "sysfs", DIR "priority", O_WRONLY),
	};
	struct xt_call write, removal;
	char text[64];

	KUNIT_ASSERT_FALSE(test, IS_ERR(open) || IS_ERR(writer.file));
	fake_hang(xt->node);
	xt_start_fn(test, &write, write_once, &writer);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_start_fn(test, &removal, remove_queue, queue);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&removal, 60));
	fake_answer(xt->node, 0);
	xt_call_wait(test, &removal);
	xt_call_wait(test, &write);
	KUNIT_EXPECT_EQ(test, writer.ret, 0);
	/* What was opened before finds nothing any more. */
	KUNIT_EXPECT_EQ(test, xt_file_read(open, text, sizeof(text)), -ENODEV);
	KUNIT_EXPECT_EQ(test, xt_file_write(writer.file, "3"), -ENODEV);
	__fput_sync(open);
	__fput_sync(writer.file);
}

static struct kunit *stopping_test;

/*
 * A queue that goes after this point is not reported: then nothing may be below
 * its directory. One that comes until then has nothing there.
 */
static void while_stopping(void)
{
	struct kunit *test = stopping_test;
	struct xt *xt = test->priv;

	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, DIR "state"));
	add_queue(test, xt->process);
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, DIR "state"));
	KUNIT_EXPECT_EQ(test, kref_read(&parent->kref), 1);
}

/* The core goes down with queues alive: their directories go first. */
static void stop_with_live_queue(struct kunit *test)
{
	struct xt *xt = test->priv;

	add_queue(test, xt->process);
	KUNIT_EXPECT_NOT_NULL(test, xt_sysfs_read(test, DIR "state"));
	xt_close(test, xt->files[0]);
	stopping_test = test;
	fake_on_stop = while_stopping;
	xs_core_stop();
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, DIR "state"));
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, NODE "gpu_id"));
	KUNIT_EXPECT_NULL(test, xt_sysfs_read(test, XT_GLOBAL "enabled"));
	fake_remove_all();
	fake_reset();
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	expect_text(test, XT_GLOBAL "watchdog_ms", "2000\n");
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(legal_values, limit_gen_params),
	KUNIT_CASE_PARAM(locked_limits, limit_gen_params),
	KUNIT_CASE(writer_counts),
	KUNIT_CASE(default_grace),
	KUNIT_CASE(sample_period),
	KUNIT_CASE(eject),
	KUNIT_CASE(enabled),
	KUNIT_CASE(node),
	KUNIT_CASE(queue_files),
	KUNIT_CASE(queue_files_of_others),
	KUNIT_CASE(write_priority),
	KUNIT_CASE(write_class),
	KUNIT_CASE(write_permission),
	KUNIT_CASE(writer_pays),
	KUNIT_CASE(write_disabled),
	KUNIT_CASE_SLOW(readers),
	KUNIT_CASE(removal_waits),
	KUNIT_CASE(stop_with_live_queue),
	{}
};

static struct kunit_suite suite = {
	.name = "sysfs",
	.init = init,
	.exit = finish,
	.test_cases = cases,
};

kunit_test_suite(suite);
