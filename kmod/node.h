/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPU nodes, and the one place where a transaction is sent.
 */
#ifndef KFD_XSCHED_NODE_H
#define KFD_XSCHED_NODE_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "stats.h"

struct device;
struct xs_client;
struct xs_part;

/**
 * struct xs_load - a transaction, with room that it has before it is needed: a release
 *	cannot fail for want of memory
 * @changes: what is asked of the backend
 * @room: how many there can be: one for each queue of the node
 * @count: how many there are
 * @queues: targets they have together; 0: there is no transaction
 */
struct xs_load {
	struct xs_hw_change *changes;
	unsigned int room;
	unsigned int count;
	unsigned int queues;
};

/**
 * struct xs_node - a GPU node; under xs_lock unless said otherwise
 * @in_nodes: in xs_nodes; changed under xs_lock and xs_nodes_lock
 * @number: position there, never used again
 * @hw: the backend's handle
 * @desc: what the backend says of it; never changes
 * @refs: the list's, and one of each that uses the node without xs_lock
 * @unused: completed with the last of them
 * @gone: not in the list any more: no transaction is sent
 * @queues: all its queues, by xs_queue.in_node
 * @queue_count: how many
 * @pending: places where what is wanted may differ from what is applied, by
 *	xs_place.in_pending
 * @staging: part of the batch that is being staged; NULL outside of xs_lock
 * @lock: held across a transaction; taken before xs_lock. Whoever has it need
 *	not fear one
 * @load: the transaction on its way; @lock, and written under both locks
 * @spare: more room, for the next transaction, or none
 * @worker: runs parts of batches, @settle, @retry and @ring
 * @settle: switches what is pending
 * @kicked: counts what was asked of @settle
 * @done: what of that @settle has tried; without a lock
 * @quiet: who waits for @done
 * @retry: the same, later
 * @ring: looks at doorbells that rang: see activity.c
 * @switching: odd while a transaction is on its way; read by the sampler
 * @switched_ns: end of the last transaction; read by the sampler
 * @default_grace_us: of UNMAPs that ask for it; without a lock
 * @stats: what switches cost; written under @lock, read without
 * @dev: in /sys, or NULL
 */
struct xs_node {
	struct list_head in_nodes;
	u32 number;
	struct xs_hw_node *hw;
	struct xs_hw_node_desc desc;
	refcount_t refs;
	struct completion unused;
	bool gone;
	struct list_head queues;
	unsigned int queue_count;
	struct hlist_head pending;
	struct xs_part *staging;
	struct mutex lock;	/* held across a transaction */
	struct xs_load load;
	struct xs_load spare;
	struct kthread_worker *worker;
	struct kthread_work settle;
	u32 kicked;
	u32 done;
	wait_queue_head_t quiet;
	struct kthread_delayed_work retry;
	struct kthread_work ring;
	atomic_t switching;
	u64 switched_ns;
	u32 default_grace_us;
	struct xs_stats stats;
	struct device *dev;
};

/* Whether queues of the node can be held at all. */
static inline bool xs_node_can_hold(const struct xs_node *node)
{
	return node->desc.caps & (KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_UNMAP);
}

struct xs_node *xs_node_find_locked(const struct xs_hw_node *hw);

/* The node behind that one, or the first behind NULL, or NULL. */
struct xs_node *xs_node_next_locked(const struct xs_node *node);

/* References. The node is removed when the last is put: not for long. */
struct xs_node *xs_node_get(struct xs_node *node);
void xs_node_put(struct xs_node *node);

/* How many nodes there are. */
unsigned int xs_node_count(void);

/* Make sure that one queue more can be switched. 0 or -ENOMEM. */
int xs_node_reserve_locked(struct xs_node *node);

/*
 * Bring all pending queues to what is wanted, in one transaction, or in none
 * when nothing differs. On failure they stay pending, in a state that nobody
 * knows until a retry succeeds. Takes the node's lock, then, for moments,
 * xs_lock. Returns 0, the backend's error, or -ENODEV if the node is gone.
 */
int xs_node_switch(struct xs_node *node, u32 grace_us);

/*
 * The same for a part of a batch, which takes note of what was done. Returns
 * xs_part_commit_locked(): after that the part may be gone.
 */
bool xs_node_switch_part(struct xs_node *node, struct xs_part *part);

/* Let the node's worker switch what is pending there, now. */
void xs_node_kick_locked(struct xs_node *node);

/*
 * The same for all nodes; and wait until each has tried once, but not for one
 * whose firmware does not answer: that one catches up when it does.
 */
void xs_nodes_kick_locked(void);
void xs_nodes_settle(void);

/* No transaction any more, when the core goes down; and again, when it comes up. */
void xs_nodes_stop(void);
void xs_nodes_start(void);

/* When no backend calls any more: free all. */
void xs_nodes_free(void);

/* KFD_XSCHED_INFO */
long xs_node_ioctl_info(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_NODE_H */
