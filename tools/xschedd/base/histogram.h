/* SPDX-License-Identifier: MIT */
/*
 * Histogram of durations: 32 classes for each power of two, so a percentile is
 * at most 3 % too high; adding costs a few instructions.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_HISTOGRAM_H
#define XSCHEDD_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BITS		5	/* 2^5 classes for a power of two */
#define HISTOGRAM_POWERS	36	/* beyond 2^41 ns, 36 minutes: the last */
#define HISTOGRAM_CLASSES	((HISTOGRAM_POWERS + 1) << HISTOGRAM_BITS)

/**
 * struct histogram - begin with one set to zero
 * @count: durations added
 * @sum: all of them together, in nanoseconds
 * @classes: durations in each class
 */
struct histogram {
	uint64_t count;
	uint64_t sum;
	uint32_t classes[HISTOGRAM_CLASSES];
};

/** histogram_add() - count one duration, in nanoseconds */
void histogram_add(struct histogram *histogram, uint64_t ns);

/**
 * histogram_add_range() - count durations of which only a range is known
 * @histogram: histogram
 * @from_ns: the shortest they may be
 * @to_ns: they are shorter than this
 * @count: how many
 *
 * They are classed as the longest, and summed up as those in the middle.
 */
void histogram_add_range(struct histogram *histogram, uint64_t from_ns, uint64_t to_ns,
			 uint64_t count);

/**
 * histogram_percentile() - largest duration of the class of a percentile
 * @histogram: histogram
 * @percent: 1..100
 *
 * Return: nanoseconds; 0 when nothing was added.
 */
uint64_t histogram_percentile(const struct histogram *histogram,
			      unsigned int percent);

/**
 * histogram_below() - durations up to each of some limits
 * @histogram: histogram
 * @ends: limits in nanoseconds, ascending; a class that one cuts counts as above it
 * @count: how many limits
 * @below: out, for each limit how many
 */
void histogram_below(const struct histogram *histogram, const uint64_t *ends, size_t count,
		     uint64_t *below);

#endif /* XSCHEDD_HISTOGRAM_H */
