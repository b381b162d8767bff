/* SPDX-License-Identifier: MIT */
/* What all shapes do on a stream: rounds of launches, and count them. */
#ifndef SHAPES_WORK_H
#define SHAPES_WORK_H

#include <cstdio>
#include <hip/hip_runtime.h>

static const int kRounds = 5, kLaunches = 20;

static void add_one(void *count)
{
	++*static_cast<int *>(count);
}

// One round; what a program measures.
static void round_of(hipStream_t stream, int *count)
{
	for (int i = 0; i < kLaunches; i++)
		launch(add_one, count, stream);
	hipStreamSynchronize(stream);
}

static int report(int count, int wanted)
{
	printf("%d launches\n", count);
	return count != wanted;
}

#endif
