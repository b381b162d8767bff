// SPDX-License-Identifier: MIT
/* Streams, events, call-backs and graphs: order, and what one may know of it. */
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

static void priorities(void)
{
	device_array<uint32_t> d(numbers(N, 3));
	int least, greatest;
	hipStream_t s;

	HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
	HIP(hipStreamCreateWithPriority(&s, hipStreamNonBlocking, greatest));
	launch_iterate(d.at, N, 50, s);
	HIP(hipStreamSynchronize(s));
	HIP(hipStreamDestroy(s));
	tap_ok(greatest <= least && d.get() == iterated(numbers(N, 3), 50),
	       "a stream of the highest priority");
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
	stream s;

	HIP(hipEventRecord(begin.e, s.s));
	launch_iterate(d.at, N, rounds_of_us(20000), s.s);
	HIP(hipEventRecord(middle.e, s.s));
	launch_iterate(d.at, N, rounds_of_us(40000), s.s);
	HIP(hipEventRecord(end.e, s.s));
	tap_is(hipEventQuery(end.e), hipErrorNotReady, "an event to come is not ready");
	HIP(hipEventSynchronize(end.e));
	tap_is(hipEventQuery(begin.e), hipSuccess, "one that has come is");
	HIP(hipEventElapsedTime(&first, begin.e, middle.e));
	HIP(hipEventElapsedTime(&both, begin.e, end.e));
	tap_note("kernels of 20 and 40 ms took %.2f ms and %.2f ms", first, both - first);
	/* not less, whatever the host is busy with; more when it is */
	tap_ok(first > 16 && first < 200 && both - first > 32 && both - first < 200,
	       "events tell how long the GPU took");
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
	launch_iterate(d.at, N, rounds_of_us(30000), s.s);
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

static void captured(void)
{
	device_array<uint32_t> d(numbers(N, 7)), copy(N);
	hipGraphExec_t exec;
	hipGraph_t graph;
	size_t nodes = 0;
	stream s;
	int i;

	HIP(hipStreamBeginCapture(s.s, hipStreamCaptureModeGlobal));
	launch_iterate(d.at, N, 10, s.s);
	launch_iterate(d.at, N, 20, s.s);
	HIP(hipMemcpyAsync(copy.at, d.at, N * 4, hipMemcpyDeviceToDevice, s.s));
	HIP(hipStreamEndCapture(s.s, &graph));
	HIP(hipGraphGetNodes(graph, NULL, &nodes));
	tap_is(nodes, 3, "two kernels and a copy are captured");
	tap_ok(d.get() == numbers(N, 7), "and not executed");
	HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (i = 0; i < 3; i++)
		HIP(hipGraphLaunch(exec, s.s));
	HIP(hipStreamSynchronize(s.s));
	tap_ok(copy.get() == iterated(numbers(N, 7), 90), "the graph, launched three times");
	HIP(hipGraphExecDestroy(exec));
	HIP(hipGraphDestroy(graph));
}

/* Made node by node: a fill, behind it two kernels beside each other, behind both a copy. */
static void built(void)
{
	device_array<uint32_t> a(N), b(numbers(N, 8)), copy(N);
	hipGraphNode_t fill, first, second, last;
	hipKernelNodeParams kernel = { };
	hipMemsetParams zero = { };
	uint32_t n = N, ten = 10;
	void *args[] = { &a.at, &n, &ten };
	hipGraphExec_t exec;
	hipGraph_t graph;
	stream s;

	HIP(hipGraphCreate(&graph, 0));
	zero.dst = a.at;
	zero.elementSize = 4;
	zero.value = 5;
	zero.width = N;
	zero.height = 1;
	HIP(hipGraphAddMemsetNode(&fill, graph, NULL, 0, &zero));
	kernel.func = (void *)xs_iterate;
	kernel.gridDim = dim3(N / 256);
	kernel.blockDim = dim3(256);
	kernel.kernelParams = args;
	HIP(hipGraphAddKernelNode(&first, graph, &fill, 1, &kernel));
	args[0] = &b.at;
	HIP(hipGraphAddKernelNode(&second, graph, &fill, 1, &kernel));
	const hipGraphNode_t both[] = { first, second };
	HIP(hipGraphAddMemcpyNode1D(&last, graph, both, 2, copy.at, a.at, N * 4,
				    hipMemcpyDeviceToDevice));
	HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (int i = 0; i < 2; i++)
		HIP(hipGraphLaunch(exec, s.s));
	HIP(hipStreamSynchronize(s.s));
	tap_ok(copy.get() == iterated(std::vector<uint32_t>(N, 5), 10) &&
	       b.get() == iterated(numbers(N, 8), 20),
	       "a graph of a fill, two kernels beside each other and a copy, twice");
	HIP(hipGraphExecDestroy(exec));
	HIP(hipGraphDestroy(graph));
}

void test_graphs(void)
{
	run_test("captured", captured);
	run_test("built", built);
}
