// SPDX-License-Identifier: MIT
/* The map of the engine against a plain array, with keys that collide. */
#include "unit.h"

#include "../../libxsched/src/map.h"

#define KEYS 3000

/* Random insertions and removals: the map knows exactly what is in it. */
static void follows_array(void **state)
{
	static char present[KEYS];
	struct xsched_map map = { 0 };
	unsigned int random = 1;
	size_t count = 0;

	(void)state;
	assert_null(xsched_map_find(&map, 5));
	for (int i = 0; i < 60000; i++) {
		unsigned int key;

		random = random * 1103515245 + 12345;
		key = (random >> 8) % KEYS;
		if (present[key]) {
			xsched_map_remove(&map, key);
			count--;
		} else {
			assert_int_equal(xsched_map_reserve(&map), 0);
			xsched_map_insert(&map, key, &present[key]);
			count++;
		}
		present[key] = !present[key];
		assert_int_equal(map.count, count);
		if (i % 1000)
			continue;
		for (unsigned int k = 0; k < KEYS; k++)
			assert_ptr_equal(xsched_map_find(&map, k),
					 present[k] ? &present[k] : NULL);
	}
	xsched_map_free(&map);
	assert_null(xsched_map_find(&map, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_array),
	};

	return RUN(tests);
}
