// SPDX-License-Identifier: MIT
/*
 * Histogram of durations.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "base/histogram.h"

#define WIDTH (1u << HISTOGRAM_BITS)

/* Below WIDTH a class is one nanosecond wide; each power above doubles it. */
static unsigned int histogram_class_of(uint64_t ns)
{
	unsigned int power, index;

	if (ns < WIDTH)
		return ns;
	power = 63 - __builtin_clzll(ns) - HISTOGRAM_BITS;
	index = ((power + 1) << HISTOGRAM_BITS) + ((ns >> power) & (WIDTH - 1));
	return index < HISTOGRAM_CLASSES ? index : HISTOGRAM_CLASSES - 1;
}

static uint64_t histogram_class_end(unsigned int index)
{
	unsigned int power;

	if (index < WIDTH)
		return index;
	power = (index >> HISTOGRAM_BITS) - 1;
	return (((uint64_t)WIDTH + (index & (WIDTH - 1)) + 1) << power) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
	histogram->classes[histogram_class_of(ns)]++;
	histogram->count++;
	histogram->sum += ns;
}

void histogram_add_range(struct histogram *histogram, uint64_t from_ns, uint64_t to_ns,
			 uint64_t count)
{
	histogram->classes[histogram_class_of(to_ns - 1)] += count;
	histogram->count += count;
	histogram->sum += count * ((from_ns + to_ns) / 2);
}

uint64_t histogram_percentile(const struct histogram *histogram,
			      unsigned int percent)
{
	/* Nearest rank: the least value that @percent do not exceed. */
	uint64_t rank = (histogram->count * percent + 99) / 100;
	uint64_t seen = 0;

	if (!histogram->count)
		return 0;
	for (unsigned int i = 0; i < HISTOGRAM_CLASSES; i++) {
		seen += histogram->classes[i];
		if (seen >= rank)
			return histogram_class_end(i);
	}
	return histogram_class_end(HISTOGRAM_CLASSES - 1);
}

void histogram_below(const struct histogram *histogram, const uint64_t *ends, size_t count,
		     uint64_t *below)
{
	unsigned int class = 0;
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		for (; class < HISTOGRAM_CLASSES && histogram_class_end(class) <= ends[i]; class++)
			seen += histogram->classes[class];
		below[i] = seen;
	}
}
