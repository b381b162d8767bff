/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes: what a transaction asks of the backend, from what is wanted; and what is
 * known of queues, from what it confirmed.
 */
#ifndef KFD_XSCHED_CHANGE_H
#define KFD_XSCHED_CHANGE_H

#include <linux/types.h>

struct xs_load;
struct xs_queue;
struct xs_want;

/* Whether nothing is to be done about the queue. @want: what is wanted of its place. */
bool xs_queue_is_settled_locked(const struct xs_queue *queue, const struct xs_want *want);

/*
 * Fill in the changes that bring the queues of all places in a list (by
 * xs_place.in_pending) to what is wanted: one for a place whose queues stand alike.
 * They are in flight then, and the list is empty.
 */
void xs_changes_plan_locked(struct xs_load *load, struct hlist_head *pending);

/*
 * Take over what the backend answered or, if the transaction failed, that nothing is
 * known of those queues: their places are pending. No queue is in flight any more, and
 * the load is empty. Returns how many more are held.
 */
int xs_changes_commit_locked(struct xs_load *load, bool failed);

#endif /* KFD_XSCHED_CHANGE_H */
