// SPDX-License-Identifier: MIT
/*
 * A share of the daemon's time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "base/bucket.h"

uint64_t bucket_fill(struct bucket *bucket, uint64_t now_ns,
		     unsigned int permille, uint64_t room_ns)
{
	/* After this time an empty one is full. A product with more could overflow. */
	uint64_t full_ns = (room_ns / permille + 1) * 1000;
	uint64_t passed = now_ns - bucket->filled_ns;

	if (!bucket->filled_ns || passed >= full_ns)
		bucket->left_ns = room_ns;
	else
		bucket->left_ns += passed * permille / 1000;
	if (bucket->left_ns > room_ns)
		bucket->left_ns = room_ns;
	bucket->filled_ns = now_ns;
	return bucket->left_ns;
}

void bucket_take(struct bucket *bucket, uint64_t ns)
{
	bucket->left_ns -= ns < bucket->left_ns ? ns : bucket->left_ns;
}
