// SPDX-License-Identifier: MIT
/*
 * A program on rocBLAS, of the kind its users write: matrices are multiplied by the library's
 * kernels, with data that is copied to the GPU and back around them.
 *
 *   sgemm ROUNDS
 *
 * What rocBLAS computes is not verified, as the software GPU does not know its kernels; what is
 * copied is. It says how many calls there were, and ends with 0 if none of them failed.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hip/hip_runtime.h>
#include <rocblas/rocblas.h>

static const int sizes[] = { 64, 256, 1024 };
static unsigned int calls, failed;

static void hip(hipError_t e, const char *what)
{
	calls++;
	if (e == hipSuccess)
		return;
	failed++;
	printf("%s: %s\n", what, hipGetErrorString(e));
}

static void blas(rocblas_status s, const char *what)
{
	calls++;
	if (s == rocblas_status_success)
		return;
	failed++;
	printf("%s: %s\n", what, rocblas_status_to_string(s));
}

#define HIP(call)	hip(call, #call)
#define BLAS(call)	blas(call, #call)

/**
 * struct matrices - A and B, and C = A * B + C, on the GPU
 * @n: rows and columns of each
 * @host: of A and B
 */
struct matrices {
	int n;
	float *a, *b, *c;
	std::vector<float> host;

	size_t bytes() const { return (size_t)n * n * sizeof(float); }
};

static void create(matrices &m, int n)
{
	m.n = n;
	m.host.resize((size_t)n * n);
	for (size_t i = 0; i < m.host.size(); i++)
		m.host[i] = (float)(i % 1009) / 1009;
	HIP(hipMalloc(&m.a, m.bytes()));
	HIP(hipMalloc(&m.b, m.bytes()));
	HIP(hipMalloc(&m.c, m.bytes()));
	HIP(hipMemcpy(m.a, m.host.data(), m.bytes(), hipMemcpyHostToDevice));
	HIP(hipMemcpy(m.b, m.a, m.bytes(), hipMemcpyDeviceToDevice));
	HIP(hipMemset(m.c, 0, m.bytes()));
}

static void multiply(rocblas_handle h, const matrices &m)
{
	const float one = 1;
	float dot = 0;

	BLAS(rocblas_sgemm(h, rocblas_operation_none, rocblas_operation_none, m.n, m.n, m.n, &one,
			   m.a, m.n, m.b, m.n, &one, m.c, m.n));
	BLAS(rocblas_sgemm(h, rocblas_operation_transpose, rocblas_operation_none, m.n, m.n, m.n,
			   &one, m.a, m.n, m.b, m.n, &one, m.c, m.n));
	BLAS(rocblas_saxpy(h, m.n * m.n, &one, m.a, 1, m.c, 1));
	BLAS(rocblas_sgemv(h, rocblas_operation_none, m.n, m.n, &one, m.a, m.n, m.b, 1, &one, m.c, 1));
	BLAS(rocblas_sdot(h, m.n, m.a, 1, m.b, 1, &dot));
}

/* What was copied there and within comes back as it was. */
static void check(const matrices &m)
{
	std::vector<float> back(m.host.size());

	HIP(hipMemcpy(back.data(), m.b, m.bytes(), hipMemcpyDeviceToHost));
	if (back != m.host) {
		failed++;
		printf("a copy of %d x %d came back wrong\n", m.n, m.n);
	}
}

static void destroy(matrices &m)
{
	HIP(hipFree(m.a));
	HIP(hipFree(m.b));
	HIP(hipFree(m.c));
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	rocblas_handle handle;
	matrices m;

	if (rocblas_create_handle(&handle) != rocblas_status_success) {
		printf("no rocBLAS handle\n");
		return 1;
	}
	for (int n : sizes) {
		create(m, n);
		for (int i = 0; i < rounds; i++)
			multiply(handle, m);
		HIP(hipDeviceSynchronize());
		check(m);
		destroy(m);
	}
	BLAS(rocblas_destroy_handle(handle));
	printf("%u calls, %u failed\n", calls, failed);
	return failed != 0;
}
