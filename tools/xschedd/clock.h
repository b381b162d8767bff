/* SPDX-License-Identifier: MIT */
/*
 * The time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_CLOCK_H
#define XSCHEDD_CLOCK_H

#include <stdint.h>

/** clock_ns() - CLOCK_MONOTONIC */
uint64_t clock_ns(void);

#endif /* XSCHEDD_CLOCK_H */
