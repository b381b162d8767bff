// SPDX-License-Identifier: MIT
/* Compute MQDs of gfx9: that of a real MI308X, and what is wrong with others. */
#include <stdio.h>

#include "fake.h"
#include "firmware/mqd9.h"

#define DUMP	"../../vgpu/evidence/mi308x-mqd.txt"

static u32 mqd[SIM_MQD9_DWORDS];

/* The first queue of the dump; each line has an offset and eight dwords. */
static int setup(void **state)
{
	FILE *f = fopen(DUMP, "r");
	char line[256];
	u32 at, n = 0;

	(void)state;
	if (!f)
		return -1;
	while (n < SIM_MQD9_DWORDS && fgets(line, sizeof(line), f)) {
		u32 *d = &mqd[n];

		if (sscanf(line, " %x: %x %x %x %x %x %x %x %x", &at, d, d + 1, d + 2,
			   d + 3, d + 4, d + 5, d + 6, d + 7) != 9)
			continue;
		assert_int_equal(at, n * 4);
		n += 8;
	}
	fclose(f);
	return n == SIM_MQD9_DWORDS ? 0 : -1;
}

/* What the driver of a real MI308X wrote is understood, field by field. */
static void test_real_one(void **state)
{
	struct sim_mqd m;

	(void)state;
	assert_null(sim_mqd9_load(mqd, 4, &m));
	assert_int_equal(m.packets, 16384 * 16 / 16);
	assert_int_equal(m.ring, 0x7f41b5200000);
	assert_int_equal(m.rptr_va, 0x7f61c1576080);
	assert_int_equal(m.save_va, 0x7f41a4000000);
	assert_int_equal(m.stack_bytes, 0x2000);
	assert_int_equal(m.save_bytes, 0xba6000);
	assert_int_equal(m.priority, 1);
	assert_false(m.saved || m.halted);
	assert_int_equal(m.cus, 0);
	assert_int_equal(sim_mqd9_quantum_ns(mqd), 1000000);
	/* its save area holds a quarter of the waves of 80 compute units */
	assert_in_range(m.save_bytes - m.stack_bytes,
			sim_save_bytes(&sim_profile_mi308x) / 4,
			sim_save_bytes(&sim_profile_mi308x) / 4 + 4095);
}

static void assert_bad(u32 dword, u32 value, const char *why)
{
	u32 was = mqd[dword];
	struct sim_mqd m;

	mqd[dword] = value;
	assert_string_equal(sim_mqd9_load(mqd, 4, &m), why);
	mqd[dword] = was;
}

/* Each thing that can be wrong with it is. */
static void test_bad_ones(void **state)
{
	u32 control = mqd[SIM_MQD9_PQ_CONTROL];

	(void)state;
	assert_bad(SIM_MQD9_HEADER, 0, "header");
	assert_bad(SIM_MQD9_RESERVED, 1, "reserved dwords");
	assert_bad(SIM_MQD9_RESERVED_END, 1, "reserved dwords");
	assert_bad(SIM_MQD9_AQL_CONTROL, 0, "not an AQL queue");
	assert_bad(SIM_MQD9_PQ_CONTROL, control & ~(3U << 25), "not set up for AQL");
	assert_bad(SIM_MQD9_PQ_CONTROL, (control & ~0x3fU) | 2, "ring size");
	assert_bad(SIM_MQD9_PQ_CONTROL, control | 0x3f, "ring size");
	assert_bad(SIM_MQD9_STACK_SIZE, 0xffffffff, "control stack");
	assert_bad(SIM_MQD9_STACK_OFFSET, 0x2001, "control stack");
}

/* What is stored of a saved queue is read back; the rest stays. */
static void test_store(void **state)
{
	struct sim_mqd_saved s = { .rptr = 0x1230, .halted = true, .waves = 100,
				   .state_bytes = 5000 };
	u32 before[SIM_MQD9_DWORDS], changed = 0, i;
	struct sim_mqd m;

	(void)state;
	memcpy(before, mqd, sizeof(before));
	sim_mqd9_store(mqd, &s);
	assert_null(sim_mqd9_load(mqd, 4, &m));
	assert_true(m.saved && m.halted);
	assert_int_equal(m.rptr, 0x1230);
	assert_int_equal(mqd[SIM_MQD9_STACK_OFFSET], 0x2000 - 800);
	assert_int_equal(mqd[SIM_MQD9_STATE_OFFSET], 0x2000 + 5000);
	for (i = 0; i < SIM_MQD9_DWORDS; i++)
		changed += mqd[i] != before[i];
	assert_int_equal(changed, 4);
	s.waves = 1000000;		/* more than there is room for */
	s.state_bytes = 0xffffffff;
	sim_mqd9_store(mqd, &s);
	assert_int_equal(mqd[SIM_MQD9_STACK_OFFSET], 0);
	assert_int_equal(mqd[SIM_MQD9_STATE_OFFSET], mqd[SIM_MQD9_SAVE_SIZE]);
	memset(&s, 0, sizeof(s));
	sim_mqd9_store(mqd, &s);
	assert_null(sim_mqd9_load(mqd, 4, &m));
	assert_false(m.saved || m.halted);
}

/* Masks of compute units count only if every shader engine has one. */
static void test_cu_masks(void **state)
{
	struct sim_mqd m;

	(void)state;
	mqd[SIM_MQD9_CU_SE0] = 0xf;
	mqd[SIM_MQD9_CU_SE1] = 0xf0;
	mqd[SIM_MQD9_CU_SE2] = 0;
	mqd[SIM_MQD9_CU_SE3] = 1;
	assert_null(sim_mqd9_load(mqd, 4, &m));
	assert_int_equal(m.cus, 9);
	mqd[SIM_MQD9_CU_SE4] = 0xffffffff;
	assert_null(sim_mqd9_load(mqd, 8, &m));
	assert_int_equal(m.cus, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_real_one, setup),
		cmocka_unit_test_setup(test_bad_ones, setup),
		cmocka_unit_test_setup(test_store, setup),
		cmocka_unit_test_setup(test_cu_masks, setup),
	};

	return RUN(tests);
}
