// SPDX-License-Identifier: MIT
/*
 * The firmware leaves as many calls unanswered as an administrator allows: the breaker of the
 * node opens, nothing is held there until root closes it, and what runs there runs.
 */
#include <errno.h>
#include <stdio.h>

#include "breaker.h"
#include "gpufault.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LIMIT		2
#define LATE_MS		20000	/* a firmware time-out, and a reset of the GPU */

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
static uint32_t gpu_id;
static char directory[64];
/* One to act, one to hear of the breaker alone. */
static int fd, listener;

static long statistic(const char *name)
{
	return sysfile_number("%sstatistics/%s", directory, name);
}

static int hold(pid_t pid)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL);
}

/* A call that fails, and the reset of the GPU after it. */
static void fail_once(void)
{
	struct worker w;

	if (worker_start(&w, 1, NULL) || worker_submit(&w, 0, &endless, 1))
		tap_bail("no worker");
	tap_is(breaker_provoke(fd, &w, 0), -ETIME, "the firmware does not answer");
	if (gpufault_wait_reset(fd))
		tap_bail("the GPU is not reset");
	worker_kill(&w);
	if (xsdev_wait_no_queue(fd, LATE_MS))
		tap_bail("queues stay");
}

static void expect_event(bool open, const char *what)
{
	struct kfd_xsched_event e = {};
	int ret = xsdev_wait_event(listener, KFD_XSCHED_EVENT_NODE_BREAKER, 0, LATE_MS, &e);

	tap_ok(!ret && e.data == open && e.gpu_id == gpu_id, "%s", what);
}

static void test_opens(void)
{
	const long openings = statistic("breaker_openings");
	struct kfd_xsched_node node;

	tap_ok(breaker_is(gpu_id, "closed"), "it is closed at first");
	fail_once();
	tap_ok(breaker_is(gpu_id, "closed"), "one failure does not open it");
	tap_is(statistic("recent_failures"), 1, "but counts");
	fail_once();
	tap_ok(breaker_is(gpu_id, "open"), "the second opens it");
	expect_event(true, "which is reported");
	tap_is(statistic("breaker_openings") - openings, 1, "which is counted");
	tap_is(xsdev_node(fd, &node), 0, "INFO");
	tap_ok(!(node.caps & (KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP)) && node.shut_ns,
	       "says that nothing can be held, and since when");
	tap_is(node.failures, LIMIT, "and how many failed");
}

static void test_holds_nothing(struct worker *w)
{
	if (worker_start(w, 1, NULL))
		tap_bail("no worker after the reset");
	worker_submit(w, 0, &tenth, 1);
	tap_is(hold(w->pid), -ESHUTDOWN, "a new process cannot be held");
	tap_is(worker_wait(w, 0, LATE_MS), 0, "it runs to its end");
	tap_ok(worker_clean(w), "every dispatch executed once and in order");
}

static void test_closes(struct worker *w)
{
	tap_is(sysfile_write("open", "%sbreaker", directory), -EINVAL, "it cannot be opened by hand");
	tap_is(breaker_close(gpu_id), 0, "root closes it");
	expect_event(false, "which is reported");
	tap_is(statistic("recent_failures"), 0, "failures are forgotten");
	tap_is(statistic("breaker_open_ms"), 0, "it is not open any more");
	tap_is(hold(w->pid), 0, "the process can be held again");
	worker_submit(w, 0, &tenth, 1);
	gpufault_check_released(fd, w, NULL);
	tap_ok(worker_clean(w), "every dispatch executed once and in order");
	worker_stop(w);
}

int main(void)
{
	struct kfd_xsched_node node;
	struct worker w;

	fd = gpufault_open();
	listener = must_open();
	if (xsdev_node(fd, &node))
		tap_bail("no node");
	gpu_id = node.gpu_id;
	snprintf(directory, sizeof(directory), "/sys/class/kfd_xsched/node%u/", gpu_id);
	tap_is(sysfile_number("%s.defaults/breaker_failures", directory), 1,
	       "the first failure opens a breaker by default");
	breaker_set(gpu_id, LIMIT);
	xsdev_subscribe(listener, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER), 0, 0);
	gpufault_timeout(500);
	test_opens();
	test_holds_nothing(&w);
	test_closes(&w);
	return tap_done();
}
