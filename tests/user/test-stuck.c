// SPDX-License-Identifier: MIT
/*
 * A queue does not let itself be preempted, and amdkfd resets it in the middle of a switch:
 * what that switch was to put on the hardware, or to change, of the same process stays off
 * it and is nobody's any more; other processes go on.
 */
#include <errno.h>

#include "gpufault.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define STILL_MS	300
#define DONE_MS		20000

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape part = { 64, 256, 200 * MS };
static int fd;

/* The next queue that is to leave its slot does not: there must be only one in a slot. */
static void arm(void)
{
	int ret = gpufault("preempt_fail any");

	if (ret)
		tap_bail("no queue gets stuck: error %d", ret);
}

/* Reset, off the hardware, and held by nobody. */
static struct kfd_xsched_queue check_reset(struct worker *w, unsigned int n, const char *what)
{
	const uint32_t mask = KFD_XSCHED_QUEUE_RESET | KFD_XSCHED_QUEUE_ACTIVE |
			      KFD_XSCHED_QUEUE_HELD;
	const struct kfd_xsched_queue q = must_list(w, n, fd);

	if (!tap_ok((q.state & mask) == KFD_XSCHED_QUEUE_RESET && !q.holders,
		    "%s: queue %u is reset, inactive, nobody's", what, n))
		tap_note("state %#x, %u holders", q.state, q.holders);
	return q;
}

/* And the scheduler, to which the switch reported it, does not count on it. */
static void check_gone(struct worker *w, unsigned int n, const char *what)
{
	const struct kfd_xsched_queue q = check_reset(w, n, what);

	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, q.id, 0, NULL), -ESRCH,
	       "%s: queue %u cannot be held any more", what, n);
}

static void check_works(struct worker *w, const char *what)
{
	tap_is(worker_submit(w, 0, &part, 1), 0, "%s: another process submits", what);
	tap_is(worker_wait(w, 0, DONE_MS), 0, "%s: and completes", what);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "%s: nothing is held", what);
}

static int hold_first(struct worker *w)
{
	return xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, must_list(w, 0, fd).id, 0, NULL);
}

/* Queue 0 is held in the middle of a dispatch; while it is released, queue 1 is reset. */
static void test_release(struct worker *other)
{
	struct kfd_xsched_node_result node;
	struct kfd_xsched_queue q;
	struct worker w;

	must_start(&w, 2, NULL);
	q = must_list(&w, 0, fd);
	tap_is(worker_half_way(&w, 1, &part, hold_first), 0, "release: held before");
	if (worker_begin(&w, 1, &endless))
		tap_bail("nothing runs");
	arm();
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, q.id, 0, &node), -ESRCH,
	       "release: RESUME finds it gone");
	tap_ok(!node.status && !node.flips && node.fw_transactions == 1,
	       "release: by one transaction that puts nothing on the hardware");
	check_gone(&w, 0, "release");
	tap_is(worker_wait(&w, 0, STILL_MS), -ETIME, "release: its dispatch does not go on");
	check_reset(&w, 1, "release");
	check_works(other, "release");
	worker_kill(&w);
}

/* Queue 0 is to have another priority, and is reset by the unmap for that. */
static void test_priority(struct worker *other)
{
	struct kfd_xsched_queue q;
	struct worker w;

	must_start(&w, 1, NULL);
	if (worker_begin(&w, 0, &endless))
		tap_bail("nothing runs");
	q = must_list(&w, 0, fd);
	arm();
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_SET_PRIORITY, q.id, 3, NULL), -ESRCH,
	       "priority: SET_PRIORITY finds it gone");
	check_gone(&w, 0, "priority");
	check_works(other, "priority");
	worker_kill(&w);
}

int main(void)
{
	struct worker other;

	fd = must_open();
	if (xsdev_transactions(fd, 2) != 1) {
		tap_skip("MES says itself what it could not remove", "a queue that is stuck");
		return tap_done();
	}
	if (xsdev_wait_no_queue(fd, DONE_MS))
		tap_bail("other processes have queues");
	must_start(&other, 1, NULL);
	test_release(&other);
	test_priority(&other);
	tap_is(worker_stop(&other), 0, "the other process exits");
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "no queue is left");
	return tap_done();
}
