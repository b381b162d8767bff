/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * APPLY: many changes, checked as one, one transaction a node.
 */
#ifndef KFD_XSCHED_APPLY_H
#define KFD_XSCHED_APPLY_H

#include <linux/types.h>

struct kfd_xsched_entry;
struct xs_batch;
struct xs_client;
struct xs_item;
struct xs_process;
struct xs_queue;
struct xs_rule;
struct xs_terms;

/* Whether an error lets the other entries go on. */
bool xs_status_is_benign(int status);

/* Elements of the array as they were first published. */
#define XS_ENTRY_MIN_SIZE	offsetofend(struct kfd_xsched_entry, prio_class)

/* What can be said of an entry without knowing any queue. 0 or -errno. */
int xs_entry_check(const struct kfd_xsched_entry *entry);

/*
 * stage.c: find what the item names, check it, and stage its terms. Returns 0,
 * or -errno with, perhaps, some terms staged: xs_batch_abort_locked(). -EAGAIN:
 * another batch of the client is at it.
 */
int xs_item_stage_locked(struct xs_batch *batch, struct xs_item *item);

/*
 * Stage that a process joins, or leaves, what others ask for as one: on its
 * rule and on each of its queues that can. Checks nothing. 0, -EAGAIN, -ENOMEM.
 */
int xs_stage_join_locked(struct xs_batch *batch, struct xs_rule *rule,
			 const struct xs_terms *others);
int xs_stage_leave_locked(struct xs_batch *batch, struct xs_rule *rule,
			  const struct xs_terms *others);

/*
 * Stage that a client gives back all it holds and has set: 0, -EAGAIN, -ENOMEM.
 */
int xs_stage_give_back_locked(struct xs_batch *batch);

/* Whether an entry asks for something, rather than gives it back. */
bool xs_entry_takes(const struct kfd_xsched_entry *entry);

/* Whether a queue has what a SET_PRIORITY sets; true for other entries. */
bool xs_queue_has_what_is_set(const struct xs_queue *queue,
			      const struct kfd_xsched_entry *entry);

/* Whether terms are more than anybody may ask for who may hold the process. */
bool xs_terms_raise(const struct xs_terms *terms);

/* The batch is over: fill in the status and the out fields of an item. */
void xs_item_finish_locked(const struct xs_batch *batch, struct xs_item *item);

/*
 * APPLY from inside the kernel, with the credentials of the current task. Takes
 * no longer than the firmware may. 0 or -errno, with @status of the entries.
 */
int xs_apply_internal(struct xs_client *client, struct kfd_xsched_entry *entries,
		      u32 count);

/* KFD_XSCHED_APPLY */
long xs_apply_ioctl(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_APPLY_H */
