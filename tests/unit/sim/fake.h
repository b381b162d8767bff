/* SPDX-License-Identifier: MIT */
/*
 * Surroundings for the model in a unit test: queues with real AQL packets and
 * synthetic kernels in plain memory, whose addresses are those of the CPU.
 * What lies outside of struct fake is not mapped, and so a fault.
 */
#ifndef SIM_TEST_FAKE_H
#define SIM_TEST_FAKE_H

#include "../lib/bounds.h"

#include "firmware/sched.h"
#include "gpu/aql.h"
#include "kernel.h"

#define FAKE_PACKETS	256
#define FAKE_QUEUES	48
#define FAKE_SAVE	65536
#define FAKE_COUNTERS	(1 << 20)

/**
 * struct fake_queue - a queue and what happened to it
 * @aql: the model's part; first, so that a cast leads back
 * @ring: the packets
 * @rptr: where the model reports its read index
 * @wptr: packets the process has written
 * @code: the kernel of them all
 * @args: arguments, by packet
 * @log: record of each packet
 * @workgroups: of each packet
 * @completed: the ticket counter: packets with a kernel that completed
 * @image: the save area
 * @image_bytes: how much of it the last save has written; 0: nothing
 * @state_bytes: wave state it stands for
 * @fault: reason of the last fault, or NULL
 * @blame: what the model blamed
 * @events: interrupts
 * @firsts: times it had a first wave since it was mapped
 * @first_at: when that last was
 */
struct fake_queue {
	struct sim_aql aql;
	struct sim_aql_packet ring[FAKE_PACKETS] __attribute__((aligned(256)));
	u64 rptr;
	u64 wptr;
	struct vgpu_code code;
	struct vgpu_count args[FAKE_PACKETS];
	struct vgpu_log log[FAKE_PACKETS];
	u32 workgroups[FAKE_PACKETS];
	u64 completed;
	u8 image[FAKE_SAVE] __attribute__((aligned(8)));
	u32 image_bytes;
	u64 state_bytes;
	const char *fault;
	const char *blame;
	u32 events;
	u32 firsts;
	u64 first_at;
};

/**
 * struct fake - a GPU and its queues
 * @gpu: the model
 * @profile: with round numbers, see fake_setup()
 * @q: the queues
 * @signal: for tests of barriers
 * @mailbox: for tests of interrupts
 * @counters: one for each workgroup of each packet
 * @counters_used: how many
 * @preempted_at: end of the last preemption, SIM_NEVER: not over
 * @forward: called with it, too, if it is not NULL
 */
struct fake {
	struct sim_gpu gpu;
	struct sim_profile profile;
	struct fake_queue q[FAKE_QUEUES];
	struct sim_aql_signal signal[8];
	u64 mailbox;
	u32 counters[FAKE_COUNTERS];
	u32 counters_used;
	u64 preempted_at;
	void (*forward)(struct fake *f, u64 t);
};

static inline struct fake_queue *fake_queue(struct sim_queue *q)
{
	return (struct fake_queue *)q;
}

/* cmocka fixtures: a GPU with round numbers, see fake.c. */
int fake_setup(void **state);
int fake_teardown(void **state);

/* Append an empty packet of that type with the barrier bit; ring. */
struct sim_aql_packet *fake_packet(struct fake_queue *q, enum sim_aql_type type);

/* Append a kernel; returns its number. */
u32 fake_dispatch(struct fake *f, struct fake_queue *q, u32 workgroups, u32 waves,
		  u64 ns, bool barrier);

/* Map a queue now, with the image of its last save; returns when it is up. */
u64 fake_map(struct fake *f, struct fake_queue *q, u32 priority);

/* Run until nothing happens any more. */
void fake_run(struct fake *f);

/* Run the GPU and the firmware's list on it up to @end. */
void fake_run_sched(struct fake *f, struct sim_sched *s, u64 end);

/* Take queues off and wait until they are; returns how long it took. */
u64 fake_unmap(struct fake *f, struct fake_queue *q, u32 n, u64 grace_ns);

/* Every kernel of the queue ran once, each workgroup once, in order. */
void fake_assert_exactly_once(struct fake *f, struct fake_queue *q);

/* A reproducible random number below @n. */
u32 fake_random(u64 *seed, u32 n);

#endif
