// SPDX-License-Identifier: MIT
/*
 * xschedd with gang=0, on two GPUs: a process is held where one of a higher
 * priority has work, with the queues it creates there meanwhile, and works on
 * the other GPU. Then with gang=1: it is held on both.
 *
 *   test-xschedd-apart [XSCHEDD]
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "daemon.h"
#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LATE_MS		20000	/* for whatever must happen */
#define HI_NAME		"apart-hi"

static const struct spin_shape lo_shape = { 64, 256, MS };
static const struct spin_shape hi_shape = { 64, 256, 120 * MS };
/* Of these, for 23 seconds: high is killed in the end. */
#define HI_BATCH	64
#define HI_BATCHES	3

static const char rest[] = "\n[rule hi]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n";
static uint32_t gpus[2];

static void get_gpus(int fd)
{
	struct kfd_xsched_node nodes[2];

	if (xsdev_nodes(fd, nodes, 2) != 2)
		tap_bail("this takes two GPUs");
	gpus[0] = nodes[0].gpu_id;
	gpus[1] = nodes[1].gpu_id;
}

/* Queues of a process on a GPU that are held, or that are not. */
static unsigned int count(int fd, pid_t pid, uint32_t gpu_id, bool held)
{
	struct kfd_xsched_queue queues[32];
	int n = xsdev_list(fd, queues, 32), i;
	unsigned int found = 0;

	for (i = 0; i < n && i < 32; i++)
		found += queues[i].pid == pid && queues[i].gpu_id == gpu_id &&
			 !(queues[i].state & KFD_XSCHED_QUEUE_HELD) == !held;
	return found;
}

/* Whether that many are held on a GPU, and none is not, within the time there is. */
static bool all_held(int fd, pid_t pid, uint32_t gpu_id, unsigned int wanted)
{
	uint64_t end = xsdev_now() + LATE_MS * MS;

	while (count(fd, pid, gpu_id, true) != wanted || count(fd, pid, gpu_id, false)) {
		if (xsdev_now() > end)
			return false;
		xsdev_sleep_ms(1);
	}
	return true;
}

static int submit_much(struct worker *hi)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < HI_BATCHES; i++)
		ret = worker_submit(hi, 0, &hi_shape, HI_BATCH);
	return ret;
}

static bool works(struct worker *w, unsigned int queue)
{
	return !worker_submit(w, queue, &lo_shape, 3) && !worker_wait(w, queue, LATE_MS);
}

/* Its queue 2 is on the first GPU, where it is held; 3 on the second. */
static void test_new_queues(int fd, struct worker *lo)
{
	uint64_t begin = xsdev_now();

	tap_is(worker_add_queue(lo), 2, "low creates a queue on the first GPU");
	tap_ok(all_held(fd, lo->pid, gpus[0], 2), "which is held, too");
	tap_note("%llu us after it was asked for",
		 (unsigned long long)(xsdev_now() - begin) / 1000);
	tap_is(worker_add_queue(lo), 3, "and one on the second");
	tap_ok(works(lo, 3), "which works");
	tap_is(count(fd, lo->pid, gpus[1], true), 0, "nothing is held there");
}

static void test_apart(int fd, struct worker *lo, struct worker *hi)
{
	tap_ok(works(lo, 0) && works(lo, 1), "low works on both GPUs");
	tap_is(submit_much(hi), 0, "high gets work on the first");
	tap_ok(all_held(fd, lo->pid, gpus[0], 1), "low is held there");
	tap_ok(works(lo, 1), "and works on the second");
	tap_is(count(fd, lo->pid, gpus[1], true), 0, "where nothing is held");
	worker_submit(lo, 0, &lo_shape, 3);
	tap_is(worker_wait(lo, 0, 200), -ETIME, "on the first it does not");
	test_new_queues(fd, lo);
}

/* The same process, with the same work, on all its GPUs or on none. */
static void test_gang(struct daemon *d, int fd, struct worker *lo)
{
	daemon_ask(d, "{\"cmd\":\"policy\",\"options\":{\"gang\":1}}\n");
	tap_ok(all_held(fd, lo->pid, gpus[0], 2), "gang=1: low is held on the first GPU");
	tap_ok(all_held(fd, lo->pid, gpus[1], 2), "and on the second");
	kill(d->pid, SIGHUP);
	tap_ok(daemon_says(d, "configuration read again", LATE_MS), "SIGHUP: gang=0 again");
	tap_ok(all_held(fd, lo->pid, gpus[0], 2), "low is held on the first GPU");
	tap_ok(works(lo, 1), "and works on the second");
	tap_is(count(fd, lo->pid, gpus[1], true), 0, "where nothing is held");
}

static void test_end(int fd, struct worker *lo, struct worker *hi)
{
	struct spin_account a;

	worker_kill(hi);
	tap_is(worker_wait(lo, 0, LATE_MS), 0, "high is gone: what low had asked for completes");
	tap_ok(daemon_holds_within(fd, lo->pid, false, LATE_MS), "it is not held any more");
	worker_account(lo, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
}

int main(int argc, char **argv)
{
	struct daemon d = { .program = argc > 1 ? argv[1] : "/bin/xschedd", .name = "apart" };
	int fd = must_open();
	struct worker lo, hi;
	char more[256];

	get_gpus(fd);
	if (worker_start_on(&lo, 2, WORKER_ALL_GPUS) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	snprintf(more, sizeof(more), "%s\n[options]\ngang = 0\n", rest);
	daemon_configure(&d, more);
	daemon_start(&d);
	test_apart(fd, &lo, &hi);
	test_gang(&d, fd, &lo);
	test_end(fd, &lo, &hi);
	worker_submit(&lo, 0, &lo_shape, 3);
	tap_is(daemon_stop(&d), 0, "the daemon ends in order");
	worker_stop(&lo);
	tap_is(sysfile_number(SYSFILE_GLOBAL "statistics/held"), 0, "nothing is held");
	return tap_done();
}
