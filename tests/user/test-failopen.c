// SPDX-License-Identifier: MIT
/*
 * The scheduler is killed while it holds a process: the kernel lets go, and
 * the process runs again within 100 ms. xschedd itself is killed here, with
 * SIGKILL, in the middle of HPF.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define ROUNDS		5
#define LIMIT_MS	100
#define START_MS	10000	/* for xschedd to start and to act */
#define CONFIG		"/tmp/failopen.conf"
#define HI_NAME		"failopen-hi"

/* Fills the GPU; a round of the load is one of these. */
static const struct spin_shape lo_shape = { 640, 256, 2 * MS };
/*
 * Keeps the high-priority process busy as long as it takes, with packets that
 * wait: not every firmware lets the scheduler see waves.
 */
static const struct spin_shape hi_shape = { 64, 256, 60 * MS };
#define HI_COUNT	50

static void write_config(void)
{
	FILE *f = fopen(CONFIG, "we");

	if (!f)
		tap_bail(CONFIG ": error %d", -errno);
	fprintf(f, "[xschedd]\npolicy = hpf\nsample_us = 200\nsettle_us = 1000\n"
		"\n[rule failopen]\ncomm = %s\npriority = 10\n", HI_NAME);
	fclose(f);
}

static pid_t start_xschedd(const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		execl(path, path, "-f", "-c", CONFIG, NULL);
		_exit(127);
	}
	return pid;
}

static bool is_held(int fd, struct worker *w)
{
	struct kfd_xsched_queue queues[16];
	int n = xsdev_list(fd, queues, 16), i;

	for (i = 0; i < n && i < 16; i++) {
		if (queues[i].pid == w->pid && (queues[i].state & KFD_XSCHED_QUEUE_HELD))
			return true;
	}
	return false;
}

/* There is no event for a hold: look, with an end. */
static bool wait_held(int fd, struct worker *w)
{
	uint64_t deadline = xsdev_now() + START_MS * MS;

	while (!is_held(fd, w)) {
		if (xsdev_now() > deadline)
			return false;
		xsdev_sleep_ms(5);
	}
	return true;
}

/* From the kill to the first dispatch completed after it, or 0: there was none. */
static uint64_t kill_once(int fd, const char *xschedd, struct worker *lo, struct worker *hi)
{
	uint64_t killed, took = 0;
	uint32_t rounds;
	int status;
	pid_t pid;

	worker_submit(hi, 0, &hi_shape, HI_COUNT);
	pid = start_xschedd(xschedd);
	if (!tap_ok(wait_held(fd, lo), "xschedd holds the low-priority process"))
		return 0;
	/* What was complete before the hold is told before the kill. */
	xsdev_sleep_ms(50);
	rounds = worker_load_rounds(lo);
	tap_is(worker_load_progress(lo, rounds, 200), -ETIME, "which makes no progress");
	killed = xsdev_now();
	kill(pid, SIGKILL);
	if (tap_is(worker_load_progress(lo, rounds, 5000), 0, "xschedd is killed, and it does")) {
		took = lo->shared->done_ns - killed;
		tap_note("%.2f ms from the kill to the end of a 2 ms dispatch",
			 (double)took / 1e6);
		tap_ok(took < LIMIT_MS * MS, "within %d ms", LIMIT_MS);
	}
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it was the kill that ended it");
	tap_ok(!is_held(fd, lo), "nothing is held");
	tap_is(worker_wait(hi, 0, 10000), 0, "the high-priority process is undisturbed");
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

/* test-failopen [RESULT.json [XSCHEDD]] */
int main(int argc, char **argv)
{
	const char *xschedd = argc > 2 ? argv[2] : "/bin/xschedd";
	uint64_t took[ROUNDS];
	int fd = xsdev_open(), i;
	struct worker lo, hi;
	struct spin_account a;

	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	if (access(xschedd, X_OK))
		tap_bail("%s: error %d", xschedd, -errno);
	write_config();
	if (worker_start(&lo, 1, NULL) || worker_start_named(&hi, 1, HI_NAME))
		tap_bail("no workers");
	worker_load_start(&lo, &lo_shape, 0);
	for (i = 0; i < ROUNDS; i++)
		took[i] = kill_once(fd, xschedd, &lo, &hi);
	if (argc > 1)
		write_result(argv[1], took);
	tap_is(worker_load_stop(&lo), 0, "all of it completed");
	worker_account(&lo, &a);
	tap_ok(spin_account_clean(&a), "every dispatch executed once and in order");
	worker_stop(&lo);
	worker_stop(&hi);
	return tap_done();
}
