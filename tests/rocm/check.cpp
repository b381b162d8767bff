// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "kernels.h"

#define CYCLES_PER_ROUND 16	/* as sim/model/native/plain.c has it */
#define CLOCK_MHZ	 1900	/* between the clocks of the profiles, which are 1700 to 2500 */

void hip_check(hipError_t error, const char *call, const char *file, int line)
{
	if (error == hipSuccess)
		return;
	tap_note("%s:%d: %s: %s", file, line, call, hipGetErrorString(error));
	throw hip_failed();
}

void run_test(const char *name, void (*test)(void))
{
	try {
		test();
	} catch (const hip_failed &) {
		tap_ok(false, "%s: HIP calls succeed", name);
	}
}

std::vector<uint32_t> numbers(size_t n, uint32_t seed)
{
	std::vector<uint32_t> v(n);
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = step(seed * 77777u + (uint32_t)i * 2654435761u);
	return v;
}

std::vector<float> floats(size_t n, uint32_t seed)
{
	std::vector<uint32_t> from = numbers(n, seed);
	std::vector<float> v(n);
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = (float)(int32_t)from[i] / 65536.0f;
	return v;
}

struct steps steps_of(uint32_t rounds)
{
	struct steps s = { 1, 0 };

	for (; rounds; rounds--) {
		s.a *= 1664525u;
		s.b = step(s.b);
	}
	return s;
}

std::vector<uint32_t> iterated(std::vector<uint32_t> data, uint32_t rounds)
{
	const struct steps s = steps_of(rounds);

	for (uint32_t &x : data)
		x = x * s.a + s.b;
	return data;
}

void launch_iterate(uint32_t *data, size_t n, uint32_t rounds, hipStream_t s)
{
	xs_iterate<<<(n + 255) / 256, 256, 0, s>>>(data, n, rounds);
	LAUNCHED();
}

uint32_t rounds_of_us(uint32_t us)
{
	return us * CLOCK_MHZ / CYCLES_PER_ROUND;
}

double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

std::string wait_for_line(const std::string &name)
{
	FILE *f = fopen((name + ".ready").c_str(), "w");
	char line[512];

	if (!f || fclose(f))
		tap_bail("%s.ready cannot be written", name.c_str());
	/* Nothing: the writer of the line before had not closed it yet. */
	for (bool got = false; !got; fclose(f)) {
		f = fopen(name.c_str(), "r");
		if (!f)
			tap_bail("%s cannot be read", name.c_str());
		got = fgets(line, sizeof(line), f);
	}
	return line;
}

void set_up(void)
{
	device_array<uint32_t> d(64);
	stream s;

	HIP(hipMemset(d.at, 0, 256));
	launch_iterate(d.at, 64, 1, s.s);
	HIP(hipStreamSynchronize(s.s));
}
