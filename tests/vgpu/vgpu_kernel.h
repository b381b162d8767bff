/* SPDX-License-Identifier: MIT */
/* The part of the model that test programs need: its synthetic kernels. */
#include "../../sim/model/kernel.h"
