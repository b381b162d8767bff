// SPDX-License-Identifier: MIT
/* Which queues are in hardware slots: window, VMIDs, quanta, levels, changes. */
#include "fake.h"
#include "firmware/sched.h"

#define PROCESSES	20

/**
 * struct bed - a scheduler on a fake GPU
 * @f: the GPU
 * @s: the scheduler
 * @process: of the list
 * @entry: entry n has queue n of the GPU
 * @mapped: times each queue was mapped
 * @refuse: ops->map refuses this one, -1: none
 * @applied: end of the last change, SIM_NEVER: not over
 * @forgotten: entries that left the list
 */
struct bed {
	struct fake *f;
	struct sim_sched s;
	struct sim_sched_process process[PROCESSES];
	struct sim_sched_entry entry[FAKE_QUEUES];
	u32 mapped[FAKE_QUEUES];
	s32 refuse;
	u64 applied;
	u32 forgotten;
};

static struct bed bed;

static struct sim_queue *map(void *owner, struct sim_sched_entry *e, u64 t)
{
	struct bed *b = owner;
	u32 n = e - b->entry;
	struct fake_queue *q = &b->f->q[n];

	assert_true(e->process->vmid >= 3 && e->process->vmid < 16);
	if (b->refuse == (s32)n)
		return NULL;
	q->aql.sim.priority = 1;
	assert_true(sim_queue_map(&b->f->gpu, &q->aql.sim, t, q->image_bytes) != SIM_NEVER);
	q->image_bytes = 0;
	b->mapped[n]++;
	return &q->aql.sim;
}

static void forgotten(void *owner, struct sim_sched_entry *e)
{
	struct bed *b = owner;

	assert_null(e->queue);
	b->forgotten++;
}

static void applied(void *owner, u64 t)
{
	((struct bed *)owner)->applied = t;
}

static const struct sim_sched_ops ops = {
	.map = map,
	.forgotten = forgotten,
	.applied = applied,
};

static void preempted(struct fake *f, u64 t)
{
	(void)f;
	sim_sched_preempted(&bed.s, t);
}

/* 8 slots and 4 VMIDs; quanta of 10 ms and 1 ms. */
static int setup(void **state)
{
	memset(&bed, 0, sizeof(bed));
	fake_setup((void **)&bed.f);
	bed.f->profile.hqds = 8;
	bed.f->profile.vmids = 4;
	bed.f->profile.save_bytes_per_us = 1000000;
	bed.f->forward = preempted;
	bed.refuse = -1;
	sim_sched_init(&bed.s, &bed.f->gpu, &ops, &bed, 3);
	*state = bed.f;
	return 0;
}

static void add(u32 process, u32 first, u32 queues, u32 level)
{
	struct sim_sched_process *p = &bed.process[process];

	p->key = 100 + process;
	p->level = level;
	sim_sched_add_process(&bed.s, p);
	for (; queues--; first++)
		sim_sched_add(&bed.s, p, &bed.entry[first]);
}

static void apply(u64 grace_ns)
{
	bed.applied = SIM_NEVER;
	sim_sched_apply(&bed.s, bed.f->gpu.now, grace_ns);
	while (bed.applied == SIM_NEVER)
		sim_advance(&bed.f->gpu, sim_next_event(&bed.f->gpu));
}

static u32 in_slots(void)
{
	u32 i, n = 0;

	for (i = 0; i < FAKE_QUEUES; i++)
		n += bed.entry[i].queue != NULL;
	return n;
}

/* One after the other, in the order of the list, each in a slot of its own. */
static void test_fits(void **state)
{
	u32 i;

	(void)state;
	add(0, 0, 3, 0);
	add(1, 3, 5, 0);
	apply(0);
	assert_int_equal(in_slots(), 8);
	assert_int_equal(bed.s.ready_at, 80);
	for (i = 0; i < 8; i++) {
		assert_int_equal(bed.entry[i].slot, i);
		assert_int_equal(bed.f->q[i].aql.sim.ready_at, 10 * (i + 1));
	}
	assert_int_equal(bed.process[0].vmid, 3);
	assert_int_equal(bed.process[1].vmid, 4);
	assert_true(sim_sched_next_event(&bed.s) == SIM_NEVER);
}

/* There are as many processes at a time as VMIDs; then the others have a turn. */
static void test_vmid_limit(void **state)
{
	u32 i, vmids = 0;

	(void)state;
	for (i = 0; i < 6; i++)
		add(i, i, 1, 0);
	apply(0);
	assert_int_equal(in_slots(), 4);
	for (i = 0; i < 4; i++)
		vmids |= 1 << bed.process[i].vmid;
	assert_int_equal(vmids, 0x78);
	assert_int_equal(sim_sched_next_event(&bed.s), 40 + 10000000);
	fake_run_sched(bed.f, &bed.s, 10100000);
	assert_int_equal(in_slots(), 4);
	for (i = 0; i < 6; i++)	/* 4 and 5 in, 0 and 1 stay, 2 and 3 out */
		assert_int_equal(bed.mapped[i], 1);
	assert_null(bed.entry[2].queue);
	assert_null(bed.entry[3].queue);
	assert_non_null(bed.entry[4].queue);
	assert_int_equal(bed.s.stats.process_turns, 1);
}

/* Processes of one key are one address space, and share its VMID. */
static void test_shared_key(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 6; i++) {
		add(i, i, 1, i % 2);
		sim_sched_set_level(&bed.s, &bed.process[i], i % 2);
		bed.process[i].key = 7;
	}
	apply(0);
	assert_int_equal(in_slots(), 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(bed.process[i].vmid, 3);
	assert_int_equal(bed.s.vmid_uses[3], 6);
}

/* The firmware is set to use fewer. */
static void test_masks(void **state)
{
	(void)state;
	bed.s.vmid_mask = 0x500;
	bed.s.slot_mask[0] = 0xa0;
	add(0, 0, 1, 0);
	add(1, 1, 1, 0);
	add(2, 2, 1, 0);
	apply(0);
	assert_int_equal(bed.process[0].vmid, 8);
	assert_int_equal(bed.process[1].vmid, 10);
	assert_int_equal(bed.entry[0].slot, 5);
	assert_int_equal(bed.entry[1].slot, 7);
	assert_int_equal(in_slots(), 2);
	bed.s.max_processes = 1;
	apply(0);
	assert_int_equal(in_slots(), 1);
}

/* Copy engines have slots of their own. */
static void test_pools(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < 20; i++)
		bed.entry[i].pool = i < 10 ? 0 : 1 + 2;
	add(0, 0, 20, 0);
	apply(0);
	assert_int_equal(in_slots(), 16);
	assert_null(bed.entry[8].queue);
	assert_non_null(bed.entry[17].queue);
	assert_int_equal(bed.entry[17].slot, 7);
	assert_null(bed.entry[18].queue);
}

/* A higher level goes first and is never rotated out by a lower one. */
static void test_levels(void **state)
{
	(void)state;
	add(0, 0, 6, 0);
	add(1, 6, 6, 0);
	add(2, 12, 6, 2);
	apply(0);
	assert_int_equal(bed.mapped[12] + bed.mapped[17], 2);
	assert_int_equal(bed.mapped[0] + bed.mapped[1] + bed.mapped[2], 2);
	fake_run_sched(bed.f, &bed.s, 200000000);
	assert_int_equal(bed.mapped[12], 1);
	assert_true(bed.mapped[0] > 5 && bed.mapped[6] > 5);
	sim_sched_set_level(&bed.s, &bed.process[1], 3);
	apply(0);
	assert_non_null(bed.entry[6].queue);
	assert_non_null(bed.entry[11].queue);
}

/* The queues of a process that has more than slots take turns, by rank first. */
static void test_queue_turns(void **state)
{
	u32 i;

	(void)state;
	add(0, 0, 20, 0);
	sim_sched_set_rank(&bed.s, &bed.entry[19], 1);
	apply(0);
	assert_int_equal(sim_sched_next_event(&bed.s), 80 + 1000000);
	fake_run_sched(bed.f, &bed.s, 100000000);
	assert_int_equal(bed.mapped[19], 1);
	for (i = 0; i < 19; i++)	/* 100 quanta, 7 of 19 at a time */
		assert_in_range(bed.mapped[i], 30, 40);
	bed.entry[3].held = true;
	apply(0);
	i = bed.mapped[3];
	fake_run_sched(bed.f, &bed.s, 200000000);
	assert_int_equal(bed.mapped[3], i);
}

static u32 done_by(u32 process)
{
	const u32 *counter;
	struct fake_queue *q;
	u32 n, k, i, done = 0;

	for (n = process * 3; n < process * 3 + 3; n++) {
		q = &bed.f->q[n];
		for (k = 0; k < q->wptr; k++) {
			counter = (const u32 *)(uintptr_t)q->args[k].counters;
			for (i = 0; i < q->workgroups[k]; i++)
				done += counter[i];
		}
	}
	return done;
}

/* Six processes with three busy queues each share eight slots evenly. */
static void test_fairness(void **state)
{
	struct fake *f = *state;
	u32 i, k, done, total = 0;

	for (i = 0; i < 18; i++)
		for (k = 0; k < 12; k++)
			fake_dispatch(f, &f->q[i], 2000, 4, 100000, true);
	for (i = 0; i < 6; i++)
		add(i, i * 3, 3, 0);
	apply(0);
	fake_run_sched(bed.f, &bed.s, 420000000);
	for (i = 0; i < 6; i++)
		total += done_by(i);
	assert_true(total > 6 * 1000 && total < 6 * 3 * 12 * 2000);
	for (i = 0; i < 6; i++) {
		done = done_by(i);
		assert_in_range(done, total / 6 * 85 / 100, total / 6 * 115 / 100);
	}
	assert_true(bed.s.stats.process_turns > 30 && bed.s.stats.queue_turns > 100);
	fake_run_sched(bed.f, &bed.s, 3000000000ULL);
	for (i = 0; i < 18; i++)
		fake_assert_exactly_once(f, &f->q[i]);
}

/* A change takes off what left, maps what came, and disturbs nobody else. */
static void test_change(void **state)
{
	struct fake *f = *state;

	add(0, 0, 2, 0);
	fake_dispatch(f, &f->q[0], 20, 4, 1000000, true);
	fake_dispatch(f, &f->q[1], 20, 4, 1000000, true);
	apply(0);
	fake_run_sched(bed.f, &bed.s, 50000);
	bed.entry[0].held = true;
	apply(500);
	assert_int_equal(bed.f->q[0].aql.sim.state, SIM_QUEUE_OFF);
	assert_int_equal(bed.f->q[1].aql.sim.waves, 80);
	assert_int_equal(f->gpu.stats.grace_ns, 500);
	bed.entry[0].held = false;
	apply(0);
	fake_run_sched(bed.f, &bed.s, 100000000);
	fake_assert_exactly_once(f, &f->q[0]);
	fake_assert_exactly_once(f, &f->q[1]);
	assert_int_equal(f->q[0].log[0].saved, 1);
	assert_int_equal(f->q[1].log[0].saved, 0);
}

/* What is removed leaves the list when it is off, and with its last queue a process. */
static void test_remove(void **state)
{
	struct fake *f = *state;

	add(0, 0, 2, 0);
	add(1, 2, 1, 0);
	fake_dispatch(f, &f->q[0], 20, 4, 1000000, true);
	apply(0);
	fake_run_sched(bed.f, &bed.s, 50000);
	sim_sched_remove(&bed.s, &bed.entry[0]);
	sim_sched_remove(&bed.s, &bed.entry[1]);
	assert_int_equal(bed.forgotten, 0);
	sim_sched_apply(&bed.s, f->gpu.now, 0);
	assert_true(sim_sched_busy(&bed.s));
	assert_true(sim_sched_next_event(&bed.s) == SIM_NEVER);
	fake_run_sched(bed.f, &bed.s, 1000000);
	assert_int_equal(bed.forgotten, 2);
	assert_ptr_equal(bed.s.processes, &bed.process[1]);
	assert_ptr_equal(bed.s.last, &bed.process[1]);
	assert_int_equal(bed.s.used[0], 1 << 2);
	assert_int_equal(bed.s.vmid_uses[3], 0);
	sim_sched_remove(&bed.s, &bed.entry[2]);
	apply(0);
	assert_null(bed.s.processes);
	assert_null(bed.s.last);
}

/* A queue that is refused takes no slot and is not asked for again. */
static void test_refused(void **state)
{
	(void)state;
	bed.refuse = 1;
	add(0, 0, 3, 0);
	apply(0);
	assert_int_equal(in_slots(), 2);
	assert_int_equal(bed.s.stats.refused, 1);
	assert_int_equal(bed.s.used[0], 3);
	apply(0);
	assert_int_equal(bed.s.stats.refused, 1);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fits),
		TEST(test_vmid_limit),
		TEST(test_shared_key),
		TEST(test_masks),
		TEST(test_pools),
		TEST(test_levels),
		TEST(test_queue_turns),
		TEST(test_fairness),
		TEST(test_change),
		TEST(test_remove),
		TEST(test_refused),
	};

	return RUN(tests);
}
