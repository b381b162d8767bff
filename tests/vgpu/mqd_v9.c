// SPDX-License-Identifier: GPL-2.0-only
/* Compute MQDs of gfx9: sim/model/firmware/mqd9.c has the layout; here it is checked against the driver's. */
#include "vgpu.h"
#include "mqd.h"

#define SAME(dword, field) \
	static_assert(SIM_MQD9_##dword * 4 == offsetof(struct v9_mqd, field))

SAME(HEADER, header);
SAME(CU_SE0, compute_static_thread_mgmt_se0);
SAME(CU_SE1, compute_static_thread_mgmt_se1);
SAME(CU_SE2, compute_static_thread_mgmt_se2);
SAME(CU_SE3, compute_static_thread_mgmt_se3);
SAME(CU_SE4, compute_static_thread_mgmt_se4);
SAME(CU_SE5, compute_static_thread_mgmt_se5);
SAME(CU_SE6, compute_static_thread_mgmt_se6);
SAME(CU_SE7, compute_static_thread_mgmt_se7);
SAME(RESERVED, reserved_43);
SAME(RESERVED_END, reserved_64);
SAME(PIPE_PRIORITY, cp_hqd_pipe_priority);
SAME(QUEUE_PRIORITY, cp_hqd_queue_priority);
SAME(QUANTUM, cp_hqd_quantum);
SAME(BASE, cp_hqd_pq_base_lo);
SAME(RPTR, cp_hqd_pq_rptr);
SAME(RPTR_ADDR, cp_hqd_pq_rptr_report_addr_lo);
SAME(PQ_CONTROL, cp_hqd_pq_control);
SAME(SAVE_ADDR, cp_hqd_ctx_save_base_addr_lo);
SAME(STACK_OFFSET, cp_hqd_cntl_stack_offset);
SAME(STACK_SIZE, cp_hqd_cntl_stack_size);
SAME(STATE_OFFSET, cp_hqd_wg_state_offset);
SAME(SAVE_SIZE, cp_hqd_ctx_save_size);
SAME(ERROR, cp_hqd_error);
SAME(AQL_CONTROL, cp_hqd_aql_control);
SAME(STRIDE, cp_mqd_stride_size);
static_assert(SIM_MQD9_DWORDS * 4 == sizeof(struct v9_mqd));

/* Four shader engines an XCC, and eight. */
static const char *load_gfx942(const void *mqd, struct sim_mqd *to)
{
	return sim_mqd9_load(mqd, 4, to);
}

static const char *load_gfx90a(const void *mqd, struct sim_mqd *to)
{
	return sim_mqd9_load(mqd, 8, to);
}

static void store(void *mqd, const struct sim_mqd_saved *from)
{
	sim_mqd9_store(mqd, from);
}

static u32 stride(const void *mqd)
{
	return ((const u32 *)mqd)[SIM_MQD9_STRIDE];
}

static u64 quantum_ns(const void *mqd)
{
	return sim_mqd9_quantum_ns(mqd);
}

static void note(void *mqd, bool in_slot)
{
	((struct v9_mqd *)mqd)->cp_hqd_active = in_slot;
}

void vgpu_mqd_overflow(void *mqd)
{
	struct v9_mqd *m = mqd;

	m->cp_hqd_cntl_stack_offset = m->cp_hqd_cntl_stack_size + 4;
}

const struct vgpu_mqd_ops vgpu_mqd_gfx942 = {
	.load = load_gfx942,
	.store = store,
	.stride = stride,
	.quantum_ns = quantum_ns,
	.note = note,
};

const struct vgpu_mqd_ops vgpu_mqd_gfx90a = {
	.load = load_gfx90a,
	.store = store,
	.stride = stride,
	.quantum_ns = quantum_ns,
	.note = note,
};
