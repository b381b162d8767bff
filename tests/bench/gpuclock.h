/* SPDX-License-Identifier: MIT */
/*
 * The software GPU's clock (tests/vgpu/clock.c): what of a period was the
 * software's, and what the GPU's.
 */
#ifndef GPUCLOCK_H
#define GPUCLOCK_H

#include <stdint.h>

/**
 * struct gpuclock - of one moment, nanoseconds
 * @now: CLOCK_MONOTONIC
 * @gpu: time of the GPU so far: the model ran, or the driver waited for it
 * @save: in the model's own time, what it took to save
 * @saves: preemptions so far
 * @quiet: when the last of them was over
 * @quiet_gpu: as @gpu, at that time
 */
struct gpuclock {
	uint64_t now;
	uint64_t gpu;
	uint64_t save;
	uint64_t saves;
	uint64_t quiet;
	uint64_t quiet_gpu;
};

/**
 * struct gpuclock_period - between two moments, nanoseconds
 * @software: instructions that were not the GPU's; without what reading the clock twice takes
 * @save: see struct gpuclock
 * @saves: likewise
 * @quiet: when the last preemption was over, CLOCK_MONOTONIC
 */
struct gpuclock_period {
	uint64_t software;
	uint64_t save;
	uint64_t saves;
	uint64_t quiet;
};

/* Open it; 0 or -errno. */
int gpuclock_open(void);

void gpuclock_read(struct gpuclock *out);

/*
 * From that moment until now. Then the clock is read a few times more, to know what the
 * two readings themselves took, which is some 9,000 instructions: a period ends as
 * this is called, not as it returns.
 */
void gpuclock_since(const struct gpuclock *begin, struct gpuclock_period *out);

#endif /* GPUCLOCK_H */
