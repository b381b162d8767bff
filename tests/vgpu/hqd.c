// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues between their MQD and the model.
 *
 * No state is kept of a queue that is not mapped: its state is in its MQD and
 * in its process's save area, as on hardware, and a new queue at the address of
 * an old one starts afresh because amdkfd initialises the MQD.
 *
 * The model has one pool of compute units for all XCCs, so the image is in the
 * first XCC's part of the save area and the sizes are spread over all MQDs.
 */
#include "vgpu.h"
#include "mqd.h"

static_assert(VGPU_SLOTS <= SIM_MAX_QUEUES);

static const struct vgpu_mqd_ops *layout(const struct vgpu_node *node)
{
	return node->vg->gen->mqd;
}

static struct vgpu_queue *slot_of(struct vgpu_node *node, u32 pool, u32 slot)
{
	u32 i = pool ? VGPU_CP_SLOTS + (pool - 1) * VGPU_SDMA_SLOTS + slot : slot;

	return i < VGPU_SLOTS ? &node->slots[i] : NULL;
}

/* Fill in the compute queue's part in the model. NULL, or an error. */
static const char *load_compute(struct vgpu_queue *q, u32 *image, u32 *rptr)
{
	struct vgpu_node *node = q->node;
	struct sim_aql *a = &q->aql;
	struct sim_mqd m;
	const char *why = layout(node)->load(q->mqd, &m);

	if (why)
		return why;
	a->sim.type = SIM_QUEUE_COMPUTE;
	a->sim.priority = m.priority;
	a->sim.queue_priority = m.queue_priority;
	a->sim.halted = m.halted;
	a->sim.cus = m.cus * node->xccs;
	a->sim.save_va = m.save_va + m.stack_bytes;
	a->sim.save_bytes = m.save_bytes - m.stack_bytes;
	a->ring = m.ring;
	a->packets = m.packets;
	a->rptr_va = m.rptr_va;
	a->wptr_va = q->entry.wptr;
	*rptr = m.rptr;
	*image = m.saved ? a->sim.save_bytes : 0;
	return sim_aql_check(a, node->profile);
}

static const char *load(struct vgpu_node *node, struct vgpu_queue *q,
			const struct vgpu_entry *e, u32 pool, u32 *image, u32 *rptr)
{
	*image = 0;
	*rptr = 0;
	q->node = node;
	q->entry = *e;
	q->vm.pd = e->pd;
	q->vm.epoch = 0;	/* another process may have used the slot */
	q->vm.fault = false;
	q->sim.gpu = &node->gpu;
	q->sim.id = e->mqd;
	q->sim.vmid = e->vmid;
	q->reset = 0;
	q->mqd = vgpu_gart_ptr(node->vg, e->mqd);
	if (!q->mqd)
		return "no memory";
	if (e->doorbell * 4 + 8 > node->vg->adev->doorbell.size)
		return "doorbell";
	return pool ? vgpu_sdma_load(q, q->mqd, pool - 1) :
		load_compute(q, image, rptr);
}

/* In the MQD of each XCC. */
static void note(struct vgpu_queue *q, bool in_slot)
{
	void *m;
	u32 xcc;

	for (xcc = 0; xcc < q->node->xccs; xcc++) {
		m = vgpu_hqd_mqd(q, xcc);
		if (m)
			layout(q->node)->note(m, in_slot);
	}
}

struct sim_queue *vgpu_hqd_map(struct vgpu_node *node, const struct vgpu_entry *e,
			       u32 pool, u32 slot, u64 at, const char **why)
{
	struct vgpu_queue *q = slot_of(node, pool, slot);
	u32 image, rptr;

	*why = "slot";
	if (!q || q->sim.state != SIM_QUEUE_OFF)
		return NULL;
	*why = load(node, q, e, pool, &image, &rptr);
	if (*why)
		return NULL;
	q->doorbell = (u64 *)(node->vg->doorbells + e->doorbell * 4);
	WRITE_ONCE(*q->doorbell, VGPU_DOORBELL_QUIET);
	smp_mb();	/* a ring after this is seen, one before is in the index */
	*why = "no room";
	if (sim_queue_map(&node->gpu, &q->sim, at, image) == SIM_NEVER)
		return NULL;
	if (!pool && !sim_aql_load_read(&q->aql, rptr))
		sim_queue_fault(&node->gpu, &q->sim, "write index");
	if (!pool)
		note(q, true);
	*why = NULL;
	vgpu_dbg("map pasid %u doorbell %x pool %u slot %u image %u\n",
		 e->pasid, e->doorbell, pool, slot, image);
	return &q->sim;
}

const char *vgpu_hqd_check(struct vgpu_node *node, const struct vgpu_entry *e, u32 pool)
{
	u32 image, rptr;

	return load(node, &node->scratch, e, pool, &image, &rptr);
}

static bool sdma_has_work(struct vgpu_queue *q)
{
	const struct sim_sdma *s = &q->sdma;
	const u64 *wptr = sim_ptr(&q->sim, s->wptr_va, sizeof(*wptr), false);

	return s->midcmd_cntl & SIM_SDMA_MIDCMD_VALID || !wptr ||
		READ_ONCE(*wptr) != s->read;
}

bool vgpu_hqd_has_work(struct vgpu_node *node, const struct vgpu_entry *e, u32 pool)
{
	struct vgpu_queue *q = &node->scratch;
	u32 image, rptr;

	if (load(node, q, e, pool, &image, &rptr) || q->sim.halted)
		return false;
	if (pool)
		return sdma_has_work(q);
	return image || !sim_aql_load_read(&q->aql, rptr) || q->aql.read != q->aql.write;
}

/* ops->saved: the queue is off; store in its MQDs what the next map needs. */
void vgpu_hqd_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	u32 xccs = q->node->xccs, xcc;
	struct sim_mqd_saved s = {
		.rptr = (u32)(q->aql.read * (SIM_AQL_BYTES / 4)),
		.halted = sim->halted,
		.waves = image_bytes ? DIV_ROUND_UP(max(sim->waves, 1U), xccs) : 0,
		.state_bytes = max_t(u64, state_bytes / xccs, image_bytes),
	};
	void *m;

	if (sim->type == SIM_QUEUE_SDMA) {
		vgpu_sdma_saved(q, q->mqd);
		return;
	}
	for (xcc = 0; xcc < xccs; xcc++) {
		m = vgpu_hqd_mqd(q, xcc);
		if (m)
			layout(q->node)->store(m, &s);
	}
	note(q, false);
	vgpu_fault_saved(q, image_bytes);
	vgpu_dbg("off pasid %u doorbell %x read %llu image %u state %llu\n",
		 q->entry.pasid, q->entry.doorbell, q->aql.read, image_bytes, state_bytes);
}

void *vgpu_hqd_mqd(struct vgpu_queue *q, u32 xcc)
{
	u64 addr = q->entry.mqd + (u64)xcc * layout(q->node)->stride(q->mqd);

	return vgpu_gart_ptr(q->node->vg, addr);
}

/* After a reset on all XCCs the queue is gone, without a save of its waves. */
void vgpu_hqd_reset(struct vgpu_queue *q, u32 xcc)
{
	struct vgpu_node *node = q->node;

	q->reset |= BIT(xcc);
	if (q->reset != BIT(node->xccs) - 1)
		return;
	note(q, false);
	sim_sched_drop(&node->hiq.hws.sched, &q->sim, node->gpu.now);
	vgpu_engine_owners_changed(node->vg);
}

void vgpu_hqd_fault(struct sim_queue *sim, const char *why)
{
	struct vgpu_queue *q = vgpu_queue(sim);

	pr_err("queue of pasid %u doorbell %x halted: %s (%s %llx)\n",
	       q->entry.pasid, q->entry.doorbell, why,
	       sim->blame ? sim->blame : "-", sim->blame_value);
	if (sim->type == SIM_QUEUE_COMPUTE && sim->blame && !q->vm.fault)
		vgpu_interrupt_bad_packet(q);
}

/* Take note of rings since the last scan. */
void vgpu_hqd_scan_doorbells(struct vgpu_node *node)
{
	struct vgpu_queue *q;
	u32 i;

	for (i = 0; i < node->gpu.nr_queues; i++) {
		q = vgpu_queue(node->gpu.queues[i]);
		if (READ_ONCE(*q->doorbell) == VGPU_DOORBELL_QUIET)
			continue;
		/* full barrier: the write index is read after this */
		xchg(q->doorbell, VGPU_DOORBELL_QUIET);
		node->stats.rings++;
		sim_queue_ring(&q->sim);
	}
}

/* Whether a queue of that address space was rung. Without the lock, beside those who have it: a hint. */
bool __no_kcsan vgpu_hqd_rung(const struct vgpu_node *node, const void *mm)
{
	struct vgpu_queue *q;
	u32 i;

	/* entries of the array are set once and point to slots: never stale */
	for (i = 0; i < READ_ONCE(node->gpu.nr_queues); i++) {
		q = vgpu_queue(READ_ONCE(node->gpu.queues[i]));
		if (q->entry.mm == mm && READ_ONCE(*q->doorbell) != VGPU_DOORBELL_QUIET)
			return true;
	}
	return false;
}

/* Waves of a slot on one XCC, counted from the node's first. */
u32 vgpu_hqd_waves(const struct vgpu_node *node, u32 slot, u32 xcc)
{
	const struct vgpu_queue *q = &node->slots[slot];

	if (q->sim.state == SIM_QUEUE_OFF)
		return 0;
	/* the first XCCs get the remainder */
	return (q->sim.waves + node->xccs - 1 - xcc) / node->xccs;
}
