// SPDX-License-Identifier: MIT
/* Attempts to run in spite of a hold, of a rule, or of not saving when asked to. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "attack.h"
#include "breaker.h"
#include "daemon.h"
#include "demoted.h"
#include "gpufault.h"
#include "stuck.h"
#include "tap.h"
#include "attack_test.h"
#include "xsdev.h"

#define STACK		(256UL << 10)
#define DISPATCHES	65536
#define STILL_MS	200
#define SETTLED_MS	10000
#define SOON_MS		20
#define FORKS		100000
#define RESERVED	300	/* numbers that are given once: RESERVED_PIDS */

static const struct spin_shape brief = { 1, 64, 10000 };

/* ---- in the attacker ----------------------------------------------------- */

static struct attacker *self;
static uint64_t *rounds;

static void count_round(void)
{
	__atomic_add_fetch(rounds, 1, __ATOMIC_RELEASE);
}

/* One dispatch after another, without KFD, which answers the process alone. */
static int go_on(void *argument)
{
	struct app *app = argument;

	for (;;) {
		if (app_submit(app, 0, &brief))
			_exit(1);
		while (__atomic_load_n(&app->done[0]->value, __ATOMIC_ACQUIRE) > 0)
			usleep(1000);
		count_round();
		attack_note(self, 0);
	}
}

/* A process that leaves its queue to a child in its address space, and is gone: its number. */
static pid_t be_outlived(struct attacker *a)
{
	static char stack[STACK];
	static struct app app;
	pid_t pid;

	self = a;
	rounds = &a->state->rounds[0];
	pid = fork();
	if (!pid) {
		app_open(&app, DISPATCHES);
		_exit(clone(go_on, stack + STACK, CLONE_VM | CLONE_PARENT | SIGCHLD, &app) < 0);
	}
	ATTACK_NEEDS(a, pid > 0 && waitpid(pid, NULL, 0) == pid);
	return pid;
}

static void outlive(struct attacker *a)
{
	a->state->number = be_outlived(a);
	for (attack_ready(a);; pause())
		;
}

/* Whoever comes next has a number that is given again. */
static void leave_reserved_numbers(void)
{
	pid_t pid;

	do {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	} while (pid > 0 && pid <= RESERVED);
}

/* Another process that has the number by chance: what root names by that is this one. */
static void use_the_number_again(struct attacker *a)
{
	static struct app app;
	pid_t number, pid = 0;
	unsigned int i;

	leave_reserved_numbers();
	number = be_outlived(a);
	for (i = 0; i < FORKS && pid != number; i++) {
		pid = fork();
		if (!pid && getpid() == number) {
			rounds = &a->state->rounds[1];
			app_open(&app, DISPATCHES);
			go_on(&app);
		}
		if (!pid)
			_exit(0);
		if (pid != number)
			waitpid(pid, NULL, 0);
	}
	ATTACK_NEEDS(a, pid == number);
	a->state->number = number;
	for (attack_ready(a);; pause())
		;
}

/* That process works, and has the GPU for itself. */
static void begin_with_idle(struct attacker *a)
{
	worker_kill(&a->busy);
	rounds = &a->state->rounds[0];
	a->state->number = a->idle.pid;
}

/* What is held gets queues anew, and work. */
static void make_queues(struct attacker *a)
{
	begin_with_idle(a);
	for (attack_ready(a);;) {
		attack_note(a, worker_recreate(&a->idle, 0));
		if (!worker_submit(&a->idle, 0, &brief, 1) && !worker_wait(&a->idle, 0, SOON_MS))
			count_round();
	}
}

/* A share of the time, another priority: amdkfd updates the queue. */
static void update_queues(struct attacker *a)
{
	uint32_t round;

	begin_with_idle(a);
	for (attack_ready(a), round = 0;; round++) {
		attack_note(a, worker_update(&a->idle, 0, round % 2 ? 100 : 50, round % 16));
		if (round % 2 && !worker_submit(&a->idle, 0, &brief, 1) &&
		    !worker_wait(&a->idle, 0, SOON_MS))
			count_round();
	}
}

static void do_not_save(struct attacker *a)
{
	a->state->number = a->busy.pid;
	attack_note(a, 0);
	for (attack_ready(a);; pause())
		;
}

/* ---- by root ------------------------------------------------------------- */

static void read_rounds(const struct attack_state *state, uint64_t to[ATTACK_WORK])
{
	unsigned int i;

	for (i = 0; i < ATTACK_WORK; i++)
		to[i] = __atomic_load_n(&state->rounds[i], __ATOMIC_ACQUIRE);
}

/* Whether each that has worked at all has done so much more since then. */
static bool all_did(const struct attack_state *state, const uint64_t since[ATTACK_WORK], uint64_t more)
{
	uint64_t now[ATTACK_WORK];
	unsigned int i;

	read_rounds(state, now);
	for (i = 0; i < ATTACK_WORK; i++)
		if (now[i] && now[i] < since[i] + more)
			return false;
	return now[0] != 0;
}

static bool go_on_now(const struct attack_state *state)
{
	const uint64_t until = xsdev_now() + SETTLED_MS * 1000000ULL;
	uint64_t since[ATTACK_WORK];

	read_rounds(state, since);
	while (!all_did(state, since, 3) && xsdev_now() < until)
		xsdev_sleep_ms(5);
	return all_did(state, since, 3);
}

/* Root's client holds, and must not be silent. */
static void sleep_holding(unsigned int ms)
{
	unsigned int i;

	for (i = 0; i < ms; i += SOON_MS) {
		xsdev_sleep_ms(SOON_MS);
		xsdev_list(attack_client(), NULL, 0);
	}
}

/* Root's hold of the number holds all of it. What was done before may be counted after. */
static const char *is_held(const struct attack_state *state)
{
	uint64_t before[ATTACK_WORK], after[ATTACK_WORK];

	if (!go_on_now(state))
		return "not all of it works";
	if (xsdev_process_op(attack_client(), KFD_XSCHED_OP_SUSPEND, state->number, 0, NULL))
		return "root cannot hold it";
	sleep_holding(SOON_MS);
	read_rounds(state, before);
	sleep_holding(STILL_MS);
	read_rounds(state, after);
	if (xsdev_process_op(attack_client(), KFD_XSCHED_OP_RESUME, state->number, 0, NULL))
		return "root cannot release it";
	if (memcmp(before, after, sizeof(before)))
		return "it works, and is held";
	return go_on_now(state) ? NULL : "it is not released";
}

/* The rule of its user lowers it, whether xschedd could read about it or not. */
static const char *is_lowered(const struct attack_state *state)
{
	const char *at, *priority;
	char pid[32];

	snprintf(pid, sizeof(pid), "\"pid\":%d,", state->number);
	at = strstr(daemon_ask(&attack_daemon, "{\"cmd\":\"list\"}\n"), pid);
	if (!at)
		return "xschedd does not know it";
	priority = strstr(at, "\"priority\":" ATTACK_LOWERED ",");
	return priority && priority < strchr(at, '}') ? NULL : "it is not lowered";
}

static const char *is_lowered_and_held(const struct attack_state *state)
{
	const char *wrong = is_lowered(state);

	return wrong ? wrong : is_held(state);
}

/* From now on its waves do not save. The breaker, which tests in one guest do without, works. */
static void get_stuck(const struct attack_state *state)
{
	struct kfd_xsched_node node;

	if (xsdev_node(attack_client(), &node))
		tap_bail("there is no node");
	breaker_set(node.gpu_id, 1);
	if (gpufault("preempt_fail %u", stuck_doorbell(state->number)))
		tap_bail("no queue gets stuck");
}

/* He pays, and nobody else: holds work on. */
static const char *costs_no_breaker(const struct attack_state *state)
{
	struct kfd_xsched_node node;

	if (xsdev_node(attack_client(), &node) || node.shut_ns)
		return "the breaker of the node is open";
	return demoted_has(demoted_line(state->number, ATTACK_UID, 1)) ? NULL :
		"its process is not demoted";
}

#define SPARES_HIGH	(1U << WATCH_HIGH | 1U << WATCH_EJECT)
#define WAITS_ONCE	"the firmware waits for a queue that does not save, once"

const struct attack attacks_by_escape[] = {
	{ "an address space that outlives its process", "held", AS_USER, .run = outlive,
	  .judge = is_lowered_and_held },
	{ "a number that is used again, beside what outlives it", "numbers", AS_USER,
	  .run = use_the_number_again, .judge = is_held, .spared_on_mes = 1U << WATCH_HIGH,
	  .why = "each queue more that has work is a call of MES more" },
	{ "queues made anew while held", "held", AS_USER | AS_NAMESPACE, .run = make_queues,
	  .judge = is_held, .spared = SPARES_HIGH, .why = "amdkfd preempts a node for each queue" },
	{ "queues updated while held", "held", AS_USER | AS_NAMESPACE, .run = update_queues,
	  .judge = is_held, .spared = SPARES_HIGH, .why = "amdkfd preempts a node for each update" },
	{ "a queue that does not save its waves", "breaker", AS_USER, .run = do_not_save,
	  .prepare = get_stuck, .judge = costs_no_breaker, .hws = true, .spared = SPARES_HIGH,
	  .why = WAITS_ONCE },
	{ NULL },
};
