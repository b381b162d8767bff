// SPDX-License-Identifier: MIT
/* XSched's level 1, on a queue that completes nothing before it is waited for. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_gpu.h"

#include "peers/lv1.h"

#define THRESHOLD	16
#define BATCH		8
#define KERNELS		68
#define PLACES		32

static char path[] = "/tmp/test-lv1-XXXXXX";
static struct turns low, high;
static struct lv1 *launcher;
static struct kfdq_signal done[2];
static unsigned int patience, launched_by_then;

/* Whoever waits for a turn would wait for ever: the other one is done as it begins. */
int __wrap_turns_wait(const struct turns *t, uint32_t seen);

int __wrap_turns_wait(const struct turns *t, uint32_t seen)
{
	assert_int_equal(turns_seen(t), seen);
	assert_true(patience);
	patience--;
	launched_by_then = fake.submitted;
	turns_say(&high, false);
	return 0;
}

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	fd = mkstemp(path);
	close(fd);
	fake_reset();
	memset(done, 0, sizeof(done));
	patience = 0;
	return fd < 0 || turns_join(&low, path, 0) || turns_join(&high, path, 1) ||
	       lv1_open(NULL, NULL, &low, &launcher);
}

static int teardown(void **state)
{
	(void)state;
	lv1_close(launcher);
	turns_leave(&low);
	turns_leave(&high);
	unlink(path);
	return 0;
}

/* A request: the last of its commands has the signal. */
static int submit(unsigned int count, struct kfdq_signal *signal)
{
	static char arguments[FAKE_ROOM];
	static unsigned int next;
	struct kfdq_dispatch commands[1024] = { 0 };
	unsigned int i;

	if (!fake.submitted)
		next = 0;
	for (i = 0; i < count; i++)
		commands[i].kernarg = &arguments[next++];
	commands[count - 1].completion = signal;
	kfdq_signal_arm(signal, 1);
	return lv1_submit(launcher, commands, count);
}

/* Whether the first @count that were submitted are in flight or complete, in their order. */
static bool in_order(unsigned int count)
{
	unsigned int i;

	for (i = 1; i < count; i++) {
		if ((const char *)fake.taken[i] != (const char *)fake.taken[0] + i)
			return false;
	}
	return fake.submitted == count;
}

/* No more than the threshold at once, and each wait is for half of them. */
static void keeps_few_in_flight(void **state)
{
	(void)state;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(fake.submitted, THRESHOLD);
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
	assert_int_equal(fake.most, THRESHOLD);
	assert_int_equal(fake.completed, KERNELS);
	assert_int_equal(fake.waits, (KERNELS + BATCH - 1) / BATCH);
	assert_true(in_order(KERNELS));
}

static void full_or_nothing_is_left(void)
{
	unsigned int in_flight = fake.submitted - fake.completed;

	assert_true(in_flight == THRESHOLD || fake.submitted == KERNELS);
}

static void waits_only_when_full(void **state)
{
	(void)state;
	fake.on_wait = full_or_nothing_is_left;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
}

/* A closed loop: two requests are there, and the first one is waited for. */
static void goes_on_with_the_next(void **state)
{
	unsigned int round;

	(void)state;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	for (round = 1; round < 20; round++) {
		assert_int_equal(submit(KERNELS, &done[round % 2]), 0);
		assert_int_equal(lv1_wait(launcher, round * KERNELS), 0);
		assert_false(turns_mine(&(struct turns){ low.page, low.slot, -1 }));
	}
	assert_int_equal(lv1_wait(launcher, round * KERNELS), 0);
	assert_true(in_order(round * KERNELS));
	assert_int_equal(fake.most, THRESHOLD);
}

/* It has work from the submission until all is complete. */
static void says_when_it_has_work(void **state)
{
	const struct turns lower = { low.page, low.slot, -1 };

	(void)state;
	assert_true(turns_mine(&lower));
	assert_int_equal(submit(3, &done[0]), 0);
	assert_false(turns_mine(&lower));
	assert_int_equal(lv1_wait(launcher, 3), 0);
	assert_true(turns_mine(&lower));
}

static void launches_nothing_when_it_is_not_its_turn(void **state)
{
	(void)state;
	turns_say(&high, true);
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(fake.submitted, 0);
	patience = 1;
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
	assert_int_equal(launched_by_then, 0);
	assert_true(in_order(KERNELS));
}

static void high_has_work(void)
{
	if (fake.waits == 3)
		turns_say(&high, true);
}

/* What is in flight ends; nothing is launched until high is done. */
static void stops_in_the_middle(void **state)
{
	(void)state;
	fake.on_wait = high_has_work;
	patience = 1;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
	assert_int_equal(patience, 0);
	assert_int_equal(launched_by_then, THRESHOLD + 2 * BATCH);
	assert_true(in_order(KERNELS));
}

static void equals_run_together(void **state)
{
	struct turns equal;

	(void)state;
	assert_int_equal(turns_join(&equal, path, 0), 0);
	turns_say(&equal, true);
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(fake.submitted, THRESHOLD);
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
	turns_leave(&equal);
}

/* A signal of the program's own ends a batch, too. */
static void short_requests(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		assert_int_equal(submit(5, &done[0]), 0);
		assert_int_equal(lv1_wait(launcher, 5 * (i + 1)), 0);
	}
	assert_int_equal(fake.waits, 100);
	assert_true(in_order(500));
}

static void a_full_buffer(void **state)
{
	(void)state;
	turns_say(&high, true);
	assert_int_equal(submit(512, &done[0]), 0);
	assert_int_equal(submit(1, &done[1]), -EAGAIN);
	turns_say(&high, false);
	assert_int_equal(lv1_wait(launcher, 512), 0);
	assert_true(in_order(512));
}

static void errors_are_passed_on(void **state)
{
	(void)state;
	fake.full = 20;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(lv1_wait(launcher, KERNELS), -EAGAIN);
}

static void goes_on_after_a_signal_handler(void **state)
{
	(void)state;
	fake.interrupted = 2;
	assert_int_equal(submit(KERNELS, &done[0]), 0);
	assert_int_equal(lv1_wait(launcher, KERNELS), -EINTR);
	assert_int_equal(lv1_wait(launcher, KERNELS), 0);
	assert_true(in_order(KERNELS));
}

static void places_run_out(void **state)
{
	struct turns more[PLACES - 2], none;
	unsigned int i;

	(void)state;
	for (i = 0; i < PLACES - 2; i++)
		assert_int_equal(turns_join(&more[i], path, 0), 0);
	assert_int_equal(turns_join(&none, path, 0), -ENOSPC);
	turns_say(&more[PLACES - 3], true);
	assert_false(turns_mine(&(struct turns){ low.page, low.slot, -1 }));
	for (i = 0; i < PLACES - 2; i++)
		turns_leave(&more[i]);
	assert_true(turns_mine(&(struct turns){ low.page, low.slot, -1 }));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keeps_few_in_flight),
		TEST(waits_only_when_full),
		TEST(goes_on_with_the_next),
		TEST(says_when_it_has_work),
		TEST(launches_nothing_when_it_is_not_its_turn),
		TEST(stops_in_the_middle),
		TEST(equals_run_together),
		TEST(short_requests),
		TEST(a_full_buffer),
		TEST(errors_are_passed_on),
		TEST(goes_on_after_a_signal_handler),
		TEST(places_run_out),
	};

	return RUN(tests);
}
