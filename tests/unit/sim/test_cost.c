// SPDX-License-Identifier: MIT
/* Costs that no profile must have: each is charged where it is said to act, and 0 costs nothing. */
#include "fake.h"

#define WAVE_BYTES	(64 * 256 + 640)	/* 64 registers and the state */
#define FULL_BYTES	(80 * 4 * WAVE_BYTES)
#define SAVE_NS		(20 + 1000 + FULL_BYTES)
#define RESTORE_NS	(10 + 1000 + FULL_BYTES)

/* Preempt a full GPU @n times, a tenth of a millisecond apart; the times of the saves. */
static void preempt_often(struct fake *f, u32 n, u64 *save, u64 *restore)
{
	struct fake_queue *q = &f->q[0];
	u64 begin, up;
	u32 i;

	fake_dispatch(f, q, 80, 4, 1000000000, true);
	up = fake_map(f, q, 1);
	for (i = 0; i < n; i++) {
		sim_advance(&f->gpu, up + 100000);
		assert_int_equal(q->aql.sim.waves, 320);
		save[i] = fake_unmap(f, q, 1, 0);
		begin = f->gpu.now;
		up = fake_map(f, q, 1);
		restore[i] = up - begin;
	}
	assert_null(q->fault);
}

static u64 least(const u64 *values, u32 n)
{
	u64 v = SIM_NEVER;
	u32 i;

	for (i = 0; i < n; i++)
		v = values[i] < v ? values[i] : v;
	return v;
}

static u64 most(const u64 *values, u32 n)
{
	u64 v = 0;
	u32 i;

	for (i = 0; i < n; i++)
		v = values[i] > v ? values[i] : v;
	return v;
}

/* Without a spread a switch takes the same each time; with one it has a distribution. */
static void test_firmware_spread(void **state)
{
	struct fake *f = *state;
	u64 save[200], restore[200];

	preempt_often(f, 200, save, restore);
	assert_int_equal(least(save, 200), SAVE_NS);
	assert_int_equal(most(save, 200), SAVE_NS);
	assert_int_equal(most(restore, 200), RESTORE_NS);
	sim_gpu_reset(&f->gpu);
	f->q[0].image_bytes = 0;
	f->profile.save_ns = 400000;
	f->profile.restore_ns = 300000;
	f->profile.firmware_spread = 250;
	preempt_often(f, 200, save, restore);
	assert_in_range(least(save, 200), FULL_BYTES + 300000, FULL_BYTES + 315000);
	assert_in_range(most(save, 200), FULL_BYTES + 485000, FULL_BYTES + 500025);
	assert_in_range(least(restore, 200), FULL_BYTES + 225000, FULL_BYTES + 240000);
	assert_in_range(most(restore, 200), FULL_BYTES + 360000, FULL_BYTES + 375025);
}

/* So many preemptions of a thousand are late, by so much. */
static void test_firmware_late(void **state)
{
	struct fake *f = *state;
	u64 save[1000], restore[1000];
	u32 i, late = 0;

	f->profile.firmware_late_pm = 20;
	f->profile.firmware_late_ns = 3000000;
	preempt_often(f, 1000, save, restore);
	for (i = 0; i < 1000; i++) {
		late += save[i] != SAVE_NS;
		assert_true(save[i] == SAVE_NS || save[i] == SAVE_NS + 3000000);
		assert_int_equal(restore[i], RESTORE_NS);
	}
	assert_in_range(late, 10, 30);
	/* nothing to take off takes no time, late or not */
	f->profile.firmware_late_pm = 1000;
	fake_unmap(f, &f->q[0], 1, 0);
	f->preempted_at = SIM_NEVER;
	sim_preempt(&f->gpu, f->gpu.now, 1000);
	assert_int_equal(f->preempted_at, f->gpu.now);
}

/* From a packet to its first wave: the time itself at least, and up to the jitter more. */
static void test_packet_jitter(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u64 took, shortest = SIM_NEVER, longest = 0;
	u32 i;

	f->profile.packet_jitter_ns = 500;
	for (i = 0; i < 200; i++)
		fake_dispatch(f, q, 1, 1, 1000, true);
	fake_map(f, q, 1);
	fake_run(f);
	for (i = 1; i < 200; i++) {
		took = q->log[i].start_ns - q->log[i - 1].end_ns;
		shortest = took < shortest ? took : shortest;
		longest = took > longest ? took : longest;
	}
	assert_in_range(shortest, 100, 110);
	assert_in_range(longest, 590, 600);
	fake_assert_exactly_once(f, q);
}

/* Workgroups that begin together end within the spread, and not all at once, also if they are saved. */
static void test_workgroup_spread(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	f->profile.workgroup_spread = 300;
	fake_dispatch(f, q, 160, 2, 100000, true);
	fake_dispatch(f, q, 160, 2, 100000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, 110);
	while (q->aql.sim.waves == 320)
		sim_advance(&f->gpu, f->gpu.now + 1000);
	assert_in_range(f->gpu.now, 110 + 70000, 110 + 130000);
	assert_in_range(q->aql.sim.waves, 4, 316);
	while (q->aql.sim.waves != 320)		/* of the second */
		sim_advance(&f->gpu, f->gpu.now + 1000);
	assert_int_equal(q->log[0].executed, 1);
	assert_in_range(q->log[0].end_ns, 110 + 70000, 110 + 130000 + 100000 / 16);
	while (q->aql.sim.waves == 320)
		sim_advance(&f->gpu, f->gpu.now + 1000);
	assert_in_range(q->aql.sim.waves, 4, 316);
	fake_unmap(f, q, 1, 0);
	fake_map(f, q, 1);
	fake_run(f);
	fake_assert_exactly_once(f, q);
}

/* The first workgroup in each slot pays for what is cold, and only that. */
static void test_cold_first_waves(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	f->profile.cold_ns = 7000;
	fake_dispatch(f, q, 20, 4, 10000, true);
	fake_dispatch(f, q, 160, 4, 10000, true);	/* twice the GPU */
	fake_map(f, q, 1);
	fake_run(f);
	assert_int_equal(q->log[0].end_ns - q->log[0].start_ns, 17000);
	/* slots are alike here: of 80, 60 are cold and 20 are not, and these 20 go on first */
	assert_int_equal(q->log[1].end_ns - q->log[1].start_ns, 10000 + 10000 + 7000);
	fake_dispatch(f, q, 160, 4, 10000, true);
	fake_run(f);
	assert_int_equal(q->log[2].end_ns - q->log[2].start_ns, 20000);
	fake_assert_exactly_once(f, q);
}

/* After a switch everybody pays: who comes back, who is new, and who was not taken off. */
static void test_cold_everybody(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = f->q;

	fake_dispatch(f, &q[0], 20, 4, 5000000, true);
	fake_dispatch(f, &q[1], 20, 4, 5000000, true);
	fake_map(f, &q[0], 1);
	fake_map(f, &q[1], 1);
	sim_advance(&f->gpu, 10000);
	f->profile.cold_ns = 7000;
	fake_unmap(f, &q[0], 1, 0);
	fake_map(f, &q[0], 1);
	fake_run(f);
	assert_int_equal(q[1].log[0].end_ns - q[1].log[0].start_ns, 5007000);
	/* 9890 of 5000000 before it was saved, the rest after its restore */
	assert_int_equal(q[0].log[0].end_ns, 10000 + 2 * (1000 + 20 * 4 * WAVE_BYTES) + 20 + 10 +
			 5000000 - 9890 + 7000);
	fake_assert_exactly_once(f, &q[0]);
	fake_assert_exactly_once(f, &q[1]);
}

/* Saved again and again before it got warm, a workgroup never has more to do than it can have. */
static void test_cold_again_and_again(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u32 i;

	f->profile.cold_ns = 20000;
	f->profile.workgroup_spread = 100;
	fake_dispatch(f, q, 100, 4, 10000, true);
	for (i = 0; i < 20; i++) {
		sim_advance(&f->gpu, fake_map(f, q, 1) + 1000);
		fake_unmap(f, q, 1, 0);
		assert_null(q->fault);
	}
	fake_map(f, q, 1);
	fake_run(f);
	fake_assert_exactly_once(f, q);
}

/* Workgroups take longer beside the waves of others, and only those that begin then. */
static void test_contention(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = f->q;

	f->profile.contention_pm = 400;
	fake_dispatch(f, &q[0], 60, 4, 50000, true);
	fake_dispatch(f, &q[0], 60, 4, 10000, true);
	fake_map(f, &q[0], 1);
	sim_advance(&f->gpu, 1000);
	fake_dispatch(f, &q[1], 20, 4, 10000, true);
	fake_map(f, &q[1], 1);
	fake_run(f);
	assert_int_equal(q[0].log[0].end_ns - q[0].log[0].start_ns, 50000);
	/* 240 of 320 slots are another's: three quarters of the whole */
	assert_int_equal(q[1].log[0].end_ns - q[1].log[0].start_ns, 13000);
	assert_int_equal(q[0].log[1].end_ns - q[0].log[1].start_ns, 10000);
	fake_assert_exactly_once(f, &q[0]);
	fake_assert_exactly_once(f, &q[1]);
}

/* While another process is on the hardware without work, one or more; not if it has some. */
static void test_idle_process(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = f->q;

	f->profile.idle_process_pm = 100;
	q[1].aql.sim.vmid = 1;
	q[2].aql.sim.vmid = 1;
	fake_map(f, &q[0], 1);
	fake_dispatch(f, &q[0], 1, 4, 10000, true);
	fake_run(f);
	fake_map(f, &q[1], 1);
	fake_map(f, &q[2], 1);
	sim_advance(&f->gpu, f->gpu.now + 100000);
	fake_dispatch(f, &q[0], 1, 4, 10000, true);
	fake_run(f);
	fake_dispatch(f, &q[1], 1, 4, 100000, true);
	sim_advance(&f->gpu, f->gpu.now + 50000);
	fake_dispatch(f, &q[0], 1, 4, 10000, true);
	fake_run(f);
	assert_int_equal(q[0].log[0].end_ns - q[0].log[0].start_ns, 10000);
	assert_int_equal(q[0].log[1].end_ns - q[0].log[1].start_ns, 11000);
	assert_int_equal(q[0].log[2].end_ns - q[0].log[2].start_ns, 10000);
}

/* After an idle time workgroups are slow at first; a short pause is none. */
static void test_clock_ramp(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u32 i;

	fake_map(f, q, 1);
	sim_advance(&f->gpu, 5000000);
	f->profile.clock_ramp_pm = 500;
	f->profile.clock_ramp_ns = 100000;
	for (i = 0; i < 8; i++)
		fake_dispatch(f, q, 1, 4, 40000, true);
	fake_run(f);
	assert_int_equal(q->log[0].end_ns - q->log[0].start_ns, 60000);
	assert_in_range(q->log[1].end_ns - q->log[1].start_ns, 47000, 48000);
	for (i = 2; i < 8; i++)
		assert_int_equal(q->log[i].end_ns - q->log[i].start_ns, 40000);
	sim_advance(&f->gpu, f->gpu.now + 900000);
	fake_dispatch(f, q, 1, 4, 40000, true);
	fake_run(f);
	assert_int_equal(q->log[8].end_ns - q->log[8].start_ns, 40000);
	sim_advance(&f->gpu, f->gpu.now + 1100000);
	fake_dispatch(f, q, 1, 4, 40000, true);
	fake_run(f);
	assert_int_equal(q->log[9].end_ns - q->log[9].start_ns, 60000);
	fake_assert_exactly_once(f, q);
}

/* The accesses of amdkfd's function: with no queue, one without waves, and a full MI300X. */
static void test_count_accesses(void **state)
{
	const struct sim_profile *p = &sim_profile_mi300x;

	(void)state;
	assert_int_equal(p->shader_engines, 4);
	assert_int_equal(sim_count_accesses(p, 0, 0), 11);
	assert_int_equal(sim_count_accesses(p, 1, 0), 19);
	assert_int_equal(sim_busy_engines(p, 3), 3);
	assert_int_equal(sim_busy_engines(p, 1000), 4);
	/* 8 XCCs: 768 reads of counts, as many writes, 768 doorbells, 32 states, 56 besides */
	assert_int_equal(p->xccs * sim_count_accesses(p, 24, 24 * 4),
			 768 + 768 + 768 + 32 + 32 + 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_firmware_spread, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_firmware_late, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_packet_jitter, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_workgroup_spread, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_cold_first_waves, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_cold_everybody, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_cold_again_and_again, fake_setup,
						fake_teardown),
		cmocka_unit_test_setup_teardown(test_contention, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_idle_process, fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(test_clock_ramp, fake_setup, fake_teardown),
		cmocka_unit_test(test_count_accesses),
	};

	return RUN(tests);
}
