/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults on demand, for tests. debugfs vgpu/fault arms them (see
 * Documentation/software-gpu.rst) and shows which are armed.
 *
 * A fault is armed for one node and happens so many times; then it is gone, as
 * after a reset of the GPU. Everything here is protected by the device's lock.
 */
#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct dentry;
struct seq_file;
struct sim_hws_queue;
struct vgpu;
struct vgpu_node;
struct vgpu_queue;

#define VGPU_FAULTS	16	/* armed at a time */

enum vgpu_fault_kind {
	VGPU_FAULT_LATE,	/* a preemption takes longer */
	VGPU_FAULT_HANG,	/* and is never confirmed: the firmware stops */
	VGPU_FAULT_STOP,	/* it stops after so many packets */
	VGPU_FAULT_STUCK,	/* a queue cannot be preempted */
	VGPU_FAULT_RESET_FAIL,	/* nor can it be reset alone */
	VGPU_FAULT_RESET,	/* the GPU is reset while waves are saved */
	VGPU_FAULT_KILL,	/* a process is killed while its waves are */
	VGPU_FAULT_BIT,		/* a bit of saved waves flips */
	VGPU_FAULT_CUT,		/* the second half of them is missing */
	VGPU_FAULT_SWAP,	/* two queues get each other's */
	VGPU_FAULT_STACK,	/* where waves are saved cannot be */
	VGPU_FAULT_ONES,	/* registers read as ones: the GPU is not there */
	VGPU_FAULT_RESET_LATE,	/* the driver's reset begins later */
	VGPU_FAULT_KINDS,
};

/**
 * struct vgpu_fault - a fault that is armed
 * @kind: kind of fault
 * @count: how often it will happen
 * @arg: LATE, RESET_LATE: nanoseconds. STOP: packets until then. STUCK: doorbell.
 * @pasid: process it affects, 0: any
 */
struct vgpu_fault {
	enum vgpu_fault_kind kind;
	u32 count;
	u64 arg;
	u32 pasid;
};

/**
 * struct vgpu_faults - those of a node
 * @armed: waiting to happen
 * @nr: how many
 * @fired: how often each kind has happened
 * @gave_up: the firmware gave up on a queue in this UNMAP_QUEUES
 * @partner: SWAP: the first of the two queues
 * @partner_bytes: size of its image
 * @seed: of the choice of the bit that flips
 * @reset: makes the driver reset the GPU
 */
struct vgpu_faults {
	struct vgpu_fault armed[VGPU_FAULTS];
	u32 nr;
	u64 fired[VGPU_FAULT_KINDS];
	bool gave_up;
	struct vgpu_queue *partner;
	u32 partner_bytes;
	u32 seed;
	struct work_struct reset;
};

void vgpu_fault_init(struct vgpu_node *node);
void vgpu_fault_fini(struct vgpu_node *node);

/* Disarm all; how often they have happened stays. */
void vgpu_fault_clear(struct vgpu_node *node);

/* Arm one: -ENOSPC, or -EOPNOTSUPP if it does not apply to the firmware. */
int vgpu_fault_arm(struct vgpu_node *node, const struct vgpu_fault *fault);

/* fault_file.c: the file, and module parameter hang */
void vgpu_fault_debugfs(struct dentry *dir);
void vgpu_mes_fault_clear(struct vgpu_node *node);

/* Whether the firmware stops at this packet of the HIQ. */
bool vgpu_fault_stop(struct vgpu_node *node, u32 opcode);

/* Delay of the answer to an UNMAP_QUEUES, nanoseconds. */
u64 vgpu_fault_late(struct vgpu_node *node);

/* Whether that queue, which is to leave its slot, does not. */
bool vgpu_fault_stuck(struct vgpu_node *node, const struct sim_hws_queue *q);

/* Whether the driver, which resets a queue that does not leave its slot, fails with that. */
bool vgpu_fault_reset_fails(struct vgpu_node *node);

/* The waves of the queues that are being taken off begin to be saved. */
void vgpu_fault_saving(struct vgpu_node *node);

/* A queue was saved, with an image of that size. */
void vgpu_fault_saved(struct vgpu_queue *q, u32 image_bytes);

/* Whether registers read as ones. */
bool vgpu_fault_ones(struct vgpu_node *node);

/* How long a reset that the driver asked for is not begun, nanoseconds. Takes the lock. */
u64 vgpu_fault_reset_late(struct vgpu *vg);

#endif /* VGPU_FAULT_H */
