/* SPDX-License-Identifier: MIT */
/* Distributions. Reports on guest runs use this, too, so that figures can be compared. */
#ifndef XSIM_SAMPLE_H
#define XSIM_SAMPLE_H

#include <stddef.h>

/**
 * struct sample - distribution of a set of times
 * @count: how many
 * @mean: in the unit of the times
 * @p50: nearest rank, as all percentiles here
 * @p95: likewise
 * @p99: likewise
 * @max: longest
 */
struct sample {
	size_t count;
	double mean;
	double p50;
	double p95;
	double p99;
	double max;
};

/* Distribution of @n values, which are sorted by this. */
struct sample sample_of(double *values, size_t n);

#endif /* XSIM_SAMPLE_H */
