/* SPDX-License-Identifier: MIT */
/*
 * What the stand-in for HIP has beside HIP's names: for tests that want to know
 * what became of their launches.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef COMPAT_KFDHIP_H
#define COMPAT_KFDHIP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ihipStream_t *hipStream_t;

/** kfdhip_spin() - @count kernels of so many workgroups that compute for so long; 0 or -errno */
int kfdhip_spin(hipStream_t stream, uint32_t count, uint32_t workgroups, uint64_t workgroup_ns);

/** kfdhip_executed() - how many launches of the stream have completed */
uint64_t kfdhip_executed(hipStream_t stream);

/** kfdhip_clean() - whether all have, each once and in order */
bool kfdhip_clean(hipStream_t stream);

/** kfdhip_queue_id() - KFD's id of the stream's queue */
uint32_t kfdhip_queue_id(hipStream_t stream);

#endif /* COMPAT_KFDHIP_H */
