// SPDX-License-Identifier: MIT
/* Percentiles of the histogram against exact ones. */
#include "unit.h"

#include "base/histogram.h"

/* Nothing added: zero. One added: that one, at most 1/32 too high. */
static void single(void **state)
{
	static struct histogram h;

	(void)state;
	assert_true(histogram_percentile(&h, 50) == 0);
	for (uint64_t ns = 1; ns < 1ULL << 40; ns = ns * 5 / 3 + 1) {
		uint64_t p;

		memset(&h, 0, sizeof(h));
		histogram_add(&h, ns);
		p = histogram_percentile(&h, 50);
		assert_true(p >= ns && p - ns <= ns / 32);
		assert_true(p == histogram_percentile(&h, 100));
	}
}

/* 1..10000 µs: percentiles are the exact ones, at most 1/32 too high. */
static void ranks(void **state)
{
	static struct histogram h;

	(void)state;
	for (uint64_t i = 1; i <= 10000; i++)
		histogram_add(&h, i * 1000);
	for (unsigned int percent = 1; percent <= 100; percent++) {
		uint64_t exact = 100000ULL * percent;
		uint64_t p = histogram_percentile(&h, percent);

		assert_true(p >= exact && p - exact <= exact / 32);
	}
}

/* Of durations in a range the longest counts, and the middle for the sum. */
static void ranges(void **state)
{
	static const uint64_t ends[] = { 32766, 32767, 1000000000 };
	static struct histogram h;
	uint64_t below[3];

	(void)state;
	histogram_add_range(&h, 28672, 32768, 3);
	histogram_add_range(&h, 256, 320, 1);
	assert_true(h.count == 4);
	assert_true(h.sum == 3 * 30720 + 288);
	assert_true(histogram_percentile(&h, 25) == 319);
	assert_true(histogram_percentile(&h, 99) == 32767);
	histogram_below(&h, ends, 3, below);
	assert_true(below[0] == 1);
	assert_true(below[1] == 4);
	assert_true(below[2] == h.count);
}

/* A duration beyond all classes falls into the last. */
static void enormous(void **state)
{
	static struct histogram h;

	(void)state;
	histogram_add(&h, UINT64_MAX);
	histogram_add(&h, 5);
	assert_true(histogram_percentile(&h, 50) == 5);
	assert_true(histogram_percentile(&h, 99) > 1ULL << 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single),
		cmocka_unit_test(ranks),
		cmocka_unit_test(ranges),
		cmocka_unit_test(enormous),
	};

	return RUN(tests);
}
