// SPDX-License-Identifier: MIT
/* The GPU model by itself: time, order, contention, context save. */
#include "fake.h"

#define WAVE_BYTES	(64 * 256 + 640)	/* 64 registers and the state */

/* Map at time 0, packet processed at 110. */
#define FIRST_WAVE	110

/* A kernel takes its workgroup's time; its queue's index moves before. */
static void test_one_dispatch(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 1, 4, 5000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, FIRST_WAVE - 1);
	assert_int_equal(q->aql.read, 0);
	sim_advance(&f->gpu, FIRST_WAVE);
	assert_int_equal(q->aql.read, 1);
	assert_int_equal(q->aql.sim.waves, 4);
	assert_int_equal(q->log[0].executed, 0);
	fake_run(f);
	assert_int_equal(q->log[0].executed, 1);
	assert_int_equal(q->log[0].start_ns, FIRST_WAVE);
	assert_int_equal(q->log[0].end_ns, FIRST_WAVE + 5000);
	assert_int_equal(q->aql.sim.waves, 0);
}

/* More workgroups than fit take several rounds. */
static void test_rounds(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 80 * 2 + 1, 4, 1000, true);	/* 320 slots: 80 at a time */
	fake_map(f, q, 1);
	sim_advance(&f->gpu, FIRST_WAVE);
	assert_int_equal(q->aql.sim.waves, 320);
	assert_int_equal(f->gpu.free_waves, 0);
	fake_run(f);
	assert_int_equal(q->log[0].end_ns, FIRST_WAVE + 3000);
	assert_int_equal(f->gpu.free_waves, 320);
}

/* Registers and LDS limit how many workgroups a compute unit holds. */
static void test_capacity(void **state)
{
	struct fake *f = *state;
	struct sim_dispatch d = { .waves = 4, .vgprs = 64 };

	assert_int_equal(sim_capacity(&f->profile, &d), 80);
	d.vgprs = 65;	/* granule: 72, so 7 waves a SIMD */
	assert_int_equal(sim_capacity(&f->profile, &d), 70);
	d.vgprs = 512;
	assert_int_equal(sim_capacity(&f->profile, &d), 10);
	d.vgprs = 64;
	d.lds_bytes = 65536;
	assert_int_equal(sim_capacity(&f->profile, &d), 10);
	d.lds_bytes = 65537;
	assert_int_equal(sim_capacity(&f->profile, &d), 0);
	d.lds_bytes = 0;
	d.waves = 33;
	assert_int_equal(sim_capacity(&f->profile, &d), 0);
}

/* A full MI308X saves what amdkfd reserves for it, less the control stack. */
static void test_full_occupancy_bytes(void **state)
{
	const struct sim_profile *p = &sim_profile_mi308x;
	struct sim_dispatch d = { .waves = 4, .vgprs = 64, .lds_bytes = 8192 };

	(void)state;
	assert_int_equal(sim_capacity(p, &d), 640);
	assert_int_equal(640 * sim_workgroup_bytes(p, &d),
			 80 * (0x80000 + 0x4000 + 0x10000 + 0x1000));
	assert_ptr_equal(sim_profile_find("mi308x"), p);
	assert_null(sim_profile_find("mi308"));
}

/* With the barrier bit packets run one after the other, without it together. */
static void test_barrier_bit(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 1, 4, 5000, true);
	fake_dispatch(f, q, 1, 4, 1000, true);
	fake_dispatch(f, q, 1, 4, 500, false);
	fake_map(f, q, 1);
	fake_run(f);
	assert_int_equal(q->log[0].end_ns, FIRST_WAVE + 5000);
	assert_int_equal(q->log[1].start_ns, q->log[0].end_ns + 100);
	assert_int_equal(q->log[2].start_ns, q->log[1].start_ns + 100);
	assert_int_equal(q->completed, 3);
	assert_int_equal(q->log[2].ticket, 1);	/* shorter, so it ends first */
}

/* A blocked packet stops its queue until a signal changes. */
static void test_blocked(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	f->signal[0].value = 1;
	fake_packet(q, SIM_AQL_BARRIER_AND)->barrier.dependency[3] =
		(uintptr_t)&f->signal[0];
	fake_dispatch(f, q, 1, 1, 10, true);
	fake_map(f, q, 1);
	fake_run(f);
	assert_int_equal(q->aql.read, 0);
	f->signal[0].value = 0;
	fake_run(f);
	assert_int_equal(q->aql.read, 0);	/* the model was not notified */
	assert_true(sim_retry_blocked(&f->gpu));
	fake_run(f);
	assert_int_equal(q->aql.read, 2);
	assert_int_equal(q->completed, 1);
	assert_false(sim_retry_blocked(&f->gpu));
}

/* A running workgroup is never stopped by a more important one that waits. */
static void test_priority_does_not_preempt(void **state)
{
	struct fake *f = *state;
	struct fake_queue *low = &f->q[0], *high = &f->q[1];

	fake_dispatch(f, low, 160, 4, 10000, true);
	fake_map(f, low, 0);
	sim_advance(&f->gpu, 500);
	fake_dispatch(f, high, 80, 4, 100, true);
	fake_map(f, high, 2);
	fake_run(f);
	assert_int_equal(high->log[0].start_ns, FIRST_WAVE + 10000);
	/* but it is served first when slots get free */
	assert_int_equal(high->log[0].end_ns, FIRST_WAVE + 10100);
	assert_int_equal(low->log[0].end_ns, FIRST_WAVE + 20100);
}

/* Queues of one priority share free slots, in whatever order they came. */
static void test_equal_share(void **state)
{
	struct fake *f = *state;
	u32 i;

	for (i = 0; i < 4; i++) {
		fake_dispatch(f, &f->q[i], 1000, 4, 1000, true);
		fake_map(f, &f->q[i], 1);
	}
	sim_advance(&f->gpu, 1500);
	sim_advance(&f->gpu, 10500);
	for (i = 0; i < 4; i++)
		assert_int_equal(f->q[i].aql.sim.waves, 80);
	fake_run(f);
	for (i = 0; i < 4; i++)
		assert_int_equal(f->q[i].log[0].executed, 1);
}

/* A save takes its time, and a kernel goes on with what it had left. */
static void test_save_restore(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u64 took, bytes = 80 * 4 * WAVE_BYTES, restored;

	fake_dispatch(f, q, 80, 4, 100000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, FIRST_WAVE + 30000);
	took = fake_unmap(f, q, 1, 500);
	assert_int_equal(took, 500 + 20 + 1000 + bytes);
	assert_int_equal(q->state_bytes, bytes);
	assert_true(q->image_bytes > 0);
	assert_int_equal(f->gpu.free_waves, 320);
	assert_int_equal(f->gpu.nr_queues, 0);
	sim_advance(&f->gpu, f->gpu.now + 1000000);	/* out: its clock stands */
	fake_map(f, q, 1);
	restored = f->gpu.now + 10 + 1000 + bytes;
	fake_run(f);
	assert_int_equal(q->log[0].executed, 1);
	assert_int_equal(q->log[0].saved, 1);
	assert_int_equal(q->log[0].start_ns, FIRST_WAVE);
	assert_int_equal(q->log[0].end_ns, restored + 100000 - 30500);
}

/* The first wave since a queue was mapped is told, once: that of a packet, or what goes on. */
static void test_first_wave(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u64 bytes = 80 * 4 * WAVE_BYTES, restored;

	fake_dispatch(f, q, 80, 4, 100000, true);
	fake_dispatch(f, q, 80, 4, 100000, true);
	fake_map(f, q, 1);
	assert_int_equal(q->firsts, 0);
	sim_advance(&f->gpu, FIRST_WAVE + 30000);
	assert_int_equal(q->firsts, 1);
	assert_int_equal(q->first_at, FIRST_WAVE);
	fake_unmap(f, q, 1, 500);
	fake_map(f, q, 1);
	restored = f->gpu.now + 10 + 1000 + bytes;
	fake_run(f);
	assert_int_equal(q->log[1].executed, 1);
	assert_int_equal(q->firsts, 2);
	assert_int_equal(q->first_at, restored);
}

/* Waves that end within the grace are not saved, and end the wait. */
static void test_grace(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 80, 4, 1000, true);
	fake_dispatch(f, q, 80, 4, 1000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, FIRST_WAVE + 400);
	assert_int_equal(fake_unmap(f, q, 1, 5000), 600 + 20);
	assert_int_equal(q->log[0].executed, 1);
	assert_int_equal(q->image_bytes, 0);
	assert_int_equal(q->aql.read, 1);
	fake_map(f, q, 1);
	fake_run(f);
	assert_int_equal(q->log[1].executed, 1);
	assert_int_equal(q->log[0].saved + q->log[1].saved, 0);
}

/* An endless grace waits for the waves, however long. */
static void test_endless_grace(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 160, 4, 1000000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, FIRST_WAVE);
	assert_int_equal(fake_unmap(f, q, 1, SIM_NEVER), 1000000 + 20);
	/* half of the kernel never began: it is still to be done */
	assert_int_equal(q->log[0].executed, 0);
	fake_map(f, q, 1);
	fake_run(f);
	assert_int_equal(q->log[0].executed, 1);
}

/* Only stopped queues are taken off; the others run on. */
static void test_others_run_on(void **state)
{
	struct fake *f = *state;

	fake_dispatch(f, &f->q[0], 20, 4, 100000, true);
	fake_dispatch(f, &f->q[1], 20, 4, 100000, true);
	fake_map(f, &f->q[0], 1);
	fake_map(f, &f->q[1], 1);
	sim_advance(&f->gpu, 1000);
	fake_unmap(f, &f->q[0], 1, 100);
	assert_int_equal(f->gpu.nr_queues, 1);
	fake_run(f);
	assert_int_equal(f->q[1].log[0].executed, 1);
	assert_int_equal(f->q[1].log[0].end_ns, FIRST_WAVE + 100000);
	assert_int_equal(f->q[0].log[0].executed, 0);
}

/* Nothing to take off costs no time. */
static void test_empty_unmap(void **state)
{
	struct fake *f = *state;

	f->preempted_at = SIM_NEVER;
	sim_preempt(&f->gpu, f->gpu.now, 1000);
	assert_int_equal(f->preempted_at, f->gpu.now);
}

/* More saved waves than there is room for come back as room gets free. */
static void test_restore_into_full_gpu(void **state)
{
	struct fake *f = *state;
	struct fake_queue *a = &f->q[0], *b = &f->q[1];

	fake_dispatch(f, a, 80, 4, 50000, true);
	fake_map(f, a, 1);
	sim_advance(&f->gpu, 10000);
	fake_unmap(f, a, 1, 1);
	fake_dispatch(f, b, 80, 4, 100000, true);
	fake_map(f, b, 1);
	sim_advance(&f->gpu, f->gpu.now + 10000);
	fake_unmap(f, b, 1, 1);
	fake_map(f, a, 1);
	fake_map(f, b, 1);
	fake_run(f);
	assert_int_equal(a->log[0].executed, 1);
	assert_int_equal(b->log[0].executed, 1);
	assert_int_equal(f->gpu.stats.workgroups, 160);
}

/* A scribbled image halts that queue and nothing else. */
static void test_bad_images(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u32 bytes, i, n, halted = 0;
	u8 good[FAKE_SAVE];

	fake_dispatch(f, q, 100, 4, 50000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, 10000);
	fake_unmap(f, q, 1, 1);
	bytes = q->image_bytes;
	memcpy(good, q->image, sizeof(good));
	for (i = 0; i < bytes; i++) {
		for (n = 0; n < 8; n++) {
			memcpy(q->image, good, sizeof(good));
			q->image[i] ^= 1 << n;
			q->image_bytes = bytes;
			q->fault = NULL;
			q->aql.sim.halted = false;
			fake_map(f, q, 1);
			halted += q->fault != NULL;
			assert_true(f->gpu.free_waves <= 320);
			sim_advance(&f->gpu, f->gpu.now + 1000);
			fake_unmap(f, q, 1, 1);
			assert_int_equal(f->gpu.free_waves, 320);
		}
	}
	assert_int_equal(halted, bytes * 8);	/* whichever bit it was */
	sim_gpu_reset(&f->gpu);
}

/* An image is good for the queue it was written for, and for no other. */
static void test_foreign_image(void **state)
{
	struct fake *f = *state;
	struct fake_queue *a = &f->q[0], *b = &f->q[1];

	a->aql.sim.id = 1;
	b->aql.sim.id = 2;
	fake_dispatch(f, a, 100, 4, 50000, true);
	fake_map(f, a, 1);
	sim_advance(&f->gpu, 10000);
	fake_unmap(f, a, 1, 1);
	memcpy(b->image, a->image, sizeof(b->image));
	b->image_bytes = a->image_bytes;
	fake_map(f, b, 1);
	assert_string_equal(b->fault, "save area");
	fake_map(f, a, 1);
	assert_null(a->fault);
	fake_run(f);
	assert_int_equal(a->completed, 1);
	assert_int_equal(b->completed, 0);
}

/* A queue that is dropped leaves no state, and others continue. */
static void test_drop(void **state)
{
	struct fake *f = *state;
	struct fake_queue *a = &f->q[0], *b = &f->q[1];

	fake_dispatch(f, a, 40, 4, 50000, true);
	fake_dispatch(f, b, 20, 4, 50000, true);
	fake_map(f, a, 1);
	fake_map(f, b, 1);
	sim_advance(&f->gpu, 20000);
	sim_queue_drop(&f->gpu, &a->aql.sim);
	assert_int_equal(a->aql.sim.state, SIM_QUEUE_OFF);
	assert_int_equal(f->gpu.nr_queues, 1);
	assert_int_equal(f->gpu.free_waves, 320 - 20 * 4);
	assert_int_equal(a->image_bytes, 0);
	fake_run(f);
	assert_int_equal(a->completed, 0);
	assert_int_equal(b->completed, 1);
	assert_int_equal(f->gpu.free_waves, 320);
}

/* Preempted at random moments, each kernel still runs once and in order. */
static void test_exactly_once(void **state)
{
	struct fake *f = *state;
	u32 i, k, n, saves = 0;
	u64 seed = 1;

	f->profile.save_bytes_per_us = 100000000;	/* be back soon */
	for (i = 0; i < 3; i++) {
		for (k = 0; k < FAKE_PACKETS; k++)
			fake_dispatch(f, &f->q[i], 1 + (k * 37 + i * 11) % 200, 1 + k % 8,
				      5000 + k * 130, true);
		fake_map(f, &f->q[i], i);
	}
	for (n = 0; n < 5000; n++) {
		sim_advance(&f->gpu, f->gpu.now + fake_random(&seed, 3000));
		if (f->gpu.nr_queues) {
			fake_unmap(f, f->q, 3, fake_random(&seed, 2000));
			continue;
		}
		for (i = 0; i < 3; i++)
			fake_map(f, &f->q[i], i);
	}
	if (!f->gpu.nr_queues)
		for (i = 0; i < 3; i++)
			fake_map(f, &f->q[i], i);
	fake_run(f);
	for (i = 0; i < 3; i++) {
		fake_assert_exactly_once(f, &f->q[i]);
		for (k = 0; k < FAKE_PACKETS; k++)
			saves += f->q[i].log[k].saved;
	}
	assert_true(saves > 500);
	assert_int_equal(f->gpu.free_waves, 320);
	assert_int_equal(f->gpu.free[0].lds, 10 * 65536);
}

/* The same calls give the same times: there is no hidden state. */
static void test_late_caller(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u32 i;

	for (i = 0; i < 10; i++)
		fake_dispatch(f, q, 100, 4, 1000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, 1000000);	/* one late call instead of many */
	for (i = 0; i < 10; i++)
		assert_int_equal(q->log[i].end_ns, FIRST_WAVE + 2000 + i * 2100);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one_dispatch),
		TEST(test_rounds),
		TEST(test_capacity),
		TEST(test_full_occupancy_bytes),
		TEST(test_barrier_bit),
		TEST(test_blocked),
		TEST(test_priority_does_not_preempt),
		TEST(test_equal_share),
		TEST(test_save_restore),
		TEST(test_first_wave),
		TEST(test_grace),
		TEST(test_endless_grace),
		TEST(test_others_run_on),
		TEST(test_empty_unmap),
		TEST(test_restore_into_full_gpu),
		TEST(test_bad_images),
		TEST(test_foreign_image),
		TEST(test_drop),
		TEST(test_exactly_once),
		TEST(test_late_caller),
	};

	return RUN(tests);
}
