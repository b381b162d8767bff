/* SPDX-License-Identifier: MIT */
/*
 * Surroundings for the model in a unit test: queues are arrays of packets, the
 * save area is a buffer, and what the model reports is recorded.
 */
#ifndef SIM_TEST_FAKE_H
#define SIM_TEST_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model.h"

#define FAKE_PACKETS	256
#define FAKE_QUEUES	32
#define FAKE_SAVE	65536

/**
 * struct fake_queue - a queue and what happened to it
 * @sim: the model's part; first, so that a cast leads back
 * @gpu: whose it is
 * @packets: what the process has written
 * @written: how many
 * @read: how many were consumed
 * @blocked: the packet at the head waits for a signal
 * @executed: times each packet completed
 * @saves: times it was saved, as the completion said
 * @start: when it began
 * @end: when it ended
 * @order: packets in the order of completion
 * @completed: how many
 * @image: what the save area holds
 * @image_bytes: how much of it, from the last save; 0: nothing
 * @state_bytes: wave state the last save stands for
 * @fault: reason of the last fault, or NULL
 */
struct fake_queue {
	struct sim_queue sim;
	struct sim_dispatch packets[FAKE_PACKETS];
	u32 written;
	u32 read;
	bool blocked;
	u32 executed[FAKE_PACKETS];
	u32 saves[FAKE_PACKETS];
	u64 start[FAKE_PACKETS];
	u64 end[FAKE_PACKETS];
	u32 order[FAKE_PACKETS];
	u32 completed;
	u8 image[FAKE_SAVE];
	u32 image_bytes;
	u64 state_bytes;
	const char *fault;
};

/**
 * struct fake - a GPU and its queues
 * @preempted_at: end of the last preemption, SIM_NEVER: not over
 */
struct fake {
	struct sim_gpu gpu;
	struct sim_profile profile;
	struct fake_queue q[FAKE_QUEUES];
	u64 preempted_at;
};

/* cmocka fixtures: a GPU with round numbers, see fake.c. */
int fake_setup(void **state);
int fake_teardown(void **state);

/* Append a kernel; returns its number. */
u32 fake_dispatch(struct fake_queue *q, u32 workgroups, u32 waves, u64 ns,
		  bool barrier);

/* Map a queue now, with the image of its last save. */
void fake_map(struct fake *f, struct fake_queue *q, u32 priority);

/* Run until nothing happens any more. */
void fake_run(struct fake *f);

/* Take queues off and wait until they are; returns how long it took. */
u64 fake_unmap(struct fake *f, struct fake_queue *q, u32 n, u64 grace_ns);

#endif
