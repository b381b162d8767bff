// SPDX-License-Identifier: MIT
/*
 * 100,000 random operations on the model and the scheduler: processes appear
 * and go, queues are held and released, priorities and graces change, doorbells
 * ring, quanta end. Every dispatch, and every workgroup of it, runs once.
 */
#include "fake.h"
#include "firmware/sched.h"

#define OPERATIONS	100000
#define PROCESSES	12
#define PER_PROCESS	(FAKE_QUEUES / PROCESSES)
#define WORKGROUPS	64	/* of a kernel, at most */

/**
 * struct bed - processes on a fake GPU
 * @f: the GPU
 * @s: the scheduler
 * @process: the processes
 * @entry: entry n has queue n of the GPU
 * @listed: it is in the list
 * @priority: pipe priority it is mapped with next
 * @submitted: kernels, by queue
 * @kernels: in all
 * @saves: of queues
 * @operations: of each kind
 */
struct bed {
	struct fake *f;
	struct sim_sched s;
	struct sim_sched_process process[PROCESSES];
	struct sim_sched_entry entry[FAKE_QUEUES];
	bool listed[FAKE_QUEUES];
	u32 priority[FAKE_QUEUES];
	u32 submitted[FAKE_QUEUES];
	u64 kernels;
	u64 saves;
	u32 operations[8];
};

static struct bed bed;
static u64 seed = 42;

static u32 below(u32 n)
{
	return fake_random(&seed, n);
}

static struct sim_queue *map(void *owner, struct sim_sched_entry *e, u64 t)
{
	u32 n = e - bed.entry;
	struct fake_queue *q = &bed.f->q[n];

	(void)owner;
	bed.saves += q->image_bytes != 0;
	q->aql.sim.priority = bed.priority[n];
	if (sim_queue_map(&bed.f->gpu, &q->aql.sim, t, q->image_bytes) == SIM_NEVER)
		return NULL;
	q->image_bytes = 0;
	return &q->aql.sim;
}

static void applied(void *owner, u64 t)
{
	(void)owner;
	(void)t;
}

static const struct sim_sched_ops ops = { .map = map, .applied = applied };

static void preempted(struct fake *f, u64 t)
{
	(void)f;
	sim_sched_preempted(&bed.s, t);
}

static int setup(void **state)
{
	u32 i;

	memset(&bed, 0, sizeof(bed));
	fake_setup((void **)&bed.f);
	bed.f->profile.save_bytes_per_us = 50000000;
	bed.f->profile.process_quantum_ns = 100000;
	bed.f->profile.queue_quantum_ns = 20000;
	bed.f->profile.hqds = 10;
	bed.f->profile.vmids = 5;
	bed.f->forward = preempted;
	sim_sched_init(&bed.s, &bed.f->gpu, &ops, &bed, 3);
	for (i = 0; i < PROCESSES; i++)
		bed.process[i].key = i + 1;
	*state = bed.f;
	return 0;
}

static void wait_for_scheduler(void)
{
	u64 t;

	while (sim_sched_busy(&bed.s)) {
		t = sim_next_event(&bed.f->gpu);
		assert_true(t != SIM_NEVER);
		sim_advance(&bed.f->gpu, t);
	}
}

/* What has completed so far is right; start the arrays over. */
static void check_and_clear(u32 n)
{
	struct fake_queue *q = &bed.f->q[n];
	const u32 *counter;
	u32 k, i;

	assert_null(q->fault);
	assert_int_equal(q->completed, q->wptr % FAKE_PACKETS ? q->wptr : FAKE_PACKETS);
	for (k = 0; k < q->completed; k++) {
		assert_int_equal(q->log[k].executed, 1);
		counter = (const u32 *)(uintptr_t)q->args[k].counters;
		for (i = 0; i < q->workgroups[k]; i++)
			assert_int_equal(counter[i], 1);
		memset((void *)(uintptr_t)q->args[k].counters, 0, 4 * q->workgroups[k]);
	}
	memset(q->log, 0, sizeof(q->log));
	q->completed = 0;
	q->wptr = 0;
	q->rptr = 0;
	q->aql.read = 0;
	q->aql.write = 0;
}

static void submit(u32 n)
{
	struct fake_queue *q = &bed.f->q[n];
	u32 k;

	if (q->wptr == FAKE_PACKETS) {
		if (q->completed < FAKE_PACKETS)
			return;
		check_and_clear(n);
	}
	bed.f->counters_used = (n * FAKE_PACKETS + q->wptr) * WORKGROUPS;
	k = fake_dispatch(bed.f, q, 1 + below(WORKGROUPS - 1), 1 + below(8),
			  100 + below(100000), below(2));
	q->args[k].spin.spread = below(3) * 500;
	bed.kernels++;
}

static void toggle_listed(u32 n)
{
	struct sim_sched_process *p = &bed.process[n / PER_PROCESS];

	bed.listed[n] = !bed.listed[n];
	if (!bed.listed[n]) {
		sim_sched_remove(&bed.s, &bed.entry[n]);
		return;
	}
	if (!p->entries) {
		p->level = below(3);
		sim_sched_add_process(&bed.s, p);
	}
	bed.entry[n].rank = below(2);
	bed.entry[n].held = false;
	sim_sched_add(&bed.s, p, &bed.entry[n]);
}

static u64 random_grace(void)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return SIM_NEVER;
	}
	return below(30000);
}

static void operation(void)
{
	u32 n = below(FAKE_QUEUES), kind = below(8);

	bed.operations[kind]++;
	if (kind < 3) {
		submit(n);
		return;
	}
	wait_for_scheduler();
	switch (kind) {
	case 3:
		toggle_listed(n);
		break;
	case 4:
		if (bed.listed[n])
			bed.entry[n].held = !bed.entry[n].held;
		break;
	case 5:
		bed.priority[n] = below(3);
		if (bed.listed[n])
			sim_sched_set_rank(&bed.s, &bed.entry[n], below(3));
		break;
	case 6:
		if (bed.listed[n])
			sim_sched_set_level(&bed.s, &bed.process[n / PER_PROCESS], below(3));
		break;
	case 7:
		bed.s.grace_ns = below(5000);
		return;
	}
	sim_sched_apply(&bed.s, bed.f->gpu.now, random_grace());
}

/* Nothing of the slots, VMIDs and wave slots is lost or used twice. */
static void check_invariants(void)
{
	u32 i, waves = 0, mapped = 0;

	for (i = 0; i < FAKE_QUEUES; i++) {
		if (bed.f->q[i].aql.sim.state == SIM_QUEUE_OFF)
			continue;
		mapped++;
		waves += bed.f->q[i].aql.sim.waves;
		assert_true(bed.entry[i].queue == &bed.f->q[i].aql.sim);
		assert_true(bed.s.used[0] >> bed.entry[i].slot & 1);
	}
	assert_int_equal(mapped, bed.f->gpu.nr_queues);
	assert_int_equal(mapped, __builtin_popcountll(bed.s.used[0]));
	assert_int_equal(320 - bed.f->gpu.free_waves, waves);
	assert_true(mapped <= 10);
}

static void test_random(void **state)
{
	struct fake *f = *state;
	u32 i;

	for (i = 0; i < OPERATIONS; i++) {
		operation();
		check_invariants();
		if (below(2))
			fake_run_sched(bed.f, &bed.s, f->gpu.now + below(20000));
	}
	wait_for_scheduler();
	for (i = 0; i < FAKE_QUEUES; i++) {
		if (!bed.listed[i])
			toggle_listed(i);
		bed.entry[i].held = false;
		/* a higher level would keep its slots, idle or not */
		sim_sched_set_level(&bed.s, &bed.process[i / PER_PROCESS], 0);
	}
	sim_sched_apply(&bed.s, f->gpu.now, 0);
	fake_run_sched(bed.f, &bed.s, f->gpu.now + 2000000000ULL);
	for (i = 0; i < FAKE_QUEUES; i++)
		check_and_clear(i);
	assert_int_equal(f->gpu.stats.dispatches, bed.kernels);
	assert_int_equal(f->gpu.stats.faults, 0);
	print_message("# %llu kernels, %llu restores, %llu process turns, %llu queue turns\n",
		      (unsigned long long)bed.kernels,
		      (unsigned long long)f->gpu.stats.restores,
		      (unsigned long long)bed.s.stats.process_turns,
		      (unsigned long long)bed.s.stats.queue_turns);
	assert_true(bed.kernels > OPERATIONS / 10 && f->gpu.stats.restores > 5000);
	assert_true(bed.s.stats.process_turns > 1000 && bed.s.stats.queue_turns > 100);
	wait_for_scheduler();
	assert_int_equal(f->gpu.free_waves, 320);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random, setup, fake_teardown),
	};

	return RUN(tests);
}
