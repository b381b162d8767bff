// SPDX-License-Identifier: MIT
/* Holds: what they stop, what they leave alone, and how they end. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpustat.h"
#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define HELD_MS		400	/* how long we watch a held queue do nothing */
#define DONE_MS		20000	/* when something that runs must be done */

static const struct spin_shape half_second = { 64, 256, 500 * MS };
static const struct spin_shape tenth = { 64, 256, 100 * MS };
/*
 * Half a second on the whole GPU, in steps: while it runs, some of its workgroups end every STEP_MS,
 * which the GPU counts.
 */
#define STEP_MS		5
static const struct spin_shape in_steps = { 640 * 100, 256, STEP_MS * MS };
/* Fills the GPU many times over with workgroups shorter than a grace. */
static const struct spin_shape many_short = { 640 * 4000, 256, 40000 };

static int fd;
static struct kfd_xsched_node_result node;

static int hold(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, &node);
}

static int release(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, &node);
}

/* Start something long on the first queue, and have it stopped half-way. */
static int half_way(struct worker *w, worker_step stop)
{
	return worker_half_way(w, 1, &half_second, stop);
}

static int hold_half_way(struct worker *w)
{
	return half_way(w, hold);
}

static uint64_t preemptions;	/* before the hold */

/* A part of the dispatch is done by then. */
static int count_and_hold(struct worker *w)
{
	preemptions = must_list(w, 0, fd).preemptions;
	xsdev_sleep_ms(100);
	return hold(w);
}

static void test_mid_kernel(struct worker *w)
{
	struct kfd_xsched_queue q;
	uint64_t held, resumed;
	struct vgpu_log log;

	tap_is(half_way(w, count_and_hold), 0, "SUSPEND while a dispatch runs");
	held = xsdev_now();
	tap_is(node.fw_transactions, xsdev_transactions(fd, 2),
	       "one firmware transaction, or one for each of its two queues");
	q = must_list(w, 0, fd);
	tap_ok((q.state & KFD_XSCHED_QUEUE_HELD) && (q.state & KFD_XSCHED_QUEUE_MINE) &&
	       !(q.state & KFD_XSCHED_QUEUE_ACTIVE), "the queue is held, by us, and off the hardware");
	tap_is(q.holders, 1, "it has one holder");
	tap_is(q.preemptions - preemptions, 1, "it was preempted once");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "the dispatch makes no progress");
	tap_is(release(w), 0, "RESUME");
	resumed = xsdev_now();
	tap_is(worker_wait(w, 0, DONE_MS), 0, "the dispatch completes");
	worker_last_log(w, 0, &log);
	tap_is(log.executed, 1, "it executed once");
	tap_is(log.saved, 1, "its waves were saved once");
	tap_ok(log.start_ns < held && log.end_ns > held,
	       "it began before the hold and ended after it");
	tap_ok(log.end_ns < resumed + half_second.workgroup_ns,
	       "it had less left to run than a whole dispatch takes");
	tap_ok(must_list(w, 0, fd).held_ns >= HELD_MS * MS, "the time held is accounted");
}

/* Workgroups that have ended, up to now in the GPU's time. */
static long steps(void)
{
	const long n = gpustat("workgroups");

	if (n < 0)
		tap_bail("the GPU does not count workgroups");
	return n;
}

/* Whether nothing runs for a time in which what runs in steps would make many. */
static bool nothing_runs(void)
{
	const long before = steps();
	long made;

	xsdev_sleep_ms(HELD_MS);
	made = steps() - before;
	if (made)
		tap_note("%ld workgroups have ended", made);
	return !made && !gpustat("resident_waves");
}

/* What the tests below rely on. */
static void test_steps(struct worker *w)
{
	const long before = steps();

	tap_is(worker_submit(w, 0, &in_steps, 1) ?: worker_wait(w, 0, DONE_MS), 0,
	       "a dispatch in steps completes");
	tap_is(steps() - before, in_steps.workgroups, "and the GPU has counted them");
	tap_ok(nothing_runs(), "then nothing runs");
}

static int apply_to_all(struct kfd_xsched_entry *e, struct worker *w, unsigned int n, uint32_t op)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		e[i].op = op;
		e[i].target = KFD_XSCHED_TARGET_PROCESS;
		e[i].id = w[i].pid;
	}
	return xsdev_apply(fd, e, n, &node);
}

static void test_batch(struct worker *w, unsigned int n)
{
	struct kfd_xsched_entry e[4] = { 0 };
	unsigned int i;
	bool still;

	for (i = 0; i < 2 * n; i++)
		worker_submit(&w[i / 2], i % 2, &in_steps, 1);
	tap_is(apply_to_all(e, w, n, KFD_XSCHED_OP_SUSPEND), 0,
	       "SUSPEND of %u processes with %u queues", n, 2 * n);
	tap_ok(node.fw_transactions == xsdev_transactions(fd, 2 * n) && node.flips == 2 * n,
	       "one firmware transaction, or one for each, takes all of them off");
	tap_is(xsdev_apply(fd, e, n, &node), 0, "the same again");
	tap_is(node.fw_transactions, 0, "costs no transaction");
	still = nothing_runs();
	for (i = 0; i < n; i++)
		tap_ok(still && worker_wait(&w[i], 0, 0) == -ETIME &&
		       worker_wait(&w[i], 1, 0) == -ETIME, "process %u is stopped", i);
	tap_is(apply_to_all(e, w, n, KFD_XSCHED_OP_RESUME), 0, "RESUME of all");
	tap_is(node.fw_transactions, xsdev_transactions(fd, 2 * n), "is one transaction");
	for (i = 0; i < n; i++) {
		tap_is(worker_wait(&w[i], 0, DONE_MS), 0, "process %u completes", i);
		tap_is(worker_wait(&w[i], 1, DONE_MS), 0, "on both queues");
	}
}

static struct worker *counterpart;	/* held while the other runs */

static int switch_away(struct worker *w)
{
	struct kfd_xsched_entry e[2] = {
		{ .op = KFD_XSCHED_OP_SUSPEND, .target = KFD_XSCHED_TARGET_PROCESS,
		  .id = w->pid },
		{ .op = KFD_XSCHED_OP_RESUME, .target = KFD_XSCHED_TARGET_PROCESS,
		  .id = counterpart->pid },
	};

	worker_submit(counterpart, 0, &tenth, 1);
	return xsdev_apply(fd, e, 2, &node);
}

static void test_switch(struct worker *a, struct worker *b)
{
	counterpart = b;
	tap_is(hold(b), 0, "one process is held");
	tap_is(worker_half_way(a, 1, &in_steps, switch_away), 0,
	       "SUSPEND of another and RESUME of it in one call");
	tap_is(node.fw_transactions, xsdev_transactions(fd, 4),
	       "is one transaction, not two, or one for each of four queues");
	tap_is(worker_wait(b, 0, DONE_MS), 0, "the one runs");
	tap_ok(nothing_runs() && worker_wait(a, 0, 0) == -ETIME, "the other does not");
	release(a);
	tap_is(worker_wait(a, 0, DONE_MS), 0, "until it is resumed");
}

static int hold_queue(struct worker *w)
{
	return xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, must_list(w, 0, fd).id, 0, &node);
}

static int release_queue(struct worker *w)
{
	return xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, must_list(w, 0, fd).id, 0, &node);
}

static int hold_one_of_two(struct worker *w)
{
	return worker_submit(w, 1, &tenth, 1) ?: hold_queue(w);
}

static void test_one_queue(struct worker *w)
{
	tap_is(worker_half_way(w, 1, &in_steps, hold_one_of_two), 0, "SUSPEND of one queue");
	tap_is(worker_wait(w, 1, DONE_MS), 0, "the other queue of the process runs on");
	tap_ok(nothing_runs() && worker_wait(w, 0, 0) == -ETIME, "the held one does not");
	tap_is(release_queue(w), 0, "RESUME");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "it completes");
}

/* The application's own reason, percentage 0, and ours: both must be gone. */
static int disable(struct worker *w)
{
	return worker_update(w, 0, 0, 7);
}

static int enable(struct worker *w)
{
	return worker_update(w, 0, 100, 7);
}

static void test_percentage(struct worker *w)
{
	tap_is(hold_half_way(w), 0, "percentage: held");
	tap_is(disable(w), 0, "percentage: the application sets 0 while held");
	tap_is(release(w), 0, "percentage: resumed");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "percentage: 0 still keeps it off");
	tap_is(enable(w), 0, "percentage: the application sets 100");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "percentage: it completes");

	/* This queue alone: the process's other one would cost a transaction. */
	half_way(w, disable);
	tap_is(hold_queue(w), 0, "percentage: held while at 0");
	tap_is(node.fw_transactions, 0, "percentage: off already, it costs no transaction");
	tap_is(enable(w), 0, "percentage: the application sets 100 while held");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "percentage: the hold still keeps it off");
	tap_is(release_queue(w), 0, "percentage: resumed");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "percentage: it completes");
}

/* Memory management's reason, eviction, and ours: both must be gone. */
static void test_eviction(struct worker *w)
{
	struct vgpu_log log;

	tap_is(half_way(w, worker_invalidate), 0, "eviction: registered memory is taken away");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "eviction: the queue is restored and completes");
	worker_last_log(w, 0, &log);
	tap_ok(log.saved >= 1, "eviction: its waves were saved on the way");

	tap_is(hold_half_way(w), 0, "eviction: held");
	tap_is(worker_invalidate(w), 0, "eviction: registered memory is taken away while held");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "eviction: restored, the hold remains");
	tap_is(release(w), 0, "eviction: resumed");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "eviction: it completes");

	tap_is(hold_half_way(w), 0, "eviction: held");
	worker_invalidate(w);
	tap_is(release(w), 0, "eviction: resumed at once, maybe while evicted");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "eviction: it completes");
}

static void test_born_held(struct worker *w)
{
	int n;

	tap_is(hold(w), 0, "a process is held");
	n = worker_add_queue(w);
	if (!tap_ok(n > 0, "it creates a queue"))
		return;
	tap_ok((must_list(w, n, fd).state & KFD_XSCHED_QUEUE_HELD) &&
	       !(must_list(w, n, fd).state & KFD_XSCHED_QUEUE_ACTIVE), "which is born held");
	worker_submit(w, n, &tenth, 1);
	tap_is(worker_wait(w, n, HELD_MS), -ETIME, "and does not run");
	tap_is(release(w), 0, "the process is resumed");
	tap_is(worker_wait(w, n, DONE_MS), 0, "the new queue runs");
	n = worker_add_queue(w);
	tap_ok(n > 0 && !(must_list(w, n, fd).state & KFD_XSCHED_QUEUE_HELD),
	       "a queue created later is not held");
}

static void test_two_clients(struct worker *w)
{
	int other = xsdev_open();

	hold_half_way(w);
	tap_is(xsdev_process_op(other, KFD_XSCHED_OP_SUSPEND, w->pid, 0, &node), 0,
	       "a second client holds what the first holds");
	tap_is(node.fw_transactions, 0, "which costs no transaction");
	tap_is(must_list(w, 0, fd).holders, 2, "two holders");
	tap_is(release(w), 0, "the first client releases it");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "it stays held by the second");
	tap_is(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL), -EALREADY,
	       "the first has nothing more to resume");
	tap_is(close(other), 0, "the second closes its file");
	tap_is(worker_wait(w, 0, DONE_MS), 0, "and the dispatch completes");
	tap_is(must_list(w, 0, fd).holders, 0, "no holder is left");
}

static pid_t other_client;

/* In a process of its own, which then waits to be killed. */
static int start_other_client(struct worker *w)
{
	int ready[2];
	char c = 0;

	if (pipe(ready))
		tap_bail("pipe: error %d", -errno);
	other_client = fork();
	if (!other_client) {
		int mine = xsdev_open();

		c = xsdev_process_op(mine, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL) ? 'n' : 'y';
		if (write(ready[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		c = 'n';
	close(ready[0]);
	return c == 'y' ? 0 : -EIO;
}

/* A scheduler that is killed without a word. */
static void test_client_killed(struct worker *w)
{
	tap_is(half_way(w, start_other_client), 0, "another process holds the worker");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "the worker is stopped");
	kill(other_client, SIGKILL);
	tap_is(worker_wait(w, 0, DONE_MS), 0, "the holder is killed, and the dispatch completes");
	waitpid(other_client, NULL, 0);
	tap_is(must_list(w, 0, fd).holders, 0, "no holder is left");
}

static void test_held_killed(struct worker *other)
{
	struct kfd_xsched_event event;
	struct worker w;
	uint64_t id;
	pid_t pid;
	int n;

	must_start(&w, 2, NULL);
	pid = w.pid;
	n = xsdev_list(fd, NULL, 0);
	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT), 0, 0);
	id = must_list(&w, 0, fd).id;
	tap_is(hold_half_way(&w), 0, "a process is held in the middle of a dispatch");
	worker_kill(&w);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_PROCESS_EXIT, pid, DONE_MS, &event), 0,
	       "it is killed, and its end is reported");
	xsdev_subscribe(fd, 0, 0, 0);
	tap_is(xsdev_list(fd, NULL, 0), n - 2, "its queues are gone");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, id, 0, NULL), -ESRCH,
	       "its queue cannot be resumed any more");
	worker_submit(other, 0, &tenth, 1);
	tap_is(worker_wait(other, 0, DONE_MS), 0, "another process runs");
}

static int unmap(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_UNMAP, w->pid, 100, &node);
}

static int unmap_at_once(struct worker *w)
{
	return xsdev_process_op(fd, KFD_XSCHED_OP_UNMAP, w->pid, 0, &node);
}

/* Where the firmware gives no grace, asking for one is refused. */
static void test_unmap_without_grace(struct worker *w)
{
	struct vgpu_log log;

	tap_is(unmap(w), -EOPNOTSUPP, "UNMAP with a grace is refused");
	tap_is(half_way(w, unmap_at_once), 0, "UNMAP");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "the dispatch makes no progress");
	release(w);
	tap_is(worker_wait(w, 0, DONE_MS), 0, "resumed, it completes");
	worker_last_log(w, 0, &log);
	tap_is(log.saved, 1, "its waves were saved");
}

/* Lv2: workgroups that end within the grace are not saved. */
static void test_unmap(struct worker *w)
{
	struct vgpu_log log;

	if (!xsdev_can(fd, KFD_XSCHED_CAP_GRACE)) {
		tap_skip("the firmware gives no grace", "UNMAP lets workgroups end");
		test_unmap_without_grace(w);
		return;
	}

	tap_is(worker_half_way(w, 1, &many_short, unmap), 0,
	       "UNMAP of many short workgroups with a grace longer than a workgroup");
	tap_is(node.fw_transactions, 1, "one firmware transaction");
	tap_is(worker_wait(w, 0, HELD_MS), -ETIME, "no new workgroup begins");
	release(w);
	tap_is(worker_wait(w, 0, DONE_MS), 0, "resumed, the dispatch completes");
	worker_last_log(w, 0, &log);
	tap_is(log.executed, 1, "it executed once");
	tap_is(log.saved, 0, "no wave of it was saved");
	tap_is(half_way(w, unmap), 0, "UNMAP with a grace shorter than a workgroup");
	tap_is(worker_wait(w, 0, HELD_MS + 500), -ETIME, "the dispatch makes no progress");
	release(w);
	tap_is(worker_wait(w, 0, DONE_MS), 0, "resumed, it completes");
	worker_last_log(w, 0, &log);
	tap_is(log.saved, 1, "its waves were saved");
}

static void check_account(struct worker *w, const char *who)
{
	struct spin_account a;

	worker_account(w, &a);
	tap_ok(spin_account_clean(&a), "%s: every dispatch executed once and in order", who);
}

int main(void)
{
	struct worker w[3];
	unsigned int i;

	fd = must_open();
	if (xsdev_wait_no_queue(fd, DONE_MS))
		tap_bail("other processes have queues");
	for (i = 0; i < 3; i++) {
		must_start(&w[i], 2, NULL);
	}
	test_steps(&w[0]);
	test_mid_kernel(&w[0]);
	test_batch(w, 3);
	test_switch(&w[0], &w[1]);
	test_one_queue(&w[0]);
	test_percentage(&w[0]);
	test_eviction(&w[0]);
	test_born_held(&w[1]);
	test_two_clients(&w[0]);
	test_client_killed(&w[0]);
	test_held_killed(&w[1]);
	test_unmap(&w[2]);
	for (i = 0; i < 3; i++) {
		check_account(&w[i], "at the end");
		worker_stop(&w[i]);
	}
	return tap_done();
}
