// SPDX-License-Identifier: MIT
// A program in a terminal: for as long as it is asked to, it says how long its rounds took.
#include <csignal>
#include "work.h"

static volatile sig_atomic_t ended;

static void end(int)
{
	ended = 1;
}

int main(int argc, char **argv)
{
	const int wanted = argument(argc, argv, kRounds);
	hipStream_t stream;
	counter count;
	int rounds;

	signal(SIGTERM, end);
	hipStreamCreate(&stream);
	for (rounds = 0; !ended && rounds < wanted; rounds++) {
		round_of("", rounds, stream, &count);
		pause_between();
	}
	end_stream(stream);
	return report(counted(count), rounds * kLaunches);
}
