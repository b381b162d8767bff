// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the hardware queue slots, for debugfs kfd/hqds and for the
 * driver's search for a queue that cannot be preempted.
 *
 * A compute slot shows the registers CP_MQD_BASE_ADDR to CP_HQD_PQ_WPTR_HI.
 * Loading a queue copies them from its MQD, one MQD an XCC, and the driver does
 * not touch the MQD of a mapped queue; so they are read from there, and then
 * changed as the hardware changes them. The changed bits, the addresses, and the
 * order in which slots are filled follow the dump of a real MI308X
 * (tests/vgpu/evidence). An empty slot has the values after a reset that AMD
 * publishes for GC 9.0, the only GFX9 with such a header: nothing of it is from
 * the dump that it is compared with.
 */
#include "vgpu.h"
#include "fault.h"
#include "gc/gc_9_0_default.h"
#include "gc/gc_9_4_3_offset.h"
#include "gc/gc_9_4_3_sh_mask.h"
#include "sdma/sdma_4_4_2_offset.h"
#include "sdma/sdma_4_4_2_sh_mask.h"

#define CP_REGS		(regCP_HQD_PQ_WPTR_HI - regCP_MQD_BASE_ADDR + 1)
#define MQD_DWORD(f)	(offsetof(struct v9_mqd, f) / 4)
#define CP_REG(f)	(MQD_DWORD(f) - MQD_DWORD(cp_mqd_base_addr_lo))

/* Two XCCs share an IO die; distance of the dies' registers, in dwords. */
#define XCC_PER_AID	2
#define AID_DWORDS	0x40000
#define GC_BASE		0x2000
#define GC_BASE_ODD	0x32000

/* The part of the MQD that is loaded, and its registers. */
static_assert(CP_REG(cp_hqd_pq_wptr_hi) == CP_REGS - 1);

typedef u32 (*vgpu_dump_t)[2];

/* Bits of KFD's slots in a pipe: queues the kernel uses itself are not set. */
static unsigned long pipe_queues(const struct vgpu *vg, u32 pipe)
{
	const struct kgd2kfd_shared_resources *r =
		&vg->adev->kfd.dev->shared_resources;

	return bitmap_read(r->cp_queue_bitmap, pipe * r->num_queue_per_pipe,
			   r->num_queue_per_pipe);
}

/*
 * Number of that slot, -1: not KFD's. Slots are filled across the pipes: the
 * first of each pipe, then the second of each pipe, and so on.
 */
static int slot_of(const struct vgpu *vg, u32 pipe, u32 queue)
{
	u32 pipes = vg->adev->kfd.dev->shared_resources.num_pipe_per_mec;
	u32 rank, have, p, slot = 0;

	if (pipe >= pipes || !(pipe_queues(vg, pipe) & BIT(queue)))
		return -1;
	rank = hweight_long(pipe_queues(vg, pipe) & (BIT(queue) - 1));
	for (p = 0; p < pipes; p++) {
		have = hweight_long(pipe_queues(vg, p));
		slot += min(have, rank) + (p < pipe && have > rank);
	}
	return slot;
}

static struct vgpu_queue *queue_in(struct vgpu_node *node, u32 pipe, u32 queue)
{
	int slot = slot_of(node->vg, pipe, queue);

	if (slot < 0 || slot >= VGPU_CP_SLOTS ||
	    node->slots[slot].sim.state == SIM_QUEUE_OFF)
		return NULL;
	return &node->slots[slot];
}

/* All others are 0 after a reset. */
static void empty_slot(u32 *regs)
{
	regs[CP_REG(cp_hqd_persistent_state)] = mmCP_HQD_PERSISTENT_STATE_DEFAULT;
	regs[CP_REG(cp_hqd_pq_control)] = mmCP_HQD_PQ_CONTROL_DEFAULT;
	regs[CP_REG(cp_hqd_ib_control)] = mmCP_HQD_IB_CONTROL_DEFAULT;
	regs[CP_REG(cp_hqd_hq_status0)] = mmCP_HQD_HQ_STATUS0_DEFAULT;
	regs[CP_REG(cp_mqd_control)] = mmCP_MQD_CONTROL_DEFAULT;
	regs[CP_REG(cp_hqd_eop_control)] = mmCP_HQD_EOP_CONTROL_DEFAULT;
	regs[CP_REG(cp_hqd_eop_rptr)] = mmCP_HQD_EOP_RPTR_DEFAULT;
	regs[CP_REG(cp_hqd_eop_wptr)] = mmCP_HQD_EOP_WPTR_DEFAULT;
}

/* Changes by the hardware to registers of any queue in a slot. */
static void live_registers(u32 *regs, bool idle, bool empty)
{
	regs[CP_REG(cp_hqd_active)] = 1;
	regs[CP_REG(cp_hqd_pq_doorbell_control)] |=
		CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN_MASK |
		CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_SCHD_HIT_MASK;
	if (empty)
		regs[CP_REG(cp_hqd_pq_control)] |= CP_HQD_PQ_CONTROL__PQ_EMPTY_MASK;
	if (idle)
		regs[CP_REG(cp_hqd_hq_status0)] |= CP_HQD_HQ_STATUS0__QUEUE_IDLE_MASK;
	regs[CP_REG(cp_hqd_eop_rptr)] |= CP_HQD_EOP_RPTR__RPTR_EQ_CSMD_WPTR_MASK;
	regs[CP_REG(cp_hqd_eop_wptr)] |= mmCP_HQD_EOP_WPTR_DEFAULT;	/* room in a ring */
}

static void queue_registers(struct vgpu_queue *q, u32 xcc, u32 *regs)
{
	const struct v9_mqd *m = vgpu_hqd_mqd(q, xcc);
	u32 vmid = q->entry.vmid;
	u64 wptr = q->aql.write * 16;	/* dwords */

	if (m)
		memcpy(regs, &m->cp_mqd_base_addr_lo, CP_REGS * 4);
	live_registers(regs, !q->sim.count, q->aql.read == q->aql.write);
	regs[CP_REG(cp_hqd_vmid)] = vmid | vmid << CP_HQD_VMID__IB_VMID__SHIFT;
	regs[CP_REG(cp_hqd_pq_rptr)] = (u32)(q->aql.read * 16);
	regs[CP_REG(cp_hqd_pq_wptr_lo)] = lower_32_bits(wptr);
	regs[CP_REG(cp_hqd_pq_wptr_hi)] = upper_32_bits(wptr);
}

/* The firmware's own queue, one MQD an XCC, all of the same ring. */
static void hiq_registers(struct vgpu_node *node, u32 xcc, u32 *regs)
{
	const struct v9_mqd *m = node->hiq.mqd[xcc];

	if (!m) {
		empty_slot(regs);
		return;
	}
	memcpy(regs, &m->cp_mqd_base_addr_lo, CP_REGS * 4);
	live_registers(regs, true, true);
	regs[CP_REG(cp_hqd_persistent_state)] &=
		~CP_HQD_PERSISTENT_STATE__PRELOAD_REQ_MASK;	/* done */
	regs[CP_REG(cp_hqd_pq_rptr)] = node->hiq.hws.rptr;
	regs[CP_REG(cp_hqd_pq_wptr_lo)] = node->hiq.hws.wptr;
}

static u32 gc_base(u32 xcc)
{
	return xcc / XCC_PER_AID * AID_DWORDS +
		(xcc % XCC_PER_AID ? GC_BASE_ODD : GC_BASE);
}

/* Registers of a slot of one XCC of its node; pipe 4 is the firmware's own. */
static void cp_registers(struct vgpu_node *node, u32 pipe, u32 queue, u32 xcc, u32 *regs)
{
	struct vgpu_queue *q;

	if (pipe == KFD_CIK_HIQ_PIPE) {
		hiq_registers(node, xcc, regs);
		return;
	}
	q = queue_in(node, pipe, queue);
	if (q)
		queue_registers(q, xcc, regs);
	else
		empty_slot(regs);
}

static vgpu_dump_t new_dump(u32 n)
{
	return kcalloc(n, sizeof(u32[2]), GFP_KERNEL);
}

static int hqd_dump(struct amdgpu_device *adev, u32 pipe, u32 queue,
		    u32 (**dump)[2], u32 *n_regs, u32 inst)
{
	struct vgpu *vg = vgpu_of(adev);
	struct vgpu_node *node = vgpu_node_of_xcc(vg, inst);
	u32 base = gc_base(inst) + regCP_MQD_BASE_ADDR;
	u32 regs[CP_REGS] = { 0 };
	unsigned long flags;
	u32 i;

	*dump = new_dump(CP_REGS);
	if (!*dump)
		return -ENOMEM;
	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	cp_registers(node, pipe, queue, inst - node->first_xcc, regs);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	for (i = 0; i < CP_REGS; i++) {
		(*dump)[i][0] = (base + i) << 2;
		(*dump)[i][1] = regs[i];
	}
	*n_regs = CP_REGS;
	return 0;
}

/* ---- a queue that stays although it should go ---- */

static u64 ring_of(struct vgpu *vg, u32 pipe, u32 queue, u32 inst, bool reset)
{
	struct vgpu_node *node = vgpu_node_of_xcc(vg, inst);
	struct vgpu_queue *q;
	unsigned long flags;
	u64 ring = 0;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	q = queue_in(node, pipe, queue);
	if (q && reset && vgpu_fault_reset_fails(node))
		q = NULL;
	if (q)
		ring = q->aql.ring;
	if (q && reset)
		vgpu_hqd_reset(q, inst - node->first_xcc);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	return ring;
}

static u64 hqd_get_pq_addr(struct amdgpu_device *adev, u32 pipe, u32 queue, u32 inst)
{
	return ring_of(vgpu_of(adev), pipe, queue, inst, false);
}

static u64 hqd_reset(struct amdgpu_device *adev, u32 pipe, u32 queue, u32 inst,
		     unsigned int timeout_ms)
{
	return ring_of(vgpu_of(adev), pipe, queue, inst, true);
}

/* ---- copy engines ---- */

/* Groups of registers, as the driver's own dump of GC 9.4.3 has them. */
static const struct {
	u32 first;
	u32 last;
} sdma_groups[] = {
	{ regSDMA_RLC0_RB_CNTL, regSDMA_RLC0_DOORBELL },
	{ regSDMA_RLC0_STATUS, regSDMA_RLC0_CSA_ADDR_HI },
	{ regSDMA_RLC0_IB_SUB_REMAIN, regSDMA_RLC0_MINOR_PTR_UPDATE },
	{ regSDMA_RLC0_MIDCMD_DATA0, regSDMA_RLC0_MIDCMD_CNTL },
};

#define SDMA_REGS	(19 + 6 + 7 + 12)
#define SDMA_RLC_DWORDS	(regSDMA_RLC1_RB_CNTL - regSDMA_RLC0_RB_CNTL)

/* The MQD has the same registers in the same order, except two of the last group. */
#define SDMA_DWORD(f)	(offsetof(struct v9_sdma_mqd, f) / 4)
static_assert(SDMA_DWORD(sdmax_rlcx_midcmd_cntl) == SDMA_REGS - 3);

/* Four engines a pair of IO dies; dwords. */
static u32 sdma_base(u32 engine)
{
	static const u32 base[] = { 0x1260, 0x1860, 0x39400, 0x39800 };

	return engine / ARRAY_SIZE(base) * AID_DWORDS + base[engine % ARRAY_SIZE(base)];
}

static u32 sdma_register(const struct v9_sdma_mqd *m, u32 i)
{
	const u32 *dwords = (const u32 *)m;

	if (i < SDMA_DWORD(sdmax_rlcx_midcmd_cntl))
		return dwords[i];
	return i == SDMA_REGS - 1 ? m->sdmax_rlcx_midcmd_cntl : 0;
}

/* An unused queue. */
static void empty_rlc(struct v9_sdma_mqd *m)
{
	memset(m, 0, sizeof(*m));
	m->sdmax_rlcx_rb_cntl = 0x00040000;
	m->sdmax_rlcx_rb_wptr_poll_cntl = 0x00403000;
	m->sdmax_rlcx_rb_rptr_addr_lo = 1;
	m->sdmax_rlcx_ib_cntl = 0x100;
	m->sdmax_rlcx_context_status = 4;
	m->sdmax_rlcx_dummy_reg = 0xf;
	m->sdmax_rlcx_rb_aql_cntl = 0x4000;
}

/* A queue in a slot: its MQD, and its progress. */
static void sdma_registers(struct vgpu *vg, u32 engine, u32 queue, struct v9_sdma_mqd *m)
{
	u32 engines = vg->part.sdma_engines, n = engine / engines;
	const struct vgpu_queue *q;

	if (n >= vg->nr_nodes || queue >= VGPU_SDMA_SLOTS)
		return;
	q = &vg->nodes[n].slots[VGPU_CP_SLOTS + engine % engines * VGPU_SDMA_SLOTS + queue];
	if (q->sim.state == SIM_QUEUE_OFF)
		return;
	memcpy(m, q->mqd, sizeof(*m));
	m->sdmax_rlcx_rb_cntl |= SDMA_RLC0_RB_CNTL__RB_ENABLE_MASK |
		q->entry.vmid << SDMA_RLC0_RB_CNTL__RB_VMID__SHIFT;
	m->sdmax_rlcx_rb_rptr = lower_32_bits(q->sdma.read);
	m->sdmax_rlcx_rb_rptr_hi = upper_32_bits(q->sdma.read);
	m->sdmax_rlcx_rb_wptr = lower_32_bits(q->sdma.write);
	m->sdmax_rlcx_rb_wptr_hi = upper_32_bits(q->sdma.write);
}

static int hqd_sdma_dump(struct amdgpu_device *adev, u32 engine, u32 queue,
			 u32 (**dump)[2], u32 *n_regs)
{
	u32 base = sdma_base(engine) + queue * SDMA_RLC_DWORDS;
	struct vgpu *vg = vgpu_of(adev);
	struct v9_sdma_mqd m;
	unsigned long flags;
	u32 g, r, i = 0;

	*dump = new_dump(SDMA_REGS);
	if (!*dump)
		return -ENOMEM;
	empty_rlc(&m);
	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	sdma_registers(vg, engine, queue, &m);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	for (g = 0; g < ARRAY_SIZE(sdma_groups); g++) {
		for (r = sdma_groups[g].first; r <= sdma_groups[g].last; r++, i++) {
			(*dump)[i][0] = (base + r) << 2;
			(*dump)[i][1] = sdma_register(&m, i);
		}
	}
	*n_regs = SDMA_REGS;
	return 0;
}

/* Entries of amdkfd's table for GC 9.4.x; gfx11's registers are others. */
void vgpu_hqd_tables(struct vgpu *vg, struct kfd2kgd_calls *t)
{
	if (vg->gen->gfx >= SIM_GFX(11, 0, 0))
		return;
	t->hqd_dump = hqd_dump;
	t->hqd_get_pq_addr = hqd_get_pq_addr;
	t->hqd_reset = hqd_reset;
	if (vg->gen == &vgpu_gfx942)
		t->hqd_sdma_dump = hqd_sdma_dump;
}
