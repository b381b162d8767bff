/* SPDX-License-Identifier: MIT */
/* Streams that wait for each other. */
#ifndef ROCM_WORKER_STREAMS_H
#define ROCM_WORKER_STREAMS_H

#include <stdint.h>

/*
 * Launch @count kernels of @us microseconds, on three streams that do not block, one that
 * does, and the default stream in turn. Each waits for the one before: by an event, but where
 * the default stream follows the blocking one, which must do without. Returns whether each
 * ran once, in order, with the right result; *@ms: from the first event to the last.
 */
bool chain_streams(uint32_t count, uint32_t us, float *ms);

#endif /* ROCM_WORKER_STREAMS_H */
