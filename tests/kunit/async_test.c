// SPDX-License-Identifier: GPL-2.0-only
/*
 * APPLY with ASYNC: it returns at once, and its event always comes.
 */
#include <linux/delay.h>
#include <linux/fs.h>

#include "front/client.h"
#include "harness.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define DONE		KFD_XSCHED_EVENT_APPLY_DONE

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

/* It returns while the node works; the event has cookie, flips and success. */
static void done_is_told(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_event event;

	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), PROCESS,
				       xt->process->nr, 0x123456789abcULL), 0);
	KUNIT_EXPECT_EQ(test, xt->result_count, 1);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, 0);
	KUNIT_EXPECT_EQ(test, xt->entries[0].effective, 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, xt_describe(test, client(test), xt->ids[0]).holders);
	fake_answer(xt->node, 0);
	event = xt_wait_event(test, client(test));
	KUNIT_EXPECT_EQ(test, event.type, DONE);
	KUNIT_EXPECT_EQ(test, event.id, 0x123456789abcULL);
	KUNIT_EXPECT_EQ(test, event.queue_id, 3);
	KUNIT_EXPECT_EQ(test, event.data, 0);
	KUNIT_EXPECT_EQ(test, event.gpu_id, 0);
	KUNIT_EXPECT_GT(test, event.time_ns, 0);
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), xt->ids[0]).holders, 1);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
}

/* The firmware fails: the event says with what, and where. Nothing is held. */
static void failure_is_told(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct kfd_xsched_event event;

	fake_queue_add(test, xt->process, other);
	other->fail = -EIO;
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), PROCESS,
				       xt->process->nr, 7), 0);
	event = xt_wait_event(test, client(test));
	KUNIT_EXPECT_EQ(test, event.type, DONE);
	KUNIT_EXPECT_EQ(test, event.data, EIO);
	KUNIT_EXPECT_EQ(test, event.gpu_id, XT_GPU + 1);
	KUNIT_EXPECT_EQ(test, event.queue_id, 3);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	other->fail = 0;
}

/* What is wrong is said at once: no event follows, and nothing changes. */
static void checked_at_once(struct kunit *test)
{
	struct xt *xt = test->priv;

	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE, 0, 1),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -ENOENT);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(RESUME), QUEUE,
				       xt->ids[0], 1), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt->result_count, 0);
	msleep(20);
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), -EAGAIN);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* A cookie without ASYNC would never be seen again. */
static void cookie_needs_async(struct kunit *test)
{
	struct xt *xt = test->priv;
	const struct kfd_xsched_entry entry =
		XT_ENTRY(SUSPEND, QUEUE, xt->ids[0], 0);
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
		.cookie = 1,
	};

	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, client(test), KFD_XSCHED_APPLY,
					   &arg, sizeof(arg)), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_applies(), 0);
}

/* Nothing to do on any node is done, too. */
static void nothing_to_do(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int i;

	for (i = 0; i < 3; i++)
		fake_queue_remove(xt->queues[i]);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), PROCESS,
				       xt->process->nr, 5), 0);
	KUNIT_EXPECT_EQ(test, xt->result_count, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 5);
	KUNIT_EXPECT_TRUE(test, xt->process->hold_new);
}

/* A second call on what the first still works on is EAGAIN; on others it goes. */
static void busy_is_eagain(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);

	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[0], 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(RESUME), QUEUE,
				       xt->ids[0], 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, xt->entries[0].status, -EAGAIN);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), PROCESS,
				       xt->process->nr, 3), -EAGAIN);
	KUNIT_EXPECT_FALSE(test, xt->process->hold_new);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[1], 4), 0);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, xt->ids[0], 5), 0);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 1);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 4);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, b).id, 5);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(RESUME), QUEUE,
				       xt->ids[0], 6), 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 6);
}

/* As many as are allowed, unread: the next is EAGAIN until one is read. */
static void limit(struct kunit *test)
{
	const struct xs_client *client_a = client(test)->private_data;
	struct xt *xt = test->priv;
	unsigned int i;

	for (i = 0; i < KFD_XSCHED_MAX_ASYNC; i++) {
		KUNIT_ASSERT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
					       xt->ids[i % 3], i), 0);
		/* Until it is done, though not read. */
		KUNIT_ASSERT_TRUE(test, xt_comes(READ_ONCE(client_a->ring.kept) > i));
	}
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[0], 99), -EAGAIN);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), xt->ids[0]), 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 0);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[0], 99), 0);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[1], 100), -EAGAIN);
	for (i = 1; i < KFD_XSCHED_MAX_ASYNC; i++)
		KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, i);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).id, 99);
	KUNIT_EXPECT_EQ(test, xt_read(test, client(test)), -EAGAIN);
}

/* The ring overflows while a call is on its way: its event comes nevertheless. */
static void never_lost(struct kunit *test)
{
	const struct xs_client *client_a = client(test)->private_data;
	struct xt *xt = test->priv;
	bool told = false, lost = false;
	unsigned int i;
	long n, at;

	xt_subscribe(test, client(test),
		     KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET), 0, 0);
	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[0], 42), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	for (i = 0; i < KFD_XSCHED_EVENT_RING + 10; i++)
		xs_node_reset(xt->node, false);
	/* The ring is full: no room can be promised. */
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE,
				       xt->ids[1], 43), -EAGAIN);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(client_a->ring.kept)));
	for (i = 0; (n = xt_read(test, client(test))) > 0; i += n) {
		for (at = 0; at < n; at++) {
			told |= xt->events[at].type == DONE && xt->events[at].id == 42;
			lost |= xt->events[at].type == KFD_XSCHED_EVENT_LOST;
		}
	}
	KUNIT_EXPECT_EQ(test, i, KFD_XSCHED_EVENT_RING + 1);
	KUNIT_EXPECT_TRUE(test, told);
	KUNIT_EXPECT_TRUE(test, lost);
}

/* The file is closed while calls are on their way: nothing is held, nothing leaks. */
static void closed_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xs_client *client = b->private_data;
	struct xt_call closing;

	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, xt->ids[0], 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	/* Behind the first, in the worker's queue. */
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, xt->ids[1], 2), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, xt->files[0], OP(SUSPEND),
				    KFD_XSCHED_TARGET_QUEUE, 0, 0), -ENOENT);
	xs_client_get(client);
	xt_start_close(test, &closing, b);
	xt_expect_close_waits(test, &closing);
	KUNIT_EXPECT_EQ(test, xt_describe(test, xt->files[0], xt->ids[0]).holders, 0);
	fake_answer(xt->node, 0);
	xt_call_wait(test, &closing);
	KUNIT_EXPECT_TRUE(test, xt_comes(!fake_anything_held()));
	KUNIT_EXPECT_TRUE(test, xt_comes(refcount_read(&client->holder.refs) == 1));
	xs_client_put(client);
}

/* The process exits while calls on it are on their way. */
static void exit_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);

	fake_queue_add(test, xt->process, other);
	fake_hang(other);
	KUNIT_EXPECT_EQ(test, xt_async(test, client(test), OP(SUSPEND), PROCESS,
				       xt->process->nr, 1), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(other));
	fake_queue_remove(xt->queues[0]);
	fake_queue_remove(xt->queues[1]);
	fake_queue_remove(xt->queues[2]);
	fake_answer(other, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).data, 0);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_list(test, client(test)), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(done_is_told),
	KUNIT_CASE(failure_is_told),
	KUNIT_CASE(checked_at_once),
	KUNIT_CASE(cookie_needs_async),
	KUNIT_CASE(nothing_to_do),
	KUNIT_CASE(busy_is_eagain),
	KUNIT_CASE(limit),
	KUNIT_CASE(never_lost),
	KUNIT_CASE(closed_in_flight),
	KUNIT_CASE(exit_in_flight),
	{}
};

static struct kunit_suite suite = {
	.name = "async",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
