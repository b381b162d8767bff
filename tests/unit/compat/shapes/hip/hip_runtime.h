/* SPDX-License-Identifier: MIT */
/*
 * As much of HIP as the shapes need. A "kernel" is a function that is called
 * once a launch, by the library that plays libamdhip64.so (shapes/hip.cpp).
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef SHAPES_HIP_RUNTIME_H
#define SHAPES_HIP_RUNTIME_H

#include <stddef.h>

typedef enum { hipSuccess = 0, hipErrorNotReady = 600 } hipError_t;
typedef struct ihipStream_t *hipStream_t;

extern "C" {
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipMalloc(void **memory, size_t size);
hipError_t hipMemsetAsync(void *memory, int value, size_t size, hipStream_t stream);
hipError_t hipFree(void *memory);
hipError_t launch(void (*kernel)(void *), void *argument, hipStream_t stream);
}

#endif
