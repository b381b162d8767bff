/* SPDX-License-Identifier: MIT */
/* What all shapes do on a stream: rounds of launches, say how long each took, and count them. */
#ifndef SHAPES_WORK_H
#define SHAPES_WORK_H

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <launch.h>

static const int kRounds = 5, kLaunches = 20;

/* The number on the command line. */
static int argument(int argc, char **argv, int otherwise)
{
	return argc > 1 ? atoi(argv[1]) : otherwise;
}

/* One round, which is what a program measures, and what it says of it. */
static void round_of(const char *who, int round, hipStream_t stream, counter *count)
{
	using clock = std::chrono::steady_clock;
	const auto begin = clock::now();

	for (int i = 0; i < kLaunches; i++)
		launch_one(count, stream);
	hipStreamSynchronize(stream);
	const std::chrono::duration<double, std::milli> took = clock::now() - begin;
	printf("%sround %d: %.3f ms\n", who, round, took.count());
	fflush(stdout);
}

/* Without a scheduler, programs go on: what is missing, standard error says. */
[[maybe_unused]] static void say(const char *call, int result)
{
	if (result)
		fprintf(stderr, "%s: %d\n", call, result);
}

static int report(int count, int wanted)
{
	printf("%d launches\n", count);
	return count != wanted;
}

#endif
