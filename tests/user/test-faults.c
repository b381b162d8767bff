// SPDX-License-Identifier: MIT
/*
 * Faults on demand, one after the other: the preemption that is late, never
 * confirmed, or fails for one queue; the firmware that stops; the reset and the
 * SIGKILL in the middle of a save; saved waves that were changed. Each time the
 * caller gets an error, nothing is reported complete that was not, other processes
 * continue, and afterwards the device works as before.
 */
#include <errno.h>
#include <signal.h>

#include "gpufault.h"
#include "gpustat.h"
#include "must.h"
#include "stuck.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define FW_TIMEOUT_MS	2000	/* instead of amdkfd's nine seconds */
#define OLD_TIMEOUT_MS	9000
#define LATE_US		20000
#define RESET_LATE_US	200000
#define HELD_MS		300
#define DONE_MS		20000
#define BITS		8

/* A tenth of the GPU, for a fifth of a second. */
static const struct spin_shape part = { 64, 256, 200 * MS };
/*
 * A minute on the whole GPU, in steps: while it runs, some of its workgroups end every STEP_MS, which
 * the GPU counts. It never completes in a test, whether it runs or not; so what shows that it does
 * not run is that none of its workgroups ends.
 */
#define STEP_MS		10
static const struct spin_shape endless = { 640 * 6000, 64, STEP_MS * MS };
/* Most of the time in which we look whether it completes. */
static const struct spin_shape most = { 64, 256, 700 * MS };
static int fd;

/* Submit something, which runs when this returns. */
static void begin(struct worker *w, unsigned int queue, const struct spin_shape *shape)
{
	if (worker_begin(w, queue, shape))
		tap_bail("nothing runs");
}

static struct kfd_xsched_node_result node;

static int suspend(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, &node);
}

static int resume(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL);
}

/* Workgroups that have ended, up to now in the GPU's time. */
static long steps(void)
{
	const long n = gpustat("workgroups");

	if (n < 0)
		tap_bail("the GPU does not count workgroups");
	return n;
}

/* What runs is seen to: for a process with an endless dispatch, alone or not. */
static void check_runs(const char *what)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	const long before = steps();

	while (steps() == before && xsdev_now() < until)
		xsdev_sleep_ms(STEP_MS);
	tap_ok(steps() > before, "%s: the dispatch runs, its workgroups end", what);
}

/* Nothing runs on the GPU for many times as long as a workgroup takes. */
static void check_rests(const char *what, const char *claim)
{
	const long before = steps();

	xsdev_sleep_ms(HELD_MS);
	tap_is(steps() - before, 0, "%s: %s, no workgroup ends", what, claim);
	tap_is(gpustat("resident_waves"), 0, "%s: and no wave is on the GPU", what);
}

/* A reset has taken everything off the GPU, for good. */
static void check_nothing_left(const char *what)
{
	tap_is(gpustat("mapped"), 0, "%s: no queue is in the hardware", what);
	check_rests(what, "what was running is lost");
}

/* Nothing of what it submitted has completed. */
static void check_incomplete(struct worker *w, const char *what)
{
	struct spin_account a;

	tap_is(worker_account(w, &a), 0, "%s: account", what);
	tap_ok(a.submitted && !a.executed, "%s: none of %llu dispatches is reported complete", what,
	       (unsigned long long)a.submitted);
}

static void check_clean(struct worker *w, const char *what)
{
	struct spin_account a;

	worker_account(w, &a);
	tap_ok(a.submitted && spin_account_clean(&a), "%s: every dispatch executed once, in order",
	       what);
}

/* A new process is held in the middle of a dispatch, and goes on. */
static void check_works(const char *what)
{
	struct worker w;

	must_start(&w, 1, NULL);
	tap_is(worker_half_way(&w, 1, &part, suspend), 0,
	       "%s: afterwards a process is held", what);
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "%s: and does not run", what);
	tap_is(resume(&w), 0, "%s: it is resumed", what);
	tap_is(worker_wait(&w, 0, DONE_MS), 0, "%s: and completes", what);
	check_clean(&w, what);
	worker_stop(&w);
}

static void check_reset(const char *what, long resets)
{
	int ret;

	/* What comes first may be of an earlier one. */
	do {
		ret = gpufault_wait_reset(fd);
	} while (!ret && gpustat("resets") <= resets);
	tap_is(ret, 0, "%s: the driver resets the GPU", what);
	tap_ok(gpustat("resets") > resets, "%s: and the GPU was reset", what);
}

/* ---- the file ---- */

static void test_file(void)
{
	tap_is(gpufault("nonsense 1"), -EINVAL, "an unknown fault is refused");
	tap_is(gpufault("preempt_late"), -EINVAL, "one without its argument");
	tap_is(gpufault("preempt_late 5 5 5"), -EINVAL, "one with too many");
	tap_is(gpufault("reset_fail 5 5"), -EINVAL, "or more than a count");
	tap_is(gpufault("preempt_late 5 0"), -EINVAL, "one that never happens");
	tap_is(gpufault("9.0 preempt_hang"), -ENODEV, "one for a GPU that is not there");
	tap_is(gpufault("kill_save 999999"), -ESRCH, "one for a process that is not there");
	tap_is(gpufault("mes_fail 1"), -EOPNOTSUPP, "one for a firmware that is not there");
	tap_is(gpufault_look("armed", "preempt_late"), -1, "none is armed");
	tap_is(gpufault("preempt_late 500 3"), 0, "a good one is armed");
	tap_is(gpufault_look("armed", "preempt_late"), 500000, "and shown");
	tap_is(gpufault("clear"), 0, "and cleared");
	tap_is(gpufault_look("armed", "preempt_late"), -1, "and not shown any more");
}

/* ---- faults of the firmware ---- */

static long happened(const char *command)
{
	const long n = gpufault_look("fired", command);

	return n < 0 ? 0 : n;	/* never yet */
}

static int suspend_late(struct worker *w)
{
	int ret = gpufault("preempt_late %d 2", LATE_US);

	return ret ? ret : suspend(w);
}

static void test_late(void)
{
	const long fired = happened("preempt_late");
	struct worker w;

	must_start(&w, 1, NULL);
	tap_is(worker_half_way(&w, 1, &part, suspend_late), 0,
	       "late: armed twice, SUSPEND succeeds");
	tap_ok(node.unmap_ns >= LATE_US * 1000ULL, "late: not before %u us", LATE_US);
	tap_note("late: after %llu us", (unsigned long long)node.unmap_ns / 1000);
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "late: the dispatch does not run");
	resume(&w);
	tap_is(worker_wait(&w, 0, DONE_MS), 0, "late: resumed, it completes");
	suspend(&w);	/* idle by now, but in a slot */
	resume(&w);
	tap_is(happened("preempt_late") - fired, 2, "late: it happened twice");
	tap_is(gpufault_look("armed", "preempt_late"), -1, "late: and no more");
	check_clean(&w, "late");
	worker_stop(&w);
	check_works("late");
}

/* The firmware does not come back; what was running is lost. */
static void test_dead(const char *what, const char *command)
{
	long resets = gpustat("resets");
	struct worker w;
	int ret;

	must_start(&w, 1, NULL);
	begin(&w, 0, &endless);
	check_runs(what);
	gpufault_timeout(FW_TIMEOUT_MS);
	tap_is(gpufault("%s", command), 0, "%s: armed", what);
	ret = suspend(&w);
	tap_is(ret, -ETIME, "%s: SUSPEND fails", what);
	check_reset(what, resets);
	gpufault_timeout(OLD_TIMEOUT_MS);
	check_nothing_left(what);
	check_incomplete(&w, what);
	worker_kill(&w);
	xsdev_wait_no_queue(fd, DONE_MS);
	check_works(what);
}

/*
 * It hangs as amdkfd evicts the process, which an MMU notifier cannot refuse: its queue counts as
 * taken off, but is on the hardware until the reset. To hold it is not done by then.
 */
static void test_evicted(void)
{
	long resets = gpustat("resets");
	struct worker w;
	int ret;

	must_start(&w, 1, NULL);
	begin(&w, 0, &endless);
	check_runs("evicted");
	gpufault_timeout(FW_TIMEOUT_MS);
	tap_is(gpufault("preempt_hang"), 0, "evicted: armed");
	tap_is(gpufault("reset_late %d", RESET_LATE_US), 0, "evicted: and the reset will be late");
	worker_invalidate(&w);
	ret = suspend(&w);
	tap_ok(ret == -EIO || ret == -ETIME, "evicted: SUSPEND fails (%d)", ret);
	check_reset("evicted", resets);
	gpufault_timeout(OLD_TIMEOUT_MS);
	check_nothing_left("evicted");
	check_incomplete(&w, "evicted");
	worker_kill(&w);
	xsdev_wait_no_queue(fd, DONE_MS);
	check_works("evicted");
}

static bool is_reset(struct worker *w)
{
	const uint32_t mask = KFD_XSCHED_QUEUE_RESET | KFD_XSCHED_QUEUE_ACTIVE;
	struct kfd_xsched_queue q;

	return !worker_listed(w, 0, fd, &q) &&
		(q.state & mask) == KFD_XSCHED_QUEUE_RESET;
}

/* amdkfd resets that queue alone, which its process loses. */
static void test_stuck(void)
{
	long resets = gpustat("resets"), fired = happened("preempt_fail");
	struct worker a, b;
	int ret;

	must_start(&a, 1, NULL);
	stuck_keep_apart();
	must_start(&b, 1, NULL);
	begin(&a, 0, &endless);
	check_runs("stuck");
	tap_is(gpufault("preempt_fail %u", stuck_doorbell(a.pid)), 0, "stuck: armed for one doorbell");
	worker_submit(&b, 0, &part, 1);
	ret = suspend(&b);
	tap_is(ret, 0, "stuck: SUSPEND of another process succeeds");
	tap_is(happened("preempt_fail") - fired, 1, "stuck: the queue did not react");
	check_rests("stuck", "the one is reset and the other is held");
	tap_is(worker_wait(&b, 0, HELD_MS), -ETIME, "stuck: the other does not run");
	tap_is(resume(&b), 0, "stuck: it is resumed");
	tap_is(worker_wait(&b, 0, DONE_MS), 0, "stuck: and completes");
	check_clean(&b, "stuck");
	check_rests("stuck", "the queue that was reset is gone");
	tap_ok(is_reset(&a), "stuck: it is listed as reset, and is not active");
	tap_is(worker_wait(&a, 0, 0), -ETIME, "stuck: its dispatch is not reported complete");
	check_incomplete(&a, "stuck");
	tap_is(gpustat("resets"), resets, "stuck: the GPU was not reset");
	worker_kill(&a);
	worker_stop(&b);
	check_works("stuck");
}

/* So it does when the process that has it is killed: nobody else loses anything. */
static void test_stuck_end(void)
{
	long resets = gpustat("resets"), fired = happened("preempt_fail");
	struct worker a, b;

	must_start(&a, 1, NULL);
	stuck_keep_apart();
	must_start(&b, 1, NULL);
	begin(&a, 0, &endless);
	worker_submit(&b, 0, &part, 1);
	check_runs("stuck at its end");
	tap_is(gpufault("preempt_fail %u", stuck_doorbell(a.pid)), 0, "stuck at its end: armed");
	worker_kill(&a);
	tap_is(worker_wait(&b, 0, DONE_MS), 0, "stuck at its end: the other process completes");
	check_clean(&b, "stuck at its end");
	tap_is(happened("preempt_fail") - fired, 1, "stuck at its end: the queue did not react");
	worker_stop(&b);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "stuck at its end: no queue is left");
	tap_is(gpustat("resets"), resets, "stuck at its end: the GPU was not reset");
	check_works("stuck at its end");
}

/* The queue cannot be reset alone, and the only process is gone when the GPU is. */
static void test_stuck_alone(void)
{
	long resets = gpustat("resets");
	struct worker w;

	must_start(&w, 1, NULL);
	begin(&w, 0, &endless);
	check_runs("stuck alone");
	tap_is(gpufault("preempt_fail %u", stuck_doorbell(w.pid)), 0, "stuck alone: armed");
	tap_is(gpufault("reset_fail 1"), 0, "stuck alone: the queue cannot be reset");
	tap_is(gpufault("reset_late %d", RESET_LATE_US), 0, "stuck alone: the GPU is, later");
	worker_kill(&w);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "stuck alone: the process is gone");
	check_reset("stuck alone", resets);
	check_works("stuck alone");
}

/* ---- in the middle of a save ---- */

static void test_reset(void)
{
	long resets = gpustat("resets");
	struct worker a, b;
	int ret;

	must_start(&a, 1, NULL);
	must_start(&b, 1, NULL);
	begin(&a, 0, &endless);
	begin(&b, 0, &endless);
	check_runs("reset");
	gpufault_timeout(FW_TIMEOUT_MS);
	tap_is(gpufault("reset_save %d", (int)a.pid), 0, "reset: armed");
	ret = suspend(&a);
	tap_ok(ret == -ETIME || ret == -EIO, "reset: SUSPEND fails (%d)", ret);
	tap_is(gpufault_look("fired", "reset_save"), 1, "reset: it came while waves were saved");
	check_reset("reset", resets);
	gpufault_timeout(OLD_TIMEOUT_MS);
	check_nothing_left("reset");
	check_incomplete(&a, "reset");
	check_incomplete(&b, "reset");
	worker_kill(&a);
	worker_kill(&b);
	xsdev_wait_no_queue(fd, DONE_MS);
	check_works("reset");
}

static void test_kill(void)
{
	long resets = gpustat("resets");
	struct worker a, b;
	int ret;

	must_start(&a, 1, NULL);
	must_start(&b, 1, NULL);
	begin(&a, 0, &endless);
	worker_submit(&b, 0, &part, 1);
	tap_is(gpufault("kill_save %d", (int)a.pid), 0, "kill: armed");
	ret = suspend(&a);
	tap_ok(!ret || ret == -ESRCH, "kill: SUSPEND succeeds, or finds it gone");
	tap_note("kill: %d", ret);
	tap_is(gpufault_look("fired", "kill_save"), 1,
	       "kill: the process was killed while it was saved");
	tap_is(worker_wait(&b, 0, DONE_MS), 0, "kill: the other process completes");
	check_clean(&b, "kill");
	tap_is(worker_stop(&a), 128 + SIGKILL, "kill: it ended by SIGKILL");
	worker_stop(&b);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "kill: its queues are removed");
	tap_is(gpustat("resets"), resets, "kill: the GPU was not reset");
	check_works("kill");
}

/* ---- saved waves are not what they were ---- */

/* Start them and have them saved with that fault: whether all were half-way. */
static bool save_half_way(struct worker *w, unsigned int queues, const char *command, long count)
{
	unsigned int i;

	must_start(w, queues, NULL);
	for (i = 0; i < queues; i++)
		begin(w, i, &most);
	if (gpufault("%s %d %ld", command, (int)w->pid, count) || suspend(w))
		return false;
	for (i = 0; i < queues; i++) {
		if (worker_wait(w, i, 0) != -ETIME)
			return false;
	}
	return true;
}

/* @queues queues run, are saved, changed by @command, restored: @bad of them halt. */
static void test_corrupt(const char *what, const char *command, unsigned int queues, long count,
			 long bad)
{
	long faults = gpustat("queue_faults");
	struct worker w;
	unsigned int i;

	tap_ok(save_half_way(&w, queues, command, count), "%s: armed, %u queues are saved", what,
	       queues);
	tap_is(gpufault_look("armed", command), -1, "%s: and changed", what);
	tap_is(resume(&w), 0, "%s: they are resumed", what);
	for (i = 0; i < queues; i++)
		tap_is(worker_wait(&w, i, 1000), -ETIME, "%s: queue %u does not complete", what, i);
	tap_is(gpustat("queue_faults") - faults, bad, "%s: %ld queues were halted", what, bad);
	gpustat_expect("queue_faults", bad);
	check_incomplete(&w, what);
	worker_stop(&w);
	check_works(what);
}

int main(void)
{
	fd = gpufault_open();
	test_file();
	test_late();
	test_dead("hang", "preempt_hang");
	test_dead("stop", "stop 1");
	test_evicted();
	test_stuck();
	test_stuck_end();
	test_stuck_alone();
	test_reset();
	test_kill();
	test_corrupt("bit", "corrupt_bit", BITS, BITS, BITS);
	test_corrupt("cut", "corrupt_cut", 1, 1, 1);
	test_corrupt("swap", "corrupt_swap", 2, 1, 2);
	return tap_done();
}
