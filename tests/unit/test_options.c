// SPDX-License-Identifier: MIT
/*
 * The options for all policies, in the real xschedd above a fake kernel: each
 * has the effect its manual page promises, at the very time it says. A switch takes
 * 6 ns in the fake kernel.
 */
#include "xschedd_bench.h"

#include <string.h>

/* From one request to the next. */
#define AHEAD	(300 * MS)

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

/* The low one was held and released, no more; the daemon is stopped, so that all is traced. */
static void is_both(struct bench *b)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "hold %d release = 0\nhold release %d = 0\n",
		 b->pids[1], b->pids[1]);
	assert_string_equal(read_whole(b, "log"), wanted);
	assert_int_equal(stop_daemon(b), 0);
}

/* A tenant without work still counts as ready for settle_us. */
static void settles(void **state)
{
	struct bench *b = *state;
	uint64_t idle_ns;

	start_daemon(b, "[options]\nsettle_us=200000\n");
	two_tenants(b);
	until_read(b);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	idle_ns = now_ns();
	send_event(b, IDLE, b->pids[0], 1);
	advance_to(b, idle_ns + 200 * MS - 1);
	assert_int_equal(applies(b), 1);
	advance_to(b, idle_ns + 200 * MS);
	is_both(b);
	assert_int_equal(switched_ns(b, "release", b->pids[1]), idle_ns + 200 * MS);
}

/* A hold lasts for min_hold_us at least. */
static void holds_at_least(void **state)
{
	struct bench *b = *state;
	uint64_t ready_ns;

	start_daemon(b, "[options]\nmin_hold_us=200000\n");
	two_tenants(b);
	until_read(b);
	ready_ns = now_ns();
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
	send_event(b, IDLE, b->pids[0], 1);
	advance_to(b, ready_ns + 200 * MS - 1);
	assert_int_equal(applies(b), 1);
	advance_to(b, ready_ns + 200 * MS);
	is_both(b);
	assert_int_equal(switched_ns(b, "release", b->pids[1]), ready_ns + 200 * MS);
}

/* The high one works without end, and the low one has its part nevertheless. */
static void nobody_starves(void **state)
{
	struct bench *b = *state;
	uint64_t ready_ns, released_ns, held_ns;

	start_daemon(b, "[options]\nfloor_percent=50\nfloor_window_us=100000\n");
	two_tenants(b);
	until_read(b);
	ready_ns = now_ns();
	send_event(b, READY, b->pids[0], 1);
	advance(b, 200 * MS);
	expect(b, "log", "hold %d release = 0\n", b->pids[1]);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[0], b->pids[1]);
	expect(b, "log", "hold %d release %d = 0\n", b->pids[1], b->pids[0]);
	assert_int_equal(stop_daemon(b), 0);
	released_ns = switched_ns(b, "release", b->pids[1]);
	held_ns = switched_ns(b, "release", b->pids[0]);
	/* Half of each 100 ms. */
	assert_int_equal(released_ns, ready_ns + 50 * MS);
	assert_int_equal(held_ns, ready_ns + 100 * MS);
}

/* The low one is held before a request of the high one, and released when none has come. */
static void is_ahead_of(struct bench *b, uint64_t next_ns)
{
	advance_to(b, next_ns - 50 * MS - 1);
	assert_int_equal(applies(b), 0);
	advance_to(b, next_ns - 50 * MS);
	assert_int_equal(applies(b), 1);
	advance_to(b, next_ns + 50 * MS - 1);
	assert_int_equal(applies(b), 1);
	advance_to(b, next_ns + 50 * MS);
	is_both(b);
	assert_int_equal(switched_ns(b, "hold", b->pids[1]), next_ns - 50 * MS);
	assert_int_equal(switched_ns(b, "release", b->pids[1]), next_ns + 50 * MS);
}

/* With a hint for the next request the others are held before it, and not for ever. */
static void preempts_before_a_deadline(void **state)
{
	struct bench *b = *state;
	uint64_t next_ns;

	start_daemon(b, "[options]\npre_preempt_us=50000\n");
	two_tenants(b);
	until_read(b);
	next_ns = now_ns() + AHEAD;
	hint(b, b->pids[0], "next_request_ns", next_ns);
	is_ahead_of(b, next_ns);
}

/* The same with a hint for their period, here from a rule, after one request. */
static void preempts_by_period(void **state)
{
	struct bench *b = *state;
	uint64_t last_ns;

	start_daemon(b, "[options]\npre_preempt_us=50000\n"
		     "[rule high]\nnice=0\npriority=0\nperiod_us=300000\n");
	two_tenants(b);
	until_read(b);
	last_ns = now_ns();
	send_events(b, (struct kfd_xsched_event[]){
			event(READY, b->pids[0], 1), event(IDLE, b->pids[0], 1) }, 2);
	is_ahead_of(b, last_ns + AHEAD);
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
	until_read(b);
	/* Eight, at one distance from one to the next, of which the daemon hears at once. */
	begin_ns = now_ns() - 7 * AHEAD - MS;
	for (int i = 0; i < 16; i++) {
		events[i] = event(i % 2 ? IDLE : READY, b->pids[0], 1);
		events[i].time_ns = begin_ns + i / 2 * AHEAD + i % 2 * MS;
	}
	send_events(b, events, 16);
	is_ahead_of(b, begin_ns + 8 * AHEAD);
}

/* Without the option nobody is held before there is a request. */
static void preempts_only_if_asked_to(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "");
	two_tenants(b);
	until_read(b);
	hint(b, b->pids[0], "next_request_ns", now_ns() + AHEAD);
	advance(b, 10 * AHEAD);
	assert_int_equal(applies(b), 0);
}

/* AWF: the process of the active window goes first, when it has work. */
static void active_window_first(void **state)
{
	struct bench *b = *state;

	start_daemon(b, "policy=awf\n");
	two_tenants(b);
	until_read(b);
	send_event(b, READY, b->pids[0], 1);
	until_idle(b);
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
