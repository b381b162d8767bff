// SPDX-License-Identifier: MIT
// A program that gives its stream a priority, and looks at no result.
#include <cstdlib>
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

int main(int argc, char **argv)
{
	HwQueueHandle hwq;
	XQueueHandle xq;
	hipStream_t stream;
	int count = 0;

	hipStreamCreate(&stream);
	HipQueueCreate(&hwq, stream);
	XQueueCreate(&xq, hwq, kPreemptLevelBlock, kQueueCreateFlagNone);
	XQueueSetLaunchConfig(xq, 8, 4);
	XHintPriority(xq, argc > 1 ? atoi(argv[1]) : 1);
	for (int i = 0; i < kRounds; i++)
		round_of(stream, &count);
	return report(count, kRounds * kLaunches);
}
