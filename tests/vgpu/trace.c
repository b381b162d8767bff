// SPDX-License-Identifier: GPL-2.0-only
#include "vgpu.h"

#define CREATE_TRACE_POINTS
#include "vgpu_trace.h"
