/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches: checked changes on their way to the nodes.
 *
 *	xs_batch_new(), or xs_batch_init() on what outlives it
 *	under xs_lock: stage.c or tenant.c stage what is asked for; then
 *	either xs_batch_start_locked(), or xs_batch_abort_locked() if something
 *	is wrong: nobody has seen anything
 *	without it, if it was started: xs_batch_finish(), unless it is async
 *
 * A batch has a part for each node. Parts run at once: the last in the caller,
 * the others, and all of an async batch, in the workers of their nodes. A part
 * that is done is in force, whatever the others do. The batch is over with its
 * last part; then rules and tenants follow.
 */
#ifndef KFD_XSCHED_BATCH_H
#define KFD_XSCHED_BATCH_H

#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/types.h>

#include <linux/kfd_xsched.h>

#include "claim.h"
#include "node.h"
#include "place.h"
#include "process.h"
#include "xsched.h"

struct xs_armed;
struct xs_client;
struct xs_tenant;

/* xs_stake.asked: what earlier entries of the batch asked for. */
#define XS_ASKED_HOLD		BIT(0)
#define XS_ASKED_RELEASE	BIT(1)
#define XS_ASKED_PRIORITY	BIT(2)
#define XS_ASKED_CLASS		BIT(3)

/* No entry asked for a grace on this node. */
#define XS_GRACE_UNSET		(-1)

/**
 * struct xs_part - what a batch does on one node
 * @work: runs it in the node's worker
 * @batch: of which it is a part
 * @node: where; a reference is held until it is done
 * @in_batch: in xs_batch.parts
 * @claims: staged claims on places and queues of the node, by xs_claim.in_batch
 * @concerned: an entry asks something of it, if only what is so already
 * @grace_us: grace asked for, or XS_GRACE_UNSET
 * @default_grace: without one, the node's default was asked for
 * @result: what it did
 */
struct xs_part {
	struct kthread_work work;
	struct xs_batch *batch;
	struct xs_node *node;
	struct list_head in_batch;
	struct hlist_head claims;
	bool concerned;
	s32 grace_us;
	bool default_grace;
	struct kfd_xsched_node_result result;
};

/**
 * struct xs_item - one entry of an APPLY, and what its id names
 * @entry: as read; @status is that of the check, then of staging; it and the other out
 *	fields are filled in when the batch is over
 * @part: of the node of the queue, for KFD_XSCHED_TARGET_QUEUE
 * @target: process that it names, if that was found before, or NULL
 * @process: for KFD_XSCHED_TARGET_PROCESS, pinned until the batch is over
 * @tenant: for KFD_XSCHED_TARGET_TENANT; the batch keeps it
 * @concerned: queues it concerned
 * @any: there was a queue it might have concerned
 * @held: the client held something of what it names; not asked of what holds
 */
struct xs_item {
	struct kfd_xsched_entry *entry;
	struct xs_part *part;
	struct xs_process *target;
	struct xs_process *process;
	struct xs_tenant *tenant;
	u32 concerned;
	bool any;
	bool held;
};

/**
 * struct xs_batch - changes that are checked together; under xs_lock
 * @client: who asks; a reference is held
 * @async: nobody waits: it frees itself
 * @ended: called when it is over, under xs_lock, or NULL
 * @cookie: for the event, where @ended tells by one
 * @armed: the switch it runs; NULL: it is none, or the switch is gone
 * @start_ns: when the caller began to wait
 * @items: entries of an APPLY that is not async, or NULL
 * @item_count: how many
 * @parts: one for each node concerned, by xs_part.in_batch
 * @part_count: how many
 * @unfinished: of those, parts that are not done
 * @rules: staged rules, by xs_rule.in_batch
 * @tenants: staged tenants, by xs_tenant.in_batch
 * @born: claims on places that came while a rule on their process was staged, by
 *	xs_claim.in_batch
 * @done: completed when it is over, unless @async, or the caller's part was last
 * @first: of @parts: most have no other
 */
struct xs_batch {
	struct xs_client *client;
	bool async;
	void (*ended)(struct xs_batch *batch);
	u64 cookie;
	struct xs_armed *armed;
	u64 start_ns;
	struct xs_item *items;
	u32 item_count;
	struct list_head parts;
	u32 part_count;
	u32 unfinished;
	struct hlist_head rules;
	struct list_head tenants;
	struct hlist_head born;
	struct completion done;
	struct xs_part first;
};

/* Make it empty, whatever it was; and let go of what it has, when it is over or aborted. */
void xs_batch_init(struct xs_batch *batch, struct xs_client *client);
void xs_batch_exit(struct xs_batch *batch);

/* An empty batch, or NULL: no memory. */
struct xs_batch *xs_batch_new(struct xs_client *client);
void xs_batch_free(struct xs_batch *batch);

/* A part for a node that the batch has none for. NULL: no memory. */
struct xs_part *xs_batch_new_part_locked(struct xs_batch *batch, struct xs_node *node);

/*
 * Have the batch change that, in a part that is made if need be: 0, or -EAGAIN if
 * another batch is changing it, or -ENOMEM.
 */
static inline int xs_batch_take_claim_locked(struct xs_batch *batch, struct xs_claim *claim)
{
	struct xs_part *part;

	lockdep_assert_held(&xs_lock);

	if (claim->stake.batch)
		return claim->stake.batch == batch ? 0 : -EAGAIN;
	part = claim->place->node->staging ?:
		xs_batch_new_part_locked(batch, claim->place->node);
	if (!part)
		return -ENOMEM;
	claim->stake.batch = batch;
	hlist_add_head(&claim->in_batch, &part->claims);
	return 0;
}

static inline int xs_batch_take_rule_locked(struct xs_batch *batch, struct xs_rule *rule)
{
	lockdep_assert_held(&xs_lock);

	if (rule->stake.batch)
		return rule->stake.batch == batch ? 0 : -EAGAIN;
	rule->stake.batch = batch;
	rule->status = 0;
	hlist_add_head(&rule->in_batch, &batch->rules);
	return 0;
}

int xs_batch_take_tenant_locked(struct xs_batch *batch, struct xs_tenant *tenant);

/*
 * A place comes while a rule on its process is on its way: its queues are born as
 * the rule will be, and follow it if it fails.
 */
void xs_batch_adopt_locked(struct xs_batch *batch, struct xs_claim *claim);

/* Forget what is staged. The batch can be used again. */
void xs_batch_abort_locked(struct xs_batch *batch);

/*
 * Let all parts run, but for the last, which xs_batch_finish() runs. An async
 * batch must not be touched any more.
 */
void xs_batch_start_locked(struct xs_batch *batch);

/*
 * Run the last part, and wait for the others: as long as their nodes take, and
 * amdkfd bounds that. Returns 0 or the error of the first node that failed.
 */
int xs_batch_finish(struct xs_batch *batch);

/* What the parts of a batch that is over have done, taken together. */
u32 xs_batch_flips(const struct xs_batch *batch);

/* The first part that failed, or NULL. */
const struct xs_part *xs_batch_failed(const struct xs_batch *batch);

/* The node has done the part, under its lock. Whether the batch is over. */
bool xs_part_commit_locked(struct xs_part *part);

#endif /* KFD_XSCHED_BATCH_H */
