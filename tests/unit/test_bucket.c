// SPDX-License-Identifier: MIT
/* A share of the time: it adds up, and never to more than there is room for. */
#include "unit.h"

#include "base/bucket.h"

#define ROOM_NS	100000000ULL
#define PERMILLE	50

/* Whatever the steps, no more than the share of the time that passes is left. */
static void adds_the_share(void **state)
{
	static const uint64_t steps[] = { 1000, 7919, 20000, 1000003 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct bucket bucket = { 0 };
		uint64_t start = 1000000000ULL, now = start, least, most;

		assert_true(bucket_fill(&bucket, now, PERMILLE, ROOM_NS) == ROOM_NS);
		bucket_take(&bucket, ROOM_NS);
		for (unsigned int n = 0; n < 1000; n++)
			bucket_fill(&bucket, now += steps[i], PERMILLE, ROOM_NS);
		most = (now - start) * PERMILLE / 1000;
		least = most - 1000;
		assert_true(bucket.left_ns <= most && bucket.left_ns >= least);
	}
}

/* A full one stays as full as it is, by steps of any length. */
static void keeps_to_its_room(void **state)
{
	struct bucket bucket = { 0 };
	uint64_t now = 1;

	(void)state;
	for (uint64_t step = 1; step < 1ULL << 62; step = step * 3 / 2 + 1) {
		assert_true(bucket_fill(&bucket, now += step, PERMILLE, ROOM_NS) <= ROOM_NS);
		bucket_take(&bucket, 1);
		assert_true(bucket_fill(&bucket, now += 999, PERMILLE, ROOM_NS) <= ROOM_NS);
	}
}

/* Taking more than is left leaves nothing. */
static void takes_what_is_left(void **state)
{
	struct bucket bucket = { 0 };

	(void)state;
	bucket_fill(&bucket, 1, PERMILLE, ROOM_NS);
	bucket_take(&bucket, UINT64_MAX);
	assert_true(bucket.left_ns == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_the_share),
		cmocka_unit_test(keeps_to_its_room),
		cmocka_unit_test(takes_what_is_left),
	};

	return RUN(tests);
}
