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
 * struct bucket - a share of the time; one that is zero is full
 * @left_ns: time that was left when it was filled last
 * @filled_ns: when that was, CLOCK_MONOTONIC
 */
struct bucket {
	uint64_t left_ns;
	uint64_t filled_ns;
};

/**
 * bucket_fill() - add the share of the time that has passed since
 * @bucket: bucket
 * @now_ns: CLOCK_MONOTONIC
 * @permille: share of the time that is added, at least 1
 * @room_ns: most that can be saved up
 *
 * Return: time that is left, in nanoseconds.
 */
uint64_t bucket_fill(struct bucket *bucket, uint64_t now_ns,
		     unsigned int permille, uint64_t room_ns);

/** bucket_take() - take @ns, or what is left if that is less; after bucket_fill() */
void bucket_take(struct bucket *bucket, uint64_t ns);

#endif /* XSCHEDD_BUCKET_H */
