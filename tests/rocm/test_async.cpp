// SPDX-License-Identifier: MIT
/* What goes along in a stream beside kernels and copies: functions of the host, memory. */
#include <memory>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "parts.h"

#define N	4096
#define ROUNDS	20

/* Memory that both work on. */
struct shared_words {
	uint32_t *at;

	explicit shared_words(const std::vector<uint32_t> &from)
	{
		HIP(hipHostMalloc((void **)&at, from.size() * 4, hipHostMallocDefault));
		memcpy(at, from.data(), from.size() * 4);
	}
	~shared_words()
	{
		(void)hipHostFree(at);
	}
	shared_words(const shared_words &) = delete;
	shared_words &operator=(const shared_words &) = delete;
};

#if HIP_VERSION >= 50300000
static void host_step(void *data)
{
	uint32_t *words = (uint32_t *)data, i;

	for (i = 0; i < N; i++)
		words[i] = words[i] * 5 + 1;
}

/* Kernel, function, kernel, over and over: each sees what was done before it. */
static void host_functions(void)
{
	std::vector<uint32_t> want = numbers(N, 1);
	uint32_t rounds = rounds_of_us(1000);
	shared_words words(want);
	stream s;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		launch_iterate(words.at, N, rounds, s.s);
		HIP(hipLaunchHostFunc(s.s, host_step, words.at));
		want = iterated(want, rounds);
		host_step(want.data());
	}
	tap_ok(memcmp(words.at, want.data(), N * 4), "functions of the host are not called at once");
	HIP(hipStreamSynchronize(s.s));
	tap_ok(!memcmp(words.at, want.data(), N * 4),
	       "%d functions of the host between kernels, each in its turn", ROUNDS);
}
#else
static void host_functions(void)
{
	tap_skip("this HIP has no hipLaunchHostFunc()", "functions of the host between kernels");
}
#endif

static bool has_pools(void)
{
	int pools = 0;

	HIP(hipDeviceGetAttribute(&pools, hipDeviceAttributeMemoryPoolsSupported, 0));
	return pools;
}

/* Memory comes and goes in two streams at a time, and with it what was computed in it. */
static void stream_memory(void)
{
	const std::vector<uint32_t> from = numbers(N, 2);
	std::unique_ptr<shared_words> in[2], out[2];
	uint32_t *d, rounds = rounds_of_us(200);
	stream s[2];
	int i, k, wrong = 0;

	if (!has_pools()) {
		tap_skip("this HIP has no memory pools", "hipMallocAsync");
		return;
	}
	for (k = 0; k < 2; k++) {
		in[k].reset(new shared_words(from));
		out[k].reset(new shared_words(std::vector<uint32_t>(ROUNDS * N)));
	}
	for (i = 0; i < ROUNDS; i++)
		for (k = 0; k < 2; k++) {
			HIP(hipMallocAsync((void **)&d, N * 4, s[k].s));
			HIP(hipMemcpyAsync(d, in[k]->at, N * 4, hipMemcpyHostToDevice, s[k].s));
			launch_iterate(d, N, rounds + i + k, s[k].s);
			HIP(hipMemcpyAsync(out[k]->at + i * N, d, N * 4, hipMemcpyDeviceToHost, s[k].s));
			HIP(hipFreeAsync(d, s[k].s));
		}
	for (k = 0; k < 2; k++) {
		HIP(hipStreamSynchronize(s[k].s));
		for (i = 0; i < ROUNDS; i++)
			wrong += !!memcmp(out[k]->at + i * N, iterated(from, rounds + i + k).data(), N * 4);
	}
	tap_is(wrong, 0, "hipMallocAsync and hipFreeAsync, %d times in each of two streams", ROUNDS);
}

static uint64_t reserved(hipMemPool_t pool)
{
	uint64_t bytes = 0;

	HIP(hipMemPoolGetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &bytes));
	return bytes;
}

/* A pool of the program keeps freed memory if, and as long as, that is set. */
static void pools(void)
{
	uint64_t keep = ~0ULL, kept;
	hipMemPoolProps props = { };
	hipMemPool_t pool;
	uint32_t *d;
	stream s;

	if (!has_pools()) {
		tap_skip("this HIP has no memory pools", "a pool of one's own");
		return;
	}
	props.allocType = hipMemAllocationTypePinned;
	props.location.type = hipMemLocationTypeDevice;
	HIP(hipMemPoolCreate(&pool, &props));
	HIP(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &keep));
	HIP(hipMallocFromPoolAsync((void **)&d, N * 4, pool, s.s));
	HIP(hipMemsetAsync(d, 0x3c, N * 4, s.s));
	launch_iterate(d, N, 77, s.s);
	std::vector<uint32_t> got(N);
	HIP(hipMemcpyAsync(got.data(), d, N * 4, hipMemcpyDeviceToHost, s.s));
	HIP(hipFreeAsync(d, s.s));
	HIP(hipStreamSynchronize(s.s));
	tap_ok(got == iterated(std::vector<uint32_t>(N, 0x3c3c3c3c), 77), "memory of a pool of one's own");
	kept = reserved(pool);
	HIP(hipMemPoolTrimTo(pool, 0));
	tap_ok(kept >= N * 4 && !reserved(pool), "it keeps what was freed, until it is trimmed");
	HIP(hipMemPoolDestroy(pool));
}

/* Memory that is there only while the graph runs that was captured with it. */
static void graph_memory(void)
{
	const std::vector<uint32_t> from = numbers(N, 3);
	device_array<uint32_t> in(from), out(N);
	hipGraphExec_t exec;
	hipGraph_t graph;
	size_t nodes = 0;
	uint32_t *d;
	stream s;

	if (!has_pools()) {
		tap_skip("this HIP has no memory pools", "a graph with memory of its own");
		return;
	}
	HIP(hipStreamBeginCapture(s.s, hipStreamCaptureModeGlobal));
	HIP(hipMallocAsync((void **)&d, N * 4, s.s));
	HIP(hipMemcpyAsync(d, in.at, N * 4, hipMemcpyDeviceToDevice, s.s));
	launch_iterate(d, N, 50, s.s);
	HIP(hipMemcpyAsync(out.at, d, N * 4, hipMemcpyDeviceToDevice, s.s));
	HIP(hipMemcpyAsync(in.at, d, N * 4, hipMemcpyDeviceToDevice, s.s));
	HIP(hipFreeAsync(d, s.s));
	HIP(hipStreamEndCapture(s.s, &graph));
	HIP(hipGraphGetNodes(graph, NULL, &nodes));
	HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (int i = 0; i < 5; i++)
		HIP(hipGraphLaunch(exec, s.s));
	HIP(hipStreamSynchronize(s.s));
	tap_ok(nodes == 6 && out.get() == iterated(from, 250), "a graph with memory of its own, five times");
	HIP(hipGraphExecDestroy(exec));
	HIP(hipGraphDestroy(graph));
}

void test_async(void)
{
	run_test("functions of the host", host_functions);
	run_test("memory in streams", stream_memory);
	run_test("pools", pools);
	run_test("memory of a graph", graph_memory);
}
