// SPDX-License-Identifier: MIT
/*
 * A GPU goes while processes have queues there that run, are held, evicted, debugged, or
 * concerned by armed switches, and while a call about one of them is under way. amdkfd ends
 * these processes: by SIGBUS, or SIGKILL if that does not help. All others go on, what they
 * are held by stays, and new ones can be started, also while the GPU goes. It can come back,
 * and what was there before is freed with the last process that knew it.
 *
 *   test-remove GPUS	the last of them
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "debugged.h"
#include "gpufault.h"
#include "held.h"
#include "lease.h"
#include "pci.h"
#include "sysfile.h"
#include "tap.h"
#include "xsarm.h"

#define MS		1000000ULL
#define PCI_DEVICES	"/sys/bus/pci/devices/"
#define MAX_NODES	16
#define LATE_US		"300000"	/* the call is under way for that long */
#define BEGUN_MS	20	/* by then the call, or the removal, is under way */
#define ENDED_MS	1500	/* by then SIGBUS has ended who does not ignore it */
#define DONE_MS		30000

/** enum user - processes on the GPU that goes */
enum user {
	RUNS,		/* has work, is the target of an armed switch, and of a call */
	HELD,
	EVICTED,	/* again and again */
	DEBUGGED,
	TRIGGER,	/* of an armed switch */
	WIDE,		/* has a queue on each GPU */
	IGNORES,	/* SIGBUS */
	STOPPED,	/* by SIGSTOP */
	USERS
};

/** enum other - processes on the first GPU */
enum other {
	WORKS,		/* is the target of the armed switch of TRIGGER */
	STAYS_HELD,
	STAYS_DEBUGGED,
	RINGS,		/* the trigger of the armed switch on RUNS */
	STARTED,	/* while the GPU goes */
	OTHERS
};

static const char *const user_names[USERS] = {
	[RUNS] = "that runs", [HELD] = "that is held", [EVICTED] = "that is evicted",
	[DEBUGGED] = "that is debugged", [TRIGGER] = "that is a trigger",
	[WIDE] = "that has a queue on each GPU", [IGNORES] = "that ignores SIGBUS",
	[STOPPED] = "that is stopped",
};

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape shape = { 64, 256, 4 * MS };
static const struct spin_shape brief = { 1, 64, 20 * MS };
static struct worker users[USERS], others[OTHERS];
static unsigned int gpus, last;
static bool had_modes;
static uint64_t on_runs, by_trigger;	/* armed switches */
static const char *name;	/* of that GPU on its bus */

/* ---- nodes ---------------------------------------------------------------- */

static bool has_node(uint32_t gpu_id)
{
	struct kfd_xsched_node nodes[MAX_NODES];
	int n = xsdev_nodes(held_fd, nodes, MAX_NODES), i;

	for (i = 0; i < n && i < MAX_NODES; i++)
		if (nodes[i].gpu_id == gpu_id)
			return true;
	return false;
}

static bool has_queue(uint32_t gpu_id)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(held_fd, queues, 64), i;

	for (i = 0; i < n && i < 64; i++)
		if (queues[i].gpu_id == gpu_id)
			return true;
	return false;
}

/* A file of its own that looks for the driver's data; not every GPU has it. */
static bool has_modes(void)
{
	char mode[32];

	return sysfile_read(mode, sizeof(mode), PCI_DEVICES "%s/current_compute_partition", name) > 0;
}

/* ---- processes ---------------------------------------------------------------- */

static int debug_on(struct worker *w)
{
	return worker_call(w, 0, debugged_suspend, true);
}

/* A process that debugs itself, with a queue that is suspended half-way. */
static int start_debugged(struct worker *w, unsigned int gpu)
{
	int ret = worker_start_on(w, 0, gpu);

	if (!ret)
		ret = worker_call(w, 0, debugged_start, 0);
	if (!ret && worker_add_queue(w) < 0)
		ret = -EIO;
	return ret ? ret : worker_half_way(w, 1, &held_lengthy, debug_on);
}

static int start_held(struct worker *w, unsigned int gpu)
{
	int ret = worker_start_on(w, 1, gpu);

	return ret ? ret : held_half_way(w);
}

static int start_busy(struct worker *w, unsigned int gpu)
{
	int ret = worker_start_on(w, 1, gpu);

	return ret ? ret : worker_begin(w, 0, &endless);
}

static int start_wide(struct worker *w)
{
	int ret = worker_start_on(w, gpus, WORKER_ALL_GPUS);
	unsigned int i;

	for (i = 0; i < gpus && !ret; i++)
		ret = worker_begin(w, i, &endless);
	return ret;
}

static int ignore_sigbus(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	(void)dev;
	(void)queue;
	(void)unused;
	return signal(SIGBUS, SIG_IGN) == SIG_ERR ? -errno : 0;
}

static void start_users(void)
{
	int ret = start_busy(&users[RUNS], last);

	ret |= start_held(&users[HELD], last);
	ret |= start_busy(&users[EVICTED], last);
	ret |= start_debugged(&users[DEBUGGED], last);
	ret |= worker_start_on(&users[TRIGGER], 1, last);
	ret |= start_wide(&users[WIDE]);
	ret |= start_busy(&users[IGNORES], last);
	ret |= worker_call(&users[IGNORES], 0, ignore_sigbus, 0);
	ret |= start_busy(&users[STOPPED], last);
	ret |= kill(users[STOPPED].pid, SIGSTOP);
	if (!tap_ok(!ret, "%d processes use the last GPU", USERS))
		tap_bail("nothing can be shown");
}

static void start_others(void)
{
	int ret = worker_start_on(&others[WORKS], 1, 0);

	ret |= worker_load_start(&others[WORKS], &shape, 0);
	ret |= start_held(&others[STAYS_HELD], 0);
	ret |= start_debugged(&others[STAYS_DEBUGGED], 0);
	ret |= worker_start_on(&others[RINGS], 1, 0);
	if (!tap_ok(!ret, "others use the first"))
		tap_bail("nothing can be shown");
}

static void arm(void)
{
	int on = xsarm_suspend(held_fd, others[RINGS].pid, users[RUNS].pid);
	int by = xsarm_suspend(held_fd, users[TRIGGER].pid, others[WORKS].pid);

	if (!tap_ok(on > 0 && by > 0, "switches are armed between the two GPUs"))
		tap_bail("errors %d, %d", on, by);
	on_runs = (uint64_t)on;
	by_trigger = (uint64_t)by;
}

/* ---- what happens at the same time ---------------------------------------- */

static bool evict_no_more;

/* Until the process is gone. */
static void *evict(void *unused)
{
	while (!__atomic_load_n(&evict_no_more, __ATOMIC_ACQUIRE) &&
	       !worker_invalidate(&users[EVICTED]))
		;
	return unused;
}

/* Whatever it returns: it returns. */
static void *hold(void *unused)
{
	xsdev_process_op(held_fd, KFD_XSCHED_OP_SUSPEND, users[RUNS].pid, 0, NULL);
	return unused;
}

static bool removed;
static int removal_error;

/* As if it were unplugged. */
static void *pull_out(void *unused)
{
	removal_error = sysfile_write("1", PCI_DEVICES "%s/remove", name);
	__atomic_store_n(&removed, true, __ATOMIC_RELEASE);
	return unused;
}

/* Whether the thread is over, or soon is. */
static bool ends(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += DONE_MS / 1000;
	return !pthread_timedjoin_np(thread, NULL, &until);
}

static bool is_removed(void)
{
	return __atomic_load_n(&removed, __ATOMIC_ACQUIRE);
}

/* ---- the GPU goes ----------------------------------------------------------- */

/* It takes until those have got SIGKILL for which SIGBUS was not enough. */
static void check_meanwhile(void)
{
	xsdev_sleep_ms(ENDED_MS);
	tap_ok(worker_load_goes_on(&others[WORKS]), "meanwhile a process on another GPU works on");
	tap_ok(held_is(&others[STAYS_HELD], HELD_MINE), "one that is held there still is");
	tap_ok(!worker_start_on(&others[STARTED], 1, 0) &&
	       !worker_submit(&others[STARTED], 0, &held_tiny, 1) &&
	       !worker_wait(&others[STARTED], 0, DONE_MS), "one can be started there, and works");
	tap_ok(!is_removed(), "all that before the GPU is gone");
}

static void check_users(void)
{
	int i;

	for (i = 0; i < USERS; i++)
		tap_is(worker_stop(&users[i]),
		       128 + (i == IGNORES || i == STOPPED ? SIGKILL : SIGBUS),
		       "the process %s was ended", user_names[i]);
}

static void check_gone(uint32_t gpu_id)
{
	tap_ok(!has_node(gpu_id), "there is no such node any more");
	tap_ok(!has_queue(gpu_id), "and no queue on it");
	tap_is(xsdev_node_count(held_fd), gpus - 1, "the other nodes are there");
}

/* A switch ends with its trigger. If its target is gone, it runs, with nothing to do. */
static void check_armed(void)
{
	struct kfd_xsched_event e = { 0 };

	tap_ok(!xsarm_wait(held_fd, by_trigger, false, DONE_MS, &e) &&
	       KFD_XSCHED_ARMED_ERRNO(e.data) == ESRCH, "the switch is gone whose trigger is");
	tap_ok(!worker_submit(&others[RINGS], 0, &brief, 1) &&
	       !worker_wait(&others[RINGS], 0, DONE_MS), "the trigger of the other gets work done");
	tap_is(xsarm_wait(held_fd, on_runs, true, DONE_MS, &e), 0, "which runs, with no target");
	tap_is(xsarm_clear(held_fd, on_runs), 0, "it is cleared");
}

static void check_others(void)
{
	tap_ok(held_is(&others[STAYS_HELD], HELD_MINE) && held_still(&others[STAYS_HELD]),
	       "on the other GPU, who was held still is");
	tap_is(held_resume(&others[STAYS_HELD]), 0, "and is released");
	tap_ok(held_done(&others[STAYS_HELD]), "and runs to the end");
	tap_is(worker_call(&others[STAYS_DEBUGGED], 0, debugged_suspend, false), 0,
	       "who was suspended by a debugger is resumed");
	tap_is(worker_wait(&others[STAYS_DEBUGGED], 0, DONE_MS), 0, "and runs to the end");
	tap_is(worker_call(&others[STAYS_DEBUGGED], 0, debugged_stop, 0), 0, "and debugged no more");
	tap_ok(worker_load_goes_on(&others[WORKS]), "who worked does");
}

static void test_removed(void)
{
	pthread_t evictor, holder, remover;
	uint32_t gpu_id;

	start_others();
	start_users();
	arm();
	gpu_id = held_queue(&users[RUNS], 0).gpu_id;
	/* MES has no such fault: there the call is over before. */
	gpufault("%u.0 preempt_late " LATE_US, last);
	if (pthread_create(&evictor, NULL, evict, NULL) ||
	    pthread_create(&holder, NULL, hold, NULL))
		tap_bail("no thread");
	xsdev_sleep_ms(BEGUN_MS);
	if (pthread_create(&remover, NULL, pull_out, NULL))
		tap_bail("no thread");
	check_meanwhile();
	if (!tap_ok(ends(remover) && !removal_error, "the GPU is removed from its bus"))
		tap_bail("error %d", removal_error);
	__atomic_store_n(&evict_no_more, true, __ATOMIC_RELEASE);
	if (!tap_ok(ends(holder) && ends(evictor), "calls that were under way have returned"))
		tap_bail("nothing more can be shown");
	check_users();
	check_gone(gpu_id);
	check_armed();
	check_others();
}

/* ---- and comes back ----------------------------------------------------------- */

static bool works(struct worker *w)
{
	return !held_half_way(w) && held_is(w, HELD_MINE) && !held_resume(w) && held_done(w);
}

/* A GPU that is found while processes are left that knew it before has the next free number. */
static bool is_forgotten(unsigned int number)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;

	while (gpufault("%u.0 clear", number) != -ENODEV && xsdev_now() < until)
		xsdev_sleep_ms(10);
	return gpufault("%u.0 clear", number) == -ENODEV;
}

static void stop_others(void)
{
	int i, failed = worker_load_stop(&others[WORKS]) != 0;

	for (i = 0; i < OTHERS; i++) {
		failed += !worker_clean(&others[i]);
		failed += worker_stop(&others[i]) != 0;
	}
	tap_is(failed, 0, "all that the others submitted was executed once, and they exit");
}

/* Found again while processes are left that knew it. */
static void test_found(struct worker *again)
{
	int ret;

	tap_is(sysfile_write("1", "/sys/bus/pci/rescan"), 0, "the bus is scanned again");
	tap_is(xsdev_node_count(held_fd), gpus, "its node is back");
	ret = worker_start_on(again, 1, last);
	if (!tap_is(ret, 0, "a process uses it"))
		tap_bail("nothing more can be shown");
	tap_ok(works(again), "it is held, released, and done");
	stop_others();
	tap_ok(is_forgotten(last), "the GPU as it was before is forgotten with the last who knew it");
	tap_ok(works(again), "that does not concern who uses it now");
	tap_is(has_modes(), had_modes, "nor its files, which look for the driver's data");
}

/* Nobody but the process on it has known it. */
static void test_bound_again(struct worker *w)
{
	struct worker again;

	tap_is(worker_begin(w, 0, &endless), 0, "a process runs on it");
	tap_is(sysfile_write(name, PCI_DRIVER "unbind"), 0, "the GPU is unbound");
	tap_is(worker_stop(w), 128 + SIGBUS, "the process was ended");
	tap_is(xsdev_node_count(held_fd), gpus - 1, "the node is gone");
	tap_ok(is_forgotten(gpus), "the GPU is forgotten");
	tap_is(sysfile_write(name, PCI_DRIVER "bind"), 0, "it is bound again");
	if (!tap_is(xsdev_node_count(held_fd), gpus, "the node is back"))
		return;
	tap_ok(!worker_start_on(&again, 1, last) && works(&again), "and works");
	worker_stop(&again);
}

int main(int argc, char **argv)
{
	struct worker again;

	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	if (gpus < 2)
		tap_bail("usage: test-remove GPUS, from 2 on");
	last = gpus - 1;
	if (lease_set(LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	held_open(1);
	xsdev_subscribe(held_fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED), 0, 0);
	name = pci_last();
	had_modes = has_modes();
	tap_is(xsdev_node_count(held_fd), gpus, "so many GPUs");
	test_removed();
	test_found(&again);
	test_bound_again(&again);
	tap_is(xsdev_wait_no_queue(held_fd, DONE_MS), 0, "no queue is left");
	return tap_done();
}
