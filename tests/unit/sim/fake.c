// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "fake.h"

static struct fake_queue *fake_queue(struct sim_queue *q)
{
	return (struct fake_queue *)q;
}

static enum sim_fetch fetch(struct sim_queue *sim, struct sim_dispatch *d)
{
	struct fake_queue *q = fake_queue(sim);

	if (q->read == q->written)
		return SIM_FETCH_EMPTY;
	if (q->blocked)
		return SIM_FETCH_BLOCKED;
	*d = q->packets[q->read];
	return SIM_FETCH_PACKET;
}

static bool consume(struct sim_queue *sim)
{
	fake_queue(sim)->read++;
	return true;
}

static bool complete(struct sim_queue *sim, const struct sim_dispatch *d, u64 t)
{
	struct fake_queue *q = fake_queue(sim);
	u64 i = d->cookie[0];

	q->executed[i]++;
	q->saves[i] = d->saves;
	q->start[i] = d->start_ns;
	q->end[i] = t;
	q->order[q->completed++] = i;
	return true;
}

static bool save(struct sim_queue *sim, u32 offset, const void *from, u32 bytes)
{
	assert_true(offset + bytes <= FAKE_SAVE);
	memcpy(fake_queue(sim)->image + offset, from, bytes);
	return true;
}

static bool load(struct sim_queue *sim, u32 offset, void *to, u32 bytes)
{
	assert_true(offset + bytes <= FAKE_SAVE);
	memcpy(to, fake_queue(sim)->image + offset, bytes);
	return true;
}

static void saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes)
{
	fake_queue(sim)->image_bytes = image_bytes;
	fake_queue(sim)->state_bytes = state_bytes;
}

static void fault(struct sim_queue *sim, const char *why)
{
	fake_queue(sim)->fault = why;
}

static void preempted(void *owner, u64 t)
{
	((struct fake *)owner)->preempted_at = t;
}

static const struct sim_ops ops = {
	.fetch = fetch,
	.consume = consume,
	.complete = complete,
	.save = save,
	.load = load,
	.saved = saved,
	.fault = fault,
	.preempted = preempted,
};

/*
 * 10 compute units of 32 waves; a packet takes 100 ns, a map 10, an unmap 20 a
 * queue, a save or restore 1000 and 1 ns a byte.
 */
int fake_setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->profile = sim_profile_mi308x;
	f->profile.cus = 10;
	f->profile.packet_ns = 100;
	f->profile.map_queue_ns = 10;
	f->profile.unmap_queue_ns = 20;
	f->profile.save_ns = 1000;
	f->profile.restore_ns = 1000;
	f->profile.save_bytes_per_us = 1000;
	sim_gpu_init(&f->gpu, &f->profile, &ops, f);
	*state = f;
	return 0;
}

int fake_teardown(void **state)
{
	free(*state);
	return 0;
}

u32 fake_dispatch(struct fake_queue *q, u32 workgroups, u32 waves, u64 ns,
		  bool barrier)
{
	struct sim_dispatch *d = &q->packets[q->written];

	assert_true(q->written < FAKE_PACKETS);
	d->workgroups = workgroups;
	d->waves = waves;
	d->vgprs = 64;
	d->workgroup_ns = ns;
	d->barrier = barrier;
	d->cookie[0] = q->written;
	sim_queue_ring(&q->sim);
	return q->written++;
}

void fake_map(struct fake *f, struct fake_queue *q, u32 priority)
{
	u64 at = sim_queue_map(&f->gpu, &q->sim, priority, f->gpu.now, q->image_bytes);

	assert_true(at != SIM_NEVER);
	q->image_bytes = 0;
}

void fake_run(struct fake *f)
{
	u64 t;

	sim_advance(&f->gpu, f->gpu.now);
	while ((t = sim_next_event(&f->gpu)) != SIM_NEVER)
		sim_advance(&f->gpu, t);
}

u64 fake_unmap(struct fake *f, struct fake_queue *q, u32 n, u64 grace_ns)
{
	u64 begin = f->gpu.now, t;
	u32 i;

	for (i = 0; i < n; i++)
		sim_queue_stop(&q[i].sim);
	f->preempted_at = SIM_NEVER;
	sim_preempt(&f->gpu, begin, grace_ns);
	while (f->preempted_at == SIM_NEVER) {
		t = sim_next_event(&f->gpu);
		assert_true(t != SIM_NEVER);
		sim_advance(&f->gpu, t);
	}
	return f->preempted_at - begin;
}
