// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: the ring, and which subscriber gets what.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/poll.h>

#include "front/client.h"
#include "harness.h"

#define BIT_OF(_type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_type)
#define LIFECYCLE	(BIT_OF(QUEUE_ADD) | BIT_OF(QUEUE_DEL) | BIT_OF(PROCESS_EXIT))
#define RING		KFD_XSCHED_EVENT_RING

static void push(struct xs_ring *ring, u64 id)
{
	const struct kfd_xsched_event event = { .id = id, .time_ns = 1000 + id };

	xs_ring_push(ring, &event);
}

/* Take @count records with ids from @first on. */
static void expect_run(struct kunit *test, struct xs_ring *ring, u64 first, u32 count)
{
	struct kfd_xsched_event event;
	u32 i;

	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_EQ(test, xs_ring_take(ring, &event, 1), 1);
		KUNIT_ASSERT_EQ(test, event.type, 0);
		KUNIT_ASSERT_EQ(test, event.id, first + i);
	}
}

static void expect_lost(struct kunit *test, struct xs_ring *ring, u64 count, u64 time_ns)
{
	struct kfd_xsched_event event = {};

	KUNIT_EXPECT_EQ(test, xs_ring_take(ring, &event, 1), 1);
	KUNIT_EXPECT_EQ(test, event.type, KFD_XSCHED_EVENT_LOST);
	KUNIT_EXPECT_EQ(test, event.data, count);
	KUNIT_EXPECT_EQ(test, event.time_ns, time_ns);
}

/* Records come out in the order they went in, many times around. */
static void ring_keeps_order(struct kunit *test)
{
	struct xs_ring ring;
	u64 id;

	KUNIT_ASSERT_EQ(test, xs_ring_init(&ring), 0);
	KUNIT_EXPECT_TRUE(test, xs_ring_empty(&ring));
	for (id = 0; id < 5 * RING; id += 3) {
		push(&ring, id);
		push(&ring, id + 1);
		push(&ring, id + 2);
		expect_run(test, &ring, id, 3);
	}
	KUNIT_EXPECT_TRUE(test, xs_ring_empty(&ring));
	xs_ring_free(&ring);
}

/* A full ring drops the newest; LOST follows those kept. */
static void ring_overflow(struct kunit *test)
{
	struct xs_ring ring;
	u64 id;

	KUNIT_ASSERT_EQ(test, xs_ring_init(&ring), 0);
	for (id = 0; id < RING + 5; id++)
		push(&ring, id);
	expect_run(test, &ring, 0, RING);
	KUNIT_EXPECT_FALSE(test, xs_ring_empty(&ring));
	expect_lost(test, &ring, 5, 1000 + RING);
	KUNIT_EXPECT_TRUE(test, xs_ring_empty(&ring));
	push(&ring, 7);
	expect_run(test, &ring, 7, 1);
	xs_ring_free(&ring);
}

/* With room again, LOST stands between what was kept and what is new. */
static void ring_lost_in_between(struct kunit *test)
{
	struct xs_ring ring;
	u64 id;

	KUNIT_ASSERT_EQ(test, xs_ring_init(&ring), 0);
	for (id = 0; id < RING + 2; id++)
		push(&ring, id);
	expect_run(test, &ring, 0, 1);
	/* Room for one, and two are needed. */
	push(&ring, 9000);
	expect_run(test, &ring, 1, 1);
	push(&ring, 9001);
	expect_run(test, &ring, 2, RING - 2);
	expect_lost(test, &ring, 3, 1000 + RING);
	expect_run(test, &ring, 9001, 1);
	KUNIT_EXPECT_TRUE(test, xs_ring_empty(&ring));
	xs_ring_free(&ring);
}

/* A queue comes and goes, then its process: subscribers get events in order. */
static void lifecycle(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);
	const pid_t nr = xt->process->nr;
	u64 before = ktime_get_ns();
	unsigned int i;

	xt_subscribe(test, a, LIFECYCLE, 0, 0);
	xt_subscribe(test, b, BIT_OF(PROCESS_EXIT), 0, 0);
	fake_queue_remove(fake_queue_add(test, xt->process, xt->node));
	fake_process_exit(xt->process);

	KUNIT_ASSERT_EQ(test, xt_read(test, a), 6);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_QUEUE_ADD);
	KUNIT_EXPECT_EQ(test, xt->events[0].id, xt->ids[2] + 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].gpu_id, XT_GPU);
	KUNIT_EXPECT_EQ(test, xt->events[0].queue_id, 3);
	for (i = 1; i < 5; i++)
		KUNIT_EXPECT_EQ(test, xt->events[i].type, KFD_XSCHED_EVENT_QUEUE_DEL);
	KUNIT_EXPECT_EQ(test, xt->events[1].id, xt->ids[2] + 1);
	KUNIT_EXPECT_EQ(test, xt->events[2].id, xt->ids[0]);
	KUNIT_EXPECT_EQ(test, xt->events[5].type, KFD_XSCHED_EVENT_PROCESS_EXIT);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, xt->events[i].pid, nr);
		KUNIT_EXPECT_GE(test, xt->events[i].time_ns, before);
		before = xt->events[i].time_ns;
	}
	KUNIT_EXPECT_EQ(test, xt_read(test, b), 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_PROCESS_EXIT);
}

/* A new subscription replaces the former; none at all is silent. */
static void resubscribe(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	fake_queue_add(test, xt->process, xt->node);
	xt_subscribe(test, a, BIT_OF(QUEUE_DEL), 0, 0);
	fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), -EAGAIN);
	xt_subscribe(test, a, BIT_OF(QUEUE_ADD), 0, 0);
	fake_queue_add(test, xt->process, xt->node);
	xt_subscribe(test, a, 0, 0, 0);
	fake_queue_add(test, xt->process, xt->node);
	/* What was there stays there. */
	KUNIT_EXPECT_EQ(test, xt_read(test, a), 1);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), -EAGAIN);
}

static long read_raw(struct file *file, unsigned long address, size_t size)
{
	return file->f_op->read(file, (char __user *)address, size, NULL);
}

/* Whole records, as many as fit; a short buffer is EINVAL. */
static void read_sizes(struct kunit *test)
{
	const size_t size = sizeof(struct kfd_xsched_event);
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	unsigned int i;

	xt_subscribe(test, a, BIT_OF(QUEUE_ADD), 0, 0);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, size), -EAGAIN);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, 0), -EINVAL);
	for (i = 0; i < 30; i++)
		fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, 2 * size + 1), 2 * size);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, 20 * size), 20 * size);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, 20 * size), 8 * size);
	KUNIT_EXPECT_EQ(test, read_raw(a, xt->user, size), -EAGAIN);
}

/* Records that cannot be delivered are lost, and LOST reports it. */
static void read_bad_address(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	xt_subscribe(test, a, BIT_OF(QUEUE_ADD), 0, 0);
	fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ(test, read_raw(a, 0, sizeof(xt->events)), -EFAULT);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_LOST);
	KUNIT_EXPECT_EQ(test, xt->events[0].data, 1);
}

/* poll() reports what read() would return. */
static void poll_readable(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];

	xt_subscribe(test, a, BIT_OF(QUEUE_ADD), 0, 0);
	KUNIT_EXPECT_EQ(test, vfs_poll(a, NULL), 0);
	fake_queue_add(test, xt->process, xt->node);
	KUNIT_EXPECT_EQ(test, vfs_poll(a, NULL), EPOLLIN | EPOLLRDNORM);
	xt_read(test, a);
	KUNIT_EXPECT_EQ(test, vfs_poll(a, NULL), 0);
}

/* In another thread: an event, in a while. */
static void reset_later(void *node)
{
	msleep(50);
	xs_node_reset(node, false);
}

/* A blocking read waits for the first record. */
static void read_blocks(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const u64 start = ktime_get_ns();
	struct xt_call later;

	xt_subscribe(test, a, BIT_OF(NODE_RESET), 0, 0);
	a->f_flags &= ~O_NONBLOCK;
	xt_start_fn(test, &later, reset_later, xt->node);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), 1);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, 40 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_NODE_RESET);
	xt_call_wait(test, &later);
}

/* Each hears of what its opener may see; the credentials at birth decide. */
static void events_are_for_the_permitted(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct file *b;

	b = xt_open_as(test, XT_UID);
	xt_subscribe(test, xt->files[0], LIFECYCLE, 0, 0);
	xt_subscribe(test, b, LIFECYCLE, 0, 0);
	fake_queue_add(test, other, xt->node);
	fake_process_exit(other);
	fake_queue_remove(xt->queues[0]);
	KUNIT_EXPECT_EQ(test, xt_read(test, xt->files[0]), 4);
	KUNIT_EXPECT_EQ(test, xt_read(test, b), 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_QUEUE_DEL);
	KUNIT_EXPECT_EQ(test, xt->events[0].id, xt->ids[0]);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_keeps_order),
	KUNIT_CASE(ring_overflow),
	KUNIT_CASE(ring_lost_in_between),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "ring",
	.test_cases = ring_cases,
};

static struct kunit_case cases[] = {
	KUNIT_CASE(lifecycle),
	KUNIT_CASE(resubscribe),
	KUNIT_CASE(read_sizes),
	KUNIT_CASE(read_bad_address),
	KUNIT_CASE(poll_readable),
	KUNIT_CASE(read_blocks),
	KUNIT_CASE(events_are_for_the_permitted),
	{}
};

static struct kunit_suite suite = {
	.name = "event",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suites(&ring_suite, &suite);
