// SPDX-License-Identifier: MIT
/*
 * Processes that have queues on a GPU, for test-fuzz. Each is killed now and then, and started
 * anew. So is the GPU's firmware made to hang, until the reset that follows.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "gpufault.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsdev.h"

#define QUEUES		2	/* of each */
#define RESET_EVERY_MS	30000
#define FW_TIMEOUT_MS	2000
#define ARMED_MS	4000	/* so long a fault may wait for a preemption */
#define RESET_MS	60000

static const struct worker_ids alice = { FUZZ_ALICE, FUZZ_ALICE, FUZZ_ALICE, true };
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
} processes[FUZZ_PROCESSES] = {
	{ .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .lock = PTHREAD_MUTEX_INITIALIZER },
};

static unsigned int resets;
static uint64_t next_reset;
static int root = -1, told = -1;
static bool mes;

/* ---- processes ----------------------------------------------------------- */

pid_t fuzz_gpu_pid(unsigned int n)
{
	return processes[n].pid;
}

static void start(struct process *p)
{
	const bool limited = p - processes == FUZZ_OF_ALICE;
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

	for (i = 0; i < FUZZ_PROCESSES; i++)
		restart(&processes[i]);
}

/* The one that has its socket calls wait() for it. */
int fuzz_gpu_kill(uint64_t n)
{
	struct process *p = &processes[n % FUZZ_PROCESSES];

	p->dead = true;
	return kill(p->pid, SIGKILL) ? -errno : 0;
}

int fuzz_gpu_work(uint64_t n)
{
	struct process *p = &processes[n % FUZZ_PROCESSES];
	int ret;

	if (pthread_mutex_trylock(&p->lock))
		return -EBUSY;
	ret = -EPIPE;
	if (!p->dead)
		ret = worker_submit(&p->w, (unsigned int)(n / FUZZ_PROCESSES % QUEUES), &brief, 1);
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
	if (is_armed())
		gpufault("clear");
	else if (gpufault_wait_reset(told))
		tap_bail("a reset does not end");
	fuzz_world_forgive();
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

unsigned int fuzz_gpu_resets(void)
{
	return resets;
}

bool fuzz_gpu_look(void)
{
	static bool struck;
	bool anew = false;
	unsigned int i;

	if (struck) {
		provoke();
		recover();
		struck = false;
		anew = true;
		next_reset = xsdev_now() + RESET_EVERY_MS * FUZZ_MS;
	}
	for (i = 0; i < FUZZ_PROCESSES; i++) {
		if (!processes[i].dead)
			continue;
		restart(&processes[i]);
		anew = true;
	}
	if (xsdev_now() >= next_reset) {
		strike();
		struck = true;
	}
	return anew;
}

/* ---- begin and end ------------------------------------------------------- */

void fuzz_gpu_begin(void)
{
	struct kfd_xsched_node node;
	unsigned int i;

	root = xsdev_open();
	told = gpufault_open();
	if (root < 0 || xsdev_node(root, &node))
		tap_bail(XSDEV_PATH ": no node");
	mes = node.backend == KFD_XSCHED_BACKEND_MES;
	gpufault_timeout(FW_TIMEOUT_MS);
	users_admit(true);
	for (i = 0; i < FUZZ_PROCESSES; i++)
		start(&processes[i]);
	next_reset = xsdev_now() + RESET_EVERY_MS * FUZZ_MS;
}

/* What the driver holds is what the module says. */
bool fuzz_gpu_is_free(void)
{
	return true;
}

void fuzz_gpu_end(void)
{
	unsigned int i;

	gpufault("clear");
	for (i = 0; i < FUZZ_PROCESSES; i++)
		worker_kill(&processes[i].w);
	users_admit(false);
	close(root);
	close(told);
}
