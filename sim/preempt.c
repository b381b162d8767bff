// SPDX-License-Identifier: MIT
/*
 * Preemption, as the firmware does it for UNMAP_QUEUES: running waves get a
 * grace to end by themselves, then the rest is frozen and written to memory,
 * and only when that is done are the queues off the hardware.
 *
 * What is written here is an image of the dispatches in flight: enough to go
 * on later, on any other model. It is small; the time a save takes is that of
 * the registers and LDS real waves would have written (sim_workgroup_bytes).
 * The image lives in the process's memory, so a restore trusts nothing in it.
 */
#include "model.h"

#define SIM_IMAGE_MAGIC	0x494d4753	/* "SGMI" */

struct sim_image_head {
	u32 magic;
	u32 bytes;
	u32 dispatches;
	u32 reserved;
};

struct sim_image_dispatch {
	u32 workgroups;
	u32 waves;
	u32 vgprs;
	u32 lds_bytes;
	u32 launched;
	u32 finished;
	u32 saves;
	u32 cohorts;
	u64 workgroup_ns;
	u64 start_ns;
	u64 cookie[SIM_COOKIES];
};

struct sim_image_cohort {
	u64 left_ns;
	u32 workgroups;
	u32 reserved;
};

/* Wave state a save of this queue writes, or a restore reads. */
u64 sim_queue_state_bytes(const struct sim_gpu *gpu, const struct sim_queue *q)
{
	const struct sim_dispatch *d;
	u64 bytes = 0;
	u32 i, begun;

	for (i = 0; i < q->count; i++) {
		d = &q->inflight[i];
		/* loading: all that began and did not end come back */
		begun = q->state == SIM_QUEUE_LOADING ?
			d->launched - d->finished : d->resident;
		bytes += begun * sim_workgroup_bytes(gpu->profile, d);
	}
	return bytes;
}

/* Stop the clock of every running workgroup; it keeps its slots for now. */
static void freeze_dispatch(struct sim_dispatch *d, u64 t)
{
	struct sim_cohort *c, **tail = &d->running;

	if (!d->running)
		return;
	d->saves++;
	for (c = d->running; c; c = c->next) {
		c->end -= t;
		tail = &c->next;
	}
	*tail = d->parked;
	d->parked = d->running;
	d->running = NULL;
}

static void begin_save(struct sim_gpu *gpu, u64 t)
{
	const struct sim_profile *p = gpu->profile;
	u64 bytes = 0, took;
	struct sim_queue *q;
	u32 i, j, queues = 0;

	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		if (q->state != SIM_QUEUE_STOPPING)
			continue;
		queues++;
		gpu->stats.saves += q->waves != 0;
		bytes += sim_queue_state_bytes(gpu, q);
		for (j = 0; j < q->count; j++)
			freeze_dispatch(&q->inflight[j], t);
	}
	took = (u64)queues * p->unmap_queue_ns;
	if (bytes)
		took += p->save_ns + bytes * 1000 / p->save_bytes_per_us;
	gpu->stats.bytes += bytes;
	gpu->stats.grace_ns += t - gpu->preempt_begin;
	gpu->stats.save_ns += took;
	if (took > gpu->stats.save_max_ns)
		gpu->stats.save_max_ns = took;
	gpu->preempt = SIM_PREEMPT_SAVE;
	gpu->preempt_at = t + took;
}

static bool image_put(struct sim_gpu *gpu, struct sim_queue *q, u32 *offset,
		      const void *from, u32 bytes)
{
	if (!gpu->ops->save(q, *offset, from, bytes))
		return false;
	*offset += bytes;
	return true;
}

static bool save_dispatch(struct sim_gpu *gpu, struct sim_queue *q,
			  const struct sim_dispatch *d, u32 *offset)
{
	struct sim_image_dispatch im = {
		.workgroups = d->workgroups,
		.waves = d->waves,
		.vgprs = d->vgprs,
		.lds_bytes = d->lds_bytes,
		.launched = d->launched,
		.finished = d->finished,
		.saves = d->saves,
		.workgroup_ns = d->workgroup_ns,
		.start_ns = d->start_ns,
	};
	struct sim_image_cohort ic = { 0 };
	const struct sim_cohort *c;

	memcpy(im.cookie, d->cookie, sizeof(im.cookie));
	for (c = d->parked; c; c = c->next)
		im.cohorts++;
	if (!image_put(gpu, q, offset, &im, sizeof(im)))
		return false;
	for (c = d->parked; c; c = c->next) {
		ic.left_ns = c->end;
		ic.workgroups = c->workgroups;
		if (!image_put(gpu, q, offset, &ic, sizeof(ic)))
			return false;
	}
	return true;
}

/* Write the image of a frozen queue. Returns its size, 0 when nothing runs. */
static bool save_queue(struct sim_gpu *gpu, struct sim_queue *q, u32 *bytes)
{
	struct sim_image_head head = { .magic = SIM_IMAGE_MAGIC };
	u32 i;

	*bytes = 0;
	if (!q->count)
		return true;
	*bytes = sizeof(head);
	for (i = 0; i < q->count; i++)
		if (!save_dispatch(gpu, q, &q->inflight[i], bytes))
			return false;
	head.bytes = *bytes;
	head.dispatches = q->count;
	return gpu->ops->save(q, 0, &head, sizeof(head));
}

static void take_off(struct sim_gpu *gpu, struct sim_queue *q)
{
	u64 state = sim_queue_state_bytes(gpu, q);
	u32 i, bytes;

	if (!save_queue(gpu, q, &bytes)) {
		sim_queue_fault(gpu, q, "save area");
		bytes = 0;
	}
	gpu->ops->saved(q, bytes, state);
	for (i = 0; i < q->count; i++)
		sim_dispatch_drop(gpu, q, &q->inflight[i]);
	q->count = 0;
	q->state = SIM_QUEUE_OFF;
}

static void end_save(struct sim_gpu *gpu, u64 t)
{
	u32 i, kept = 0;

	for (i = 0; i < gpu->nr_queues; i++) {
		if (gpu->queues[i]->state == SIM_QUEUE_STOPPING)
			take_off(gpu, gpu->queues[i]);
		else
			gpu->queues[kept++] = gpu->queues[i];
	}
	gpu->nr_queues = kept;
	gpu->preempt = SIM_PREEMPT_NONE;
	gpu->stats.preemptions++;
	gpu->ops->preempted(gpu->owner, t);
}

static bool drained(const struct sim_gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++)
		if (gpu->queues[i]->state == SIM_QUEUE_STOPPING &&
		    gpu->queues[i]->waves)
			return false;
	return true;
}

void sim_preempt_step(struct sim_gpu *gpu, u64 t)
{
	if (t < gpu->preempt_begin)	/* announced, not begun */
		return;
	if (gpu->preempt == SIM_PREEMPT_GRACE &&
	    (t >= gpu->preempt_at || drained(gpu)))
		begin_save(gpu, t);
	if (gpu->preempt == SIM_PREEMPT_SAVE && t >= gpu->preempt_at)
		end_save(gpu, t);
}

void sim_preempt(struct sim_gpu *gpu, u64 at, u64 grace_ns)
{
	gpu->preempt = SIM_PREEMPT_GRACE;
	gpu->preempt_begin = at;
	gpu->preempt_at = grace_ns == SIM_NEVER ? SIM_NEVER : at + grace_ns;
	sim_preempt_step(gpu, at);	/* there may be nothing to wait for */
}

static bool image_get(struct sim_gpu *gpu, struct sim_queue *q, u32 *offset,
		      u32 limit, void *to, u32 bytes)
{
	if (bytes > limit - *offset || !gpu->ops->load(q, *offset, to, bytes))
		return false;
	*offset += bytes;
	return true;
}

static bool plausible(const struct sim_gpu *gpu, struct sim_dispatch *d,
		      const struct sim_image_dispatch *im)
{
	d->workgroups = im->workgroups;
	d->waves = im->waves;
	d->vgprs = im->vgprs;
	d->lds_bytes = im->lds_bytes;
	d->launched = im->launched;
	d->finished = im->finished;
	d->saves = im->saves;
	d->workgroup_ns = im->workgroup_ns;
	d->start_ns = im->start_ns;
	memcpy(d->cookie, im->cookie, sizeof(d->cookie));
	d->capacity = sim_capacity(gpu->profile, d);
	return d->capacity && d->finished <= d->launched &&
		d->launched <= d->workgroups && d->finished < d->workgroups &&
		d->launched - d->finished <= d->capacity;
}

static bool load_dispatch(struct sim_gpu *gpu, struct sim_queue *q,
			  u32 *offset, u32 limit)
{
	struct sim_dispatch *d = &q->inflight[q->count];
	struct sim_cohort *c, **tail = &d->parked;
	struct sim_image_dispatch im;
	struct sim_image_cohort ic;
	u64 parked = 0;
	u32 i;

	memset(d, 0, sizeof(*d));
	if (!image_get(gpu, q, offset, limit, &im, sizeof(im)) ||
	    !plausible(gpu, d, &im))
		return false;
	q->count++;	/* from here on a fault drops its cohorts */
	for (i = 0; i < im.cohorts; i++) {
		if (!image_get(gpu, q, offset, limit, &ic, sizeof(ic)) ||
		    !ic.workgroups || ic.left_ns > d->workgroup_ns)
			return false;
		c = sim_cohort_get(gpu);
		if (!c)
			return false;
		c->workgroups = ic.workgroups;
		c->end = ic.left_ns;
		*tail = c;
		tail = &c->next;
		parked += ic.workgroups;
	}
	return parked == d->launched - d->finished;
}

bool sim_image_load(struct sim_gpu *gpu, struct sim_queue *q, u32 bytes)
{
	struct sim_image_head head;
	u32 i, offset = 0;

	if (!image_get(gpu, q, &offset, bytes, &head, sizeof(head)) ||
	    head.magic != SIM_IMAGE_MAGIC || head.bytes > bytes ||
	    !head.dispatches || head.dispatches > SIM_INFLIGHT)
		return false;
	for (i = 0; i < head.dispatches; i++)
		if (!load_dispatch(gpu, q, &offset, head.bytes))
			return false;
	return true;
}
