/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPU nodes, and the one place where a transaction is sent.
 */
#ifndef KFD_XSCHED_NODE_H
#define KFD_XSCHED_NODE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

#include "backend.h"

struct xs_client;

/* No entry of the batch asked for a grace on this node. */
#define XS_GRACE_UNSET	(-1)

/**
 * struct xs_node - a GPU node
 * @in_nodes: in xs_nodes; changed under xs_lock and xs_nodes_lock
 * @hw: the backend's handle
 * @desc: what the backend says of it; never changes
 * @queues: all its queues, by xs_queue.in_node
 * @queue_count: how many
 * @pending: queues whose wanted state may differ from the applied one
 * @changes: room for a change of each queue, so that a transaction needs no
 *	memory and a release cannot fail for want of it
 * @change_room: elements of @changes
 * @switching: odd while a transaction is on its way; read by the sampler
 * @switched_ns: end of the last transaction; read by the sampler
 * @in_batch: in xs_batch.nodes; empty outside of an APPLY
 * @grace_us: grace asked for by the batch, or XS_GRACE_UNSET
 * @result: what the batch did here; all zero outside of an APPLY
 */
struct xs_node {
	struct list_head in_nodes;
	struct xs_hw_node *hw;
	struct xs_hw_node_desc desc;
	struct list_head queues;
	unsigned int queue_count;
	struct list_head pending;
	struct xs_hw_change *changes;
	unsigned int change_room;
	atomic_t switching;
	u64 switched_ns;
	struct list_head in_batch;
	s32 grace_us;
	struct kfd_xsched_node_result result;
};

struct xs_node *xs_node_find_locked(const struct xs_hw_node *hw);

/* Make sure that one queue more can be switched. 0 or -ENOMEM. */
int xs_node_reserve_locked(struct xs_node *node);

/*
 * Bring all pending queues to what is wanted, in one transaction, or in none
 * when nothing differs. On failure they stay pending, in a state that nobody
 * knows until a retry succeeds. Returns 0 or the backend's error; what it did
 * goes to @result, but for total_ns.
 */
int xs_node_switch_locked(struct xs_node *node, u32 grace_us,
			  struct kfd_xsched_node_result *result);

/* After a failure: see to it that what is pending is tried again. */
void xs_nodes_retry_pending_locked(void);

/* Switch whatever is pending anywhere, retry later what fails. */
void xs_nodes_settle_locked(void);

/* Stop and start retrying, when the core goes down and comes up. */
void xs_nodes_stop(void);
void xs_nodes_start(void);

/* When no backend calls any more: free all. */
void xs_nodes_free_locked(void);

/* KFD_XSCHED_INFO */
long xs_node_ioctl_info(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_NODE_H */
