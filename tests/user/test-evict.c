// SPDX-License-Identifier: MIT
/*
 * The memory of a process is wanted that has work on each GPU, and the firmware of one of them,
 * the first, one in the middle or the last of those that amdkfd asks, stops at this eviction. Its
 * waves run on until the GPU is reset. So whoever wants the memory does not get it before
 * the reset begins, whatever the other GPUs have answered. Those have the queues of the process
 * back until then. The reset is delayed, so that before and after it can be told apart.
 *
 * When a reset begins, amdkfd evicts all processes from all GPUs, gives their memory away, and
 * never restores one. So what is to complete on the other GPUs completes before; afterwards
 * a new process works on all of them.
 *
 *   test-evict GPUS	three or more
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpufault.h"
#include "gpustat.h"
#include "kfdq_fault.h"
#include "pressure.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define MS		1000000ULL
#define MEMORY		(8ULL << 20)
#define PATTERN		0x5a
#define HANG_MS		1000	/* instead of amdkfd's nine seconds */
#define WAIT_MS		(HANG_MS * 3 / 4)	/* who waits for the firmware waits longer */
#define RESET_LATE_MS	4000	/* from the end of that to the reset */
#define LENGTH_MS	2000	/* of a dispatch: so that it ends after the hang is known, too */
#define HEALTHY_MS	(HANG_MS + LENGTH_MS + 1000)	/* it is complete by then */
#define DONE_MS		30000
#define LOG_RECORD	8192	/* longer than any */
#define SAID		"Failed to evict queues of"	/* amdkfd, of an eviction */

/* On the GPU that hangs: it does not complete, but its workgroups end, which the GPU counts. */
static const struct spin_shape endless = { 640 * 6000, 64, 10 * MS };
/* On the others: is interrupted, and completes. */
static const struct spin_shape lengthy = { 64, 256, LENGTH_MS * MS };
static const struct spin_shape brief = { 64, 256, MS };

/**
 * struct taken - what a process that wants the memory shares with the test
 * @wait: for the firmware
 * @ret: 0, or -errno
 */
struct taken {
	struct pressure_wait wait;
	int ret;
};

static unsigned int gpus;
static int fd;

/* The case: its name, the GPU that hangs, whose memory is wanted, and who wants it. */
static const char *what;
static unsigned int hung;
static struct worker owner;
static pid_t taker;
static struct taken *taken;

/* ---- in the owner's process ---- */

static uint8_t *memory;
static uint32_t reset_event;

/* On the GPU of that queue. */
static int take_memory(struct kfdq_device *first, struct kfdq_queue *queue, uint64_t bytes)
{
	static struct kfdq_buffer buffer;
	int ret = kfdq_alloc(kfdq_queue_device(queue), KFDQ_VRAM, bytes, &buffer);

	if (ret)
		return ret;
	memory = buffer.addr;
	memset(memory, PATTERN, bytes);
	return kfdq_reset_watch(first, &reset_event);
}

static int check_memory(struct kfdq_device *first, struct kfdq_queue *queue, uint64_t bytes)
{
	(void)first;
	(void)queue;
	while (bytes)
		if (memory[--bytes] != PATTERN)
			return -EIO;
	return 0;
}

static int render_minor(struct kfdq_device *first, struct kfdq_queue *queue, uint64_t unused)
{
	uint64_t minor;
	int ret = kfdq_property(kfdq_queue_device(queue), "drm_render_minor", &minor);

	(void)first;
	(void)unused;
	return ret ? ret : (int)minor;
}

/* Whether it is told that the GPU of that queue was reset. */
static int is_told(struct kfdq_device *first, struct kfdq_queue *queue, uint64_t timeout_ms)
{
	uint32_t gpu_id;
	int ret = kfdq_reset_wait(first, reset_event, (uint32_t)timeout_ms, &gpu_id);

	if (ret)
		return ret;
	return gpu_id == kfdq_gpu_id(kfdq_queue_device(queue)) ? 0 : -ENODEV;
}

/* ---- who wants the memory ---- */

static void start_taker(void)
{
	const int minor = worker_call(&owner, hung, render_minor, 0);

	if (minor < 0)
		tap_bail("no render node");
	memset(taken, 0, sizeof(*taken));
	taker = fork();
	if (taker < 0)
		tap_bail("no process: error %d", -errno);
	if (taker)
		return;
	/* It may wait for ever where no signal ends it: nobody shall wait for it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	close(fd);
	taken->ret = pressure_on((unsigned int)minor, WAIT_MS * MS, &taken->wait);
	_exit(0);
}

/* Whether it ends. */
static bool taker_ends(void)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	int status;

	while (waitpid(taker, &status, WNOHANG) != taker) {
		if (xsdev_now() > until)
			return false;
		xsdev_sleep_ms(10);
	}
	return WIFEXITED(status);
}

/* ---- the kernel's log ---- */

static int log_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log < 0 || lseek(log, 0, SEEK_END) < 0)
		tap_bail("/dev/kmsg: error %d", -errno);
	return log;
}

/* Whether it was said since. */
static bool log_has(int log, const char *text)
{
	char record[LOG_RECORD];
	bool found = false;
	ssize_t n;

	for (;;) {
		n = read(log, record, sizeof(record) - 1);
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* the oldest are gone */
		if (n <= 0)
			break;
		record[n] = 0;
		found |= strstr(record, text) != NULL;
	}
	close(log);
	return found;
}

/* ---- a case ---- */

/* What the client was told before is of no interest. */
static void drain_events(void)
{
	struct kfd_xsched_event e;

	while (read(fd, &e, sizeof(e)) == sizeof(e))
		;
}

/* Wait for the end of a reset, and tell when it began: 0 or -errno. */
static int wait_reset(uint64_t *began_ns)
{
	struct kfd_xsched_event e;
	int ret;

	*began_ns = 0;
	do {
		ret = xsdev_wait_event(fd, KFD_XSCHED_EVENT_NODE_RESET, 0, DONE_MS, &e);
		if (!ret && !e.data)
			*began_ns = e.time_ns;
	} while (!ret && e.data != 1);
	return ret;
}

/* Queue number n is on GPU number n, which is also amdkfd's order. */
static void start_owner(void)
{
	unsigned int i;

	if (worker_start_on(&owner, gpus, WORKER_ALL_GPUS))
		tap_bail("no process on all GPUs");
	if (worker_call(&owner, hung, take_memory, MEMORY))
		tap_bail("no memory");
	for (i = 0; i < gpus; i++)
		if (worker_begin(&owner, i, i == hung ? &endless : &lengthy))
			tap_bail("nothing runs on GPU %u", i);
}

static long stops(void)
{
	const long n = gpufault_look("fired", "stop");

	return n < 0 ? 0 : n;	/* never yet */
}

/* Have the memory wanted until the firmware meets the eviction, and stops. */
static void provoke(void)
{
	const uint64_t until = xsdev_now() + DONE_MS * MS;
	const long before = stops();

	if (gpufault("%u.0 stop 0", hung) ||
	    gpufault("%u.0 reset_late %llu", hung, RESET_LATE_MS * 1000ULL))
		tap_bail("the faults cannot be armed");
	start_taker();
	while (stops() == before && xsdev_now() < until)
		xsdev_sleep_ms(5);
	if (!tap_ok(stops() > before, "%s: the firmware stops at the eviction", what))
		tap_bail("nothing can be shown");
}

/* Wait until each other GPU has completed its dispatch: how many have, until then. */
static unsigned int wait_others(uint64_t until)
{
	unsigned int i, done = 0;
	uint64_t now;

	for (i = 0; i < gpus; i++) {
		now = xsdev_now();
		if (i != hung)
			done += !worker_wait(&owner, i,
					     now < until ? (int)((until - now) / MS) : 0);
	}
	return done;
}

/* While the firmware does not answer, and after that, before the reset. Returns when that was. */
static uint64_t check_before(void)
{
	const uint64_t since = xsdev_now();
	const long workgroups = gpustat_of(hung, "workgroups");
	const unsigned int done = wait_others(since + HEALTHY_MS * MS);
	const long ended = gpustat_of(hung, "workgroups") - workgroups;
	const uint64_t now = xsdev_now();

	tap_ok(workgroups >= 0 && ended > 0, "%s: the waves there run on", what);
	tap_note("%s: %ld workgroups ended in %llu ms", what, ended,
		 (unsigned long long)((now - since) / MS));
	tap_is(done, gpus - 1, "%s: on the other GPUs the queues run meanwhile", what);
	return now;
}

/* When the reset began: after @before, until which something was looked at. */
static uint64_t check_reset(uint64_t before)
{
	uint64_t began;

	tap_is(gpufault_look("armed", "reset_late"), -1, "%s: a reset is due", what);
	if (!tap_is(wait_reset(&began), 0, "%s: the GPU is reset", what))
		tap_bail("nothing can be shown any more");
	tap_ok(began > before, "%s: what ran on the other GPUs ran before that", what);
	return began;
}

static void check_taker(uint64_t began)
{
	const struct pressure_wait *w = &taken->wait;

	if (!tap_ok(taker_ends(), "%s: who wanted the memory waits no more", what))
		tap_bail("nothing can be shown any more");
	tap_is(taken->ret, 0, "%s: and got memory", what);
	tap_ok(w->until, "%s: but waited for the firmware", what);
	tap_ok(w->until > began, "%s: and until the reset began", what);
	tap_note("%s: it waited %llu ms, until %lld ms after that", what,
		 (unsigned long long)((w->until - w->since) / MS),
		 ((long long)w->until - (long long)began) / (long long)MS);
}

/* What was evicted before the hang was interrupted; what is left of each dispatch. */
static void check_dispatches(void)
{
	unsigned int i, once = 0, interrupted = 0;
	struct vgpu_log log;

	for (i = 0; i < gpus; i++) {
		memset(&log, 0, sizeof(log));
		if (worker_last_log(&owner, i, &log))
			tap_bail("no log");
		if (i == hung)
			tap_is(log.executed, 0, "%s: its dispatch is not reported complete", what);
		else
			once += log.executed == 1;
		interrupted += i < hung && log.saved > 0;
	}
	tap_is(once, gpus - 1, "%s: the others executed once", what);
	if (hung)
		tap_is(interrupted, hung, "%s: also where they had been evicted before", what);
}

/* GPUs on which its queue is listed as reset, as a mask. */
static uint32_t listed_reset(void)
{
	struct kfd_xsched_queue q;
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < gpus; i++) {
		if (worker_listed(&owner, i, fd, &q))
			tap_bail("a queue is not listed");
		if (q.state & KFD_XSCHED_QUEUE_RESET)
			mask |= 1U << i;
	}
	return mask;
}

static void check_owner(void)
{
	tap_is(listed_reset(), 1L << hung, "%s: the queue there, alone, is listed as reset", what);
	tap_is(worker_call(&owner, hung, check_memory, MEMORY), 0,
	       "%s: the process has in its memory what it had", what);
	tap_is(worker_call(&owner, hung, is_told, DONE_MS), 0,
	       "%s: and is told which GPU was reset", what);
	worker_kill(&owner);
	tap_is(xsdev_wait_no_queue(fd, DONE_MS), 0, "%s: no queue is left of it", what);
}

static void check_works(void)
{
	unsigned int i, done = 0;
	struct worker w;

	if (worker_start_on(&w, gpus, WORKER_ALL_GPUS))
		tap_bail("no process on all GPUs after the reset");
	for (i = 0; i < gpus; i++)
		done += !worker_submit(&w, i, &brief, 1) && !worker_wait(&w, i, DONE_MS);
	tap_is(done, gpus, "%s: a new process works on all GPUs", what);
	tap_ok(worker_clean(&w), "%s: every dispatch executed once and in order", what);
	worker_stop(&w);
	xsdev_wait_no_queue(fd, DONE_MS);
}

static void test_case(const char *name, unsigned int gpu)
{
	uint64_t looked, began;
	int log;

	what = name;
	hung = gpu;
	drain_events();
	start_owner();
	log = log_open();
	provoke();
	looked = check_before();
	tap_ok(log_has(log, SAID), "%s: amdkfd knows that it was not evicted", what);
	began = check_reset(looked);
	check_taker(began);
	check_dispatches();
	check_owner();
	check_works();
}

int main(int argc, char **argv)
{
	gpus = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	if (gpus < 3 || gpus > WORKER_MAX_QUEUES)
		tap_bail("usage: test-evict GPUS, from 3 GPUs on");
	taken = mmap(NULL, sizeof(*taken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (taken == MAP_FAILED)
		tap_bail("no memory");
	fd = gpufault_open();
	if (xsdev_transactions(fd, 2) != 1) {
		tap_skip("this stops HWS", "one GPU does not answer an eviction");
		return tap_done();
	}
	tap_ok(!gpufault("%u.0 clear", gpus - 1) && gpufault("%u.0 clear", gpus) == -ENODEV,
	       "so many GPUs");
	gpufault_timeout(HANG_MS);
	test_case("first", 0);
	test_case("middle", gpus / 2);
	test_case("last", gpus - 1);
	return tap_done();
}
