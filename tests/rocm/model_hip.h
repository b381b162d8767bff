/* SPDX-License-Identifier: MIT */
/* Models of tests/bench, run by HIP. */
#ifndef ROCM_MODEL_HIP_H
#define ROCM_MODEL_HIP_H

#include "../bench/model.h"

const struct model_backend *model_hip(void);

/* Leave out dispatch number @n of models, from 1; 0: none. To see that it is noticed. */
void model_hip_skip(uint64_t n);

#endif /* ROCM_MODEL_HIP_H */
