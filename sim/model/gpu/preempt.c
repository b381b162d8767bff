// SPDX-License-Identifier: MIT
/*
 * Preemption, as the firmware does it for UNMAP_QUEUES: running waves get a
 * grace to end by themselves, then the rest is frozen and written to memory,
 * and only when that is done are the queues off the hardware.
 *
 * The image describes the dispatches in flight: enough to continue later, on
 * any other model. It is small; a save takes the time that real waves would
 * need to write registers and LDS (sim_workgroup_bytes). The image is in the
 * process's memory, so a restore does not trust it: the queue is halted unless
 * the image is, to the bit, what its last save wrote.
 */
#include "gpu/sdma.h"
#include "gpu/wave.h"

#define SIM_IMAGE_MAGIC	0x494d4753	/* "SGMI" */

#define FNV_BASIS	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

/* @queue: queue it belongs to. @sum: of all the rest, and of what follows. */
struct sim_image_head {
	u32 magic;
	u32 bytes;
	u32 dispatches;
	u32 reserved;
	u64 queue;
	u64 sum;
};

/* Position in an image, and the sum of everything before it. */
struct cursor {
	struct sim_queue *q;
	u32 at;
	u32 limit;
	u64 sum;
};

struct sim_image_dispatch {
	u32 workgroups;
	u32 waves;
	u32 vgprs;
	u32 lds_bytes;
	u32 begun[SIM_MAX_XCCS];	/* each XCC's */
	u32 finished;
	u32 saves;
	u32 cohorts;
	u32 spread;
	u32 late;
	u32 reserved;
	u64 workgroup_ns;
	u64 start_ns;
	u64 signal;
	u64 cookie[SIM_COOKIES];
};

struct sim_image_cohort {
	u64 left_ns;
	u32 first;
	u32 workgroups;
};

/* Wave state a save of this queue writes, or a restore reads. */
u64 sim_queue_state_bytes(const struct sim_gpu *gpu, const struct sim_queue *q)
{
	const struct sim_dispatch *d;
	u64 bytes = 0;
	u32 i, begun;

	for (i = 0; i < q->count; i++) {
		d = &q->inflight[i];
		/* loading: all that began and did not end are restored */
		begun = q->state == SIM_QUEUE_LOADING ?
			d->launched - d->finished : d->resident;
		bytes += begun * sim_workgroup_bytes(gpu->profile, d);
	}
	return bytes;
}

/* Insert into @list, sorted by id, at or after @at if possible. */
static struct sim_cohort **park(struct sim_cohort **list, struct sim_cohort **at,
				struct sim_cohort *c)
{
	if (*at && (*at)->first > c->first)
		at = list;
	while (*at && (*at)->first < c->first)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
	return at;
}

/* Stop the clock of every running workgroup; it keeps its slots for now. */
static void freeze_dispatch(const struct sim_profile *p, struct sim_dispatch *d, u64 t)
{
	u64 longest = sim_longest_ns(p, d);
	struct sim_cohort *c, **at[SIM_MAX_XCCS];
	struct sim_part *part;
	u32 x;

	for (x = 0; x < p->xccs; x++)
		at[x] = &d->parts[x].parked;
	d->saves += d->running != NULL;
	while ((c = d->running)) {
		d->running = c->next;
		c->end = c->end - t < longest ? c->end - t : longest;
		part = &d->parts[c->xcc];
		part->parked_count += c->workgroups;
		at[c->xcc] = park(&part->parked, at[c->xcc], c);
	}
}

static void begin_save(struct sim_gpu *gpu, u64 t)
{
	const struct sim_profile *p = gpu->profile;
	u64 bytes = 0, took = 0, engines = t, at;
	struct sim_queue *q;
	u32 i, j;

	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		if (q->state != SIM_QUEUE_STOPPING)
			continue;
		took += sim_firmware_ns(gpu, p->unmap_queue_ns);
		gpu->stats.saves += q->waves != 0;
		bytes += sim_queue_state_bytes(gpu, q);
		for (j = 0; j < q->count; j++)
			freeze_dispatch(p, &q->inflight[j], t);
		at = q->type == SIM_QUEUE_SDMA ? sim_sdma_stopped_at(q, t) : t;
		if (at > engines)
			engines = at;
	}
	if (took)
		took += sim_firmware_late(gpu);
	if (bytes)
		took += sim_firmware_ns(gpu, p->save_ns) + bytes * 1000 / p->save_bytes_per_us;
	if (t + took < engines)
		took = engines - t;	/* a copy engine ends its chunk */
	gpu->stats.bytes += bytes;
	gpu->stats.grace_ns += t - gpu->preempt_begin;
	gpu->stats.save_ns += took;
	if (took > gpu->stats.save_max_ns)
		gpu->stats.save_max_ns = took;
	gpu->preempt = SIM_PREEMPT_SAVE;
	gpu->save_begin = t;
	gpu->preempt_at = t + took;
	if (gpu->ops->saving)
		gpu->ops->saving(gpu->owner, t);
}

static struct cursor begin_image(struct sim_queue *q, u32 limit)
{
	struct cursor c = {
		.q = q,
		.at = sizeof(struct sim_image_head),
		.limit = limit,
		.sum = FNV_BASIS,
	};

	return c;
}

/* FNV-1a, a word at a time: everything in an image is a multiple of 8 bytes. */
static void add_sum(u64 *sum, const void *data, u32 bytes)
{
	const u64 *word = data;

	for (; bytes >= sizeof(*word); bytes -= sizeof(*word))
		*sum = (*sum ^ *word++) * FNV_PRIME;
}

static u64 image_sum(const struct cursor *c, const struct sim_image_head *head)
{
	struct sim_image_head h = *head;
	u64 sum = c->sum;

	h.sum = 0;
	add_sum(&sum, &h, sizeof(h));
	return sum;
}

static bool image_put(struct cursor *c, const void *from, u32 bytes)
{
	if (bytes > c->limit - c->at ||
	    !sim_write(c->q, c->q->save_va + c->at, from, bytes))
		return false;
	c->at += bytes;
	add_sum(&c->sum, from, bytes);
	return true;
}

static bool save_dispatch(struct cursor *to, const struct sim_dispatch *d)
{
	struct sim_image_dispatch im = {
		.workgroups = d->workgroups,
		.waves = d->waves,
		.vgprs = d->vgprs,
		.lds_bytes = d->lds_bytes,
		.finished = d->finished,
		.saves = d->saves,
		.spread = d->spread,
		.late = d->late,
		.workgroup_ns = d->workgroup_ns,
		.start_ns = d->start_ns,
		.signal = d->signal,
	};
	struct sim_image_cohort ic = { 0 };
	const struct sim_cohort *c;
	u32 x;

	memcpy(im.cookie, d->cookie, sizeof(im.cookie));
	for (x = 0; x < SIM_MAX_XCCS; x++) {
		im.begun[x] = d->parts[x].begun;
		for (c = d->parts[x].parked; c; c = c->next)
			im.cohorts++;
	}
	if (!image_put(to, &im, sizeof(im)))
		return false;
	for (x = 0; x < SIM_MAX_XCCS; x++) {
		for (c = d->parts[x].parked; c; c = c->next) {
			ic.left_ns = c->end;
			ic.first = c->first;
			ic.workgroups = c->workgroups;
			if (!image_put(to, &ic, sizeof(ic)))
				return false;
		}
	}
	return true;
}

/* Write the image of a frozen queue. Returns its size, 0 when nothing runs. */
static bool save_queue(struct sim_queue *q, u32 *bytes)
{
	struct cursor to = begin_image(q, q->save_bytes);
	struct sim_image_head head = { .magic = SIM_IMAGE_MAGIC, .queue = q->id };
	u32 i;

	*bytes = 0;
	if (!q->count)
		return true;
	if (to.limit < to.at)
		return false;
	for (i = 0; i < q->count; i++)
		if (!sim_dispatch_carry_out(q->gpu, q, &q->inflight[i], q->gpu->save_begin) ||
		    !save_dispatch(&to, &q->inflight[i]))
			return false;
	*bytes = to.at;
	head.bytes = to.at;
	head.dispatches = q->count;
	head.sum = image_sum(&to, &head);
	return sim_write(q, q->save_va, &head, sizeof(head));
}

static void take_off(struct sim_gpu *gpu, struct sim_queue *q)
{
	u64 state = sim_queue_state_bytes(gpu, q);
	u32 i, bytes;

	if (!save_queue(q, &bytes)) {
		sim_queue_fault(gpu, q, "save area");
		bytes = 0;
	}
	if (q->type == SIM_QUEUE_SDMA)
		sim_sdma_off(q);
	gpu->ops->saved(q, bytes, state);
	for (i = 0; i < q->count; i++)
		sim_dispatch_drop(gpu, q, &q->inflight[i]);
	q->count = 0;
	q->state = SIM_QUEUE_OFF;
	sim_pipe_leave(gpu, q);
}

static void keep(struct sim_gpu *gpu, u32 from, u32 to)
{
	gpu->queues[to] = gpu->queues[from];
	gpu->queues[to]->index = to;
	gpu->due[to] = gpu->due[from];
	gpu->contends[to] = gpu->contends[from];
}

void sim_queue_drop(struct sim_gpu *gpu, struct sim_queue *q)
{
	u32 i;

	if (q->state == SIM_QUEUE_OFF)
		return;
	sim_queue_stop(q);
	for (i = 0; i < q->count; i++)
		sim_dispatch_drop(gpu, q, &q->inflight[i]);
	q->count = 0;
	if (q->type == SIM_QUEUE_SDMA)
		sim_sdma_off(q);
	q->state = SIM_QUEUE_OFF;
	sim_pipe_leave(gpu, q);
	for (i = q->index; i + 1 < gpu->nr_queues; i++)
		keep(gpu, i + 1, i);
	gpu->nr_queues--;
	gpu->touched = true;	/* others may have its pipe */
}

/* Firmware flushes the TLB when it takes queues off: also of those that stay. */
static void cool(struct sim_gpu *gpu, u32 kept)
{
	u32 i;

	for (i = 0; i < kept; i++)
		sim_queue_cools(gpu->queues[i]);
}

/* When the next chunk of an engine ends that has to stop; up to @t: all have stopped. */
static u64 engines_at(const struct sim_gpu *gpu, u64 t)
{
	const struct sim_queue *q;
	u64 latest = t, at;
	u32 i;

	for (i = 0; i < gpu->nr_queues; i++) {
		q = gpu->queues[i];
		if (q->state != SIM_QUEUE_STOPPING || q->type != SIM_QUEUE_SDMA)
			continue;
		at = sim_sdma_stopped_at(q, t);
		if (at > latest)
			latest = at;
	}
	return latest;
}

static void end_save(struct sim_gpu *gpu, u64 t)
{
	u32 i, kept = 0;

	for (i = 0; i < gpu->nr_queues; i++) {
		if (gpu->queues[i]->state == SIM_QUEUE_STOPPING)
			take_off(gpu, gpu->queues[i]);
		else
			keep(gpu, i, kept++);
	}
	if (kept < gpu->nr_queues)
		cool(gpu, kept);
	gpu->nr_queues = kept;
	gpu->preempt = SIM_PREEMPT_NONE;
	gpu->stats.preemptions++;
	gpu->ops->preempted(gpu->owner, t);
}

/* The waves are saved. Engines that go on to the end of their packets may not be there yet. */
static void try_end_save(struct sim_gpu *gpu, u64 t)
{
	u64 at = engines_at(gpu, t), took;

	if (at == t) {
		end_save(gpu, t);
		return;
	}
	gpu->stats.save_ns += at - t;
	gpu->preempt_at = at;
	took = at - gpu->save_begin;
	if (took > gpu->stats.save_max_ns)
		gpu->stats.save_max_ns = took;
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
		try_end_save(gpu, t);
}

void sim_preempt(struct sim_gpu *gpu, u64 at, u64 grace_ns)
{
	gpu->preempt = SIM_PREEMPT_GRACE;
	gpu->preempt_begin = at;
	gpu->preempt_at = grace_ns == SIM_NEVER ? SIM_NEVER : at + grace_ns;
	sim_preempt_step(gpu, at);	/* perhaps there is nothing to wait for */
}

static bool image_get(struct cursor *c, void *to, u32 bytes)
{
	if (bytes > c->limit - c->at || !sim_read(c->q, c->q->save_va + c->at, to, bytes))
		return false;
	c->at += bytes;
	add_sum(&c->sum, to, bytes);
	return true;
}

/* What each XCC has begun of @d; false: more than its part. */
static bool load_begun(const struct sim_profile *p, struct sim_dispatch *d, const u32 *begun)
{
	u32 x;

	for (x = 0; x < SIM_MAX_XCCS; x++) {
		if (begun[x] > (x < p->xccs ? d->parts[x].workgroups : 0))
			return false;
		d->parts[x].begun = begun[x];
		d->launched += begun[x];
	}
	return true;
}

static bool plausible(const struct sim_queue *q, struct sim_dispatch *d,
		      const struct sim_image_dispatch *im)
{
	d->workgroups = im->workgroups;
	d->waves = im->waves;
	d->vgprs = im->vgprs;
	d->lds_bytes = im->lds_bytes;
	d->finished = im->finished;
	d->saves = im->saves;
	d->spread = im->spread;
	d->late = im->late;
	d->workgroup_ns = im->workgroup_ns;
	d->start_ns = im->start_ns;
	d->signal = im->signal;
	memcpy(d->cookie, im->cookie, sizeof(d->cookie));
	return !im->reserved && im->late <= 1 && d->spread <= 1000 && d->workgroup_ns <= SIM_MAX_WORKGROUP_NS &&
		sim_dispatch_fits(q->gpu->profile, d) &&
		load_begun(q->gpu->profile, d, im->begun) &&
		d->finished <= d->launched && d->finished < d->workgroups &&
		d->launched - d->finished <= d->capacity;
}

/* The next of the cohorts saved; @first is where the one before ended, @xcc on which XCC. */
static struct sim_cohort *load_cohort(struct sim_gpu *gpu, struct cursor *from,
				      const struct sim_dispatch *d, u32 first, u32 xcc)
{
	const struct sim_profile *p = gpu->profile;
	struct sim_image_cohort ic;
	struct sim_cohort *c;
	u32 end;

	if (!image_get(from, &ic, sizeof(ic)) || ic.first < first || ic.first >= d->workgroups)
		return NULL;
	while (ic.first - d->parts[xcc].first >= d->parts[xcc].workgroups)
		xcc++;
	end = d->parts[xcc].first + d->parts[xcc].begun;
	if (!ic.workgroups || ic.first > end || ic.workgroups > end - ic.first ||
	    ic.left_ns > sim_longest_ns(p, d))
		return NULL;
	c = sim_cohort_get(gpu);
	if (!c)
		return NULL;
	c->xcc = xcc;
	c->first = ic.first;
	c->workgroups = ic.workgroups;
	c->end = ic.left_ns;
	return c;
}

static bool load_dispatch(struct sim_gpu *gpu, struct cursor *from)
{
	struct sim_queue *q = from->q;
	struct sim_dispatch *d = &q->inflight[q->count];
	u32 i, first = 0, parked = 0, xcc = 0;
	struct sim_cohort *c, **tail = NULL;
	struct sim_image_dispatch im;

	memset(d, 0, sizeof(*d));
	if (!image_get(from, &im, sizeof(im)) ||
	    !plausible(q, d, &im))
		return false;
	q->count++;	/* after this a fault drops its cohorts */
	for (i = 0; i < im.cohorts; i++) {
		c = load_cohort(gpu, from, d, first, xcc);
		if (!c)
			return false;
		if (!tail || c->xcc != xcc)
			tail = &d->parts[c->xcc].parked;
		xcc = c->xcc;
		*tail = c;
		tail = &c->next;
		first = c->first + c->workgroups;
		parked += c->workgroups;
		d->parts[xcc].parked_count += c->workgroups;
	}
	return parked == d->launched - d->finished;
}

bool sim_image_load(struct sim_gpu *gpu, struct sim_queue *q, u32 bytes)
{
	struct sim_image_head head;
	struct cursor from;
	u32 i;

	if (bytes > q->save_bytes || bytes < sizeof(head) ||
	    !sim_read(q, q->save_va, &head, sizeof(head)) ||
	    head.magic != SIM_IMAGE_MAGIC || head.reserved ||
	    head.bytes > bytes || head.bytes < sizeof(head) || head.queue != q->id ||
	    !head.dispatches || head.dispatches > SIM_INFLIGHT)
		return false;
	from = begin_image(q, head.bytes);
	for (i = 0; i < head.dispatches; i++)
		if (!load_dispatch(gpu, &from))
			return false;
	return from.at == head.bytes && head.sum == image_sum(&from, &head);
}
