// SPDX-License-Identifier: MIT
/* See probes.h. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes.h"
#include "spin.h"
#include "tap.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LOOK_MS		5
#define PAUSE_MS	10
#define SAMPLE_US	1000
#define SETTLE_US	2000
#define PATIENCE_MS	12000	/* longer than any fault lasts */
#define QUEUE_LISTED	(1u << 31)	/* beside KFD_XSCHED_QUEUE_* */
#define EVENTS		(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) | \
			 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

const char *const probe_names[PROBE_KINDS] = {
	[PROBE_APPLY] = "APPLY",
	[PROBE_LIST] = "LIST",
	[PROBE_CREATE] = "create",
	[PROBE_EXIT] = "exit",
	[PROBE_READY] = "READY",
	[PROBE_IDLE] = "IDLE",
	[PROBE_EJECT] = "eject",
};

/**
 * struct shared - memory the test and all probes have in common
 * @open: a window is open
 * @stop: the probes are to end
 * @results: by kind
 */
struct shared {
	uint32_t open;
	uint32_t stop;
	struct probe_result results[PROBE_KINDS];
};

/**
 * struct sample - a measurement on its way
 * @since: CLOCK_MONOTONIC when it began
 * @inside: a window was open
 */
struct sample {
	uint64_t since;
	bool inside;
};

/* What a probe of that name does; it returns when it is to end. */
typedef void (*probe_function)(unsigned int gpu);

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape brief = { 1, 64, 2 * MS };
static struct shared *shared;
static unsigned int lease_of_client;

/* ---- in a probe: what is measured ---- */

static struct sample begin(void)
{
	return (struct sample){
		.since = xsdev_now(),
		.inside = __atomic_load_n(&shared->open, __ATOMIC_ACQUIRE),
	};
}

/* What has passed since, less @expected_ms, in microseconds. */
static uint32_t passed_us(const struct sample *s, unsigned int expected_ms)
{
	const uint64_t ns = xsdev_now() - s->since;

	return ns > expected_ms * MS ? (uint32_t)((ns - expected_ms * MS) / 1000) : 0;
}

static void end(enum probe_kind kind, const struct sample *s, unsigned int expected_ms)
{
	struct probe_result *r = &shared->results[kind];
	uint32_t us = passed_us(s, expected_ms);

	if (__atomic_load_n(&shared->open, __ATOMIC_ACQUIRE) && us > r->longest_us)
		r->longest_us = us;
	r->inside += s->inside;
	__atomic_fetch_add(&r->rounds, 1, __ATOMIC_RELEASE);
}

static void failed(enum probe_kind kind, int error)
{
	struct probe_result *r = &shared->results[kind];

	if (!r->error)
		r->error = error;
}

static bool goes_on(void)
{
	return !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
}

/* ---- in a probe: an application ---- */

/**
 * struct app - a process's only queue
 * @dev: GPU
 * @set: its dispatches
 * @queue: the queue
 * @signal: the last dispatch decrements it
 */
struct app {
	struct kfdq_device *dev;
	struct spin_set set;
	struct kfdq_queue *queue;
	struct kfdq_signal *signal;
};

static int app_open(struct app *a, unsigned int gpu)
{
	const struct kfdq_queue_options options = KFDQ_QUEUE_DEFAULTS;
	int ret = kfdq_open_gpu(gpu, &a->dev);

	if (!ret)
		ret = kfdq_signal_create(a->dev, &a->signal);
	if (!ret)
		ret = spin_set_init(&a->set, a->dev, 4096, 16);
	return ret ? ret : kfdq_queue_create(a->dev, &options, &a->queue);
}

static int app_submit(struct app *a, const struct spin_shape *shape)
{
	return spin_submit(&a->set, a->queue, shape, 1, a->signal);
}

static int app_wait(struct app *a, int timeout_ms)
{
	int ret;

	do {
		ret = kfdq_signal_wait(a->dev, a->signal, timeout_ms);
	} while (ret == -EINTR);
	return ret;
}

static void open_or_die(struct app *a, unsigned int gpu, enum probe_kind kind)
{
	int ret = app_open(a, gpu);

	if (!ret)
		return;
	failed(kind, ret);
	_exit(1);
}

/* KFD_XSCHED_QUEUE_* of a process's first queue, and QUEUE_LISTED; 0 if it has none. */
static uint32_t state_of(int fd, pid_t pid)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i;

	for (i = 0; i < n && i < 64; i++)
		if (queues[i].pid == pid)
			return queues[i].state | QUEUE_LISTED;
	return 0;
}

/* ---- the probes ---- */

static void probe_list(unsigned int unused)
{
	struct kfd_xsched_queue queues[64];
	int fd = xsdev_open(), ret;
	struct sample s;

	(void)unused;
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		s = begin();
		ret = xsdev_list(fd, queues, 64);
		end(PROBE_LIST, &s, 0);
		if (ret < 0)
			failed(PROBE_LIST, ret);
	}
}

/* It holds itself. */
static void probe_apply(unsigned int gpu)
{
	const uint32_t ops[] = { KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_OP_RESUME };
	struct sample s;
	struct app a;
	int fd, i, ret;

	open_or_die(&a, gpu, PROBE_APPLY);
	fd = xsdev_open();
	app_submit(&a, &endless);
	for (i = 0; goes_on(); i = !i) {
		s = begin();
		ret = xsdev_process_op(fd, ops[i], getpid(), 0, NULL);
		end(PROBE_APPLY, &s, 0);
		if (ret)
			failed(PROBE_APPLY, ret);
		if (i)
			xsdev_sleep_ms(PAUSE_MS);
	}
}

static void probe_create(unsigned int gpu)
{
	struct sample s;
	struct app a;
	int ret;

	open_or_die(&a, gpu, PROBE_CREATE);
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		s = begin();
		ret = kfdq_queue_recreate(a.queue);
		end(PROBE_CREATE, &s, 0);
		if (ret)
			failed(PROBE_CREATE, ret);
	}
}

/* A process with work, that waits to be killed: its pid, 0 if there can be none now. */
static pid_t start_mortal(unsigned int gpu)
{
	int pair[2], ret = -EPIPE;
	struct app a;
	pid_t pid;

	if (pipe(pair))
		return 0;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ret = app_open(&a, gpu);
		if (!ret)
			ret = app_submit(&a, &endless);
		if (write(pair[1], &ret, sizeof(ret)) == sizeof(ret))
			pause();
		_exit(1);
	}
	close(pair[1]);
	if (pid > 0 && read(pair[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = -EPIPE;
	close(pair[0]);
	if (pid > 0 && ret) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return ret ? 0 : pid;
}

/* While a GPU is reset, no process can be started: then it is tried again. */
static void probe_exit(unsigned int gpu)
{
	int fd = xsdev_open();
	struct sample s;
	pid_t pid;

	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		pid = start_mortal(gpu);
		if (!pid)
			continue;
		s = begin();
		kill(pid, SIGKILL);
		while (state_of(fd, pid))
			xsdev_sleep_ms(2);
		end(PROBE_EXIT, &s, 0);
		waitpid(pid, NULL, 0);
	}
}

/* A client that is told of this process's next work, whatever happens beside it. */
static int watch_me(void)
{
	int fd = xsdev_open();

	xsdev_subscribe(fd, EVENTS, SAMPLE_US, SETTLE_US);
	while (goes_on() && !(state_of(fd, getpid()) & KFD_XSCHED_QUEUE_TAPPED))
		xsdev_sleep_ms(LOOK_MS);
	return fd;
}

/* A short work, and its two edges. False: there will be no more. */
static bool burst(struct app *a, int fd)
{
	struct kfd_xsched_event e;
	struct sample s = begin();
	int ret;

	app_submit(a, &brief);
	ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), PATIENCE_MS, &e);
	end(PROBE_READY, &s, 0);
	if (ret)
		failed(PROBE_READY, ret);
	ret = app_wait(a, PATIENCE_MS);
	if (ret) {
		failed(PROBE_IDLE, ret);
		return false;
	}
	s = begin();
	ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, getpid(), PATIENCE_MS, &e);
	end(PROBE_IDLE, &s, SETTLE_US / 1000);
	if (ret)
		failed(PROBE_IDLE, ret);
	return true;
}

static void probe_edges(unsigned int gpu)
{
	struct app a;
	int fd;

	open_or_die(&a, gpu, PROBE_READY);
	fd = watch_me();
	while (goes_on() && burst(&a, fd))
		xsdev_sleep_ms(PAUSE_MS);
}

/* The client of this file holds this process, and is silent: poll(2) says when it is ejected. */
static void probe_eject(unsigned int gpu)
{
	struct sample s;
	struct pollfd p;
	int fd, silent, ret;
	struct app a;

	open_or_die(&a, gpu, PROBE_EJECT);
	fd = watch_me();
	app_submit(&a, &endless);
	while (goes_on() && !(state_of(fd, getpid()) & KFD_XSCHED_QUEUE_READY))
		xsdev_sleep_ms(LOOK_MS);
	while (goes_on()) {
		silent = xsdev_open();
		ret = xsdev_process_op(silent, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL);
		s = begin();
		p = (struct pollfd){ .fd = silent, .events = POLLERR };
		if (!ret && poll(&p, 1, PATIENCE_MS) != 1)
			ret = -ETIME;
		end(PROBE_EJECT, &s, lease_of_client);
		if (ret)
			failed(PROBE_EJECT, ret);
		close(silent);
	}
}

/* ---- the test's side ---- */

/* GPU: a number, modulo how many there are. */
static const struct {
	probe_function function;
	unsigned int gpu;
} probes[] = {
	{ probe_apply, 0 },
	{ probe_list, 0 },
	{ probe_create, 1 },
	{ probe_exit, 1 },
	{ probe_edges, 2 },
	{ probe_eject, 0 },
};

#define PROBES	(sizeof(probes) / sizeof(probes[0]))

static pid_t pids[PROBES];

static void probe_main(unsigned int i, unsigned int gpus)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	probes[i].function(probes[i].gpu % gpus);
	_exit(0);
}

void probes_start(unsigned int gpus, unsigned int lease_ms)
{
	unsigned int i;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		tap_bail("no memory");
	memset(shared, 0, sizeof(*shared));
	lease_of_client = lease_ms;
	for (i = 0; i < PROBES; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			tap_bail("fork: error %d", -errno);
		if (!pids[i])
			probe_main(i, gpus);
	}
}

static uint32_t rounds_of(unsigned int kind)
{
	return __atomic_load_n(&shared->results[kind].rounds, __ATOMIC_ACQUIRE);
}

/* How many kinds have measured less than @rounds times since there were @before. */
static unsigned int behind(const uint32_t before[PROBE_KINDS], uint32_t rounds, bool say)
{
	unsigned int i, count = 0;
	uint32_t done;

	for (i = 0; i < PROBE_KINDS; i++) {
		done = rounds_of(i) - before[i];
		count += done < rounds;
		if (say && done < rounds)
			tap_note("%s: %u rounds, error %d", probe_names[i], done,
				 shared->results[i].error);
	}
	return count;
}

bool probes_run(uint32_t rounds, int timeout_ms)
{
	uint64_t until = xsdev_now() + (uint64_t)timeout_ms * MS;
	uint32_t before[PROBE_KINDS];
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		before[i] = rounds_of(i);
	while (behind(before, rounds, false)) {
		if (xsdev_now() > until)
			return !behind(before, rounds, true);
		xsdev_sleep_ms(LOOK_MS);
	}
	return true;
}

void probes_window(void)
{
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++) {
		shared->results[i].inside = 0;
		shared->results[i].longest_us = 0;
	}
	__atomic_store_n(&shared->open, 1, __ATOMIC_RELEASE);
}

void probes_read(struct probe_result results[PROBE_KINDS])
{
	__atomic_store_n(&shared->open, 0, __ATOMIC_RELEASE);
	memcpy(results, shared->results, sizeof(shared->results));
}

bool probes_stop(int timeout_ms)
{
	uint64_t until = xsdev_now() + (uint64_t)timeout_ms * MS;
	bool in_time = true;
	unsigned int i;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < PROBES; i++) {
		while (!waitpid(pids[i], NULL, WNOHANG) && xsdev_now() < until)
			xsdev_sleep_ms(LOOK_MS);
		if (kill(pids[i], 0))
			continue;
		tap_note("probe %u did not end", i);
		in_time = false;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	return in_time;
}
