// SPDX-License-Identifier: MIT
// Two threads with a stream each, scheduled within the process.
#include <thread>
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

static void run(const char *who, int priority, int level, hipStream_t stream, counter *count)
{
	HwQueueHandle hwq;
	XQueueHandle xq;

	HipQueueCreate(&hwq, stream);
	say("XQueueCreate", XQueueCreate(&xq, hwq, level, kQueueCreateFlagNone));
	XHintPriority(xq, priority);
	for (int i = 0; i < kRounds; i++) {
		round_of(who, i, stream, count);
		pause_between();
	}
	XQueueDestroy(xq);
	HwQueueDestroy(hwq);
	end_stream(stream);
}

int main(int argc, char **argv)
{
	const int level = argument(argc, argv, kPreemptLevelInterrupt);
	hipStream_t low_stream, high_stream;
	counter low_count, high_count;

	hipStreamCreate(&low_stream);
	hipStreamCreate(&high_stream);
	XHintSetScheduler(kSchedulerLocal, kPolicyHighestPriorityFirst);
	std::thread high(run, "high ", 2, level, high_stream, &high_count);
	std::thread low(run, "low ", 1, level, low_stream, &low_count);
	high.join();
	low.join();
	return report(counted(low_count) + counted(high_count), 2 * kRounds * kLaunches);
}
