// SPDX-License-Identifier: MIT
// Two threads with a stream each, scheduled within the process.
#include <thread>
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

static int counts[2];

static void run(int priority)
{
	HwQueueHandle hwq;
	XQueueHandle xq;
	hipStream_t stream;

	hipStreamCreate(&stream);
	HipQueueCreate(&hwq, stream);
	XQueueCreate(&xq, hwq, kPreemptLevelInterrupt, kQueueCreateFlagNone);
	XHintPriority(xq, priority);
	for (int i = 0; i < kRounds; i++)
		round_of(stream, &counts[priority - 1]);
}

int main()
{
	XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst);
	std::thread high(run, 2), low(run, 1);
	high.join();
	low.join();
	return report(counts[0] + counts[1], 2 * kRounds * kLaunches);
}
