// SPDX-License-Identifier: MIT
// A program that knows nothing of schedulers.
#include "work.h"

int main()
{
	hipStream_t stream;
	int count = 0;

	hipStreamCreate(&stream);
	for (int i = 0; i < kRounds; i++)
		round_of(stream, &count);
	return report(count, kRounds * kLaunches);
}
