/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queues with indices in user memory, which can be seen to have work, and what a
 * client hears of them.
 */
#ifndef KFD_XSCHED_WATCHED_H
#define KFD_XSCHED_WATCHED_H

#include "harness.h"

#define XT_READY	KFD_XSCHED_EVENT_READY
#define XT_IDLE		KFD_XSCHED_EVENT_IDLE
#define XT_ACTIVITY	(KFD_XSCHED_EVENT_BIT(XT_READY) | KFD_XSCHED_EVENT_BIT(XT_IDLE))

/**
 * struct xt_watched - a queue with indices
 * @queue: the queue
 * @id: its id
 * @indices: read index, then write index
 */
struct xt_watched {
	struct xs_hw_queue *queue;
	u64 id;
	unsigned long indices;
};

void xt_set_indices(struct kunit *test, const struct xt_watched *w, u64 read, u64 write);

/* One more queue of a process on a node, with so many packets waiting. */
struct xt_watched xt_add_watched_on(struct kunit *test, struct xs_hw_process *process,
				    struct xs_hw_node *node, u64 packets);

/* The same of xt.process on xt.node. */
struct xt_watched xt_add_watched(struct kunit *test, u64 packets);

/* The same with a packet, and READY for xt.files[0], whose period that is. No settle time. */
struct xt_watched xt_add_ready(struct kunit *test, u32 period_us);

/* A page nobody touched: it is not there, and who looks does not fault it in. */
unsigned long xt_unreadable_page(struct kunit *test);

/* The same with its indices there, whatever they are. */
struct xt_watched xt_add_watched_at(struct kunit *test, unsigned long indices);

/* The next event is that, of that queue; there is none for a while. */
void xt_expect_event(struct kunit *test, struct file *file,
		     const struct xt_watched *w, u32 type);
void xt_expect_silence(struct kunit *test, struct file *file);

/* The sampler looks at the queue, which was added idle, and knows that it is. */
void xt_expect_look(struct kunit *test, const struct xt_watched *w);

/* The sampler comes to look at the queue, by what LIST says to that client; or not to. */
void xt_expect_watched(struct kunit *test, struct file *file, const struct xt_watched *w,
		       bool watched);

/* The driver comes to hold the queue, or not to. */
void xt_expect_held(struct kunit *test, const struct xs_hw_queue *queue, bool held);

#endif /* KFD_XSCHED_WATCHED_H */
