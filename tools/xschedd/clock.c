// SPDX-License-Identifier: MIT
/*
 * The time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <time.h>

#include "clock.h"

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + now.tv_nsec;
}
