/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring between amdgpu and MES, see mes_ring.c. */
#ifndef VGPU_MES_RING_H
#define VGPU_MES_RING_H

#include "firmware/mes.h"
#include "node.h"

/**
 * struct vgpu_mes_mqd - the part of an MQD that MES itself uses
 * @wptr_va: address of the write index in the process's memory
 * @doorbell: dword offset in the doorbell BAR
 * @ring_dwords: size of the ring
 * @engine: SDMA: which one serves it
 * @rptr: read index: dwords modulo 2^32; SDMA: bytes
 * @saved: it has saved waves from when it was last in a slot
 */
struct vgpu_mes_mqd {
	u64 wptr_va;
	u32 doorbell;
	u32 ring_dwords;
	u32 engine;
	u64 rptr;
	bool saved;
};

/* mqd_v11.c */
void vgpu_mqd_v11_look(const void *mqd, bool sdma, struct vgpu_mes_mqd *to);

/**
 * struct vgpu_mes_queue - a queue MES was given
 * @mes: its part in the model
 * @entry: what maps it
 * @used: amdgpu has added it
 * @mqd: of its MQD
 * @ring_dwords: size of its ring, from amdgpu
 * @wptr: GART address of its write index
 */
struct vgpu_mes_queue {
	struct sim_mes_queue mes;
	struct vgpu_entry entry;
	bool used;
	struct vgpu_mes_mqd mqd;
	u32 ring_dwords;
	u64 wptr;
};

/**
 * struct vgpu_mes - MES and its ring
 * @sim: the firmware
 * @loaded: amdgpu has mapped the ring
 * @base: GART address of the ring
 * @dwords: its size
 * @rptr: dword the firmware is at; like the write index it never wraps
 * @rptr_report: GART address where it reports @rptr
 * @doorbell: dword offset in the doorbell BAR
 * @header: of the frame that is being answered
 * @fence: GART address of its fence, 0: none
 * @fence_value: value written there
 * @suspend_fence: SUSPEND: a second one
 * @suspend_value: likewise
 * @moves: number of queues mapped and unmapped at the last check
 * @refused: invalid frames
 * @queues: room for all queues
 */
struct vgpu_mes {
	struct sim_mes sim;
	bool loaded;
	u64 base;
	u32 dwords;
	u64 rptr;
	u64 rptr_report;
	u32 doorbell;
	u32 header;
	u64 fence;
	u64 fence_value;
	u64 suspend_fence;
	u32 suspend_value;
	u64 moves;
	u64 refused;
	struct vgpu_mes_queue queues[SIM_MES_QUEUES];
};

#endif /* VGPU_MES_RING_H */
