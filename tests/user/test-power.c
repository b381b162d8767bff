// SPDX-License-Identifier: MIT
/*
 * The machine sleeps, or the GPU alone, while queues are held: they come back held,
 * and run when they are released. A held process keeps its GPU awake as any does.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "held.h"
#include "lease.h"
#include "pmsleep.h"
#include "sysfile.h"
#include "tap.h"
#include "xsarm.h"

#define LEASE_MS	4000	/* longer than a queue is watched, also on a busy machine */
#define SHORT_S		2
#define LONG_S		5	/* longer than a lease */
#define ACTIVITY	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |	\
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

static char gpu[64];	/* its directory in sysfs */

/* Everything up to and with the devices' suspend, some sleep, and back. */
static int sleep_system(unsigned int seconds)
{
	return pmsleep("devices", seconds);
}

static long suspends(void)
{
	return sysfile_number("/sys/power/suspend_stats/success");
}

static int hold_half_way(struct worker *w)
{
	return worker_half_way_in_real_time(w, held_gpus, &held_lengthy, held_suspend, held_resume);
}

static void test_nobody(struct worker *w)
{
	long before = suspends();

	held_start(w);
	tap_is(sleep_system(SHORT_S), 0, "sleep: the system sleeps while a dispatch runs");
	tap_is(suspends() - before, 1, "sleep: the kernel says that it did");
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "sleep: nobody holds it, it runs to its end");
}

/* Nobody can renew a lease while all sleep. */
static void test_held(struct worker *w)
{
	if (lease_set(LEASE_MS))
		tap_bail("the lease cannot be changed");
	tap_is(hold_half_way(w), 0, "sleep while held: held half-way");
	tap_is(sleep_system(LONG_S), 0, "sleep while held: the system sleeps");
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "sleep while held: still held");
	tap_is(sleep_system(LONG_S), 0, "sleep while held: it sleeps again");
	tap_ok(held_is(w, HELD_MINE) && held_still(w), "sleep while held: still held");
	tap_is(held_resume(w), 0, "sleep while held: released");
	lease_set(LEASE_PATIENT_MS);
	tap_ok(held_is(w, HELD_ACTIVE) && held_done(w),
	       "sleep while held: no reason is left, it runs");
}

/* Work that is there already, and work that comes afterwards. */
static void test_watched(struct worker *w)
{
	const uint64_t id = held_queue(w, 0).id;
	struct kfd_xsched_event e = { 0 };
	int fd = xsdev_open();

	xsdev_subscribe(fd, ACTIVITY, 1000, 0);
	if (xsdev_can(fd, KFD_XSCHED_CAP_TAP))
		tap_is(xsarm_wait_tapped(fd, id, true, HELD_DONE_MS), 0,
		       "sleep while watched: tapped");
	tap_is(sleep_system(SHORT_S), 0, "sleep while watched: the system sleeps");
	xsarm_drain(fd);
	/* Where waves cannot be counted, only what follows the dispatch that runs is seen. */
	worker_submit(w, 0, &held_lengthy, 2);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, w->pid, HELD_DONE_MS, &e), 0,
	       "sleep while watched: work is seen afterwards");
	tap_ok(held_done(w), "sleep while watched: and done");
	close(fd);
}

static void test_system(void)
{
	struct worker w;

	held_begin(&w, held_gpus);
	test_nobody(&w);
	test_held(&w);
	test_watched(&w);
	held_account(&w, "sleep");
	worker_stop(&w);
}

/* ---- the GPU alone ----------------------------------------------------------- */

static bool gpu_becomes(const char *status)
{
	const uint64_t end = xsdev_now() + HELD_DONE_MS * 1000000ULL;
	char text[32];

	do {
		if (sysfile_read(text, sizeof(text), "%s/power/runtime_status", gpu) > 0 &&
		    !strncmp(text, status, strlen(status)))
			return true;
		xsdev_sleep_ms(20);
	} while (xsdev_now() < end);
	tap_note("the GPU is %s", text);
	return false;
}

static void test_runtime(void)
{
	struct worker w;

	tap_is(sysfile_write("auto", "%s/power/control", gpu), 0, "runtime PM: allowed");
	tap_ok(gpu_becomes("suspended"), "runtime PM: a GPU without a process sleeps");
	held_begin(&w, held_gpus);
	tap_ok(gpu_becomes("active"), "runtime PM: a process wakes it");
	tap_is(hold_half_way(&w), 0, "runtime PM: the process is held half-way");
	xsdev_sleep_ms(500);
	tap_ok(gpu_becomes("active"), "runtime PM: which does not let the GPU sleep");
	tap_ok(held_is(&w, HELD_MINE) && held_still(&w), "runtime PM: still held");
	tap_is(held_resume(&w), 0, "runtime PM: released");
	tap_ok(held_is(&w, HELD_ACTIVE) && held_done(&w), "runtime PM: no reason is left, it runs");
	held_account(&w, "runtime PM");
	held_suspend(&w);
	worker_kill(&w);
	tap_ok(gpu_becomes("suspended"), "runtime PM: killed while held: the GPU sleeps again");
	held_begin(&w, held_gpus);
	held_start(&w);
	tap_ok(held_done(&w), "runtime PM: the next process runs");
	worker_stop(&w);
	tap_is(sysfile_write("on", "%s/power/control", gpu), 0, "runtime PM: forbidden again");
	tap_ok(gpu_becomes("active"), "runtime PM: the GPU is awake");
}

int main(void)
{
	glob_t found;

	held_open(1);
	/* In real time the host may keep us from running for longer than a usual lease. */
	lease_set(LEASE_PATIENT_MS);
	if (glob("/sys/bus/pci/drivers/vgpu/0000:*", 0, NULL, &found))
		tap_bail("no GPU");
	snprintf(gpu, sizeof(gpu), "%s", found.gl_pathv[0]);
	globfree(&found);
	test_system();
	test_runtime();
	return tap_done();
}
