/* SPDX-License-Identifier: MIT */
/*
 * Launches of the shapes of tests/unit/compat on a GPU: kernels that fill it, take their
 * time, and leave a result that is right only if each ran once, in its place. When each ran
 * by the GPU's clock goes to a file: "THREAD LAUNCH START END", in 10 ns.
 */
#ifndef ROCM_SHAPES_LAUNCH_H
#define ROCM_SHAPES_LAUNCH_H

#include <memory>
#include <stdio.h>
#include <string>
#include <unistd.h>

#include "../chain.h"
#include "../check.h"

#define WORKGROUP	1024	/* two to a CU, with the registers of xs_layer() */
#define PASSES		2
#define PASS_US		5000
#define MOST_LAUNCHES	4000
#define PAUSE_US	30000

struct counter {
	std::unique_ptr<chain> launches;
};

/* Where times go, and how many threads have written theirs. */
extern std::string times_file;
extern int threads_counted;

static inline void launch_one(counter *count, hipStream_t stream)
{
	hipDeviceProp_t p;

	if (!count->launches) {
		HIP(hipGetDeviceProperties(&p, 0));
		count->launches.reset(new chain(2 * PASSES * p.multiProcessorCount, WORKGROUP,
						PASS_US, MOST_LAUNCHES));
	}
	count->launches->launch(stream);
}

/* What programs do between two rounds. */
static inline void pause_between(void)
{
	usleep(PAUSE_US);
}

/* So that the next run's streams do not have to share its hardware queue. */
static inline void end_stream(hipStream_t stream)
{
	HIP(hipStreamDestroy(stream));
}

/* How many launches there were, if their results are right, or -1. */
static inline int counted(const counter &count)
{
	const chain *c = count.launches.get();
	FILE *f = fopen(times_file.c_str(), threads_counted ? "a" : "w");
	uint32_t i;

	if (!f || !c)
		return -1;
	for (i = 0; i < c->n; i++)
		fprintf(f, "%d %u %llu %llu\n", threads_counted, i, c->log[i].start, c->log[i].end);
	threads_counted++;
	return fclose(f) || !c->right() ? -1 : (int)c->n;
}

#endif /* ROCM_SHAPES_LAUNCH_H */
