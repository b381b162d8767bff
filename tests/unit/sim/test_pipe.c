// SPDX-License-Identifier: MIT
/* Who gets slots: pipes that queues share, XCCs, masks of compute units. */
#include "fake.h"

/* Map at time 0, packet processed at 110. */
#define FIRST_WAVE	110

/* On one pipe, a kernel that takes ten rounds, and one of a single workgroup. */
static void two_on_a_pipe(struct fake *f, u64 quantum_ns)
{
	f->profile.pipes = 1;
	f->profile.queue_quantum_ns = quantum_ns;
	fake_dispatch(f, &f->q[0], 800, 4, 10000, true);
	fake_dispatch(f, &f->q[1], 1, 4, 500, true);
	fake_map(f, &f->q[0], 1);
	fake_map(f, &f->q[1], 1);
}

/* A pipe launches all of a kernel before it looks at another queue. */
static void test_collision(void **state)
{
	struct fake *f = *state;

	two_on_a_pipe(f, 1000000);
	fake_run(f);
	/* the last round has begun; slots are free at its end */
	assert_in_range(f->q[1].log[0].start_ns, FIRST_WAVE + 90000, FIRST_WAVE + 100000);
	fake_assert_exactly_once(f, &f->q[0]);
	fake_assert_exactly_once(f, &f->q[1]);
}

/* But no longer than a quantum, if one waits. */
static void test_quantum(void **state)
{
	struct fake *f = *state;

	two_on_a_pipe(f, 25000);
	fake_run(f);
	assert_in_range(f->q[1].log[0].start_ns, 25000, FIRST_WAVE + 30000);
	fake_assert_exactly_once(f, &f->q[0]);
	fake_assert_exactly_once(f, &f->q[1]);
}

/* On pipes of their own both share what gets free. */
static void test_own_pipes(void **state)
{
	struct fake *f = *state;

	two_on_a_pipe(f, 1000000);
	f->profile.pipes = 2;
	sim_gpu_reset(&f->gpu);
	fake_map(f, &f->q[0], 1);
	fake_map(f, &f->q[1], 1);
	assert_int_not_equal(f->q[0].aql.sim.pipe, f->q[1].aql.sim.pipe);
	fake_run(f);
	assert_int_equal(f->q[1].log[0].start_ns, FIRST_WAVE);
}

/* Of the queues of a pipe the one with the higher queue priority has it, as soon as it has work. */
static void test_queue_priority(void **state)
{
	struct fake *f = *state;

	f->q[1].aql.sim.queue_priority = 15;
	two_on_a_pipe(f, 1000000);
	fake_run(f);
	assert_in_range(f->q[1].log[0].start_ns, FIRST_WAVE, FIRST_WAVE + 10000);
	fake_assert_exactly_once(f, &f->q[0]);
}

/* A queue whose packet waits for another packet, or for a signal, does not keep its pipe. */
static void test_waiting_gives_way(void **state)
{
	struct fake *f = *state;

	f->profile.pipes = 1;
	f->signal[0].value = 1;
	fake_dispatch(f, &f->q[0], 1, 4, 50000, true);
	fake_dispatch(f, &f->q[0], 1, 4, 1000, true);
	fake_packet(&f->q[2], SIM_AQL_BARRIER_AND)->barrier.dependency[0] = (uintptr_t)&f->signal[0];
	fake_dispatch(f, &f->q[1], 1, 4, 1000, true);
	fake_map(f, &f->q[2], 1);
	fake_map(f, &f->q[0], 1);
	sim_advance(&f->gpu, 10000);
	fake_map(f, &f->q[1], 1);
	fake_run(f);
	assert_in_range(f->q[1].log[0].end_ns, 10000, 12000);
	assert_in_range(f->q[0].log[1].end_ns, FIRST_WAVE + 51000, FIRST_WAVE + 52000);
}

/* Many queues on few pipes, on four XCCs. */
static void many(struct fake *f, u32 spread)
{
	u32 i, k;

	f->profile.xccs = 4;
	f->profile.cus = 12;
	f->profile.pipes = 2;
	f->profile.workgroup_spread = spread;
	f->profile.queue_quantum_ns = 20000;
	sim_gpu_reset(&f->gpu);
	for (i = 0; i < FAKE_QUEUES; i++) {
		f->q[i].aql.sim.queue_priority = i % 2 * 7;
		f->q[i].aql.sim.cus = i == 2 ? 4 : 0;
		for (k = 0; k < 40; k++)
			fake_dispatch(f, &f->q[i], 1 + (k * 37 + i * 11) % 200, 1 + k % 8, 5000 + k * 1300,
				      k % 3);
		fake_map(f, &f->q[i], i % 3);
	}
}

/* Packets that were consumed and kernels that were completed. */
static u64 seen(const struct fake *f)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < FAKE_QUEUES; i++)
		sum += f->q[i].aql.read + f->q[i].completed;
	return sum;
}

/* Nothing that a program notices happens before sim_next_visible() says so, but much else. */
static void test_next_visible(void **state)
{
	struct fake *f = *state;
	u32 n, hidden = 0, spread;
	u64 visible, before;

	for (spread = 0; spread <= 200; spread += 200) {
		many(f, spread);
		for (n = 0; n < 5000 && sim_next_event(&f->gpu) != SIM_NEVER; n++) {
			visible = sim_next_visible(&f->gpu);
			before = seen(f);
			sim_advance(&f->gpu, sim_next_event(&f->gpu));
			if (seen(f) != before)
				assert_true(visible <= f->gpu.now);
			hidden += visible > f->gpu.now;
		}
	}
	assert_true(hidden > 1000);
}

/* Taken off in between at random: each kernel runs once. */
static void test_exactly_once(void **state)
{
	struct fake *f = *state;
	u64 seed = 7;
	u32 i, k, n;

	many(f, 200);
	for (n = 0; n < 300; n++) {
		sim_advance(&f->gpu, f->gpu.now + fake_random(&seed, 9000));
		fake_unmap(f, &f->q[n % 2], 2, fake_random(&seed, 2000));
		for (i = n % 2; i < n % 2 + 2; i++)
			fake_map(f, &f->q[i], i % 3);
	}
	fake_run(f);
	for (i = 0; i < FAKE_QUEUES; i++)
		for (k = 0; k < 40; k++)
			assert_int_equal(f->q[i].log[k].executed, 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(f->gpu.free[i].waves, 3 * 32);
	assert_int_equal(f->gpu.free_waves, 12 * 32);
}

/* Each XCC has an equal part of a kernel, and slots of its own. */
static void test_xccs(void **state)
{
	struct fake *f = *state;
	struct sim_gpu *gpu = &f->gpu;

	f->profile.xccs = 2;
	sim_gpu_reset(gpu);
	fake_dispatch(f, &f->q[0], 60, 4, 10000, true);
	fake_map(f, &f->q[0], 1);
	sim_advance(gpu, FIRST_WAVE);
	assert_int_equal(gpu->free[0].waves, 160 - 30 * 4);
	assert_int_equal(gpu->free[1].waves, 160 - 30 * 4);
	/* one workgroup is on one XCC; it waits for that one, and there are 20 slots on both */
	fake_dispatch(f, &f->q[1], 21, 4, 500, true);
	fake_map(f, &f->q[1], 1);
	sim_advance(gpu, 2 * FIRST_WAVE);
	assert_int_equal(gpu->free[0].waves, 0);
	assert_int_equal(gpu->free[1].waves, 0);
	fake_run(f);
	/* 10 and 11 of them: the eleventh finds room when one of the ten has ended */
	assert_int_equal(f->q[1].log[0].end_ns - f->q[1].log[0].start_ns, 1000);
	fake_assert_exactly_once(f, &f->q[0]);
}

/* A mask is the queue's: its kernels together keep to it, on each XCC. */
static void test_mask(void **state)
{
	struct fake *f = *state;
	struct sim_queue *q = &f->q[0].aql.sim;

	f->profile.xccs = 2;
	sim_gpu_reset(&f->gpu);
	q->cus = 4;
	fake_dispatch(f, &f->q[0], 20, 4, 10000, false);
	fake_dispatch(f, &f->q[0], 40, 4, 10000, false);
	fake_map(f, &f->q[0], 1);
	sim_advance(&f->gpu, 5000);
	assert_int_equal(q->count, 2);
	assert_int_equal(q->waves, 4 * 32);
	assert_int_equal(q->used[0].waves, 2 * 32);
	assert_int_equal(q->used[1].waves, 2 * 32);
	fake_run(f);
	assert_int_equal(f->q[0].log[1].executed, 1);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_collision),
		TEST(test_quantum),
		TEST(test_own_pipes),
		TEST(test_queue_priority),
		TEST(test_waiting_gives_way),
		TEST(test_next_visible),
		TEST(test_exactly_once),
		TEST(test_xccs),
		TEST(test_mask),
	};

	return RUN(tests);
}
