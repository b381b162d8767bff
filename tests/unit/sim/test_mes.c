// SPDX-License-Identifier: MIT
/*
 * MES by itself: which calls are accepted, their costs, which queues have slots.
 *
 * The profile of fake.c with 4 slots and 2 VMIDs, a call takes 50 ns, the
 * process quantum is 100 us and that of a gang 10 us.
 */
#include <stdlib.h>

#include "fake.h"
#include "firmware/mes.h"

#define CALL_NS		50
#define MAP_NS		10
#define UNMAP_NS	20
#define WAVE_BYTES	(64 * 256 + 640)
#define GANG_NS		10000
#define PROCESS_NS	100000
#define NOT_YET		(-1)

/**
 * struct rig - a GPU with MES
 * @f: the GPU and its queues
 * @mes: the firmware
 * @q: what MES knows of them
 * @status: answer to the last call, NOT_YET
 * @answered_at: when it came
 * @gone: queues given back
 * @maps: times a queue was put into a slot
 */
struct rig {
	struct fake *f;
	struct sim_mes mes;
	struct sim_mes_queue q[FAKE_QUEUES];
	int status;
	u64 answered_at;
	u32 gone;
	u32 maps;
};

static struct rig *rig;

static struct fake_queue *fake_of(const struct sim_mes_queue *q)
{
	return &rig->f->q[q - rig->q];
}

static enum sim_mes_status check(void *owner, struct sim_mes_queue *q)
{
	(void)owner;
	if (!fake_of(q)->aql.ring)
		return SIM_MES_BAD_MQD;
	return q->doorbell < 1000 ? SIM_MES_BAD_DOORBELL : SIM_MES_OK;
}

static struct sim_queue *map(void *owner, struct sim_mes_queue *q, u64 t)
{
	struct fake_queue *fq = fake_of(q);

	(void)owner;
	fq->aql.sim.priority = sim_mes_launch_priority(q->level, 1);
	if (sim_queue_map(&rig->f->gpu, &fq->aql.sim, t, fq->image_bytes) == SIM_NEVER)
		return NULL;
	fq->image_bytes = 0;
	rig->maps++;
	return &fq->aql.sim;
}

static bool work(void *owner, struct sim_mes_queue *q)
{
	struct fake_queue *fq = fake_of(q);

	(void)owner;
	return fq->image_bytes || fq->rptr != fq->wptr;
}

static void answer(void *owner, enum sim_mes_status status, u64 t)
{
	(void)owner;
	rig->status = status;
	rig->answered_at = t;
}

static void gone(void *owner, struct sim_mes_queue *q)
{
	(void)owner;
	(void)q;
	rig->gone++;
}

static const struct sim_mes_ops ops = {
	.check = check,
	.map = map,
	.work = work,
	.answer = answer,
	.gone = gone,
};

static void forward(struct fake *f, u64 t)
{
	(void)f;
	sim_mes_preempted(&rig->mes, t);
}

static int setup(void **state)
{
	struct sim_profile *p;
	u32 i;

	rig = calloc(1, sizeof(*rig));
	assert_non_null(rig);
	fake_setup((void **)&rig->f);
	p = &rig->f->profile;
	p->hqds = 4;
	p->vmids = 2;
	p->hiq_packet_ns = CALL_NS;
	p->process_quantum_ns = PROCESS_NS;
	p->queue_quantum_ns = GANG_NS;
	rig->f->forward = forward;
	sim_mes_init(&rig->mes, &rig->f->gpu, &ops, NULL, 8);
	for (i = 0; i < FAKE_QUEUES; i++) {
		rig->q[i].process = 1;
		rig->q[i].gang = 100 + i;
		rig->q[i].doorbell = 1000 + i;
		rig->q[i].level = SIM_MES_NORMAL;
	}
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_teardown((void **)&rig->f);
	free(rig);
	return 0;
}

/* Everything up to and at @t. */
static void run(u64 t)
{
	struct sim_gpu *gpu = &rig->f->gpu;
	u64 next;

	for (;;) {
		next = sim_next_event(gpu);
		if (sim_mes_next_event(&rig->mes) < next)
			next = sim_mes_next_event(&rig->mes);
		if (next > t)
			break;
		sim_advance(gpu, next > gpu->now ? next : gpu->now);
		sim_mes_step(&rig->mes, gpu->now);
	}
	sim_advance(gpu, t);
}

/* Make a call and wait for the answer; returns how long it took. */
static u64 call(const struct sim_mes_call *c, int want)
{
	u64 begin = rig->f->gpu.now;

	assert_true(sim_mes_ready(&rig->mes));
	rig->status = NOT_YET;
	sim_mes_call(&rig->mes, c, begin);
	while (rig->status == NOT_YET) {
		u64 next = sim_next_event(&rig->f->gpu);

		if (sim_mes_next_event(&rig->mes) < next)
			next = sim_mes_next_event(&rig->mes);
		assert_true(next != SIM_NEVER);
		run(next);
	}
	assert_int_equal(rig->status, want);
	return rig->answered_at - begin;
}

static u64 add(u32 i, int want)
{
	return call(&(struct sim_mes_call){ SIM_MES_ADD, .add = &rig->q[i] }, want);
}

static u64 take_away(u32 i, int want)
{
	return call(&(struct sim_mes_call){ SIM_MES_REMOVE, .doorbell = 1000 + i,
					    .gang = 100 + i }, want);
}

static u64 suspend(u64 gang, int want)
{
	return call(&(struct sim_mes_call){ SIM_MES_SUSPEND, .gang = gang,
					    .all = !gang }, want);
}

static u64 resume(u64 gang, int want)
{
	return call(&(struct sim_mes_call){ SIM_MES_RESUME, .gang = gang,
					    .all = !gang }, want);
}

static bool mapped(u32 i)
{
	return rig->q[i].entry.queue;
}

static u32 count_mapped(u32 from, u32 to)
{
	u32 n = 0;

	for (; from < to; from++)
		n += mapped(from);
	return n;
}

/* A kernel of one workgroup with four waves. */
static void give_work(u32 i, u64 ns)
{
	fake_dispatch(rig->f, &rig->f->q[i], 1, 4, ns, true);
}

/* ---- calls ---- */

/* Added, a queue runs; removed, its waves are saved and it runs no more. */
static void test_add_remove(void **state)
{
	struct fake_queue *q = &rig->f->q[0];

	(void)state;
	give_work(0, 5000);
	assert_int_equal(add(0, SIM_MES_OK), CALL_NS + MAP_NS);
	assert_true(mapped(0));
	run(1000);
	assert_int_equal(q->aql.sim.waves, 4);
	/* the formula of a context save: fixed part, bytes, dequeue */
	assert_int_equal(take_away(0, SIM_MES_OK),
			 CALL_NS + UNMAP_NS + 1000 + 4 * WAVE_BYTES);
	assert_false(mapped(0));
	assert_int_equal(rig->gone, 1);
	assert_true(q->image_bytes);
	run(10000000);
	assert_int_equal(q->log[0].executed, 0);
	add(0, SIM_MES_OK);
	run(20000000);
	assert_int_equal(q->log[0].executed, 1);
	assert_int_equal(q->log[0].saved, 1);
	assert_int_equal(rig->mes.stats.calls[SIM_MES_ADD], 2);
	assert_int_equal(rig->mes.stats.calls[SIM_MES_REMOVE], 1);
	assert_int_equal(rig->mes.stats.errors, 0);
}

/* An answer does not wait until the waves of the queue are back. */
static void test_add_does_not_wait_for_waves(void **state)
{
	(void)state;
	give_work(0, 5000);
	add(0, SIM_MES_OK);
	run(1000);
	take_away(0, SIM_MES_OK);
	assert_int_equal(add(0, SIM_MES_OK), CALL_NS + MAP_NS);
	assert_int_equal(rig->f->q[0].aql.sim.state, SIM_QUEUE_LOADING);
	assert_true(rig->f->q[0].aql.sim.ready_at > rig->answered_at + 4 * WAVE_BYTES);
}

/* Waves of several queues share the bandwidth on their way back. */
static void test_restores_share_bandwidth(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		give_work(i, 5000);
		add(i, SIM_MES_OK);
	}
	run(1000);
	suspend(0, SIM_MES_OK);
	resume(100, SIM_MES_OK);
	resume(101, SIM_MES_OK);
	assert_true(rig->f->q[1].aql.sim.ready_at >=
		    rig->f->q[0].aql.sim.ready_at + 1000 + 4 * WAVE_BYTES);
}

/* A queue that is not in a slot is removed for the price of the call. */
static void test_remove_unmapped(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 5; i++)
		add(i, SIM_MES_OK);
	assert_false(mapped(4));
	assert_int_equal(take_away(4, SIM_MES_OK), CALL_NS);
	assert_int_equal(count_mapped(0, 4), 4);
}

/* What makes no sense is refused, and changes nothing. */
static void test_refusals(void **state)
{
	(void)state;
	take_away(0, SIM_MES_UNKNOWN);
	suspend(100, SIM_MES_UNKNOWN);
	resume(100, SIM_MES_UNKNOWN);
	add(0, SIM_MES_OK);

	rig->q[1].doorbell = 1000;
	add(1, SIM_MES_DUPLICATE);
	rig->q[1].doorbell = 7;
	add(1, SIM_MES_BAD_DOORBELL);
	rig->q[1].doorbell = 1001;
	rig->f->q[1].aql.ring = 0;
	add(1, SIM_MES_BAD_MQD);
	rig->f->q[1].aql.ring = (uintptr_t)rig->f->q[1].ring;
	rig->q[1].level = SIM_MES_LEVELS;
	add(1, SIM_MES_BAD_PRIORITY);
	rig->q[1].level = SIM_MES_NORMAL;
	rig->q[1].entry.pool = SIM_POOLS;
	add(1, SIM_MES_BAD_TYPE);
	rig->q[1].entry.pool = 0;
	rig->q[1].gang = 0;
	add(1, SIM_MES_BAD_GANG);
	rig->q[1].gang = 100;	/* the gang of process 1 */
	rig->q[1].process = 2;
	add(1, SIM_MES_BAD_GANG);
	call(&(struct sim_mes_call){ .op = SIM_MES_OPS }, SIM_MES_BAD_CALL);
	call(&(struct sim_mes_call){ SIM_MES_REMOVE, .doorbell = 1000, .gang = 101 },
	     SIM_MES_UNKNOWN);

	assert_int_equal(rig->mes.stats.errors, 12);
	assert_int_equal(rig->gone, 7);	/* each refused ADD gives its queue back */
	assert_int_equal(rig->mes.nr_queues, 1);
	assert_true(mapped(0));
	rig->q[1].gang = 101;
	add(1, SIM_MES_OK);
}

/* More queues than there is room for. */
static void test_full(void **state)
{
	static struct sim_mes_queue many[SIM_MES_QUEUES + 1];
	u32 i;

	(void)state;
	for (i = 0; i <= SIM_MES_QUEUES; i++) {
		many[i].process = 1;
		many[i].gang = 5000 + i;
		many[i].doorbell = 5000 + i;
		/* not backed by a fake queue: only the list is looked at */
		rig->mes.queues[i % SIM_MES_QUEUES] = &many[i];
	}
	rig->mes.nr_queues = SIM_MES_QUEUES;
	add(0, SIM_MES_FULL);
	rig->mes.nr_queues = 0;
	add(0, SIM_MES_OK);
}

/* One gang or all are suspended and come back; each at its price. */
static void test_suspend_resume(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) {
		give_work(i, 5000);
		add(i, SIM_MES_OK);
	}
	run(1000);
	assert_int_equal(suspend(101, SIM_MES_OK),
			 CALL_NS + UNMAP_NS + 1000 + 4 * WAVE_BYTES);
	assert_true(mapped(0) && !mapped(1) && mapped(2));
	give_work(0, 5000);
	assert_int_equal(suspend(101, SIM_MES_OK), CALL_NS);	/* it is */
	suspend(0, SIM_MES_OK);
	assert_int_equal(count_mapped(0, 3), 0);
	add(3, SIM_MES_OK);
	assert_true(mapped(3));		/* it was not there yet */
	assert_int_equal(resume(101, SIM_MES_OK), CALL_NS + MAP_NS);
	assert_true(!mapped(0) && mapped(1) && !mapped(2));
	assert_int_equal(resume(0, SIM_MES_OK), CALL_NS + 2 * MAP_NS);
	assert_int_equal(count_mapped(0, 4), 4);
	run(10000000);
	for (i = 0; i < 3; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
}

/* A call that comes while a quantum ends waits until that is over. */
static void test_call_during_rotation(void **state)
{
	u64 t, before;
	u32 i;

	(void)state;
	for (i = 0; i < 5; i++) {
		give_work(i, 50 * GANG_NS);
		add(i, SIM_MES_OK);
	}
	while (rig->f->gpu.preempt == SIM_PREEMPT_NONE) {
		t = sim_next_event(&rig->f->gpu);
		run(sim_mes_next_event(&rig->mes) < t ?
		    sim_mes_next_event(&rig->mes) : t);
	}
	before = rig->f->gpu.stats.preemptions;
	assert_true(take_away(0, SIM_MES_OK) > CALL_NS + UNMAP_NS);
	assert_int_equal(rig->f->gpu.stats.preemptions, before + 2);
	assert_int_equal(rig->mes.stats.parked, 0);	/* all of them have work */
	run(100000000);
	for (i = 1; i < 5; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
	assert_int_equal(rig->f->q[0].log[0].executed, 0);
}

/* ---- slots ---- */

/* More gangs of a process than slots: each gets its turn. */
static void test_gang_quantum(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 6; i++) {
		give_work(i, 5 * GANG_NS);
		add(i, SIM_MES_OK);
	}
	assert_int_equal(count_mapped(0, 6), 4);
	run(100 * GANG_NS);
	for (i = 0; i < 6; i++) {
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
		assert_true(rig->f->q[i].log[0].end_ns > 5 * GANG_NS);
	}
	assert_true(rig->mes.sched.stats.queue_turns > 0);
	/* four at a time, so six of five quanta need at least seven and a half */
	assert_true(rig->f->q[5].log[0].end_ns > 7 * GANG_NS);
}

/* More processes than VMIDs: each gets its turn, not before its quantum. */
static void test_process_quantum(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 3; i++) {
		rig->q[i].process = 10 + i;
		give_work(i, 3 * PROCESS_NS);
		add(i, SIM_MES_OK);
	}
	assert_true(mapped(0) && mapped(1) && !mapped(2));
	run(PROCESS_NS - 10 * GANG_NS / 2);
	assert_true(mapped(0) && mapped(1) && !mapped(2));
	run(PROCESS_NS + 30 * GANG_NS);
	assert_true(mapped(2));
	run(50 * PROCESS_NS);
	for (i = 0; i < 3; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
	assert_true(rig->mes.sched.stats.process_turns > 0);
}

/* A higher level takes slots from a lower one at once, and keeps them. */
static void test_levels(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 4; i++) {
		rig->q[i].level = SIM_MES_LOW;
		give_work(i, 20 * PROCESS_NS);
		add(i, SIM_MES_OK);
	}
	run(GANG_NS / 2);
	rig->q[4].process = 2;
	rig->q[4].level = SIM_MES_REALTIME;
	give_work(4, 20 * PROCESS_NS);
	assert_true(add(4, SIM_MES_OK) > CALL_NS + UNMAP_NS + 4 * WAVE_BYTES);
	assert_true(mapped(4));
	assert_int_equal(count_mapped(0, 4), 3);
	for (i = 1; i < 20; i++) {
		run(i * PROCESS_NS);
		assert_true(mapped(4));
	}
	assert_int_equal(rig->f->q[4].log[0].saved, 0);
	run(200 * PROCESS_NS);
	for (i = 0; i < 5; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
	assert_int_equal(rig->f->q[4].log[0].saved, 0);
}

/* Order of waves among mapped queues: level first, then pipe priority. */
static void test_level_launches_first(void **state)
{
	static const u32 level[] = {
		SIM_MES_LOW, SIM_MES_HIGH, SIM_MES_NORMAL, SIM_MES_REALTIME,
	};
	u32 i;

	(void)state;
	rig->f->profile.vmids = 4;
	sim_mes_init(&rig->mes, &rig->f->gpu, &ops, NULL, 8);
	give_work(0, 1);
	/* the first one fills the GPU, the others wait for it */
	for (i = 0; i < 4; i++) {
		rig->q[i].process = 1 + i;
		rig->q[i].level = level[i];
		fake_dispatch(rig->f, &rig->f->q[i], 80, 4, 10000, true);
		add(i, SIM_MES_OK);
		run(rig->f->gpu.now + 1000);
	}
	run(1000000);
	assert_true(rig->f->q[3].log[0].start_ns < rig->f->q[1].log[0].start_ns);
	assert_true(rig->f->q[1].log[0].start_ns < rig->f->q[2].log[0].start_ns);
	assert_true(sim_mes_launch_priority(SIM_MES_NORMAL, 0) >
		    sim_mes_launch_priority(SIM_MES_LOW, 2));
	assert_true(sim_mes_launch_priority(SIM_MES_REALTIME, 2) < SIM_PRIORITIES);
}

/* Inside a process the gang with the higher priority keeps its slot. */
static void test_gang_priority(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 6; i++) {
		rig->q[i].priority = i == 2 ? 15 : 7;
		give_work(i, 20 * GANG_NS);
		add(i, SIM_MES_OK);
	}
	for (i = 1; i < 20; i++) {
		run(i * GANG_NS);
		assert_true(mapped(2));
	}
	run(500 * GANG_NS);
	assert_int_equal(rig->f->q[2].log[0].saved, 0);
	for (i = 0; i < 6; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
}

/* A queue without work gives way, whatever its level, until it has some. */
static void test_idle_is_parked(void **state)
{
	u64 rung;
	u32 i;

	(void)state;
	for (i = 0; i < 5; i++) {
		rig->q[i].process = i < 4 ? 1 : 2;
		rig->q[i].level = i < 4 ? SIM_MES_HIGH : SIM_MES_LOW;
		add(i, SIM_MES_OK);
	}
	run(3 * GANG_NS);
	assert_int_equal(count_mapped(0, 4), 4);	/* none has work: none moves */
	assert_int_equal(rig->maps, 4);
	give_work(4, 30 * GANG_NS);
	run(5 * GANG_NS);
	assert_true(mapped(4));
	assert_int_equal(rig->f->q[4].aql.sim.waves, 4);

	rung = rig->f->gpu.now;
	give_work(1, 1000);
	run(rung + 3 * GANG_NS);
	assert_true(rig->f->q[1].log[0].executed);
	run(rung + 100 * GANG_NS);
	fake_assert_exactly_once(rig->f, &rig->f->q[4]);
	assert_true(rig->mes.stats.parked > 0);
}

/* Nothing wakes the firmware while everybody has a slot. */
static void test_no_ticks(void **state)
{
	(void)state;
	add(0, SIM_MES_OK);
	add(1, SIM_MES_OK);
	run(1000);
	assert_true(sim_mes_next_event(&rig->mes) == SIM_NEVER);
	suspend(100, SIM_MES_OK);
	run(5000);
	assert_true(sim_mes_next_event(&rig->mes) == SIM_NEVER);
}

/* ---- faults ---- */

/* A failed call changes nothing; the next one is answered. */
static void test_fail(void **state)
{
	(void)state;
	rig->mes.fault = (struct sim_mes_fault){ SIM_MES_ADD, 1001, .fail = 1 };
	add(0, SIM_MES_OK);
	assert_int_equal(add(1, SIM_MES_INJECTED), CALL_NS);
	assert_false(mapped(1));
	assert_int_equal(rig->gone, 1);
	add(1, SIM_MES_OK);
	rig->mes.fault = (struct sim_mes_fault){ SIM_MES_OPS, 0, .fail = 2 };
	take_away(0, SIM_MES_INJECTED);
	suspend(0, SIM_MES_INJECTED);
	assert_true(mapped(0) && mapped(1));
	take_away(0, SIM_MES_OK);
}

/* A call that is never answered ends the firmware, not the waves; a reset heals. */
static void test_hang(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 5; i++) {
		give_work(i, 5 * GANG_NS);
		add(i, SIM_MES_OK);
	}
	rig->mes.fault = (struct sim_mes_fault){ SIM_MES_REMOVE, 0, .hang = true };
	suspend(103, SIM_MES_OK);
	resume(103, SIM_MES_OK);
	rig->status = NOT_YET;
	sim_mes_call(&rig->mes, &(struct sim_mes_call){ SIM_MES_REMOVE, .doorbell = 1000 },
		     rig->f->gpu.now);
	run(1000 * GANG_NS);
	assert_int_equal(rig->status, NOT_YET);
	assert_int_equal(rig->mes.state, SIM_MES_HUNG);
	assert_false(sim_mes_ready(&rig->mes));
	assert_true(mapped(0));
	assert_true(rig->f->q[0].log[0].executed);	/* waves went on */
	assert_int_equal(rig->gone, 0);

	sim_gpu_reset(&rig->f->gpu);
	sim_mes_reset(&rig->mes);
	assert_int_equal(rig->gone, 5);
	assert_true(sim_mes_ready(&rig->mes));
	give_work(6, 100);
	add(6, SIM_MES_OK);
	run(rig->f->gpu.now + GANG_NS);
	fake_assert_exactly_once(rig->f, &rig->f->q[6]);
}

/* An ADD that hangs belongs to nobody but the model until the reset. */
static void test_hang_of_add(void **state)
{
	(void)state;
	rig->mes.fault = (struct sim_mes_fault){ SIM_MES_ADD, 0, .hang = true };
	sim_mes_call(&rig->mes, &(struct sim_mes_call){ SIM_MES_ADD, .add = &rig->q[0] },
		     0);
	run(GANG_NS);
	assert_int_equal(rig->gone, 0);
	sim_gpu_reset(&rig->f->gpu);
	sim_mes_reset(&rig->mes);
	assert_int_equal(rig->gone, 1);
}

/* ---- everything at once ---- */

static void random_call(u64 *seed, bool *added)
{
	u32 i = fake_random(seed, 12), what = fake_random(seed, 10);

	if (!added[i] && what < 6) {
		rig->q[i].level = fake_random(seed, SIM_MES_LEVELS);
		rig->q[i].priority = fake_random(seed, 16);
		add(i, SIM_MES_OK);
		added[i] = true;
	} else if (added[i] && what < 3) {
		take_away(i, SIM_MES_OK);
		added[i] = false;
	} else if (added[i] && what < 6) {
		suspend(100 + i, SIM_MES_OK);
	} else if (added[i]) {
		resume(100 + i, SIM_MES_OK);
	} else if (what == 8) {
		suspend(0, SIM_MES_OK);
	} else {
		resume(0, SIM_MES_OK);
	}
}

static void assert_only_the_added_are_mapped(const bool *added)
{
	u32 i;

	for (i = 0; i < 12; i++) {
		assert_true(added[i] || !mapped(i));
		assert_true(!added[i] || !rig->q[i].suspended || !mapped(i));
	}
	assert_true(count_mapped(0, 12) <= 4);
}

/* Whatever is called in whatever order, every dispatch executes once. */
static void test_random(void **state)
{
	bool added[12] = { false };
	u64 seed = 1;
	u32 i, n;

	(void)state;
	for (i = 0; i < 12; i++)
		rig->q[i].process = 1 + i / 3;
	for (n = 0; n < 5000; n++) {
		i = fake_random(&seed, 12);
		if (rig->f->q[i].wptr < 100 && !fake_random(&seed, 5))
			fake_dispatch(rig->f, &rig->f->q[i], 1 + fake_random(&seed, 100),
				      4, fake_random(&seed, 20000), true);
		random_call(&seed, added);
		assert_only_the_added_are_mapped(added);
		run(rig->f->gpu.now + fake_random(&seed, GANG_NS));
	}
	for (i = 0; i < 12; i++)
		if (!added[i])
			add(i, SIM_MES_OK);
	resume(0, SIM_MES_OK);
	run(rig->f->gpu.now + 100000 * (u64)GANG_NS);
	for (i = 0; i < 12; i++)
		fake_assert_exactly_once(rig->f, &rig->f->q[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_add_remove, setup, teardown),
		cmocka_unit_test_setup_teardown(test_add_does_not_wait_for_waves,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_restores_share_bandwidth,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_remove_unmapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_suspend_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_call_during_rotation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gang_quantum, setup, teardown),
		cmocka_unit_test_setup_teardown(test_process_quantum, setup, teardown),
		cmocka_unit_test_setup_teardown(test_levels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_level_launches_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gang_priority, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_is_parked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_ticks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fail, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hang, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hang_of_add, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	return RUN(tests);
}
