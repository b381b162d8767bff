/* SPDX-License-Identifier: MIT */
/*
 * How long to wait until something that failed is tried again.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_BACKOFF_H
#define XSCHEDD_BACKOFF_H

#include <stdint.h>

/** backoff_ns() - after @count failures in a row, from 1: 1 ms, doubled up to @most times */
static inline uint64_t backoff_ns(unsigned int count, unsigned int most)
{
	unsigned int doublings = count - 1;

	return 1000000ULL << (doublings < most ? doublings : most);
}

#endif /* XSCHEDD_BACKOFF_H */
