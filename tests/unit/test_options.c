// SPDX-License-Identifier: MIT
/*
 * The options for all policies, in the real xschedd above a fake kernel: each
 * has the effect its manual page promises. The times of events are the test's to
 * choose; what the daemon did when is read from its trace. Only bounds that a
 * slow machine cannot break are asserted.
 */
#include "xschedd_bench.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS	1000000ULL

/* How long before a request it is foreseen: a daemon that does not get the CPU must not miss it. */
#define AHEAD	(3000 * MS)

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void send_at(const struct bench *b, uint32_t type, pid_t pid, uint64_t id,
		    uint64_t time_ns)
{
	struct kfd_xsched_event one = event(type, pid, id);

	one.time_ns = time_ns;
	send_events(b, &one, 1);
}

static void await_tenants(const struct bench *b)
{
	wait_until(strstr(question(b, "{\"cmd\":\"stats\"}"), "\"tenants\":2"));
}

static void hint(const struct bench *b, pid_t pid, const char *name, uint64_t value)
{
	const char *reply;

	reply = question(b, "{\"cmd\":\"hint\",\"pid\":%d,\"hint\":\"%s\",\"value\":%llu}",
			 pid, name, (unsigned long long)value);
	assert_non_null(strstr(reply, "\"ok\":true"));
}

/* When the first switch was made that holds, or releases, a process. */
static uint64_t switched_ns(const struct bench *b, const char *what, pid_t pid)
{
	char wanted[32];
	const char *at;

	snprintf(wanted, sizeof(wanted), "\"%s\":[%d]", what, pid);
	at = strstr(read_whole(b, "trace"), wanted);
	if (!at)
		fail_msg("no %s in %s", wanted, read_whole(b, "trace"));
	while (strncmp(at, "{\"t_ns\":", 8))
		at--;
	return strtoull(at + 8, NULL, 10);
}

static void is_after(uint64_t time_ns, uint64_t least_ns)
{
	if (time_ns < least_ns)
		fail_msg("%" PRIu64 " us too early", (least_ns - time_ns) / 1000);
}

/* The low one is held and released; the daemon is stopped, so that all is traced. */
static void await_both(struct bench *b)
{
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	expect(b, "log", "hold release %d = 0\n", b->pids[1]);
	assert_int_equal(stop_daemon(b), 0);
}

/* A tenant without work still counts as ready for settle_us. */
static void settles(void **state)
{
	struct bench *b = *state;
	uint64_t idle_ns;

	start_daemon(b, "[options]\nsettle_us=200000\n");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	idle_ns = now();
	send_at(b, IDLE, b->pids[0], 1, idle_ns);
	await_both(b);
	is_after(switched_ns(b, "release", b->pids[1]), idle_ns + 200 * MS);
}

/* Whether there was a switch; otherwise the high one works once more, for a moment. */
static bool switches_for_work(const struct bench *b)
{
	if (applies(b))
		return true;
	send_event(b, READY, b->pids[0], 1);
	nap();
	send_event(b, IDLE, b->pids[0], 1);
	return false;
}

/* A hold lasts for min_hold_us at least. */
static void holds_at_least(void **state)
{
	struct bench *b = *state;
	uint64_t ready_ns;

	start_daemon(b, "[options]\nmin_hold_us=200000\n");
	two_tenants(b);
	ready_ns = now();
	send_event(b, READY, b->pids[0], 1);
	send_event(b, IDLE, b->pids[0], 1);
	/* Unless both were read at once, and nothing was to be held. */
	wait_until(switches_for_work(b));
	await_both(b);
	is_after(switched_ns(b, "release", b->pids[1]), ready_ns + 200 * MS);
}

/* The high one works without end, and the low one has its part nevertheless. */
static void nobody_starves(void **state)
{
	struct bench *b = *state;
	uint64_t ready_ns;

	start_daemon(b, "[options]\nfloor_percent=50\nfloor_window_us=100000\n");
	two_tenants(b);
	ready_ns = now();
	send_event(b, READY, b->pids[0], 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[0], b->pids[1]);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[1], b->pids[0]);
	assert_int_equal(stop_daemon(b), 0);
	is_after(switched_ns(b, "release", b->pids[1]), ready_ns + 50 * MS);
	is_after(switched_ns(b, "release", b->pids[0]), ready_ns + 100 * MS);
}

/* Whether a hint for a request, soon at @next_ns, makes a switch. */
static bool switches_for_hint(const struct bench *b, uint64_t *next_ns)
{
	*next_ns = now() + AHEAD;
	hint(b, b->pids[0], "next_request_ns", *next_ns);
	while (!applies(b) && now() < *next_ns + AHEAD)
		nap();
	return applies(b);
}

/* With a hint for the next request the others are held before it, and not for ever. */
static void preempts_before_a_deadline(void **state)
{
	struct bench *b = *state;
	uint64_t next_ns;

	start_daemon(b, "[options]\npre_preempt_us=50000\n");
	two_tenants(b);
	await_tenants(b);
	/* One that the daemon sees too late counts for nothing. */
	wait_until(switches_for_hint(b, &next_ns));
	await_both(b);
	is_after(switched_ns(b, "hold", b->pids[1]), next_ns - 50 * MS);
	/* None came. */
	is_after(switched_ns(b, "release", b->pids[1]), next_ns + 50 * MS);
}

/* The same with a hint for their period, here from a rule, after one request. */
static void preempts_by_period(void **state)
{
	struct bench *b = *state;
	uint64_t last_ns;

	start_daemon(b, "[options]\npre_preempt_us=50000\n"
		     "[rule high]\nnice=0\npriority=0\nperiod_us=3000000\n");
	two_tenants(b);
	await_tenants(b);
	last_ns = now();
	send_events(b, (struct kfd_xsched_event[]){
			event(READY, b->pids[0], 1), event(IDLE, b->pids[0], 1) }, 2);
	await_both(b);
	is_after(switched_ns(b, "hold", b->pids[1]), last_ns + AHEAD - 50 * MS);
}

/* It is to be learned: the requests so far were regular. */
static void preempts_by_experience(void **state)
{
	struct kfd_xsched_event events[16];
	struct bench *b = *state;
	uint64_t begin_ns;

	start_daemon(b, "[options]\npre_preempt_us=50000\n"
		     "[rule high]\nnice=0\npriority=0\nperiod_us=learn\n");
	two_tenants(b);
	await_tenants(b);
	/* Eight, at one distance from one to the next, the last one just before. */
	begin_ns = now() - 7 * AHEAD - 2 * MS;
	for (int i = 0; i < 16; i++) {
		events[i] = event(i % 2 ? IDLE : READY, b->pids[0], 1);
		events[i].time_ns = begin_ns + i / 2 * AHEAD + i % 2 * MS;
	}
	send_events(b, events, 16);
	await_both(b);
	is_after(switched_ns(b, "hold", b->pids[1]), begin_ns + 8 * AHEAD - 50 * MS);
}

/* Without the option nobody is held before there is a request. */
static void preempts_only_if_asked_to(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	await_tenants(b);
	hint(b, b->pids[0], "next_request_ns", now() + 100 * MS);
	usleep(150000);
	assert_int_equal(ctl(b, "stats"), 0);
	assert_int_equal(applies(b), 0);
}

/* AWF: the process of the active window goes first, when it has work. */
static void active_window_first(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "policy=awf\n");
	two_tenants(b);
	send_event(b, READY, b->pids[0], 1);
	assert_int_equal(ctl(b, "stats"), 0);
	/* Without hints about windows all run, whatever their priority. */
	assert_int_equal(applies(b), 0);
	hint(b, b->pids[1], "window_active", 1);
	expect(b, "log", "hold %d release = 0\n", b->pids[0]);
	send_event(b, IDLE, b->pids[1], 2);
	expect(b, "log", "hold release %d = 0\n", b->pids[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settles),
		TEST(holds_at_least),
		TEST(nobody_starves),
		TEST(preempts_before_a_deadline),
		TEST(preempts_by_period),
		TEST(preempts_by_experience),
		TEST(preempts_only_if_asked_to),
		TEST(active_window_first),
	};

	return RUN(tests);
}
