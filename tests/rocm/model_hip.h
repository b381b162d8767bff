/* SPDX-License-Identifier: MIT */
/* Models of tests/bench, run by HIP. */
#ifndef ROCM_MODEL_HIP_H
#define ROCM_MODEL_HIP_H

#include "../bench/model.h"
#include "../bench/model_queue.h"

const struct model_backend *model_hip(void);

/*
 * What streams are like from now on: of @queue, priority and compute units. HIP has three priorities: more than KFD's 7,
 * which is normal, is its highest, less its lowest. False: it asks for more than these.
 */
bool model_hip_use(const struct model_queue *queue);

/* Leave out dispatch number @n of models, from 1; 0: none. To see that it is noticed. */
void model_hip_skip(uint64_t n);

#endif /* ROCM_MODEL_HIP_H */
