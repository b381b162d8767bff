/* SPDX-License-Identifier: MIT */
/*
 * AQL packets (HSA System Architecture, chapter 2.9) and signals (2.8), as the
 * packet processor of a compute queue handles them in the process's memory.
 *
 * Known are kernel dispatch, barrier-AND, barrier-OR and of AMD's vendor
 * packets barrier-value; the vendor packet with a PM4 buffer, which runtimes
 * use for cache control, completes without an effect, as there are no caches.
 * Anything else halts the queue.
 */
#ifndef SIM_AQL_H
#define SIM_AQL_H

#include "model.h"

/**
 * struct sim_aql - a compute queue; embed it
 * @sim: the part common to all queues. Besides the fields named there, the
 *	caller sets all but @write before sim_queue_map().
 * @ring: address of the packets
 * @packets: how many the ring has, a power of two
 * @rptr_va: where the read index is reported
 * @wptr_va: where the process has the write index
 * @read: index of the next packet
 * @write: write index as read last
 */
struct sim_aql {
	struct sim_queue sim;
	u64 ring;
	u64 packets;
	u64 rptr_va;
	u64 wptr_va;
	u64 read;
	u64 write;
};

static inline struct sim_aql *sim_aql(struct sim_queue *q)
{
	return (struct sim_aql *)q;
}

#define SIM_AQL_BYTES		64
#define SIM_AQL_DEPENDENCIES	5

/* Packet types, bits 7:0 of the header. */
enum sim_aql_type {
	SIM_AQL_VENDOR = 0,
	SIM_AQL_INVALID = 1,
	SIM_AQL_DISPATCH = 2,
	SIM_AQL_BARRIER_AND = 3,
	SIM_AQL_BARRIER_OR = 5,
};

#define SIM_AQL_BARRIER_BIT	(1 << 8)

/* AMD's vendor packets, bits 7:0 of the half word after the header. */
enum sim_aql_vendor {
	SIM_AQL_PM4_IB = 1,
	SIM_AQL_BARRIER_VALUE = 2,
};

/* Conditions of barrier-value: (signal & mask) against the value. */
enum sim_aql_condition {
	SIM_AQL_EQ,
	SIM_AQL_NE,
	SIM_AQL_LT,
	SIM_AQL_GTE,
};

/**
 * struct sim_aql_dispatch - kernel dispatch packet after its header and setup
 * @workgroup: size in work-items, x y z
 * @reserved0: zero
 * @grid: size in work-items, x y z
 * @private_bytes: scratch of a work-item
 * @group_bytes: LDS of a workgroup
 * @code: kernel object
 * @args: its arguments
 * @reserved1: zero
 */
struct sim_aql_dispatch {
	u16 workgroup[3];
	u16 reserved0;
	u32 grid[3];
	u32 private_bytes;
	u32 group_bytes;
	u64 code;
	u64 args;
	u64 reserved1;
} __attribute__((packed));

/**
 * struct sim_aql_barrier - barrier-AND and barrier-OR after header and setup
 * @reserved0: zero
 * @dependency: addresses of signals, 0: none
 * @reserved1: zero
 */
struct sim_aql_barrier {
	u32 reserved0;
	u64 dependency[SIM_AQL_DEPENDENCIES];
	u64 reserved1;
} __attribute__((packed));

/**
 * struct sim_aql_barrier_value - barrier-value after header and format
 * @reserved0: zero
 * @dependency: address of the signal
 * @value: what it is compared with
 * @mask: bits of it that count
 * @condition: enum sim_aql_condition
 * @reserved1: zero
 */
struct sim_aql_barrier_value {
	u32 reserved0;
	u64 dependency;
	s64 value;
	s64 mask;
	u32 condition;
	u32 reserved1[5];
} __attribute__((packed));

/**
 * struct sim_aql_packet - a packet
 * @header: type, barrier bit, fences
 * @setup: dimensions, or a vendor packet's format
 * @dispatch: SIM_AQL_DISPATCH
 * @barrier: SIM_AQL_BARRIER_AND, SIM_AQL_BARRIER_OR
 * @barrier_value: SIM_AQL_VENDOR with SIM_AQL_BARRIER_VALUE
 * @signal: address of the completion signal, or 0
 */
struct sim_aql_packet {
	u16 header;
	u16 setup;
	union {
		struct sim_aql_dispatch dispatch;
		struct sim_aql_barrier barrier;
		struct sim_aql_barrier_value barrier_value;
	} __attribute__((packed));
	u64 signal;
} __attribute__((packed, aligned(8)));

/**
 * struct sim_aql_signal - amd_signal_t, as processor and ROCr know it
 * @kind: 1: user signal
 * @value: decremented by the packet's completion
 * @mailbox: where the event id goes, 0: no interrupt
 * @event: the event id
 * @reserved: zero
 * @start: GPU clock when the packet began
 * @end: GPU clock when it had completed
 */
struct sim_aql_signal {
	s64 kind;
	s64 value;
	u64 mailbox;
	u32 event;
	u32 reserved;
	u64 start;
	u64 end;
};

/* Used inside the model, for queues of type SIM_QUEUE_COMPUTE. */
enum sim_fetch sim_aql_fetch(struct sim_queue *q, struct sim_dispatch *d);
bool sim_aql_consume(struct sim_queue *q);
bool sim_aql_complete(struct sim_queue *q, const struct sim_dispatch *d, u64 t);

/*
 * The reason not to map this queue (an invalid MQD, or a save area that could
 * not hold the waves of a full GPU), or NULL.
 */
const char *sim_aql_check(const struct sim_aql *q, const struct sim_profile *p);

/*
 * Load the read index from the MQD's dword pointer, which has 32 bits; the
 * write index in the process's memory extends it. False: memory fault.
 */
bool sim_aql_load_read(struct sim_aql *q, u32 rptr_dwords);

/*
 * kernel.c: the synthetic kernels. ops->kernel, ops->retired and ops->completed
 * may call these functions for kernels they do not know.
 */
bool sim_kernel_synthetic(struct sim_queue *q, const struct sim_aql_dispatch *p,
			  struct sim_dispatch *d);
bool sim_kernel_retired(struct sim_queue *q, const struct sim_dispatch *d,
			u32 first, u32 n, u64 t);
bool sim_kernel_completed(struct sim_queue *q, const struct sim_dispatch *d, u64 t);

#endif /* SIM_AQL_H */
