// SPDX-License-Identifier: GPL-2.0-only
/*
 * User queues between their MQD and the model.
 *
 * Nothing is remembered of a queue that is not mapped: what it was doing is
 * in its MQD and in its process's save area, where hardware leaves it, and a
 * new queue at the address of an old one starts afresh because amdkfd
 * initialises the MQD. Fields used, all as the hardware uses them:
 *
 *   cp_hqd_pq_rptr            read index in dwords, modulo 2^32
 *   cp_hqd_cntl_stack_offset  equals cp_hqd_cntl_stack_size when no wave was
 *                             saved; lower by 8 bytes a wave otherwise
 *   cp_hqd_wg_state_offset    end of the saved wave state
 *
 * The model has one pool of compute units for all XCCs, so the image is in the
 * first XCC's part of the save area and the sizes are spread over all MQDs.
 */
#include "vgpu.h"

static_assert(VGPU_SLOTS <= SIM_MAX_QUEUES);

static struct v9_mqd *mqd_of_xcc(struct vgpu_queue *q, u32 xcc)
{
	u64 addr = q->entry.mqd + (u64)xcc * q->mqd->cp_mqd_stride_size;

	return vgpu_gart_ptr(q->node->vg, addr);
}

static struct vgpu_queue *free_slot(struct vgpu_node *node)
{
	u32 i;

	for (i = 0; i < node->profile->hqds; i++)
		if (node->slots[i].sim.state == SIM_QUEUE_OFF)
			return &node->slots[i];
	return NULL;
}

/* The 64-bit read index: the MQD's low half, extended by the write index. */
static bool load_indices(struct vgpu_queue *q)
{
	u64 *wptr = vgpu_vm_ptr(q, q->entry.wptr, sizeof(*wptr));
	u32 behind;

	if (!wptr)
		return false;
	q->write = smp_load_acquire(wptr);	/* then the packets */
	behind = (u32)(q->write * 16) - q->mqd->cp_hqd_pq_rptr;
	q->read = q->write - behind / 16;
	return true;
}

static void load_mqd(struct vgpu_node *node, struct vgpu_queue *q,
		     const struct vgpu_entry *e, struct v9_mqd *m)
{
	q->node = node;
	q->entry = *e;
	q->vm.pd = e->pd;
	q->vm.epoch = 0;	/* another process may have used the slot */
	q->mqd = m;
	q->ring = ((u64)m->cp_hqd_pq_base_hi << 32 | m->cp_hqd_pq_base_lo) << 8;
	q->packets = (2ULL << (m->cp_hqd_pq_control & 0x3f)) / 16;
	q->rptr = (u64)m->cp_hqd_pq_rptr_report_addr_hi << 32 |
		m->cp_hqd_pq_rptr_report_addr_lo;
	q->save = ((u64)m->cp_hqd_ctx_save_base_addr_hi << 32 |
		   m->cp_hqd_ctx_save_base_addr_lo) + m->cp_hqd_cntl_stack_size;
	q->save_bytes = m->cp_hqd_ctx_save_size - m->cp_hqd_cntl_stack_size;
	q->doorbell = (u64 *)(node->vg->doorbells + e->doorbell * 4);
	WRITE_ONCE(*q->doorbell, VGPU_DOORBELL_QUIET);
	smp_mb();	/* a ring after this is seen, one before is in the index */
}

/* Put a queue into a free slot. Returns when it is up, SIM_NEVER if refused. */
u64 vgpu_hqd_map(struct vgpu_node *node, const struct vgpu_entry *e, u64 at)
{
	struct vgpu_queue *q = free_slot(node);
	struct v9_mqd *m = vgpu_gart_ptr(node->vg, e->mqd);
	u32 image;

	if (!q || !m)
		return SIM_NEVER;
	if (!(m->cp_hqd_aql_control & 1)) {
		node->stats.bad_queues++;
		pr_err("pasid %u doorbell %x: not an AQL queue\n", e->pasid, e->doorbell);
		return SIM_NEVER;
	}
	load_mqd(node, q, e, m);
	image = m->cp_hqd_cntl_stack_offset != m->cp_hqd_cntl_stack_size ?
		q->save_bytes : 0;
	at = sim_queue_map(&node->gpu, &q->sim, m->cp_hqd_pipe_priority, at, image);
	if (!load_indices(q))
		sim_queue_fault(&node->gpu, &q->sim, "write index");
	vgpu_dbg("map pasid %u doorbell %x read %llu write %llu image %u\n",
		 e->pasid, e->doorbell, q->read, q->write, image);
	return at;
}

/* The queue is off: leave in its MQDs what the next map needs to know. */
void vgpu_hqd_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	u32 xccs = q->node->xccs;
	u32 state = state_bytes / xccs, stack, xcc;
	struct v9_mqd *m;

	for (xcc = 0; xcc < xccs; xcc++) {
		m = mqd_of_xcc(q, xcc);
		if (!m)
			continue;
		stack = image_bytes ? 8 * DIV_ROUND_UP(max(sim->waves, 1U), xccs) : 0;
		m->cp_hqd_pq_rptr = (u32)(q->read * 16);
		m->cp_hqd_cntl_stack_offset = m->cp_hqd_cntl_stack_size -
			min(stack, m->cp_hqd_cntl_stack_size);
		m->cp_hqd_wg_state_offset = m->cp_hqd_cntl_stack_size +
			min(max(state, image_bytes), q->save_bytes);
	}
	vgpu_dbg("off pasid %u doorbell %x read %llu image %u state %llu\n",
		 q->entry.pasid, q->entry.doorbell, q->read, image_bytes, state_bytes);
}

bool vgpu_hqd_save(struct sim_queue *sim, u32 offset, const void *from, u32 n)
{
	struct vgpu_queue *q = vgpu_queue(sim);

	return offset + n <= q->save_bytes &&
		vgpu_vm_write(q, q->save + offset, from, n);
}

bool vgpu_hqd_load(struct sim_queue *sim, u32 offset, void *to, u32 n)
{
	struct vgpu_queue *q = vgpu_queue(sim);

	return offset + n <= q->save_bytes &&
		vgpu_vm_read(q, q->save + offset, to, n);
}

void vgpu_hqd_fault(struct sim_queue *sim, const char *why)
{
	struct vgpu_queue *q = vgpu_queue(sim);

	pr_err("queue of pasid %u doorbell %x halted: %s\n",
	       q->entry.pasid, q->entry.doorbell, why);
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

/* Whether a queue of that address space was rung. Without the lock: a hint. */
bool vgpu_hqd_rung(const struct vgpu_node *node, const void *mm)
{
	const struct vgpu_queue *q;
	u32 i;

	for (i = 0; i < node->profile->hqds; i++) {
		q = &node->slots[i];
		if (q->entry.mm == mm && q->sim.state != SIM_QUEUE_OFF &&
		    READ_ONCE(*q->doorbell) != VGPU_DOORBELL_QUIET)
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
