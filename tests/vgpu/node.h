/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node of the software GPU: what amdkfd calls a node, that is the whole GPU
 * or one of its partitions. It has a firmware of its own (hiq.c), hardware
 * slots (hqd.c) and compute units (sim/).
 *
 * Everything in here is protected by the lock of its device.
 */
#ifndef VGPU_NODE_H
#define VGPU_NODE_H

#include <linux/types.h>

#include "model.h"

struct sim_profile;
struct v9_mqd;
struct vgpu;

#define VGPU_SLOTS	32	/* mapped queues; profile->hqds is the limit */
#define VGPU_RUNLIST	1024	/* queues of a runlist */
#define VGPU_TLB	16

/*
 * What a doorbell holds between rings. Doorbells are write-only on hardware;
 * here they are memory, and this tells a ring of any value from none.
 */
#define VGPU_DOORBELL_QUIET	(~0ULL)

/**
 * struct vgpu_vm - a process's GPU address space, as one queue sees it
 * @pd: root of the page tables, from MAP_PROCESS
 * @epoch: tlb_epoch of the device at which @tlb was valid
 * @tlb: page number and kernel address of recently used pages
 */
struct vgpu_vm {
	u64 pd;
	u64 epoch;
	struct {
		u64 page;
		void *at;
	} tlb[VGPU_TLB];
};

/**
 * struct vgpu_entry - a queue of the runlist
 * @mqd: GART address
 * @pd: page tables of its process
 * @wptr: address of the write index
 * @mm: address space of its process; compared, never used
 * @pasid: process
 * @doorbell: dword offset in the doorbell BAR
 * @is_static: not subject to UNMAP of non-static queues
 */
struct vgpu_entry {
	u64 mqd;
	u64 pd;
	u64 wptr;
	const void *mm;
	u32 pasid;
	u32 doorbell;
	bool is_static;
};

/**
 * struct vgpu_queue - a user queue in a hardware slot
 * @sim: its part in the model
 * @node: where it runs
 * @entry: the runlist's
 * @vm: address space
 * @mqd: of the first XCC
 * @doorbell: the word that is rung
 * @ring: address of the packets
 * @packets: size of the ring
 * @rptr: address of the reported read index
 * @save: address of the save area's wave state (first XCC)
 * @save_bytes: its size
 * @read: index of the next packet
 * @write: write index when last looked at
 */
struct vgpu_queue {
	struct sim_queue sim;
	struct vgpu_node *node;
	struct vgpu_entry entry;
	struct vgpu_vm vm;
	struct v9_mqd *mqd;
	u64 *doorbell;
	u64 ring;
	u64 packets;
	u64 rptr;
	u64 save;
	u32 save_bytes;
	u64 read;
	u64 write;
};

/**
 * struct vgpu_hiq - the ring between amdkfd and the scheduler firmware
 * @loaded: amdkfd has loaded its MQD
 * @base: GART address of the ring
 * @dwords: its size
 * @rptr: dword the firmware is at
 * @rptr_report: GART address where it says so
 * @doorbell: dword offset in the doorbell BAR
 * @at: when the firmware takes the next packet, SIM_NEVER: idle or unmapping
 * @unmapping: an UNMAP_QUEUES is under way
 * @hung: stopped answering (fault injection)
 * @iq_wait_time2: register that holds the grace period
 */
struct vgpu_hiq {
	bool loaded;
	u64 base;
	u32 dwords;
	u32 rptr;
	u64 rptr_report;
	u32 doorbell;
	u64 at;
	bool unmapping;
	bool hung;
	u32 iq_wait_time2;
};

/**
 * struct vgpu_stats - what the firmware was asked to do, and what went wrong
 * @set_resources: SET_RESOURCES packets
 * @unmap_queues: UNMAP_QUEUES packets
 * @run_list: RUN_LIST packets, the chaining ones not counted
 * @map_process: MAP_PROCESS packets
 * @map_queues: MAP_QUEUES packets
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
 * @bad_packets: PM4 or AQL the model does not know
 * @bad_runlists: RUN_LIST over mapped queues, or one that does not fit
 * @bad_queues: queues of a type the model lacks
 * @vm_faults: accesses to unmapped process memory
 * @gart_faults: the same of the driver's memory
 */
struct vgpu_stats {
	u64 set_resources;
	u64 unmap_queues;
	u64 run_list;
	u64 map_process;
	u64 map_queues;
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
	u64 bad_packets;
	u64 bad_runlists;
	u64 bad_queues;
	u64 vm_faults;
	u64 gart_faults;
};

/**
 * struct vgpu_node - a partition
 * @vg: the GPU it is part of
 * @index: of vg->nodes
 * @profile: what it has, of all that the GPU has
 * @first_xcc: its XCCs, first and number
 * @xccs: see @first_xcc
 * @hiq: the firmware's side of the HIQ
 * @gpu: the model
 * @slots: hardware queue slots; the first profile->hqds are used
 * @runlist: queues the firmware was told to run
 * @runlist_len: how many
 * @runlist_first: over-subscribed: first entry that is in a slot
 * @runlist_mapped: entries that are, from @runlist_first on
 * @slice_at: over-subscribed: end of the quantum, else SIM_NEVER
 * @stats: see there
 */
struct vgpu_node {
	struct vgpu *vg;
	u32 index;
	const struct sim_profile *profile;
	u32 first_xcc;
	u32 xccs;
	struct vgpu_hiq hiq;
	struct sim_gpu gpu;
	struct vgpu_queue slots[VGPU_SLOTS];
	struct vgpu_entry runlist[VGPU_RUNLIST];
	u32 runlist_len;
	u32 runlist_first;
	u32 runlist_mapped;
	u64 slice_at;
	struct vgpu_stats stats;
};

static inline struct vgpu_queue *vgpu_queue(struct sim_queue *sim)
{
	return container_of(sim, struct vgpu_queue, sim);
}

/* engine.c */
void vgpu_node_init(struct vgpu_node *node);

/* Drop every queue and wave, as a reset does; the device's lock held. */
void vgpu_node_reset(struct vgpu_node *node);

/* hiq.c */
void vgpu_hiq_load(struct vgpu_node *node, const struct v9_mqd *mqd, u32 doorbell);
void vgpu_hiq_unload(struct vgpu_node *node);
void vgpu_hiq_ring(struct vgpu_node *node, u64 now);
void vgpu_hiq_step(struct vgpu_node *node, u64 t);
void vgpu_hiq_preempted(struct vgpu_node *node, u64 t);
u64 vgpu_hiq_next(const struct vgpu_node *node);

/* hqd.c */
u64 vgpu_hqd_map(struct vgpu_node *node, const struct vgpu_entry *e, u64 at);
void vgpu_hqd_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes);
bool vgpu_hqd_save(struct sim_queue *sim, u32 offset, const void *from, u32 n);
bool vgpu_hqd_load(struct sim_queue *sim, u32 offset, void *to, u32 n);
void vgpu_hqd_scan_doorbells(struct vgpu_node *node);
bool vgpu_hqd_rung(const struct vgpu_node *node, const void *mm);
u32 vgpu_hqd_waves(const struct vgpu_node *node, u32 slot, u32 xcc);
void vgpu_hqd_fault(struct sim_queue *sim, const char *why);

/* aql.c */
enum sim_fetch vgpu_aql_fetch(struct sim_queue *sim, struct sim_dispatch *d);
bool vgpu_aql_consume(struct sim_queue *sim);
bool vgpu_aql_complete(struct sim_queue *sim, const struct sim_dispatch *d, u64 t);

/* gpuvm.c */
void *vgpu_vm_ptr(struct vgpu_queue *q, u64 va, u32 bytes);
bool vgpu_vm_read(struct vgpu_queue *q, u64 va, void *to, u32 bytes);
bool vgpu_vm_write(struct vgpu_queue *q, u64 va, const void *from, u32 bytes);

#endif /* VGPU_NODE_H */
