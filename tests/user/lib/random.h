/* SPDX-License-Identifier: MIT */
/*
 * A linear congruential generator: the same seed gives the same sequence. The low bits are not
 * used.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Below @n, which is not 0. */
static inline uint32_t random_below(uint32_t *seed, uint32_t n)
{
	return random_next(seed) % n;
}

#endif /* RANDOM_H */
