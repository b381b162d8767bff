// SPDX-License-Identifier: MIT
/*
 * Processes that have queues of the fake driver (tests/kunit/fake_file.c), for test-fuzz-fake. A
 * program of its own is their address space. Now and then a node's preemptions fail, and it is
 * reset; or its transactions take a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demoted.h"
#include "fuzz.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define FAKE		"/sys/kernel/debug/fake"
#define PLACES		4	/* for processes; what is held comes after them */
#define NODES		2
#define QUEUES		2	/* of each; one on each node */
#define LINE		64
#define FAIL_EVERY	256	/* programs */
#define FAIL_FOR	16	/* programs, until all is as before; the node is reset meanwhile */
#define SLOW_EVERY	16
#define LONG_MS		30

/* Of a queue, as the sampler reads them. */
struct indices {
	_Atomic uint64_t read;
	_Atomic uint64_t write;
};

/**
 * struct process - one that has queues
 * @indices: of these
 * @pid: of it, or of the last one
 * @dead: it was killed, and is to start anew
 */
static struct process {
	struct indices *indices;
	pid_t pid;
	bool dead;
} processes[FUZZ_PROCESSES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ask[2], answer[2];
static pid_t self;
static unsigned int programs, resets;

/* ---- the address space ---------------------------------------------------- */

static void serve(void)
{
	const int fake = open(FAKE, O_WRONLY | O_CLOEXEC);
	char line[LINE];
	ssize_t n;
	int ret;

	close(ask[1]);
	close(answer[0]);
	while (read(ask[0], line, sizeof(line)) == sizeof(line)) {
		n = write(fake, line, strlen(line));
		ret = n < 0 ? -errno : 0;
		if (write(answer[1], &ret, sizeof(ret)) != sizeof(ret))
			break;
	}
	_exit(0);
}

/* One line at a time: 0 or -errno. A child may be killed in between, so it has no say. */
static int tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int tell(const char *format, ...)
{
	char line[LINE] = "";
	int ret = -EPIPE;
	va_list ap;

	if (getpid() != self)
		return -EPERM;
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	if (write(ask[1], line, sizeof(line)) != sizeof(line) ||
	    read(answer[0], &ret, sizeof(ret)) != sizeof(ret))
		tap_bail("the processes are gone");
	pthread_mutex_unlock(&lock);
	return ret;
}

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: error %d", what, ret);
}

static long field(unsigned int nr)
{
	char text[256], *at = text;
	const int ret = sysfile_read(text, sizeof(text), FAKE);

	must(ret < 0 ? ret : 0, FAKE);
	while (nr--)
		at = strchr(at, '\n') + 1;
	return atol(at);
}

/* ---- processes ----------------------------------------------------------- */

pid_t fuzz_gpu_pid(unsigned int n)
{
	return processes[n].pid;
}

static void start(unsigned int n)
{
	struct process *p = &processes[n];
	unsigned int i;

	must(tell("process %u %u", n, n == FUZZ_OF_ALICE ? FUZZ_ALICE : 0), "a process");
	for (i = 0; i < QUEUES; i++) {
		p->indices[i].read = p->indices[i].write = 0;
		/* One held by many is refused. */
		tell("queue %u %u %llu", n, i % NODES, (unsigned long long)(uintptr_t)&p->indices[i]);
	}
	p->pid = (pid_t)field(n);
	p->dead = false;
}

int fuzz_gpu_kill(uint64_t n)
{
	struct process *p = &processes[n % FUZZ_PROCESSES];
	const int ret = tell("exit %u", (unsigned int)(n % FUZZ_PROCESSES));

	p->dead = true;
	return ret;
}

int fuzz_gpu_work(uint64_t n)
{
	struct process *p = &processes[n % FUZZ_PROCESSES];

	p->indices[n / FUZZ_PROCESSES % QUEUES].write++;
	return tell("%s %u", n / FUZZ_PROCESSES / QUEUES % 4 ? "ring" : "change",
		    (unsigned int)(n % FUZZ_PROCESSES));
}

static bool restart_dead(bool all)
{
	bool anew = false;
	unsigned int i;

	for (i = 0; i < FUZZ_PROCESSES; i++) {
		if (!processes[i].dead && !all)
			continue;
		tell("exit %u", i);
		start(i);
		anew = true;
	}
	return anew;
}

static void finish_work(void)
{
	unsigned int i, q;

	for (i = 0; i < FUZZ_PROCESSES; i++)
		for (q = 0; q < QUEUES; q++)
			processes[i].indices[q].read = processes[i].indices[q].write;
}

/* ---- nodes --------------------------------------------------------------- */

unsigned int fuzz_gpu_resets(void)
{
	return resets;
}

bool fuzz_gpu_look(void)
{
	const unsigned int phase = ++programs % FAIL_EVERY;

	if (fuzz_below(2))
		finish_work();
	if (programs % SLOW_EVERY < 2)
		tell("slow %u %u", fuzz_below(NODES), programs % SLOW_EVERY ? 0 : 1);
	if (!phase)
		must(tell("fail %u %u %u", fuzz_below(NODES), fuzz_below(2) ? LONG_MS : 0,
			  fuzz_below(FUZZ_PROCESSES)), "a failure");
	if (phase == FAIL_FOR) {
		xsdev_sleep_ms(2 * LONG_MS);
		fuzz_world_forgive();
		resets++;
	}
	return restart_dead(phase == FAIL_FOR);
}

/* Who is demoted has an override, without a client. */
bool fuzz_gpu_is_free(void)
{
	return !field(PLACES) && (!field(PLACES + 1) || strcmp(demoted_text(), "\n"));
}

/* ---- begin and end ------------------------------------------------------- */

void fuzz_gpu_begin(void)
{
	struct indices *all = mmap(NULL, sizeof(*all) * FUZZ_PROCESSES * QUEUES,
				   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (all == MAP_FAILED || pipe2(ask, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		tap_bail("no memory, or no pipes");
	self = getpid();
	if (!fork())
		serve();
	close(ask[0]);
	close(answer[1]);
	for (i = 0; i < FUZZ_PROCESSES; i++) {
		processes[i].indices = &all[i * QUEUES];
		start(i);
	}
}

void fuzz_gpu_end(void)
{
	unsigned int i;

	for (i = 0; i < FUZZ_PROCESSES; i++)
		tell("exit %u", i);
	close(ask[1]);
	wait(NULL);
}
