// SPDX-License-Identifier: MIT
// A program that gives its stream a priority, and looks at no result.
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

int main(int argc, char **argv)
{
	const int priority = argument(argc, argv, 1);
	HwQueueHandle hwq;
	XQueueHandle xq;
	hipStream_t stream;
	counter count;

	hipStreamCreate(&stream);
	HipQueueCreate(&hwq, stream);
	XQueueCreate(&xq, hwq, kPreemptLevelBlock, kQueueCreateFlagNone);
	XQueueSetLaunchConfig(xq, 8, 4);
	XHintPriority(xq, priority);
	for (int i = 0; i < kRounds; i++) {
		round_of("", i, stream, &count);
		pause_between();
	}
	XQueueDestroy(xq);
	HwQueueDestroy(hwq);
	end_stream(stream);
	return report(counted(count), kRounds * kLaunches);
}
