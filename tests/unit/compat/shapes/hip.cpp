// SPDX-License-Identifier: MIT
// A libamdhip64.so for the shapes: streams do at once what they are given.
#include <cstdlib>
#include <cstring>
#include "hip/hip_runtime.h"

extern "C" {
hipError_t hipStreamCreate(hipStream_t *stream)
{
	*stream = static_cast<hipStream_t>(malloc(1));
	return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t)
{
	return hipSuccess;
}

hipError_t hipStreamQuery(hipStream_t)
{
	return hipSuccess;
}

hipError_t hipMalloc(void **memory, size_t size)
{
	*memory = malloc(size);
	return hipSuccess;
}

hipError_t hipMemsetAsync(void *memory, int value, size_t size, hipStream_t)
{
	memset(memory, value, size);
	return hipSuccess;
}

hipError_t hipFree(void *memory)
{
	free(memory);
	return hipSuccess;
}

hipError_t launch(void (*kernel)(void *), void *argument, hipStream_t)
{
	kernel(argument);
	return hipSuccess;
}
}
