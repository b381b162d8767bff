/* SPDX-License-Identifier: MIT */
/* Pressure on the GPU's memory, from a process that has no queues. */
#ifndef PRESSURE_H
#define PRESSURE_H

#include <stdint.h>

/**
 * struct pressure_wait - a piece of memory that one had to wait for
 * @since: CLOCK_MONOTONIC when it was asked for
 * @until: when it was there; 0: there was no such wait
 */
struct pressure_wait {
	uint64_t since;
	uint64_t until;
};

/*
 * Fill the GPU's memory through the graphics interface and give it back: the
 * memory manager moves what others have there, which makes amdkfd evict their
 * queues. 0, or -errno.
 */
int pressure_once(void);

/*
 * The same on the GPU of that render node, by its minor number; @first takes the first piece that
 * took @least_ns or longer.
 */
int pressure_on(unsigned int minor, uint64_t least_ns, struct pressure_wait *first);

#endif /* PRESSURE_H */
