/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is asked of the GPU: holders, and their requests.
 */
#ifndef KFD_XSCHED_REQUEST_H
#define KFD_XSCHED_REQUEST_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "core.h"
#include "model/rate.h"
#include "model/state.h"

struct xs_account;
struct xs_batch;
struct xs_client;
struct xs_request;
struct xs_part;
struct xs_pdd;
struct xs_process;
struct xs_queue;
struct xs_tenant;
struct xs_tenants;

/*
 * The steps that the entries of a batch may take; of a user, and of an armed switch of his. A
 * step is a process that an entry names, itself or as a member of a tenant; and a queue of
 * that process.
 */
#define XS_STEPS		65536
#define XS_STEPS_OF_USER	16384
#define XS_STEPS_OF_ARMED	128

/*
 * How many clients of a user, and armed switches of his, may ask something of the same process,
 * or of queues of it on a node: as many requests are searched under xs_lock, made when a queue
 * comes, and dropped when it goes.
 */
#define XS_REQUESTS_ON_TARGET	32

/*
 * How many requests a client of a user keeps to spare: 40 MB for as many as he may have. Other
 * holders keep all: a call that lacks some is staged again and again, until it has them.
 */
#define XS_SPARE	128

/**
 * struct xs_supply - requests that are not used, as memory is not waited for under xs_lock
 * @requests: that are left, by xs_request.in_holder
 * @count: how many
 * @gfp: if none is left, one more is made so, which does not wait; 0: none is
 * @is_short: one was needed that was not there
 */
struct xs_supply {
	struct list_head requests;
	u32 count;
	gfp_t gfp;
	bool is_short;
};

/**
 * struct xs_holder - what makes requests: a client, an armed switch, or the priority
 *	files in /sys; under xs_lock
 * @id: number of its client; 0: of none
 * @client: the client, which may be gone once @in_client is empty; NULL: none
 * @in_client: in xs_client.holders, or empty
 * @refs: one of the client or the armed switch, and one of each batch
 * @free: called with the last of them
 * @requests: on queues and processes, by xs_request.in_holder
 * @holds: how many of them have a hold in force
 * @spare: requests that asked for something and do not any more, for the next switch
 * @spare_max: how many of them are kept
 * @in_use: how many are in @requests
 * @used: how many were when its last batch began; read without the lock
 * @tenants: what its entries may name; NULL: none
 * @steps: how many the entries of one batch may take
 * @account: on which its requests are, that of @client; NULL: no limits. Requests end before
 *	that goes
 * @parts: how many parts its last batch had; read without the lock
 * @batches: its batches that are not over, for the dump
 * @settled: counts the parts of its batches that are done; read without the lock
 * @unsettled: woken when @settled changes
 */
struct xs_holder {
	u64 id;
	struct xs_client *client;
	struct list_head in_client;
	refcount_t refs;
	void (*free)(struct xs_holder *holder);
	struct list_head requests;
	u32 holds;
	struct xs_supply spare;
	u32 spare_max;
	u32 in_use;
	u32 used;
	struct xs_tenants *tenants;
	u32 steps;
	struct xs_account *account;
	u32 parts;
	u32 batches;
	u32 settled;
	wait_queue_head_t unsettled;
};

/**
 * enum xs_target - what a request is on
 * @XS_ON_QUEUE: a queue
 * @XS_ON_PDD: all queues of a process on a node
 * @XS_ON_PROCESS: a process, for queues that it is yet to have
 * @XS_ON_TENANT: a tenant, for processes that are yet to join
 */
enum xs_target {
	XS_ON_QUEUE,
	XS_ON_PDD,
	XS_ON_PROCESS,
	XS_ON_TENANT,
};

/* xs_request.asked: what entries of the batch asked for so far. */
#define XS_ASKED_HOLD		BIT(0)
#define XS_ASKED_RELEASE	BIT(1)
#define XS_ASKED_PRIORITY	BIT(2)
#define XS_ASKED_CLASS		BIT(3)

/**
 * enum xs_move - what a batch does about a process and a tenant
 * @XS_MOVE_NONE: nothing
 * @XS_MOVE_JOIN: it becomes a member; until that is over it looks like one
 * @XS_MOVE_LEAVE: it is a member no more
 */
enum xs_move {
	XS_MOVE_NONE,
	XS_MOVE_JOIN,
	XS_MOVE_LEAVE,
};

/**
 * struct xs_sum - what all requests on a target ask for together; under xs_lock
 * @held: how many have a hold in force
 * @holds: how many ask for one, be it in force or on its way
 * @priorities: those that ask for a priority, the latest last, by xs_request.by_priority
 * @classes: those that ask for a class, likewise, by xs_request.by_class
 *
 * A batch counts from xs_batch_start_locked() on, and not while it is staged.
 */
struct xs_sum {
	u32 held;
	u32 holds;
	struct rb_root priorities;
	struct rb_root classes;
};

/**
 * struct xs_request - what a holder asks of a target; under xs_lock
 * @on: what the target is
 * @holder: whose request it is
 * @queue: the queue, of XS_ON_QUEUE
 * @pdd: the process on a node, of XS_ON_PDD; of XS_ON_QUEUE that of @queue
 * @parent: of XS_ON_QUEUE: that of @holder on @pdd
 * @children: of XS_ON_PDD: how many requests have it as their @parent
 * @process: the process, of XS_ON_PROCESS
 * @tenant: of XS_ON_PROCESS: the tenant it is a member of, or NULL; of
 *	XS_ON_TENANT: the tenant
 * @sum: that of the target; NULL of XS_ON_TENANT
 * @in_holder: in xs_holder.requests; of XS_ON_TENANT empty
 * @in_target: in the list of requests of the target; of XS_ON_TENANT empty
 * @in_tenant: in xs_tenant.members, or empty
 * @by_priority: in xs_sum.priorities, or cleared
 * @by_class: in xs_sum.classes, or cleared
 * @move: what @batch does about @tenant, of XS_ON_PROCESS
 * @batch: the batch that changes it and is not over, or NULL. Only that may
 * @part: the part of @batch for the node of @pdd, or NULL
 * @in_batch: in a list of @batch, or empty
 * @charged: it is on the account of @holder
 * @asked: what entries of @batch asked for so far, XS_ASKED_*
 * @started: @batch was started: @next counts in the sum of the target, not @now
 * @now: terms in force
 * @next: terms in force once @batch has succeeded; without one equal to @now
 * @look: the last look of the watchdog that has seen it
 * @status: of XS_ON_PROCESS and XS_ON_TENANT: 0 or the error of the first node
 *	that failed @batch
 * @rcu: to be freed later
 * @born: of XS_ON_PROCESS: those for queues that came while @batch changes it, by
 *	@in_batch: they end as it does
 *
 * It is there while it asks for something, or a batch changes it, or it makes a process
 * the member of a tenant, or it has @children. Of a holder without limits, as an
 * administrator's scheduler is, one that has asked for something and is not on a single queue
 * stays for the next switch, until its target goes.
 *
 * What a holder asks of a process stands in one request for each node, however many queues
 * there are. Once it names one of the queues, it has a request on each instead, and the one
 * on the pdd has @children, asks for nothing, and is in no batch.
 */
struct xs_request {
	enum xs_target on;
	struct xs_holder *holder;
	struct xs_queue *queue;
	struct xs_pdd *pdd;
	struct xs_request *parent;
	u32 children;
	struct xs_process *process;
	struct xs_tenant *tenant;
	struct xs_sum *sum;
	struct list_head in_holder;
	struct hlist_node in_target;
	struct list_head in_tenant;
	struct rb_node by_priority;
	struct rb_node by_class;
	enum xs_move move;
	struct xs_batch *batch;
	struct xs_part *part;
	struct list_head in_batch;
	bool charged;
	u32 asked;
	bool started;
	struct xs_terms now;
	struct xs_terms next;
	u32 look;
	int status;
	struct rcu_head rcu;
	struct list_head born;
};

/* ---- holders ------------------------------------------------------------- */

/* One with one reference, that asks for nothing. @free: called with the last reference. */
void xs_holder_init(struct xs_holder *holder, void (*free)(struct xs_holder *holder));

struct xs_holder *xs_holder_get(struct xs_holder *holder);
void xs_holder_put(struct xs_holder *holder);

/*
 * Drop all its requests but those on tenants: returns how many queues they kept from running. Or
 * @count of them at the most, which adds that to @held: true if there are more. Switch what is
 * pending afterwards.
 */
u32 xs_holder_drop_all_locked(struct xs_holder *holder);
bool xs_holder_drop_some_locked(struct xs_holder *holder, u32 count, u32 *held);

/* A part of a batch of it is done: callers that wait for that may try again. */
void xs_holder_settled_locked(struct xs_holder *holder);

/*
 * Wait until xs_holder.settled is not @settled any more. Takes as long as the slowest
 * node, which amdkfd bounds. 0, or -ERESTARTSYS for a caller that is being killed.
 */
int xs_holder_wait_settled(struct xs_holder *holder, u32 settled);

/* ---- supplies ------------------------------------------------------------ */

/* An empty one. */
void xs_supply_init(struct xs_supply *supply, gfp_t gfp);

/* Have at least @count left, and forget that it was short. Without a lock. 0 or -ENOMEM. */
int xs_supply_fill(struct xs_supply *supply, u32 count);

/* Free what is left. */
void xs_supply_free(struct xs_supply *supply);

/* ---- requests ------------------------------------------------------------ */

/*
 * That of a holder in the list of a target, or NULL. The list is short: see
 * XS_REQUESTS_ON_TARGET.
 */
struct xs_request *xs_request_find(const struct hlist_head *requests,
				   const struct xs_holder *holder);

/*
 * The request on a target; one that asks for nothing if there is none, of those the holder
 * has to spare, or of the supply. ERR_PTR(-ENOMEM): that is short; -EDQUOT: its user has too
 * many, in all or on that target. With @must, which is for what takes nothing new, he may
 * have too many. For that on a queue, the one on its pdd must not be busy; what that asks for
 * is asked of each queue there afterwards, which by itself changes nothing.
 */
struct xs_request *xs_request_on_queue_locked(struct xs_queue *queue,
					      struct xs_holder *holder,
					      struct xs_supply *supply, bool must);
struct xs_request *xs_request_on_pdd_locked(struct xs_pdd *pdd, struct xs_holder *holder,
					    struct xs_supply *supply, bool must);
struct xs_request *xs_request_on_process_locked(struct xs_process *process,
						struct xs_holder *holder,
						struct xs_supply *supply, bool must);

/* That of a holder on a queue, or on the pdd of the queue if that is for all, or NULL. */
struct xs_request *xs_request_of_queue_locked(const struct xs_queue *queue,
					      const struct xs_holder *holder);

/* Of those on a queue or a pdd: the queue it is on after @queue, which may be NULL; or NULL. */
struct xs_queue *xs_request_next_queue_locked(const struct xs_request *request,
					      const struct xs_queue *queue);

/* Whether it says what is asked of the queues of its pdd, and of those that come. */
bool xs_request_is_for_all(const struct xs_request *on_pdd);

/* Whether anything is asked for, or about to be. */
bool xs_request_any(const struct xs_request *request);

/* Whether nobody needs it: it asks for nothing, and for nobody else is it there. */
bool xs_request_is_idle(const struct xs_request *request);

/* Whether a batch other than @batch (or any, if NULL) changes it. */
static inline bool xs_request_busy(const struct xs_request *request, const struct xs_batch *batch)
{
	return request->batch && request->batch != batch;
}

/*
 * Have the batch change it, as a piece of @part, which may be NULL, and put it in a list
 * of the batch. It must not be busy.
 */
void xs_request_take_locked(struct xs_request *request, struct xs_batch *batch,
			    struct xs_part *part, struct list_head *list);

/* The batch was started: what it asks for counts, and its queues are pending. */
void xs_request_start_locked(struct xs_request *request);

/*
 * The batch is over: its terms come into force, or are forgotten; then its queues are pending,
 * if the batch was started. It is in no list then; or in @idle, if it asks for nothing and does
 * not stay.
 */
void xs_request_end_locked(struct xs_request *request, bool success, struct list_head *idle);

/*
 * A queue came, and the request on its process governs it, too: so does @request, on the
 * queue or its pdd, as far as that can have it, and a batch that changes the one changes both.
 */
void xs_request_inherit_locked(struct xs_request *request, struct xs_request *on_process);

/*
 * Unlink it, and free it or keep it to spare. If it asked for anything, its queues are pending
 * afterwards; if it was on a process, the driver knows. It has no children.
 */
void xs_request_drop_locked(struct xs_request *request);

/* The same of all in the list of a target. */
void xs_requests_drop_locked(struct hlist_head *requests);

/*
 * The same of those in a list by xs_request.in_batch that no batch has taken anew; of so many
 * at the most. Whether there are more.
 */
void xs_request_drop_idle_locked(struct list_head *idle);
bool xs_request_drop_some_locked(struct list_head *idle, u32 count);

/*
 * It does not hold any more, nor will it once its batch is over; nor does it take another
 * priority or class, if @overrides. Its queues are pending then; of one on a process, the
 * driver knows. It may be gone then.
 */
void xs_request_withdraw_locked(struct xs_request *request, bool overrides);

/*
 * Tell the driver whether new queues of the process are born held, if requests on it ask for
 * something else than they did.
 */
void xs_process_sync_locked(struct xs_process *process);

/* Leave of terms what can be asked of its target, a queue or a pdd. */
void xs_request_mask(const struct xs_request *request, struct xs_terms *terms);

/* Whether it keeps the queue, which it is on, from running. */
bool xs_request_holds_locked(const struct xs_request *request, const struct xs_queue *queue);

/*
 * Whether other requests on its queue have a later override of what it has overridden; of one
 * on a pdd, or had on a queue there.
 */
bool xs_request_is_overruled_locked(const struct xs_request *request);

/* Add what a sum comes to. */
void xs_sum_add(const struct xs_sum *sum, struct xs_terms *terms);

/* It asks for nothing, and is nobody's. */
void xs_request_blank(struct xs_request *request);

#endif /* KFD_XSCHED_REQUEST_H */
