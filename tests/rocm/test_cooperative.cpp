// SPDX-License-Identifier: MIT
/* Kernels whose workgroups wait for each other. */
#include "check.h"
#include "kernels.h"
#include "parts.h"

extern "C" {
#include "../user/lib/gpustat.h"
}

#define SIZE	256
#define US	20000
#define INTERRUPTS	3

static int attribute(hipDeviceAttribute_t which)
{
	int value = 0;

	HIP(hipDeviceGetAttribute(&value, which, 0));
	return value;
}

static hipError_t launch_sum(uint32_t groups, uint32_t *in, uint32_t *part, uint32_t *out,
			     uint32_t *ended, uint32_t rounds, hipStream_t s)
{
	uint32_t n = groups * SIZE;
	void *args[] = { &in, &part, &out, &ended, &n, &rounds };

	return hipLaunchCooperativeKernel((void *)xs_grid_sum, dim3(groups), dim3(SIZE), args, 0, s);
}

/* Each workgroup must see what all of them did before the barrier. */
static void grid_sync(bool held)
{
	const uint32_t groups = attribute(hipDeviceAttributeMultiprocessorCount), n = groups * SIZE;
	std::vector<uint32_t> from = numbers(n, 1), want(groups);
	device_array<uint32_t> in(from), part(groups), out(groups), ended(1);
	uint32_t sum = 0, wrong = 0;
	long saves = gpustat("saves"), gws = gpustat("map_gws");
	stream s;

	for (uint32_t x : from)
		sum += x;
	/* Held, until holds have met the kernel often enough: in real time (the guest forky-smp) that varies. */
	for (int i = 0; i < 10 || (held && i < 300 && gpustat("saves") - saves < INTERRUPTS); i++) {
		HIP(hipMemsetAsync(part.at, 0, groups * 4, s.s));
		HIP(hipMemsetAsync(out.at, 0, groups * 4, s.s));
		HIP(hipMemsetAsync(ended.at, 0, 4, s.s));
		HIP(launch_sum(groups, in.at, part.at, out.at, ended.at, rounds_of_us(US), s.s));
		HIP(hipStreamSynchronize(s.s));
		for (uint32_t g = 0; g < groups; g++)
			want[g] = sum + g;
		wrong += out.get() != want || ended.get()[0] != groups;
	}
	tap_is(wrong, 0, "a kernel whose %u workgroups wait for each other, ten times and more", groups);
	saves = gpustat("saves") - saves;
	tap_note("they were interrupted %ld times", saves);
	/* MES does not get this */
	if (gpustat("map_queues"))
		tap_ok(gpustat("map_gws") > gws, "their queue has the global wave sync");
	if (held)
		tap_ok(saves >= INTERRUPTS, "although they were interrupted three times and more");
}

static void grid_sync_alone(void)
{
	grid_sync(false);
}

static void grid_sync_held(void)
{
	grid_sync(true);
}

/* More workgroups than can be there at a time would wait for ever. */
static void too_large(void)
{
	const uint32_t groups = 1 << 20;
	device_array<uint32_t> some(1);
	hipError_t error = launch_sum(groups, some.at, some.at, some.at, some.at, 1, 0);

	tap_note("a grid that does not fit: %s", hipGetErrorName(error));
	tap_ok(error != hipSuccess, "a grid that does not fit is refused");
	(void)hipGetLastError();
}

void test_cooperative(bool held)
{
	if (!attribute(hipDeviceAttributeCooperativeLaunch)) {
		device_array<uint32_t> some(1);
		hipError_t error = launch_sum(1, some.at, some.at, some.at, some.at, 1, 0);

		tap_note("no cooperative launch on this device: %s", hipGetErrorName(error));
		tap_ok(error != hipSuccess, "without it, a cooperative launch is refused");
		(void)hipGetLastError();
		return;
	}
	run_test("barrier of a grid", held ? grid_sync_held : grid_sync_alone);
	run_test("too large a grid", too_large);
}
