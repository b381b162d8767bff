// SPDX-License-Identifier: MIT
// A program that suspends one stream while the other has work.
#include <thread>
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

static hipStream_t streams[2];
static HwQueueHandle hwqs[2];
static XQueueHandle xqs[2];

static void run(bool high, counter *count)
{
	for (int i = 0; i < kRounds; i++) {
		if (high)
			say("XQueueSuspend", XQueueSuspend(xqs[0], kQueueSuspendFlagNone));
		round_of(high ? "high " : "low ", i, streams[high], count);
		if (high)
			say("XQueueResume", XQueueResume(xqs[0], kQueueResumeFlagNone));
		pause_between();
	}
}

int main(int argc, char **argv)
{
	const int level = argument(argc, argv, kPreemptLevelDeactivate);
	counter low_count, high_count;

	for (int i = 0; i < 2; i++) {
		hipStreamCreate(&streams[i]);
		HipQueueCreate(&hwqs[i], streams[i]);
		say("XQueueCreate", XQueueCreate(&xqs[i], hwqs[i], level, kQueueCreateFlagNone));
	}
	std::thread low(run, false, &low_count), high(run, true, &high_count);
	low.join();
	high.join();
	for (int i = 0; i < 2; i++) {
		XQueueDestroy(xqs[i]);
		HwQueueDestroy(hwqs[i]);
		end_stream(streams[i]);
	}
	return report(counted(low_count) + counted(high_count), 2 * kRounds * kLaunches);
}
