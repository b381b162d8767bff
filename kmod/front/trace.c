// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the tracepoints are made. See trace.h.
 */
#include "front/client.h"
#include "front/front.h"
#include "model/queue.h"
#include "model/request.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
