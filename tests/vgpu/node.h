/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node of the software GPU: what amdkfd calls a node, that is the whole GPU
 * or one of its partitions. It has a firmware of its own (hiq.c), hardware
 * slots (hqd.c) and compute units (sim/model).
 *
 * Everything in here is protected by the lock of its device.
 */
#ifndef VGPU_NODE_H
#define VGPU_NODE_H

#include <linux/types.h>

#include "gpu/aql.h"
#include "fault.h"
#include "firmware/hws.h"
#include "native/native.h"
#include "gpu/sdma.h"

struct sim_profile;
struct v9_mqd;
struct vgpu_mes;
struct vgpu;

#define VGPU_XCCS	8	/* of a GPU */
#define VGPU_CP_SLOTS	64	/* compute pipes; profile->hqds is the limit */
#define VGPU_SDMA_SLOTS	8	/* a copy engine; profile->sdma_queues is the limit */
#define VGPU_SLOTS	(VGPU_CP_SLOTS + SIM_MAX_SDMA * VGPU_SDMA_SLOTS)
#define VGPU_TLB	16
#define VGPU_NATIVES	64	/* kernels remembered */
#define VGPU_UNKNOWN	512	/* names of kernels that are not known; the last: all others */

/*
 * What a doorbell holds between rings. Doorbells are write-only on hardware;
 * here they are memory, and this value means that there was no ring.
 */
#define VGPU_DOORBELL_QUIET	(~0ULL)

/**
 * struct vgpu_vm - a process's GPU address space, as one queue sees it
 * @pd: root of the page tables, from MAP_PROCESS
 * @fault: it has met a bad address since it was mapped
 * @epoch: tlb_epoch of the device at which @tlb was valid
 * @tlb: page number, kernel address and entry of recently used pages
 */
struct vgpu_vm {
	u64 pd;
	bool fault;
	u64 epoch;
	struct {
		u64 page;
		u64 pte;
		void *at;
	} tlb[VGPU_TLB];
};

/**
 * struct vgpu_entry - a queue, as the driver describes it to the firmware
 * @mqd: GART address
 * @pd: page tables of its process
 * @wptr: address of the write index
 * @mm: address space of its process; compared, never used
 * @pasid: process
 * @doorbell: dword offset in the doorbell BAR
 * @vmid: VMID of its process
 */
struct vgpu_entry {
	u64 mqd;
	u64 pd;
	u64 wptr;
	const void *mm;
	u32 pasid;
	u32 doorbell;
	u32 vmid;
};

/**
 * struct vgpu_queue - a user queue in a hardware slot
 * @sim: its part in the model
 * @aql: the same of a compute queue
 * @sdma: the same of an SDMA queue
 * @node: where it runs
 * @entry: the driver's description
 * @vm: address space
 * @mqd: of the first XCC
 * @doorbell: the word that is rung
 * @reset: XCCs on which the driver has reset it, a mask
 */
struct vgpu_queue {
	union {
		struct sim_queue sim;
		struct sim_aql aql;
		struct sim_sdma sdma;
	};
	struct vgpu_node *node;
	struct vgpu_entry entry;
	struct vgpu_vm vm;
	void *mqd;
	u64 *doorbell;
	u32 reset;
};

/**
 * struct vgpu_hiq - the firmware that reads runlists
 * @hws: the firmware
 * @mqd: of the ring between it and amdkfd, one an XCC
 * @doorbell: dword offset of the ring's doorbell
 */
struct vgpu_hiq {
	struct sim_hws hws;
	struct v9_mqd *mqd[VGPU_XCCS];
	u32 doorbell;
};

/**
 * struct vgpu_stats - requests to the firmware, and errors
 * @set_resources: SET_RESOURCES packets
 * @unmap_queues: UNMAP_QUEUES packets
 * @run_list: RUN_LIST packets, the chaining ones not counted
 * @map_process: MAP_PROCESS packets
 * @map_queues: MAP_QUEUES packets
 * @map_gws: of those, for queues with the global wave sync
 * @query_status: QUERY_STATUS packets
 * @write_data: WRITE_DATA packets
 * @slices: quanta that ended in a rotation of an over-subscribed runlist
 * @interrupts: raised to amdkfd
 * @rings: user doorbells seen
 * @runs: times the model ran
 * @run_ns: guest time it took
 * @run_max_ns: longest of them
 * @tlb_flushes: by the driver
 * @resets: of the whole GPU
 * @register_accesses: to count waves
 * @mes_add: calls MES has answered: queues added
 * @mes_remove: queues removed
 * @mes_suspend: gangs suspended
 * @mes_resume: gangs resumed
 * @mes_misc: settings for a debugger
 * @mes_errors: calls refused or failed
 * @mes_call_ns: time all calls took
 * @bad_packets: PM4 or AQL the model does not know
 * @bad_runlists: RUN_LIST over mapped queues, or one that does not fit
 * @bad_queues: queues of a type the model lacks
 * @native_kernels: dispatches of kernels the model carries out
 * @native_lookups: of these, with a look-up in the code object
 * @timed_kernels: of these, such that only took their time (sim_native_timed())
 * @real_kernels: dispatches of code objects' kernels, known or not, that have completed
 * @real_workgroups: workgroups of such that have ended
 * @unknown_timed: completed dispatches of kernels the model does not know,
 *	which only took their time (time_unknown)
 * @unknown_names: how many kernels these were
 * @unknown_kernels: look-ups in code objects of kernels the model does not
 *	know, and refuses
 * @vm_faults: accesses to unmapped process memory
 * @gart_faults: the same of the driver's memory
 */
struct vgpu_stats {
	u64 set_resources;
	u64 unmap_queues;
	u64 run_list;
	u64 map_process;
	u64 map_queues;
	u64 map_gws;
	u64 query_status;
	u64 write_data;
	u64 slices;
	u64 interrupts;
	u64 rings;
	u64 runs;
	u64 run_ns;
	u64 run_max_ns;
	u64 tlb_flushes;
	u64 resets;
	u64 register_accesses;
	u64 mes_add;
	u64 mes_remove;
	u64 mes_suspend;
	u64 mes_resume;
	u64 mes_misc;
	u64 mes_errors;
	u64 mes_call_ns;
	u64 bad_packets;
	u64 bad_runlists;
	u64 bad_queues;
	u64 native_kernels;
	u64 native_lookups;
	u64 timed_kernels;
	u64 real_kernels;
	u64 real_workgroups;
	u64 unknown_timed;
	u64 unknown_names;
	u64 unknown_kernels;
	u64 vm_faults;
	u64 gart_faults;
};

/**
 * struct vgpu_natives - kernels of descriptors, see kernels.c
 * @known: process, address of the descriptor, number of the kernel, and the
 *	tlb_epoch of the device at which that was valid. -1: not known; less,
 *	with time_unknown: -1 minus its number among unknown kernels.
 * @next: to be replaced next
 */
struct vgpu_natives {
	struct {
		u64 code;
		u64 epoch;
		u32 pasid;
		s32 kernel;
	} known[VGPU_NATIVES];
	u32 next;
};

/**
 * struct vgpu_unknown - a kernel the model does not know, and times (time_unknown)
 * @name: its symbol, or a replacement
 * @dispatches: how many have completed
 * @vgprs: of a lane, as its descriptor says
 * @lds_bytes: of a workgroup of the last dispatch
 * @workgroup_ns: time of that
 */
struct vgpu_unknown {
	char name[SIM_NATIVE_NAME];
	u64 dispatches;
	u32 vgprs;
	u32 lds_bytes;
	u64 workgroup_ns;
};

/**
 * struct vgpu_node - a partition
 * @vg: the GPU it is part of
 * @index: of vg->nodes
 * @profile: its part of the GPU
 * @first_xcc: its XCCs, first and number
 * @xccs: see @first_xcc
 * @hiq: the firmware's side of the HIQ
 * @mes: the same of MES, or NULL
 * @gpu: the model
 * @slots: hardware queue slots: of the compute pipes, then of each copy engine
 * @faults: to be injected
 * @natives: kernels it has looked up
 * @unknown: of these, kernels the model does not know and times; they stay
 * @nr_unknown: how many
 * @scratch: for reading the MQD of a queue that has no slot
 * @stats: see there
 */
struct vgpu_node {
	struct vgpu *vg;
	u32 index;
	const struct sim_profile *profile;
	u32 first_xcc;
	u32 xccs;
	struct vgpu_hiq hiq;
	struct vgpu_mes *mes;
	struct sim_gpu gpu;
	struct vgpu_queue slots[VGPU_SLOTS];
	struct vgpu_faults faults;
	struct vgpu_natives natives;
	struct vgpu_unknown unknown[VGPU_UNKNOWN];
	u32 nr_unknown;
	struct vgpu_queue scratch;
	struct vgpu_stats stats;
};

static inline struct vgpu_queue *vgpu_queue(struct sim_queue *sim)
{
	return container_of(sim, struct vgpu_queue, sim);
}

/* engine.c */
void vgpu_node_init(struct vgpu_node *node);
u64 vgpu_node_time(const struct vgpu_node *node);

/* Drop every queue and wave, as a reset does; the device's lock held. */
void vgpu_node_reset(struct vgpu_node *node);

/* hiq.c */

/* The MQD of the HIQ on an XCC, counted from the node's first, which reads it. */
void vgpu_hiq_load(struct vgpu_node *node, u32 xcc, struct v9_mqd *mqd, u32 doorbell);
void vgpu_hiq_unload(struct vgpu_node *node);
void vgpu_hiq_ring(struct vgpu_node *node, u64 now);

/* The address space whose doorbell writes ring that process's queues. */
const void *vgpu_mm_of_pasid(u32 pasid);

/* hqd.c */

/* Put a queue into that slot of that pool, at time @at. NULL: see @why. */
struct sim_queue *vgpu_hqd_map(struct vgpu_node *node, const struct vgpu_entry *e,
			       u32 pool, u32 slot, u64 at, const char **why);

/* Error of the MQD of a queue that has no slot, or NULL. */
const char *vgpu_hqd_check(struct vgpu_node *node, const struct vgpu_entry *e, u32 pool);

/* Whether such a queue has packets, or waves in its save area. */
bool vgpu_hqd_has_work(struct vgpu_node *node, const struct vgpu_entry *e, u32 pool);

/* The MQD of an XCC, counted from the node's first. */
void *vgpu_hqd_mqd(struct vgpu_queue *q, u32 xcc);
void vgpu_hqd_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes);
void vgpu_hqd_scan_doorbells(struct vgpu_node *node);
bool vgpu_hqd_rung(const struct vgpu_node *node, const void *mm);
u32 vgpu_hqd_waves(const struct vgpu_node *node, u32 slot, u32 xcc);
void vgpu_hqd_fault(struct sim_queue *sim, const char *why);

/* The driver resets it on an XCC, counted from the node's first. */
void vgpu_hqd_reset(struct vgpu_queue *q, u32 xcc);

/* mqd_sdma.c */
const char *vgpu_sdma_load(struct vgpu_queue *q, const u32 *m, u32 engine);
void vgpu_sdma_saved(struct vgpu_queue *q, u32 *m);

/* interrupt.c */
void vgpu_interrupt_event(struct sim_queue *sim, u32 context);
void vgpu_interrupt_fault(struct vgpu_queue *q, u64 va, bool write, bool present);
void vgpu_interrupt_bad_packet(struct vgpu_queue *q);

/* gpuvm.c */
void *vgpu_vm_memory(struct sim_queue *sim, u64 va, u32 bytes, bool write);
const void *vgpu_vm_peek(struct sim_queue *sim, u64 va, u32 bytes);

/* kernels.c: ops->kernel, ops->retired and ops->completed */
bool vgpu_native_kernel(struct sim_queue *sim, const struct sim_aql_dispatch *p,
			struct sim_dispatch *d);
bool vgpu_native_retired(struct sim_queue *sim, const struct sim_dispatch *d,
			 u32 first, u32 n, u64 t);
bool vgpu_native_completed(struct sim_queue *sim, const struct sim_dispatch *d, u64 t);

#endif /* VGPU_NODE_H */
