// SPDX-License-Identifier: MIT
/* Options of a model's queue: they come first, and what is not understood is refused. */
#include <errno.h>

#include "bounds.h"

#include "model_queue.h"

#define LENGTH(array)	(int)(sizeof(array) / sizeof((array)[0]))

static int options(int argc, const char **argv, struct model_queue *q)
{
	*q = (struct model_queue)MODEL_QUEUE_DEFAULTS;
	return model_queue_options(argc, (char **)argv, q);
}

static void without_any(void **state)
{
	const char *argv[] = { "--preset", "resnet18-b1" };
	struct model_queue q;

	(void)state;
	assert_int_equal(options(LENGTH(argv), argv, &q), 0);
	assert_int_equal(options(0, argv, &q), 0);
	assert_int_equal(q.priority, 7);
	assert_int_equal(q.cus, 0);
	assert_null(q.turns);
	assert_false(q.lv1 || q.debuggable);
}

static void all_of_them(void **state)
{
	const char *argv[] = { "--gpu", "3", "--queue-priority", "15", "--cus", "20-79",
			       "--debuggable", "--turns", "/tmp/turns", "--rank", "1", "--lv1",
			       "--name", "lo" };
	struct model_queue q;

	(void)state;
	assert_int_equal(options(LENGTH(argv), argv, &q), LENGTH(argv) - 2);
	assert_int_equal(q.gpu, 3);
	assert_int_equal(q.priority, 15);
	assert_int_equal(q.first_cu, 20);
	assert_int_equal(q.cus, 60);
	assert_string_equal(q.turns, "/tmp/turns");
	assert_int_equal(q.rank, 1);
	assert_true(q.lv1 && q.debuggable);
}

static void wrong_ones(void **state)
{
	static const char *const wrong[][2] = {
		{ "--queue-priority", "16" }, { "--queue-priority", "-1" },
		{ "--queue-priority", "x" }, { "--queue-priority", "7x" }, { "--gpu", "" },
		{ "--gpu", "99999999999" },
		{ "--cus", "20" }, { "--cus", "20-10" }, { "--cus", "0-19," }, { "--rank", "1.5" },
		{ "--turns", "" },
	};
	struct model_queue q;
	int i;

	(void)state;
	for (i = 0; i < LENGTH(wrong); i++)
		assert_int_equal(options(2, (const char **)wrong[i], &q), -EINVAL);
}

/* A value that is not there; a level 1 that does not know whose turn it is. */
static void what_is_missing(void **state)
{
	const char *value[] = { "--lv1", "--turns" }, *turns[] = { "--lv1" };
	struct model_queue q;

	(void)state;
	assert_int_equal(options(LENGTH(value), value, &q), -EINVAL);
	assert_int_equal(options(LENGTH(turns), turns, &q), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_any),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(wrong_ones),
		cmocka_unit_test(what_is_missing),
	};

	return RUN(tests);
}
