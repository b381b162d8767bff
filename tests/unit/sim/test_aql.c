// SPDX-License-Identifier: MIT
/* AQL packets and signals, and synthetic kernels, in the process's memory. */
#include "fake.h"

static u64 va(const void *p)
{
	return (uintptr_t)p;
}

static void map_and_run(struct fake *f, struct fake_queue *q)
{
	fake_map(f, q, 1);
	fake_run(f);
}

/* A completed packet: invalid header, index moved, signal with time and event. */
static void test_completion(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	f->signal[0].value = 3;
	f->signal[0].mailbox = va(&f->mailbox);
	f->signal[0].event = 77;
	fake_dispatch(f, q, 2, 4, 5000, true);
	q->ring[0].signal = va(&f->signal[0]);
	map_and_run(f, q);
	assert_int_equal(q->ring[0].header & 0xff, SIM_AQL_INVALID);
	assert_int_equal(q->rptr, 1);
	assert_int_equal(f->signal[0].value, 2);
	assert_int_equal(f->signal[0].start, 110 / 10);
	assert_int_equal(f->signal[0].end, 5110 / 10);
	assert_int_equal(f->mailbox, 77);
	assert_int_equal(q->events, 1);
	fake_assert_exactly_once(f, q);
}

/* A signal without a mailbox raises no interrupt. */
static void test_no_mailbox(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_packet(q, SIM_AQL_BARRIER_AND)->signal = va(&f->signal[0]);
	map_and_run(f, q);
	assert_int_equal(f->signal[0].value, -1);
	assert_int_equal(q->events, 0);
}

/* Barrier-AND waits for all of its signals. */
static void test_barrier_and(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	struct sim_aql_packet *p = fake_packet(q, SIM_AQL_BARRIER_AND);

	p->barrier.dependency[0] = va(&f->signal[0]);
	p->barrier.dependency[4] = va(&f->signal[1]);
	f->signal[0].value = 1;
	f->signal[1].value = 1;
	map_and_run(f, q);
	f->signal[0].value = 0;
	sim_retry_blocked(&f->gpu);
	fake_run(f);
	assert_int_equal(q->rptr, 0);
	f->signal[1].value = 0;
	sim_retry_blocked(&f->gpu);
	fake_run(f);
	assert_int_equal(q->rptr, 1);
}

/* Barrier-OR waits for one of them. */
static void test_barrier_or(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	struct sim_aql_packet *p = fake_packet(q, SIM_AQL_BARRIER_OR);

	p->barrier.dependency[0] = va(&f->signal[0]);
	p->barrier.dependency[4] = va(&f->signal[1]);
	f->signal[0].value = 1;
	f->signal[1].value = 1;
	map_and_run(f, q);
	assert_int_equal(q->rptr, 0);
	f->signal[1].value = 0;
	sim_retry_blocked(&f->gpu);
	fake_run(f);
	assert_int_equal(q->rptr, 1);
}

/* A completion unblocks the queue that waits for its signal, at that instant. */
static void test_queue_waits_for_queue(void **state)
{
	struct fake *f = *state;
	struct fake_queue *a = &f->q[0], *b = &f->q[1];

	f->signal[0].value = 1;
	fake_packet(a, SIM_AQL_BARRIER_AND)->barrier.dependency[0] = va(&f->signal[0]);
	fake_dispatch(f, b, 1, 1, 5000, true);
	b->ring[0].signal = va(&f->signal[0]);
	fake_map(f, a, 1);
	fake_map(f, b, 1);
	sim_advance(&f->gpu, 5110);
	assert_int_equal(a->rptr, 0);
	sim_advance(&f->gpu, 5210);
	assert_int_equal(a->rptr, 1);
}

struct value_case {
	u32 condition;
	s64 signal;
	bool met;
};

/* Barrier-value compares (signal & mask) in four ways. */
static void test_barrier_value(void **state)
{
	static const struct value_case cases[] = {
		{ SIM_AQL_EQ, 0x105, true }, { SIM_AQL_EQ, 0x106, false },
		{ SIM_AQL_NE, 0x105, false }, { SIM_AQL_NE, 0x104, true },
		{ SIM_AQL_LT, 0x104, true }, { SIM_AQL_LT, 0x105, false },
		{ SIM_AQL_GTE, 0x105, true }, { SIM_AQL_GTE, 0x104, false },
	};
	struct fake *f = *state;
	struct sim_aql_packet *p;
	struct fake_queue *q;
	u32 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		q = &f->q[i];
		p = fake_packet(q, SIM_AQL_VENDOR);
		p->setup = SIM_AQL_BARRIER_VALUE;
		p->barrier_value.dependency = va(&f->signal[i]);
		p->barrier_value.value = 5;
		p->barrier_value.mask = 0xff;
		p->barrier_value.condition = cases[i].condition;
		f->signal[i].value = cases[i].signal;
		map_and_run(f, q);
		assert_int_equal(q->rptr, cases[i].met);
		assert_null(q->fault);
	}
}

/* The vendor's packet with a PM4 buffer completes, and does nothing else. */
static void test_pm4_ib(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	struct sim_aql_packet *p = fake_packet(q, SIM_AQL_VENDOR);

	p->setup = SIM_AQL_PM4_IB;
	p->signal = va(&f->signal[0]);
	map_and_run(f, q);
	assert_int_equal(q->rptr, 1);
	assert_int_equal(f->signal[0].value, -1);
}

/* A packet that is reserved and not written yet stops nothing but its queue. */
static void test_invalid_packet(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_dispatch(f, q, 1, 1, 10, true);
	q->ring[0].header = SIM_AQL_INVALID;
	map_and_run(f, q);
	assert_int_equal(q->rptr, 0);
	assert_null(q->fault);
	q->ring[0].header = SIM_AQL_DISPATCH | SIM_AQL_BARRIER_BIT;
	sim_queue_ring(&q->aql.sim);
	fake_run(f);
	fake_assert_exactly_once(f, q);
}

static void assert_refused(struct fake *f, u32 n, const char *blame)
{
	struct fake_queue *q = &f->q[n];
	u64 bad = f->gpu.stats.bad_packets;

	map_and_run(f, q);
	assert_non_null(q->fault);
	assert_string_equal(q->blame, blame);
	assert_int_equal(f->gpu.stats.bad_packets, bad + 1);
	assert_int_equal(q->rptr, 0);
}

/* What is unknown, or makes no sense, halts the queue and is counted. */
static void test_refusals(void **state)
{
	struct fake *f = *state;
	struct sim_aql_packet *p;
	u32 n = 0;

	fake_packet(&f->q[n], 4);	/* agent dispatch: not for a GPU */
	assert_refused(f, n++, "unknown type");
	fake_packet(&f->q[n], 200);
	assert_refused(f, n++, "unknown type");
	fake_packet(&f->q[n], SIM_AQL_VENDOR)->setup = 9;
	assert_refused(f, n++, "unknown vendor packet");
	p = fake_packet(&f->q[n], SIM_AQL_VENDOR);
	p->setup = SIM_AQL_BARRIER_VALUE;
	p->barrier_value.condition = 4;
	p->barrier_value.dependency = va(&f->signal[0]);
	assert_refused(f, n++, "barrier condition");
	fake_dispatch(f, &f->q[n], 1, 1, 10, true);
	f->q[n].code.magic++;
	assert_refused(f, n++, "unknown kernel");
	fake_dispatch(f, &f->q[n], 1, 1, 10, true);
	f->q[n].code.kind = 3;
	assert_refused(f, n++, "unknown kernel");
	fake_dispatch(f, &f->q[n], 1, 1, 10, true);
	f->q[n].args[0].spin.spread = 1001;
	assert_refused(f, n++, "unknown kernel");
	fake_dispatch(f, &f->q[n], 1, 1, SIM_MAX_WORKGROUP_NS + 1, true);
	assert_refused(f, n++, "unknown kernel");
	fake_dispatch(f, &f->q[n], 1, 17, 10, true);
	assert_refused(f, n++, "grid too large, dimension");
	p = &f->q[n].ring[0];
	fake_dispatch(f, &f->q[n], 1, 1, 10, true);
	p->dispatch.grid[0] = 0xffffffff;
	p->dispatch.grid[1] = 0xffffffff;
	assert_refused(f, n++, "grid too large, dimension");
}

/* Memory that is not there halts the queue, whatever wanted to touch it. */
static void test_memory_faults(void **state)
{
	struct fake *f = *state;
	u64 nowhere = va(f + 1) + 4096;
	struct fake_queue *q = f->q;
	u32 n;

	fake_packet(&q[0], SIM_AQL_BARRIER_AND)->barrier.dependency[0] = nowhere;
	fake_packet(&q[1], SIM_AQL_BARRIER_AND)->signal = nowhere;
	fake_dispatch(f, &q[2], 1, 1, 10, true);
	q[2].ring[0].dispatch.code = nowhere;
	fake_dispatch(f, &q[3], 1, 1, 10, true);
	q[3].ring[0].dispatch.args = nowhere;
	fake_dispatch(f, &q[4], 1, 1, 10, true);
	q[4].args[0].spin.log = nowhere;
	fake_dispatch(f, &q[5], 1, 1, 10, true);
	q[5].args[0].counters = nowhere;
	fake_dispatch(f, &q[6], 1, 1, 10, true);
	q[6].args[0].spin.ticket = nowhere;
	fake_packet(&q[7], SIM_AQL_BARRIER_AND);
	q[7].aql.ring = nowhere & ~4095ULL;
	fake_packet(&q[8], SIM_AQL_BARRIER_AND);
	q[8].aql.rptr_va = nowhere;
	fake_packet(&q[9], SIM_AQL_BARRIER_AND)->signal = va(&f->signal[0]) + 4;
	for (n = 0; n < 10; n++) {
		map_and_run(f, &q[n]);
		assert_non_null(q[n].fault);
	}
	assert_int_equal(f->gpu.free_waves, 320);
}

/* A halted queue stays halted when it is taken off and mapped again. */
static void test_halted_stays(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	fake_packet(q, 200);
	map_and_run(f, q);
	assert_true(q->aql.sim.halted);
	fake_unmap(f, q, 1, 0);
	q->ring[0].header = SIM_AQL_BARRIER_AND;
	q->fault = NULL;
	map_and_run(f, q);
	assert_int_equal(q->aql.sim.state, SIM_QUEUE_FAULTED);
	assert_int_equal(q->rptr, 0);
	assert_null(q->fault);		/* that was said already */
}

/* An MQD that makes no sense, or a save area a full GPU would overrun. */
static void test_check(void **state)
{
	struct fake *f = *state;
	struct sim_aql q = f->q[0].aql;
	u64 need = sim_save_bytes(&f->profile) / f->profile.xccs;

	q.sim.save_bytes = need;
	assert_null(sim_aql_check(&q, &f->profile));
	q.sim.save_bytes = need - 1;
	assert_string_equal(sim_aql_check(&q, &f->profile), "save area");
	q.sim.save_bytes = need;
	q.ring = 0;
	assert_string_equal(sim_aql_check(&q, &f->profile), "ring address");
	q.ring = 0x10080;
	assert_string_equal(sim_aql_check(&q, &f->profile), "ring address");
	q.ring = 0x10000;
	q.packets = 12;
	assert_string_equal(sim_aql_check(&q, &f->profile), "ring size");
	q.packets = 0;
	assert_string_equal(sim_aql_check(&q, &f->profile), "ring size");
	q.packets = 16;
	q.rptr_va = 0;
	assert_string_equal(sim_aql_check(&q, &f->profile), "read index address");
	q.rptr_va = 8;
	q.wptr_va = 4;
	assert_string_equal(sim_aql_check(&q, &f->profile), "write index address");
}

/* The MQD's 32-bit dword index becomes the index of a packet again. */
static void test_load_read(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	q->aql.sim.gpu = &f->gpu;
	q->wptr = 0x123456789aULL;
	assert_true(sim_aql_load_read(&q->aql, (u32)((q->wptr - 7) * 16)));
	assert_int_equal(q->aql.read, q->wptr - 7);
	assert_true(sim_aql_load_read(&q->aql, (u32)(q->wptr * 16)));
	assert_int_equal(q->aql.read, q->wptr);
}

/* With a spread workgroups end at different times, but always at the same. */
static void test_spread(void **state)
{
	struct fake *f = *state;
	struct fake_queue *a = &f->q[0], *b = &f->q[1];
	u64 took;

	fake_dispatch(f, a, 400, 4, 100000, true);	/* five rounds */
	a->args[0].spin.spread = 300;
	map_and_run(f, a);
	took = a->log[0].end_ns - a->log[0].start_ns;
	assert_in_range(took, 350000, 650000);
	assert_int_not_equal(took, 500000);
	fake_assert_exactly_once(f, a);
	fake_dispatch(f, b, 400, 4, 100000, true);
	b->args[0].spin.spread = 300;
	map_and_run(f, b);
	assert_int_equal(b->log[0].end_ns - b->log[0].start_ns, took);
}

/* Across a save each workgroup ends once, in its own time. */
static void test_spread_saved(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];
	u32 i;

	fake_dispatch(f, q, 500, 4, 100000, true);
	q->args[0].spin.spread = 1000;
	fake_map(f, q, 1);
	for (i = 0; i < 12; i++) {
		sim_advance(&f->gpu, f->gpu.now + 37000);
		fake_unmap(f, q, 1, 1000);
		fake_map(f, q, 1);
		sim_advance(&f->gpu, q->aql.sim.ready_at);
	}
	assert_true(q->log[0].executed == 0);
	fake_run(f);
	assert_true(q->log[0].saved >= 5);
	fake_assert_exactly_once(f, q);
}

/* A queue with a mask of compute units keeps to its share. */
static void test_cu_mask(void **state)
{
	struct fake *f = *state;
	struct fake_queue *q = &f->q[0];

	q->aql.sim.cus = 3;
	fake_dispatch(f, q, 80, 4, 1000, true);
	fake_map(f, q, 1);
	sim_advance(&f->gpu, 110);
	assert_int_equal(q->aql.sim.waves, 3 * 32);
	fake_run(f);
	assert_int_equal(q->log[0].end_ns, 110 + 4000);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_completion),
		TEST(test_no_mailbox),
		TEST(test_barrier_and),
		TEST(test_barrier_or),
		TEST(test_queue_waits_for_queue),
		TEST(test_barrier_value),
		TEST(test_pm4_ib),
		TEST(test_invalid_packet),
		TEST(test_refusals),
		TEST(test_memory_faults),
		TEST(test_halted_stays),
		TEST(test_check),
		TEST(test_load_read),
		TEST(test_spread),
		TEST(test_spread_saved),
		TEST(test_cu_mask),
	};

	return RUN(tests);
}
