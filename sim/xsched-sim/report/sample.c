// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "report/sample.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: a value that did occur. */
static double percentile(const double *sorted, size_t n, double p)
{
	size_t rank = (size_t)ceil(p / 100 * (double)n);

	return sorted[rank ? rank - 1 : 0];
}

struct sample sample_of(double *values, size_t n)
{
	struct sample s = { .count = n };
	size_t i;

	if (!n)
		return s;
	for (i = 0; i < n; i++)
		s.mean += values[i] / (double)n;
	qsort(values, n, sizeof(*values), compare);
	s.p50 = percentile(values, n, 50);
	s.p95 = percentile(values, n, 95);
	s.p99 = percentile(values, n, 99);
	s.max = values[n - 1];
	return s;
}
