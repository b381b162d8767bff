// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler firmware (HWS): reads PM4 packets from the HIQ and acts.
 *
 * Packets are taken one after the other, each costs hiq_packet_ns, and an
 * UNMAP_QUEUES keeps the next one waiting until its context save has taken
 * its time: that is what makes the fence of QUERY_STATUS mean something.
 *
 * A runlist with more queues than slots, or more processes than VMIDs, comes
 * with a chained RUN_LIST at its end; then the firmware rotates through it by
 * the process quantum, saving and restoring like any other preemption.
 *
 * Whatever is not understood is refused, logged and counted, never ignored.
 */
#include "vgpu.h"
#include "kfd_pm4_headers_ai.h"
#include "kfd_pm4_headers_aldebaran.h"
#include "kfd_pm4_opcodes.h"
#include "gc/gc_9_4_3_sh_mask.h"

#define PM4_TYPE3		3
#define PM4_MAX_DWORDS		32
#define REG_CP_IQ_WAIT_TIME2	0x10b0	/* gc_9_4_3_offset.h, segment base 0 */
#define PROCESS_QUANTUM_NS	(10 * NSEC_PER_MSEC)

/* State while one runlist is read. */
struct runlist_parser {
	struct vgpu_node *node;
	u32 pasid;
	u64 pd;
	const void *mm;
	bool chained;
	bool bad;
};

static u32 pm4_opcode(u32 header)
{
	return (header >> 8) & 0xff;
}

static u32 pm4_dwords(u32 header)
{
	return ((header >> 16) & 0x3fff) + 2;
}

static void refuse_packet(struct vgpu_node *node, const char *where, const u32 *p)
{
	node->stats.bad_packets++;
	pr_err("%s: packet %08x %08x %08x refused\n", where, p[0], p[1], p[2]);
}

void vgpu_hiq_load(struct vgpu_node *node, const struct v9_mqd *m, u32 doorbell)
{
	struct vgpu_hiq *h = &node->hiq;
	unsigned long flags;

	raw_spin_lock_irqsave(&node->vg->lock, flags);
	h->base = ((u64)m->cp_hqd_pq_base_hi << 32 | m->cp_hqd_pq_base_lo) << 8;
	h->dwords = 2U << (m->cp_hqd_pq_control & 0x3f);
	h->rptr_report = (u64)m->cp_hqd_pq_rptr_report_addr_hi << 32 |
		m->cp_hqd_pq_rptr_report_addr_lo;
	h->doorbell = doorbell;
	h->rptr = 0;
	h->at = SIM_NEVER;
	h->unmapping = false;
	h->hung = false;
	h->iq_wait_time2 = node->profile->grace_default <<
		CP_IQ_WAIT_TIME2__SCH_WAVE__SHIFT;
	h->loaded = true;
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
}

void vgpu_hiq_unload(struct vgpu_node *node)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&node->vg->lock, flags);
	node->hiq.loaded = false;
	node->hiq.at = SIM_NEVER;
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
}

/* The doorbell was rung; node->vg->lock held. */
void vgpu_hiq_ring(struct vgpu_node *node, u64 now)
{
	if (node->hiq.loaded && node->hiq.at == SIM_NEVER && !node->hiq.unmapping &&
	    !node->hiq.hung)
		node->hiq.at = now + node->profile->hiq_packet_ns;
}

/* When the firmware acts next: not while queues are being taken off. */
u64 vgpu_hiq_next(const struct vgpu_node *node)
{
	if (node->gpu.preempt != SIM_PREEMPT_NONE)
		return SIM_NEVER;
	return min(node->hiq.at, node->slice_at);
}

static u64 grace_ns(struct vgpu_node *node)
{
	u32 units = (node->hiq.iq_wait_time2 & CP_IQ_WAIT_TIME2__SCH_WAVE_MASK) >>
		CP_IQ_WAIT_TIME2__SCH_WAVE__SHIFT;

	if (!units)	/* the firmware takes 0 as no limit */
		return SIM_NEVER;
	return (u64)units * 1000 * 1000 / node->profile->clock_mhz;
}

/* ---- runlists ---- */

/* Load entries from runlist_first on, as many as slots and VMIDs allow. */
static void map_window(struct vgpu_node *node, u64 t)
{
	struct vgpu_entry *e;
	u32 i, pasid = 0, processes = 0;
	u64 ready;

	node->runlist_mapped = 0;
	for (i = 0; i < node->runlist_len && i < node->profile->hqds; i++) {
		e = &node->runlist[(node->runlist_first + i) % node->runlist_len];
		if (e->pasid != pasid && ++processes > node->profile->vmids)
			break;
		pasid = e->pasid;
		ready = vgpu_hqd_map(node, e, t);
		if (ready != SIM_NEVER)
			t = ready;
		node->runlist_mapped++;
	}
	node->slice_at = node->runlist_mapped < node->runlist_len ?
		t + PROCESS_QUANTUM_NS : SIM_NEVER;
	vgpu_engine_owners_changed(node->vg);
}

/* The address space whose doorbell writes concern that process's queues. */
static const void *mm_of_pasid(struct vgpu_node *node, u32 pasid)
{
	struct kfd_process *p = vgpu_calls.kfd_lookup_process_by_pasid(pasid);
	const void *mm;

	if (!p)
		return NULL;
	mm = p->mm;
	vgpu_calls.kfd_unref_process(p);
	return mm;
}

static void parse_map_process(struct runlist_parser *rp, const u32 *p)
{
	const struct pm4_mes_map_process *m = (const void *)p;

	rp->node->stats.map_process++;
	rp->pasid = m->bitfields2.pasid;
	rp->pd = (u64)m->vm_context_page_table_base_addr_hi32 << 32 |
		m->vm_context_page_table_base_addr_lo32;
	rp->mm = mm_of_pasid(rp->node, rp->pasid);
}

static void parse_map_queues(struct runlist_parser *rp, const u32 *p)
{
	const struct pm4_mes_map_queues *m = (const void *)p;
	struct vgpu_node *node = rp->node;
	struct vgpu_entry *e = &node->runlist[node->runlist_len];

	node->stats.map_queues++;
	if (m->bitfields2.engine_sel != engine_sel__mes_map_queues__compute_vi ||
	    m->bitfields2.extended_engine_sel || m->bitfields2.num_queues != 1) {
		node->stats.bad_queues++;
		pr_err("MAP_QUEUES: only compute queues exist here\n");
		return;
	}
	if (node->runlist_len == VGPU_RUNLIST) {
		rp->bad = true;
		return;
	}
	e->mqd = (u64)m->mqd_addr_hi << 32 | m->mqd_addr_lo;
	e->wptr = (u64)m->wptr_addr_hi << 32 | m->wptr_addr_lo;
	e->doorbell = m->bitfields3.doorbell_offset;
	e->pasid = rp->pasid;
	e->pd = rp->pd;
	e->mm = rp->mm;
	e->is_static = m->bitfields2.queue_type !=
		queue_type__mes_map_queues__normal_compute_vi;
	node->runlist_len++;
}

static void parse_runlist_packet(struct runlist_parser *rp, const u32 *p)
{
	switch (pm4_opcode(p[0])) {
	case IT_MAP_PROCESS:
		parse_map_process(rp, p);
		break;
	case IT_MAP_QUEUES:
		parse_map_queues(rp, p);
		break;
	case IT_RUN_LIST:	/* back to the beginning: over-subscribed */
		rp->chained = true;
		break;
	case IT_NOP:
		break;
	default:
		refuse_packet(rp->node, "runlist", p);
		rp->bad = true;
	}
}

static void parse_runlist(struct runlist_parser *rp, u64 ib, u32 dwords)
{
	u32 packet[PM4_MAX_DWORDS], i, j, n;
	u32 *p;

	for (i = 0; i < dwords && !rp->bad; i += n) {
		p = vgpu_gart_ptr(rp->node->vg, ib + i * 4);
		if (!p)
			break;
		n = *p ? pm4_dwords(*p) : 1;	/* zeros pad the buffer */
		if (n == 1)
			continue;
		if (n > PM4_MAX_DWORDS || i + n > dwords) {
			rp->node->stats.bad_packets++;
			pr_err("runlist: packet %08x too long\n", *p);
			rp->bad = true;
			break;
		}
		memset(packet, 0, sizeof(packet));
		for (j = 0; j < n; j++) {
			p = vgpu_gart_ptr(rp->node->vg, ib + (i + j) * 4);
			packet[j] = p ? *p : 0;
		}
		parse_runlist_packet(rp, packet);
	}
}

static void run_list(struct vgpu_node *node, const u32 *p, u64 t)
{
	const struct pm4_mes_runlist *m = (const void *)p;
	struct runlist_parser rp = { .node = node };
	u64 ib = (u64)m->ib_base_hi << 32 | (m->ordinal2 & ~3U);

	node->stats.run_list++;
	if (node->gpu.nr_queues) {
		node->stats.bad_runlists++;
		pr_err("RUN_LIST while %u queues are mapped: refused\n",
		       node->gpu.nr_queues);
		return;
	}
	node->runlist_len = 0;
	node->runlist_first = 0;
	parse_runlist(&rp, ib, m->bitfields4.ib_size);
	vgpu_dbg("RUN_LIST %u queues chained %d\n", node->runlist_len, rp.chained);
	map_window(node, t);
	if (rp.bad || (node->slice_at != SIM_NEVER && !rp.chained)) {
		node->stats.bad_runlists++;
		pr_err("RUN_LIST: %u queues do not fit\n", node->runlist_len);
	}
}

/* ---- taking queues off ---- */

static bool selected(const struct pm4_mes_unmap_queues *m, const struct vgpu_entry *e)
{
	const u32 *doorbell = &m->ordinal3;
	u32 i;

	switch (m->bitfields2.queue_sel) {
	case queue_sel__mes_unmap_queues__unmap_all_queues:
		return true;
	case queue_sel__mes_unmap_queues__unmap_all_non_static_queues:
		return !e->is_static;
	case queue_sel__mes_unmap_queues__perform_request_on_pasid_queues:
		return e->pasid == m->bitfields3a.pasid;
	case queue_sel__mes_unmap_queues__perform_request_on_specified_queues:
		for (i = 0; i < m->bitfields2.num_queues && i < 4; i++)
			if (((doorbell[i] >> 2) & 0x3ffffff) == e->doorbell)
				return true;
	}
	return false;
}

/* The runlist no longer contains what was unmapped, also if it had no slot. */
static void forget_selected(struct vgpu_node *node, const struct pm4_mes_unmap_queues *m)
{
	u32 i, kept = 0;

	for (i = 0; i < node->runlist_len; i++)
		if (!selected(m, &node->runlist[i]))
			node->runlist[kept++] = node->runlist[i];
	node->runlist_len = kept;
	node->runlist_first = 0;
	if (!kept)
		node->slice_at = SIM_NEVER;
}

static void unmap_queues(struct vgpu_node *node, const u32 *p, u64 t)
{
	const struct pm4_mes_unmap_queues *m = (const void *)p;
	u32 i;

	node->stats.unmap_queues++;
	if (m->bitfields2.action != action__mes_unmap_queues__preempt_queues ||
	    m->bitfields2.engine_sel != engine_sel__mes_unmap_queues__compute) {
		refuse_packet(node, "UNMAP_QUEUES", p);
		return;
	}
	for (i = 0; i < node->gpu.nr_queues; i++)
		if (selected(m, &vgpu_queue(node->gpu.queues[i])->entry))
			sim_queue_stop(node->gpu.queues[i]);
	forget_selected(node, m);
	node->hiq.unmapping = true;
	node->hiq.at = SIM_NEVER;
	sim_preempt(&node->gpu, t, grace_ns(node));
}

static void begin_slice(struct vgpu_node *node, u64 t)
{
	u32 i;

	node->stats.slices++;
	node->slice_at = SIM_NEVER;
	for (i = 0; i < node->gpu.nr_queues; i++)
		sim_queue_stop(node->gpu.queues[i]);
	sim_preempt(&node->gpu, t, grace_ns(node));
}

/* ops->preempted: an unmap or the end of a quantum is complete. */
void vgpu_hiq_preempted(struct vgpu_node *node, u64 t)
{
	if (node->hiq.unmapping) {
		node->hiq.unmapping = false;
		node->hiq.at = t + node->profile->hiq_packet_ns;
		vgpu_engine_owners_changed(node->vg);
		return;
	}
	node->runlist_first = (node->runlist_first + node->runlist_mapped) %
		node->runlist_len;
	map_window(node, t);
}

/* ---- the other packets ---- */

static void query_status(struct vgpu_node *node, const u32 *p)
{
	const struct pm4_mes_query_status *m = (const void *)p;
	u64 *fence = vgpu_gart_ptr(node->vg, (u64)m->addr_hi << 32 | m->addr_lo);

	node->stats.query_status++;
	if (READ_ONCE(vgpu_hang)) {
		pr_info("fault injection: firmware hangs\n");
		node->hiq.hung = true;
		node->hiq.at = SIM_NEVER;
		return;
	}
	if (fence)	/* after everything the firmware wrote before */
		smp_store_release(fence, (u64)m->data_hi << 32 | m->data_lo);
}

static void write_data(struct vgpu_node *node, const u32 *p)
{
	const struct pm4_mec_write_data_mmio *m = (const void *)p;

	node->stats.write_data++;
	if (m->bitfields2.dst_sel != 0 ||
	    m->bitfields3.dst_mmreg_addr != REG_CP_IQ_WAIT_TIME2) {
		refuse_packet(node, "WRITE_DATA", p);
		return;
	}
	node->hiq.iq_wait_time2 = m->data;
}

static void packet(struct vgpu_node *node, const u32 *p, u64 t)
{
	switch (pm4_opcode(p[0])) {
	case IT_SET_RESOURCES:
		node->stats.set_resources++;
		break;
	case IT_RUN_LIST:
		run_list(node, p, t);
		break;
	case IT_UNMAP_QUEUES:
		unmap_queues(node, p, t);
		break;
	case IT_QUERY_STATUS:
		query_status(node, p);
		break;
	case IT_WRITE_DATA:
		write_data(node, p);
		break;
	default:
		refuse_packet(node, "HIQ", p);
	}
}

static u32 hiq_dword(struct vgpu_node *node, u32 i)
{
	u32 *p = vgpu_gart_ptr(node->vg, node->hiq.base + (i % node->hiq.dwords) * 4);

	return p ? READ_ONCE(*p) : 0;
}

/* Copy the packet at the read pointer; returns its length, 0 if none. */
static u32 next_packet(struct vgpu_node *node, u32 *p)
{
	struct vgpu_hiq *h = &node->hiq;
	u32 wptr, header, n, i;

	wptr = readq(node->vg->doorbells + h->doorbell * 4) % h->dwords;
	while (h->rptr != wptr) {
		header = hiq_dword(node, h->rptr);
		if (header >> 30 == PM4_TYPE3 && pm4_opcode(header) != IT_NOP)
			break;
		h->rptr = (h->rptr + 1) % h->dwords;	/* filler at the wrap */
	}
	if (h->rptr == wptr)
		return 0;
	n = pm4_dwords(header);
	memset(p, 0, PM4_MAX_DWORDS * 4);
	for (i = 0; i < n && i < PM4_MAX_DWORDS; i++)
		p[i] = hiq_dword(node, h->rptr + i);
	return n;
}

static void report_rptr(struct vgpu_node *node)
{
	u32 *p = vgpu_gart_ptr(node->vg, node->hiq.rptr_report);

	if (p)
		WRITE_ONCE(*p, node->hiq.rptr);
}

/* The firmware's turn at time @t; node->vg->lock held. */
void vgpu_hiq_step(struct vgpu_node *node, u64 t)
{
	struct vgpu_hiq *h = &node->hiq;
	u32 p[PM4_MAX_DWORDS], n;

	if (vgpu_hiq_next(node) > t)
		return;
	if (h->at > t) {
		begin_slice(node, t);
		return;
	}
	n = next_packet(node, p);
	if (!n) {
		h->at = SIM_NEVER;
		return;
	}
	h->at = t + node->profile->hiq_packet_ns;
	h->rptr = (h->rptr + n) % h->dwords;
	packet(node, p, t);
	report_rptr(node);
}
