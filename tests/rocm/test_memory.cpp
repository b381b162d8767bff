// SPDX-License-Identifier: MIT
/* The device, and memory in all its kinds. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "parts.h"

static void properties(void)
{
	const char *gfx = getenv("GPU_GFX");
	/* waves of 32 lanes, and what HIP counts is pairs of CUs */
	const bool rdna = !strncmp(gfx, "gfx11", 5);
	hipDeviceProp_t p;
	int count;

	HIP(hipGetDeviceCount(&count));
	tap_is(count, atoi(getenv("GPU_NODES")), "hipGetDeviceCount");
	HIP(hipGetDeviceProperties(&p, 0));
	tap_note("device '%s', %s, %d CUs, %zu MB", p.name, p.gcnArchName,
		 p.multiProcessorCount, p.totalGlobalMem >> 20);
	tap_ok(!strncmp(p.gcnArchName, gfx, strlen(gfx)), "the architecture is %s", gfx);
	tap_is(p.multiProcessorCount, atoi(getenv("GPU_CUS")) / (rdna ? 2 : 1),
	       "all compute units are there");
	tap_is(p.warpSize, rdna ? 32 : 64, "lanes of a wave");
	tap_ok(p.maxThreadsPerBlock == 1024 && p.sharedMemPerBlock == 65536,
	       "limits of a workgroup");
}

void test_device(void)
{
	run_test("device", properties);
}

/* Copy there and back, from and to addresses that are @off a boundary. */
static void round_trip(size_t bytes, size_t off)
{
	std::vector<uint32_t> from = numbers(bytes / 4 + 8, bytes), to(bytes / 4 + 8);
	device_array<uint8_t> d(bytes + 64);

	HIP(hipMemcpy(d.at + off, (uint8_t *)from.data() + off, bytes, hipMemcpyHostToDevice));
	HIP(hipMemcpy((uint8_t *)to.data() + off, d.at + off, bytes, hipMemcpyDeviceToHost));
	tap_ok(!memcmp((uint8_t *)to.data() + off, (uint8_t *)from.data() + off, bytes),
	       "%zu bytes at offset %zu there and back", bytes, off);
}

static void round_trips(void)
{
	round_trip(4, 0);
	round_trip(65536, 0);
	round_trip(4097, 3);
	round_trip(16 << 20, 0);
}

static void between(void)
{
	std::vector<uint32_t> from = numbers(100000, 3), to(from.size());
	device_array<uint32_t> a(from), b(from.size());

	HIP(hipMemcpy(b.at, a.at, from.size() * 4, hipMemcpyDeviceToDevice));
	tap_ok(b.get() == from, "device to device");
	HIP(hipMemset(b.at, 0, from.size() * 4));
	HIP(hipMemcpy((uint8_t *)b.at + 1, (uint8_t *)a.at + 3, 50001, hipMemcpyDeviceToDevice));
	to = b.get();
	tap_ok(!memcmp((uint8_t *)to.data() + 1, (uint8_t *)from.data() + 3, 50001) &&
	       ((uint8_t *)to.data())[0] == 0 && ((uint8_t *)to.data())[50002] == 0,
	       "device to device, not aligned, and nothing else");
	HIP(hipMemcpy(to.data(), from.data(), from.size() * 4, hipMemcpyHostToHost));
	tap_ok(to == from, "host to host");
	HIP(hipMemcpy(a.at, from.data(), from.size() * 4, hipMemcpyDefault));
	tap_ok(a.get() == from, "hipMemcpyDefault");
}

static void sets(void)
{
	std::vector<uint32_t> from = numbers(10000, 4);
	device_array<uint32_t> d(from);
	std::vector<uint32_t> to;
	size_t i, wrong = 0;

	HIP(hipMemset(d.at, 0xa5, 20001));
	to = d.get();
	for (i = 0; i < 40000; i++)
		wrong += ((uint8_t *)to.data())[i] !=
			(i < 20001 ? 0xa5 : ((uint8_t *)from.data())[i]);
	tap_is(wrong, 0, "hipMemset of an odd length, and nothing after it");
	HIP(hipMemsetD32((hipDeviceptr_t)d.at, 0xdeadbeef, d.n));
	tap_ok(d.get() == std::vector<uint32_t>(d.n, 0xdeadbeef), "hipMemsetD32");
	HIP(hipMemsetD16((hipDeviceptr_t)d.at, 0x1234, d.n * 2));
	tap_ok(d.get() == std::vector<uint32_t>(d.n, 0x12341234), "hipMemsetD16");
}

/* 100 rows of 200 bytes in a pitch of 256 on the device and 1024 on the host. */
static void planes(void)
{
	std::vector<uint32_t> from = numbers(25600, 5), to(25600);
	device_array<uint32_t> d(6400);
	const uint8_t *f = (const uint8_t *)from.data(), *t = (const uint8_t *)to.data();
	size_t row, wrong = 0;

	HIP(hipMemset(d.at, 0x11, 25600));
	HIP(hipMemcpy2D(d.at, 256, from.data(), 1024, 200, 100, hipMemcpyHostToDevice));
	HIP(hipMemcpy2D(to.data(), 1024, d.at, 256, 200, 100, hipMemcpyDeviceToHost));
	for (row = 0; row < 100; row++)
		wrong += memcmp(f + row * 1024, t + row * 1024, 200) || t[row * 1024 + 200];
	tap_is(wrong, 0, "hipMemcpy2D both ways");
	HIP(hipMemset2D(d.at, 256, 0x77, 100, 50));
	HIP(hipMemcpy(to.data(), d.at, 25600, hipMemcpyDeviceToHost));
	for (row = 0; row < 100; row++)
		wrong += t[row * 256 + 99] != (row < 50 ? 0x77 : f[row * 1024 + 99]) ||
			t[row * 256 + 100] != f[row * 1024 + 100];
	tap_is(wrong, 0, "hipMemset2D");
}

static void pinned(void)
{
	std::vector<uint32_t> from = numbers(5000, 6);
	uint32_t *host, *seen;
	stream s;

	HIP(hipHostMalloc((void **)&host, 20000, hipHostMallocMapped));
	memcpy(host, from.data(), 20000);
	HIP(hipHostGetDevicePointer((void **)&seen, host, 0));
	launch_iterate(seen, 5000, 1000, s.s);
	HIP(hipStreamSynchronize(s.s));
	tap_ok(std::vector<uint32_t>(host, host + 5000) == iterated(from, 1000),
	       "a kernel works on pinned memory");
	HIP(hipHostFree(host));
}

static void registered(void)
{
	std::vector<uint32_t> from = numbers(8192, 7), data(from);
	uint32_t *seen;
	stream s;

	HIP(hipHostRegister(data.data(), 32768, hipHostRegisterDefault));
	HIP(hipHostGetDevicePointer((void **)&seen, data.data(), 0));
	launch_iterate(seen, 8192, 10, s.s);
	HIP(hipStreamSynchronize(s.s));
	tap_ok(data == iterated(from, 10), "a kernel works on registered memory");
	HIP(hipHostUnregister(data.data()));
}

static void managed(void)
{
	std::vector<uint32_t> from = numbers(5000, 8);
	uint32_t *shared;

	HIP(hipMallocManaged((void **)&shared, 20000, hipMemAttachGlobal));
	memcpy(shared, from.data(), 20000);
	launch_iterate(shared, 5000, 10, 0);
	HIP(hipDeviceSynchronize());
	tap_ok(std::vector<uint32_t>(shared, shared + 5000) == iterated(from, 10),
	       "host and kernel work on managed memory in turn");
	HIP(hipFree(shared));
}

/* How far managed memory goes, by what the runtime says of this device. */
static void managed_attributes(void)
{
	int managed, concurrent, pageable, advised = 0;
	uint32_t *shared;
	bool good;

	HIP(hipDeviceGetAttribute(&managed, hipDeviceAttributeManagedMemory, 0));
	HIP(hipDeviceGetAttribute(&concurrent, hipDeviceAttributeConcurrentManagedAccess, 0));
	HIP(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
	tap_note("managed memory %d, at the same time %d, of pageable memory %d", managed,
		 concurrent, pageable);
	HIP(hipMallocManaged((void **)&shared, 20000, hipMemAttachGlobal));
	memset(shared, 0x3c, 20000);
	good = hipMemAdvise(shared, 20000, hipMemAdviseSetReadMostly, 0) == hipSuccess;
	good &= hipMemRangeGetAttribute(&advised, sizeof(advised),
					hipMemRangeAttributeReadMostly, shared,
					20000) == hipSuccess;
	(void)hipGetLastError();
	tap_note("advice is %s, and read back as %d", good ? "taken" : "refused", advised);
	good = hipMemPrefetchAsync(shared, 20000, 0, 0) == hipSuccess;
	(void)hipGetLastError();
	tap_note("prefetching is %s", good ? "taken" : "refused");
	launch_iterate(shared, 5000, 7, 0);
	HIP(hipDeviceSynchronize());
	tap_ok(std::vector<uint32_t>(shared, shared + 5000) ==
	       iterated(std::vector<uint32_t>(5000, 0x3c3c3c3c), 7),
	       "managed memory after advice and prefetching");
	HIP(hipFree(shared));
}

/* A kernel on what malloc() gave, and on managed memory that the host reads meanwhile. */
static void shared_virtual(void)
{
	int pageable, concurrent;

	HIP(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
	HIP(hipDeviceGetAttribute(&concurrent, hipDeviceAttributeConcurrentManagedAccess, 0));
	if (pageable) {
		std::vector<uint32_t> data = numbers(5000, 10);

		launch_iterate(data.data(), 5000, 10, 0);
		HIP(hipDeviceSynchronize());
		tap_ok(data == iterated(numbers(5000, 10), 10), "a kernel works on memory of malloc()");
	} else {
		tap_skip("the device has no access to pageable memory", "a kernel on memory of malloc()");
	}
	if (concurrent) {
		uint32_t *shared;

		HIP(hipMallocManaged((void **)&shared, 8192, hipMemAttachGlobal));
		memset(shared, 0, 8192);
		launch_iterate(shared, 1024, rounds_of_us(50000), 0);
		shared[1024] = 7;
		HIP(hipDeviceSynchronize());
		tap_ok(std::vector<uint32_t>(shared, shared + 1024) ==
		       iterated(std::vector<uint32_t>(1024), rounds_of_us(50000)) && shared[1024] == 7,
		       "the host writes managed memory while a kernel does");
		HIP(hipFree(shared));
	} else {
		tap_skip("the device has no managed memory at the same time as the host",
			 "the host writes managed memory while a kernel does");
	}
}

static void async_copies(void)
{
	std::vector<uint32_t> from = numbers(50000, 9);
	device_array<uint32_t> d(from.size());
	uint32_t *host;
	stream s;

	HIP(hipHostMalloc((void **)&host, 400000, 0));
	memcpy(host, from.data(), 200000);
	HIP(hipMemcpyAsync(d.at, host, 200000, hipMemcpyHostToDevice, s.s));
	launch_iterate(d.at, d.n, 100, s.s);
	HIP(hipMemcpyAsync(host + 50000, d.at, 200000, hipMemcpyDeviceToHost, s.s));
	HIP(hipStreamSynchronize(s.s));
	tap_ok(std::vector<uint32_t>(host + 50000, host + 100000) == iterated(from, 100),
	       "copy, kernel, copy in a stream");
	HIP(hipHostFree(host));
}

static void limits(void)
{
	size_t before, all, after;
	void *p = NULL, *q;

	HIP(hipMemGetInfo(&before, &all));
	HIP(hipMalloc(&p, 32 << 20));
	HIP(hipMemGetInfo(&after, &all));
	tap_ok(before - after >= 32 << 20 && all >= before, "hipMemGetInfo sees an allocation");
	HIP(hipFree(p));
	HIP(hipMemGetInfo(&after, &all));
	tap_is(after, before, "and its end");
	tap_is(hipMalloc(&q, 1ULL << 40), hipErrorOutOfMemory, "more than there is is refused");
	(void)hipGetLastError();
	tap_ok(hipFree((void *)0x1234) != hipSuccess, "so is what was not allocated");
	(void)hipGetLastError();
}

void test_memory(void)
{
	run_test("round trips", round_trips);
	run_test("copies", between);
	run_test("sets", sets);
	run_test("planes", planes);
	run_test("pinned", pinned);
	run_test("registered", registered);
	run_test("managed", managed);
	run_test("managed attributes", managed_attributes);
	run_test("shared virtual memory", shared_virtual);
	run_test("async copies", async_copies);
	run_test("limits", limits);
}
