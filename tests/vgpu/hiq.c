// SPDX-License-Identifier: GPL-2.0-only
/*
 * The firmware of gfx9 (sim/model/firmware/hws.c) between amdkfd's HIQ and the hardware slots.
 *
 * A refused packet is logged and counted; then the firmware stops answering, so
 * that amdkfd's own time-outs expire.
 */
#include "vgpu.h"
#include "vgpu_trace.h"
#include "mqd.h"
#include "firmware/pm4.h"
#include "gc/gc_9_4_3_sh_mask.h"

/* The address space whose doorbell writes ring that process's queues. */
const void *vgpu_mm_of_pasid(u32 pasid)
{
	struct kfd_process *p = compat_process_by_pasid(pasid);
	const void *mm;

	if (!p)
		return NULL;
	mm = p->mm;
	vgpu_calls.kfd_unref_process(p);
	return mm;
}

static void *hws_memory(void *owner, u64 addr, u32 bytes)
{
	struct vgpu_node *node = owner;

	return vgpu_gart_ptr(node->vg, addr);
}

static void hws_process(void *owner, struct sim_hws_process *p)
{
	p->user = vgpu_mm_of_pasid(p->pasid);
}

static struct vgpu_entry entry_of(const struct sim_hws_queue *q)
{
	const struct sim_hws_process *p = sim_hws_process(q);
	struct vgpu_entry e = {
		.mqd = q->mqd,
		.pd = p->pd,
		.wptr = q->wptr_va,
		.mm = p->user,
		.pasid = p->pasid,
		.doorbell = q->doorbell,
		.vmid = max(p->sched.vmid, 0),
	};

	return e;
}

static void hws_queue(void *owner, struct sim_hws_queue *q)
{
	struct vgpu_node *node = owner;
	const void *m = q->sched.pool ? NULL : vgpu_gart_ptr(node->vg, q->mqd);

	if (m)
		q->sched.quantum_ns = node->vg->gen->mqd->quantum_ns(m);
}

static struct sim_queue *hws_map(void *owner, struct sim_hws_queue *q, u64 t)
{
	struct vgpu_node *node = owner;
	struct vgpu_entry e = entry_of(q);

	return vgpu_hqd_map(node, &e, q->sched.pool, q->sched.slot, t, &node->hiq.hws.why);
}

static void hws_changed(void *owner)
{
	struct vgpu_node *node = owner;

	vgpu_engine_owners_changed(node->vg);
}

static void hws_refused(void *owner, const char *why, const u32 *p, u32 dwords)
{
	struct vgpu_node *node = owner;

	pr_err("node %u: the firmware stops: %s\n", node->index, why);
	if (dwords)
		print_hex_dump(KERN_ERR, "vgpu: packet ", DUMP_PREFIX_OFFSET, 32, 4,
			       p, dwords * 4, false);
}

static bool hws_stop(void *owner, const u32 *p)
{
	struct vgpu_node *node = owner;

	trace_hiq_packet(node, pm4_opcode(p[0]), node->gpu.now);
	return vgpu_fault_stop(owner, pm4_opcode(p[0]));
}

static u64 hws_late(void *owner)
{
	return vgpu_fault_late(owner);
}

static bool hws_stuck(void *owner, const struct sim_hws_queue *q)
{
	return vgpu_fault_stuck(owner, q);
}

static const struct sim_hws_ops hws_ops = {
	.memory = hws_memory,
	.process = hws_process,
	.queue = hws_queue,
	.map = hws_map,
	.changed = hws_changed,
	.refused = hws_refused,
	.stop = hws_stop,
	.late = hws_late,
	.stuck = hws_stuck,
};

void vgpu_hiq_load(struct vgpu_node *node, u32 xcc, struct v9_mqd *m, u32 doorbell)
{
	struct vgpu_hiq *h = &node->hiq;
	unsigned long flags;

	raw_spin_lock_irqsave(&node->vg->lock, flags);
	h->mqd[xcc] = m;
	h->doorbell = doorbell;
	if (xcc)
		goto unlock;
	sim_hws_load(&h->hws, ((u64)m->cp_hqd_pq_base_hi << 32 | m->cp_hqd_pq_base_lo) << 8,
		     2U << (m->cp_hqd_pq_control & CP_HQD_PQ_CONTROL__QUEUE_SIZE_MASK),
		     (u64)m->cp_hqd_pq_rptr_report_addr_hi << 32 |
		     m->cp_hqd_pq_rptr_report_addr_lo);
unlock:
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
}

void vgpu_hiq_unload(struct vgpu_node *node)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&node->vg->lock, flags);
	sim_hws_unload(&node->hiq.hws);
	memset(node->hiq.mqd, 0, sizeof(node->hiq.mqd));
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
}

/* A doorbell of the driver's was rung, perhaps the HIQ's; the lock is held. */
void vgpu_hiq_ring(struct vgpu_node *node, u64 now)
{
	struct vgpu_hiq *h = &node->hiq;
	u32 wptr;

	if (!h->hws.loaded)
		return;
	wptr = readq(node->vg->doorbells + h->doorbell * 4) & (h->hws.dwords - 1);
	if (wptr == h->hws.wptr)
		return;
	trace_hiq_ring(node, now);
	sim_hws_ring(&h->hws, wptr, now);
}

/* ---- struct vgpu_firmware ---- */

static void init(struct vgpu_node *node)
{
	sim_hws_init(&node->hiq.hws, &node->gpu, &hws_ops, node);
}

static void reset(struct vgpu_node *node)
{
	sim_hws_reset(&node->hiq.hws);
}

static u64 next(const struct vgpu_node *node)
{
	return sim_hws_next_event(&node->hiq.hws);
}

static void step(struct vgpu_node *node, u64 t)
{
	const struct sim_hws *h = &node->hiq.hws;
	struct vgpu_stats *s = &node->stats;

	if (sim_hws_next_event(h) > t)
		return;
	sim_hws_step(&node->hiq.hws, t);
	s->set_resources = h->stats.set_resources;
	s->unmap_queues = h->stats.unmap_queues;
	s->run_list = h->stats.run_list;
	s->map_process = h->stats.map_process;
	s->map_queues = h->stats.map_queues;
	s->map_gws = h->stats.map_gws;
	s->query_status = h->stats.query_status;
	s->write_data = h->stats.write_data;
	s->slices = h->sched.stats.process_turns + h->sched.stats.queue_turns;
	s->bad_packets = h->stats.bad_packets;
	s->bad_runlists = h->stats.bad_runlists;
	s->bad_queues = h->stats.bad_queues;
}

static bool owes(struct vgpu_node *node)
{
	return sim_hws_owes(&node->hiq.hws);
}

static void preempted(struct vgpu_node *node, u64 t)
{
	sim_hws_preempted(&node->hiq.hws, t);
}

const struct vgpu_firmware vgpu_hws = {
	.init = init,
	.reset = reset,
	.next = next,
	.step = step,
	.owes = owes,
	.preempted = preempted,
};
