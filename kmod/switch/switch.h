/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an entry of an APPLY to a transaction on a node:
 *
 *	stage.c		what an entry asks for is checked, and becomes the next terms
 *			of requests
 *	batch.c		requests that change together, and what becomes of them
 *	transact.c	one node's transaction, and what is tried again
 *	trip.c		when a node's preemptions fail again and again
 *	plan.c		what the driver has to do to each queue, and what it has done
 */
#ifndef KFD_XSCHED_SWITCH_H
#define KFD_XSCHED_SWITCH_H

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "model/node.h"
#include "model/request.h"

struct pid_namespace;
struct xs_armed;
struct xs_batch;
struct xs_holder;
struct xs_hw_change;
struct xs_hw_times;
struct xs_process;
struct xs_queue;
struct xs_request;
struct xs_tenant;
struct xs_terms;
struct xs_trigger;

/* ---- batches ------------------------------------------------------------- */

/* No entry asked for a grace on this node. */
#define XS_GRACE_UNSET		(-1)

/**
 * enum xs_toll - whether a part has been paid for: see model/rate.h
 * @XS_TOLL_NONE: nothing in it takes anything
 * @XS_TOLL_PAID: it takes something, once or often
 * @XS_TOLL_REFUSED: it was to, and the payer has too little left: it will not run
 */
enum xs_toll {
	XS_TOLL_NONE,
	XS_TOLL_PAID,
	XS_TOLL_REFUSED,
};

/**
 * struct xs_part - what a batch does on one node
 * @work: runs it in the node's worker
 * @done: called when the node has done it, under xs_node.lock and xs_lock: whether its batch is
 *	over
 * @batch: the batch
 * @node: where, with a reference
 * @in_batch: in xs_batch.parts
 * @number: which part of its batch it is; those beyond the 64th have the same
 * @requests: on queues of the node, by xs_request.in_batch
 * @concerned: an entry asks something of it, even if that is so already
 * @grace_us: the grace that was asked for, or XS_GRACE_UNSET
 * @default_grace: without one, the node's default was asked for
 * @toll: whether it is paid for, from xs_node.rates
 * @toll_ns: what that was, for xs_rates_give_back()
 * @shut: the breaker of the node opened after the part was staged, and the part takes
 * @result: what it did
 */
struct xs_part {
	struct kthread_work work;
	bool (*done)(struct xs_part *part);
	struct xs_batch *batch;
	struct xs_node *node;
	struct list_head in_batch;
	u32 number;
	struct list_head requests;
	bool concerned;
	s32 grace_us;
	bool default_grace;
	enum xs_toll toll;
	u64 toll_ns;
	bool shut;
	struct kfd_xsched_node_result result;
};

/**
 * struct xs_item - an entry of an APPLY, and what its id names
 * @entry: as read; its status is that of the check, then of staging, then of the
 *	node
 * @named: the process it names, if that was looked up before, with a reference; or NULL
 * @parts: in which parts it has queues, by xs_part.number
 * @process: for KFD_XSCHED_TARGET_PROCESS and _PROCESS_ID; with a reference if xs_batch.items
 *	has it. If there are several of its number: the first
 * @tenant: for KFD_XSCHED_TARGET_TENANT; the batch keeps it
 * @concerned: how many queues it concerned
 * @any: there was a queue it might have concerned
 * @held: the holder held something of what it names; for entries that do not hold
 * @shut: it was to take on a node whose breaker is open, which was left out
 */
struct xs_item {
	struct kfd_xsched_entry *entry;
	struct xs_process *named;
	u64 parts;
	struct xs_process *process;
	struct xs_tenant *tenant;
	u32 concerned;
	bool any;
	bool held;
	bool shut;
};

/**
 * struct xs_batch - requests that change together; under xs_lock
 * @holder: whose requests they are, with a reference
 * @payer: on whose account it preempts nodes
 * @ns: in which pid namespace its entries name processes; while they are staged
 * @async: nobody waits: it frees itself
 * @trigger: of the armed switch it runs or checks, or NULL
 * @armed: the switch it runs, for xs_news.batch_over; NULL: none, or it is gone
 * @promised: it ends with an APPLY_DONE event, with @cookie
 * @charged: how many entries are on the account of its client
 * @cookie: for that
 * @start_ns: when the caller began to wait
 * @items: entries of an APPLY that is not async, or NULL
 * @item_count: how many
 * @parts: one for each node concerned, by xs_part.in_batch
 * @part_count: how many
 * @unfinished: how many of them are not done
 * @requests: on processes and tenants, by xs_request.in_batch
 * @idle: requests of it that are over and ask for nothing, likewise
 * @done: completed when it is over, unless the caller's part was the last
 * @steps_left: of xs_holder.steps; an abort gives none back
 * @in_way: another batch of the holder met what it has staged: it waits
 * @supply: requests that are made before
 * @spare: parts that are made before, by xs_part.in_batch
 * @lacks_part: one was needed that was not there
 * @gfp: how parts are made
 * @refills: how often more was made
 *
 *	xs_batch_new()
 *	under xs_lock: xs_stage_*() as often as need be; then either
 *		xs_batch_start_locked(), or xs_batch_abort_locked() if something is
 *		wrong: nobody has seen anything, and it can be used again
 *	if something was missing (-ENOMEM): xs_batch_refill(), without the lock, and anew
 *	if it was started and is not async: xs_batch_finish(), then xs_batch_free()
 *
 * A part that is done is in force, whatever becomes of the others. The batch is over
 * with its last part. Then requests on processes and tenants follow.
 */
struct xs_batch {
	struct xs_holder *holder;
	struct xs_payer payer;
	const struct pid_namespace *ns;
	bool async;
	const struct xs_trigger *trigger;
	struct xs_armed *armed;
	bool promised;
	u32 charged;
	u64 cookie;
	u64 start_ns;
	struct xs_item *items;
	u32 item_count;
	struct list_head parts;
	u32 part_count;
	u32 unfinished;
	struct list_head requests;
	struct list_head idle;
	struct completion done;
	u32 steps_left;
	bool in_way;
	struct xs_supply supply;
	struct list_head spare;
	bool lacks_part;
	gfp_t gfp;
	u32 refills;
};

/* An empty batch, or NULL: no memory. With __GFP_NOFAIL, a release needs no more. */
struct xs_batch *xs_batch_new(struct xs_holder *holder, gfp_t gfp);
void xs_batch_free(struct xs_batch *batch);

/* Whether staging has missed a request or a part, so that it failed with -ENOMEM. */
bool xs_batch_is_short(const struct xs_batch *batch);

/* Make what it has missed, and more each time. Without a lock. 0 or -ENOMEM. */
int xs_batch_refill(struct xs_batch *batch);

/* Whether another batch changes the request; that says when it is over. */
bool xs_batch_meets_locked(const struct xs_batch *batch, const struct xs_request *request);

/*
 * Have the batch change a request, in the part of its node if it has one: 0, -EAGAIN
 * (another batch is changing it) or -ENOMEM (there is no part left: xs_batch_refill()).
 */
int xs_batch_take_locked(struct xs_batch *batch, struct xs_request *request);

/* Forget what is staged. */
void xs_batch_abort_locked(struct xs_batch *batch);

/*
 * Let all parts run; but the last, if it is not async, runs in xs_batch_finish(). An
 * async batch must not be touched any more.
 */
void xs_batch_start_locked(struct xs_batch *batch);

/* So many steps are staged at a time: others want xs_lock, too. */
#define XS_SLICE	16

/*
 * Stage by @stage, under xs_lock, and start. If there is more to be staged (-EINPROGRESS),
 * let others have the lock before: nobody sees what is staged. If something is missing, make
 * it and try again. If another batch of the holder is in the way (-EAGAIN), wait for it and
 * try again, unless the batch is async. Returns 0, or -errno of @stage, or -ERESTARTSYS for
 * a caller that is being killed: then nothing is staged.
 */
int xs_batch_stage_and_start(struct xs_batch *batch,
			     int (*stage)(struct xs_batch *batch, void *arg), void *arg);

/*
 * Run the last part, and wait for the others: as long as their nodes take, and
 * amdkfd bounds that. Returns 0 or the error of the first node that failed.
 */
int xs_batch_finish(struct xs_batch *batch);

/* What the parts of a batch that is over have done, taken together. */
u32 xs_batch_flips(const struct xs_batch *batch);

/* The first part that failed, or NULL; of those of an item. */
const struct xs_part *xs_batch_failed(const struct xs_batch *batch);
const struct xs_part *xs_batch_failed_of(const struct xs_batch *batch,
					 const struct xs_item *item);

/* ---- staging ------------------------------------------------------------- */

/*
 * Find what the item names, check it, and stage what it asks for. Returns 0, or -errno
 * with, perhaps, some of it staged: xs_batch_abort_locked(). -EAGAIN: another batch of
 * the holder changes it.
 */
int xs_stage_item_locked(struct xs_batch *batch, struct xs_item *item);

/*
 * Whether the caller may hold a process and override it so, whatever he has; traced, if it is
 * another user's.
 */
bool xs_stage_permits_locked(const struct xs_batch *batch, const struct xs_process *process,
			     s32 priority, u32 prio_class);

/*
 * Stage that a process joins, or leaves, a tenant: it gets, or loses, what others ask
 * for of that. @request: on the process. Checks nothing. 0, -EAGAIN, -ENOMEM.
 */
int xs_stage_join_locked(struct xs_batch *batch, struct xs_request *request,
			 const struct xs_terms *others);
int xs_stage_leave_locked(struct xs_batch *batch, struct xs_request *request,
			  const struct xs_terms *others);

/* Stage that the holder gives back all it holds and has set: 0, -EAGAIN, -ENOMEM. */
int xs_stage_give_back_locked(struct xs_batch *batch);

/* Whether an entry asks for something, rather than gives it back. */
bool xs_stage_takes(const struct kfd_xsched_entry *entry);

/* Whether a queue has what a SET_PRIORITY sets; true for other entries. */
bool xs_stage_suits(const struct xs_queue *queue, const struct kfd_xsched_entry *entry);

/* ---- planning ------------------------------------------------------------ */

/*
 * Plan a change for each pending queue of the node that differs from what is asked for; and if
 * there is one, for some of those that are to be parked. Nothing is pending then, and the
 * queues are pinned. Returns the chain, whose length is xs_node.in_flight, or NULL.
 */
struct xs_hw_change *xs_plan_locked(struct xs_node *node);

/*
 * Take over what the driver answered or, if the transaction failed, that nothing is
 * known of those queues: they are pending. @save_ns: how long the firmware took to take
 * queues off. Returns how many queues more are held.
 */
int xs_plan_commit_locked(struct xs_node *node, struct xs_hw_change *changes, bool failed,
			  u64 save_ns);

/* ---- transactions -------------------------------------------------------- */

/* Initialize the works of a new node. */
void xs_transact_init(struct xs_node *node);

/*
 * Bring all pending queues to what is asked for, in one transaction, or in none if
 * nothing differs. After a failure they stay pending, in a state that nobody knows
 * until a retry succeeds; these come later and later, and end: xs_node_retry_later().
 * Takes xs_node.lock, then, for moments, xs_lock.
 */
void xs_transact(struct xs_node *node, u32 grace_us);

/* The same for a part of a batch. Whether the batch is over; else the part may be gone. */
bool xs_transact_part(struct xs_part *part);

/*
 * A transaction failed: have the node's worker try again, each time later. False: that was
 * done too often, see xs_node_retry_later().
 */
bool xs_transact_later_locked(struct xs_node *node);

/* Let the node's worker, or those of all nodes, switch what is pending there now. */
void xs_transact_kick_locked(struct xs_node *node);
void xs_transact_kick_all_locked(void);

/*
 * The same for all nodes; and wait until each has tried once, but not for one whose
 * firmware does not answer: that catches up when it does.
 */
void xs_transact_settle(void);

/* No transaction any more, when the core stops; and again, when it starts. */
void xs_transact_stop_all(void);
void xs_transact_start_all(void);

/* ---- preemptions that fail ------------------------------------------------ */

/*
 * A preemption of the node failed, because the queue did not save its waves; NULL: it is
 * not known which. Its process is demoted, perhaps its user; perhaps the breaker opens: all
 * holds of the domain are dropped. What is pending then is sent later.
 */
void xs_trip_failed_locked(struct xs_node *node, struct xs_queue *queue);

/*
 * Close the breaker of a domain, and forget what failed. -EBUSY: a node's firmware has not
 * recovered since, or a transaction goes on: nothing is changed, but the firmware is asked
 * once more soon.
 */
int xs_trip_rearm(struct xs_domain *domain);

#endif /* KFD_XSCHED_SWITCH_H */
