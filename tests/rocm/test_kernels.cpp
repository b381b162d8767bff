// SPDX-License-Identifier: MIT
/* Kernels: what they compute, and when. */
#include <math.h>
#include <string.h>
#include <thread>

#include "check.h"
#include "kernels.h"
#include "parts.h"

typedef void (*launch_add)(const float *a, const float *b, float *out, uint32_t n);

static void launch_ours(const float *a, const float *b, float *out, uint32_t n)
{
	xs_vector_add<<<(n + 255) / 256, 256>>>(a, b, out, n);
}

/* The kernel of tutorials, known by its mangled name. */
static void launch_theirs(const float *a, const float *b, float *out, uint32_t n)
{
	vector_add<<<(n + 255) / 256, 256>>>(a, b, out, (int)n);
}

static void add_vectors(launch_add launch, const char *what)
{
	static const uint32_t sizes[] = { 1, 255, 256, 100003 };
	std::vector<float> a, b, want;
	size_t i;

	for (uint32_t n : sizes) {
		a = floats(n, 1);
		b = floats(n, 2);
		want.resize(n);
		for (i = 0; i < n; i++)
			want[i] = a[i] + b[i];
		device_array<float> da(a), db(b), out(n);
		launch(da.at, db.at, out.at, n);
		LAUNCHED();
		std::vector<float> got = out.get();
		tap_ok(!memcmp(got.data(), want.data(), n * 4), "%s of %u", what, n);
	}
}

static void additions(void)
{
	add_vectors(launch_ours, "vector add");
	add_vectors(launch_theirs, "vector_add() of tutorials");
}

static void fill_and_copy(void)
{
	device_array<uint32_t> a(70001), b(70001);

	HIP(hipMemset(a.at, 0, 70001 * 4));
	xs_fill<<<274, 256>>>(a.at, 0xcafef00d, 70000);
	LAUNCHED();
	xs_copy<<<274, 256>>>(a.at, b.at, 70001);
	LAUNCHED();
	std::vector<uint32_t> want(70001, 0xcafef00d);
	want[70000] = 0;
	tap_ok(b.get() == want, "fill, then copy; not one element too many");
}

static void reduce(void)
{
	std::vector<uint32_t> from = numbers(300000, 3);
	device_array<uint32_t> in(from);
	device_array<unsigned long long> out(1);
	unsigned long long want = 0;

	for (uint32_t x : from)
		want += x;
	HIP(hipMemset(out.at, 0, 8));
	xs_reduce<<<1172, 256>>>(in.at, out.at, 300000);
	LAUNCHED();
	tap_ok(out.get()[0] == want, "reduction: each workgroup once");
}

static void gemm(void)
{
	const uint32_t n = 50;
	std::vector<float> a = floats(n * n, 5), b = floats(n * n, 6), want(n * n);
	device_array<float> da(a), db(b), out(n * n);
	uint32_t i, row, col;

	for (row = 0; row < n; row++)
		for (col = 0; col < n; col++)
			for (i = 0; i < n; i++)
				want[row * n + col] = fmaf(a[row * n + i], b[i * n + col],
							   want[row * n + col]);
	xs_gemm<<<dim3(4, 4), dim3(16, 16)>>>(da.at, db.at, out.at, n);
	LAUNCHED();
	std::vector<float> got = out.get();
	tap_ok(!memcmp(got.data(), want.data(), n * n * 4), "matrix product, bit for bit");
}

/* Nothing of it is there before its time. */
static void in_time(void)
{
	std::vector<uint32_t> from = numbers(256, 7);
	uint32_t *host;
	double begin;
	stream s;

	HIP(hipHostMalloc((void **)&host, 1024, 0));
	memcpy(host, from.data(), 1024);
	begin = now_ms();
	launch_iterate(host, 256, rounds_of_us(200000), s.s);
	tap_ok(now_ms() - begin < 140 && !memcmp(host, from.data(), 1024),
	       "a kernel of 200 ms has no result at once");
	HIP(hipStreamSynchronize(s.s));
	/* rounds_of_us() knows no GPU's clock */
	tap_ok(now_ms() - begin > 140, "nor is it done before its time");
	tap_ok(std::vector<uint32_t>(host, host + 256) == iterated(from, rounds_of_us(200000)),
	       "then it is there");
	HIP(hipHostFree(host));
}

static void chain(void)
{
	std::vector<uint32_t> from = numbers(3000, 8);
	device_array<uint32_t> d(from);
	int i;

	for (i = 0; i < 200; i++)
		launch_iterate(d.at, 3000, 7, 0);
	tap_ok(d.get() == iterated(from, 1400), "200 launches in a row, each once");
}

static void one_thread(int number, bool *good)
{
	std::vector<uint32_t> from = numbers(3000, 100 + number);

	try {
		device_array<uint32_t> d(from);
		stream s;

		for (int i = 0; i < 20; i++)
			launch_iterate(d.at, 3000, 11, s.s);
		HIP(hipStreamSynchronize(s.s));
		*good = d.get() == iterated(from, 220);
	} catch (const hip_failed &) {
		*good = false;
	}
}

static void threads(void)
{
	std::vector<std::thread> all;
	bool good[4] = { };
	int i;

	for (i = 0; i < 4; i++)
		all.emplace_back(one_thread, i, &good[i]);
	for (std::thread &t : all)
		t.join();
	tap_ok(good[0] && good[1] && good[2] && good[3], "four threads, a stream each");
}

void test_kernels(void)
{
	run_test("additions", additions);
	run_test("fill and copy", fill_and_copy);
	run_test("reduce", reduce);
	run_test("gemm", gemm);
	run_test("in time", in_time);
	run_test("chain", chain);
	run_test("threads", threads);
}
