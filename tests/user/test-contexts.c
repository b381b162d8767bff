// SPDX-License-Identifier: MIT
/*
 * Several KFD processes of one address space and pid, which Linux 7 has: whatever is
 * asked of the pid concerns the queues of all of them. Their numbers of queues
 * are the same.
 */
#include <errno.h>
#include <unistd.h>

#include "held.h"
#include "kfdq.h"
#include "tap.h"

#define CONTEXTS	3
#define CAPACITY	64

/**
 * struct context - one of these KFD processes
 * @dev: its /dev/kfd
 * @queue: its queue
 * @spin: what that runs
 * @done: of the last dispatch
 */
struct context {
	struct kfdq_device *dev;
	struct kfdq_queue *queue;
	struct spin_set spin;
	struct kfdq_signal *done;
};

static struct context contexts[CONTEXTS];
static const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;

static void context_begin(struct context *c)
{
	if (kfdq_queue_create(c->dev, &options, &c->queue) ||
	    spin_set_init(&c->spin, c->dev, CAPACITY, CAPACITY) ||
	    kfdq_signal_create(c->dev, &c->done))
		tap_bail("no queue");
}

static void context_end(struct context *c)
{
	kfdq_queue_destroy(c->queue);
	spin_set_fini(&c->spin);
	kfdq_close(c->dev);
	c->dev = NULL;
}

/* On each that there still is: something that runs when this returns. */
static void start(void)
{
	const uint64_t end = xsdev_now() + HELD_DONE_MS * 1000000ULL;
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++) {
		if (contexts[i].dev &&
		    spin_submit(&contexts[i].spin, contexts[i].queue, &held_lengthy, 1,
				contexts[i].done))
			tap_bail("submit failed");
	}
	for (i = 0; i < CONTEXTS; i++) {
		while (contexts[i].dev && !kfdq_queue_is_empty(contexts[i].queue)) {
			if (xsdev_now() > end)
				tap_bail("nothing runs");
			xsdev_sleep_ms(1);
		}
	}
}

/* How many complete within that time for each. */
static unsigned int completed(int timeout_ms)
{
	unsigned int i, n = 0;

	for (i = 0; i < CONTEXTS; i++)
		n += contexts[i].dev &&
		     !kfdq_signal_wait(contexts[i].dev, contexts[i].done, timeout_ms);
	return n;
}

static int process_op(uint32_t op, int value)
{
	return xsdev_process_op(held_fd, op, getpid(), value, NULL);
}

/* SUSPEND of the pid while all of them run. */
static int hold_half_way(void)
{
	int ret;

	start();
	ret = process_op(KFD_XSCHED_OP_SUSPEND, 0);
	return ret || !completed(0) ? ret : -EALREADY;
}

/* The queues of this pid that are listed, of them those of this state and priority. */
static unsigned int listed(uint32_t state, int priority)
{
	struct kfd_xsched_queue queues[2 * CONTEXTS];
	int n = xsdev_list(held_fd, queues, 2 * CONTEXTS), i;
	unsigned int found = 0;

	for (i = 0; i < n && i < 2 * CONTEXTS; i++)
		found += queues[i].pid == getpid() &&
			 (queues[i].state & state) == state &&
			 (priority < 0 || queues[i].priority == (uint32_t)priority);
	return found;
}

static void test_list(void)
{
	unsigned int i, same = 0;

	for (i = 1; i < CONTEXTS; i++)
		same += kfdq_queue_id(contexts[i].queue) == kfdq_queue_id(contexts[0].queue);
	tap_is(same, CONTEXTS - 1, "list: to KFD, a queue of each has the same number");
	tap_is(listed(0, -1), CONTEXTS, "list: the queues of all are listed");
}

static void test_hold(void)
{
	tap_is(hold_half_way(), 0, "hold: SUSPEND of the pid");
	tap_ok(held_process_is(getpid(), HELD_MINE), "hold: the queues of all are held");
	tap_is(completed(HELD_STILL_MS / CONTEXTS), 0, "hold: none of them runs");
	tap_is(process_op(KFD_XSCHED_OP_RESUME, 0), 0, "hold: RESUME of the pid");
	tap_ok(held_process_is(getpid(), HELD_ACTIVE), "hold: the queues of all are released");
	tap_is(completed(HELD_DONE_MS), CONTEXTS, "hold: all of them run to their end");
}

static void test_priority(void)
{
	tap_is(process_op(KFD_XSCHED_OP_SET_PRIORITY, 3), 0, "priority: 3 for the pid");
	tap_is(listed(0, 3), CONTEXTS, "priority: it is in effect for the queues of all");
	tap_is(process_op(KFD_XSCHED_OP_SET_PRIORITY, KFD_XSCHED_PRIORITY_APP), 0,
	       "priority: given back");
	tap_is(listed(0, options.priority), CONTEXTS, "priority: all have that of their owner");
}

/* Whichever of them creates it. */
static void test_born(void)
{
	struct kfdq_queue *born[CONTEXTS] = { 0 };
	unsigned int i;

	tap_is(process_op(KFD_XSCHED_OP_SUSPEND, 0), 0, "born: SUSPEND of the pid");
	for (i = 0; i < CONTEXTS; i++) {
		if (kfdq_queue_create(contexts[i].dev, &options, &born[i]))
			tap_bail("no queue");
	}
	tap_is(listed(HELD_MINE, -1), 2 * CONTEXTS, "born: a new queue of each is born held");
	tap_is(process_op(KFD_XSCHED_OP_RESUME, 0), 0, "born: RESUME of the pid");
	tap_is(listed(HELD_ACTIVE, -1), 2 * CONTEXTS, "born: all are released");
	for (i = 0; i < CONTEXTS; i++)
		kfdq_queue_destroy(born[i]);
}

/* One of them closes its file while all are held: the others stay, and stay held. */
static void test_close(void)
{
	tap_is(hold_half_way(), 0, "close: SUSPEND of the pid");
	context_end(&contexts[1]);
	tap_is(listed(0, -1), CONTEXTS - 1, "close: one of them has gone");
	tap_is(completed(HELD_STILL_MS / CONTEXTS), 0, "close: the others are still held");
	tap_is(process_op(KFD_XSCHED_OP_RESUME, 0), 0, "close: RESUME of the pid");
	tap_is(completed(HELD_DONE_MS), CONTEXTS - 1, "close: they run to their end");
}

static void test_account(void)
{
	struct spin_account sum = { 0 }, a;
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++) {
		if (!contexts[i].dev)
			continue;
		spin_account(&contexts[i].spin, &a);
		spin_account_add(&sum, &a);
	}
	tap_ok(spin_account_clean(&sum), "every dispatch executed once and in order");
}

int main(void)
{
	unsigned int i;
	int ret;

	held_open(1);
	if (kfdq_open(&contexts[0].dev))
		tap_bail("no GPU");
	for (i = 1; i < CONTEXTS; i++) {
		ret = kfdq_open_context(&contexts[i].dev);
		if (ret == -ENOTTY) {
			tap_skip("this amdkfd has no AMDKFD_IOC_CREATE_PROCESS",
				 "several KFD processes of one pid");
			return tap_done();
		}
		if (ret)
			tap_bail("no further KFD process: error %d", ret);
	}
	for (i = 0; i < CONTEXTS; i++)
		context_begin(&contexts[i]);
	test_list();
	test_hold();
	test_priority();
	test_born();
	test_close();
	test_account();
	for (i = 0; i < CONTEXTS; i++) {
		if (contexts[i].dev)
			context_end(&contexts[i]);
	}
	return tap_done();
}
