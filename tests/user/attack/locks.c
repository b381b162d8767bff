// SPDX-License-Identifier: MIT
/*
 * Attacks on who waits: the module's locks are held by tasks that hardly ever run, and its threads
 * are given work by page faults.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app.h"
#include "attack.h"
#include "xsdev.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define PROCESSES	4
#define LISTED		64
#define ENTRIES		64
#define MAPPINGS	2000
#define PAGE		4096
#define TOUCHED		(16U << 20)

/* All that takes the lock. */
static void call_all(struct attacker *a, int fd)
{
	struct kfd_xsched_queue queues[LISTED];
	const int ret = xsdev_list(fd, queues, LISTED);

	attack_note(a, ret < 0 ? ret : 0);
	attack_note(a, attack_apply(a, fd, OP(SUSPEND), 0, ENTRIES));
	attack_note(a, attack_apply(a, fd, OP(RESUME), 0, ENTRIES));
	attack_note(a, xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY), 0, 0));
	attack_note(a, xsdev_subscribe(fd, 0, 0, 0));
}

static void call_for_ever(struct attacker *a)
{
	const int fd = xsdev_open();

	for (attack_ready(a);;)
		call_all(a, fd);
}

static void burn(void)
{
	volatile unsigned int n = 0;

	for (;;)
		n++;
}

/* Some call, and hardly run, because others of his take all of the time. */
static void among_burners(struct attacker *a, int policy, int nice)
{
	const struct sched_param none = { 0 };
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		if (!attack_fork())
			burn();
	for (i = 1; i < PROCESSES && attack_fork(); i++)
		;
	ATTACK_NEEDS(a, !setpriority(PRIO_PROCESS, 0, nice));
	ATTACK_NEEDS(a, !sched_setscheduler(0, policy, &none));
	call_for_ever(a);
}

static void idle_class(struct attacker *a)
{
	among_burners(a, SCHED_IDLE, 0);
}

static void nicest(struct attacker *a)
{
	among_burners(a, SCHED_OTHER, 19);
}

static void throttled(struct attacker *a)
{
	call_for_ever(a);
}

/* Each call needs memory, and so does all else. */
static void out_of_memory(struct attacker *a)
{
	char *memory = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	unsigned int at = 0;

	ATTACK_NEEDS(a, memory != MAP_FAILED);
	for (attack_ready(a);; at = (at + PAGE) % TOUCHED) {
		memory[at] = 1;
		attack_note(a, attack_apply(a, a->fd, OP(RESUME), 0, KFD_XSCHED_MAX_ENTRIES));
	}
}

/* Wherever it is. */
static void stopped(struct attacker *a)
{
	pid_t pids[PROCESSES];
	unsigned int i;

	for (i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			call_for_ever(a);
	}
	for (i = 0;; i = (i + 1) % PROCESSES) {
		kill(pids[i], SIGSTOP);
		usleep(500);
		kill(pids[(i + 1) % PROCESSES], SIGCONT);
	}
}

/* ---- page faults --------------------------------------------------------- */

static void *map(int fd, long offset, int flags)
{
	return mmap(NULL, APP_DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, offset);
}

static void map_and_write(struct attacker *a, int fd, long offset, int flags)
{
	void *at;

	for (attack_ready(a);; attack_note(a, 0)) {
		at = map(fd, offset, flags);
		ATTACK_NEEDS(a, at != MAP_FAILED);
		*(volatile uint64_t *)((char *)at + APP_SPARE) = 0;
		munmap(at, APP_DOORBELLS);
	}
}

static void map_in_a_loop(struct attacker *a)
{
	static struct app app;

	app_open(&app, 16);
	map_and_write(a, app.dev->kfd, app_doorbell_offset(&app), 0);
}

/* What the one above is compared with: the kernel frees what is unmapped, whatever it is. */
static void map_other_memory(struct attacker *a)
{
	static struct app app;

	app_open(&app, 16);
	map_and_write(a, -1, 0, MAP_ANONYMOUS);
}

static void map_very_often(struct attacker *a)
{
	static struct app app;
	unsigned int i;
	long offset;

	app_open(&app, 16);
	offset = app_doorbell_offset(&app);
	for (i = 0; i < MAPPINGS; i++)
		ATTACK_NEEDS(a, map(app.dev->kfd, offset, 0) != MAP_FAILED);
	for (attack_ready(a);; attack_note(a, 0))
		*(volatile uint64_t *)((char *)app.dev->doorbells + APP_SPARE) = 0;
}

/* One short dispatch after another: READY and IDLE, READY and IDLE. */
static void edges(struct attacker *a)
{
	static const struct spin_shape brief = { 1, 64, 50000 };
	unsigned int round;

	for (round = 0;; round++) {
		attack_note(a, worker_submit(&a->idle, round % (a->count - 1), &brief, 1));
		attack_ready(a);
		usleep(200);
	}
}

#define WHY_ON_MES	"each queue is a call of MES more, and RCU frees what is unmapped meanwhile"

const struct attack attacks_on_locks[] = {
	{ "calls by tasks of class idle, among busy ones", "time of a call", AS_ALL, .run = idle_class },
	{ "calls by tasks with nice 19, among busy ones", "time of a call", AS_USER, .run = nicest },
	{ "calls by tasks that may run for 2 % of the time (cpu.max)", "time of a call",
	  AS_USER | AS_CONTAINER | AS_ROOT, .run = throttled, .limit = { "cpu.max", "2000 100000" } },
	{ "calls by a task that has no memory left (memory.high)", "time of a call",
	  AS_USER | AS_CONTAINER | AS_ROOT, .run = out_of_memory, .limit = { "memory.high", "4M" },
	  .spared = 1U << WATCH_HIGH, .why = "amdkfd evicts queues whose memory is reclaimed" },
	{ "calls by tasks that are stopped and go on", "time of a call", AS_ALL, .run = stopped },
	{ "memory mapped and unmapped in a loop, beside idle queues", "none", AS_USER,
	  .run = map_other_memory, .spared_on_mes = 1U << WATCH_HIGH, .why = WHY_ON_MES },
	{ "doorbells mapped and rung in a loop", "doorbell tap", AS_ALL, .run = map_in_a_loop,
	  .spared_on_mes = 1U << WATCH_HIGH, .why = WHY_ON_MES },
	{ "doorbells mapped very often, and rung", "doorbell tap", AS_USER, .run = map_very_often },
	{ "short work again and again: READY and IDLE", "sampling", AS_ALL, .run = edges },
	{ NULL },
};
