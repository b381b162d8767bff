// SPDX-License-Identifier: GPL-2.0-only
/*
 * Armed switches: what ARM takes and refuses, when they run, and what ends them.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "files.h"
#include "watched.h"

#define PERIOD_US	1000
#define EVENTS		(XT_ACTIVITY | KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED))
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define TENANT		KFD_XSCHED_TARGET_TENANT
#define MOST		KFD_XSCHED_MAX_ARMED_ENTRIES

/* The one with work now and then, and its queue; xt.process is the one in its way. */
static struct xs_hw_process *high;
static struct xt_watched work;
static u64 done;

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

static struct xt *state_of(struct kunit *test)
{
	return test->priv;
}

static int init(struct kunit *test)
{
	const int ret = xt_init(test);

	if (ret)
		return ret;
	high = fake_process_add(test, XT_UID);
	work = xt_add_watched_on(test, high, state_of(test)->node, 0);
	done = 0;
	return 0;
}

static void arm_exit(struct kunit *test)
{
	xs_watchdog_set_ms(XS_WATCHDOG_MS);
	xs_set_enabled(true);
	xt_exit(test);
}

static void get_work(struct kunit *test)
{
	xt_set_indices(test, &work, done, done + 1);
}

static void finish_work(struct kunit *test)
{
	done++;
	xt_set_indices(test, &work, done, done);
}

/* The argument and its entries, as they come back. */
static struct kfd_xsched_arm last;
static struct kfd_xsched_entry back[MOST];

/* SET: the id, which is small, or -errno. */
static long arm(struct kunit *test, struct file *file, u32 trigger, u64 trigger_id,
		const struct kfd_xsched_entry *entries, u32 count)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used, size = count * sizeof(*entries);
	long ret;

	last = (struct kfd_xsched_arm){
		.size = sizeof(last),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = trigger,
		.trigger_id = trigger_id,
		.count = count,
		.stride = sizeof(*entries),
		.entries = xt_put(test, entries, size),
	};
	ret = xt_ioctl_arg(test, file, KFD_XSCHED_ARM, &last, sizeof(last));
	xt_get(test, back, last.entries, size);
	xt->used = used;
	return ret ?: (long)last.id;
}

/* The same: when @high has work, suspend xt.process. */
static long arm_one(struct kunit *test, struct file *file)
{
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, PROCESS, state_of(test)->process->nr, 0);

	return arm(test, file, PROCESS, high->nr, &entry, 1);
}

static long clear_with(struct kunit *test, struct file *file, u64 id, u32 flags)
{
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.flags = flags,
		.op = KFD_XSCHED_ARM_CLEAR,
		.id = id,
	};

	return xt_ioctl_arg(test, file, KFD_XSCHED_ARM, &arg, sizeof(arg));
}

static long clear(struct kunit *test, struct file *file, u64 id)
{
	return clear_with(test, file, id, 0);
}

static void expect_low(struct kunit *test, bool held)
{
	const struct xt *xt = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xt->queues); i++)
		xt_expect_held(test, xt->queues[i], held);
}

/* Time in which a switch would have run. */
static void expect_low_stays(struct kunit *test, bool held)
{
	msleep(30);
	KUNIT_EXPECT_EQ(test, state_of(test)->queues[0]->held, held);
}

/* The next ARMED of the switch. */
static struct kfd_xsched_event wait_armed(struct kunit *test, struct file *file, u64 id)
{
	struct kfd_xsched_event event;

	do
		event = xt_wait_event(test, file);
	while (event.type != U32_MAX &&
	       (event.type != KFD_XSCHED_EVENT_ARMED || event.id != id));
	KUNIT_EXPECT_EQ(test, event.type, KFD_XSCHED_EVENT_ARMED);
	return event;
}

static void expect_armed(struct kunit *test, struct file *file, u64 id, bool ready,
			 u32 flips, int error)
{
	const struct kfd_xsched_event event = wait_armed(test, file, id);

	KUNIT_EXPECT_EQ(test, !!(event.data & KFD_XSCHED_ARMED_READY), ready);
	KUNIT_EXPECT_EQ(test, event.queue_id, flips);
	KUNIT_EXPECT_EQ(test, KFD_XSCHED_ARMED_ERRNO(event.data), error);
	KUNIT_EXPECT_EQ(test, event.gpu_id, error == EIO ? XT_GPU : 0);
}

/* ---- runs ---------------------------------------------------------------- */

/* READY runs it, IDLE undoes it, again and again, in one transaction each. */
static void runs_and_is_undone(struct kunit *test)
{
	struct file *a = client(test);
	unsigned int i;
	long id;

	xt_subscribe(test, a, EVENTS, PERIOD_US, 0);
	id = arm_one(test, a);
	KUNIT_ASSERT_EQ(test, id, 1);
	expect_low_stays(test, false);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	for (i = 0; i < 3; i++) {
		get_work(test);
		expect_low(test, true);
		expect_armed(test, a, id, true, 3, 0);
		KUNIT_EXPECT_EQ(test, fake_transactions(), 2 * i + 1);
		KUNIT_EXPECT_TRUE(test, state_of(test)->process->hold_new);
		finish_work(test);
		expect_low(test, false);
		expect_armed(test, a, id, false, 3, 0);
		KUNIT_EXPECT_FALSE(test, state_of(test)->process->hold_new);
	}
	KUNIT_EXPECT_EQ(test, fake_transactions(), 6);
}

/* Set while the trigger has work: it runs at once; CLEAR undoes it as it returns. */
static void runs_at_once(struct kunit *test)
{
	struct file *a = client(test);
	long id;

	get_work(test);
	xt_subscribe(test, a, EVENTS, PERIOD_US, 0);
	xt_expect_event(test, a, &work, XT_READY);
	id = arm_one(test, a);
	expect_low(test, true);
	expect_armed(test, a, id, true, 3, 0);
	KUNIT_EXPECT_EQ(test, clear(test, a, id), 0);
	KUNIT_EXPECT_FALSE(test, state_of(test)->queues[0]->held);
	KUNIT_EXPECT_EQ(test, clear(test, a, id), -ESRCH);
	xt_expect_silence(test, a);
}

/* Nobody need subscribe: a switch is reason enough to look. */
static void unsubscribed(struct kunit *test)
{
	const long id = arm_one(test, client(test));

	get_work(test);
	expect_low(test, true);
	finish_work(test);
	expect_low(test, false);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id), 0);
	get_work(test);
	expect_low_stays(test, false);
}

static void expect_watched(struct kunit *test, const struct xt_watched *w, bool watched)
{
	xt_expect_watched(test, client(test), w, watched);
}

/* What triggers is looked at, by itself or in a tenant, and nothing else. */
static void only_triggers_are_watched(struct kunit *test)
{
	const struct xt_watched low = xt_add_watched(test, 0);
	struct file *a = client(test);
	const u64 tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const u64 nr = state_of(test)->process->nr;
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, PROCESS, nr, 0);

	KUNIT_ASSERT_EQ(test, arm_one(test, a), 1);
	expect_watched(test, &work, true);
	expect_watched(test, &low, false);
	KUNIT_EXPECT_EQ(test, clear(test, a, 1), 0);
	expect_watched(test, &work, false);

	KUNIT_ASSERT_EQ(test, arm(test, a, TENANT, tenant, &entry, 1), 2);
	expect_watched(test, &work, false);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, high->nr), 0);
	expect_watched(test, &work, true);
	expect_watched(test, &low, false);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_REMOVE, tenant, high->nr), 0);
	expect_watched(test, &work, false);
	KUNIT_EXPECT_EQ(test, clear(test, a, 2), 0);
}

/* Priorities come and go, as holds do; and what the client itself wants stays. */
static void priorities(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[0], 2),
		XT_ENTRY(UNMAP, QUEUE, xt->ids[1], 0),
	};
	struct file *a = client(test);

	xt_do(test, a, KFD_XSCHED_OP_SET_PRIORITY, KFD_XSCHED_TARGET_QUEUE, xt->ids[0], 6);
	xt_suspend(test, a, xt->ids[1]);
	KUNIT_ASSERT_EQ(test, arm(test, a, PROCESS, high->nr, entries, 2), 1);
	get_work(test);
	while (READ_ONCE(xt->queues[0]->override) != 2)
		usleep_range(1000, 1100);
	/* Its own hold is another: RESUME takes that alone. */
	KUNIT_EXPECT_EQ(test, xt_resume(test, a, xt->ids[1]), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
	xt_suspend(test, a, xt->ids[1]);
	finish_work(test);
	while (READ_ONCE(xt->queues[0]->override) == 2)
		usleep_range(1000, 1100);
	KUNIT_EXPECT_EQ(test, xt->queues[0]->override, 6);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
}

/* Two switches, of two clients, on the same queues: both must release. */
static void two_clients(struct kunit *test)
{
	struct file *a = client(test), *b = xt_open(test);
	const long id = arm_one(test, a);

	KUNIT_ASSERT_EQ(test, arm_one(test, b), 1);
	get_work(test);
	expect_low(test, true);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_describe(test, a,
						     state_of(test)->ids[0]).holders == 2));
	clear(test, a, id);
	expect_low_stays(test, true);
	xt_close(test, b);
	expect_low(test, false);
}

/* A tenant triggers, and another is the target: a process that joins it meanwhile is held. */
static void tenants(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	const u64 ready = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const u64 held = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, TENANT, held, 0);

	KUNIT_ASSERT_EQ(test, arm(test, a, TENANT, ready, &entry, 1), 1);
	get_work(test);
	expect_low_stays(test, false);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, ready, high->nr), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, held,
					xt->process->nr), 0);
	expect_low(test, true);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_REMOVE, held,
					xt->process->nr), 0);
	expect_low(test, false);
	xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, held, xt->process->nr);
	expect_low(test, true);
	/* The switch is gone with its trigger. */
	KUNIT_EXPECT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_DESTROY, ready, 0), 0);
	expect_low(test, false);
	KUNIT_EXPECT_EQ(test, clear(test, a, 1), -ESRCH);
}

/* An administrator sees what is armed, what it asks for and what became of that. */
static void is_shown(struct kunit *test)
{
	struct file *a = client(test);
	const u64 tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SET_PRIORITY, QUEUE, state_of(test)->ids[0], 3),
		XT_ENTRY(SUSPEND, TENANT, tenant, 0),
	};
	unsigned int i;
	const char *text;
	char line[128];

	xt_subscribe(test, a, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	KUNIT_ASSERT_EQ(test, arm_one(test, a), 1);
	KUNIT_ASSERT_EQ(test, arm(test, a, PROCESS, high->nr, entries, 2), 2);
	get_work(test);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, xt_wait_event(test, a).type, KFD_XSCHED_EVENT_ARMED);
	text = xt_read_in(test, "debugfs", "kfd_xsched/clients");
	KUNIT_ASSERT_NOT_NULL(test, text);
	snprintf(line, sizeof(line), "  armed 1: process=%d tenant=0 entries=1 ", high->nr);
	KUNIT_EXPECT_EQ(test, xt_count(text, line), 1);
	KUNIT_EXPECT_EQ(test, xt_count(text, " active=1 running=0 runs=1 error=0 since_ms="), 2);
	snprintf(line, sizeof(line), "    asks: suspend process=%d value=0 class=0 status=0\n",
		 state_of(test)->process->nr);
	KUNIT_EXPECT_EQ(test, xt_count(text, line), 1);
	snprintf(line, sizeof(line), "    asks: set_priority queue=%llu value=3 class=0 status=0\n",
		 state_of(test)->ids[0]);
	KUNIT_EXPECT_EQ(test, xt_count(text, line), 1);
	snprintf(line, sizeof(line), "    asks: suspend tenant=%llu value=0 ", tenant);
	KUNIT_EXPECT_EQ(test, xt_count(text, line), 1);
}

/* ---- failures ------------------------------------------------------------ */

/* A run that fails has no effect; the next may. */
static void run_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	long id;

	xt_subscribe(test, a, EVENTS, PERIOD_US, 0);
	id = arm_one(test, a);
	xt->node->fail = -EIO;
	get_work(test);
	expect_armed(test, a, id, true, 0, EIO);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).holders, 0);
	xt->node->fail = 0;
	expect_low_stays(test, false);
	finish_work(test);
	wait_armed(test, a, id);
	get_work(test);
	expect_low(test, true);
	expect_armed(test, a, id, true, 3, 0);
}

/* Undoing that fails is tried again until it works. */
static void undo_fails(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	long id;

	xt_subscribe(test, a, EVENTS, PERIOD_US, 0);
	id = arm_one(test, a);
	get_work(test);
	expect_armed(test, a, id, true, 3, 0);
	xt->node->fail = -EIO;
	finish_work(test);
	expect_armed(test, a, id, false, 0, EIO);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).holders, 0);
	xt->node->fail = 0;
	expect_low(test, false);
}

/*
 * A node that does not answer stops neither the sampler nor other switches; what
 * the trigger did meanwhile is done afterwards.
 */
static void run_hangs(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xs_hw_queue *elsewhere = fake_queue_add(test, xt->process, other);
	const u32 count = xt_list(test, a);
	struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, QUEUE, xt->list[count - 1].id, 0);

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	KUNIT_ASSERT_EQ(test, arm(test, a, PROCESS, high->nr, &entry, 1), 1);
	entry.id = xt->ids[0];
	KUNIT_ASSERT_EQ(test, arm(test, a, PROCESS, high->nr, &entry, 1), 2);
	fake_hang(other);
	get_work(test);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	xt_expect_held(test, xt->queues[0], true);
	xt_expect_event(test, a, &work, XT_READY);
	finish_work(test);
	xt_expect_held(test, xt->queues[0], false);
	xt_expect_event(test, a, &work, XT_IDLE);
	fake_answer(other, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(other->applies) >= 2));
	xt_expect_held(test, elsewhere, false);
	KUNIT_EXPECT_EQ(test, other->applies, 2);
}

/* Nor does it keep a client that disarms, and has better things to do than to wait. */
static void async_clear_waits_for_nobody(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	u64 before;

	KUNIT_ASSERT_EQ(test, arm_one(test, a), 1);
	get_work(test);
	expect_low(test, true);
	fake_hang(xt->node);
	before = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, clear_with(test, a, 1, KFD_XSCHED_ARM_ASYNC), 0);
	KUNIT_EXPECT_LT(test, ktime_get_ns() - before, 100 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	expect_low(test, true);
	fake_answer(xt->node, 0);
	expect_low(test, false);
}

/* A target that went is left out, the others are done; likewise one not permitted. */
static void target_goes(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xs_hw_queue *queue = fake_queue_add(test, other, xt->node);
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, PROCESS, other->nr, 0),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[2], 0),
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
	};
	struct file *a = client(test);

	KUNIT_ASSERT_EQ(test, arm(test, a, PROCESS, high->nr, entries, 3), 1);
	get_work(test);
	xt_expect_held(test, queue, true);
	fake_process_exit(other);
	fake_queue_remove(xt->queues[2]);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	finish_work(test);
	xt_expect_held(test, xt->queues[0], false);
	get_work(test);
	xt_expect_held(test, xt->queues[0], true);
	KUNIT_EXPECT_FALSE(test, xt->queues[1]->held);
}

/* A number that is used again names a stranger: the switch keeps the process it was set for. */
static void number_is_used_again(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_UID), *stranger;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, PROCESS, other->nr, 0),
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
	};
	const pid_t nr = other->nr;
	struct xs_hw_queue *queue;

	fake_queue_add(test, other, xt->node);
	KUNIT_ASSERT_EQ(test, arm(test, client(test), PROCESS, high->nr, entries, 2), 1);
	fake_process_exit(other);
	stranger = fake_process_add_again(test, XT_UID, nr);
	queue = fake_queue_add(test, stranger, xt->node);
	get_work(test);
	xt_expect_held(test, xt->queues[0], true);
	KUNIT_EXPECT_FALSE(test, queue->held);
	KUNIT_EXPECT_FALSE(test, stranger->hold_new);
}

/* ---- ends ---------------------------------------------------------------- */

/**
 * struct end - a way to end a switch in force
 * @name: for the test's name
 * @fn: do it
 * @told: errno of the last ARMED, or 0: none is read
 */
struct end {
	const char *name;
	void (*fn)(struct kunit *test, u64 id);
	int told;
};

static void end_clear(struct kunit *test, u64 id)
{
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id), 0);
}

static void end_close(struct kunit *test, u64 id)
{
	xt_close(test, client(test));
	xt_open(test);
}

static void end_trigger(struct kunit *test, u64 id)
{
	fake_process_exit(high);
}

static void end_eject(struct kunit *test, u64 id)
{
	KUNIT_EXPECT_EQ(test, xs_eject_pid(current->tgid), 0);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id), -EOWNERDEAD);
}

static void end_disable(struct kunit *test, u64 id)
{
	xs_set_enabled(false);
	KUNIT_EXPECT_EQ(test, arm_one(test, client(test)), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, arm_one(test, xt_open(test)), -ECANCELED);
	xs_set_enabled(true);
}

/* What it holds counts as the client's: a silent one is ejected, switches or not. */
static void end_watchdog(struct kunit *test, u64 id)
{
	const struct xt_watched w = xt_add_watched(test, 1);

	xt_expect_held(test, w.queue, true);
	xs_watchdog_set_ms(XS_WATCHDOG_MS_MIN);
	xt_do(test, client(test), KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_QUEUE, w.id, 0);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id), -EOWNERDEAD);
}

static const struct end ends[] = {
	{ "clear", end_clear },
	{ "close", end_close },
	{ "trigger", end_trigger, ESRCH },
	{ "eject", end_eject },
	{ "disable", end_disable },
	{ "watchdog", end_watchdog },
};

static void end_name(const struct end *end, char *name)
{
	strscpy(name, end->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(end, ends, end_name);

/* In force when it ends: what it held runs, and nothing is left of it. */
static void ends_in_force(struct kunit *test)
{
	const struct end *end = test->param_value;
	struct file *a = client(test);
	long id;

	xt_subscribe(test, a, EVENTS, PERIOD_US, 0);
	id = arm_one(test, a);
	get_work(test);
	expect_armed(test, a, id, true, 3, 0);
	expect_low(test, true);
	end->fn(test, id);
	expect_low(test, false);
	if (end->told)
		expect_armed(test, a, id, false, 0, end->told);
	KUNIT_EXPECT_FALSE(test, state_of(test)->process->hold_new);
	expect_low_stays(test, false);
}

/* ---- bad input ----------------------------------------------------------- */

/* One field of a good argument is spoilt. */
static void bad_fields(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	const struct kfd_xsched_arm good = {
		.size = sizeof(good),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = PROCESS,
		.trigger_id = high->nr,
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
	};
	const struct {
		size_t field;
		u64 value;
		bool wide;
		int want;
	} bad[] = {
#define FIELD(_field)	offsetof(struct kfd_xsched_arm, _field)
		{ FIELD(op), 0, false, -EOPNOTSUPP },
		{ FIELD(op), 3, false, -EOPNOTSUPP },
		{ FIELD(op), U32_MAX, false, -EOPNOTSUPP },
		{ FIELD(op), KFD_XSCHED_ARM_CLEAR, false, -EINVAL },
		{ FIELD(trigger), 0, false, -EOPNOTSUPP },
		{ FIELD(trigger), KFD_XSCHED_TARGET_QUEUE, false, -EOPNOTSUPP },
		{ FIELD(trigger), 5, false, -EOPNOTSUPP },
		{ FIELD(trigger), U32_MAX, false, -EOPNOTSUPP },
		{ FIELD(trigger), TENANT, false, -ENOENT },
		{ FIELD(trigger_id), 0, true, -ENOENT },
		{ FIELD(trigger_id), 1, true, -ENOENT },
		{ FIELD(trigger_id), U64_MAX, true, -ENOENT },
		{ FIELD(trigger_id), 1ULL << 63, true, -ENOENT },
		{ FIELD(trigger_id), xt->process->nr, true, -EINVAL },
		{ FIELD(id), 1, true, -EINVAL },
		{ FIELD(count), 0, false, -EINVAL },
		{ FIELD(count), MOST + 1, false, -E2BIG },
		{ FIELD(count), U32_MAX, false, -E2BIG },
		{ FIELD(stride), 0, false, -EINVAL },
		{ FIELD(stride), offsetofend(struct kfd_xsched_entry, prio_class) - 1, false,
		  -EINVAL },
		{ FIELD(stride), PAGE_SIZE + 1, false, -E2BIG },
		{ FIELD(stride), U32_MAX, false, -E2BIG },
		{ FIELD(entries), 0, true, -EFAULT },
		{ FIELD(entries), 0x1000, true, -EFAULT },
		{ FIELD(entries), U64_MAX - 7, true, -EFAULT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kfd_xsched_arm arg = good;
		void *field = (void *)&arg + bad[i].field;

		if (bad[i].wide)
			*(u64 *)field = bad[i].value;
		else
			*(u32 *)field = bad[i].value;
		KUNIT_EXPECT_EQ_MSG(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_ARM,
						       &arg, sizeof(arg)),
				    bad[i].want, "row %u", i);
	}
	/* None was armed. */
	KUNIT_EXPECT_EQ(test, clear(test, client(test), 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* CLEAR takes an id, and nothing else. */
static void bad_clear(struct kunit *test)
{
	const long id = arm_one(test, client(test));
	const struct kfd_xsched_arm bad[] = {
		{ .id = id, .trigger = PROCESS },
		{ .id = id, .trigger_id = high->nr },
		{ .id = id, .count = 1 },
		{ .id = id, .stride = sizeof(struct kfd_xsched_entry) },
		{ .id = id, .entries = state_of(test)->user },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct kfd_xsched_arm arg = bad[i];

		arg.size = sizeof(arg);
		arg.op = KFD_XSCHED_ARM_CLEAR;
		KUNIT_EXPECT_EQ_MSG(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_ARM,
						       &arg, sizeof(arg)),
				    -EINVAL, "row %u", i);
	}
	KUNIT_EXPECT_EQ(test, clear(test, client(test), 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id + 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), U64_MAX), -ENOENT);
	/* That of a client is no other's. */
	KUNIT_EXPECT_EQ(test, clear(test, xt_open(test), id), -ENOENT);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), id), 0);
}

/* A bad entry between good ones: its status has the errno, and nothing is armed. */
static void bad_entries(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct {
		struct kfd_xsched_entry entry;
		int want;
	} bad[] = {
		{ XT_ENTRY(RESUME, QUEUE, xt->ids[1], 0), -EINVAL },
		{ XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], -1), -EINVAL },
		{ XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], 16), -EINVAL },
		{ XT_ENTRY(SET_PRIORITY, QUEUE, xt->ids[1], S32_MIN), -EINVAL },
		{ XT_ENTRY(UNMAP, QUEUE, xt->ids[1], FAKE_MAX_GRACE_US + 1), -EINVAL },
		{ XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 1), -EINVAL },
		{ XT_ENTRY(SUSPEND, QUEUE, work.id, 0), -EINVAL },
		{ XT_ENTRY(SUSPEND, PROCESS, high->nr, 0), -EINVAL },
		{ XT_ENTRY(SUSPEND, QUEUE, 0, 0), -ENOENT },
		{ XT_ENTRY(SUSPEND, QUEUE, U64_MAX, 0), -ENOENT },
		{ XT_ENTRY(SUSPEND, PROCESS, U64_MAX, 0), -ENOENT },
		{ XT_ENTRY(SUSPEND, TENANT, 1, 0), -ENOENT },
		{ { .op = 0, .target = PROCESS, .id = xt->process->nr }, -EOPNOTSUPP },
		{ { .op = 99, .target = PROCESS, .id = xt->process->nr }, -EOPNOTSUPP },
		{ { .op = KFD_XSCHED_OP_SUSPEND, .target = 99, .id = 1 }, -EOPNOTSUPP },
	};
	struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		{},
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[2], 0),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		entries[1] = bad[i].entry;
		KUNIT_EXPECT_EQ_MSG(test, arm(test, client(test), PROCESS, high->nr,
					      entries, 3), bad[i].want, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, back[0].status, 0, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, back[1].status, bad[i].want, "row %u", i);
	}
	/* A target that is gone is benign in an APPLY, but an error in ARM. */
	fake_queue_remove(xt->queues[1]);
	entries[1] = (struct kfd_xsched_entry)XT_ENTRY(SUSPEND, QUEUE, xt->ids[1], 0);
	KUNIT_EXPECT_EQ(test, arm(test, client(test), PROCESS, high->nr, entries, 3), -ESRCH);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), 1), -ENOENT);
	get_work(test);
	expect_low_stays(test, false);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

static long arm_array(struct kunit *test, u64 address, u32 count, u32 stride)
{
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = PROCESS,
		.trigger_id = high->nr,
		.count = count,
		.stride = stride,
		.entries = address,
	};

	return xt_ioctl_arg(test, client(test), KFD_XSCHED_ARM, &arg, sizeof(arg));
}

/* Entries: as many as there may be, longer ones, and such as cannot be written. */
static void arrays(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry = XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	const size_t size = sizeof(entry);
	const unsigned long array = xt_alloc(test, MOST * size);
	struct {
		struct kfd_xsched_entry known;
		u64 tail;
	} longer = { .known = entry, .tail = 1 };
	u32 i;

	for (i = 0; i < MOST; i++)
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(array + i * size),
						   &entry, size), 0);
	KUNIT_EXPECT_EQ(test, arm_array(test, xt_map_read_only(test, &entry, size), 1, size),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, arm_array(test, xt_put(test, &longer, sizeof(longer)), 1,
					sizeof(longer)), -E2BIG);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), 1), -ENOENT);
	longer.tail = 0;
	KUNIT_EXPECT_EQ(test, arm_array(test, xt_put(test, &longer, sizeof(longer)), 1,
					sizeof(longer)), 0);
	KUNIT_EXPECT_EQ(test, arm_array(test, array, 1,
					offsetofend(struct kfd_xsched_entry, prio_class)), 0);
	KUNIT_EXPECT_EQ(test, arm_array(test, array, MOST, size), 0);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
	get_work(test);
	xt_expect_held(test, xt->queues[0], true);
}

/* As many switches as there may be, and no more; a number is not used again. */
static void limit(struct kunit *test)
{
	long id;
	u32 i;

	for (i = 1; i <= KFD_XSCHED_MAX_ARMED; i++)
		KUNIT_ASSERT_EQ(test, arm_one(test, client(test)), i);
	KUNIT_EXPECT_EQ(test, arm_one(test, client(test)), -ENOSPC);
	KUNIT_EXPECT_EQ(test, arm_one(test, xt_open(test)), 1);
	KUNIT_EXPECT_EQ(test, clear(test, client(test), 7), 0);
	id = arm_one(test, client(test));
	KUNIT_EXPECT_EQ(test, id, KFD_XSCHED_MAX_ARMED + 1);
	get_work(test);
	expect_low(test, true);
	finish_work(test);
	expect_low(test, false);
}

/* Switches of one client that would wait for one another, also by way of a third. */
static void circles(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *third = fake_process_add(test, XT_UID);
	struct xs_hw_queue *its = fake_queue_add(test, third, xt->node);
	struct kfd_xsched_entry high_entry = XT_ENTRY(SUSPEND, PROCESS, high->nr, 0);
	struct kfd_xsched_entry third_entry = XT_ENTRY(SUSPEND, PROCESS, third->nr, 0);
	const u64 queue = xt->list[xt_list(test, client(test)) - 1].id;
	const struct kfd_xsched_entry by_queue = XT_ENTRY(SUSPEND, QUEUE, queue, 0);
	struct file *a = client(test);
	u64 tenant;

	KUNIT_ASSERT_EQ(test, arm_one(test, a), 1);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, xt->process->nr, &high_entry, 1), -ELOOP);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, xt->process->nr, &by_queue, 1), 2);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, third->nr, &high_entry, 1), -ELOOP);
	/* The same by the tenant it is in. */
	tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, high->nr);
	high_entry.target = TENANT;
	high_entry.id = tenant;
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, third->nr, &high_entry, 1), -ELOOP);
	/* A line is none: the first holds more. */
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, high->nr, &third_entry, 1), 3);
	/* Clients do not know of one another's. */
	high_entry = (struct kfd_xsched_entry)XT_ENTRY(SUSPEND, PROCESS, high->nr, 0);
	KUNIT_EXPECT_EQ(test, arm(test, xt_open(test), PROCESS, xt->process->nr,
				  &high_entry, 1), 1);
	KUNIT_EXPECT_FALSE(test, its->held);
}

/* A tenant triggers, and one of its processes is a target: a circle, while it is a member. */
static void circle_by_a_member(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = client(test);
	const u64 tenant = xt_tenant(test, a, KFD_XSCHED_TENANT_CREATE, 0, 0);
	const struct kfd_xsched_entry low = XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);
	const struct kfd_xsched_entry member = XT_ENTRY(SUSPEND, PROCESS, high->nr, 0);
	const struct kfd_xsched_entry its_queue = XT_ENTRY(SUSPEND, QUEUE, work.id, 0);

	KUNIT_ASSERT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_ADD, tenant, high->nr), 0);
	KUNIT_ASSERT_EQ(test, arm(test, a, TENANT, tenant, &low, 1), 1);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, xt->process->nr, &member, 1), -ELOOP);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, xt->process->nr, &its_queue, 1), -ELOOP);
	KUNIT_ASSERT_EQ(test, xt_tenant(test, a, KFD_XSCHED_TENANT_REMOVE, tenant, high->nr), 0);
	KUNIT_EXPECT_EQ(test, arm(test, a, PROCESS, xt->process->nr, &member, 1), 2);
}

/* Neither as the trigger nor as a target without permission. */
static void permission(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b;

	xt_become(test, XT_OTHER_UID);
	b = xt_open(test);
	KUNIT_EXPECT_EQ(test, arm_one(test, b), -EPERM);
	xt_unbecome(test);
	xt_become(test, XT_UID);
	KUNIT_EXPECT_EQ(test, arm_one(test, b), 1);
	xt_unbecome(test);
	/* A run uses the credentials of the caller of SET, not those of the sampler. */
	get_work(test);
	expect_low(test, true);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
}

/* Work of a process that is demoted moves nobody, and what it has moved goes back. */
static void a_demoted_trigger_does_not(struct kunit *test)
{
	const char *file = "class/kfd_xsched/global/demoted";

	KUNIT_ASSERT_GT(test, arm_one(test, client(test)), 0);
	get_work(test);
	expect_low(test, true);
	fake_queue_lose(fake_queue_add(test, high, state_of(test)->node));
	expect_low(test, false);
	finish_work(test);
	get_work(test);
	msleep(100);
	expect_low(test, false);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, file, "all"), 0);
	expect_low(test, true);
	finish_work(test);
	expect_low(test, false);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(runs_and_is_undone),
	KUNIT_CASE(runs_at_once),
	KUNIT_CASE(unsubscribed),
	KUNIT_CASE(only_triggers_are_watched),
	KUNIT_CASE(priorities),
	KUNIT_CASE(two_clients),
	KUNIT_CASE(tenants),
	KUNIT_CASE(is_shown),
	KUNIT_CASE(run_fails),
	KUNIT_CASE(undo_fails),
	KUNIT_CASE(run_hangs),
	KUNIT_CASE(async_clear_waits_for_nobody),
	KUNIT_CASE(target_goes),
	KUNIT_CASE(number_is_used_again),
	KUNIT_CASE_PARAM(ends_in_force, end_gen_params),
	KUNIT_CASE(bad_fields),
	KUNIT_CASE(bad_clear),
	KUNIT_CASE(bad_entries),
	KUNIT_CASE(arrays),
	KUNIT_CASE(limit),
	KUNIT_CASE(circles),
	KUNIT_CASE(circle_by_a_member),
	KUNIT_CASE(permission),
	KUNIT_CASE(a_demoted_trigger_does_not),
	{}
};

static struct kunit_suite suite = {
	.name = "arm",
	.init = init,
	.exit = arm_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
