// SPDX-License-Identifier: MIT
/*
 * Queues that die during the call: APPLY on one CPU against create and
 * destroy, exit and SIGKILL on the other. Nothing but success and the benign
 * errors may come out, and nothing may stay behind.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lease.h"
#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define RECREATIONS	300
#define PROCESSES	20
#define MAX_ERRNO	140
#define ENOUGH		100	/* calls of the hammer */
#define MOST		20	/* times what is enough on a machine that is not busy */

static const struct spin_shape few = { 64, 256, 2 * MS };

/**
 * struct tally - what the hammer got, in shared memory
 * @stop: end it
 * @by_errno: calls that returned this errno (0: success)
 */
struct tally {
	uint32_t stop;
	uint32_t by_errno[MAX_ERRNO];
};

static struct tally *tally;

static void count(int ret)
{
	int e = ret < 0 ? -ret : 0;

	tally->by_errno[e < MAX_ERRNO ? e : MAX_ERRNO - 1]++;
}

static uint32_t calls(void)
{
	uint32_t all = 0, e;

	for (e = 0; e < MAX_ERRNO; e++)
		all += __atomic_load_n(&tally->by_errno[e], __ATOMIC_RELAXED);
	return all;
}

/* Whether the test goes on: it does until it has been a race. */
static bool more(unsigned int done, unsigned int count)
{
	return done < count || (calls() <= ENOUGH && done < MOST * count);
}

/* Suspend everything there is, queue by queue and in one call, and release. */
static void hammer(void)
{
	struct kfd_xsched_queue queues[64];
	struct kfd_xsched_entry entries[64];
	int fd = xsdev_open(), n, i, round = 0;

	while (!__atomic_load_n(&tally->stop, __ATOMIC_ACQUIRE)) {
		n = xsdev_list(fd, queues, 64);
		if (n <= 0)
			continue;
		n = n > 64 ? 64 : n;
		memset(entries, 0, sizeof(entries));
		for (i = 0; i < n; i++) {
			entries[i].op = round & 1 ? KFD_XSCHED_OP_UNMAP : KFD_XSCHED_OP_SUSPEND;
			entries[i].target = KFD_XSCHED_TARGET_QUEUE;
			entries[i].id = queues[i].id;
		}
		count(xsdev_apply(fd, entries, n, NULL));
		for (i = 0; i < n; i++)
			count(xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queues[i].id, 0, NULL));
		for (i = 0; i < n; i++)
			count(xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, queues[i].pid, 0, NULL));
		for (i = 0; i < n; i++)
			count(xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, queues[i].pid, 0, NULL));
		round++;
	}
	_exit(0);
}

static pid_t start_hammer(void)
{
	pid_t pid;

	memset(tally, 0, sizeof(*tally));
	pid = fork();
	if (!pid)
		hammer();
	return pid;
}

/*
 * Benign: gone (ESRCH), never held or no longer (EALREADY), and for processes
 * ENOENT, as a pid says nothing about the past.
 */
static void stop_hammer(pid_t pid, const char *what)
{
	uint32_t bad = 0, all = 0, e;
	int status;

	__atomic_store_n(&tally->stop, 1, __ATOMIC_RELEASE);
	waitpid(pid, &status, 0);
	for (e = 0; e < MAX_ERRNO; e++) {
		all += tally->by_errno[e];
		if (!tally->by_errno[e])
			continue;
		tap_note("%s: errno %u: %u times", what, e, tally->by_errno[e]);
		if (e && e != ESRCH && e != EALREADY && e != ENOENT)
			bad += tally->by_errno[e];
	}
	tap_ok(all > ENOUGH, "%s: the hammer made enough calls", what);
	tap_note("%s: %u calls", what, all);
	tap_ok(tally->by_errno[0], "%s: some succeeded", what);
	tap_is(bad, 0, "%s: all others ended with a benign error", what);
}

static void test_destroy(void)
{
	unsigned int i, failed = 0;
	struct worker w;
	pid_t pid;

	must_start(&w, 2, NULL);
	pid = start_hammer();
	for (i = 0; more(i, RECREATIONS); i++) {
		failed += worker_submit(&w, 1, &few, 1) != 0;
		failed += worker_recreate(&w, 0) != 0;
		failed += worker_wait(&w, 1, 30000) != 0;
	}
	tap_is(failed, 0, "%u queues are destroyed and created under fire", i);
	stop_hammer(pid, "destroy");
	worker_stop(&w);
}

static void test_exit(void)
{
	unsigned int i, failed = 0;
	struct worker w;
	pid_t pid;

	pid = start_hammer();
	for (i = 0; more(i, PROCESSES); i++) {
		failed += worker_start(&w, 2, NULL) != 0;
		worker_submit(&w, 0, &few, 50);
		worker_submit(&w, 1, &few, 50);
		xsdev_sleep_ms(5 + i % 7);
		if (i & 1)
			worker_kill(&w);
		else
			failed += worker_stop(&w) != 0;
	}
	tap_is(failed, 0, "%u processes end under fire, every other one by SIGKILL", i);
	stop_hammer(pid, "exit");
}

/* The client is killed while it is in the middle of its calls. */
static void test_client_killed(void)
{
	struct spin_account a;
	struct worker w;
	unsigned int i;
	int status;
	pid_t pid;

	must_start(&w, 2, NULL);
	worker_load_start(&w, &few, 1);
	for (i = 0; i < PROCESSES; i++) {
		pid = start_hammer();
		xsdev_sleep_ms(20 + i);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	tap_is(worker_load_stop(&w), 0, "%u clients are killed in mid-call, and the worker runs on",
	       PROCESSES);
	worker_account(&w, &a);
	tap_ok(spin_account_clean(&a), "all dispatches executed once and in order");
	tap_note("%llu dispatches", (unsigned long long)a.submitted);
	worker_stop(&w);
}

static void test_nothing_left(void)
{
	int fd = xsdev_open();

	tap_is(xsdev_wait_no_queue(fd, 20000), 0, "no queue is left");
	close(fd);
}

int main(void)
{
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		tap_bail("mmap: error %d", -errno);
	/* In real time the host may keep us from running for longer than a usual lease. */
	lease_set(LEASE_PATIENT_MS);
	test_destroy();
	test_exit();
	test_client_killed();
	test_nothing_left();
	return tap_done();
}
