// SPDX-License-Identifier: MIT
/*
 * The real xschedd above a fake kernel that refuses one process, for whatever reason: that
 * is reported once and tried again ever more seldom, and all others are switched at once.
 */
#include "xschedd_bench.h"

#include <errno.h>
#include <string.h>

/* Who is what in bench.pids, by priority. */
enum { HIGH, MIDDLE, LOW };

#define WARNING		"the kernel refuses to hold it"
#define ANEW		"is scheduled again"

/* How often a text is in the log of the daemon. */
static unsigned int said(const struct bench *b, const char *what)
{
	return occurrences(b, "err", what);
}

/* Nobody has work. */
static void start_three(struct bench *b, const char *config)
{
	static const int nices[] = { 0, 5, 10 };

	for (int i = 0; i < 3; i++)
		b->pids[i] = spawn_tenant(nices[i]);
	write_file(b, "queues", "1 %d %d 0\n2 %d %d 0\n3 %d %d 0\n", b->pids[HIGH], GPU,
		   b->pids[MIDDLE], GPU, b->pids[LOW], GPU);
	start_daemon(b, config);
	until_read(b);
	assert_int_equal(applies(b), 0);
}

static void refuse(const struct bench *b, const char *file, int who, int error)
{
	write_file(b, file, "%d %d\n", b->pids[who], error);
}

static void send_work(const struct bench *b, int who, bool has_work)
{
	send_event(b, has_work ? READY : IDLE, b->pids[who], who + 1);
	until_idle(b);
}

/* The next switch is without it, the one after that tries it again, and so on. */
static void check_goes_on(struct bench *b, int error)
{
	uint64_t due_ns;

	refuse(b, "refused", MIDDLE, error);
	send_work(b, HIGH, true);
	/* From the first switch on: the second one is done by now. */
	due_ns = now_ns() - APPLY_NS + MS;
	expect(b, "log", "hold %d %d release = %d\nhold %d release = 0\n", b->pids[MIDDLE],
	       b->pids[LOW], error, b->pids[LOW]);
	assert_int_equal(applies(b), 2);
	expect(b, "err", "process %d of user 0: " WARNING ": %s", b->pids[MIDDLE],
	       strerror(error));
	for (unsigned int i = 1; i <= 20; i++) {
		advance_to(b, due_ns - 1);
		assert_int_equal(applies(b), i + 1);
		advance_to(b, due_ns);
		assert_int_equal(applies(b), i + 2);
		/* Twice as long each time, up to 65.536 s. */
		due_ns = now_ns() + (MS << (i < 16 ? i : 16));
	}
	/* The others are switched as ever. */
	send_work(b, HIGH, false);
	expect(b, "log", "hold release %d = 0\n", b->pids[LOW]);
	send_work(b, HIGH, true);
	assert_int_equal(applies(b), 24);
	expect(b, "holds", "%d\n", b->pids[LOW]);
	assert_int_equal(said(b, WARNING), 1);
	assert_int_equal(said(b, "cannot switch"), 0);
	/* It is not refused any more. */
	write_file(b, "refused", "");
	advance_to(b, due_ns);
	expect(b, "log", "hold %d release = 0\n", b->pids[MIDDLE]);
	assert_int_equal(applies(b), 25);
	advance(b, 600 * SECOND);
	assert_int_equal(applies(b), 25);
	assert_int_equal(said(b, ANEW), 1);
	assert_int_equal(said(b, WARNING), 1);
}

static void goes_on_without_one_too_big(void **state)
{
	start_three(*state, "");
	check_goes_on(*state, E2BIG);
}

/* An errno of which the daemon knows nothing. */
static void goes_on_whatever_the_errno(void **state)
{
	start_three(*state, "");
	check_goes_on(*state, EUCLEAN);
}

/* One that nodes have, too, when they fail: but no node was asked. */
static void goes_on_though_no_node_failed(void **state)
{
	start_three(*state, "");
	check_goes_on(*state, EIO);
}

/* The same where the daemon does not wait for its switches. */
static void goes_on_without_waiting(void **state)
{
	struct bench *b = *state;

	write_file(b, "nodes", "%d\n%d\n", GPU, OTHER_GPU);
	start_three(b, "");
	check_goes_on(b, EDQUOT);
}

/* A breaker that no GPU has open, by its own account. */
static void goes_on_without_a_breaker(void **state)
{
	start_three(*state, "");
	check_goes_on(*state, ESHUTDOWN);
}

/* To be released is not what was refused: no new warning, and no new back-off. */
static void is_refused_until_held(void **state)
{
	struct bench *b = *state;

	start_three(b, "");
	refuse(b, "refused", MIDDLE, E2BIG);
	for (unsigned int i = 0; i < 12; i++) {
		send_work(b, HIGH, true);
		advance(b, 100 * MS);
		send_work(b, HIGH, false);
		advance(b, 100 * MS);
	}
	assert_int_equal(said(b, WARNING), 1);
	assert_int_equal(said(b, ANEW), 0);
	/* Of 2.4 s it waits the last ones for 1.024 s. */
	send_work(b, HIGH, true);
	write_file(b, "refused", "");
	advance(b, 3 * SECOND);
	assert_int_equal(said(b, ANEW), 1);
	expect(b, "holds", "%d\n", b->pids[MIDDLE]);
}

/* All but one are refused: that one is switched in the next call. */
static void goes_on_with_the_last(void **state)
{
	struct bench *b = *state;

	start_three(b, "");
	b->pids[3] = spawn_tenant(7);
	send_event(b, ADD, b->pids[3], 4);
	until_read(b);
	write_file(b, "refused", "%d %d\n%d %d\n", b->pids[MIDDLE], E2BIG, b->pids[LOW], EBUSY);
	send_work(b, HIGH, true);
	expect(b, "log", "hold %d release = 0\n", b->pids[3]);
	assert_int_equal(applies(b), 2);
	assert_int_equal(said(b, WARNING), 2);
}

/* Without gangs: the other queue of the process is held, which ends no refusal. */
static void goes_on_with_its_other_queues(void **state)
{
	struct bench *b = *state;

	start_three(b, "");
	assert_int_equal(ctl(b, "policy gang=0"), 0);
	send_event(b, ADD, b->pids[MIDDLE], 4);
	until_read(b);
	write_file(b, "refused", "-2 %d\n", EUCLEAN);
	send_work(b, HIGH, true);
	expect(b, "log", "= %d\nhold q", EUCLEAN);
	assert_int_equal(applies(b), 2);
	expect(b, "holds", "-4\n");
	expect(b, "holds", "-3\n");
	advance(b, 10 * SECOND);
	assert_int_equal(said(b, WARNING), 1);
	assert_int_equal(said(b, ANEW), 0);
	write_file(b, "refused", "");
	advance(b, 10 * SECOND);
	expect(b, "holds", "-2\n");
	assert_int_equal(said(b, ANEW), 1);
}

/* No entry is at fault: the whole switch waits, as it does when a node fails. */
static void waits_for_the_call(void **state)
{
	struct bench *b = *state;

	start_three(b, "");
	write_file(b, "errors", "%d\n%d\n", EDQUOT, ENOMEM);
	send_work(b, HIGH, true);
	assert_int_equal(applies(b), 1);
	advance(b, MS);
	assert_int_equal(applies(b), 2);
	advance(b, 2 * MS);
	expect(b, "log", "hold %d %d release = 0\n", b->pids[MIDDLE], b->pids[LOW]);
	assert_int_equal(applies(b), 3);
	assert_int_equal(said(b, WARNING), 0);
	expect(b, "err", "cannot switch: %s", strerror(EDQUOT));
}

/* Who asks for what is refused is told why; who asks for another is not. */
static void tells_who_asked(void **state)
{
	struct bench *b = *state;

	start_three(b, "");
	refuse(b, "refused", LOW, E2BIG);
	assert_int_equal(ctl(b, "suspend %d", b->pids[LOW]), 1);
	expect(b, "out", "%s", strerror(E2BIG));
	assert_int_equal(ctl(b, "suspend %d", b->pids[MIDDLE]), 0);
	assert_int_equal(ctl(b, "resume %d", b->pids[MIDDLE]), 0);
	assert_int_equal(ctl(b, "priority %d 3", b->pids[LOW]), 0);
}

/* 10 ms after the last change exactly these switches are armed. */
static void expect_armed(const struct bench *b, const char *wanted)
{
	until_read(b);
	advance(b, 10 * MS);
	assert_string_equal(read_whole(b, "armed"), wanted);
}

/* Switches are armed without whom the kernel refuses, and with him when it does not. */
static void arms_without_the_refused(void **state)
{
	struct bench *b = *state;
	char with[128], without[128];

	start_three(b, "armed=yes\n");
	snprintf(with, sizeof(with), "%d: holds %d %d\n%d: holds %d\n", b->pids[HIGH],
		 b->pids[MIDDLE], b->pids[LOW], b->pids[MIDDLE], b->pids[LOW]);
	snprintf(without, sizeof(without), "%d: holds %d\n%d: holds %d\n", b->pids[HIGH],
		 b->pids[LOW], b->pids[MIDDLE], b->pids[LOW]);
	refuse(b, "unarmed", MIDDLE, EUCLEAN);
	expect_armed(b, without);
	expect(b, "err", "process %d of user 0: " WARNING ": %s", b->pids[MIDDLE],
	       strerror(EUCLEAN));
	advance(b, 20 * SECOND);
	assert_string_equal(read_whole(b, "armed"), without);
	assert_int_equal(said(b, WARNING), 1);
	/* The plan has its own switch, and says if that is refused, too: but it was said. */
	refuse(b, "refused", MIDDLE, EUCLEAN);
	send_work(b, HIGH, true);
	expect(b, "log", "hold %d release = 0\n", b->pids[LOW]);
	assert_int_equal(said(b, WARNING), 1);
	write_file(b, "unarmed", "");
	advance(b, 20 * SECOND);
	assert_string_equal(read_whole(b, "armed"), with);
	assert_int_equal(said(b, ANEW), 0);
	write_file(b, "refused", "");
	advance(b, 70 * SECOND);
	assert_int_equal(said(b, ANEW), 1);
	assert_int_equal(said(b, WARNING), 1);
}

/* Nobody is left to be held: no switch, and it is tried again. */
static void arms_nothing_for_nobody(void **state)
{
	struct bench *b = *state;
	char armed[128];

	start_three(b, "armed=yes\n");
	write_file(b, "unarmed", "%d %d\n%d %d\n", b->pids[MIDDLE], EBUSY, b->pids[LOW], EINVAL);
	expect_armed(b, "");
	assert_int_equal(said(b, WARNING), 2);
	write_file(b, "unarmed", "");
	advance(b, 100 * MS);
	snprintf(armed, sizeof(armed), "%d: holds %d %d\n%d: holds %d\n", b->pids[HIGH],
		 b->pids[MIDDLE], b->pids[LOW], b->pids[MIDDLE], b->pids[LOW]);
	assert_string_equal(read_whole(b, "armed"), armed);
	assert_int_equal(said(b, ANEW), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(goes_on_without_one_too_big),
		TEST(goes_on_whatever_the_errno),
		TEST(goes_on_though_no_node_failed),
		TEST(goes_on_without_waiting),
		TEST(goes_on_without_a_breaker),
		TEST(is_refused_until_held),
		TEST(goes_on_with_the_last),
		TEST(goes_on_with_its_other_queues),
		TEST(waits_for_the_call),
		TEST(tells_who_asked),
		TEST(arms_without_the_refused),
		TEST(arms_nothing_for_nobody),
	};

	signal(SIGPIPE, SIG_IGN);
	return RUN(tests);
}
