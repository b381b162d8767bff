// SPDX-License-Identifier: MIT
/*
 * Policies from outside: a table that is registered, a shared object that is
 * loaded (libxsched/examples/fcfs.c), and everything that is refused.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walk.h"

/* Makefile: where the examples are, built. */
#define FCFS	EXAMPLES "/fcfs.so"
#define BROKEN	EXAMPLES "/broken.so"

static uint64_t hold_all(struct xsched_policy_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		view->tenants[i]->hold = true;
	return XSCHED_NO_DEADLINE;
}

static const struct xsched_option all_options[] = {
	{ "all.number", "a number", 1, 5, 2 },
};

static struct xsched_policy_ops valid(void)
{
	return (struct xsched_policy_ops){
		.abi = XSCHED_POLICY_ABI,
		.name = "all",
		.summary = "holds all",
		.options = all_options,
		.option_count = 1,
		.decide = hold_all,
	};
}

/* What is not complete, or of another version, is refused. */
static void refuses_tables(void **state)
{
	static const struct xsched_option foreign = { "hpf.x", "x", 1, 2, 1 };
	static const struct xsched_option wrong = { "all.x", "x", 1, 2, 3 };
	static const char *const names[] = { "", "none", "All", "a b", "a.b",
		"a2345678901234567890123456789012" };
	struct xsched_policy_ops ops = valid();

	(void)state;
	ops.abi++;
	assert_int_equal(xsched_policy_register(&ops), -EPROTONOSUPPORT);
	assert_int_equal(xsched_policy_register(NULL), -EINVAL);
	ops = valid();
	ops.decide = NULL;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	ops = valid();
	ops.summary = NULL;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ops = valid();
		ops.option_count = 0;
		ops.name = names[i];
		assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	}
	ops = valid();
	ops.options = NULL;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	ops.options = &foreign;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	ops.options = &wrong;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	ops.option_count = XSCHED_POLICY_OPTIONS + 1;
	assert_int_equal(xsched_policy_register(&ops), -EINVAL);
	ops = valid();
	ops.name = "hpf";
	ops.option_count = 0;
	assert_int_equal(xsched_policy_register(&ops), -EEXIST);
	assert_null(xsched_policy_summary("all"));
}

/* A table of the program's own. */
static void registers(void **state)
{
	static struct xsched_policy_ops ops;
	int64_t value;
	struct walk w;

	(void)state;
	ops = valid();
	assert_int_equal(xsched_policy_register(&ops), 0);
	assert_int_equal(xsched_policy_register(&ops), -EEXIST);
	assert_string_equal(xsched_policy_summary("all"), "holds all");
	walk_begin(&w, "all", 1, 1);
	assert_int_equal(xsched_engine_option(w.engine, "all.number", &value),
			 0);
	assert_int_equal(value, 2);
	walk_add(&w, 0, 1);
	walk_plan(&w);
	assert_true(w.walkers[0].held);
	walk_end(&w);
}

/* First come, first served, on random events: nobody overtakes. */
static void loads_the_example(void **state)
{
	const char *name = NULL;
	struct walk w;

	(void)state;
	assert_int_equal(xsched_policy_load(FCFS, &name), 0);
	assert_string_equal(name, "fcfs");
	assert_int_equal(xsched_policy_load(FCFS, NULL), -EEXIST);
	walk_begin(&w, "fcfs", 1, 5);
	for (int n = 0; n < 3000; n++) {
		const struct walker *first = NULL;

		walk_something(&w);
		walk_plan(&w);
		for (int i = 0; i < WALK_TENANTS; i++)
			if (walk_counts(&w, i) &&
			    (!first || w.walkers[i].since < first->since))
				first = &w.walkers[i];
		assert_int_equal(walk_running(&w, 0), first != NULL);
		if (first)
			assert_false(first->held);
		walk_conserving(&w);
		walk_until(&w, w.now + 1 + walk_roll(&w, 1000000));
	}
	assert_true(w.holds > 30);
	walk_end(&w);
}

/* Without a slash it is a name, looked for where policies are installed. */
static void looks_for_names(void **state)
{
	(void)state;
	assert_int_equal(xsched_policy_load("fcfs-of-nobody", NULL), -ENOENT);
	assert_int_equal(xsched_policy_load("", NULL), -EINVAL);
	assert_int_equal(xsched_policy_load(NULL, NULL), -EINVAL);
	assert_int_equal(xsched_policy_load("/nonexistent.so", NULL), -ENOENT);
	assert_int_equal(xsched_policy_load("/dev/null", NULL), -ENOEXEC);
}

static int messages;

static void count_messages(void *context, int level, const char *text)
{
	(void)context;
	(void)level;
	(void)text;
	messages++;
}

/* What has no policy in it, or what others may write, is not run. */
static void refuses_files(void **state)
{
	static const char path[] = EXAMPLES "/writable.so";
	int fd;

	(void)state;
	xsched_set_log(count_messages, NULL);
	assert_int_equal(xsched_policy_load(BROKEN, NULL), -EINVAL);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "\177ELF", 4), 4);
	close(fd);
	assert_int_equal(xsched_policy_load(path, NULL), -ENOEXEC);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(xsched_policy_load(path, NULL), -EPERM);
	unlink(path);
	/* A library without the symbol. */
	assert_int_equal(xsched_policy_load(LIBM, NULL), -ENOEXEC);
	assert_int_equal(messages, 4);
	xsched_set_log(NULL, NULL);
}

/* As many as there is room for, and no more. Last: they stay. */
static void limits_policies(void **state)
{
	static struct xsched_policy_ops many[XSCHED_POLICY_MAX];
	static char names[XSCHED_POLICY_MAX][8];
	size_t before = 0, n;
	int ret = 0;

	(void)state;
	while (xsched_policy_name(before))
		before++;
	for (n = 0; n < XSCHED_POLICY_MAX; n++) {
		snprintf(names[n], sizeof(names[n]), "p%zu", n);
		many[n] = valid();
		many[n].name = names[n];
		many[n].option_count = 0;
		ret = xsched_policy_register(&many[n]);
		if (ret)
			break;
	}
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(before + n, XSCHED_POLICY_MAX);
	assert_null(xsched_policy_name(XSCHED_POLICY_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_tables),
		cmocka_unit_test(registers),
		cmocka_unit_test(loads_the_example),
		cmocka_unit_test(looks_for_names),
		cmocka_unit_test(refuses_files),
		cmocka_unit_test(limits_policies),
	};

	return RUN(tests);
}
