// SPDX-License-Identifier: MIT
// A program that suspends one stream while the other has work.
#include <thread>
#include "work.h"
#include "xsched/xsched.h"
#include "xsched/hip/hal.h"

static hipStream_t streams[2];
static HwQueueHandle hwqs[2];
static XQueueHandle xqs[2];
static int counts[2];

static void run(bool high)
{
	for (int i = 0; i < kRounds; i++) {
		if (high)
			XQueueSuspend(xqs[0], kQueueSuspendFlagNone);
		round_of(streams[high], &counts[high]);
		if (high)
			XQueueResume(xqs[0], kQueueResumeFlagNone);
	}
}

int main()
{
	for (int i = 0; i < 2; i++) {
		hipStreamCreate(&streams[i]);
		HipQueueCreate(&hwqs[i], streams[i]);
		XQueueCreate(&xqs[i], hwqs[i], kPreemptLevelDeactivate, kQueueCreateFlagNone);
	}
	std::thread low(run, false), high(run, true);
	low.join();
	high.join();
	return report(counts[0] + counts[1], 2 * kRounds * kLaunches);
}
