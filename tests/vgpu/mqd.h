/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compute MQDs, as the firmware loads them into a slot and stores them again:
 * their layout is a table of functions a generation. (Those of SDMA queues:
 * mqd_sdma.c.)
 */
#ifndef VGPU_MQD_H
#define VGPU_MQD_H

#include "firmware/mqd9.h"

/**
 * struct vgpu_mqd_ops - a layout
 * @load: decode; NULL, or an error
 * @store: a queue has left its slot
 * @stride: from the MQD of an XCC to that of the next
 * @quantum_ns: queue quantum, 0: none set
 * @note: note in the MQD whether it is in a slot, as the firmware does
 */
struct vgpu_mqd_ops {
	const char *(*load)(const void *mqd, struct sim_mqd *to);
	void (*store)(void *mqd, const struct sim_mqd_saved *from);
	u32 (*stride)(const void *mqd);
	u64 (*quantum_ns)(const void *mqd);
	void (*note)(void *mqd, bool in_slot);
};

extern const struct vgpu_mqd_ops vgpu_mqd_gfx942;	/* mqd_v9.c */
extern const struct vgpu_mqd_ops vgpu_mqd_gfx90a;
extern const struct vgpu_mqd_ops vgpu_mqd_v11;	/* mqd_v11.c */

/* A fault: more was saved than there is room for. The words are at the same place in all layouts. */
void vgpu_mqd_overflow(void *mqd);

#endif /* VGPU_MQD_H */
