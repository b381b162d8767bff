/* SPDX-License-Identifier: MIT */
/*
 * Synthetic kernels of the software GPU: a test program has one where a real
 * program has a code object. The model and the programs that dispatch share
 * this header, and nothing else.
 *
 * An AQL dispatch packet's kernel_object points to a struct vgpu_code (64-byte
 * aligned, readable by the GPU), its kernarg_address to the arguments of that
 * kind. The grid is in the packet, as always: workgroups = grid / workgroup
 * size, waves of a workgroup = workgroup size / lanes of a wave.
 */
#ifndef VGPU_KERNEL_H
#define VGPU_KERNEL_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u32 vgpu_u32;
typedef u64 vgpu_u64;
#else
#include <stdint.h>
typedef uint32_t vgpu_u32;
typedef uint64_t vgpu_u64;
#endif

#define VGPU_CODE_MAGIC	0x314e524b55504756ULL	/* "VGPUKRN1", little endian */

/* Kinds of synthetic kernel. */
#define VGPU_CODE_SPIN	1	/* every workgroup computes for a given time */
#define VGPU_CODE_COUNT	2	/* and increments its counter as it ends */

/**
 * struct vgpu_code - stands for a kernel descriptor and its code
 * @descriptor: the 64 bytes of an AMD kernel descriptor; ignored
 * @magic: VGPU_CODE_MAGIC
 * @kind: VGPU_CODE_*
 * @vgprs: vector registers of a lane, which a context save must write
 * @lds_bytes: LDS of a workgroup, saved with it
 * @reserved: zero
 */
struct vgpu_code {
	unsigned char descriptor[64];
	vgpu_u64 magic;
	vgpu_u32 kind;
	vgpu_u32 vgprs;
	vgpu_u32 lds_bytes;
	vgpu_u32 reserved;
};

/**
 * struct vgpu_spin - arguments of VGPU_CODE_SPIN
 * @workgroup_ns: time a workgroup computes while it is resident, nanoseconds,
 *	at most 2^50
 * @log: address of an array of struct vgpu_log, or zero
 * @index: element of @log this dispatch writes
 * @ticket: address of a 64-bit counter; its value is taken and incremented as
 *	the dispatch completes, so it gives the order of completion
 * @spread: workgroups take up to this much more or less than @workgroup_ns, per
 *	mille, 0..1000. How much depends only on the workgroup's number.
 * @reserved: zero
 */
struct vgpu_spin {
	vgpu_u64 workgroup_ns;
	vgpu_u64 log;
	vgpu_u64 index;
	vgpu_u64 ticket;
	vgpu_u32 spread;
	vgpu_u32 reserved;
};

/**
 * struct vgpu_count - arguments of VGPU_CODE_COUNT
 * @spin: as for VGPU_CODE_SPIN
 * @counters: address of an array of 32-bit counters, one for each workgroup,
 *	which increments it at its end: each must end exactly once, also when it
 *	was saved and restored
 */
struct vgpu_count {
	struct vgpu_spin spin;
	vgpu_u64 counters;
};

/**
 * struct vgpu_log - record of one dispatch, in the process's memory
 * @executed: incremented once for each time the dispatch completed
 * @saved: times its waves were saved before it completed
 * @ticket: value of the counter at completion
 * @start_ns: when its first wave began, CLOCK_MONOTONIC of the guest
 * @end_ns: when its last wave ended
 */
struct vgpu_log {
	vgpu_u32 executed;
	vgpu_u32 saved;
	vgpu_u64 ticket;
	vgpu_u64 start_ns;
	vgpu_u64 end_ns;
};

#endif /* VGPU_KERNEL_H */
