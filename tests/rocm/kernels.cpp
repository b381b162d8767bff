// SPDX-License-Identifier: MIT
#include "kernels.h"

/* Of 5.7 it needs the runtime's own header before it. */
#include <hip/hip_cooperative_groups.h>

/* The clock of 100 MHz that all of a GPU share. */
static __device__ unsigned long long gpu_clock(void)
{
#if HIP_VERSION >= 60000000
	return wall_clock64();
#else
	return __builtin_amdgcn_s_memrealtime();
#endif
}

extern "C" {

__global__ void xs_vector_add(const float *a, const float *b, float *out, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = a[i] + b[i];
}

__global__ void xs_fill(uint32_t *out, uint32_t value, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = value;
}

__global__ void xs_copy(const uint32_t *in, uint32_t *out, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i];
}

__global__ void xs_reduce(const uint32_t *in, unsigned long long *out, uint32_t n)
{
	__shared__ unsigned long long part[256];
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, half;

	part[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	for (half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(out, part[0]);
}

__global__ void xs_gemm(const float *a, const float *b, float *out, uint32_t n)
{
	uint32_t col = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t row = blockIdx.y * blockDim.y + threadIdx.y, i;
	float sum = 0;

	if (row >= n || col >= n)
		return;
	for (i = 0; i < n; i++)
		sum = __builtin_fmaf(a[row * n + i], b[i * n + col], sum);
	out[row * n + col] = sum;
}

__global__ void xs_iterate(uint32_t *data, uint32_t n, uint32_t rounds)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x;

	if (i >= n)
		return;
	for (x = data[i]; rounds; rounds--)
		x = step(x);
	data[i] = x;
}

__global__ void xs_grid_sum(const uint32_t *in, uint32_t *part, uint32_t *out, uint32_t *ended,
			    uint32_t n, uint32_t rounds)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = 0, sum = 0;

	for (; rounds; rounds--)
		x = step(x);
	if (i < n)
		atomicAdd(&part[blockIdx.x], in[i] + (x & 0));
	cooperative_groups::this_grid().sync();
	if (threadIdx.x)
		return;
	for (i = 0; i < gridDim.x; i++)
		sum += part[i];
	out[blockIdx.x] = sum + blockIdx.x;
	atomicAdd(ended, 1);
}

__global__ void __attribute__((amdgpu_num_vgpr(64)))
xs_layer(uint32_t *data, struct layer_log *log, uint32_t *ticket, uint32_t number,
	 uint32_t rounds)
{
	unsigned long long start = gpu_clock();
	uint32_t x = data[blockIdx.x] ^ number;

	for (; rounds; rounds--)
		x = step(x);
	__syncthreads();
	if (threadIdx.x)
		return;
	data[blockIdx.x] = x;
	atomicMin(&log->start, start);
	atomicMax(&log->end, gpu_clock());
	if (atomicAdd(&log->ended, 1) % gridDim.x == gridDim.x - 1) {
		log->ticket = atomicAdd(ticket, 1) + 1;
		atomicAdd(&log->executed, 1);
	}
}

}

__global__ void vector_add(const float *a, const float *b, float *out, int n)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;

	if (i < n)
		out[i] = a[i] + b[i];
}
