/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the HIP tests, compiled by hipcc. The software GPU knows them by
 * name and does what they do (sim/model/native/plain.c): change both together.
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

/* Record of a dispatch of xs_layer(); times are those of the 100 MHz clock. */
struct layer_log {
	unsigned long long start;	/* begins as ~0 */
	unsigned long long end;
	uint32_t ended;			/* workgroups */
	uint32_t executed;		/* times the last of them did */
	uint32_t ticket;		/* counted up by each that executed, from 1 */
	uint32_t unused;
};

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

/*
 * To be launched so that all workgroups are there at a time. Each adds its share of the sum of @in to a
 * word of its own, waits for all, and adds all words up: out[i] is the sum of @in, plus i. Takes a time
 * that follows from @rounds.
 */
__global__ void xs_grid_sum(const uint32_t *in, uint32_t *part, uint32_t *out, uint32_t *ended,
			    uint32_t n, uint32_t rounds);

/*
 * A workgroup works on one word; what becomes of it depends on @number, so a chain
 * of these has its result only if each was there once, and in order.
 */
__global__ void xs_layer(uint32_t *data, struct layer_log *log, uint32_t *ticket,
			 uint32_t number, uint32_t rounds);

}

/* As many a tutorial has it. The software GPU carries out at most 2^20 work-items of it. */
__global__ void vector_add(const float *a, const float *b, float *out, int n);

#endif /* ROCM_KERNELS_H */
