// SPDX-License-Identifier: MIT
/*
 * Waves of a queue without packets: while they run, are saved, or are on their way back, the
 * queue is not IDLE, however long a GPU takes to save and restore them. To count them takes a
 * share of the time that an administrator sets.
 */
#include <stdio.h>

#include "gpufault.h"
#include "gpustat.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define READY		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY)
#define IDLE		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE)
#define PROFILE		"/sys/kernel/debug/vgpu/profile"
#define PERCENT		SYSFILE_GLOBAL "waves_percent"
#define TIMEOUT_MS	20000
#define SWITCHES	15
#define ONES		1000000
#define COUNTED_MS	1000

/**
 * struct cost - of a context switch
 * @save_us: what a save takes, whatever its size
 * @restore_us: and a restore
 */
struct cost {
	unsigned int save_us;
	unsigned int restore_us;
};

static const struct cost costs[] = {
	{ 5, 5 }, { 50, 50 }, { 500, 500 }, { 2000, 2000 }, { 5, 2000 }, { 2000, 5 },
};

/* A wave that takes longer than all switches of a test. */
static const struct spin_shape lasting = { 1, 64, 200000000 };
static const struct spin_shape endless = { 1, 64, 60000000000 };
static int fd;

static void set_cost(const char *name, unsigned int us)
{
	char line[40];

	snprintf(line, sizeof(line), "%s %u", name, us * 1000);
	if (sysfile_write(line, PROFILE))
		tap_bail("%s: cannot be set", line);
}

static void set_costs(const struct cost *cost)
{
	set_cost("save_ns", cost->save_us);
	set_cost("restore_ns", cost->restore_us);
}

static bool is_called_idle(const struct worker *w, int timeout_ms, struct kfd_xsched_event *e)
{
	return !xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, timeout_ms, e);
}

/* Its packet is consumed, and its wave runs. */
static void start(struct worker *w, const struct spin_shape *shape)
{
	struct kfd_xsched_event e;

	if (worker_start(w, 1, NULL) || worker_begin(w, 0, shape) ||
	    xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w->pid, TIMEOUT_MS, &e))
		tap_bail("no worker");
}

/* Switch some process, which saves and restores the waves of all, while that one runs. */
static bool idle_in_a_switch(const struct worker *w, const struct worker *switched)
{
	struct kfd_xsched_event e;
	unsigned int i;

	for (i = 0; i < SWITCHES; i++) {
		if (xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, switched->pid, 0, NULL) ||
		    xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, switched->pid, 0, NULL))
			tap_bail("no switch");
		if (is_called_idle(w, 3, &e))
			return true;
	}
	return false;
}

static void test_switches(const struct cost *cost, bool itself)
{
	struct kfd_xsched_event e;
	struct worker w, other;
	struct vgpu_log log;

	must_start(&other, 1, NULL);
	set_costs(cost);
	start(&w, &lasting);
	tap_ok(!idle_in_a_switch(&w, itself ? &w : &other),
	       "save %u us, restore %u us: %s is switched, and what runs is not IDLE",
	       cost->save_us, cost->restore_us, itself ? "it" : "another");
	worker_wait(&w, 0, TIMEOUT_MS);
	worker_last_log(&w, 0, &log);
	tap_ok(is_called_idle(&w, TIMEOUT_MS, &e) && e.time_ns > log.end_ns,
	       "save %u us, restore %u us: it is when it has completed", cost->save_us,
	       cost->restore_us);
	worker_stop(&w);
	worker_stop(&other);
}

/* A GPU that does not answer hides what runs. */
static void test_ones(void)
{
	struct kfd_xsched_event e;
	struct worker w;

	start(&w, &lasting);
	if (gpufault("ones %u", ONES))
		tap_bail("no fault");
	worker_wait(&w, 0, TIMEOUT_MS);
	tap_ok(!is_called_idle(&w, 300, &e), "registers read as ones: not IDLE");
	tap_ok(gpufault_look("fired", "ones") > 0, "they were read");
	gpufault("clear");
	tap_ok(is_called_idle(&w, TIMEOUT_MS, &e), "they do not any more: IDLE");
	worker_stop(&w);
}

/* Each access takes a microsecond. What may be made up for at once are 20 ms of the share. */
static void test_share(unsigned int percent)
{
	const long bound_us = (COUNTED_MS + 20) * 10L * percent;
	long before, accesses;
	uint64_t start_ns;
	struct worker w;

	start(&w, &endless);
	tap_is(sysfile_set(percent, PERCENT), 0, "%u %% of the time for counts", percent);
	before = gpustat("register_accesses");
	start_ns = xsdev_now();
	xsdev_sleep_ms(COUNTED_MS);
	accesses = gpustat("register_accesses") - before;
	tap_ok(accesses > 0 && xsdev_now() - start_ns < 2 * COUNTED_MS * 1000000ULL &&
	       accesses < 2 * bound_us, "they take %ld us of %d ms", accesses, COUNTED_MS);
	tap_ok(accesses < bound_us + bound_us / 5, "no more than that share");
	worker_kill(&w);
	xsdev_wait_no_queue(fd, TIMEOUT_MS);
	sysfile_set(10, PERCENT);
}

static void test_none(void)
{
	struct kfd_xsched_event e;
	struct worker w;
	long before;

	start(&w, &endless);
	tap_is(sysfile_set(0, PERCENT), 0, "no time for counts");
	tap_ok(!xsdev_can(fd, KFD_XSCHED_CAP_WAVES), "the node says that it does not count");
	tap_ok(is_called_idle(&w, TIMEOUT_MS, &e), "so what has no packets is IDLE");
	/* A count that had begun goes on. */
	xsdev_sleep_ms(10);
	before = gpustat("register_accesses");
	xsdev_sleep_ms(100);
	tap_is(gpustat("register_accesses"), before, "nothing was counted");
	tap_is(sysfile_set(10, PERCENT), 0, "time for counts");
	tap_ok(xsdev_can(fd, KFD_XSCHED_CAP_WAVES), "the node says that it counts");
	worker_kill(&w);
	xsdev_wait_no_queue(fd, TIMEOUT_MS);
}

int main(void)
{
	unsigned int i;

	fd = gpufault_open();
	if (!xsdev_can(fd, KFD_XSCHED_CAP_WAVES)) {
		tap_skip("waves cannot be counted here", "waves");
		return tap_done();
	}
	tap_is(xsdev_subscribe(fd, READY | IDLE, KFD_XSCHED_SAMPLE_US_MIN, 0), 0,
	       "subscribe, without a settle time");
	for (i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		test_switches(&costs[i], false);
		test_switches(&costs[i], true);
	}
	set_costs(&costs[0]);
	test_ones();
	test_share(10);
	test_share(50);
	test_none();
	return tap_done();
}
