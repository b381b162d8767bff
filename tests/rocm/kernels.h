/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the HIP tests, compiled by hipcc. The software GPU knows them by
 * name and does what they do (sim/native_plain.c): change both together.
 */
#ifndef ROCM_KERNELS_H
#define ROCM_KERNELS_H

#include <hip/hip_runtime.h>
#include <stdint.h>

/* One step of the generator that xs_iterate() repeats. */
static inline __host__ __device__ uint32_t step(uint32_t x)
{
	return x * 1664525u + 1013904223u;
}

extern "C" {

__global__ void xs_vector_add(const float *a, const float *b, float *out, uint32_t n);
__global__ void xs_fill(uint32_t *out, uint32_t value, uint32_t n);
__global__ void xs_copy(const uint32_t *in, uint32_t *out, uint32_t n);

/* *out += sum of in: a workgroup that ran twice, or not at all, shows. */
__global__ void xs_reduce(const uint32_t *in, unsigned long long *out, uint32_t n);

/* out = a * b, n by n; each element in the order of its row. */
__global__ void xs_gemm(const float *a, const float *b, float *out, uint32_t n);

/* Takes a time that follows from @rounds. */
__global__ void xs_iterate(uint32_t *data, uint32_t n, uint32_t rounds);

}

#endif /* ROCM_KERNELS_H */
