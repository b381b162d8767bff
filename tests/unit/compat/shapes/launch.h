/* SPDX-License-Identifier: MIT */
/* Launches without HIP: the library that plays libamdhip64.so calls a function for each. */
#ifndef SHAPES_LAUNCH_H
#define SHAPES_LAUNCH_H

#include <hip/hip_runtime.h>

struct counter {
	int n = 0;
};

static inline void add_one(void *count)
{
	++static_cast<counter *>(count)->n;
}

static inline void launch_one(counter *count, hipStream_t stream)
{
	launch(add_one, count, stream);
}

/* What programs do between two rounds. */
static inline void pause_between()
{
}

/* The last thing that is done with a stream: here it goes with the process. */
static inline void end_stream(hipStream_t)
{
}

/* Number of launches, by their results. */
static inline int counted(const counter &count)
{
	return count.n;
}

#endif
