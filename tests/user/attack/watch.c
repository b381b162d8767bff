// SPDX-License-Identifier: MIT
/* See watch.h. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "tap.h"
#include "users.h"
#include "watch.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LOGGED		65536
#define REQUESTS	(1U << 18)	/* more than there will be */
#define LEAST_ROUNDS	3	/* of each */
#define LIST_US		3000
#define THINK_US	2000
#define PATIENCE_MS	20000
#define LISTED		256

const char *const watch_names[WATCHED] = {
	[WATCH_LIST] = "LIST",
	[WATCH_HIGH] = "a high request",
	[WATCH_EJECT] = "ejection",
};

/* A request of the high tenant: all of the GPU for two milliseconds. */
static const struct spin_shape request = { 640, 256, 1 * MS };
static const struct spin_shape endless = { 64, 256, 60000 * MS };

/**
 * struct watch_log - what one watcher alone writes
 * @ready: it has begun
 * @rounds: how often it has done its thing
 * @error: the first failure: -errno
 * @since: when what is under way began, CLOCK_MONOTONIC, less what it is to take; 0: nothing is
 * @us: how long each took
 */
struct watch_log {
	uint32_t ready;
	uint32_t rounds;
	int32_t error;
	uint64_t since;
	uint32_t us[LOGGED];
};

static struct watch_log *logs;
static pid_t pids[WATCHED];
static unsigned int lease;

/* How long high requests take in the usual periods. */
static bool is_usual;
static uint32_t usual_us[LOGGED], usual_count;

/* ---- in a watcher ---- */

/* It may take @expected_ms, which do not count. */
static void begin(struct watch_log *log, unsigned int expected_ms)
{
	__atomic_store_n(&log->since, xsdev_now() + expected_ms * MS, __ATOMIC_RELEASE);
}

static uint32_t us_since(uint64_t since)
{
	const uint64_t now = xsdev_now();

	return since && now > since ? (uint32_t)((now - since) / 1000) : 0;
}

static void end(struct watch_log *log, int ret)
{
	log->us[log->rounds % LOGGED] = us_since(log->since);
	log->since = 0;
	if (ret < 0 && !log->error)
		log->error = ret;
	__atomic_fetch_add(&log->rounds, 1, __ATOMIC_RELEASE);
}

static void become(uid_t uid)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &first) || users_become_for_good(uid))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void watch_list(struct watch_log *log)
{
	static struct kfd_xsched_queue queues[LISTED];
	int fd;

	become(ATTACK_OTHER);
	fd = xsdev_open();
	for (log->ready = 1;; usleep(LIST_US)) {
		begin(log, 0);
		end(log, xsdev_list(fd, queues, LISTED));
	}
}

static void watch_high(struct watch_log *log)
{
	static struct app app;
	int ret;

	become(ATTACK_HIGH);
	app_open(&app, REQUESTS);
	for (log->ready = 1;; usleep(THINK_US)) {
		begin(log, 0);
		ret = app_submit(&app, 0, &request);
		end(log, ret ? ret : app_wait(&app, 0, PATIENCE_MS));
	}
}

/* The client of this file holds this process, and is silent: poll(2) says when it is ejected. */
static void watch_eject(struct watch_log *log)
{
	struct pollfd p = { .events = POLLERR };
	static struct app app;
	int ret;

	become(0);
	app_open(&app, 64);
	app_submit(&app, 0, &endless);
	for (log->ready = 1;; close(p.fd)) {
		p.fd = xsdev_open();
		ret = xsdev_process_op(p.fd, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL);
		begin(log, lease);
		/* That it does not happen is late enough. */
		if (!ret)
			poll(&p, 1, PATIENCE_MS);
		end(log, ret);
		/* A real-time process that is refused at once must not take all of the time. */
		if (ret)
			usleep(LIST_US);
	}
}

/* ---- by the test ---- */

static void (*const watchers[WATCHED])(struct watch_log *log) = {
	[WATCH_LIST] = watch_list,
	[WATCH_HIGH] = watch_high,
	[WATCH_EJECT] = watch_eject,
};

static void wait_ready(unsigned int i)
{
	const uint64_t until = xsdev_now() + PATIENCE_MS * MS;

	while (!__atomic_load_n(&logs[i].ready, __ATOMIC_ACQUIRE)) {
		if (xsdev_now() > until)
			tap_bail("%s: nobody does that", watch_names[i]);
		xsdev_sleep_ms(5);
	}
}

void watch_start(unsigned int lease_ms)
{
	unsigned int i;

	lease = lease_ms;
	logs = mmap(NULL, WATCHED * sizeof(*logs), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (logs == MAP_FAILED)
		tap_bail("no memory");
	fflush(NULL);
	for (i = 0; i < WATCHED; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			watchers[i](&logs[i]);
			_exit(1);
		}
	}
	for (i = 0; i < WATCHED; i++)
		wait_ready(i);
}

void watch_stop(void)
{
	unsigned int i;

	for (i = 0; i < WATCHED; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

pid_t watch_high_pid(void)
{
	return pids[WATCH_HIGH];
}

static uint32_t rounds_of(unsigned int i)
{
	return __atomic_load_n(&logs[i].rounds, __ATOMIC_ACQUIRE);
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t p99(uint32_t *us, uint32_t n)
{
	qsort(us, n, sizeof(us[0]), compare);
	return n ? us[(n - 1) * 99 / 100] : 0;
}

void watch_is_usual(bool usual)
{
	is_usual = usual;
}

static void note_usual(const uint32_t *us, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && usual_count < LOGGED; i++)
		usual_us[usual_count++] = us[i];
}

uint32_t watch_usual_us(void)
{
	return p99(usual_us, usual_count);
}

/* What was noticed from that round on. */
static struct watch_result collect(unsigned int i, uint32_t from)
{
	static uint32_t us[LOGGED];
	struct watch_result r = { .rounds = rounds_of(i) - from, .error = logs[i].error };
	const uint32_t waits = us_since(__atomic_load_n(&logs[i].since, __ATOMIC_ACQUIRE));
	uint32_t n;

	for (n = 0; n < r.rounds && n < LOGGED; n++)
		us[n] = logs[i].us[(from + n) % LOGGED];
	if (i == WATCH_HIGH && is_usual)
		note_usual(us, n);
	r.p99_us = p99(us, n);
	r.longest_us = n ? us[n - 1] : 0;
	if (waits > r.longest_us)
		r.longest_us = waits;
	return r;
}

static bool is_over(const uint32_t from[WATCHED], uint32_t requests)
{
	unsigned int i;

	for (i = 0; i < WATCHED; i++)
		if (rounds_of(i) - from[i] < (i == WATCH_HIGH ? requests : LEAST_ROUNDS))
			return false;
	return true;
}

void watch_period(uint32_t requests, int timeout_ms, struct watch_result results[WATCHED])
{
	const uint64_t until = xsdev_now() + (uint64_t)timeout_ms * MS;
	uint32_t from[WATCHED];
	unsigned int i;

	for (i = 0; i < WATCHED; i++)
		from[i] = rounds_of(i);
	while (!is_over(from, requests) && xsdev_now() < until)
		xsdev_sleep_ms(10);
	for (i = 0; i < WATCHED; i++)
		results[i] = collect(i, from[i]);
}
