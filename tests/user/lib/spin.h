/* SPDX-License-Identifier: MIT */
/*
 * Synthetic kernels, and the account of their execution.
 *
 * A *set* is memory for the dispatches of one queue: the code object, the
 * arguments of those in flight, and a log with one element for each dispatch
 * ever made. The GPU writes the log; the account read from it says whether
 * every dispatch executed exactly once and in order, whatever was done to
 * the queue meanwhile.
 */
#ifndef SPIN_H
#define SPIN_H

#include "../../sim/model/spin_account.h"
#include "kfdq.h"

/**
 * struct spin_set - dispatches of one queue
 * @dev: where they run
 * @code: the kernel
 * @args: arguments of dispatch number n at [n % @args_count]
 * @args_count: dispatches that may be in flight
 * @log: record of dispatch number n, at [n]
 * @capacity: elements of @log
 * @used: dispatches prepared so far
 * @ticket: counter the dispatches take their tickets from
 * @memory: all of it
 */
struct spin_set {
	struct kfdq_device *dev;
	struct vgpu_code *code;
	struct vgpu_spin *args;
	uint32_t args_count;
	struct vgpu_log *log;
	uint64_t capacity;
	uint64_t used;
	uint64_t *ticket;
	struct kfdq_buffer memory;
};

/**
 * struct spin_shape - size of a dispatch
 * @workgroups: how many
 * @workgroup_size: threads of one
 * @workgroup_ns: how long one computes
 */
struct spin_shape {
	uint32_t workgroups;
	uint32_t workgroup_size;
	uint64_t workgroup_ns;
};

/* Registers and LDS of the kernel: 8 workgroups of 4 waves fill a gfx9 CU. */
#define SPIN_VGPRS	64
#define SPIN_LDS_BYTES	8192

/* Allocate a set for @capacity dispatches, @in_flight of them at a time. */
int spin_set_init(struct spin_set *set, struct kfdq_device *dev, uint64_t capacity,
		  uint32_t in_flight);

/* Free it. No dispatch may be pending. */
void spin_set_fini(struct spin_set *set);

/* Prepare the next dispatch: -ENOSPC when the log is full. */
int spin_next(struct spin_set *set, const struct spin_shape *shape,
	      struct kfdq_signal *completion, struct kfdq_dispatch *out);

/*
 * Prepare and submit @count equal dispatches; @completion, if any, is armed
 * for and given to the last one only.
 */
int spin_submit(struct spin_set *set, struct kfdq_queue *queue, const struct spin_shape *shape,
		uint32_t count, struct kfdq_signal *completion);

/* Read the log. Only what is complete counts as executed. */
void spin_account(const struct spin_set *set, struct spin_account *out);

#endif /* SPIN_H */
