/* SPDX-License-Identifier: MIT */
/*
 * What the HIP tests share: results in TAP, memory that frees itself, and
 * what a result must be. A HIP call that fails ends the test it is in.
 */
#ifndef ROCM_CHECK_H
#define ROCM_CHECK_H

#include <hip/hip_runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <string>
#include <vector>

extern "C" {
#include "../user/lib/tap.h"
}

/* Thrown by HIP(); what it says has been printed. */
struct hip_failed {
};

/* Print and throw unless @error is hipSuccess. */
void hip_check(hipError_t error, const char *call, const char *file, int line);
#define HIP(call) hip_check(call, #call, __FILE__, __LINE__)

/* A kernel launch that did not work says so here. */
#define LAUNCHED() HIP(hipGetLastError())

/* n elements of the memory of a device, from hipMalloc. */
template <typename T> struct device_array {
	T *at;
	size_t n;

	explicit device_array(size_t count) : at(NULL), n(count)
	{
		HIP(hipMalloc((void **)&at, n * sizeof(T)));
	}
	explicit device_array(const std::vector<T> &from) : device_array(from.size())
	{
		HIP(hipMemcpy(at, from.data(), n * sizeof(T), hipMemcpyHostToDevice));
	}
	~device_array()
	{
		(void)hipFree(at);
	}
	std::vector<T> get() const
	{
		std::vector<T> to(n);

		HIP(hipMemcpy(to.data(), at, n * sizeof(T), hipMemcpyDeviceToHost));
		return to;
	}
	device_array(const device_array &) = delete;
	device_array &operator=(const device_array &) = delete;
};

/* A stream, destroyed at the end. */
struct stream {
	hipStream_t s;

	explicit stream(unsigned int flags = hipStreamNonBlocking)
	{
		HIP(hipStreamCreateWithFlags(&s, flags));
	}
	stream(unsigned int flags, int priority)
	{
		HIP(hipStreamCreateWithPriority(&s, flags, priority));
	}
	/* on these compute units */
	explicit stream(const std::vector<uint32_t> &mask)
	{
		HIP(hipExtStreamCreateWithCUMask(&s, (uint32_t)mask.size(), mask.data()));
	}
	~stream()
	{
		(void)hipStreamDestroy(s);
	}
	stream(const stream &) = delete;
	stream &operator=(const stream &) = delete;
};

/* An event, likewise. */
struct event {
	hipEvent_t e;

	explicit event(unsigned int flags = hipEventDefault)
	{
		HIP(hipEventCreateWithFlags(&e, flags));
	}
	~event()
	{
		(void)hipEventDestroy(e);
	}
	event(const event &) = delete;
	event &operator=(const event &) = delete;
};

/* Numbers that follow from @seed; small whole ones as floats. */
std::vector<uint32_t> numbers(size_t n, uint32_t seed);
std::vector<float> floats(size_t n, uint32_t seed);

/* Many steps at once: x becomes a * x + b. */
struct steps {
	uint32_t a;
	uint32_t b;
};

struct steps steps_of(uint32_t rounds);

/* @rounds steps of each: what xs_iterate() makes of it. */
std::vector<uint32_t> iterated(std::vector<uint32_t> data, uint32_t rounds);

/* Launch xs_iterate() over all of @data. */
void launch_iterate(uint32_t *data, size_t n, uint32_t rounds, hipStream_t s);

/* Rounds that take about so many microseconds of the GPU's time. */
uint32_t rounds_of_us(uint32_t us);

/* Milliseconds, of a clock that does not jump. */
double now_ms(void);

/*
 * Say "ready" in the file @name.ready, then wait for a line in the FIFO @name. The
 * process may be frozen and thawed with its machine there.
 */
std::string wait_for_line(const std::string &name);

/* The first stream makes the runtime compile its own kernels: 10 s and more. */
void set_up(void);

/* Run @test; a HIP call that fails in it fails the test @name. */
void run_test(const char *name, void (*test)(void));

#endif /* ROCM_CHECK_H */
