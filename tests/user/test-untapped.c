// SPDX-License-Identifier: MIT
/*
 * An amdkfd without the doorbell tap, the patch of the series that is optional: nobody is
 * shown that there is one, and activity and armed switches are there all the same, sampled.
 *
 * It fails on an amdkfd that has the tap.
 */
#include <errno.h>
#include <unistd.h>

#include "lease.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"

#define MS		1000000ULL
#define TIMEOUT_MS	20000
#define SAMPLE_US	1000
#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)

static const struct spin_shape half = { 4, 64, 300 * MS };
static const struct spin_shape brief = { 1, 64, 50000 };

static int fd;

static bool statistics_are(long sampled)
{
	int i;

	for (i = 0; i < TIMEOUT_MS / 10; i++) {
		if (sysfile_number(SYSFILE_GLOBAL "statistics/sampled") == sampled)
			break;
		xsdev_sleep_ms(10);
	}
	return i < TIMEOUT_MS / 10 && !sysfile_number(SYSFILE_GLOBAL "statistics/tapped") &&
		!sysfile_number(SYSFILE_GLOBAL "statistics/rings");
}

static void test_activity(struct worker *w)
{
	struct kfd_xsched_queue q;
	struct kfd_xsched_event e;
	uint32_t id;

	tap_ok(!xsdev_can(fd, KFD_XSCHED_CAP_TAP), "the node says that it has no tap");
	tap_is(xsdev_subscribe(fd, BIT(READY) | BIT(IDLE) | BIT(ARMED), SAMPLE_US, 0), 0,
	       "READY and IDLE can be asked for");
	tap_ok(statistics_are(1), "an idle process is sampled, not tapped");
	worker_queue_id(w, 0, &id);
	tap_ok(!xsdev_find(fd, w->pid, id, &q) && q.state & KFD_XSCHED_QUEUE_WATCHED &&
	       !(q.state & KFD_XSCHED_QUEUE_TAPPED),
	       "its queue is listed as watched, not as tapped");
	worker_submit(w, 0, &half, 1);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w->pid, TIMEOUT_MS, &e), 0,
	       "work is seen");
	worker_wait(w, 0, TIMEOUT_MS);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, TIMEOUT_MS, &e), 0,
	       "and its end");
}

/*
 * Both are sampled, and one is a trigger. Several dispatches, one after another: where waves
 * cannot be counted, the last one is not seen once it has been taken from the ring.
 */
static void test_armed(struct worker *w)
{
	struct kfd_xsched_event e;
	struct worker target;
	int id;

	must_start(&target, 1, NULL);
	id = xsarm_suspend(fd, w->pid, target.pid);
	tap_ok(id > 0, "a switch is armed");
	/* Longer than it takes to see that the other one does not run. */
	worker_submit(w, 0, &half, 10);
	tap_is(xsarm_wait(fd, (uint64_t)id, true, TIMEOUT_MS, &e), 0, "it runs when there is work");
	tap_is(e.queue_id, 1, "the other process is off");
	worker_submit(&target, 0, &brief, 1);
	tap_is(worker_wait(&target, 0, 50), -ETIME, "and does not run");
	worker_wait(w, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, (uint64_t)id, false, TIMEOUT_MS, &e), 0, "the switch is undone");
	tap_is(worker_wait(&target, 0, TIMEOUT_MS), 0, "and it runs");
	xsarm_clear(fd, (uint64_t)id);
	worker_stop(&target);
}

int main(void)
{
	struct worker w;

	fd = must_open();
	/* What a switch holds waits for three seconds of work, in which we make no call. */
	lease_set(LEASE_PATIENT_MS);
	must_start(&w, 1, NULL);
	test_activity(&w);
	test_armed(&w);
	tap_is(xsdev_subscribe(fd, 0, 0, 0), 0, "no subscriber is left");
	tap_ok(statistics_are(0), "nothing is sampled");
	worker_stop(&w);
	return tap_done();
}
