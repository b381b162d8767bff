// SPDX-License-Identifier: GPL-2.0-only
/*
 * What switches cost: counters and histograms of a node.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sysfs.h>

#include <linux/kfd_xsched.h>

#include "model/node.h"

/* A line: eleven digits, a space, twenty digits, a newline. */
static_assert(XS_HISTOGRAM_BUCKETS * 33 < PAGE_SIZE);

unsigned int xs_histogram_bucket(u64 ns)
{
	unsigned int power, part;

	if (ns < BIT_ULL(XS_HISTOGRAM_FIRST))
		return 0;
	if (ns >= BIT_ULL(XS_HISTOGRAM_LAST))
		return XS_HISTOGRAM_BUCKETS - 1;
	power = ilog2(ns);
	part = (ns >> (power - XS_HISTOGRAM_SUB)) & (BIT(XS_HISTOGRAM_SUB) - 1);
	return ((power - XS_HISTOGRAM_FIRST) << XS_HISTOGRAM_SUB) + part + 1;
}

u64 xs_histogram_floor(unsigned int bucket)
{
	unsigned int power, part;

	if (!bucket)
		return 0;
	bucket--;
	power = XS_HISTOGRAM_FIRST + (bucket >> XS_HISTOGRAM_SUB);
	part = bucket & (BIT(XS_HISTOGRAM_SUB) - 1);
	return (BIT_ULL(XS_HISTOGRAM_SUB) + part) << (power - XS_HISTOGRAM_SUB);
}

static void stats_add(u64 *counter, u64 n)
{
	WRITE_ONCE(*counter, *counter + n);
}

static void stats_add_ns(struct xs_histogram *histogram, u64 ns)
{
	stats_add(&histogram->count[xs_histogram_bucket(ns)], 1);
}

void xs_stats_switch(struct xs_stats *stats,
		     const struct kfd_xsched_node_result *result)
{
	stats_add(&stats->switches, 1);
	stats_add(&stats->transactions, result->fw_transactions);
	stats_add(&stats->flips, result->flips);
	stats_add_ns(&stats->total, result->total_ns);
	if (result->status) {
		stats_add(&stats->failures, 1);
		return;
	}
	stats_add_ns(&stats->lock, result->lock_ns);
	if (!result->fw_transactions)
		return;
	stats_add_ns(&stats->unmap, result->unmap_ns);
	stats_add_ns(&stats->map, result->map_ns);
}

void xs_stats_return(struct xs_stats *stats, u64 ns)
{
	stats_add_ns(&stats->back, ns);
}
