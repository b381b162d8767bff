// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every operation fails in turn: an errno, nothing changed,
 * and it works at once when memory is back.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "watched.h"

/* More than any operation allocates. */
#define MOST	400

static void set_knob(struct kunit *test, const char *name, const char *value)
{
	struct file *file = xt_open_debugfs(test, name, O_WRONLY);

	xt_write(test, file, value);
	__fput_sync(file);
}

/* Allocations that may wait fail, too, and do so silently. */
static int init(struct kunit *test)
{
	const int ret = xt_init(test);

	if (ret)
		return ret;
	set_knob(test, "failslab/ignore-gfp-wait", "N");
	set_knob(test, "failslab/verbose", "0");
	return 0;
}

/* Whether the allocation armed with fail_nth was reached; disarms it. */
static bool reached(void)
{
	const bool was_reached = !current->fail_nth;

	current->fail_nth = 0;
	return was_reached;
}

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

/**
 * struct operation - what is to fail
 * @run: 0 or -ENOMEM; some failures are made good by another allocation
 * @undo: after a success
 * @check: after a failure
 */
struct operation {
	long (*run)(struct kunit *test);
	void (*undo)(struct kunit *test);
	void (*check)(struct kunit *test, unsigned int n);
};

/* Fails the nth allocation for n = 1, 2, ... until there are no more. */
static void fail_each(struct kunit *test, const struct operation *op)
{
	unsigned int n;
	long ret;

	for (n = 1; n < MOST; n++) {
		current->fail_nth = n;
		ret = op->run(test);
		if (!reached())
			break;
		KUNIT_ASSERT_TRUE(test, !ret || ret == -ENOMEM);
		if (!ret)
			op->undo(test);
		else
			op->check(test, n);
	}
	KUNIT_EXPECT_GT(test, n, 1);
	KUNIT_EXPECT_LT(test, n, MOST);
	KUNIT_EXPECT_EQ(test, ret, 0);
}

static long apply_op(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entries[] = {
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0),
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0),
	};

	return xt_apply(test, client(test), entries, 2);
}

/* What a client keeps of a call it keeps only once. */
static void renew_client(struct kunit *test)
{
	xt_close(test, client(test));
	xt_open(test);
}

static void apply_undo(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0), 0);
	renew_client(test);
	xt->node->applies = 0;
}

static void apply_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_FALSE_MSG(test, fake_anything_held(), "allocation %u", n);
	KUNIT_EXPECT_EQ_MSG(test, fake_applies(), 0, "allocation %u", n);
}

static void apply_failed(struct kunit *test, unsigned int n)
{
	apply_check(test, n);
	renew_client(test);
}

/* An APPLY without memory changes nothing. */
static void apply(struct kunit *test)
{
	static const struct operation op = { apply_op, apply_undo, apply_failed };

	fail_each(test, &op);
}

/* An ASYNC call without memory for a batch reports no node, not even of the call before. */
static void no_batch(struct kunit *test)
{
	struct xt *xt = test->priv;
	long ret;

	KUNIT_ASSERT_EQ(test, apply_op(test), 0);
	KUNIT_EXPECT_EQ(test, xt->result_count, 1);
	current->fail_nth = 1;
	ret = xt_async(test, client(test), KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_PROCESS,
		       xt->process->nr, 1);
	KUNIT_EXPECT_TRUE(test, reached());
	KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
	KUNIT_EXPECT_EQ(test, xt->result_count, 0);
}

/* Whatever memory a call that gives back does not get, it gives back. */
static void give_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int n;
	bool failed = true;
	long ret;

	for (n = 1; failed && n < MOST; n++) {
		KUNIT_ASSERT_EQ(test, apply_op(test), 0);
		current->fail_nth = n;
		ret = xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
			    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0);
		failed = reached();
		KUNIT_EXPECT_EQ(test, ret, 0);
		KUNIT_EXPECT_FALSE(test, fake_anything_held());
	}
	KUNIT_EXPECT_LT(test, n, MOST);
}

static long async_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	return xt_async(test, client(test), KFD_XSCHED_OP_SUSPEND,
			KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 1);
}

/* The ring it made is made once: a client that comes anew needs it again. */
static void async_undo(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 1);
	renew_client(test);
	xt->node->applies = 0;
}

/* An ASYNC APPLY without memory changes nothing, and sends no event. */
static void async(struct kunit *test)
{
	static const struct operation op = { async_op, async_undo, apply_failed };

	fail_each(test, &op);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 1);
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), -EAGAIN);
}

static long last_tenant;

static long tenant_op(struct kunit *test)
{
	const long ret = xt_tenant(test, client(test), KFD_XSCHED_TENANT_CREATE, 0, 0);

	last_tenant = max(last_tenant, ret);
	return min(ret, 0L);
}

static void nothing_to_undo(struct kunit *test)
{
}

static void nothing_to_check(struct kunit *test, unsigned int n)
{
}

/* A tenant that cannot be made is not there. */
static void tenant(struct kunit *test)
{
	static const struct operation op = {
		tenant_op, nothing_to_undo, nothing_to_check
	};

	last_tenant = 0;
	fail_each(test, &op);
	/* The last that was made, and no other. */
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), KFD_XSCHED_TENANT_DESTROY,
					last_tenant, 0), 0);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), KFD_XSCHED_TENANT_DESTROY,
					last_tenant + 1, 0), -ENOENT);
}

static long add_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	return xt_tenant(test, client(test), KFD_XSCHED_TENANT_ADD, last_tenant,
			 xt->process->nr);
}

static void add_undo(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_tenant(test, client(test), KFD_XSCHED_TENANT_REMOVE,
					last_tenant, xt->process->nr), 0);
	xt->node->applies = 0;
}

static void add_check(struct kunit *test, unsigned int n)
{
	struct xt *xt = test->priv;

	apply_check(test, n);
	KUNIT_EXPECT_EQ(test, xt_tenant(test, client(test), KFD_XSCHED_TENANT_REMOVE,
					last_tenant, xt->process->nr), -ENOENT);
}

static void make_held_tenant(struct kunit *test)
{
	last_tenant = 0;
	KUNIT_ASSERT_EQ(test, tenant_op(test), 0);
	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_TENANT,
	      last_tenant, 0);
}

/* A process that cannot be added to a held tenant is neither in it nor held. */
static void add(struct kunit *test)
{
	static const struct operation op = { add_op, add_undo, add_check };

	make_held_tenant(test);
	fail_each(test, &op);
}

static void make_tenant_with_process(struct kunit *test)
{
	make_held_tenant(test);
	KUNIT_ASSERT_EQ(test, add_op(test), 0);
}

static long remove_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	return xt_tenant(test, client(test), KFD_XSCHED_TENANT_REMOVE, last_tenant,
			 xt->process->nr);
}

static long destroy_op(struct kunit *test)
{
	return xt_tenant(test, client(test), KFD_XSCHED_TENANT_DESTROY, last_tenant, 0);
}

/* Whatever memory what takes away does not get, it takes away. */
static void take_away(struct kunit *test, long (*op)(struct kunit *test))
{
	unsigned int n;
	bool failed = true;

	for (n = 1; failed && n < MOST; n++) {
		make_tenant_with_process(test);
		current->fail_nth = n;
		KUNIT_EXPECT_EQ(test, op(test), 0);
		failed = reached();
		KUNIT_EXPECT_FALSE(test, fake_anything_held());
	}
	KUNIT_EXPECT_LT(test, n, MOST);
}

static void remove(struct kunit *test)
{
	take_away(test, remove_op);
}

static void destroy(struct kunit *test)
{
	take_away(test, destroy_op);
}

static long open_op(struct kunit *test)
{
	struct file *file = filp_open("/kfd_xsched", O_RDWR, 0);

	if (IS_ERR(file))
		return PTR_ERR(file);
	__fput_sync(file);
	return 0;
}

/* The device cannot be opened without memory. */
static void open(struct kunit *test)
{
	static const struct operation op = { open_op, nothing_to_undo, nothing_to_check };

	fail_each(test, &op);
}

static struct xs_hw_node extra = { .desc = { .gpu_id = 77, .caps = FAKE_CAPS } };

static long node_op(struct kunit *test)
{
	return xs_node_added(&extra, &extra.desc);
}

static void node_undo(struct kunit *test)
{
	xs_node_removed(&extra);
}

static u32 count_nodes(struct kunit *test)
{
	struct kfd_xsched_info arg = { .size = sizeof(arg) };

	xt_ioctl_arg(test, client(test), KFD_XSCHED_INFO, &arg, sizeof(arg));
	return arg.node_count;
}

static void node_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ_MSG(test, count_nodes(test), 1, "allocation %u", n);
}

/* A node that cannot be registered leaves nothing in the core. */
static void node(struct kunit *test)
{
	static const struct operation op = { node_op, node_undo, node_check };

	fail_each(test, &op);
	KUNIT_EXPECT_EQ(test, count_nodes(test), 2);
	xs_node_removed(&extra);
}

static long list_op(struct kunit *test)
{
	struct kfd_xsched_list arg = { .size = sizeof(arg) };

	arg.capacity = FAKE_QUEUES;
	arg.stride = sizeof(struct kfd_xsched_queue);
	arg.queues = ((struct xt *)test->priv)->user;
	return xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST, &arg, sizeof(arg));
}

/* LIST without memory is ENOMEM. */
static void list(struct kunit *test)
{
	static const struct operation op = { list_op, nothing_to_undo, nothing_to_check };
	struct xt *xt = test->priv;

	xt_alloc(test, sizeof(xt->list));
	fail_each(test, &op);
}

static long subscribe_op(struct kunit *test)
{
	return xt_subscribe(test, client(test),
			    KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD), 0, 0);
}

static void subscribe_undo(struct kunit *test)
{
	xt_close(test, client(test));
	xt_open(test);
}

static void subscribe_check(struct kunit *test, unsigned int n)
{
	struct xt *xt = test->priv;

	fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ_MSG(test, xt_read(test, client(test)), -EAGAIN,
			    "allocation %u", n);
}

/* A SUBSCRIBE without memory subscribes nothing. */
static void subscribe(struct kunit *test)
{
	static const struct operation op = {
		subscribe_op, subscribe_undo, subscribe_check
	};

	fail_each(test, &op);
}

static u64 last_armed;
static pid_t trigger;

static long arm_op(struct kunit *test)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, PROCESS, xt->process->nr, 0);
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_SET,
		.trigger = KFD_XSCHED_TARGET_PROCESS,
		.trigger_id = trigger,
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
	};
	const long ret = xt_ioctl_arg(test, client(test), KFD_XSCHED_ARM, &arg, sizeof(arg));

	xt->used = used;
	if (!ret)
		last_armed = arg.id;
	return ret;
}

static long disarm(struct kunit *test, u64 id)
{
	struct kfd_xsched_arm arg = {
		.size = sizeof(arg),
		.op = KFD_XSCHED_ARM_CLEAR,
		.id = id,
	};

	return xt_ioctl_arg(test, client(test), KFD_XSCHED_ARM, &arg, sizeof(arg));
}

static void arm_undo(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, disarm(test, last_armed), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	xt->node->applies = 0;
}

static void arm_check(struct kunit *test, unsigned int n)
{
	apply_check(test, n);
	KUNIT_EXPECT_EQ_MSG(test, disarm(test, last_armed + 1), -ENOENT,
			    "allocation %u", n);
}

static struct xt_watched add_trigger(struct kunit *test, u64 packets)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *process = fake_process_add(test, XT_UID);

	trigger = process->nr;
	last_armed = 0;
	return xt_add_watched_on(test, process, xt->node, packets);
}

/* A switch that cannot be armed is not there. */
static void arm(struct kunit *test)
{
	static const struct operation op = { arm_op, arm_undo, arm_check };

	add_trigger(test, 0);
	fail_each(test, &op);
}

static long park_change(struct kunit *test, u32 op)
{
	struct xt *xt = test->priv;

	return xt_park(test, client(test), op, xt->process->nr, 0);
}

static long park_op(struct kunit *test)
{
	return park_change(test, KFD_XSCHED_PARK_SET);
}

static void park_undo(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, park_change(test, KFD_XSCHED_PARK_CLEAR), 0);
}

static void park_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ(test, park_change(test, KFD_XSCHED_PARK_CLEAR), -EALREADY);
}

/* Nothing is said of a process if the call failed. */
static void park(struct kunit *test)
{
	static const struct operation op = { park_op, park_undo, park_check };

	fail_each(test, &op);
	park_undo(test);
}

/* Nor does one that cannot run hold anything: SET runs it at once. */
static void arm_and_run(struct kunit *test)
{
	static const struct operation op = { arm_op, arm_undo, arm_check };
	const struct xt_watched w = add_trigger(test, 1);

	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	xt_expect_event(test, client(test), &w, XT_READY);
	fail_each(test, &op);
	KUNIT_EXPECT_EQ(test, disarm(test, last_armed), 0);
}

/* Whether each allocation of the module's own threads fails. */
static void fail_workers(bool fails)
{
	struct task_struct *task;

	guard(rcu)();
	for_each_process(task) {
		if (strstr(task->comm, "xsched"))
			task->make_it_fail = fails;
	}
}

/*
 * A run on one node needs no memory: that was there since SET, or the last run. What
 * the next one needs cannot be had then, and is had when that comes.
 */
static void armed_run(struct kunit *test)
{
	const struct xt_watched w = add_trigger(test, 0);
	const struct xt *xt = test->priv;
	unsigned int run;

	set_knob(test, "failslab/task-filter", "Y");
	set_knob(test, "failslab/times", "-1");
	set_knob(test, "failslab/probability", "100");
	KUNIT_ASSERT_EQ(test, arm_op(test), 0);
	for (run = 0; run < 3; run++) {
		fail_workers(true);
		xt_set_indices(test, &w, run, run + 1);
		xt_expect_held(test, xt->queues[0], true);
		fail_workers(false);
		xt_set_indices(test, &w, run + 1, run + 1);
		xt_expect_held(test, xt->queues[0], false);
	}
	set_knob(test, "failslab/probability", "0");
	KUNIT_EXPECT_EQ(test, disarm(test, last_armed), 0);
}

static struct xs_hw_queue *last_queue;

static long queue_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	last_queue = fake_queue_add(test, xt->process, xt->node);
	return last_queue ? 0 : -ENOMEM;
}

static void queue_undo(struct kunit *test)
{
	fake_queue_remove(last_queue);
}

static void queue_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ_MSG(test, xt_list(test, client(test)), 3, "allocation %u", n);
}

/* A queue that cannot be registered leaves nothing in the core. */
static void queue(struct kunit *test)
{
	static const struct operation op = { queue_op, queue_undo, queue_check };

	fail_each(test, &op);
}

/*
 * A queue of a held process gets no request: it runs, as nobody would ever
 * release it. With its request it is held.
 */
static void born_held(struct kunit *test)
{
	struct xt *xt = test->priv;
	u32 count = xt_list(test, client(test));
	struct kfd_xsched_queue seen;
	unsigned int n;

	xt_do(test, client(test), KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	for (n = 1; n < MOST; n++) {
		current->fail_nth = n;
		queue_op(test);
		if (!reached())
			break;
		if (!last_queue)
			continue;
		count = xt_list(test, client(test));
		seen = xt->list[count - 1];
		KUNIT_EXPECT_EQ_MSG(test, last_queue->held, seen.holders,
				    "allocation %u", n);
	}
	KUNIT_EXPECT_LT(test, n, MOST);
	KUNIT_EXPECT_TRUE(test, last_queue->held);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(apply),
	KUNIT_CASE(no_batch),
	KUNIT_CASE(give_back),
	KUNIT_CASE(async),
	KUNIT_CASE(tenant),
	KUNIT_CASE(add),
	KUNIT_CASE(remove),
	KUNIT_CASE(destroy),
	KUNIT_CASE(open),
	KUNIT_CASE(node),
	KUNIT_CASE(list),
	KUNIT_CASE(subscribe),
	KUNIT_CASE(arm),
	KUNIT_CASE(park),
	KUNIT_CASE(arm_and_run),
	KUNIT_CASE(armed_run),
	KUNIT_CASE(queue),
	KUNIT_CASE(born_held),
	{}
};

static struct kunit_suite suite = {
	.name = "fail",
	.init = init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
