/* SPDX-License-Identifier: MIT */
/*
 * HWS, the scheduler firmware of gfx9: takes PM4 packets from the HIQ, the ring
 * amdkfd writes, one after the other.
 *
 *   SET_RESOURCES  which VMIDs and hardware queue slots may be used
 *   RUN_LIST       the address of a list of MAP_PROCESS and MAP_QUEUES packets:
 *                  these run from now on. A RUN_LIST inside the list continues
 *                  it elsewhere; one back to its beginning says that the driver
 *                  knows it to be over-subscribed, and that it is to be rotated
 *   UNMAP_QUEUES   preempts all, all but static, one process's, or named queues;
 *                  the next packet is taken when they are off the hardware
 *   QUERY_STATUS   writes a fence
 *   WRITE_DATA     to CP_IQ_WAIT_TIME2: the grace period
 *   NOP            filler
 *
 * That is all amdkfd 6.12 emits for GC 9.4.2 and 9.4.3 (kfd_packet_manager.c,
 * kfd_packet_manager_v9.c; it has no RELEASE_MEM there). A packet that is not
 * known, or asks for something this firmware does not do, is refused: the
 * firmware reports it and stops answering, as real firmware would, so that the
 * driver's time-outs expire. Only a reset restarts it.
 *
 * Costs: a packet takes hiq_packet_ns; queues are loaded one after the other.
 */
#ifndef SIM_HWS_H
#define SIM_HWS_H

#include "firmware/sched.h"

#define SIM_HWS_PROCESSES	512	/* KFD_MAX_NUM_OF_PROCESSES */
#define SIM_HWS_QUEUES		4096	/* default of max_num_of_queues_per_device */
#define SIM_HWS_CHAIN		16	/* RUN_LISTs that lead on; assumed */
#define SIM_HWS_SEEN		8192	/* bits */

/**
 * struct sim_hws_process - a process of the runlist
 * @sched: its part in the scheduler
 * @pasid: process id
 * @pd: its page tables: address and flags, as in the packet
 * @user: the surroundings'
 */
struct sim_hws_process {
	struct sim_sched_process sched;
	u32 pasid;
	u64 pd;
	const void *user;
};

/**
 * struct sim_hws_queue - a queue of the runlist
 * @sched: its part in the scheduler; its pool identifies the SDMA engine
 * @mqd: address of its MQD in the driver's memory
 * @wptr_va: address of the write index in the process's memory
 * @doorbell: dword offset in the doorbell BAR
 */
struct sim_hws_queue {
	struct sim_sched_entry sched;
	u64 mqd;
	u64 wptr_va;
	u32 doorbell;
};

static inline struct sim_hws_queue *sim_hws_queue(struct sim_sched_entry *e)
{
	return (struct sim_hws_queue *)e;
}

static inline struct sim_hws_process *sim_hws_process(const struct sim_hws_queue *q)
{
	return (struct sim_hws_process *)q->sched.process;
}

/**
 * struct sim_hws_ops - what the firmware asks of its surroundings
 * @memory: @bytes of the driver's memory at @addr, which do not cross a 4 KiB
 *	page. NULL: there is none.
 * @process: a process was read from a runlist. May be NULL.
 * @queue: a queue was; its quantum may be set. May be NULL.
 * @map: as sim_sched_ops->map. NULL: a bad MQD, and @why says why.
 * @changed: the set of queues in slots has changed. May be NULL.
 * @stuck: fault injection: a queue that UNMAP_QUEUES selects stays in its slot,
 *	and the firmware gives up on it. May be NULL.
 * @refused: the firmware has stopped, because of this packet
 * @stop: fault injection: called before a packet of the HIQ is executed. True:
 *	the firmware has stopped. May be NULL.
 * @late: fault injection: called when the preemption of an UNMAP_QUEUES is
 *	over; returns the ns until the next packet is taken. May be NULL.
 */
struct sim_hws_ops {
	void *(*memory)(void *owner, u64 addr, u32 bytes);
	void (*process)(void *owner, struct sim_hws_process *p);
	void (*queue)(void *owner, struct sim_hws_queue *q);
	struct sim_queue *(*map)(void *owner, struct sim_hws_queue *q, u64 t);
	void (*changed)(void *owner);
	bool (*stuck)(void *owner, const struct sim_hws_queue *q);
	void (*refused)(void *owner, const char *why, const u32 *packet, u32 dwords);
	bool (*stop)(void *owner, const u32 *packet);
	u64 (*late)(void *owner);
};

/**
 * struct sim_hws_stats - totals
 * @set_resources: SET_RESOURCES packets
 * @unmap_queues: UNMAP_QUEUES packets
 * @run_list: RUN_LIST packets of the HIQ
 * @map_process: MAP_PROCESS packets
 * @map_queues: MAP_QUEUES packets
 * @map_gws: of those, for queues with the global wave sync
 * @query_status: QUERY_STATUS packets
 * @write_data: WRITE_DATA packets
 * @bad_packets: refused: unknown, malformed, or not supported
 * @bad_runlists: refused: over mapped queues, or over-subscribed without saying
 * @bad_queues: refused: MQDs
 */
struct sim_hws_stats {
	u64 set_resources;
	u64 unmap_queues;
	u64 run_list;
	u64 map_process;
	u64 map_queues;
	u64 map_gws;
	u64 query_status;
	u64 write_data;
	u64 bad_packets;
	u64 bad_runlists;
	u64 bad_queues;
};

/**
 * struct sim_hws - the firmware
 * @sched: the scheduler
 * @ops: surroundings
 * @owner: passed back to them
 * @loaded: the driver has loaded the HIQ
 * @ring: address of the ring
 * @dwords: its size, a power of two
 * @rptr: dword the firmware is at
 * @wptr: dword after the last packet
 * @rptr_report: where it reports @rptr
 * @at: when it takes the next packet, SIM_NEVER: idle, or unmapping
 * @unmapping: an UNMAP_QUEUES is under way
 * @hung: it has stopped
 * @resources: SET_RESOURCES was received
 * @rotated: the driver knows that the runlist is over-subscribed
 * @wait_time2: the register that holds the grace period
 * @why: reason given by ops->map when it refuses
 * @nr_processes: of the runlist
 * @nr_queues: of the runlist
 * @seen: hashes of their MQDs and doorbells, to find one that is there twice
 * @stats: totals
 * @processes: of the runlist
 * @queues: of the runlist
 */
struct sim_hws {
	struct sim_sched sched;
	const struct sim_hws_ops *ops;
	void *owner;
	bool loaded;
	u64 ring;
	u32 dwords;
	u32 rptr;
	u32 wptr;
	u64 rptr_report;
	u64 at;
	bool unmapping;
	bool hung;
	bool resources;
	bool rotated;
	u32 wait_time2;
	const char *why;
	u32 nr_processes;
	u32 nr_queues;
	u64 seen[SIM_HWS_SEEN / 64];
	struct sim_hws_stats stats;
	struct sim_hws_process processes[SIM_HWS_PROCESSES];
	struct sim_hws_queue queues[SIM_HWS_QUEUES];
};

void sim_hws_init(struct sim_hws *h, struct sim_gpu *gpu,
		  const struct sim_hws_ops *ops, void *owner);

/* Forget everything, as a reset does; goes with sim_gpu_reset(). */
void sim_hws_reset(struct sim_hws *h);

/* The driver has set up the HIQ; @rptr_report may be 0. */
void sim_hws_load(struct sim_hws *h, u64 ring, u32 dwords, u64 rptr_report);
void sim_hws_unload(struct sim_hws *h);

/* The HIQ's doorbell was rung with this write index, in dwords. */
void sim_hws_ring(struct sim_hws *h, u32 wptr, u64 now);

/* Whether the driver waits for a QUERY_STATUS in the ring. */
bool sim_hws_owes(struct sim_hws *h);

/* When the firmware acts next: not while queues are being taken off. */
u64 sim_hws_next_event(const struct sim_hws *h);

/* Do what is due at time @t; after sim_advance() to @t. */
void sim_hws_step(struct sim_hws *h, u64 t);

/* The GPU's ops->preempted must lead here. */
void sim_hws_preempted(struct sim_hws *h, u64 t);

/* Used inside: hws_ops.c and hws_list.c */
bool sim_hws_read(struct sim_hws *h, u64 addr, u32 *to, u32 dwords);
void sim_hws_refuse(struct sim_hws *h, u64 *counter, const char *why,
		    const u32 *packet, u32 dwords);
bool sim_hws_read_list(struct sim_hws *h, const u32 *run_list);

#endif /* SIM_HWS_H */
