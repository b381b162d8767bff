// SPDX-License-Identifier: GPL-2.0-only
/*
 * SDMA queues between their MQD and the model. The MQD has the whole state of a
 * queue that is not mapped. Fields used, as amdkfd and hardware use them:
 *
 *   rb_cntl           size of the ring, and that the read index is reported
 *   rb_base           the ring, in units of 256 bytes
 *   rb_rptr           read index in bytes, 64 bits
 *   rb_rptr_addr      where it is reported
 *   context_status    EXCEPTION: the queue was halted
 *   midcmd_data, _cntl  an interrupted packet, see sim/model/gpu/sdma.h
 *   sdma_engine_id    which engine serves it
 *
 * The two layouts differ in where these are, not in what they mean.
 */
#include <linux/module.h>

#include "vgpu.h"
#include "sdma0/sdma0_4_0_sh_mask.h"

static uint sdma_mb_s;
module_param(sdma_mb_s, uint, 0644);
MODULE_PARM_DESC(sdma_mb_s,
		 "what an SDMA engine copies, MB/s, from the next mapped SDMA queue on; 0: the profile's");

/* Dwords of an MQD. */
struct fields {
	u16 cntl;
	u16 base;
	u16 base_hi;
	u16 rptr;
	u16 rptr_hi;
	u16 rptr_addr;
	u16 rptr_addr_hi;
	u16 status;
	u16 midcmd;
	u16 midcmd_cntl;
	u16 engine;
};

#define DWORD(type, field)	(offsetof(struct type, field) / 4)
#define FIELDS(type) {							\
	.cntl = DWORD(type, sdmax_rlcx_rb_cntl),			\
	.base = DWORD(type, sdmax_rlcx_rb_base),			\
	.base_hi = DWORD(type, sdmax_rlcx_rb_base_hi),			\
	.rptr = DWORD(type, sdmax_rlcx_rb_rptr),			\
	.rptr_hi = DWORD(type, sdmax_rlcx_rb_rptr_hi),			\
	.rptr_addr = DWORD(type, sdmax_rlcx_rb_rptr_addr_lo),		\
	.rptr_addr_hi = DWORD(type, sdmax_rlcx_rb_rptr_addr_hi),	\
	.status = DWORD(type, sdmax_rlcx_context_status),		\
	.midcmd = DWORD(type, sdmax_rlcx_midcmd_data0),			\
	.midcmd_cntl = DWORD(type, sdmax_rlcx_midcmd_cntl),		\
	.engine = DWORD(type, sdma_engine_id),				\
}

static const struct fields fields_v9 = FIELDS(v9_sdma_mqd);
static const struct fields fields_v11 = FIELDS(v11_sdma_mqd);

static const struct fields *fields_of(const struct vgpu *vg)
{
	return vg->gen->gfx < SIM_GFX(11, 0, 0) ? &fields_v9 : &fields_v11;
}

static u64 pair(const u32 *m, u16 low, u16 high)
{
	return (u64)m[high] << 32 | m[low];
}

/*
 * Fill in the model's part of a queue that the firmware maps to that engine;
 * the rest is set. NULL, or an error of its MQD.
 */
const char *vgpu_sdma_load(struct vgpu_queue *q, const u32 *m, u32 engine)
{
	struct vgpu *vg = q->node->vg;
	const struct fields *f = fields_of(vg);
	struct sim_sdma *s = &q->sdma;

	vg->part.sdma_bytes_per_us = sdma_mb_s ?: vg->profile->sdma_bytes_per_us;
	if (!(m[f->cntl] & SDMA0_RLC0_RB_CNTL__RPTR_WRITEBACK_ENABLE_MASK))
		return "read index not reported";
	if (m[f->engine] != engine)
		return "not of this engine";
	s->sim.type = SIM_QUEUE_SDMA;
	s->sim.priority = 0;
	s->sim.save_va = 0;
	s->sim.save_bytes = 0;
	s->sim.halted = m[f->status] & SDMA0_RLC0_CONTEXT_STATUS__EXCEPTION_MASK;
	s->engine = engine;
	s->ring = pair(m, f->base, f->base_hi) << 8;
	s->ring_bytes = 4ULL << ((m[f->cntl] & SDMA0_RLC0_RB_CNTL__RB_SIZE_MASK) >>
				 SDMA0_RLC0_RB_CNTL__RB_SIZE__SHIFT);
	s->rptr_va = pair(m, f->rptr_addr, f->rptr_addr_hi);
	s->wptr_va = q->entry.wptr;
	s->read = pair(m, f->rptr, f->rptr_hi);
	memcpy(s->midcmd, m + f->midcmd, sizeof(s->midcmd));
	s->midcmd_cntl = m[f->midcmd_cntl];
	return sim_sdma_check(s, q->node->profile);
}

/* It is off: store in the MQD what the next map needs. */
void vgpu_sdma_saved(struct vgpu_queue *q, u32 *m)
{
	const struct fields *f = fields_of(q->node->vg);
	const struct sim_sdma *s = &q->sdma;

	m[f->rptr] = lower_32_bits(s->read);
	m[f->rptr_hi] = upper_32_bits(s->read);
	m[f->status] &= ~SDMA0_RLC0_CONTEXT_STATUS__EXCEPTION_MASK;
	if (s->sim.halted)
		m[f->status] |= 1 << SDMA0_RLC0_CONTEXT_STATUS__EXCEPTION__SHIFT;
	memcpy(m + f->midcmd, s->midcmd, sizeof(s->midcmd));
	m[f->midcmd_cntl] = s->midcmd_cntl;
	vgpu_dbg("off pasid %u doorbell %x engine %u read %llu midcmd %u\n", q->entry.pasid,
		 q->entry.doorbell, s->engine, s->read, s->midcmd_cntl);
}
