// SPDX-License-Identifier: MIT
/*
 * Checkpoint and restore of a process that is held: its queues are evicted meanwhile,
 * and run again when neither the hold nor the eviction is left, in whatever order they
 * go. What a checkpoint says of a queue is the application's, not the scheduler's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "criu.h"
#include "held.h"
#include "tap.h"

#define DISPATCHES	3	/* that wait when the process is checkpointed */
#define APP_PRIORITY	11

/**
 * struct restored - what the test shares with a process and its successor
 * @app: the process, of which the successor uses only the dispatches
 * @id: KFD's of its queues
 * @ready: the process has done the next thing, or the successor has restored
 * @ret: what that returned
 * @held: the process is held
 * @done: the successor has seen all dispatches end
 * @account: of them, then
 */
struct restored {
	struct app app;
	uint32_t id[APP_QUEUES];
	volatile bool ready;
	volatile int ret;
	volatile bool held;
	volatile bool done;
	struct spin_account account;
};

static struct restored *shared;

static int frozen(struct worker *w)
{
	int kfd = criu_freeze(w->pid);

	if (kfd < 0)
		tap_bail("the process cannot be frozen: error %d", kfd);
	return kfd;
}

/* ---- checkpoint -------------------------------------------------------------- */

/* The process is frozen for that alone: then it can be asked. Its queues stay paused. */
static int pause_queues(struct worker *w)
{
	int kfd = frozen(w), ret = criu_process_info(kfd);

	criu_thaw(w->pid, kfd);
	return ret;
}

static void test_held_before(struct worker *w)
{
	int kfd;

	held_half_way(w);
	kfd = frozen(w);
	tap_is(criu_process_info(kfd), 0, "checkpoint while held: the queues are paused");
	tap_ok(held_is(w, HELD_MINE | HELD_EVICTED),
	       "checkpoint while held: both reasons are listed");
	tap_is(criu_checkpoint(kfd), 0, "checkpoint while held: it is done");
	tap_ok(criu_objects() >= held_gpus,
	       "checkpoint while held: %u queues and events", criu_objects());
	tap_ok(held_is(w, HELD_MINE | HELD_EVICTED),
	       "checkpoint while held: which changes nothing");
	tap_is(held_resume(w), 0, "checkpoint while held: the hold goes first");
	tap_ok(held_is(w, HELD_EVICTED), "checkpoint while held: still paused");
	tap_is(criu_unpause(kfd), 0, "checkpoint while held: unpaused");
	criu_thaw(w->pid, kfd);
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "checkpoint while held: no reason is left, it runs");
}

static void test_held_after(struct worker *w)
{
	int kfd;

	tap_is(held_stop_half_way(w, pause_queues), 0,
	       "held at a checkpoint: the queues are paused");
	kfd = frozen(w);
	tap_is(criu_process_info(kfd), 0, "held at a checkpoint: they stay so");
	tap_is(held_suspend(w), 0, "held at a checkpoint: held, too");
	tap_is(criu_checkpoint(kfd), 0, "held at a checkpoint: it is done");
	tap_is(criu_unpause(kfd), 0, "held at a checkpoint: unpaused first");
	criu_thaw(w->pid, kfd);
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "held at a checkpoint: still held");
	tap_is(held_resume(w), 0, "held at a checkpoint: released");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "held at a checkpoint: no reason is left, it runs");
}

/* A checkpoint that fails, and one that is never made. */
static void test_given_up(struct worker *w)
{
	int kfd;

	held_half_way(w);
	kfd = frozen(w);
	tap_is(criu_unpause(kfd), -EINVAL, "no checkpoint: nothing to unpause");
	tap_ok(held_is(w, HELD_MINE), "no checkpoint: and nothing changes");
	tap_is(criu_process_info(kfd), 0, "asked twice: once");
	tap_is(criu_process_info(kfd), 0, "asked twice: twice");
	tap_is(criu_unpause(kfd), 0, "asked twice: unpaused once");
	tap_ok(held_is(w, HELD_MINE), "asked twice: only the hold is left");
	criu_thaw(w->pid, kfd);
	held_resume(w);
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w), "asked twice: released, it runs");
}

static void test_checkpoint(void)
{
	struct worker w;

	held_begin(&w, held_gpus);
	test_held_before(&w);
	test_held_after(&w);
	test_given_up(&w);
	held_account(&w, "checkpoint");
	worker_stop(&w);
}

/* ---- restore ----------------------------------------------------------------- */

/*
 * A process that is given work while it is held: the software GPU does not take a saved
 * context up that began on a queue elsewhere.
 */
static void original(void)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	app_open(&shared->app, DISPATCHES);
	for (i = 0; i < APP_QUEUES; i++)
		shared->id[i] = kfdq_queue_id(shared->app.queue[i]);
	shared->ret = kfdq_queue_update(shared->app.queue[0], 100, APP_PRIORITY);
	shared->ready = true;
	while (!shared->held)
		xsdev_sleep_ms(5);
	for (i = 0; i < DISPATCHES && !shared->ret; i++)
		shared->ret = app_submit(&shared->app, 0, &held_lengthy);
	shared->ready = true;
	for (;;)
		pause();
}

static void successor(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shared->ret = criu_restore();
	shared->ready = true;
	while (!shared->ret && shared->account.executed < DISPATCHES) {
		xsdev_sleep_ms(5);
		spin_account(&shared->app.spin, &shared->account);
	}
	shared->done = !shared->ret;
	for (;;)
		pause();
}

static void wait_ready(pid_t pid)
{
	while (!shared->ready && !waitpid(pid, NULL, WNOHANG))
		xsdev_sleep_ms(5);
	shared->ready = false;
}

static pid_t run(void (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		body();
	wait_ready(pid);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The process is held and has work when it is checkpointed, and does not survive it. */
static void checkpoint_and_kill(void)
{
	pid_t pid = run(original);
	int kfd;

	tap_is(xsdev_process_op(held_fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL), 0,
	       "restore: a process is held");
	shared->held = true;
	wait_ready(pid);
	tap_is(shared->ret, 0, "restore: it has work");
	tap_is(xsdev_process_op(held_fd, KFD_XSCHED_OP_SET_PRIORITY, pid, 2, NULL), 0,
	       "restore: its priority is overridden");
	kfd = criu_freeze(pid);
	tap_ok(kfd >= 0 && !criu_process_info(kfd) && !criu_checkpoint(kfd),
	       "restore: it is checkpointed");
	close(kfd);
	end(pid);
	tap_is(xsdev_wait_no_queue(held_fd, HELD_DONE_MS), 0, "restore: and ended");
}

static bool all_executed(int timeout_ms)
{
	const uint64_t until = xsdev_now() + (uint64_t)timeout_ms * 1000000;

	while (!shared->done && xsdev_now() < until)
		xsdev_sleep_ms(5);
	return shared->done;
}

static void check_queues(pid_t pid)
{
	struct kfd_xsched_queue first, second;

	tap_ok(!xsdev_find(held_fd, pid, shared->id[0], &first) &&
	       !xsdev_find(held_fd, pid, shared->id[1], &second), "restore: the queues are back");
	tap_is(first.priority, APP_PRIORITY, "restore: with the application's priority");
	tap_is(second.priority, KFD_XSCHED_PRIORITY_NORMAL, "restore: not with the scheduler's");
}

static bool is_mes(void)
{
	struct kfd_xsched_node node;

	return !xsdev_node(held_fd, &node) && node.backend == KFD_XSCHED_BACKEND_MES;
}

/* A checkpoint has the MQDs of all XCCs. Linux 7 takes no more back than that of one. */
static bool has_too_many_xccs(void)
{
	struct kfdq_device *dev;
	struct utsname host;
	uint64_t xccs = 0;

	if (uname(&host) || atoi(host.release) < 7 || kfdq_open(&dev))
		return false;
	kfdq_property(dev, "num_xcc", &xccs);
	kfdq_close(dev);
	return xccs > 1;
}

static void test_restore(void)
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		tap_bail("no memory");
	checkpoint_and_kill();
	pid = run(successor);
	if (shared->ret == -EINVAL && is_mes()) {
		end(pid);
		tap_skip("from gfx10 on amdkfd 6.12 does not take back what it gave",
			 "restore");
		return;
	}
	if (shared->ret == -EINVAL && has_too_many_xccs()) {
		end(pid);
		tap_skip("amdkfd 7.3 takes back the queues of one XCC only", "restore");
		return;
	}
	if (!tap_is(shared->ret, 0, "restore: a new process takes its place"))
		tap_bail("nothing was restored");
	check_queues(pid);
	tap_ok(held_process_is(pid, HELD_EVICTED), "restore: not held, and not resumed yet");
	tap_is(xsdev_process_op(held_fd, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL), 0,
	       "restore: held before it is resumed");
	tap_ok(held_process_is(pid, HELD_MINE | HELD_EVICTED), "restore: both reasons are listed");
	tap_is(criu_resume(pid), 0, "restore: resumed");
	tap_ok(held_process_is(pid, HELD_MINE) && !all_executed(HELD_STILL_MS),
	       "restore: still held");
	tap_is(xsdev_process_op(held_fd, KFD_XSCHED_OP_RESUME, pid, 0, NULL), 0,
	       "restore: released");
	tap_ok(held_process_is(pid, HELD_ACTIVE), "restore: no reason is left");
	tap_ok(all_executed(HELD_DONE_MS), "restore: it does what was left to do");
	tap_ok(spin_account_clean(&shared->account),
	       "restore: every dispatch executed once and in order");
	end(pid);
	tap_is(xsdev_wait_no_queue(held_fd, HELD_DONE_MS), 0, "restore: no queue is left");
}

int main(void)
{
	held_open(1);
	test_checkpoint();
	test_restore();
	return tap_done();
}
