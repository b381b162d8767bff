// SPDX-License-Identifier: MIT
/*
 * The attacks of tests/README.md, on HWS or MES, beside xschedd. Each goes on while others do what
 * they do: another user's LIST takes 1 ms at the most, whoever holds a lock; 99 of 100 requests of
 * a tenant of high priority take no more than 1.2 times what they do beside an ordinary low one;
 * and a silent client is ejected at most 100 ms after its lease.
 *
 *   test-attack [WORDS]    those whose names have one of the words, after the one that does nothing;
 *                          a '+' in a word stands for a space
 *
 * The kernel preempts wherever it can ("preempt=full"): who holds a lock may lose the CPU at any moment.
 *
 * For a guest whose time is that of its instructions (--icount).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "attacker.h"
#include "identity.h"
#include "lease.h"
#include "module.h"
#include "tap.h"
#include "attack_test.h"
#include "users.h"
#include "watch.h"
#include "xsdev.h"

#define LIST_US		1000
#define TIMES_LONGER	1.2
#define EJECT_US	100000
#define LEASE_MS	100
#define ASKED_US	200000
#define REQUESTS	150	/* of the high tenant, beside an attack */
#define REQUESTS_BEFORE	500	/* and before all of them */
#define READY_MS	30000
#define PERIOD_MS	60000
#define SETTLED_MS	20000
#define FILES		4096
#define LISTED		512
#define PIDS		2048
#define WRONGS		4	/* of an attack, at the most */
#define TEXT_OF(_x)	#_x
#define TEXT(_x)	TEXT_OF(_x)

static const struct attack *const tables[] = {
	attacks_on_calls, attacks_on_locks, attacks_on_others, attacks_by_escape, attacks_on_daemon,
};

struct daemon attack_daemon = { .program = "/bin/xschedd", .name = ATTACK_DAEMON };

static struct attack_state *state;
static int client;
static bool hws;

/* Of the attack that is made: what is wrong, in the order in which it was seen. */
static const char *wrongs[WRONGS];
static unsigned int wrong_count;

int attack_client(void)
{
	return client;
}

const char *attack_ask_daemon(void)
{
	const uint64_t begin = xsdev_now();
	const char *answer = daemon_ask(&attack_daemon, "{\"cmd\":\"stats\"}\n");

	if (!strstr(answer, "\"ok\":true"))
		return "xschedd does not answer root";
	return (xsdev_now() - begin) / 1000 > ASKED_US ? "xschedd is late to answer root" : NULL;
}

/* ---- one attack ---------------------------------------------------------- */

static bool wait_ready(void)
{
	const uint64_t until = xsdev_now() + READY_MS * 1000000ULL;

	while (!__atomic_load_n(&state->ready, __ATOMIC_ACQUIRE) && !state->failed &&
	       xsdev_now() < until)
		xsdev_sleep_ms(5);
	return state->ready && !state->failed;
}

static unsigned int spared_by(const struct attack *a)
{
	return hws ? a->spared : a->spared | a->spared_on_mes;
}

/* NULL, or what others noticed that they must not. */
static const char *noticed(const struct attack *a, const struct watch_result r[WATCHED])
{
	const unsigned int spared = spared_by(a);
	const uint32_t usual = watch_usual_us();
	unsigned int i;

	for (i = 0; i < WATCHED; i++)
		if (r[i].error || (!r[i].rounds && !(spared & 1U << i)))
			return watch_names[i];
	if (!(spared & 1U << WATCH_LIST) && r[WATCH_LIST].longest_us > LIST_US)
		return "another user's LIST waits";
	if (!(spared & 1U << WATCH_HIGH) && r[WATCH_HIGH].p99_us > TIMES_LONGER * usual)
		return "the high tenant waits";
	if (!(spared & 1U << WATCH_EJECT) && r[WATCH_EJECT].longest_us > EJECT_US)
		return "a silent client stays";
	return NULL;
}

/* NULL, or what is wrong with what it tried. */
static const char *tried(const struct attack *a)
{
	if (!state->tries && a != &attacks_on_calls[0])
		return "nothing was tried";
	if (a->never_done && state->answers[0])
		return "what it tried was done";
	return a->answer && !state->answers[a->answer] ?
		"the answer that is expected never came" : NULL;
}

/* NULL: nothing is. */
static void add_wrong(const char *wrong)
{
	if (wrong)
		wrongs[wrong_count++] = wrong;
}

/* How often the queues that there are have been preempted by holds. */
static uint64_t preemptions(void)
{
	static struct kfd_xsched_queue queues[LISTED];
	const int n = xsdev_list(client, queues, LISTED);
	uint64_t sum = 0;
	int i;

	for (i = 0; i < n && i < LISTED; i++)
		sum += queues[i].preemptions;
	return sum;
}

static void report(const struct watch_result r[WATCHED])
{
	const uint32_t usual = watch_usual_us();
	char text[512];
	size_t n = 0;
	unsigned int i;

	tap_note("LIST %u us; %u high requests, P99 %u us, %.2f times; ejection %u us late; %llu holds",
		 r[WATCH_LIST].longest_us, r[WATCH_HIGH].rounds, r[WATCH_HIGH].p99_us,
		 (double)r[WATCH_HIGH].p99_us / usual, r[WATCH_EJECT].longest_us,
		 (unsigned long long)preemptions());
	for (i = 0; i < ATTACK_ERRNO && n < sizeof(text) - 32; i++)
		if (state->answers[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %u: %llu", i,
					      (unsigned long long)state->answers[i]);
	if (n)
		tap_note("answers, by errno:%s", text);
}

/* What is shown beside it, and by what was noticed. One does not hide the others. */
static void observe(const struct attack *a)
{
	const bool usual = a == &attacks_on_calls[0];
	struct watch_result results[WATCHED];

	if (a->limit[0] && identity_limit(a->limit[0], a->limit[1])) {
		add_wrong("it cannot be limited");
		return;
	}
	if (a->prepare)
		a->prepare(state);
	watch_is_usual(usual);
	watch_period(usual ? REQUESTS_BEFORE : REQUESTS, PERIOD_MS, results);
	report(results);
	add_wrong(noticed(a, results));
	if (a->judge)
		add_wrong(a->judge(state));
	add_wrong(tried(a));
}

static void lift_limit(const struct attack *a)
{
	if (a->limit[0])
		identity_limit(a->limit[0], strcmp(a->limit[0], "cpu.max") ? "max" : "max 100000");
}

/* Nothing is left but the watchers' queues. */
static bool settles(unsigned int before)
{
	return !xsdev_wait_queues(client, before, SETTLED_MS);
}

static void make(const struct attack *a, enum identity as, unsigned int queues)
{
	unsigned int i;

	memset(state, 0, sizeof(*state));
	wrong_count = 0;
	attacker_start(a, as, state, watch_high_pid());
	if (wait_ready()) {
		observe(a);
	} else {
		add_wrong("it was not made");
		tap_note("line %u", state->failed);
	}
	lift_limit(a);
	if (!identity_stop())
		add_wrong("its processes do not end");
	else if (!settles(queues))
		add_wrong("its queues stay");
	if (spared_by(a))
		tap_note("not compared with the usual: %s", a->why);
	tap_ok(!wrong_count, "%s: %s", identity_name(as), a->name);
	for (i = 0; i < wrong_count; i++)
		tap_note("%s", wrongs[i]);
}

/* ---- all ----------------------------------------------------------------- */

/* Who calls this may have no way to give an argument with a space. */
static void put_spaces(int words, char **word)
{
	char *at;
	int i;

	for (i = 0; i < words; i++)
		for (at = word[i]; *at; at++)
			if (*at == '+')
				*at = ' ';
}

static bool is_chosen(const struct attack *a, int words, char **word)
{
	int i;

	for (i = 0; i < words; i++)
		if (strstr(a->name, word[i]))
			return true;
	return !words || a == &attacks_on_calls[0];
}

static void make_as_each(const struct attack *a, unsigned int queues)
{
	unsigned int as;

	for (as = AS_USER; as <= AS_ROOT; as <<= 1) {
		if (!(a->as & as))
			continue;
		if (a->hws && !hws)
			tap_skip("the firmware resets no single queue", "%s: %s",
				 identity_name(as), a->name);
		else
			make(a, as, queues);
	}
}

/* Who is watched as a silent client has work all the time, and must not be in anybody's way. */
static void start_daemon(void)
{
	const uint64_t until = xsdev_now() + SETTLED_MS * 1000000ULL;

	/* Without them xschedd lets nobody in by HTTP. */
	if (module_insert("inet_diag") || module_insert("tcp_diag"))
		tap_bail("no tcp_diag");
	daemon_configure(&attack_daemon,
			 "http_port = " TEXT(ATTACK_HTTP) "\n"
			 "[rule high]\nuser = " TEXT(ATTACK_HIGH) "\npriority = 30\n"
			 "[rule last]\nuser = 0\npriority = -60\n"
			 "[rule low]\nuser = " TEXT(ATTACK_UID) "\npriority = " ATTACK_LOWERED "\n");
	daemon_start(&attack_daemon);
	while (attack_ask_daemon() && xsdev_now() < until)
		xsdev_sleep_ms(20);
	if (attack_ask_daemon() || attack_ask_by_http())
		tap_bail("xschedd does not start, or does not answer by HTTP");
}

/* As by "preempt=full". Debian's kernels do not preempt one that is in the kernel unless they are told to. */
static void preempt_everywhere(void)
{
	if (sysfile_write("full", "/sys/kernel/debug/sched/preempt"))
		tap_bail("this kernel's preemption cannot be set: it needs CONFIG_PREEMPT_DYNAMIC");
}

static void begin(void)
{
	const struct rlimit many = { FILES, FILES };
	struct kfd_xsched_node node;

	client = xsdev_open();
	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (client < 0 || state == MAP_FAILED || setrlimit(RLIMIT_NOFILE, &many) ||
	    xsdev_node(client, &node))
		tap_bail("no client, memory or files");
	hws = node.backend == KFD_XSCHED_BACKEND_HWS;
	/* A number comes back after so many processes. */
	if (sysfile_set(PIDS, "/proc/sys/kernel/pid_max") || lease_set(LEASE_MS))
		tap_bail("no limit of numbers, or no lease");
	preempt_everywhere();
	users_admit(true);
	identity_begin();
	start_daemon();
	watch_start(LEASE_MS);
}

static void end(void)
{
	watch_stop();
	tap_is(daemon_stop(&attack_daemon), 0, "xschedd ends in order");
	identity_end();
	users_admit(false);
}

int main(int argc, char **argv)
{
	const struct attack *a;
	unsigned int i;
	int queues;

	put_spaces(argc - 1, argv + 1);
	begin();
	queues = xsdev_list(client, NULL, 0);
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (a = tables[i]; a->name; a++)
			if (is_chosen(a, argc - 1, argv + 1))
				make_as_each(a, (unsigned int)queues);
	end();
	return tap_done();
}
