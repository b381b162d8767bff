// SPDX-License-Identifier: MIT
// A program that knows nothing of schedulers.
#include "work.h"

int main(int argc, char **argv)
{
	const int wanted = argument(argc, argv, kRounds);
	hipStream_t stream;
	counter count;

	hipStreamCreate(&stream);
	for (int i = 0; i < wanted; i++) {
		round_of("", i, stream, &count);
		pause_between();
	}
	end_stream(stream);
	return report(counted(count), wanted * kLaunches);
}
