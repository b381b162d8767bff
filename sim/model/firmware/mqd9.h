/* SPDX-License-Identifier: MIT */
/*
 * Compute MQDs of gfx9: the driver describes a queue in one, and the firmware
 * stores there what it needs to map the queue again. Fields used, all as the
 * hardware uses them:
 *
 *   cp_hqd_pq_rptr            read index in dwords, modulo 2^32
 *   cp_hqd_cntl_stack_offset  equals cp_hqd_cntl_stack_size when no wave was
 *                             saved; lower by 8 bytes a wave otherwise
 *   cp_hqd_wg_state_offset    end of the saved wave state
 *   cp_hqd_error              AQL_ERROR: the queue was halted
 */
#ifndef SIM_MQD9_H
#define SIM_MQD9_H

#include "types.h"

/* Its dwords (Linux: struct v9_mqd) and what they must have. */
enum sim_mqd9_dword {
	SIM_MQD9_HEADER = 0,
	SIM_MQD9_CU_SE0 = 23,
	SIM_MQD9_CU_SE1 = 24,
	SIM_MQD9_CU_SE2 = 26,
	SIM_MQD9_CU_SE3 = 27,
	SIM_MQD9_CU_SE4 = 39,
	SIM_MQD9_CU_SE5 = 40,
	SIM_MQD9_CU_SE6 = 41,
	SIM_MQD9_CU_SE7 = 42,
	SIM_MQD9_RESERVED = 43,
	SIM_MQD9_RESERVED_END = 64,
	SIM_MQD9_PIPE_PRIORITY = 133,
	SIM_MQD9_QUEUE_PRIORITY = 134,
	SIM_MQD9_QUANTUM = 135,
	SIM_MQD9_BASE = 136,
	SIM_MQD9_RPTR = 138,
	SIM_MQD9_RPTR_ADDR = 139,
	SIM_MQD9_PQ_CONTROL = 145,
	SIM_MQD9_SAVE_ADDR = 171,
	SIM_MQD9_STACK_OFFSET = 174,
	SIM_MQD9_STACK_SIZE = 175,
	SIM_MQD9_STATE_OFFSET = 176,
	SIM_MQD9_SAVE_SIZE = 177,
	SIM_MQD9_ERROR = 179,
	SIM_MQD9_AQL_CONTROL = 181,
	SIM_MQD9_STRIDE = 226,
	SIM_MQD9_DWORDS = 512,
};

#define SIM_MQD9_MAGIC		0xc0310800

/**
 * struct sim_mqd - the part of an MQD that is used
 * @ring: address of the packets
 * @packets: how many the ring has
 * @rptr_va: where the read index is reported
 * @rptr: the read index in dwords, modulo 2^32
 * @priority: of its pipe, 0..2
 * @queue_priority: among the queues of a pipe, 0..15
 * @save_va: save area
 * @save_bytes: its size; the control stack comes first
 * @stack_bytes: size of the control stack
 * @saved: there are waves in it
 * @halted: the queue was halted
 * @cus: compute units of this XCC it may use, 0: all
 */
struct sim_mqd {
	u64 ring;
	u64 packets;
	u64 rptr_va;
	u32 rptr;
	u32 priority;
	u32 queue_priority;
	u64 save_va;
	u32 save_bytes;
	u32 stack_bytes;
	bool saved;
	bool halted;
	u32 cus;
};

/**
 * struct sim_mqd_saved - what is stored for a queue that leaves its slot
 * @rptr: the read index in dwords
 * @halted: the queue was halted
 * @waves: saved on this XCC, 0: none
 * @state_bytes: their size
 */
struct sim_mqd_saved {
	u32 rptr;
	bool halted;
	u32 waves;
	u32 state_bytes;
};

/* Decode an MQD, for a number of shader engines. NULL, or an error. */
const char *sim_mqd9_load(const u32 *m, u32 engines, struct sim_mqd *to);

/* A queue has left its slot. */
void sim_mqd9_store(u32 *m, const struct sim_mqd_saved *from);

/* Queue quantum, 0: none set. */
u64 sim_mqd9_quantum_ns(const u32 *m);

#endif /* SIM_MQD9_H */
