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

#include "app.h"
#include "probes.h"
#include "tap.h"
#include "xsdev.h"

#define MS		1000000ULL
#define LOOK_MS		5
#define PAUSE_MS	10
#define SAMPLE_US	1000
#define SETTLE_US	2000
#define PATIENCE_MS	12000	/* longer than any fault lasts */
#define SAMPLES		4096
#define DISPATCHES	4096
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
	[PROBE_DAEMON] = "xschedd",
};

/**
 * struct sample - a measurement
 * @since: CLOCK_MONOTONIC when what is not expected began
 * @until: when it ended, 0: it has not
 */
struct sample {
	uint64_t since;
	uint64_t until;
};

/**
 * struct samples - what one probe alone writes
 * @begun: measurements that have begun
 * @rounds: those that have ended
 * @error: the first failure: -errno
 * @last: the last of them, by their number
 */
struct samples {
	uint32_t begun;
	uint32_t rounds;
	int32_t error;
	struct sample last[SAMPLES];
};

/**
 * struct shared - memory the test and all probes have in common
 * @stop: the probes are to end
 * @stand_by: the probe of exits is to wait once it has a process to end
 * @stands_by: it does
 * @of: by kind
 */
struct shared {
	uint32_t stop;
	uint32_t stand_by;
	uint32_t stands_by;
	struct samples of[PROBE_KINDS];
};

/* What a probe of that name does; it returns when it is to end. */
typedef void (*probe_function)(unsigned int gpu);

static const struct spin_shape endless = { 64, 256, 60000 * MS };
static const struct spin_shape brief = { 1, 64, 2 * MS };
static struct shared *shared;
static unsigned int lease_of_client;
static const struct daemon *xschedd;

/* ---- in a probe: what is measured ---- */

/* It may take @expected_ms, which do not count. */
static void begin(enum probe_kind kind, unsigned int expected_ms)
{
	struct samples *all = &shared->of[kind];
	struct sample *s = &all->last[all->begun % SAMPLES];

	s->until = 0;
	s->since = xsdev_now() + expected_ms * MS;
	__atomic_fetch_add(&all->begun, 1, __ATOMIC_RELEASE);
}

static void end(enum probe_kind kind)
{
	struct samples *all = &shared->of[kind];

	__atomic_store_n(&all->last[(all->begun - 1) % SAMPLES].until, xsdev_now(),
			 __ATOMIC_RELEASE);
	__atomic_fetch_add(&all->rounds, 1, __ATOMIC_RELEASE);
}

static void failed(enum probe_kind kind, int error)
{
	struct samples *all = &shared->of[kind];

	if (!all->error)
		all->error = error;
}

static bool goes_on(void)
{
	return !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
}

/* ---- in a probe: an application with one queue ---- */

static void open_or_die(struct app *a, unsigned int gpu, enum probe_kind kind)
{
	int ret = app_try(a, gpu, 1, DISPATCHES);

	if (!ret)
		return;
	failed(kind, ret);
	_exit(1);
}

/* KFD_XSCHED_QUEUE_* of a process's first queue; 0 if it has none. */
static uint32_t state_of(int fd, pid_t pid)
{
	struct kfd_xsched_queue queue;

	return xsdev_find_first(fd, pid, &queue) ? 0 : queue.state;
}

/* ---- the probes ---- */

static void probe_list(unsigned int unused)
{
	struct kfd_xsched_queue queues[64];
	int fd = xsdev_open(), ret;

	(void)unused;
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		begin(PROBE_LIST, 0);
		ret = xsdev_list(fd, queues, 64);
		end(PROBE_LIST);
		if (ret < 0)
			failed(PROBE_LIST, ret);
	}
}

/* It holds itself. */
static void probe_apply(unsigned int gpu)
{
	const uint32_t ops[] = { KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_OP_RESUME };
	struct app a;
	int fd, i, ret;

	open_or_die(&a, gpu, PROBE_APPLY);
	fd = xsdev_open();
	app_submit(&a, 0, &endless);
	for (i = 0; goes_on(); i = !i) {
		begin(PROBE_APPLY, 0);
		ret = xsdev_process_op(fd, ops[i], getpid(), 0, NULL);
		end(PROBE_APPLY);
		if (ret)
			failed(PROBE_APPLY, ret);
		if (i)
			xsdev_sleep_ms(PAUSE_MS);
	}
}

static void probe_create(unsigned int gpu)
{
	struct app a;
	int ret;

	open_or_die(&a, gpu, PROBE_CREATE);
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		begin(PROBE_CREATE, 0);
		ret = kfdq_queue_recreate(a.queue[0]);
		end(PROBE_CREATE);
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
		ret = app_try(&a, gpu, 1, DISPATCHES);
		if (!ret)
			ret = app_submit(&a, 0, &endless);
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

static void stand_by(void)
{
	while (goes_on() && __atomic_load_n(&shared->stand_by, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&shared->stands_by, 1, __ATOMIC_RELEASE);
		xsdev_sleep_ms(1);
	}
	__atomic_store_n(&shared->stands_by, 0, __ATOMIC_RELEASE);
}

/*
 * While a GPU is reset, no process can be started: then it is tried again. amdkfd starts
 * none either while the end of another one waits for its GPU.
 */
static void probe_exit(unsigned int gpu)
{
	struct kfd_xsched_event e;
	int fd = xsdev_open(), ret;
	pid_t pid;

	xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL), 0, 0);
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		pid = start_mortal(gpu);
		if (!pid)
			continue;
		stand_by();
		begin(PROBE_EXIT, 0);
		kill(pid, SIGKILL);
		ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_DEL, pid, PATIENCE_MS, &e);
		end(PROBE_EXIT);
		if (ret)
			failed(PROBE_EXIT, ret);
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
	int ret;

	begin(PROBE_READY, 0);
	app_submit(a, 0, &brief);
	ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, getpid(), PATIENCE_MS, &e);
	end(PROBE_READY);
	if (ret)
		failed(PROBE_READY, ret);
	ret = app_wait(a, 0, PATIENCE_MS);
	if (ret) {
		failed(PROBE_IDLE, ret);
		return false;
	}
	begin(PROBE_IDLE, SETTLE_US / 1000);
	ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, getpid(), PATIENCE_MS, &e);
	end(PROBE_IDLE);
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
	struct pollfd p;
	int fd, silent, ret;
	struct app a;

	open_or_die(&a, gpu, PROBE_EJECT);
	fd = watch_me();
	app_submit(&a, 0, &endless);
	while (goes_on() && !(state_of(fd, getpid()) & KFD_XSCHED_QUEUE_READY))
		xsdev_sleep_ms(LOOK_MS);
	while (goes_on()) {
		silent = xsdev_open();
		ret = xsdev_process_op(silent, KFD_XSCHED_OP_SUSPEND, getpid(), 0, NULL);
		begin(PROBE_EJECT, lease_of_client);
		p = (struct pollfd){ .fd = silent, .events = POLLERR };
		if (!ret && poll(&p, 1, PATIENCE_MS) != 1)
			ret = -ETIME;
		end(PROBE_EJECT);
		if (ret)
			failed(PROBE_EJECT, ret);
		close(silent);
	}
}

/* An empty request, which it refuses: the answer needs nothing but its thread. */
static void probe_daemon(unsigned int unused)
{
	bool answered;

	(void)unused;
	for (; goes_on(); xsdev_sleep_ms(PAUSE_MS)) {
		begin(PROBE_DAEMON, 0);
		answered = *daemon_ask(xschedd, "{}\n");
		end(PROBE_DAEMON);
		if (!answered)
			failed(PROBE_DAEMON, -EPIPE);
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
	{ probe_daemon, 0 },
};

#define PROBES	(sizeof(probes) / sizeof(probes[0]))

static pid_t pids[PROBES];

static void probe_main(unsigned int i, unsigned int first, unsigned int gpus)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	probes[i].function(first + probes[i].gpu % gpus);
	_exit(0);
}

void probes_start(unsigned int first, unsigned int gpus, unsigned int lease_ms,
		  const struct daemon *daemon)
{
	unsigned int i;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		tap_bail("no memory");
	memset(shared, 0, sizeof(*shared));
	lease_of_client = lease_ms;
	xschedd = daemon;
	for (i = 0; i < PROBES; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			tap_bail("fork: error %d", -errno);
		if (!pids[i])
			probe_main(i, first, gpus);
	}
}

static uint32_t rounds_of(unsigned int kind)
{
	return __atomic_load_n(&shared->of[kind].rounds, __ATOMIC_ACQUIRE);
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
				 shared->of[i].error);
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

bool probes_stand_by(int timeout_ms)
{
	uint64_t until = xsdev_now() + (uint64_t)timeout_ms * MS;

	__atomic_store_n(&shared->stand_by, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&shared->stands_by, __ATOMIC_ACQUIRE)) {
		if (xsdev_now() > until)
			return false;
		xsdev_sleep_ms(1);
	}
	return true;
}

void probes_go(void)
{
	__atomic_store_n(&shared->stand_by, 0, __ATOMIC_RELEASE);
}

/* How much of it was over by then, in microseconds. */
static uint32_t passed_us(const struct sample *s, uint64_t by)
{
	const uint64_t end = __atomic_load_n(&s->until, __ATOMIC_ACQUIRE);
	const uint64_t until = end && end < by ? end : by;

	return until > s->since ? (uint32_t)((until - s->since) / 1000) : 0;
}

static struct probe_result find(const struct samples *all, uint64_t since, uint64_t until,
				struct probe_times *times)
{
	const uint32_t begun = __atomic_load_n(&all->begun, __ATOMIC_ACQUIRE);
	struct probe_result r = { .error = all->error };
	const struct sample *s;
	uint32_t i, us;

	for (i = begun > SAMPLES ? begun - SAMPLES + 1 : 0; i < begun; i++) {
		s = &all->last[i % SAMPLES];
		if (s->since >= until || (s->until && s->until <= since))
			continue;
		r.inside += s->since >= since;
		us = passed_us(s, until);
		if (times && s->since >= since && times->count < PROBE_TIMES)
			times->us[times->count++] = us;
		r.longest_us = us > r.longest_us ? us : r.longest_us;
	}
	return r;
}

void probes_between(uint64_t since, uint64_t until, struct probe_result results[PROBE_KINDS],
		    struct probe_times times[PROBE_KINDS])
{
	unsigned int i;

	for (i = 0; i < PROBE_KINDS; i++)
		results[i] = find(&shared->of[i], since, until, times ? &times[i] : NULL);
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t probe_times_most(struct probe_times *times, unsigned int tenths)
{
	qsort(times->us, times->count, sizeof(times->us[0]), compare);
	return times->count ? times->us[(times->count * tenths - 1) / 10] : 0;
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
