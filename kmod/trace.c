// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the tracepoints are made. See trace.h.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
