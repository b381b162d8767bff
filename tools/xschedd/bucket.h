/* SPDX-License-Identifier: MIT */
/*
 * A share of the daemon's time: a token bucket whose tokens are nanoseconds.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_BUCKET_H
#define XSCHEDD_BUCKET_H

#include <stdint.h>

/**
 * struct bucket - what is left; full when zero
 * @left_ns: that much, when it was filled last
 * @filled_ns: when that was, CLOCK_MONOTONIC
 */
struct bucket {
	uint64_t left_ns;
	uint64_t filled_ns;
};

/**
 * bucket_fill() - add what has come since
 * @bucket: bucket
 * @now_ns: CLOCK_MONOTONIC
 * @permille: that much of the time comes in
 * @room_ns: more than that does not fit
 *
 * Return: what is left, in nanoseconds.
 */
uint64_t bucket_fill(struct bucket *bucket, uint64_t now_ns,
		     unsigned int permille, uint64_t room_ns);

/** bucket_take() - take as much as there is of @ns, after bucket_fill() */
void bucket_take(struct bucket *bucket, uint64_t ns);

#endif /* XSCHEDD_BUCKET_H */
