// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms: where a duration goes, and what is shown of it.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <linux/kfd_xsched.h>

#include "front/front.h"
#include "model/node.h"

/* Buckets cover all there is, in order, without a gap. */
static void buckets(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xs_histogram_bucket(0), 0);
	KUNIT_EXPECT_EQ(test, xs_histogram_floor(0), 0);
	for (i = 1; i < XS_HISTOGRAM_BUCKETS; i++) {
		const u64 least = xs_histogram_floor(i);

		KUNIT_EXPECT_EQ(test, xs_histogram_bucket(least), i);
		KUNIT_EXPECT_EQ(test, xs_histogram_bucket(least - 1), i - 1);
	}
	KUNIT_EXPECT_EQ(test, xs_histogram_bucket(U64_MAX), XS_HISTOGRAM_BUCKETS - 1);
}

/* No bucket but the first is wider than a quarter of what it begins with. */
static void width(struct kunit *test)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, xs_histogram_floor(1), 256);
	for (i = 1; i + 1 < XS_HISTOGRAM_BUCKETS; i++) {
		const u64 least = xs_histogram_floor(i);

		KUNIT_EXPECT_LE(test, 4 * (xs_histogram_floor(i + 1) - least), least);
	}
	KUNIT_EXPECT_EQ(test, xs_histogram_floor(XS_HISTOGRAM_BUCKETS - 1), 1ULL << 34);
}

/* A page has room for the fullest histogram. */
static void fullest(struct kunit *test)
{
	struct xs_histogram *histogram = kunit_kzalloc(test, sizeof(*histogram), GFP_KERNEL);
	char *page = (char *)get_zeroed_page(GFP_KERNEL);
	unsigned int i, lines = 0;
	int size;

	KUNIT_ASSERT_NOT_NULL(test, histogram);
	KUNIT_ASSERT_NOT_NULL(test, page);
	for (i = 0; i < XS_HISTOGRAM_BUCKETS; i++)
		histogram->count[i] = U64_MAX;
	size = xs_sysfs_show_histogram(histogram, page);
	KUNIT_EXPECT_LT(test, size, PAGE_SIZE);
	for (i = 0; i < size; i++)
		lines += page[i] == '\n';
	KUNIT_EXPECT_EQ(test, lines, XS_HISTOGRAM_BUCKETS);
	free_page((unsigned long)page);
}

/* What is counted where: a failure has no phases, and no transaction no save. */
static void accounts(struct kunit *test)
{
	struct xs_stats *stats = kunit_kzalloc(test, sizeof(*stats), GFP_KERNEL);
	struct kfd_xsched_node_result result = {
		.flips = 3, .fw_transactions = 1,
		.lock_ns = 300, .unmap_ns = 30000, .map_ns = 400, .total_ns = 40000,
	};
	char *page = (char *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, stats);
	KUNIT_ASSERT_NOT_NULL(test, page);
	xs_stats_switch(stats, &result);
	result.flips = 0;
	result.fw_transactions = 0;
	xs_stats_switch(stats, &result);
	result.status = -EIO;
	xs_stats_switch(stats, &result);
	KUNIT_EXPECT_EQ(test, stats->switches, 3);
	KUNIT_EXPECT_EQ(test, stats->failures, 1);
	KUNIT_EXPECT_EQ(test, stats->transactions, 1);
	KUNIT_EXPECT_EQ(test, stats->flips, 3);
	xs_sysfs_show_histogram(&stats->total, page);
	KUNIT_EXPECT_STREQ(test, page, "32768 3\n");
	xs_sysfs_show_histogram(&stats->lock, page);
	KUNIT_EXPECT_STREQ(test, page, "256 2\n");
	xs_sysfs_show_histogram(&stats->unmap, page);
	KUNIT_EXPECT_STREQ(test, page, "28672 1\n");
	xs_sysfs_show_histogram(&stats->map, page);
	KUNIT_EXPECT_STREQ(test, page, "384 1\n");
	free_page((unsigned long)page);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(buckets),
	KUNIT_CASE(width),
	KUNIT_CASE(fullest),
	KUNIT_CASE(accounts),
	{}
};

static struct kunit_suite suite = {
	.name = "stats",
	.test_cases = cases,
};

kunit_test_suite(suite);
