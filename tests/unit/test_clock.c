// SPDX-License-Identifier: MIT
/*
 * The clock of xschedd itself, which the other tests do not have. In real time, for milliseconds:
 * a timer may be late, as everything on a machine with other things to do, but never early.
 */
#include "unit.h"

#include "base/clock.h"

#define MS	1000000ULL
#define LATE	1000

/**
 * struct expiry - what became of a timer
 * @timer: it
 * @at_ns: when it was called last
 * @count: how often
 */
struct expiry {
	struct clock_timer *timer;
	uint64_t at_ns;
	unsigned int count;
};

static sd_event *event;
static struct expiry one, other;

static void on_expired(void *user)
{
	struct expiry *expiry = user;

	assert_false(clock_timer_is_on(expiry->timer));
	expiry->at_ns = clock_ns();
	expiry->count++;
}

static int setup(void **state)
{
	(void)state;
	one = (struct expiry){ 0 };
	other = (struct expiry){ 0 };
	return sd_event_new(&event) < 0 ||
	       clock_timer_new(&one.timer, event, LATE, on_expired, &one) ||
	       clock_timer_new(&other.timer, event, LATE, on_expired, &other);
}

static int teardown(void **state)
{
	(void)state;
	clock_timer_free(one.timer);
	assert_null(clock_timer_free(other.timer));
	assert_null(clock_timer_free(NULL));
	sd_event_unref(event);
	return 0;
}

/* All that can be done without time. */
static bool run(void)
{
	while (sd_event_run(event, 0) > 0)
		;
	return true;
}

/* A timer is off at first, expires once, not before its time, and can be set again. */
static void never_early(void **state)
{
	uint64_t at_ns;

	(void)state;
	assert_false(clock_timer_is_on(one.timer));
	for (unsigned int i = 1; i < 4; i++) {
		at_ns = clock_ns() + i * MS + i;
		clock_timer_set(one.timer, at_ns);
		assert_true(clock_timer_is_on(one.timer));
		wait_until(run() && one.count == i);
		assert_true(one.at_ns >= at_ns);
		assert_false(clock_timer_is_on(one.timer));
	}
}

/* One of the past expires from the loop, and only once. */
static void past(void **state)
{
	(void)state;
	clock_timer_set(one.timer, 0);
	assert_int_equal(one.count, 0);
	wait_until(run() && one.count == 1);
	clock_timer_set(other.timer, clock_ns() + MS);
	wait_until(run() && other.count == 1);
	assert_int_equal(one.count, 1);
}

/* One that was set off, or to another time, does not expire before. */
static void changes(void **state)
{
	uint64_t at_ns = clock_ns() + 3 * MS;

	(void)state;
	clock_timer_set(one.timer, clock_ns() + MS);
	clock_timer_off(one.timer);
	assert_false(clock_timer_is_on(one.timer));
	clock_timer_set(other.timer, clock_ns() + MS);
	clock_timer_set(other.timer, at_ns);
	wait_until(run() && other.count == 1);
	assert_true(other.at_ns >= at_ns);
	assert_int_equal(one.count, 0);
}

/* One that yields comes last, whenever it was set. */
static void yields(void **state)
{
	(void)state;
	clock_timer_yield(one.timer);
	clock_timer_set(one.timer, 0);
	clock_timer_set(other.timer, 0);
	wait_until(sd_event_run(event, 0) >= 0 && other.count + one.count);
	assert_int_equal(other.count, 1);
	assert_int_equal(one.count, 0);
	wait_until(run() && one.count == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(never_early),
		TEST(past),
		TEST(changes),
		TEST(yields),
	};

	return RUN(tests);
}
