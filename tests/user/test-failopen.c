// SPDX-License-Identifier: MIT
/*
 * The scheduler is killed while it holds a process: the kernel releases it, and
 * the process runs again within 100 ms, each time. xschedd itself is killed here, with
 * SIGKILL, in the middle of HPF.
 *
 * For a guest whose time is that of its instructions, so that a limit is one of the software,
 * not of the machine it runs on: run-guest --icount.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon.h"
#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define ROUNDS		5
#define LIMIT_MS	100
#define START_MS	20000	/* for xschedd to start and to act */
#define HI_NAME		"failopen-hi"

/* Fills the GPU; a round of the load is one of these. */
static const struct spin_shape lo_shape = { 640, 256, 2 * MS };
/*
 * Keeps the high-priority process busy as long as it takes, with packets that
 * wait: not every firmware lets the scheduler see waves.
 */
static const struct spin_shape hi_shape = { 64, 256, 60 * MS };
#define HI_COUNT	64

/* From the kill to the first dispatch completed after it, or 0: there was none. */
static uint64_t kill_once(int fd, struct daemon *d, struct worker *lo, struct worker *hi)
{
	uint64_t killed, took = 0;
	uint32_t rounds;

	daemon_start(d);
	/* It is up when it answers: the work is not over before. */
	daemon_counts(d, "tenants", 0, START_MS);
	worker_submit(hi, 0, &hi_shape, HI_COUNT);
	if (!tap_ok(daemon_holds_within(fd, lo->pid, true, START_MS),
		    "xschedd holds the low-priority process"))
		return 0;
	tap_ok(worker_load_still(lo, 200), "which makes no progress");
	rounds = worker_load_rounds(lo);
	killed = xsdev_now();
	kill(d->pid, SIGKILL);
	if (tap_is(worker_load_progress(lo, rounds, START_MS), 0, "xschedd is killed, and it does")) {
		took = lo->shared->done_ns - killed;
		tap_note("%.2f ms from the kill to the end of a 2 ms dispatch",
			 (double)took / 1e6);
	}
	tap_is(daemon_reap(d), 128 + SIGKILL, "it was the kill that ended it");
	tap_ok(!daemon_holds(fd, lo->pid), "nothing is held");
	tap_is(worker_wait(hi, 0, START_MS), 0, "the high-priority process is undisturbed");
	return took;
}

/* For the benchmark's report. */
static void write_result(const char *path, const uint64_t *took)
{
	FILE *f = fopen(path, "we");
	int i;

	if (!f)
		tap_bail("%s: error %d", path, -errno);
	fprintf(f, "{\"run_again_ns\": [");
	for (i = 0; i < ROUNDS; i++)
		fprintf(f, "%s%llu", i ? ", " : "", (unsigned long long)took[i]);
	fprintf(f, "]}\n");
	fclose(f);
}

/* The longest, or 0: once, it did not run again. */
static uint64_t longest(const uint64_t *took)
{
	uint64_t most = took[0];
	int i;

	for (i = 1; i < ROUNDS && most; i++)
		most = !took[i] || took[i] > most ? took[i] : most;
	return most;
}

/* test-failopen [RESULT.json [XSCHEDD]] */
int main(int argc, char **argv)
{
	struct daemon d = { .program = argc > 2 ? argv[2] : "/bin/xschedd", .name = "failopen" };
	uint64_t took[ROUNDS], most;
	int fd = must_open(), i;
	struct worker lo, hi;
	struct spin_account a;

	if (access(d.program, X_OK))
		tap_bail("%s: error %d", d.program, -errno);
	daemon_configure(&d, "\n[rule failopen]\ncomm = " HI_NAME "\nuser = 0\npriority = 10\n");
	if (worker_start(&lo, 1, NULL) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	worker_load_start(&lo, &lo_shape, 0);
	for (i = 0; i < ROUNDS; i++)
		took[i] = kill_once(fd, &d, &lo, &hi);
	most = longest(took);
	tap_ok(most && most < LIMIT_MS * MS, "within %d ms, each of %d times", LIMIT_MS, ROUNDS);
	if (argc > 1)
		write_result(argv[1], took);
	tap_is(worker_load_stop(&lo), 0, "all of it completed");
	worker_account(&lo, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
	worker_stop(&lo);
	worker_stop(&hi);
	return tap_done();
}
