// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compute MQDs of gfx11. The fields mean what they mean on gfx9, see mqd_v9.c;
 * their places differ, and a saved wave takes 12 bytes of the control stack.
 */
#include "vgpu.h"
#include "mes_ring.h"
#include "mqd.h"
#include "gc/gc_11_0_0_sh_mask.h"

#define HEADER			0xc0310800	/* what CP expects of an MQD */
#define STACK_BYTES_PER_WAVE	12		/* kfd_queue.c */

static u64 pair(u32 lo, u32 hi)
{
	return (u64)hi << 32 | lo;
}

/* Compute units the mask leaves, 0: all of them. */
static u32 masked_cus(const struct v11_compute_mqd *m)
{
	const u32 mask[] = {
		m->compute_static_thread_mgmt_se0, m->compute_static_thread_mgmt_se1,
		m->compute_static_thread_mgmt_se2, m->compute_static_thread_mgmt_se3,
		m->compute_static_thread_mgmt_se4, m->compute_static_thread_mgmt_se5,
		m->compute_static_thread_mgmt_se6, m->compute_static_thread_mgmt_se7,
	};
	u32 i, cus = 0;

	for (i = 0; i < ARRAY_SIZE(mask); i++) {
		if (mask[i] == ~0U)
			return 0;
		cus += hweight32(mask[i]);
	}
	return cus;
}

static const char *check(const struct v11_compute_mqd *m)
{
	u32 order = m->cp_hqd_pq_control & CP_HQD_PQ_CONTROL__QUEUE_SIZE_MASK;

	if (m->header != HEADER)
		return "header";
	if (!(m->cp_hqd_aql_control & BIT(CP_HQD_AQL_CONTROL__CONTROL0__SHIFT)))
		return "not an AQL queue";
	if (!(m->cp_hqd_pq_control & CP_HQD_PQ_CONTROL__NO_UPDATE_RPTR_MASK))
		return "not set up for AQL";
	if (order < 3 || order > 32)	/* a packet is 16 dwords */
		return "ring size";
	if (m->cp_hqd_cntl_stack_size > m->cp_hqd_ctx_save_size ||
	    m->cp_hqd_cntl_stack_offset > m->cp_hqd_cntl_stack_size)
		return "control stack";
	return NULL;
}

static const char *load(const void *mqd, struct sim_mqd *to)
{
	const struct v11_compute_mqd *m = mqd;
	const char *why = check(m);

	if (why)
		return why;
	to->ring = pair(m->cp_hqd_pq_base_lo, m->cp_hqd_pq_base_hi) << 8;
	to->packets = (2ULL << (m->cp_hqd_pq_control &
				CP_HQD_PQ_CONTROL__QUEUE_SIZE_MASK)) / 16;
	to->rptr_va = pair(m->cp_hqd_pq_rptr_report_addr_lo,
			   m->cp_hqd_pq_rptr_report_addr_hi);
	to->rptr = m->cp_hqd_pq_rptr;
	to->priority = m->cp_hqd_pipe_priority;
	to->queue_priority = m->cp_hqd_queue_priority;
	to->save_va = pair(m->cp_hqd_ctx_save_base_addr_lo,
			   m->cp_hqd_ctx_save_base_addr_hi);
	to->save_bytes = m->cp_hqd_ctx_save_size;
	to->stack_bytes = m->cp_hqd_cntl_stack_size;
	to->saved = m->cp_hqd_cntl_stack_offset != m->cp_hqd_cntl_stack_size;
	to->halted = m->cp_hqd_error & CP_HQD_ERROR__AQL_ERROR_MASK;
	to->cus = masked_cus(m);
	return NULL;
}

static void store(void *mqd, const struct sim_mqd_saved *from)
{
	u32 stack = from->waves * STACK_BYTES_PER_WAVE;
	struct v11_compute_mqd *m = mqd;

	m->cp_hqd_pq_rptr = from->rptr;
	m->cp_hqd_cntl_stack_offset = m->cp_hqd_cntl_stack_size -
		min(stack, m->cp_hqd_cntl_stack_size);
	m->cp_hqd_wg_state_offset = m->cp_hqd_cntl_stack_size +
		min(from->state_bytes,
		    m->cp_hqd_ctx_save_size - m->cp_hqd_cntl_stack_size);
	m->cp_hqd_error &= ~CP_HQD_ERROR__AQL_ERROR_MASK;
	if (from->halted)
		m->cp_hqd_error |= CP_HQD_ERROR__AQL_ERROR_MASK;
}

/* There is one XCC. */
static u32 stride(const void *mqd)
{
	return 0;
}

/* MES takes the quantum of the call instead. */
static u64 quantum_ns(const void *mqd)
{
	return 0;
}

/* As gfx9 does; assumed. */
static void note(void *mqd, bool in_slot)
{
	((struct v11_compute_mqd *)mqd)->cp_hqd_active = in_slot;
}

const struct vgpu_mqd_ops vgpu_mqd_v11 = {
	.load = load,
	.store = store,
	.stride = stride,
	.quantum_ns = quantum_ns,
	.note = note,
};

static void look_at_sdma(const struct v11_sdma_mqd *m, struct vgpu_mes_mqd *to)
{
	to->wptr_va = pair(m->sdmax_rlcx_rb_wptr_poll_addr_lo,
			   m->sdmax_rlcx_rb_wptr_poll_addr_hi);
	to->doorbell = m->sdmax_rlcx_doorbell_offset >>
		SDMA0_QUEUE0_DOORBELL_OFFSET__OFFSET__SHIFT;
	to->ring_dwords = 1U << ((m->sdmax_rlcx_rb_cntl &
				  SDMA0_QUEUE0_RB_CNTL__RB_SIZE_MASK) >>
				 SDMA0_QUEUE0_RB_CNTL__RB_SIZE__SHIFT);
	to->engine = m->sdma_engine_id;
	to->rptr = pair(m->sdmax_rlcx_rb_rptr, m->sdmax_rlcx_rb_rptr_hi);
	to->saved = m->sdmax_rlcx_midcmd_cntl;
}

void vgpu_mqd_v11_look(const void *mqd, bool sdma, struct vgpu_mes_mqd *to)
{
	const struct v11_compute_mqd *m = mqd;

	if (sdma) {
		look_at_sdma(mqd, to);
		return;
	}
	to->wptr_va = pair(m->cp_hqd_pq_wptr_poll_addr_lo, m->cp_hqd_pq_wptr_poll_addr_hi);
	to->doorbell = (m->cp_hqd_pq_doorbell_control &
			CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET_MASK) >>
		CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT;
	to->ring_dwords = 2U << (m->cp_hqd_pq_control & CP_HQD_PQ_CONTROL__QUEUE_SIZE_MASK);
	to->engine = 0;
	to->rptr = m->cp_hqd_pq_rptr;
	to->saved = m->cp_hqd_cntl_stack_offset != m->cp_hqd_cntl_stack_size;
}
