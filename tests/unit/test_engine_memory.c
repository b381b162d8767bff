// SPDX-License-Identifier: MIT
/*
 * Every allocation of the engine fails once: the call says so, nothing is half
 * done, and nothing is lost. Deciding allocates nothing.
 */
#include "unit.h"

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations, fail_at = -1;

static bool fails(void)
{
	return allocations++ == fail_at;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

/* Tries again what failed for want of memory; says whether something did. */
#define TRY(call) ({ int r = (call); if (r == -ENOMEM) r = (call); r; })

static void scenario(int gang)
{
	struct xsched_engine *e;
	struct xsched_plan plan;
	long before;

	assert_int_equal(TRY(xsched_engine_new(&e, "cfs", NULL, NULL)), 0);
	xsched_engine_set_option(e, "gang", gang);
	for (int i = 1; i <= 40; i++) {
		for (int q = 0; q < 3; q++)
			assert_true(TRY(xsched_engine_queue_add(e, 3 * i + q, i,
							q)) >= 0);
		assert_int_equal(TRY(xsched_engine_set_group(e, i, i / 3)), 0);
		xsched_engine_queue_ready(e, 3 * i, true);
	}
	assert_int_equal(xsched_engine_tenants(e), 40);
	before = allocations;
	for (int i = 1; i <= 40; i++) {
		xsched_engine_queue_ready(e, 3 * i + 1, true);
		xsched_engine_plan(e, i * 1000000ULL, &plan);
	}
	assert_int_equal(allocations, before);
	for (int demoted = 1; demoted >= 0; demoted--)
		for (int i = 1; i <= 40; i += 5)
			assert_int_equal(TRY(xsched_engine_set_demoted(e, i, demoted)), 0);
	assert_int_equal(TRY(xsched_engine_set_option(e, "gang", !gang)), 0);
	xsched_engine_plan(e, 50000000, &plan);
	assert_int_equal(TRY(xsched_engine_set_option(e, "gang", gang)), 0);
	xsched_engine_plan(e, 60000000, &plan);
	for (int i = 1; i <= 40; i += 2)
		assert_int_equal(TRY(xsched_engine_set_group(e, i, 0)), 0);
	for (int i = 1; i <= 40; i++)
		assert_int_equal(xsched_engine_process_exit(e, i), 0);
	xsched_engine_free(e);
}

static void each_fails_once(int gang)
{
	long total;

	fail_at = -1;
	allocations = 0;
	scenario(gang);
	total = allocations;
	assert_true(total > 100);
	for (long n = 0; n < total; n++) {
		fail_at = n;
		allocations = 0;
		scenario(gang);
	}
	fail_at = -1;
}

static void with_gangs(void **state)
{
	(void)state;
	each_fails_once(1);
}

static void without_gangs(void **state)
{
	(void)state;
	each_fails_once(0);
}

/* Failures had no effect. */
static void nothing_half_done(void **state)
{
	struct xsched_engine *e;
	struct xsched_tenant t;

	(void)state;
	assert_int_equal(xsched_engine_new(&e, "hpf", NULL, NULL), 0);
	for (long n = 0; n < 20; n++) {
		int ret;

		allocations = 0;
		fail_at = n;
		ret = xsched_engine_queue_add(e, 1, 1, 1);
		fail_at = -1;
		if (ret != -ENOMEM)
			break;
		assert_int_equal(xsched_engine_tenants(e), 0);
		assert_int_equal(xsched_engine_queue_del(e, 1), -ENOENT);
	}
	assert_int_equal(xsched_engine_tenants(e), 1);
	allocations = 0;
	fail_at = 0;
	assert_int_equal(xsched_engine_set_group(e, 1, 5), -ENOMEM);
	assert_int_equal(xsched_engine_tenant(e, 1, 0, &t), 0);
	assert_int_equal(t.group, 0);
	fail_at = -1;
	assert_int_equal(xsched_engine_set_group(e, 1, 5), 0);
	allocations = 0;
	fail_at = 0;
	assert_int_equal(xsched_engine_set_demoted(e, 1, true), -ENOMEM);
	fail_at = -1;
	assert_int_equal(xsched_engine_tenant(e, 1, 0, &t), 0);
	assert_false(t.demoted);
	xsched_engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_gangs),
		cmocka_unit_test(without_gangs),
		cmocka_unit_test(nothing_half_done),
	};

	return RUN(tests);
}
