/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * APPLY: many changes, checked as one, one transaction a node.
 */
#ifndef KFD_XSCHED_APPLY_H
#define KFD_XSCHED_APPLY_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

struct xs_client;
struct xs_process;
struct xs_queue;

/* What earlier entries of a batch asked of a queue or process. */
#define XS_ASKED_HOLD		BIT(0)
#define XS_ASKED_RELEASE	BIT(1)
#define XS_ASKED_PRIORITY	BIT(2)

/**
 * struct xs_item - one entry of a batch, and what its id names
 * @entry: as read; status and effective are filled in
 * @queue: for KFD_XSCHED_TARGET_QUEUE
 * @process: for KFD_XSCHED_TARGET_PROCESS
 * @status: 0 or -errno of the check
 * @concerned: queues it concerned
 */
struct xs_item {
	struct kfd_xsched_entry *entry;
	struct xs_queue *queue;
	struct xs_process *process;
	int status;
	u32 concerned;
};

/**
 * struct xs_batch - one APPLY on its way
 * @client: who asks
 * @items: its entries
 * @count: how many
 * @start_ns: when the caller began to wait
 * @queues: queues concerned, by xs_queue.in_batch
 * @processes: processes concerned, by xs_process.in_batch
 * @nodes: nodes concerned, by xs_node.in_batch
 * @node_count: how many
 */
struct xs_batch {
	struct xs_client *client;
	struct xs_item *items;
	u32 count;
	u64 start_ns;
	struct list_head queues;
	struct list_head processes;
	struct list_head nodes;
	u32 node_count;
};

/* Whether an error lets the other entries go on. */
bool xs_status_is_benign(int status);

/* What can be said of an entry without knowing any queue. 0 or -errno. */
int xs_entry_check(const struct kfd_xsched_entry *entry);

/*
 * stage.c: find what the item names, check it, and stage its terms. Returns 0,
 * or -errno with, perhaps, some terms staged: xs_batch_unstage_locked().
 */
int xs_item_stage_locked(struct xs_batch *batch, struct xs_item *item);

/* Put the staged terms in force, but for what its node or amdkfd refused. */
void xs_batch_commit_locked(struct xs_batch *batch);

/* Drop the staged terms that are not in force, empty the batch's lists. */
void xs_batch_unstage_locked(struct xs_batch *batch);

/* KFD_XSCHED_APPLY */
long xs_apply_ioctl(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_APPLY_H */
