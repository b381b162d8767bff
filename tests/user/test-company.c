// SPDX-License-Identifier: MIT
/*
 * Holds in company: of a debugger, of memory management, of applications that
 * change and destroy their queues or end, and of the module being unloaded. A
 * queue runs when no reason against it is left, whatever order they came in.
 *
 *   test-company [GPUS]	with a queue on each GPU
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debugged.h"
#include "held.h"
#include "module.h"
#include "sysfile.h"
#include "tap.h"

/* ---- a debugger ------------------------------------------------------------ */

static int debug(struct worker *w, bool suspend)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < held_gpus && !ret; i++)
		ret = worker_call(w, i, debugged_suspend, suspend);
	return ret;
}

static int debug_on(struct worker *w)
{
	return debug(w, true);
}

static int debug_half_way(struct worker *w)
{
	return held_stop_half_way(w, debug_on);
}

static void test_debugger_alone(struct worker *w)
{
	tap_is(debug_half_way(w), 0, "debugger: it suspends the queues of a process");
	tap_ok(held_is(w, HELD_DEBUGGED), "debugger: they are listed as DEBUGGED");
	tap_ok(held_still(w), "debugger: they do not run");
	tap_is(debug(w, false), 0, "debugger: it resumes them");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w), "debugger: they run to their end");
}

static void test_debugger_orders(struct worker *w)
{
	tap_is(held_half_way(w), 0, "debugger while held: held half-way");
	tap_is(debug(w, true), 0, "debugger while held: suspended, too");
	tap_ok(held_is(w, HELD_MINE | HELD_DEBUGGED),
	       "debugger while held: both reasons are listed");
	tap_is(held_resume(w), 0, "debugger while held: the hold goes first");
	tap_ok(held_is(w, HELD_DEBUGGED) && held_still(w), "debugger while held: still suspended");
	tap_is(debug(w, false), 0, "debugger while held: resumed");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "debugger while held: no reason is left, it runs");

	tap_is(debug_half_way(w), 0, "held while debugged: suspended half-way");
	tap_is(held_suspend(w), 0, "held while debugged: held, too");
	tap_is(debug(w, false), 0, "held while debugged: the debugger resumes first");
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "held while debugged: still held");
	tap_is(held_resume(w), 0, "held while debugged: released");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "held while debugged: no reason is left, it runs");

	held_half_way(w);
	tap_is(debug(w, true), 0, "debugger leaves: suspended while held");
	tap_is(worker_call(w, 0, debugged_stop, 0), 0, "debugger leaves: debugging ends");
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "debugger leaves: still held");
	tap_is(held_resume(w), 0, "debugger leaves: released");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "debugger leaves: no reason is left, it runs");
}

static void test_debugger(void)
{
	struct worker w;
	unsigned int i;
	int ret;

	held_begin(&w, 0);
	ret = worker_call(&w, 0, debugged_start, 0);
	tap_is(ret, 0, "debugger: a process debugs itself");
	for (i = 0; i < held_gpus && !ret; i++)
		ret = worker_add_queue(&w) < 0;
	if (!ret) {
		test_debugger_alone(&w);
		test_debugger_orders(&w);
		held_account(&w, "debugger");
	}
	worker_stop(&w);
}

/* ---- the application ------------------------------------------------------- */

static int set_priority(struct worker *w, int value)
{
	return xsdev_process_op(held_fd, KFD_XSCHED_OP_SET_PRIORITY, w->pid, value, NULL);
}

static void test_update(void)
{
	struct worker w;

	held_begin(&w, held_gpus);
	tap_is(worker_update(&w, 0, 100, 5), 0, "update: the application sets priority 5");
	tap_is(held_queue(&w, 0).priority, 5, "update: 5 is listed, without a switch");
	held_half_way(&w);
	tap_is(worker_update(&w, 0, 100, 11), 0, "update: the application sets priority 11 while held");
	tap_ok(held_is(&w, HELD_MINE) && held_still(&w), "update: still held");
	tap_is(held_queue(&w, 0).priority, 11, "update: 11 is listed");
	tap_is(set_priority(&w, 2), 0, "update: overridden with 2 while held");
	tap_is(held_queue(&w, 0).priority, 2, "update: 2 is in effect");
	tap_is(set_priority(&w, KFD_XSCHED_PRIORITY_APP), 0, "update: given back");
	tap_is(held_queue(&w, 0).priority, 11, "update: the application's 11 is in effect");
	set_priority(&w, 2);
	tap_is(worker_update(&w, 0, 100, 9), 0, "update: the application sets 9 under an override");
	tap_is(held_queue(&w, 0).priority, 2, "update: 2 stays in effect");
	tap_is(held_resume(&w), 0, "update: released");
	tap_ok(held_is(&w, HELD_ACTIVE) && held_done(&w), "update: it runs to its end");
	set_priority(&w, KFD_XSCHED_PRIORITY_APP);
	tap_is(held_queue(&w, 0).priority, 9, "update: given back, 9 is in effect");
	held_account(&w, "update");
	worker_stop(&w);
}

static void test_destroy(void)
{
	struct kfd_xsched_queue old, young;
	struct worker w;

	held_begin(&w, held_gpus + 1);
	held_submit(&w, &held_tiny);
	held_done(&w);
	tap_is(held_suspend(&w), 0, "destroy: a process is held");
	old = held_queue(&w, 0);
	tap_is(worker_recreate(&w, 0), 0, "destroy: it destroys a held queue and creates another");
	young = held_queue(&w, 0);
	tap_ok(young.id != old.id && (young.state & HELD_REASONS) == HELD_MINE,
	       "destroy: the new one is born held");
	tap_is(xsdev_queue_op(held_fd, KFD_XSCHED_OP_RESUME, old.id, 0, NULL), -ESRCH,
	       "destroy: the old one is gone");
	tap_is(held_resume(&w), 0, "destroy: the process is released");
	tap_ok(held_is(&w, HELD_ACTIVE), "destroy: no reason is left");

	young = held_queue(&w, 0);
	xsdev_queue_op(held_fd, KFD_XSCHED_OP_SUSPEND, young.id, 0, NULL);
	tap_is(worker_recreate(&w, 0), 0,
	       "destroy: a queue held alone is destroyed, another created");
	tap_ok(held_is(&w, HELD_ACTIVE),
	       "destroy: the new one is not held: the hold was the queue's");
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "destroy: nothing is held");
	held_submit(&w, &held_tiny);
	tap_ok(held_done(&w), "destroy: and it runs");
	worker_stop(&w);
}

/* Its queues half-way, by two clients. */
static void test_end(bool kill)
{
	const char *what = kill ? "killed while held" : "exit while held";
	int other = xsdev_open();
	struct worker w;
	pid_t pid;

	held_begin(&w, held_gpus);
	pid = w.pid;
	held_half_way(&w);
	xsdev_process_op(other, KFD_XSCHED_OP_SUSPEND, pid, 0, NULL);
	tap_is(held_queue(&w, 0).holders, 2, "%s: two clients hold a process", what);
	if (kill)
		worker_kill(&w);
	else
		tap_is(worker_stop(&w), 0, "%s: it exits", what);
	tap_is(xsdev_wait_no_queue(held_fd, HELD_DONE_MS), 0, "%s: its queues are gone", what);
	tap_is(xsdev_process_op(held_fd, KFD_XSCHED_OP_RESUME, pid, 0, NULL), -ESRCH,
	       "%s: there is nothing to resume", what);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "%s: nothing is held", what);
	close(other);
}

/* ---- memory ------------------------------------------------------------------ */

static int invalidate_often(struct worker *w)
{
	int i, ret = 0;

	for (i = 0; i < 50 && !ret; i++) {
		ret = worker_invalidate(w);
		xsdev_sleep_ms(2);
	}
	return ret;
}

/* Registered memory that goes: amdkfd's MMU notifier evicts, a work of its own restores. */
static void test_memory(void)
{
	struct worker w;

	held_begin(&w, held_gpus);
	tap_is(held_half_way(&w), 0, "memory: held half-way");
	tap_is(invalidate_often(&w), 0, "memory: its registered pages go and come, fifty times");
	tap_ok(held_is(&w, HELD_MINE) && held_still(&w), "memory: restored each time, still held");
	tap_is(held_resume(&w), 0, "memory: released");
	tap_ok(held_is(&w, HELD_ACTIVE) && held_done(&w), "memory: no reason is left, it runs");
	held_account(&w, "memory");
	worker_stop(&w);
}

/* ---- the module --------------------------------------------------------------- */

/* A worker is a child and has what was open before: a file of the scheduler's, too. */
static int forget(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t file)
{
	(void)dev;
	(void)queue;
	return close((int)file);
}

static void test_unload(void)
{
	struct stat device;
	struct worker w;
	char path[128];

	if (stat(XSDEV_PATH, &device))
		tap_bail(XSDEV_PATH ": error %d", -errno);
	held_begin(&w, held_gpus);
	worker_call(&w, 0, forget, (uint64_t)held_fd);
	tap_is(held_half_way(&w), 0, "unload: a client holds a process half-way");
	tap_is(module_unload(), -EAGAIN, "unload: refused while the client is there");
	tap_ok(held_is(&w, HELD_MINE) && held_still(&w), "unload: and changes nothing");
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/queues/%u/xsched/priority",
		 (int)w.pid, held_queue(&w, 0).queue_id);
	tap_is(sysfile_write("3", path), 0, "unload: an administrator overrides a priority");
	held_suspend(&w);
	close(held_fd);
	tap_is(module_unload(), 0, "unload: the client goes, it is unloaded");
	tap_ok(held_done(&w), "unload: the process runs to its end");
	tap_is(sysfile_number("%s", path), -ENOENT, "unload: its files are gone");
	held_submit(&w, &held_tiny);
	tap_ok(held_done(&w), "unload: more work runs without the module");
	tap_is(module_load(&device), 0, "unload: it is loaded again");
	held_fd = xsdev_open();
	tap_ok(held_fd >= 0 && held_is(&w, HELD_ACTIVE),
	       "unload: the process and its queues are known");
	tap_is(held_queue(&w, 0).priority, KFD_XSCHED_PRIORITY_NORMAL,
	       "unload: the priority was given back");
	tap_is(held_half_way(&w), 0, "unload: it can be held again");
	tap_ok(held_still(&w), "unload: and does not run");
	held_resume(&w);
	tap_ok(held_done(&w), "unload: released, it does");
	held_account(&w, "unload");
	worker_stop(&w);
}

int main(int argc, char **argv)
{
	held_open(argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 1);
	test_debugger();
	test_update();
	test_destroy();
	test_end(false);
	test_end(true);
	test_memory();
	test_unload();
	return tap_done();
}
