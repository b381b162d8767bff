/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One look at a queue: has it work? See sample.c.
 */
#ifndef KFD_XSCHED_SAMPLE_H
#define KFD_XSCHED_SAMPLE_H

#include <linux/types.h>

struct xs_queue;
struct xs_watch;

/**
 * struct xs_look - how to look, and what came of it
 * @settle_ns: from dry to IDLE
 * @edge_ns: when the work came, if that is known, or 0
 * @tapping: its process was tapped just now: only what this look does not see
 *	will ring
 * @edge: out, set if a process became READY or IDLE
 */
struct xs_look {
	u64 settle_ns;
	u64 edge_ns;
	bool tapping;
	bool edge;
};

/* Whether a look may find something new: what is held with work stays READY. */
bool xs_sample_is_due(const struct xs_queue *queue);

/*
 * Look at a queue, in the address space of its owner, and tell who wants to know.
 * Whether it is idle for sure. Under the sampler's lock.
 */
bool xs_sample_queue(struct xs_queue *queue, struct xs_look *look);

/* It is not looked at any more. Whether its process became IDLE by that. */
bool xs_sample_end(struct xs_queue *queue);

/* Read the indices, in that address space. False: they cannot be read now. */
bool xs_sample_indices(const struct xs_watch *watch, u64 *read, u64 *write);

#endif /* KFD_XSCHED_SAMPLE_H */
