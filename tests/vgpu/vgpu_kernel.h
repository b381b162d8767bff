/* SPDX-License-Identifier: MIT */
/* What test programs need of the model: its synthetic kernels. */
#include "../../sim/kernel.h"
