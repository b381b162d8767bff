// SPDX-License-Identifier: MIT
// A program in a terminal: for as long as it is asked to, it says a line a round, how long that took.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include "work.h"

static volatile sig_atomic_t ended;

static void end(int)
{
	ended = 1;
}

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	const int wanted = argc > 1 ? atoi(argv[1]) : kRounds;
	hipStream_t stream;
	int count = 0, rounds = 0;

	signal(SIGTERM, end);
	hipStreamCreate(&stream);
	while (!ended && rounds < wanted) {
		const auto begin = clock::now();

		round_of(stream, &count);
		rounds++;
		const std::chrono::duration<double, std::milli> took = clock::now() - begin;
		printf("round %d: %.3f ms\n", rounds, took.count());
		fflush(stdout);
	}
	return report(count, rounds * kLaunches);
}
