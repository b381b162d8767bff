// SPDX-License-Identifier: GPL-2.0-only
/*
 * After all other suites: no memory is left that nobody points to.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "harness.h"

#define REPORT_SIZE	(1024 * 1024)

/* kmemleak does not suspect what is younger than five seconds. */
#define MIN_AGE_MS	5500

/* Of a size that nothing here has. */
#define LEAKED_SIZE	7000

/* So many that some are found, whatever remains on a stack. */
static noinline void leak_on_purpose(void)
{
	void *leaked;
	int i;

	for (i = 0; i < 32; i++) {
		leaked = kmalloc(LEAKED_SIZE, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(leaked);
	}
}

static size_t leaked_size(void)
{
	void *same = kmalloc(LEAKED_SIZE, GFP_KERNEL);
	const size_t size = ksize(same);

	kfree(same);
	return size;
}

/* What kmemleak suspects after a scan. */
static char *report(struct kunit *test)
{
	char *text = kunit_kzalloc(test, REPORT_SIZE + 1, GFP_KERNEL);
	const unsigned long buffer = xt_alloc(test, REPORT_SIZE);
	struct file *file = xt_open_debugfs(test, "kmemleak", O_RDWR);
	long size = 0, got;
	loff_t at = 0;

	KUNIT_ASSERT_NOT_NULL(test, text);
	/* The first scan only learns what changes all the time. */
	xt_write(test, file, "scan");
	xt_write(test, file, "scan");
	do {
		got = file->f_op->read(file, (char __user *)buffer + size,
				       REPORT_SIZE - size, &at);
		KUNIT_ASSERT_GE(test, got, 0);
		size += got;
	} while (got && size < REPORT_SIZE);
	xt_get(test, text, buffer, size);
	__fput_sync(file);
	return text;
}

/*
 * Leaks are made on purpose, to see that they would be found. KUnit itself
 * loses a reference on the mm of each test that has user memory; that the core
 * does not is for core.references_are_dropped to show.
 */
static void nothing_leaks(struct kunit *test)
{
	const size_t mm = ksize(current->mm), purpose = leaked_size();
	unsigned int found = 0;
	const char *at;
	size_t size;

	leak_on_purpose();
	msleep(MIN_AGE_MS);
	for (at = report(test); (at = strstr(at, "(size ")); at++) {
		const int fields = sscanf(at, "(size %zu)", &size);

		KUNIT_ASSERT_EQ(test, fields, 1);
		if (size == purpose)
			found++;
		else
			KUNIT_EXPECT_EQ(test, size, mm);
	}
	KUNIT_EXPECT_GE(test, found, 4);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(nothing_leaks),
	{}
};

static struct kunit_suite suite = {
	.name = "leak",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
