/* SPDX-License-Identifier: MIT */
/*
 * SDMA: the copy engines, and the queues they serve.
 *
 * A queue belongs to one engine, as the driver decided. An engine handles one
 * packet at a time, and its queues take turns packet by packet. A packet takes
 * sdma_packet_ns; one that moves bytes then takes bytes / sdma_bytes_per_us
 * more, in chunks, and the bytes of a chunk are moved when its time has passed.
 * So a copy that is interrupted is half done, in memory and in its queue's
 * state (@midcmd), and goes on where it stopped.
 *
 * Known are NOP, linear copy, linear sub-window copy, constant fill, fence,
 * trap, poll of memory, the HDP flush form of the register poll, atomics on
 * integers, the global time stamp, and from gfx10 on cache control. Anything
 * else, and any bit these do not define, halts the queue. (Formats: Linux,
 * vega10_sdma_pkt_open.h and navi10_sdma_pkt_open.h.)
 *
 * A poll that is not met gives the engine to the next queue and is tried again
 * after sim_retry_blocked().
 */
#ifndef SIM_SDMA_H
#define SIM_SDMA_H

#include "model.h"

/* Bytes an engine moves before it checks whether to stop. Assumed. */
#define SIM_SDMA_CHUNK		65536

/* Dwords of the longest packet but NOP, which is read as it is skipped. */
#define SIM_SDMA_DWORDS		16

/* What the MQD keeps of an interrupted packet: midcmd_data and midcmd_cntl. */
#define SIM_SDMA_MIDCMD		9
#define SIM_SDMA_MIDCMD_VALID	1	/* SDMA0_RLC0_MIDCMD_CNTL.DATA_VALID */

/* What an engine does with the packet of a queue. */
enum sim_sdma_step {
	SIM_SDMA_IDLE,		/* none: another queue's turn */
	SIM_SDMA_FETCH,		/* until @at, then it is executed */
	SIM_SDMA_MOVE,		/* a chunk, until @at */
};

/**
 * struct sim_sdma - an SDMA queue; embed it
 * @sim: the part common to all queues. Besides what is said there, the caller
 *	sets the fields up to @midcmd_cntl before sim_queue_map(), from the MQD.
 * @engine: which engine serves it
 * @ring: address of the packets
 * @ring_bytes: size of the ring, a power of two
 * @rptr_va: where the read index is reported
 * @wptr_va: where the process has the write index
 * @read: index of the next packet, in bytes, never wrapped
 * @midcmd: the interrupted packet: header, bytes moved (low, high), bytes in
 *	all (low, high), zero. The contents on hardware are not documented.
 * @midcmd_cntl: SIM_SDMA_MIDCMD_VALID: there is one, at @read
 * @write: write index as read last
 * @next: next queue of the engine
 * @served: number of its last turn, as counted by the engine
 * @step: what the engine does with its packet
 * @at: when that ends
 * @packet: packet being executed
 * @dwords: its length
 * @bytes: bytes it moves
 * @done: bytes moved already
 * @begin: when the engine began to move bytes, or continued
 * @begun_at: @done at that time
 */
struct sim_sdma {
	struct sim_queue sim;
	u32 engine;
	u64 ring;
	u64 ring_bytes;
	u64 rptr_va;
	u64 wptr_va;
	u64 read;
	u32 midcmd[SIM_SDMA_MIDCMD];
	u32 midcmd_cntl;

	u64 write;
	struct sim_sdma *next;
	u64 served;
	enum sim_sdma_step step;
	u64 at;
	u32 packet[SIM_SDMA_DWORDS];
	u32 dwords;
	u64 bytes;
	u64 done;
	u64 begin;
	u64 begun_at;
};

static inline struct sim_sdma *sim_sdma(struct sim_queue *q)
{
	return (struct sim_sdma *)q;
}

/* sdma_slot.c: its slot. NULL if the model can run this queue, or an error. */
const char *sim_sdma_check(const struct sim_sdma *s, const struct sim_profile *p);

/* Used inside the model, for queues of type SIM_QUEUE_SDMA. */

/* It is in a slot now. */
void sim_sdma_map(struct sim_queue *q);

/* The engine is free for another queue. */
void sim_sdma_give_up(struct sim_sdma *s);

/* Halted or stopped: a packet that has not begun to move bytes is dropped. */
void sim_sdma_halt(struct sim_queue *q);
void sim_sdma_stop(struct sim_queue *q);

/* When a stopped queue reaches the end of its chunk; up to @t: it has. */
u64 sim_sdma_stopped_at(const struct sim_queue *q, u64 t);

/* It has left its slot: store the rest of its packet in @midcmd. */
void sim_sdma_off(struct sim_queue *q);

/* sdma.c: turns and packets. When the next one of any engine continues, or SIM_NEVER. */
u64 sim_sdma_next_event(const struct sim_gpu *gpu);

/* All engines, at time @t. */
void sim_sdma_step(struct sim_gpu *gpu, u64 t);

/* sdma_packet.c: packets. Execution of one has one of these results. */
enum sim_sdma_result {
	SIM_SDMA_DONE,		/* go to the next packet */
	SIM_SDMA_MOVES,		/* @bytes are to be moved */
	SIM_SDMA_BLOCKED,	/* a poll that is not met */
	SIM_SDMA_FAULT,		/* memory, or nonsense */
};

/* Length of the packet that begins with @header, 0: unknown. */
u32 sim_sdma_packet_dwords(const struct sim_profile *p, u32 header);

/* Execute its packet at the time in @at, except moving bytes. */
enum sim_sdma_result sim_sdma_packet_run(struct sim_sdma *s);

/* Move up to @bytes from @done on; counts in @done. False: memory fault. */
bool sim_sdma_packet_move(struct sim_sdma *s, u64 bytes);

#endif /* SIM_SDMA_H */
