// SPDX-License-Identifier: MIT
/*
 * Processes that have queues, for test-fuzz: two of root and one of a user. Each is killed now and
 * then, and started anew. So is the GPU's firmware made to hang, until the reset that follows.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "demoted.h"
#include "fuzz.h"
#include "gpufault.h"
#include "lease.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsdev.h"

#define WORKERS		3
#define OF_ALICE	2	/* this one is the user's */
#define ALICE		1000
#define QUEUES		2	/* of each */
#define LISTED		32
#define REFRESH		64	/* programs, from one look at the queues to the next */
#define RESET_EVERY_MS	30000
#define FW_TIMEOUT_MS	2000
#define ARMED_MS	4000	/* so long a fault may wait for a preemption */
#define RESET_MS	60000
#define FREE_MS		20000

static const struct worker_ids alice = { ALICE, ALICE, ALICE, true };
static const struct spin_shape brief = { 8, 64, 200000 };

/**
 * struct process - one that has queues
 * @w: it
 * @lock: of its socket
 * @pid: of it, or of the last one
 * @dead: it was killed, and is to start anew
 */
static struct process {
	struct worker w;
	pthread_mutex_t lock;
	pid_t pid;
	bool dead;
} processes[WORKERS] = {
	{ .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .lock = PTHREAD_MUTEX_INITIALIZER },
};

static struct kfd_xsched_queue listed[LISTED];
static unsigned int nr_listed, programs, resets;
static uint64_t next_reset;
static int root = -1, told = -1;
static bool mes;

/* ---- what values stand for ----------------------------------------------- */

uint64_t fuzz_world_queue(uint64_t n)
{
	return nr_listed ? listed[n % nr_listed].id : n;
}

uint64_t fuzz_world_process(uint64_t n)
{
	return nr_listed ? listed[n % nr_listed].process : n;
}

/* One more is this program, which has no queue. */
uint64_t fuzz_world_pid(uint64_t n)
{
	n %= WORKERS + 1;
	return n == WORKERS ? (uint64_t)getpid() : (uint64_t)processes[n].pid;
}

static void look(void)
{
	const int n = xsdev_list(root, listed, LISTED);

	nr_listed = n < 0 ? 0 : n < LISTED ? (unsigned int)n : LISTED;
}

/* ---- processes ----------------------------------------------------------- */

static void start(struct process *p)
{
	const bool limited = p - processes == OF_ALICE;
	unsigned int tries;
	int ret = -ENOMEM;

	/* The memory of the one before may not be free yet. */
	for (tries = 0; tries < 20 && ret; tries++) {
		ret = worker_start(&p->w, QUEUES, limited ? &alice : NULL);
		if (ret)
			xsdev_sleep_ms(250);
	}
	if (ret)
		tap_bail("no process with queues: %d", ret);
	p->pid = p->w.pid;
	p->dead = false;
}

static void restart(struct process *p)
{
	worker_kill(&p->w);
	start(p);
}

static void restart_all(void)
{
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		restart(&processes[i]);
	look();
}

/* The one that has its socket calls wait() for it. */
int fuzz_world_kill(uint64_t n)
{
	struct process *p = &processes[n % WORKERS];

	p->dead = true;
	return kill(p->pid, SIGKILL) ? -errno : 0;
}

int fuzz_world_work(uint64_t n)
{
	struct process *p = &processes[n % WORKERS];
	int ret;

	if (pthread_mutex_trylock(&p->lock))
		return -EBUSY;
	ret = -EPIPE;
	if (!p->dead)
		ret = worker_submit(&p->w, (unsigned int)(n / WORKERS % QUEUES), &brief, 1);
	pthread_mutex_unlock(&p->lock);
	/* -EAGAIN: it is held, and has as much as its ring takes; -ENOSPC: as its log does. */
	if (ret == -ENOSPC || ret == -EPIPE)
		p->dead = true;
	return ret;
}

/* ---- the GPU ------------------------------------------------------------- */

static bool is_armed(void)
{
	return gpufault_look("armed", NULL) >= 0;
}

/* A process is held: the firmware does not answer that. */
static void provoke(void)
{
	const uint64_t until = xsdev_now() + ARMED_MS * FUZZ_MS;

	while (is_armed() && xsdev_now() < until) {
		xsdev_process_op(root, KFD_XSCHED_OP_SUSPEND, processes[0].pid, 0, NULL);
		xsdev_process_op(root, KFD_XSCHED_OP_RESUME, processes[0].pid, 0, NULL);
	}
}

static void recover(void)
{
	struct kfd_xsched_node node;

	if (is_armed())
		gpufault("clear");
	else if (gpufault_wait_reset(told))
		tap_bail("a reset does not end");
	demoted_write("all");
	if (!xsdev_node(root, &node))
		sysfile_write("closed", "/sys/class/kfd_xsched/node%u/breaker", node.gpu_id);
	resets++;
	restart_all();
}

/* The next program meets the hang. */
static void strike(void)
{
	const int ret = gpufault("0.0 %s", mes ? "mes_hang remove" : "preempt_hang");

	if (ret)
		tap_bail("the firmware does not hang: error %d", ret);
}

unsigned int fuzz_world_resets(void)
{
	return resets;
}

void fuzz_world_look(void)
{
	static bool struck;
	bool anew = false;
	unsigned int i;

	if (struck) {
		provoke();
		recover();
		struck = false;
		next_reset = xsdev_now() + RESET_EVERY_MS * FUZZ_MS;
	}
	for (i = 0; i < WORKERS; i++) {
		if (!processes[i].dead)
			continue;
		restart(&processes[i]);
		anew = true;
	}
	if (anew || programs++ % REFRESH == 0)
		look();
	if (xsdev_now() < next_reset)
		return;
	strike();
	struck = true;
}

/* ---- begin and end ------------------------------------------------------- */

void fuzz_world_begin(void)
{
	struct kfd_xsched_node node;
	unsigned int i;

	root = xsdev_open();
	told = gpufault_open();
	if (root < 0 || xsdev_node(root, &node))
		tap_bail(XSDEV_PATH ": no node");
	mes = node.backend == KFD_XSCHED_BACKEND_MES;
	if (lease_set(LEASE_PATIENT_MS))
		tap_bail("the lease cannot be set");
	gpufault_timeout(FW_TIMEOUT_MS);
	users_admit(true);
	for (i = 0; i < WORKERS; i++)
		start(&processes[i]);
	next_reset = xsdev_now() + RESET_EVERY_MS * FUZZ_MS;
}

bool fuzz_world_is_free(void)
{
	const uint64_t until = xsdev_now() + FREE_MS * FUZZ_MS;
	long held;

	while ((held = sysfile_number(SYSFILE_GLOBAL "statistics/held")) > 0 && xsdev_now() < until)
		xsdev_sleep_ms(10);
	return !held;
}

void fuzz_world_end(void)
{
	unsigned int i;

	gpufault("clear");
	for (i = 0; i < WORKERS; i++)
		worker_kill(&processes[i].w);
	users_admit(false);
	close(root);
	close(told);
}
