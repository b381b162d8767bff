// SPDX-License-Identifier: MIT
/*
 * More processes than VMIDs: those of which all is held take none. So the firmware takes no
 * turns, and a queue that was stopped once becomes IDLE; both as long as no more processes run
 * than there are VMIDs.
 */
#include <string.h>
#include <sys/klog.h>

#include "gpustat.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define PROCESSES	20	/* 13 have room on any GPU of gfx9 */
#define RUNNING		5
#define READY		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY)
#define IDLE		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE)
#define SAMPLE_US	100
#define SETTLE_US	500
#define TIMEOUT_MS	20000
#define TURN_MS		10
#define READ_ALL	3	/* SYSLOG_ACTION_READ_ALL */

static const struct spin_shape lasting = { 1, 64, 50000000 };
static struct worker workers[PROCESSES];
static char klog[1 << 22];
static int fd;

static void apply(uint32_t op)
{
	struct kfd_xsched_entry entries[PROCESSES - RUNNING] = { 0 };
	unsigned int i;

	for (i = 0; i < PROCESSES - RUNNING; i++) {
		entries[i].op = op;
		entries[i].target = KFD_XSCHED_TARGET_PROCESS;
		entries[i].id = (uint64_t)workers[RUNNING + i].pid;
	}
	if (xsdev_apply(fd, entries, PROCESSES - RUNNING, NULL))
		tap_bail("no switch");
}

static long turns_in_a_while(void)
{
	const long before = gpustat("slices");

	xsdev_sleep_ms(10 * TURN_MS);
	return gpustat("slices") - before;
}

/* How often the driver's message about that is in the kernel's log. */
static int times_said(void)
{
	const int size = klogctl(READ_ALL, klog, sizeof(klog) - 1);
	const char *at = klog;
	int n = 0;

	if (size < 0)
		tap_bail("there is no kernel log");
	klog[size] = 0;
	while ((at = strstr(at, "oversubscribed"))) {
		at++;
		n++;
	}
	return n;
}

/* Its queue is stopped in the midst of a kernel: does it become IDLE once that is over? */
static bool becomes_idle(struct worker *w)
{
	struct kfd_xsched_event e;

	if (worker_begin(w, 0, &lasting) ||
	    xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, w->pid, 0, NULL) ||
	    xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, w->pid, 0, NULL) ||
	    worker_wait(w, 0, TIMEOUT_MS))
		tap_bail("no kernel");
	return !xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, w->pid, TIMEOUT_MS, &e);
}

int main(void)
{
	struct kfd_xsched_node node = { 0 };
	unsigned int i;
	int ret;

	fd = xsdev_open();
	for (i = 0; i < PROCESSES; i++) {
		ret = worker_start(&workers[i], 1, NULL);
		if (ret)
			tap_bail("no worker %u: error %d", i, ret);
	}
	xsdev_subscribe(fd, READY | IDLE, SAMPLE_US, SETTLE_US);
	tap_ok(turns_in_a_while() > 0, "%u processes: the firmware takes turns", PROCESSES);
	apply(KFD_XSCHED_OP_SUSPEND);
	tap_is(turns_in_a_while(), 0, "all but %u are held: it takes none", RUNNING);
	tap_ok(becomes_idle(&workers[0]), "what was stopped once becomes IDLE");
	tap_is(turns_in_a_while(), 0, "it still takes none");
	apply(KFD_XSCHED_OP_RESUME);
	tap_ok(turns_in_a_while() > 0, "none is held: it takes turns again");
	tap_ok(becomes_idle(&workers[0]), "what was stopped once becomes IDLE all the same");
	tap_is(times_said(), !xsdev_node(fd, &node) && node.backend == KFD_XSCHED_BACKEND_HWS,
	       "the driver has said so once, or with MES never");
	for (i = 0; i < PROCESSES; i++)
		worker_stop(&workers[i]);
	return tap_done();
}
