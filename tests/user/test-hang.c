// SPDX-License-Identifier: MIT
/*
 * The firmware does not answer a switch: the caller gets an error, in bounded time
 * and without keeping the CPU; nothing is held; amdkfd resets the GPU, and
 * the next process is scheduled as ever.
 */
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#include "gpufault.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define FW_TIMEOUT_MS	3000	/* instead of amdkfd's nine seconds */
#define SLACK_MS	20000
#define SLEEPS		20	/* in FW_TIMEOUT_MS, at the least; one that spins sleeps never */

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
static int fd;

/* Times this process gave the CPU away by itself. */
static long sleeps(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

/* As the daemon does: at real-time priority, where spinning would starve others. */
static void test_switch(struct worker *w)
{
	const struct sched_param fifo = { .sched_priority = 1 }, other = { 0 };
	struct kfd_xsched_entry entry = {
		.op = KFD_XSCHED_OP_SUSPEND,
		.target = KFD_XSCHED_TARGET_PROCESS,
		.id = w->pid,
	};
	struct kfd_xsched_queue q;
	uint64_t wall;
	uint32_t id;
	long slept;

	worker_queue_id(w, 0, &id);
	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		tap_bail("SCHED_FIFO: error %d", -errno);
	wall = xsdev_now();
	slept = sleeps();
	tap_is(xsdev_apply(fd, &entry, 1, NULL), -ETIME, "SUSPEND fails with ETIME");
	wall = xsdev_now() - wall;
	slept = sleeps() - slept;
	sched_setscheduler(0, SCHED_OTHER, &other);
	tap_is(entry.status, -ETIME, "so does its entry");
	tap_ok(wall < (FW_TIMEOUT_MS + SLACK_MS) * MS, "it does not wait for ever");
	if (xsdev_transactions(fd, 2) == 1)
		tap_ok(slept >= SLEEPS, "nor at the expense of others");
	else
		tap_skip("amdgpu polls for answers of MES", "nor at the expense of others");
	tap_note("%llu ms, slept %ld times", (unsigned long long)(wall / MS), slept);
	tap_is(xsdev_find(fd, w->pid, id, &q), 0, "the queue is still there");
	tap_ok(!(q.state & KFD_XSCHED_QUEUE_HELD) && !q.holders, "nobody holds it");
}

static struct kfd_xsched_node_result node;

static int hold(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, &node);
}

static void test_afterwards(void)
{
	struct worker w;

	if (worker_start(&w, 1, NULL))
		tap_bail("no worker after the reset");
	tap_is(worker_half_way(&w, 1, &tenth, hold), 0, "a new process is held");
	tap_is(node.fw_transactions, 1, "by one transaction");
	gpufault_check_released(fd, &w, NULL);
	tap_ok(worker_clean(&w), "every dispatch executed once and in order");
	worker_stop(&w);
}

int main(void)
{
	struct worker w;

	fd = gpufault_open();
	if (worker_start(&w, 1, NULL) || worker_begin(&w, 0, &endless))
		tap_bail("no worker");
	gpufault_timeout(FW_TIMEOUT_MS);
	gpufault_hang();
	test_switch(&w);
	tap_ok(!gpufault_wait_reset(fd), "the GPU is reset");
	worker_kill(&w);
	xsdev_wait_no_queue(fd, SLACK_MS);
	test_afterwards();
	return tap_done();
}
