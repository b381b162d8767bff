// SPDX-License-Identifier: MIT
/* What every other test relies on: user queues work, without any scheduler. */
#include <errno.h>

#include "tap.h"
#include "worker.h"

#define MS	1000000ULL
#define DONE_MS	20000	/* when something that runs must be done */

static const struct spin_shape tiny = { 64, 256, MS / 10 };
static const struct spin_shape full = { 640, 256, 2 * MS };
static const struct spin_shape half_second = { 64, 256, 500 * MS };

static void test_dispatch(struct worker *w)
{
	struct spin_account a;
	struct vgpu_log log;

	tap_is(worker_submit(w, 0, &tiny, 1), 0, "a dispatch is submitted");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "its completion event wakes the process");
	tap_is(worker_last_log(w, 0, &log), 0, "it left a log");
	tap_ok(log.end_ns - log.start_ns >= tiny.workgroup_ns, "it took no less than a workgroup takes");
	tap_is(worker_submit(w, 0, &tiny, 50), 0, "fifty dependent dispatches are submitted");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "the last one completes");
	tap_is(worker_account(w, &a), 0, "account");
	tap_ok(a.submitted == 51 && spin_account_clean(&a), "each executed once and in order");
	tap_is(worker_submit(w, 0, &full, 1), 0, "a dispatch that fills the GPU is submitted");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "it completes");
}

static int disable(struct worker *w)
{
	return worker_update(w, 0, 0, 7);
}

static int enable(struct worker *w)
{
	return worker_update(w, 0, 100, 7);
}

static void test_update(struct worker *w)
{
	struct vgpu_log log;

	tap_is(worker_half_way(w, 1, &half_second, disable), 0,
	       "percentage 0 is accepted while a dispatch runs");
	tap_is(worker_wait(w, 0, 1000), -ETIME, "the dispatch does not complete");
	tap_is(enable(w), 0, "percentage 100 is accepted");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "the dispatch completes");
	worker_last_log(w, 0, &log);
	tap_is(log.executed, 1, "it executed once");
	tap_is(log.saved, 1, "its waves were saved once");
}

static void test_exit_busy(void)
{
	struct worker w;

	tap_is(worker_start(&w, 2, NULL), 0, "a process with two queues starts");
	tap_is(worker_submit(&w, 0, &half_second, 4), 0, "it submits two seconds of work");
	tap_is(worker_stop(&w), 0, "it exits in the middle");
}

int main(void)
{
	struct worker w;
	int ret = worker_start(&w, 1, NULL);

	if (ret)
		tap_bail("no queue: error %d", ret);
	test_dispatch(&w);
	test_update(&w);
	tap_is(worker_recreate(&w, 0), 0, "a queue is destroyed and created anew");
	tap_is(worker_submit(&w, 0, &tiny, 1), 0, "the new one takes a dispatch");
	tap_is(worker_wait(&w, 0, DONE_MS), 0, "and executes it");
	test_exit_busy();
	tap_is(worker_stop(&w), 0, "the worker exits");
	return tap_done();
}
