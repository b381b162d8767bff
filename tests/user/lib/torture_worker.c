// SPDX-License-Identifier: MIT
/*
 * The workers of test-torture: each is under load, or is asked for things, by turns. Some are an
 * ordinary user's, and one of them may debug itself.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "debugged.h"
#include "pressure.h"
#include "stuck.h"
#include "torture_worker.h"

#define DEBUGGED	5	/* the worker that may debug itself */
#define FIRST_OF_ALICE	3	/* she has this one, and the next */
#define ANSWER_S	120	/* a worker answers by then, whatever the firmware does */
#define DIES_MS		5000
#define LOAD_ENDS_MS	70000	/* the load itself gives up after a minute */
#define STARTS		10	/* memory of those that have ended may not be free yet */
#define PAUSE_MS	500

/* A twentieth of the GPU for a queue, at the most: what has the lowest priority runs, too. */
static const struct spin_shape loads[] = {
	{ 32, 256, 8 * TORTURE_MS }, { 8, 1024, 8 * TORTURE_MS }, { 32, 64, 16 * TORTURE_MS },
};
static const struct worker_ids alice = { TORTURE_ALICE, TORTURE_ALICE, TORTURE_ALICE, true };

struct torture_worker torture_workers[TORTURE_WORKERS];

static struct torture_worker *any(void)
{
	return &torture_workers[torture_below(TORTURE_WORKERS)];
}

pid_t torture_worker_pid(unsigned int n)
{
	return torture_workers[n].pid;
}

static struct torture_worker *find(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < TORTURE_WORKERS; i++)
		if (torture_workers[i].state != TORTURE_NONE && torture_workers[i].pid == pid)
			return &torture_workers[i];
	return NULL;
}

bool torture_worker_lives(pid_t pid)
{
	return find(pid);
}

void torture_worker_lost(pid_t pid)
{
	struct torture_worker *t = find(pid);

	if (t)
		t->lost = true;
}

unsigned int torture_workers_queues(void)
{
	unsigned int i, sum = 0;

	for (i = 0; i < TORTURE_WORKERS; i++)
		sum += torture_workers[i].state == TORTURE_NONE ? 0 : torture_workers[i].queues;
	return sum;
}

/* ---- answers ------------------------------------------------------------- */

static bool has_died(const struct torture_worker *t)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* It closes its files before that. */
static bool is_dying(const struct torture_worker *t)
{
	const uint64_t until = xsdev_now() + DIES_MS * TORTURE_MS;

	while (!has_died(t) && xsdev_now() < until)
		xsdev_sleep_ms(5);
	return has_died(t);
}

static void bury(struct torture_worker *t)
{
	torture_did("worker %u is killed", t->index);
	worker_kill(&t->w);
	torture_got(0);
	t->state = TORTURE_NONE;
}

bool torture_worker_got(struct torture_worker *t, int ret, bool documented)
{
	const bool may_die = torture.harm != TORTURE_NO_HARM && ret == -EPIPE && is_dying(t);

	torture_got(ret);
	if (ret >= 0)
		return true;
	t->unsure |= !documented;
	if (!documented && !may_die && torture.harm != TORTURE_WORK_IS_LOST)
		torture_violation(TORTURE_WORKS, "%s: %d; process %d", torture_last(), ret, t->pid);
	if (ret == -EPIPE)
		bury(t);
	return false;
}

/* ---- start --------------------------------------------------------------- */

static int begin(struct torture_worker *t, unsigned int queues)
{
	const unsigned int n = t->index;

	if (n == FIRST_OF_ALICE || n == FIRST_OF_ALICE + 1)
		return worker_start(&t->w, queues, &alice);
	return worker_start_on(&t->w, t->debugged ? 0 : queues,
			       t->debugged ? 0 : torture_below(torture.nodes));
}

/* KFD wants to know of a debugger before the first queue. */
static void begin_debugged(struct torture_worker *t, unsigned int queues)
{
	torture_did("worker %u debugs itself", t->index);
	if (!torture_worker_got(t, worker_call(&t->w, 0, debugged_start, 0), false))
		return;
	while (t->queues < queues && torture_add_queue(t))
		;
}

static unsigned int how_many(void)
{
	const unsigned int queues = 1 + torture_below(TORTURE_QUEUES);
	const unsigned int there = torture_workers_queues();

	if (there >= TORTURE_MOST_QUEUES)
		return 1;
	return queues < TORTURE_MOST_QUEUES - there ? queues : TORTURE_MOST_QUEUES - there;
}

/* 0 or -errno. */
static int begin_patiently(struct torture_worker *t, unsigned int queues)
{
	unsigned int tries;
	int ret;

	for (tries = 0; tries < STARTS; tries++) {
		torture_did("worker %u starts with %u queues%s", t->index, queues,
			    t->debugged ? ", debugged" : "");
		ret = begin(t, queues);
		torture_got(ret);
		if (ret != -ENOMEM)
			return ret;
		xsdev_sleep_ms(PAUSE_MS);
	}
	return -ENOMEM;
}

/* With a fault it may fail, or be killed. */
static bool is_excused(int ret)
{
	return torture.harm == TORTURE_WORK_IS_LOST ||
		(torture.harm == TORTURE_ONE_DIES && ret == -EPIPE);
}

static void start(struct torture_worker *t)
{
	const struct timeval answer = { .tv_sec = ANSWER_S };
	const unsigned int index = t->index, queues = how_many();
	unsigned int i;
	int ret;

	*t = (struct torture_worker){ .index = index };
	t->debugged = index == DEBUGGED && torture_below(2);
	torture_evict_reset(index);
	if (torture.faulty)
		stuck_keep_apart();
	ret = begin_patiently(t, queues);
	if (ret && !is_excused(ret))
		torture_violation(TORTURE_WORKS, "worker %u does not start: %d", index, ret);
	if (ret)
		return;
	t->pid = t->w.pid;
	t->state = TORTURE_ASKED;
	setsockopt(t->w.sock, SOL_SOCKET, SO_RCVTIMEO, &answer, sizeof(answer));
	for (i = 0; i < queues && !t->debugged; i++)
		torture_note_queue(t);
	torture_did("worker %u settles in", index);
	if (torture_worker_got(t, worker_call(&t->w, 0, torture_settle_in, index), false) &&
	    t->debugged)
		begin_debugged(t, queues);
}

/* ---- loads --------------------------------------------------------------- */

static void start_load(struct torture_worker *t)
{
	const struct spin_shape *shape = &loads[torture_below(sizeof(loads) / sizeof(loads[0]))];
	const uint32_t seed = 1 + torture_below(1000000);

	if (!torture_is_ready(t, 1))
		return;
	torture_did("worker %u: a load of %u workgroups", t->index, shape->workgroups);
	if (torture_worker_got(t, worker_load_start(&t->w, shape, seed), false))
		t->state = TORTURE_LOADED;
}

/* While something holds it, its round is not over, and it does not answer. */
static void ask_to_stop(struct torture_worker *t)
{
	torture_did("worker %u: its load is to stop", t->index);
	__atomic_store_n(&t->w.shared->stop, 1, __ATOMIC_RELEASE);
	torture_got(0);
	t->state = TORTURE_STOPPING;
}

static bool has_answered(const struct torture_worker *t, int ms)
{
	struct pollfd p = { .fd = t->w.sock, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

static void end_load(struct torture_worker *t)
{
	torture_did("worker %u: its load stops", t->index);
	t->state = TORTURE_ASKED;
	torture_worker_got(t, worker_load_stop(&t->w), false);
}

void torture_load(void)
{
	struct torture_worker *t = any();

	if (t->state == TORTURE_NONE)
		start(t);
	else if (t->state == TORTURE_ASKED)
		start_load(t);
	else if (t->state == TORTURE_LOADED && !torture_below(3))
		ask_to_stop(t);
}

void torture_workers_look(void)
{
	struct torture_worker *t;

	/* Without being asked to stop, it ends by an error, or has died. */
	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++)
		if ((t->state == TORTURE_STOPPING || t->state == TORTURE_LOADED) &&
		    has_answered(t, 0))
			end_load(t);
}

/* ---- other operations ---------------------------------------------------- */

static void stop(struct torture_worker *t)
{
	int ret;

	torture_did("worker %u ends", t->index);
	t->state = TORTURE_NONE;
	ret = worker_stop(&t->w);
	torture_got(ret);
	if (ret && torture.harm == TORTURE_NO_HARM)
		torture_violation(TORTURE_WORKS, "worker %u ends with %d", t->index, ret);
}

/* It ends, in the midst of whatever it does, or in order; another one comes, at once or later. */
void torture_restart(void)
{
	struct torture_worker *t = any();

	if (t->state == TORTURE_ASKED && torture_below(2))
		stop(t);
	else if (t->state != TORTURE_NONE)
		bury(t);
	if (torture_below(2))
		start(t);
}

void torture_pressure(void)
{
	int ret;

	torture_did("the GPU's memory is filled");
	ret = pressure_once();
	torture_got(ret);
	if (ret && torture.harm != TORTURE_WORK_IS_LOST)
		torture_violation(TORTURE_WORKS, "the GPU's memory cannot be filled: %d", ret);
}

/* ---- an epoch ------------------------------------------------------------ */

void torture_workers_begin(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_WORKERS; i++)
		torture_workers[i].index = i;
	torture_evict_begin();
}

void torture_workers_start(void)
{
	struct torture_worker *t;

	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++) {
		start(t);
		if (t->state == TORTURE_ASKED && torture_below(4))
			start_load(t);
	}
}

/* Those that have died, or lost something. */
static void bury_the_lost(void)
{
	struct torture_worker *t;

	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++) {
		if (t->state == TORTURE_NONE || !(t->lost || has_died(t)))
			continue;
		if (torture.harm == TORTURE_NO_HARM)
			torture_violation(TORTURE_WORKS, "worker %u, process %d, has died",
					  t->index, t->pid);
		bury(t);
	}
}

void torture_workers_go_on(void)
{
	struct torture_worker *t;

	bury_the_lost();
	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++) {
		if (t->state != TORTURE_LOADED)
			continue;
		torture_did("worker %u goes on", t->index);
		if (worker_load_goes_on(&t->w))
			continue;
		torture_violation(TORTURE_GOES_ON, "worker %u, process %d: its load does not go on",
				  t->index, t->pid);
		bury(t);
	}
}

static bool is_at_rest(struct torture_worker *t)
{
	return t->state == TORTURE_ASKED && (!t->queues || torture_is_ready(t, TORTURE_DONE_MS));
}

static void settle(struct torture_worker *t)
{
	if (t->state == TORTURE_LOADED)
		ask_to_stop(t);
	if (t->state == TORTURE_STOPPING && has_answered(t, LOAD_ENDS_MS))
		end_load(t);
	if (t->state == TORTURE_ASKED && t->debugged)
		torture_detach(t);
	if (t->state == TORTURE_NONE || is_at_rest(t))
		return;
	torture_violation(TORTURE_GOES_ON, "worker %u, process %d: queues %#x do not end",
			  t->index, t->pid, t->pending);
	if (t->state != TORTURE_NONE)
		bury(t);
}

void torture_workers_settle(void)
{
	struct torture_worker *t;

	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++)
		settle(t);
}

/* Whether a queue runs as its owner wants: what others asked for may end a little later. */
static bool is_its_own(struct torture_worker *t, unsigned int queue, struct kfd_xsched_queue *q)
{
	const uint64_t until = xsdev_now() + TORTURE_DONE_MS * TORTURE_MS;
	bool good;
	int ret;

	do {
		ret = worker_listed(&t->w, queue, torture.root, q);
		good = !ret && !q->holders && q->priority == t->priority[queue] &&
			(!q->prio_class || q->prio_class == KFD_XSCHED_CLASS_NORMAL) &&
			q->state & KFD_XSCHED_QUEUE_ACTIVE;
		if (!good)
			xsdev_sleep_ms(10);
	} while (!good && ret != -EPIPE && xsdev_now() < until);
	return good;
}

static void check_queues(struct torture_worker *t)
{
	struct kfd_xsched_queue q = { 0 };
	unsigned int i;

	for (i = 0; i < t->queues; i++) {
		torture_did("worker %u: queue %u is its own", t->index, i);
		if (is_its_own(t, i, &q))
			continue;
		torture_violation(TORTURE_GIVEN_BACK,
				  "worker %u, queue %u: priority %u, not %u, class %u, state %#x",
				  t->index, i, q.priority, t->priority[i], q.prio_class, q.state);
	}
}

static void check_account(struct torture_worker *t)
{
	struct spin_account a = { 0 };

	torture_did("worker %u: all was executed once", t->index);
	if (!torture_worker_got(t, worker_account(&t->w, &a), false) || spin_account_clean(&a))
		return;
	torture_violation(TORTURE_ONCE,
			  "worker %u: of %llu dispatches %llu lost, %llu twice, %llu out of order",
			  t->index, (unsigned long long)a.submitted, (unsigned long long)a.lost,
			  (unsigned long long)a.duplicated, (unsigned long long)a.out_of_order);
}

void torture_workers_check(void)
{
	struct torture_worker *t;

	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++) {
		if (t->state == TORTURE_ASKED && !t->unsure)
			check_queues(t);
		if (t->state == TORTURE_ASKED && torture.harm != TORTURE_WORK_IS_LOST)
			check_account(t);
	}
}

void torture_workers_stop(void)
{
	struct torture_worker *t;

	for (t = torture_workers; t < torture_workers + TORTURE_WORKERS; t++) {
		if (t->state == TORTURE_ASKED && !torture.over)
			stop(t);
		else if (t->state != TORTURE_NONE)
			bury(t);
	}
	torture_did("no queue is left");
	if (xsdev_wait_no_queue(torture.root, TORTURE_DONE_MS))
		torture_violation(TORTURE_ENDS, "queues are left");
}
