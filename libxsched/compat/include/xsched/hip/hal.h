/* SPDX-License-Identifier: MIT */
/*
 * A HIP stream as a hardware queue.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_COMPAT_HIP_HAL_H
#define XSCHED_COMPAT_HIP_HAL_H

#include <xsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As HIP declares it, so that its headers may be included or not. */
typedef struct ihipStream_t *hipStream_t;

/**
 * HipQueueCreate() - take a stream
 * @hwq: out
 * @stream: any but the default stream
 *
 * Nothing is sent to the GPU yet; XQueueCreate() finds out which hardware queue
 * the stream has.
 *
 * Return: kXSchedSuccess, kXSchedErrorInvalidValue, kXSchedErrorNotAllowed: it
 * is taken already; or kXSchedErrorNotSupported: it is the default stream, or
 * this process has no HIP.
 */
XResult HipQueueCreate(HwQueueHandle *hwq, hipStream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_COMPAT_HIP_HAL_H */
