// SPDX-License-Identifier: MIT
/*
 * What only MES shows: the calls a switch costs, the order in which gangs get
 * the compute units, more queues than slots, and what becomes of a call that
 * fails.
 */
#include <errno.h>

#include "gpufault.h"
#include "gpustat.h"
#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define HELD_MS		400	/* how long we watch a held queue do nothing */
#define DONE_MS		20000	/* when something that runs must be done */

#define LOW		0
#define NORMAL		7
#define HIGH		15

static const struct spin_shape half_second = { 64, 256, 500 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
/* More workgroups than the GPU has room for, each with all the LDS of a CU. */
static const struct spin_shape filler = { 4096, 256, 20 * MS };
static const struct spin_shape whole = { 1024, 256, 2 * MS };

static int fd;

/**
 * struct calls - calls MES has answered, by kind
 * @add: queues added
 * @remove: queues removed
 * @suspend: gangs suspended
 * @resume: gangs resumed
 * @errors: calls refused or failed
 */
struct calls {
	long add;
	long remove;
	long suspend;
	long resume;
	long errors;
};

static struct calls calls(void)
{
	return (struct calls){
		.add = gpustat("mes_add"),
		.remove = gpustat("mes_remove"),
		.suspend = gpustat("mes_suspend"),
		.resume = gpustat("mes_resume"),
		.errors = gpustat("mes_errors"),
	};
}

static bool since(const struct calls *before, long add, long remove)
{
	struct calls now = calls();

	if (now.add - before->add == add && now.remove - before->remove == remove &&
	    now.errors == before->errors)
		return true;
	tap_note("%ld added, %ld removed, %ld errors", now.add - before->add,
		 now.remove - before->remove, now.errors - before->errors);
	return false;
}

/* Which comes a little later. */
static bool comes(const struct calls *before, long add, long remove)
{
	const uint64_t end = xsdev_now() + DONE_MS * MS;
	struct calls now;

	do {
		now = calls();
		if (now.add - before->add >= add && now.remove - before->remove >= remove)
			break;
		xsdev_sleep_ms(10);
	} while (xsdev_now() < end);
	return since(before, add, remove);
}

static int process_op(const struct worker *w, uint32_t op)
{
	return xsdev_process_op(fd, op, w->pid, 0, NULL);
}

static struct calls before_hold;

static int hold(struct worker *w)
{
	before_hold = calls();
	return process_op(w, KFD_XSCHED_OP_SUSPEND);
}

static int release(struct worker *w)
{
	return process_op(w, KFD_XSCHED_OP_RESUME);
}

/* A hold is one REMOVE a queue, a release one ADD, and nothing else. */
static void test_calls(void)
{
	struct worker one, two;
	struct calls before;

	if (worker_start(&one, 1, NULL) || worker_start(&two, 3, NULL))
		tap_bail("no worker");
	tap_is(worker_half_way(&one, 1, &half_second, hold), 0,
	       "a process with one queue is held");
	tap_ok(since(&before_hold, 0, 1), "which is one call");
	before = calls();
	tap_is(hold(&one), 0, "again");
	tap_ok(since(&before, 0, 0), "which is none");
	tap_is(worker_wait(&one, 0, HELD_MS + 500), -ETIME, "it does not run");
	before = calls();
	tap_is(release(&one), 0, "it is resumed");
	tap_ok(since(&before, 1, 0), "which is one call");
	tap_is(worker_wait(&one, 0, DONE_MS), 0, "it runs to its end");

	before = calls();
	tap_is(hold(&two), 0, "a process with three queues is held");
	tap_ok(since(&before, 0, 3), "by three calls");
	tap_is(release(&two), 0, "and resumed");
	tap_ok(since(&before, 3, 3), "by three");
	before = calls();
	worker_stop(&two);
	tap_ok(comes(&before, 0, 3), "at its end its queues are removed");
	tap_ok(worker_clean(&one), "every dispatch executed once and in order");
	worker_stop(&one);
	xsdev_wait_no_queue(fd, DONE_MS);
}

static uint64_t start_of(struct worker *w, unsigned int queue)
{
	struct vgpu_log log = { 0 };

	worker_last_log(w, queue, &log);
	return log.start_ns;
}

/* Until the last workgroups of the filler begin, nobody else does. */
static bool both_waited(struct worker *w, uint64_t by)
{
	struct vgpu_log log = { 0 };

	worker_last_log(w, 0, &log);
	return log.end_ns > by + 2 * filler.workgroup_ns;
}

/*
 * Behind a kernel that fills the GPU two others wait. Whose gang has the higher
 * priority is launched first, whichever came first.
 */
static void try_order(struct worker *w, unsigned int high, unsigned int low)
{
	bool completed;
	uint64_t by;

	worker_update(w, high, 100, HIGH);
	worker_update(w, low, 100, LOW);
	worker_begin(w, 0, &filler);
	worker_submit(w, low, &whole, 1);
	xsdev_sleep_ms(20);
	worker_submit(w, high, &whole, 1);
	xsdev_sleep_ms(20);
	by = xsdev_now();
	completed = !worker_wait(w, 0, DONE_MS) && !worker_wait(w, high, DONE_MS) &&
		    !worker_wait(w, low, DONE_MS);
	tap_ok(completed && both_waited(w, by), "three kernels share the GPU");
	tap_ok(start_of(w, high) < start_of(w, low),
	       "queue %u has the higher priority and begins before queue %u", high, low);
}

static void test_priority(void)
{
	struct worker w;

	must_start(&w, 3, NULL);
	try_order(&w, 1, 2);
	try_order(&w, 2, 1);
	tap_ok(worker_clean(&w), "every dispatch executed once and in order");
	worker_stop(&w);
	xsdev_wait_no_queue(fd, DONE_MS);
}

/* More queues than slots: all get their turn, none is lost. */
static void test_oversubscription(void)
{
	struct worker w[3];
	long saves = gpustat("saves"), mapped = 0, n;
	unsigned int i, q, wrong = 0;

	for (i = 0; i < 3; i++)
		must_start(&w[i], 6, NULL);
	for (i = 0; i < 3; i++)
		for (q = 0; q < 6; q++)
			worker_submit(&w[i], q, &tenth, 2);
	for (i = 0; i < 20; i++) {
		n = gpustat("mapped");
		mapped = n > mapped ? n : mapped;
		xsdev_sleep_ms(5);
	}
	tap_is(mapped, 8, "eighteen queues have eight slots");
	for (i = 0; i < 3; i++)
		for (q = 0; q < 6; q++)
			wrong += worker_wait(&w[i], q, DONE_MS) != 0;
	tap_is(wrong, 0, "all of them complete");
	tap_ok(gpustat("saves") > saves, "waves were saved for it");
	for (i = 0; i < 3; i++) {
		wrong += !worker_clean(&w[i]);
		worker_stop(&w[i]);
	}
	tap_is(wrong, 0, "every dispatch executed once and in order");
	xsdev_wait_no_queue(fd, DONE_MS);
}

/* An idle queue takes no slot from one with work, however early it came. */
static void test_idle(void)
{
	struct worker idle, busy;
	struct vgpu_log log = { 0 };
	unsigned int i, wrong = 0;
	uint64_t begin, latest = 0;

	if (worker_start(&idle, 8, NULL) || worker_start(&busy, 1, NULL))
		tap_bail("no worker");
	for (i = 0; i < 10; i++) {
		begin = xsdev_now();
		worker_submit(&busy, 0, &tenth, 1);
		wrong += worker_wait(&busy, 0, DONE_MS) != 0;
		worker_last_log(&busy, 0, &log);
		latest = log.start_ns - begin > latest ? log.start_ns - begin : latest;
	}
	tap_is(wrong, 0, "a ninth queue runs after eight idle ones");
	tap_ok(latest < 50 * MS, "soon");
	worker_submit(&idle, 7, &tenth, 1);
	tap_is(worker_wait(&idle, 7, DONE_MS), 0, "one of the idle ones finds work and runs");
	worker_stop(&idle);
	worker_stop(&busy);
	xsdev_wait_no_queue(fd, DONE_MS);
}

/* The driver's own way out of a failed call, and back. */
static void test_failure(const char *fault, const char *what, long errors)
{
	struct calls before;
	struct worker w;
	long resets = gpustat("resets");
	uint64_t begin;

	if (worker_start(&w, 1, NULL) || worker_begin(&w, 0, &half_second))
		tap_bail("no worker");
	before = calls();
	if (gpufault("%s", fault))
		tap_bail("%s: not armed", what);
	begin = xsdev_now();
	tap_is(process_op(&w, KFD_XSCHED_OP_SUSPEND), -ETIME, "%s: SUSPEND fails with ETIME", what);
	tap_note("after %llu ms", (unsigned long long)((xsdev_now() - begin) / MS));
	tap_ok(!gpufault_wait_reset(fd), "the GPU is reset");
	tap_is(calls().errors - before.errors, errors, "%s: MES counts %ld errors", what, errors);
	tap_ok(gpustat("resets") > resets, "%s: the software GPU was reset", what);
	worker_kill(&w);
	xsdev_wait_no_queue(fd, DONE_MS);

	if (worker_start(&w, 1, NULL))
		tap_bail("no worker after the reset");
	tap_is(worker_half_way(&w, 1, &tenth, hold), 0, "%s: a new process is held", what);
	gpufault_check_released(fd, &w, what);
	tap_ok(since(&before_hold, 1, 1), "%s: by one call each", what);
	tap_ok(worker_clean(&w), "%s: every dispatch executed once and in order", what);
	worker_stop(&w);
	xsdev_wait_no_queue(fd, DONE_MS);
}

int main(void)
{
	struct kfd_xsched_node node;

	fd = gpufault_open();
	if (xsdev_node(fd, &node) || node.backend != KFD_XSCHED_BACKEND_MES) {
		tap_skip("this GPU has no MES", "calls, order, failures of MES");
		return tap_done();
	}
	test_calls();
	test_priority();
	test_oversubscription();
	test_idle();
	test_failure("mes_fail 1 remove", "a call that fails", 1);
	test_failure("mes_hang remove", "a call that is not answered", 0);
	return tap_done();
}
