// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every operation fails in turn: an errno, nothing changed,
 * and it works at once when memory is back.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched.h>

#include "harness.h"

/* More than any operation allocates. */
#define MOST	40

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

static void apply_undo(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_ASSERT_EQ(test, xt_do(test, client(test), KFD_XSCHED_OP_RESUME,
				    KFD_XSCHED_TARGET_PROCESS, xt->process->nr, 0), 0);
	xt->node->applies = 0;
}

static void apply_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_FALSE_MSG(test, fake_anything_held(), "allocation %u", n);
	KUNIT_EXPECT_EQ_MSG(test, fake_applies(), 0, "allocation %u", n);
}

/* An APPLY without memory changes nothing. */
static void apply(struct kunit *test)
{
	static const struct operation op = { apply_op, apply_undo, apply_check };

	fail_each(test, &op);
}

static long list_op(struct kunit *test)
{
	struct kfd_xsched_list arg = { .size = sizeof(arg) };

	arg.capacity = FAKE_QUEUES;
	arg.stride = sizeof(struct kfd_xsched_queue);
	arg.queues = ((struct xt *)test->priv)->user;
	return xt_ioctl_arg(test, client(test), KFD_XSCHED_LIST, &arg, sizeof(arg));
}

static void nothing_to_undo(struct kunit *test)
{
}

static void nothing_to_check(struct kunit *test, unsigned int n)
{
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

static long queue_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	return fake_queue_add(test, xt->process, xt->node) ? 0 : -ENOMEM;
}

static void queue_check(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_EQ_MSG(test, xt_list(test, client(test)), 3, "allocation %u", n);
}

/* A queue that cannot be registered leaves nothing behind. */
static void queue(struct kunit *test)
{
	static const struct operation op = { queue_op, nothing_to_undo, queue_check };

	fail_each(test, &op);
}

static struct xs_hw_queue *last_queue;

static long born_held_op(struct kunit *test)
{
	struct xt *xt = test->priv;

	last_queue = fake_queue_add(test, xt->process, xt->node);
	return last_queue ? 0 : -ENOMEM;
}

/*
 * A queue of a held process gets no claim: it runs, for nobody would ever
 * release it. With its claim it is held.
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
		born_held_op(test);
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
	KUNIT_CASE(list),
	KUNIT_CASE(subscribe),
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
