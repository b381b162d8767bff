// SPDX-License-Identifier: MIT
/*
 * Lifecycle and activity events, by poll and read.
 */
#include <errno.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define TIMEOUT_MS	20000
#define RUNLISTS	300	/* while a process works */
#define LONG		12	/* dispatches: more than two seconds of work */
#define SAMPLE_US	1000
#define SETTLE_US	20000
#define LONG_SETTLE_US	300000	/* there is time for a hold in it */
#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)

static const struct spin_shape fifth = { 64, 256, 200 * MS };
static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape tiny = { 1, 64, 1000 };
static int fd;

static void test_lifecycle(void)
{
	struct kfd_xsched_event e;
	uint64_t before = xsdev_now();
	struct kfd_xsched_queue q;
	struct worker w;
	uint32_t id;
	pid_t pid;

	tap_is(xsdev_subscribe(fd, BIT(QUEUE_ADD) | BIT(QUEUE_DEL) | BIT(PROCESS_EXIT), 0, 0), 0,
	       "subscribe to the life of queues");
	if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &id))
		tap_bail("no worker");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_ADD, w.pid, TIMEOUT_MS, &e), 0,
	       "QUEUE_ADD when a process creates a queue");
	xsdev_find(fd, w.pid, id, &q);
	tap_ok(e.id == q.id && e.queue_id == id && e.gpu_id == q.gpu_id, "it names the queue");
	tap_ok(e.time_ns > before && e.time_ns < xsdev_now(), "and the time");
	worker_recreate(&w, 0);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_DEL, w.pid, TIMEOUT_MS, &e), 0,
	       "QUEUE_DEL when it destroys it");
	tap_ok(e.id == q.id, "it names the same queue");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_ADD, w.pid, TIMEOUT_MS, &e), 0,
	       "QUEUE_ADD for the next");
	tap_ok(e.id > q.id, "which has a new id");
	pid = w.pid;
	worker_kill(&w);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_PROCESS_EXIT, pid, TIMEOUT_MS, &e), 0,
	       "PROCESS_EXIT when the process is killed");
}

static void test_activity(void)
{
	struct kfd_xsched_event e;
	struct kfd_xsched_queue q;
	uint64_t submitted;
	struct vgpu_log log;
	struct worker w;
	uint32_t id;

	if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &id))
		tap_bail("no worker");
	tap_is(xsdev_subscribe(fd, BIT(READY) | BIT(IDLE), SAMPLE_US, SETTLE_US), 0,
	       "subscribe to activity");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, 300, &e), -ETIME,
	       "a queue without work is not READY");
	submitted = xsdev_now();
	worker_submit(&w, 0, &fifth, LONG);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, TIMEOUT_MS, &e), 0,
	       "READY when work is submitted");
	tap_ok(e.queue_id == id && e.time_ns >= submitted, "it names the queue, after the submission");
	xsdev_find(fd, w.pid, id, &q);
	tap_ok((q.state & KFD_XSCHED_QUEUE_READY) && (q.state & KFD_XSCHED_QUEUE_WATCHED),
	       "the list says so, too");
	worker_wait(&w, 0, TIMEOUT_MS);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w.pid, TIMEOUT_MS, &e), 0,
	       "IDLE when it has completed");
	worker_last_log(&w, 0, &log);
	if (xsdev_can(fd, KFD_XSCHED_CAP_WAVES))
		tap_ok(e.time_ns > log.end_ns, "not before its last wave has ended");
	else
		tap_skip("waves cannot be counted here", "not before its last wave has ended");
	xsdev_find(fd, w.pid, id, &q);
	tap_ok(!(q.state & KFD_XSCHED_QUEUE_READY), "the list says so, too");
	worker_stop(&w);
}

/* A packet that was consumed before is known by its waves alone. */
static void test_late(struct worker *w)
{
	struct kfd_xsched_event e;

	xsdev_subscribe(fd, 0, 0, 0);
	worker_submit(w, 0, &fifth, LONG);
	xsdev_subscribe(fd, BIT(READY) | BIT(IDLE), SAMPLE_US, SETTLE_US);
	if (!xsdev_can(fd, KFD_XSCHED_CAP_WAVES)) {
		tap_skip("waves cannot be counted here",
			 "READY for work that was there before the subscription");
		worker_wait(w, 0, TIMEOUT_MS);
		/* What waited was seen all the same, and is not what comes next. */
		xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, TIMEOUT_MS, &e);
		return;
	}
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w->pid, TIMEOUT_MS, &e), 0,
	       "READY for work that was there before the subscription");
	worker_wait(w, 0, TIMEOUT_MS);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, TIMEOUT_MS, &e), 0,
	       "IDLE when it has completed");
}

/* Work that comes while nobody looks, and while the queue is held. */
static void test_late_and_held(void)
{
	struct kfd_xsched_event e;
	struct worker w;

	must_start(&w, 1, NULL);
	test_late(&w);
	xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w.pid, 0, NULL);
	worker_submit(&w, 0, &tiny, 1);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, TIMEOUT_MS, &e), 0,
	       "READY when a held queue gets work");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w.pid, 300, &e), -ETIME,
	       "it does not become IDLE while it cannot run");
	xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w.pid, 0, NULL);
	worker_wait(&w, 0, TIMEOUT_MS);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w.pid, TIMEOUT_MS, &e), 0,
	       "resumed, it does");
	worker_stop(&w);
}

/* Held before its settle time is over, a queue becomes IDLE if nothing of it was saved. */
static void test_held_in_between(void)
{
	struct kfd_xsched_event e;
	struct kfd_xsched_queue q;
	struct worker w;
	uint32_t id;

	must_start(&w, 1, NULL);
	worker_queue_id(&w, 0, &id);
	xsdev_subscribe(fd, BIT(READY) | BIT(IDLE), SAMPLE_US, LONG_SETTLE_US);
	worker_submit(&w, 0, &fifth, 2);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, TIMEOUT_MS, &e), 0,
	       "two kernels are READY");
	worker_wait(&w, 0, TIMEOUT_MS);
	xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w.pid, 0, NULL);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w.pid, TIMEOUT_MS, &e), 0,
	       "held after they have ended, it becomes IDLE");
	xsdev_find(fd, w.pid, id, &q);
	tap_ok((q.state & KFD_XSCHED_QUEUE_HELD) && !(q.state & KFD_XSCHED_QUEUE_READY),
	       "while it is held");
	xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w.pid, 0, NULL);
	worker_begin(&w, 0, &endless);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w.pid, TIMEOUT_MS, &e), 0,
	       "a long kernel is READY");
	xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w.pid, 0, NULL);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w.pid, 2 * LONG_SETTLE_US / 1000, &e), -ETIME,
	       "held in it, it does not become IDLE");
	worker_kill(&w);
	xsdev_wait_no_queue(fd, TIMEOUT_MS);
}

/*
 * To create and destroy a queue, amdkfd takes all queues of the node off it for a moment, in
 * which no wave is to be seen. A GPU that cannot count waves needs a dispatch that waits.
 */
static void test_new_runlists(void)
{
	struct worker busy, other;
	struct kfd_xsched_event e;
	int i;

	if (worker_start(&busy, 1, NULL) || worker_start(&other, 2, NULL) ||
	    worker_begin(&busy, 0, &endless) ||
	    (!xsdev_can(fd, KFD_XSCHED_CAP_WAVES) && worker_submit(&busy, 0, &endless, 1)))
		tap_bail("no worker");
	tap_is(xsdev_subscribe(fd, BIT(READY) | BIT(IDLE), KFD_XSCHED_SAMPLE_US_MIN, 0), 0,
	       "subscribe, without a settle time");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, busy.pid, TIMEOUT_MS, &e), 0,
	       "a process is in a long kernel");
	for (i = 0; i < RUNLISTS && !worker_recreate(&other, 1); i++)
		;
	tap_is(i, RUNLISTS, "another one destroys and creates queues");
	tap_ok(xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, busy.pid, 0, &e),
	       "the first is not called IDLE meanwhile");
	worker_kill(&busy);
	worker_kill(&other);
	xsdev_wait_no_queue(fd, TIMEOUT_MS);
}

/* A reader that does not keep up gets LOST. */
static void test_overflow(void)
{
	unsigned int i, kept = 0, failed = 0;
	struct kfd_xsched_event e;
	struct worker w;
	bool lost = false;

	/* The queues of others go a little later, which would be counted, too. */
	if (xsdev_wait_no_queue(fd, TIMEOUT_MS))
		tap_bail("other processes have queues");
	must_start(&w, 1, NULL);
	xsdev_subscribe(fd, BIT(QUEUE_ADD) | BIT(QUEUE_DEL), 0, 0);
	for (i = 0; i < KFD_XSCHED_EVENT_RING / 2 + 10; i++)
		failed += worker_recreate(&w, 0) != 0;
	tap_is(failed, 0, "a queue is destroyed and created %u times, nobody reads", i);
	while (!lost && read(fd, &e, sizeof(e)) == sizeof(e)) {
		lost = e.type == KFD_XSCHED_EVENT_LOST;
		kept += !lost;
	}
	tap_ok(lost, "a LOST record follows those kept");
	tap_is(kept, KFD_XSCHED_EVENT_RING, "as many are kept as the ring holds");
	tap_is(e.data, 2 * i - KFD_XSCHED_EVENT_RING, "it says how many were lost");
	xsdev_subscribe(fd, 0, 0, 0);
	worker_stop(&w);
}

int main(void)
{
	fd = must_open();
	test_lifecycle();
	test_activity();
	test_late_and_held();
	test_held_in_between();
	test_new_runlists();
	test_overflow();
	return tap_done();
}
