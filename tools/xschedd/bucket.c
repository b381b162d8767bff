// SPDX-License-Identifier: MIT
/*
 * A share of the daemon's time.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "bucket.h"

uint64_t bucket_fill(struct bucket *bucket, uint64_t now_ns,
		     unsigned int permille, uint64_t room_ns)
{
	uint64_t passed = now_ns - bucket->filled_ns;

	if (!bucket->filled_ns || passed / 1000 * permille >= room_ns - bucket->left_ns)
		bucket->left_ns = room_ns;
	else
		bucket->left_ns += passed * permille / 1000;
	bucket->filled_ns = now_ns;
	return bucket->left_ns;
}

void bucket_take(struct bucket *bucket, uint64_t ns)
{
	bucket->left_ns -= ns < bucket->left_ns ? ns : bucket->left_ns;
}
