// SPDX-License-Identifier: MIT
/* Compute MQDs of gfx9, see mqd9.h. */
#include "firmware/mqd9.h"

#define QUEUE_SIZE(control)	((control) & 0x3f)	/* 2^(n + 1) dwords */
#define SLOT_BASED_WPTR(control) ((control) >> 25 & 3)
#define AQL_ENABLED		1
#define AQL_ERROR		(1 << 5)
#define QUANTUM_EN		1
#define QUANTUM_SCALE_MS	(1 << 4)	/* what clear means is not documented */
#define QUANTUM_DURATION(q)	((q) >> 8 & 0x3f)
#define STACK_BYTES_PER_WAVE	8		/* Linux: kfd_queue.c */

static u64 pair(const u32 *m, u32 low)
{
	return (u64)m[low + 1] << 32 | m[low];
}

static u32 bits(u32 mask)
{
	u32 n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Compute units the masks leave, 0: all of them. */
static u32 masked_cus(const u32 *m, u32 engines)
{
	static const u8 mask[] = {
		SIM_MQD9_CU_SE0, SIM_MQD9_CU_SE1, SIM_MQD9_CU_SE2, SIM_MQD9_CU_SE3,
		SIM_MQD9_CU_SE4, SIM_MQD9_CU_SE5, SIM_MQD9_CU_SE6, SIM_MQD9_CU_SE7,
	};
	u32 i, cus = 0;

	for (i = 0; i < engines && i < sizeof(mask); i++) {
		if (m[mask[i]] == ~0U)
			return 0;
		cus += bits(m[mask[i]]);
	}
	return cus;
}

static const char *check(const u32 *m)
{
	u32 control = m[SIM_MQD9_PQ_CONTROL], i;

	if (m[SIM_MQD9_HEADER] != SIM_MQD9_MAGIC)
		return "header";
	for (i = SIM_MQD9_RESERVED; i <= SIM_MQD9_RESERVED_END; i++)
		if (m[i])
			return "reserved dwords";
	if (!(m[SIM_MQD9_AQL_CONTROL] & AQL_ENABLED))
		return "not an AQL queue";
	if (SLOT_BASED_WPTR(control) != 2)
		return "not set up for AQL";
	if (QUEUE_SIZE(control) < 3 || QUEUE_SIZE(control) > 32)
		return "ring size";	/* a packet is 16 dwords */
	if (m[SIM_MQD9_STACK_SIZE] > m[SIM_MQD9_SAVE_SIZE] ||
	    m[SIM_MQD9_STACK_OFFSET] > m[SIM_MQD9_STACK_SIZE])
		return "control stack";
	return NULL;
}

const char *sim_mqd9_load(const u32 *m, u32 engines, struct sim_mqd *to)
{
	const char *why = check(m);

	if (why)
		return why;
	to->ring = pair(m, SIM_MQD9_BASE) << 8;
	to->packets = (2ULL << QUEUE_SIZE(m[SIM_MQD9_PQ_CONTROL])) / 16;
	to->rptr_va = pair(m, SIM_MQD9_RPTR_ADDR);
	to->rptr = m[SIM_MQD9_RPTR];
	to->priority = m[SIM_MQD9_PIPE_PRIORITY];
	to->queue_priority = m[SIM_MQD9_QUEUE_PRIORITY];
	to->save_va = pair(m, SIM_MQD9_SAVE_ADDR);
	to->save_bytes = m[SIM_MQD9_SAVE_SIZE];
	to->stack_bytes = m[SIM_MQD9_STACK_SIZE];
	to->saved = m[SIM_MQD9_STACK_OFFSET] != m[SIM_MQD9_STACK_SIZE];
	to->halted = m[SIM_MQD9_ERROR] & AQL_ERROR;
	to->cus = masked_cus(m, engines);
	return NULL;
}

void sim_mqd9_store(u32 *m, const struct sim_mqd_saved *from)
{
	u32 stack = from->waves * STACK_BYTES_PER_WAVE, state = from->state_bytes;
	u32 room = m[SIM_MQD9_SAVE_SIZE] - m[SIM_MQD9_STACK_SIZE];

	if (stack > m[SIM_MQD9_STACK_SIZE])
		stack = m[SIM_MQD9_STACK_SIZE];
	m[SIM_MQD9_RPTR] = from->rptr;
	m[SIM_MQD9_STACK_OFFSET] = m[SIM_MQD9_STACK_SIZE] - stack;
	m[SIM_MQD9_STATE_OFFSET] = m[SIM_MQD9_STACK_SIZE] + (state < room ? state : room);
	m[SIM_MQD9_ERROR] &= ~AQL_ERROR;
	if (from->halted)
		m[SIM_MQD9_ERROR] |= AQL_ERROR;
}

u64 sim_mqd9_quantum_ns(const u32 *m)
{
	u32 q = m[SIM_MQD9_QUANTUM];

	if (!(q & QUANTUM_EN) || !(q & QUANTUM_SCALE_MS))
		return 0;
	return QUANTUM_DURATION(q) * 1000000ULL;
}
