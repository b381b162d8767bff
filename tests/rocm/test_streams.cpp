// SPDX-License-Identifier: MIT
/* Streams, events and call-backs: order, and what one may know of it. */
#include <atomic>
#include <memory>
#include <unistd.h>

#include "check.h"
#include "kernels.h"
#include "parts.h"

#define N 4096

static void independent(void)
{
	std::vector<std::unique_ptr<stream>> s;
	std::vector<std::unique_ptr<device_array<uint32_t>>> d;
	bool good = true;
	int i, k;

	for (i = 0; i < 16; i++) {
		s.emplace_back(new stream);
		d.emplace_back(new device_array<uint32_t>(numbers(N, i)));
	}
	for (k = 0; k < 10; k++)
		for (i = 0; i < 16; i++)
			launch_iterate(d[i]->at, N, 10 + i, s[i]->s);
	HIP(hipDeviceSynchronize());
	for (i = 0; i < 16; i++)
		good &= d[i]->get() == iterated(numbers(N, i), 10 * (10 + i));
	tap_ok(good, "16 streams with ten kernels each");
}

static void queries(void)
{
	device_array<uint32_t> d(numbers(N, 1));
	stream s, other;

	tap_is(hipStreamQuery(s.s), hipSuccess, "an idle stream is done");
	launch_iterate(d.at, N, rounds_of_us(100000), s.s);
	tap_is(hipStreamQuery(s.s), hipErrorNotReady, "a busy one is not");
	tap_is(hipStreamQuery(other.s), hipSuccess, "which does not concern another");
	HIP(hipStreamSynchronize(s.s));
	tap_is(hipStreamQuery(s.s), hipSuccess, "after hipStreamSynchronize it is");
}

/* The default stream waits for blocking streams, and they for it. */
static void default_stream(void)
{
	device_array<uint32_t> d(numbers(N, 2));
	stream blocking(hipStreamDefault), other(hipStreamNonBlocking);

	launch_iterate(d.at, N, rounds_of_us(50000), blocking.s);
	launch_iterate(d.at, N, 5, 0);
	launch_iterate(d.at, N, 5, blocking.s);
	HIP(hipStreamSynchronize(blocking.s));
	tap_ok(d.get() == iterated(numbers(N, 2), rounds_of_us(50000) + 10),
	       "default stream and blocking streams wait for each other");
	launch_iterate(d.at, N, rounds_of_us(100000), 0);
	HIP(hipStreamSynchronize(other.s));
	tap_is(hipStreamQuery(0), hipErrorNotReady, "not so one that does not block");
	HIP(hipDeviceSynchronize());
	tap_is(hipStreamQuery(0), hipSuccess, "hipDeviceSynchronize waits for all");
}

/* A stream of each priority there is, and a kernel in each of a long and a short one in turn. */
static void priorities(void)
{
	std::vector<std::unique_ptr<device_array<uint32_t>>> d;
	std::vector<hipStream_t> all;
	int least, greatest, got, i, wrong = 0;
	hipStream_t s;

	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	tap_ok(greatest < least, "there are priorities of streams, from %d to %d", least, greatest);
	for (i = greatest; i <= least; i++) {
		HIP(hipStreamCreateWithPriority(&s, hipStreamNonBlocking, i));
		HIP(hipStreamGetPriority(s, &got));
		wrong += got != i;
		all.push_back(s);
		d.emplace_back(new device_array<uint32_t>(numbers(N, i - greatest)));
	}
	tap_is(wrong, 0, "each stream has the priority that was asked for");
	for (i = 0; i < 50; i++)
		for (size_t k = 0; k < all.size(); k++)
			launch_iterate(d[k]->at, N, rounds_of_us(i % 2 ? 50 : 1000), all[k]);
	for (size_t k = 0; k < all.size(); k++) {
		HIP(hipStreamSynchronize(all[k]));
		HIP(hipStreamDestroy(all[k]));
		wrong += d[k]->get() != iterated(numbers(N, k), 25 * (rounds_of_us(50) + rounds_of_us(1000)));
	}
	tap_is(wrong, 0, "streams of all priorities beside each other have their results");
}

void test_streams(void)
{
	run_test("independent", independent);
	run_test("queries", queries);
	run_test("default stream", default_stream);
	run_test("priorities", priorities);
}

static void times(void)
{
	device_array<uint32_t> d(numbers(N, 4));
	event begin, middle, end;
	float first, both;
	double wall;
	stream s;

	wall = now_ms();
	HIP(hipEventRecord(begin.e, s.s));
	launch_iterate(d.at, N, rounds_of_us(20000), s.s);
	HIP(hipEventRecord(middle.e, s.s));
	launch_iterate(d.at, N, rounds_of_us(40000), s.s);
	HIP(hipEventRecord(end.e, s.s));
	tap_is(hipEventQuery(end.e), hipErrorNotReady, "an event to come is not ready");
	HIP(hipEventSynchronize(end.e));
	wall = now_ms() - wall;
	tap_is(hipEventQuery(begin.e), hipSuccess, "one that has come is");
	HIP(hipEventElapsedTime(&first, begin.e, middle.e));
	HIP(hipEventElapsedTime(&both, begin.e, end.e));
	tap_note("kernels of 20 and 40 ms took %.2f ms and %.2f ms, until it was seen %.2f ms",
		 first, both - first, wall);
	/*
	 * Not less, but for the GPU's clock (rounds_of_us()), whether the queue is held or not; nor more than
	 * one waited.
	 */
	tap_ok(first > 15 && both - first > 30 && both < 1.1 * wall,
	       "events measure how long the GPU took");
}

static void across(void)
{
	device_array<uint32_t> d(numbers(N, 5));
	stream a, b;
	event e;

	launch_iterate(d.at, N, rounds_of_us(50000), a.s);
	HIP(hipEventRecord(e.e, a.s));
	HIP(hipStreamWaitEvent(b.s, e.e, 0));
	/* not the same as in the other order */
	HIP(hipMemsetAsync(d.at, 0, N * 2, b.s));
	HIP(hipStreamSynchronize(b.s));
	std::vector<uint32_t> want = iterated(numbers(N, 5), rounds_of_us(50000));
	for (size_t i = 0; i < N / 2; i++)
		want[i] = 0;
	tap_ok(d.get() == want, "a stream waits for an event of another");
}

static std::atomic<int> called;
static std::atomic<int> in_order;

static void on_stream(hipStream_t, hipError_t status, void *data)
{
	in_order += status == hipSuccess && called == (int)(intptr_t)data;
	called++;
}

static void call_backs(void)
{
	device_array<uint32_t> d(numbers(N, 6));
	stream s;
	int i;

	called = in_order = 0;
	launch_iterate(d.at, N, rounds_of_us(100000), s.s);
	for (i = 0; i < 5; i++)
		HIP(hipStreamAddCallback(s.s, on_stream, (void *)(intptr_t)i, 0));
	tap_is(called, 0, "no call-back before the kernel is done");
	HIP(hipStreamSynchronize(s.s));
	for (i = 0; i < 1000 && called < 5; i++)
		usleep(1000);
	tap_ok(called == 5 && in_order == 5, "five call-backs, in order");
}

void test_events(void)
{
	run_test("times", times);
	run_test("across", across);
	run_test("call-backs", call_backs);
}
