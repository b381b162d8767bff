/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What switches cost: counters and histograms of a node.
 */
#ifndef KFD_XSCHED_STATS_H
#define KFD_XSCHED_STATS_H

#include <linux/types.h>

struct kfd_xsched_node_result;

/*
 * Buckets: what is shorter than 2^FIRST ns, then 2^SUB of equal width for each
 * power of two, then what takes 2^LAST ns (17 s) or longer. A bucket is at most
 * a quarter wide of what it begins with.
 */
#define XS_HISTOGRAM_FIRST	8
#define XS_HISTOGRAM_LAST	34
#define XS_HISTOGRAM_SUB	2
#define XS_HISTOGRAM_BUCKETS						\
	(((XS_HISTOGRAM_LAST - XS_HISTOGRAM_FIRST) << XS_HISTOGRAM_SUB) + 2)

/**
 * struct xs_histogram - how often which duration occurred
 * @count: by bucket
 */
struct xs_histogram {
	u64 count[XS_HISTOGRAM_BUCKETS];
};

/* The bucket a duration belongs to, and the shortest that belongs to one. */
unsigned int xs_histogram_bucket(u64 ns);
u64 xs_histogram_floor(unsigned int bucket);

/* Count a duration. One at a time; whoever reads needs no lock. */
void xs_histogram_add(struct xs_histogram *histogram, u64 ns);

/* Lines "shortest-ns count" of the buckets that are not empty; a page suffices. */
int xs_histogram_show(const struct xs_histogram *histogram, char *page);

/**
 * struct xs_stats - the switches of a node so far; written under its lock
 * @switches: switches there was something to do for
 * @failures: of those, which the backend refused
 * @transactions: firmware transactions
 * @flips: queues that went on or off the hardware
 * @total: from the first look at what is pending to the end of a switch
 * @lock: waiting for the driver's queue manager, in switches that succeeded
 * @unmap: until the firmware confirmed that waves are saved, likewise, where it
 *	had something to do
 * @map: writing the new runlist, likewise
 */
struct xs_stats {
	u64 switches;
	u64 failures;
	u64 transactions;
	u64 flips;
	struct xs_histogram total;
	struct xs_histogram lock;
	struct xs_histogram unmap;
	struct xs_histogram map;
};

/* Account for one switch. */
void xs_stats_switch(struct xs_stats *stats,
		     const struct kfd_xsched_node_result *result);

#endif /* KFD_XSCHED_STATS_H */
