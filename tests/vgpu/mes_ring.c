// SPDX-License-Identifier: GPL-2.0-only
/*
 * MES, the micro engine scheduler: reads API frames from the ring that amdgpu
 * writes, and answers. sim/model/firmware/mes.c has the effects of calls; this file has the
 * frames, the MQDs, and the addresses of the answers.
 *
 * amdgpu follows each call with QUERY_SCHEDULER_STATUS, and waits for the fence
 * of that one. A refused call does not write its own fence, so that amdgpu
 * detects it at once; a call that is never answered costs its time-out.
 */
#include <linux/vmalloc.h>

#include "vgpu.h"
#include "mes_ring.h"
#include "mes_v11_api_def.h"
#include "gc/gc_11_0_0_sh_mask.h"

#define FRAME_DWORDS	API_FRAME_SIZE_IN_DWORDS
#define QUANTUM_NS	100	/* unit of a quantum in ADD_QUEUE */

/* A frame, as the ring has it. */
union frame {
	u32 dwords[FRAME_DWORDS];
	union MES_API_HEADER header;
	union MESAPI_SET_HW_RESOURCES resources;
	union MESAPI_SET_HW_RESOURCES_1 more_resources;
	union MESAPI__ADD_QUEUE add;
	union MESAPI__REMOVE_QUEUE remove;
	union MESAPI__SUSPEND suspend;
	union MESAPI__RESUME resume;
	union MESAPI__QUERY_MES_STATUS query;
	union MESAPI__MISC misc;
};

static_assert(sizeof(union frame) == FRAME_DWORDS * 4);

static struct vgpu_mes_queue *to_queue(struct sim_mes_queue *q)
{
	return container_of(q, struct vgpu_mes_queue, mes);
}

/* ---- the ring ---- */

static u32 ring_dword(struct vgpu_node *node, u64 i)
{
	struct vgpu_mes *m = node->mes;
	u32 *p = vgpu_gart_ptr(node->vg, m->base + (i % m->dwords) * 4);

	return p ? READ_ONCE(*p) : 0;
}

/* Copy the frame at the read pointer. False: there is none. */
static bool next_frame(struct vgpu_node *node, union frame *f)
{
	struct vgpu_mes *m = node->mes;
	u64 wptr = readq(node->vg->doorbells + m->doorbell * 4);
	u32 i;

	if (m->rptr >= wptr)
		return false;
	for (i = 0; i < FRAME_DWORDS; i++)
		f->dwords[i] = ring_dword(node, m->rptr + i);
	return true;
}

static void consume(struct vgpu_node *node)
{
	struct vgpu_mes *m = node->mes;
	u32 *report = vgpu_gart_ptr(node->vg, m->rptr_report);

	m->rptr += FRAME_DWORDS;
	if (report)
		WRITE_ONCE(*report, m->rptr);
}

/* ---- frames ---- */

static struct vgpu_mes_queue *unused_queue(struct vgpu_mes *m)
{
	u32 i;

	for (i = 0; i < SIM_MES_QUEUES; i++)
		if (!m->queues[i].used)
			return &m->queues[i];
	return NULL;
}

/* Read what only the MQD has. False: there is no MQD. */
static bool look_at_mqd(struct vgpu_node *node, enum MES_QUEUE_TYPE type,
			struct vgpu_mes_queue *q)
{
	const void *mqd = vgpu_gart_ptr(node->vg, q->entry.mqd);

	if (!mqd)
		return false;
	vgpu_mqd_v11_look(mqd, type == MES_QUEUE_TYPE_SDMA, &q->mqd);
	q->entry.wptr = q->mqd.wptr_va;
	return true;
}

/*
 * Kernel queues, TMZ and GDS are not modelled. A queue with GWS is to be
 * scheduled exclusively; its effect on others is not documented. Here it has no
 * effect: known kernels carry out barriers of a grid.
 */
static bool is_modelled(const union MESAPI__ADD_QUEUE *p)
{
	return !p->paging && !p->debug_vmid && !p->program_gds &&
		!p->is_gang_suspended && !p->is_tmz_queue &&
		!p->map_kiq_utility_queue && !p->map_legacy_kq &&
		!p->is_long_running &&
		!p->is_dwm_queue && !p->is_video_blit_queue && p->is_kfd_process;
}

static void parse_add(struct vgpu_node *node, const union MESAPI__ADD_QUEUE *p,
		      struct sim_mes_call *call)
{
	struct vgpu_mes_queue *q = unused_queue(node->mes);

	call->op = SIM_MES_OPS;		/* refused */
	if (!q || !is_modelled(p))
		return;
	memset(q, 0, sizeof(*q));
	q->entry.mqd = p->mqd_addr;
	q->entry.pd = p->page_table_base_addr;
	q->entry.pasid = p->process_id;
	q->entry.doorbell = p->doorbell_offset;
	q->entry.mm = vgpu_mm_of_pasid(p->process_id);
	q->wptr = p->wptr_addr;
	q->ring_dwords = p->gds_size;	/* for queues of amdkfd */
	q->mes.process = p->process_context_addr;
	q->mes.gang = p->gang_context_addr;
	q->mes.doorbell = p->doorbell_offset;
	q->mes.level = p->gang_global_priority_level;
	q->mes.priority = p->inprocess_gang_priority;
	q->mes.process_quantum_ns = p->process_quantum * QUANTUM_NS;
	q->mes.gang_quantum_ns = p->gang_quantum * QUANTUM_NS;
	if (!look_at_mqd(node, p->queue_type, q))
		return;
	q->mes.entry.pool = p->queue_type == MES_QUEUE_TYPE_COMPUTE ? 0 :
		p->queue_type == MES_QUEUE_TYPE_SDMA ? 1 + q->mqd.engine : SIM_POOLS;
	q->used = true;
	call->op = SIM_MES_ADD;
	call->add = &q->mes;
}

static void parse_misc(struct vgpu_node *node, const union MESAPI__MISC *p,
		       struct sim_mes_call *call)
{
	/* there is no debugger here: what is set for one has no effect */
	if (p->opcode == MESAPI_MISC__SET_SHADER_DEBUGGER) {
		node->stats.mes_misc++;
		return;
	}
	call->op = SIM_MES_OPS;
}

static bool count_bits(const u32 *masks, u32 n, u32 want)
{
	u32 i, bits = 0;

	for (i = 0; i < n; i++)
		bits += hweight32(masks[i]);
	return bits == want;
}

/* The resources that amdgpu gives to MES must be those of the profile. */
static void parse_resources(struct vgpu_node *node,
			    const union MESAPI_SET_HW_RESOURCES *p,
			    struct sim_mes_call *call)
{
	const struct sim_profile *profile = node->profile;
	u32 vmids = p->vmid_mask_gfxhub & (BIT(SIM_MAX_VMIDS) - 1);

	node->stats.set_resources++;
	if (count_bits(p->compute_hqd_mask, MAX_COMPUTE_PIPES, profile->hqds) &&
	    count_bits(p->sdma_hqd_mask, MAX_SDMA_PIPES,
		       profile->sdma_engines * profile->sdma_queues) &&
	    hweight32(vmids) == profile->vmids) {
		node->mes->sim.sched.vmid_mask = vmids;
		return;
	}
	pr_err("SET_HW_RSRC: other slots or VMIDs than the profile's\n");
	call->op = SIM_MES_OPS;
}

/* Turn a frame into a call; SIM_MES_OPS: refuse it. Returns where its fence is. */
static const struct MES_API_STATUS *parse(struct vgpu_node *node, const union frame *f,
					  struct sim_mes_call *call)
{
	call->op = SIM_MES_OTHER;
	switch (f->header.opcode) {
	case MES_SCH_API_SET_HW_RSRC:
		parse_resources(node, &f->resources, call);
		return &f->resources.api_status;
	/* addresses of information and of a fence for which nothing here waits */
	case MES_SCH_API_SET_HW_RSRC_1:
		return &f->more_resources.api_status;
	case MES_SCH_API_ADD_QUEUE:
		parse_add(node, &f->add, call);
		return &f->add.api_status;
	case MES_SCH_API_REMOVE_QUEUE:
		call->op = f->remove.unmap_legacy_gfx_queue ||
			f->remove.unmap_kiq_utility_queue ||
			f->remove.preempt_legacy_gfx_queue ||
			f->remove.unmap_legacy_queue ? SIM_MES_OPS : SIM_MES_REMOVE;
		call->doorbell = f->remove.doorbell_offset;
		call->gang = f->remove.gang_context_addr;
		return &f->remove.api_status;
	case MES_SCH_API_SUSPEND:
		call->op = SIM_MES_SUSPEND;
		call->gang = f->suspend.gang_context_addr;
		call->all = f->suspend.suspend_all_gangs;
		return &f->suspend.api_status;
	case MES_SCH_API_RESUME:
		call->op = SIM_MES_RESUME;
		call->gang = f->resume.gang_context_addr;
		call->all = f->resume.resume_all_gangs;
		return &f->resume.api_status;
	case MES_SCH_API_MISC:
		parse_misc(node, &f->misc, call);
		return &f->misc.api_status;
	case MES_SCH_API_QUERY_SCHEDULER_STATUS:
		return &f->query.api_status;
	default:
		call->op = SIM_MES_OPS;
		return NULL;
	}
}

/* If the firmware is free and there is a frame, begin with it. */
static void take_frame(struct vgpu_node *node, u64 t)
{
	const struct MES_API_STATUS *status = NULL;
	struct vgpu_mes *m = node->mes;
	struct sim_mes_call call = { .op = SIM_MES_OPS };
	union frame f;

	if (!m->loaded || !sim_mes_ready(&m->sim) || !next_frame(node, &f))
		return;
	if (f.header.type == MES_API_TYPE_SCHEDULER && f.header.dwsize == FRAME_DWORDS)
		status = parse(node, &f, &call);
	m->fence = status ? status->api_completion_fence_addr : 0;
	m->fence_value = status ? status->api_completion_fence_value : 0;
	m->suspend_fence = call.op == SIM_MES_SUSPEND ? f.suspend.suspend_fence_addr : 0;
	m->suspend_value = f.suspend.suspend_fence_value;
	m->header = f.header.u32All;
	sim_mes_call(&m->sim, &call, t);
}

/* ---- answers ---- */

static void write_fence(struct vgpu_node *node, u64 addr, u64 value)
{
	u64 *fence = addr ? vgpu_gart_ptr(node->vg, addr) : NULL;

	if (fence)	/* after all earlier writes of the firmware */
		smp_store_release(fence, value);
}

static void on_answer(void *owner, enum sim_mes_status status, u64 t)
{
	struct vgpu_node *node = owner;
	struct vgpu_mes *m = node->mes;

	if (status == SIM_MES_OK) {
		write_fence(node, m->suspend_fence, m->suspend_value);
		write_fence(node, m->fence, m->fence_value);
	} else {
		m->refused += status != SIM_MES_INJECTED;
		pr_err("MES: frame %08x refused: %s\n", m->header, sim_mes_reason(status));
	}
	consume(node);
	take_frame(node, t);
}

/* ---- queues ---- */

static enum sim_mes_status on_check(void *owner, struct sim_mes_queue *mq)
{
	struct vgpu_node *node = owner;
	struct vgpu_mes_queue *q = to_queue(mq);
	const struct amdgpu_doorbell *db = &node->vg->adev->doorbell;
	const char *why;

	if (q->entry.doorbell < db->num_kernel_doorbells || q->entry.doorbell & 1 ||
	    q->entry.doorbell * 4 >= db->size ||
	    q->entry.doorbell != q->mqd.doorbell)
		return SIM_MES_BAD_DOORBELL;
	why = q->ring_dwords == q->mqd.ring_dwords ?
		vgpu_hqd_check(node, &q->entry, mq->entry.pool) : "ring size";
	if (!why)
		return SIM_MES_OK;
	pr_err("pasid %u doorbell %x: bad MQD, %s\n", q->entry.pasid, q->entry.doorbell, why);
	return SIM_MES_BAD_MQD;
}

static struct sim_queue *on_map(void *owner, struct sim_mes_queue *mq, u64 t)
{
	struct vgpu_node *node = owner;
	struct vgpu_mes_queue *q = to_queue(mq);
	struct sim_queue *sim;
	const char *why;

	q->entry.vmid = max(mq->entry.process->vmid, 0);
	sim = vgpu_hqd_map(node, &q->entry, mq->entry.pool, mq->entry.slot, t, &why);
	if (!sim) {
		node->stats.bad_queues++;
		pr_err("pasid %u doorbell %x: cannot be mapped, %s\n", q->entry.pasid,
		       q->entry.doorbell, why);
		return NULL;
	}
	if (!mq->entry.pool)
		sim->priority = sim_mes_launch_priority(mq->level, sim->priority);
	return sim;
}

/*
 * As in the firmware: the write index through its own mapping of the page, and
 * the rest from the MQD.
 */
static bool on_work(void *owner, struct sim_mes_queue *mq)
{
	struct vgpu_node *node = owner;
	struct vgpu_mes_queue *q = to_queue(mq);
	bool sdma = mq->entry.pool;
	const void *mqd = vgpu_gart_ptr(node->vg, q->entry.mqd);
	const u64 *wptr = vgpu_gart_ptr(node->vg, q->wptr);

	if (!mqd || !wptr)
		return false;
	vgpu_mqd_v11_look(mqd, sdma, &q->mqd);
	if (sdma)
		return q->mqd.saved || READ_ONCE(*wptr) != q->mqd.rptr;
	/* the MQD has the low half, in dwords */
	return q->mqd.saved || (u32)(READ_ONCE(*wptr) * 16) != q->mqd.rptr;
}

static void on_gone(void *owner, struct sim_mes_queue *mq)
{
	to_queue(mq)->used = false;
}

static const struct sim_mes_ops ops = {
	.check = on_check,
	.map = on_map,
	.work = on_work,
	.answer = on_answer,
	.gone = on_gone,
};

/* ---- the firmware of a node ---- */

/* struct vgpu_mes exists only while amdgpu's side is up. */
static u64 next(const struct vgpu_node *node)
{
	return node->mes ? sim_mes_next_event(&node->mes->sim) : SIM_NEVER;
}

static void count(struct vgpu_node *node)
{
	const struct sim_mes *sim = &node->mes->sim;
	struct vgpu_stats *s = &node->stats;

	s->mes_add = sim->stats.calls[SIM_MES_ADD];
	s->mes_remove = sim->stats.calls[SIM_MES_REMOVE];
	s->mes_suspend = sim->stats.calls[SIM_MES_SUSPEND];
	s->mes_resume = sim->stats.calls[SIM_MES_RESUME];
	s->mes_errors = sim->stats.errors;
	s->mes_call_ns = sim->stats.call_ns;
	s->slices = sim->sched.stats.process_turns + sim->sched.stats.queue_turns;
	s->bad_packets = node->mes->refused;
}

/* The queues in slots have changed: watch other programs' doorbells. */
static void look_at_moves(struct vgpu_node *node)
{
	const struct sim_sched_stats *s = &node->mes->sim.sched.stats;

	if (node->mes->moves == s->maps + s->unmaps)
		return;
	node->mes->moves = s->maps + s->unmaps;
	vgpu_engine_owners_changed(node->vg);
}

static void step(struct vgpu_node *node, u64 t)
{
	if (!node->mes)
		return;
	sim_mes_step(&node->mes->sim, t);
	count(node);
	look_at_moves(node);
}

/* amdgpu waits for each of its calls. */
static bool owes(struct vgpu_node *node)
{
	return node->mes && !sim_mes_ready(&node->mes->sim);
}

static void preempted(struct vgpu_node *node, u64 t)
{
	sim_mes_preempted(&node->mes->sim, t);
	count(node);
	look_at_moves(node);
}

static void reset(struct vgpu_node *node)
{
	if (node->mes)
		sim_mes_reset(&node->mes->sim);
}

/* The rest is done when amdgpu starts it, see gfx11.c. */
static void init(struct vgpu_node *node)
{
	node->mes = NULL;
}

const struct vgpu_firmware vgpu_mes = {
	.init = init,
	.reset = reset,
	.next = next,
	.step = step,
	.owes = owes,
	.preempted = preempted,
};

/* ---- amdgpu's side ---- */

/* The ring was mapped: from now on the firmware reads it. */
void vgpu_mes_load(struct vgpu *vg, const struct v11_compute_mqd *mqd)
{
	struct vgpu_mes *m = vg->nodes[0].mes;
	unsigned long flags;

	raw_spin_lock_irqsave(&vg->lock, flags);
	m->base = ((u64)mqd->cp_hqd_pq_base_hi << 32 | mqd->cp_hqd_pq_base_lo) << 8;
	m->dwords = 2U << (mqd->cp_hqd_pq_control & CP_HQD_PQ_CONTROL__QUEUE_SIZE_MASK);
	m->rptr_report = (u64)mqd->cp_hqd_pq_rptr_report_addr_hi << 32 |
		mqd->cp_hqd_pq_rptr_report_addr_lo;
	m->doorbell = (mqd->cp_hqd_pq_doorbell_control &
		       CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET_MASK) >>
		CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT;
	m->rptr = 0;
	writeq(0, vg->doorbells + m->doorbell * 4);
	m->loaded = true;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

void vgpu_mes_unload(struct vgpu *vg)
{
	struct vgpu_mes *m = vg->nodes[0].mes;
	unsigned long flags;

	raw_spin_lock_irqsave(&vg->lock, flags);
	if (m)
		m->loaded = false;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

/* The doorbell of the ring was rung. */
void vgpu_mes_ring(struct vgpu *vg)
{
	u64 from = ktime_get_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&vg->lock, flags);
	take_frame(&vg->nodes[0], vgpu_node_time(&vg->nodes[0]));
	vgpu_engine_run(vg);
	vgpu_clock_ran(vg, from);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

int vgpu_mes_create(struct vgpu *vg)
{
	struct vgpu_node *node = &vg->nodes[0];
	struct vgpu_mes *m = vcalloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	sim_mes_init(&m->sim, &node->gpu, &ops, node,
		     vg->adev->vm_manager.first_kfd_vmid);
	node->mes = m;
	return 0;
}

void vgpu_mes_destroy(struct vgpu *vg)
{
	vfree(vg->nodes[0].mes);
	vg->nodes[0].mes = NULL;
}
