// SPDX-License-Identifier: MIT
/* Profiles, their partitions, and what follows from them. */
#include "fake.h"

static const char *const names[] = {
	"mi308x", "mi308x-field", "mi300x", "mi250", "gfx11",
};

/* Every profile is found by its name and holds together. */
static void test_profiles(void **state)
{
	const struct sim_profile *p;
	u32 i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		p = sim_profile_find(names[i]);
		assert_non_null(p);
		assert_string_equal(p->name, names[i]);
		assert_ptr_equal(sim_profile_at(i), p);
		assert_int_equal(p->cus % p->xccs, 0);
		assert_true(p->hqds && p->hqds <= 64 && p->vmids && p->vmids < 16);
		assert_true(p->sdma_engines && p->sdma_engines <= SIM_MAX_SDMA);
		assert_true(p->clock_mhz && p->ticks_mhz && p->save_bytes_per_us);
		assert_true(p->process_quantum_ns && p->queue_quantum_ns);
		assert_true(p->vgprs_per_wave && p->vgprs_per_wave <= p->vgprs_per_simd);
		assert_true(p->gfx && p->wave_lanes);
	}
	assert_null(sim_profile_at(i));
	assert_null(sim_profile_find("mi400"));
}

/* The save of a full GPU has the size and the floor of the facts. */
static void test_full_save(void **state)
{
	const struct sim_profile *p = &sim_profile_mi300x;

	(void)state;
	assert_int_equal(sim_save_bytes(p), 304ULL * (0x80000 + 0x4000 + 0x10000 + 0x1000));
	assert_int_equal(sim_save_bytes(p) >> 20, 177 - 1);	/* 177.4 with the stacks */
	assert_in_range(sim_save_bytes(p) / p->save_bytes_per_us, 34, 36);
	assert_in_range(sim_save_bytes(&sim_profile_mi250) /
			sim_profile_mi250.save_bytes_per_us, 38, 41);
}

/* CPX: each XCC by itself, and pairs of them share the VMIDs. */
static void test_partition(void **state)
{
	struct sim_profile out;

	(void)state;
	assert_true(sim_profile_partition(&sim_profile_mi300x, 8, &out));
	assert_int_equal(out.xccs, 1);
	assert_int_equal(out.cus, 38);
	assert_int_equal(out.sdma_engines, 2);
	assert_int_equal(out.vmids, 6);
	assert_int_equal(out.hqds, 24);
	assert_true(sim_profile_partition(&sim_profile_mi308x, 2, &out));
	assert_int_equal(out.xccs, 2);
	assert_int_equal(out.cus, 40);
	assert_int_equal(out.vmids, 13);
	assert_true(sim_profile_partition(&sim_profile_mi250, 1, &out));
	assert_memory_equal(&out, &sim_profile_mi250, sizeof(out));
	assert_false(sim_profile_partition(&sim_profile_mi300x, 3, &out));
	assert_false(sim_profile_partition(&sim_profile_mi250, 2, &out));
	assert_false(sim_profile_partition(&sim_profile_mi250, 0, &out));
}

/* Units of 1000 clocks; 0 is no limit for old firmware, and none for new. */
static void test_grace_units(void **state)
{
	struct sim_profile p = sim_profile_mi308x;

	(void)state;
	p.clock_mhz = 2000;
	assert_int_equal(sim_grace_ns(&p, 1), 500);
	assert_int_equal(sim_grace_ns(&p, 255), 127500);
	p.mec_fw_version = 95;
	assert_true(sim_grace_ns(&p, 0) == SIM_NEVER);
	p.mec_fw_version = 96;
	assert_int_equal(sim_grace_ns(&p, 0), 0);
	p = sim_profile_mi250;
	p.mec_fw_version = 62;
	assert_true(sim_grace_ns(&p, 0) == SIM_NEVER);
	p.mec_fw_version = 63;
	assert_int_equal(sim_grace_ns(&p, 0), 0);
}

/* Both profiles of the MI308X are the same chip. */
static void test_field(void **state)
{
	const struct sim_profile *usual = &sim_profile_mi308x, *field = &sim_profile_mi308x_field;
	const struct sim_parameter *parameter;
	u32 i;

	(void)state;
	for (i = 0; (parameter = sim_parameter_at(i)); i++)
		if (parameter->chip)
			assert_int_equal(sim_parameter_get(field, parameter),
					 sim_parameter_get(usual, parameter));
	assert_int_equal(field->gfx, usual->gfx);
	assert_in_range(field->save_ns, 380000, 480000);
	assert_in_range(field->restore_ns, 285000, 385000);
}

/* All numbers of a profile have a name and can be set, within limits that the profiles keep. */
static void test_parameters(void **state)
{
	struct sim_profile p = sim_profile_mi300x, zero = { 0 };
	const struct sim_parameter *parameter;
	const struct sim_profile *any;
	u32 i, j;

	(void)state;
	for (i = 0; (parameter = sim_parameter_at(i)); i++) {
		assert_ptr_equal(sim_parameter_find(parameter->name), parameter);
		for (j = 0; (any = sim_profile_at(j)); j++)
			assert_in_range(sim_parameter_get(any, parameter), parameter->min,
					parameter->max);
		assert_true(sim_parameter_set(&p, parameter, parameter->max));
		assert_int_equal(sim_parameter_get(&p, parameter), parameter->max);
		assert_false(sim_parameter_set(&p, parameter, parameter->max + 1ULL));
		assert_int_equal(sim_parameter_get(&p, parameter), parameter->max);
		memset((char *)&p + parameter->offset, 0, parameter->bytes);
	}
	p.name = NULL;
	p.gfx = 0;
	p.scheduler = 0;
	assert_memory_equal(&p, &zero, sizeof(p));
	assert_null(sim_parameter_find("name"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_full_save),
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_grace_units),
		cmocka_unit_test(test_field),
		cmocka_unit_test(test_parameters),
	};

	return RUN(tests);
}
