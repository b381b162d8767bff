// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "fake.h"

static u64 va(const void *p)
{
	return (uintptr_t)p;
}

static void *memory(struct sim_queue *sim, u64 at, u32 bytes, bool write)
{
	struct fake *f = sim->gpu->owner;

	(void)write;
	assert_true(bytes && at % 4096 + bytes <= 4096);
	if (at < va(f) || at + bytes > va(f + 1))
		return NULL;
	return (void *)(uintptr_t)at;
}

static void interrupt(struct sim_queue *sim, u32 context)
{
	assert_int_equal(context, 77);
	fake_queue(sim)->events++;
}

static u64 ticks(void *owner, u64 t)
{
	(void)owner;
	return t / 10;
}

static void saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes)
{
	fake_queue(sim)->image_bytes = image_bytes;
	fake_queue(sim)->state_bytes = state_bytes;
}

static void fault(struct sim_queue *sim, const char *why)
{
	fake_queue(sim)->fault = why;
	fake_queue(sim)->blame = sim->blame;
}

static void first_wave(struct sim_queue *sim, u64 t)
{
	fake_queue(sim)->firsts++;
	fake_queue(sim)->first_at = t;
}

static void preempted(void *owner, u64 t)
{
	struct fake *f = owner;

	f->preempted_at = t;
	if (f->forward)
		f->forward(f, t);
}

static const struct sim_ops ops = {
	.memory = memory,
	.interrupt = interrupt,
	.ticks = ticks,
	.saved = saved,
	.fault = fault,
	.first_wave = first_wave,
	.preempted = preempted,
};

static void queue_setup(struct fake_queue *q)
{
	q->aql.ring = va(q->ring);
	q->aql.packets = FAKE_PACKETS;
	q->aql.rptr_va = va(&q->rptr);
	q->aql.wptr_va = va(&q->wptr);
	q->aql.sim.save_va = va(q->image);
	q->aql.sim.save_bytes = FAKE_SAVE;
	q->code.magic = VGPU_CODE_MAGIC;
	q->code.kind = VGPU_CODE_COUNT;
	q->code.vgprs = 64;
}

/*
 * 10 compute units of 32 waves; a packet takes 100 ns, a map 10, an unmap 20 a
 * queue, a save or restore 1000 and 1 ns a byte.
 */
int fake_setup(void **state)
{
	struct fake *f = aligned_alloc(4096, (sizeof(*f) + 4095) & ~4095UL);
	u32 i;

	assert_non_null(f);
	memset(f, 0, sizeof(*f));
	f->profile = sim_profile_mi308x;
	f->profile.xccs = 1;
	f->profile.cus = 10;
	f->profile.packet_ns = 100;
	f->profile.map_queue_ns = 10;
	f->profile.unmap_queue_ns = 20;
	f->profile.save_ns = 1000;
	f->profile.restore_ns = 1000;
	f->profile.save_bytes_per_us = 1000;
	for (i = 0; i < FAKE_QUEUES; i++)
		queue_setup(&f->q[i]);
	sim_gpu_init(&f->gpu, &f->profile, &ops, f);
	*state = f;
	return 0;
}

int fake_teardown(void **state)
{
	free(*state);
	return 0;
}

struct sim_aql_packet *fake_packet(struct fake_queue *q, enum sim_aql_type type)
{
	struct sim_aql_packet *p = &q->ring[q->wptr % FAKE_PACKETS];

	assert_true(q->wptr < q->rptr + FAKE_PACKETS);
	memset(p, 0, sizeof(*p));
	p->header = type | SIM_AQL_BARRIER_BIT;
	q->wptr++;
	if (q->aql.sim.gpu)
		sim_queue_ring(&q->aql.sim);
	return p;
}

u32 fake_dispatch(struct fake *f, struct fake_queue *q, u32 workgroups, u32 waves,
		  u64 ns, bool barrier)
{
	u32 n = q->wptr;
	struct sim_aql_packet *p = fake_packet(q, SIM_AQL_DISPATCH);
	struct vgpu_count *args = &q->args[n];

	assert_true(n < FAKE_PACKETS);
	assert_true(f->counters_used + workgroups <= FAKE_COUNTERS);
	args->spin.workgroup_ns = ns;
	args->spin.log = va(q->log);
	args->spin.index = n;
	args->spin.ticket = va(&q->completed);
	args->counters = va(&f->counters[f->counters_used]);
	f->counters_used += workgroups;
	q->workgroups[n] = workgroups;
	p->dispatch.workgroup[0] = waves * 64;
	p->dispatch.grid[0] = waves * 64 * workgroups;
	p->dispatch.code = va(&q->code);
	p->dispatch.args = va(args);
	if (!barrier)
		p->header &= ~SIM_AQL_BARRIER_BIT;
	return n;
}

u64 fake_map(struct fake *f, struct fake_queue *q, u32 priority)
{
	u64 at;

	q->aql.sim.priority = priority;
	at = sim_queue_map(&f->gpu, &q->aql.sim, f->gpu.now, q->image_bytes);
	assert_true(at != SIM_NEVER);
	q->image_bytes = 0;
	return at;
}

void fake_run(struct fake *f)
{
	u64 t;

	sim_advance(&f->gpu, f->gpu.now);
	while ((t = sim_next_event(&f->gpu)) != SIM_NEVER)
		sim_advance(&f->gpu, t);
}

void fake_run_sched(struct fake *f, struct sim_sched *s, u64 end)
{
	u64 t, quantum;

	for (;;) {
		t = sim_next_event(&f->gpu);
		quantum = sim_sched_next_event(s);
		t = t < quantum ? t : quantum;
		if (t > end)
			break;
		t = t > f->gpu.now ? t : f->gpu.now;
		sim_advance(&f->gpu, t);
		sim_sched_step(s, t);
	}
	sim_advance(&f->gpu, end);
}

u64 fake_unmap(struct fake *f, struct fake_queue *q, u32 n, u64 grace_ns)
{
	u64 begin = f->gpu.now, t;
	u32 i;

	for (i = 0; i < n; i++)
		sim_queue_stop(&q[i].aql.sim);
	f->preempted_at = SIM_NEVER;
	sim_preempt(&f->gpu, begin, grace_ns);
	while (f->preempted_at == SIM_NEVER) {
		t = sim_next_event(&f->gpu);
		assert_true(t != SIM_NEVER);
		sim_advance(&f->gpu, t);
	}
	return f->preempted_at - begin;
}

void fake_assert_exactly_once(struct fake *f, struct fake_queue *q)
{
	const u32 *counter;
	u32 n, i;

	(void)f;
	assert_null(q->fault);
	assert_int_equal(q->aql.read, q->wptr);
	assert_int_equal(q->completed, q->wptr);
	for (n = 0; n < q->wptr; n++) {
		assert_int_equal(q->log[n].executed, 1);
		assert_int_equal(q->log[n].ticket, n);
		counter = (const u32 *)(uintptr_t)q->args[n].counters;
		for (i = 0; i < q->workgroups[n]; i++)
			assert_int_equal(counter[i], 1);
	}
}

u32 fake_random(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % n;
}
