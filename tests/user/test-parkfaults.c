// SPDX-License-Identifier: MIT
/*
 * Processes that are parked on a GPU that fails: its firmware hangs while they leave, are parked, or
 * come back, or one of their queues does not leave. With the reset all queues of the GPU are lost to
 * amdkfd, those of parked processes, too: these are parked no more, and say so when they ring. New
 * processes are parked as before. And a process that is checkpointed while it is parked.
 */
#include <errno.h>

#include "criu.h"
#include "gpufault.h"
#include "gpustat.h"
#include "must.h"
#include "stuck.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define FW_TIMEOUT_MS	2000	/* instead of amdkfd's nine seconds */
#define OLD_TIMEOUT_MS	9000
#define DONE_MS		60000
#define IDLE_MS		50	/* from when on they are parked */
#define LONG_MS		1000	/* longer than any park that would be too short to be worth it */

static const struct spin_shape brief = { 1, 64, MS };
/* It is lost with a reset. */
static const struct spin_shape endless = { 64, 256, 600000 * MS };
static struct kfd_xsched_node node;
static int fd;

/* Not by asking it, which may be stopped. */
static struct kfd_xsched_queue look(const struct worker *w)
{
	struct kfd_xsched_queue q = { 0 };

	if (xsdev_find_first(fd, w->pid, &q))
		tap_bail("process %d is not listed", (int)w->pid);
	return q;
}

static bool is_parked(const struct worker *w)
{
	return look(w).state & KFD_XSCHED_QUEUE_PARKED;
}

static bool becomes_parked(const struct worker *w)
{
	int i;

	for (i = 0; i < DONE_MS && !is_parked(w); i++)
		xsdev_sleep_ms(1);
	return is_parked(w);
}

static int want(const struct worker *w, uint32_t idle_ms)
{
	return xsdev_park(fd, KFD_XSCHED_PARK_SET, w->pid, idle_ms);
}

static bool works(struct worker *w)
{
	const int ret = worker_submit(w, 0, &brief, 1) ?: worker_wait(w, 0, DONE_MS);

	if (ret)
		tap_note("error %d, state %#x, resident %#x", ret, look(w).state, look(w).resident);
	return !ret;
}

/* Parked for so long that that was worth it. */
static void park(struct worker *w)
{
	if (!works(w) || want(w, IDLE_MS) || !becomes_parked(w))
		tap_bail("not parked: state %#x, resident %#x", look(w).state, look(w).resident);
	xsdev_sleep_ms(LONG_MS);
}

/* It rings after a reset: its queue was reset, as all others, and it is not parked. */
static void check_lost(struct worker *w, const char *what)
{
	const uint32_t mask = KFD_XSCHED_QUEUE_RESET | KFD_XSCHED_QUEUE_PARKED |
			      KFD_XSCHED_QUEUE_ACTIVE;
	int i;

	for (i = 0; i < DONE_MS && (look(w).state & mask) != KFD_XSCHED_QUEUE_RESET; i++)
		xsdev_sleep_ms(1);
	tap_is(look(w).state & mask, KFD_XSCHED_QUEUE_RESET,
	       "%s: its queue was reset, as all others", what);
}

/* One that may be parked, and another that has work all the time. */
static void start_both(struct worker *w, struct worker *busy)
{
	must_start(w, 1, NULL);
	must_start(busy, 1, NULL);
	if (worker_begin(busy, 0, &endless))
		tap_bail("nothing runs");
}

static void check_works(const char *what)
{
	struct worker w;

	must_start(&w, 1, NULL);
	park(&w);
	tap_ok(is_parked(&w) && works(&w), "%s: afterwards a process is parked, and comes back", what);
	tap_ok(worker_clean(&w), "%s: every dispatch executed once and in order", what);
	worker_stop(&w);
}

static void end_both(struct worker *w, struct worker *busy, const char *what)
{
	worker_kill(w);
	worker_kill(busy);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "%s: no queue is left", what);
	gpufault_timeout(OLD_TIMEOUT_MS);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/parked"), 0, "%s: nobody is parked", what);
	check_works(what);
}

static void hang(void)
{
	gpufault_timeout(FW_TIMEOUT_MS);
	gpufault_hang();
}

/* ---- the firmware hangs ---------------------------------------------------- */

/* A park is what finds out. */
static void test_leaving(void)
{
	struct worker w, busy;

	start_both(&w, &busy);
	tap_ok(works(&w), "leaving: a process has worked");
	hang();
	tap_is(want(&w, IDLE_MS), 0, "leaving: it is to be parked, and the firmware hangs");
	tap_is(gpufault_wait_reset(fd), 0, "leaving: the GPU is reset");
	tap_is(want(&w, 0), 0, "leaving: it is not to be parked any more");
	tap_ok(!is_parked(&w), "leaving: nor is it");
	end_both(&w, &busy, "leaving");
}

/* Somebody else's hold finds out. */
static void test_parked(void)
{
	struct worker w, busy;

	start_both(&w, &busy);
	park(&w);
	hang();
	tap_ok(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, busy.pid, 0, NULL) < 0,
	       "parked: the firmware hangs in another's hold");
	tap_is(gpufault_wait_reset(fd), 0, "parked: the GPU is reset");
	tap_is(worker_submit(&w, 0, &brief, 1), 0, "parked: the process rings");
	check_lost(&w, "parked");
	end_both(&w, &busy, "parked");
}

/* Its ring finds out. */
static void test_returning(void)
{
	struct worker w, busy;

	start_both(&w, &busy);
	park(&w);
	hang();
	tap_is(worker_submit(&w, 0, &brief, 1), 0, "returning: it rings, and the firmware hangs");
	tap_is(gpufault_wait_reset(fd), 0, "returning: the GPU is reset");
	check_lost(&w, "returning");
	end_both(&w, &busy, "returning");
}

/* ---- a queue does not leave -------------------------------------------------- */

/* amdkfd resets that queue alone, so there is nothing left that could be parked. */
static void test_stuck(void)
{
	const long resets = gpustat("resets");
	struct worker w, other;
	int i;

	must_start(&w, 1, NULL);
	stuck_keep_apart();
	must_start(&other, 1, NULL);
	works(&w);
	tap_is(gpufault("preempt_fail %u", stuck_doorbell(w.pid)), 0, "stuck: armed");
	tap_is(want(&w, IDLE_MS), 0, "stuck: its process is to be parked");
	for (i = 0; i < DONE_MS && !(look(&w).state & KFD_XSCHED_QUEUE_RESET); i++)
		xsdev_sleep_ms(1);
	tap_ok(look(&w).state & KFD_XSCHED_QUEUE_RESET, "stuck: the queue does not leave, and is reset");
	tap_is(gpustat("resets"), resets, "stuck: the GPU is not");
	tap_ok(works(&other), "stuck: another process works");
	end_both(&w, &other, "stuck");
}

/* ---- checkpoint ------------------------------------------------------------- */

static void test_checkpoint(void)
{
	struct worker w;
	int kfd;

	must_start(&w, 1, NULL);
	park(&w);
	kfd = criu_freeze(w.pid);
	if (kfd < 0)
		tap_bail("the process cannot be frozen: error %d", kfd);
	tap_is(criu_process_info(kfd), 0, "checkpoint: the queues of a parked process are paused");
	tap_ok(is_parked(&w), "checkpoint: it stays parked");
	tap_is(criu_checkpoint(kfd), 0, "checkpoint: it is done");
	tap_is(criu_unpause(kfd), 0, "checkpoint: unpaused");
	criu_thaw(w.pid, kfd);
	tap_ok(works(&w), "checkpoint: it comes back");
	tap_ok(worker_clean(&w), "checkpoint: every dispatch executed once and in order");
	worker_stop(&w);
}

int main(void)
{
	fd = gpufault_open();
	if (xsdev_node(fd, &node) || !(node.caps & KFD_XSCHED_CAP_PARK))
		tap_bail("the node cannot park");
	sysfile_set(1, "/sys/class/kfd_xsched/node%u/park_batch_ms", node.gpu_id);
	test_leaving();
	test_parked();
	test_returning();
	if (node.backend == KFD_XSCHED_BACKEND_HWS)
		test_stuck();
	test_checkpoint();
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "no queue is left");
	return tap_done();
}
