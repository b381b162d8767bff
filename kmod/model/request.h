/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is asked of the GPU: holders, their requests, tenants.
 */
#ifndef KFD_XSCHED_REQUEST_H
#define KFD_XSCHED_REQUEST_H

#include <linux/hashtable.h>
#include <linux/list.h>
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

/**
 * struct xs_tenants - the tenants of a client
 * @by_id: all there are, by xs_tenant.by_id
 * @account: on which they are; NULL: no limits
 * @count: how many
 * @last: the highest id ever
 */
struct xs_tenants {
	DECLARE_HASHTABLE(by_id, 6);
	struct xs_account *account;
	u32 count;
	u64 last;
};

/*
 * The steps that the entries of a batch may take, because all of it is staged under
 * xs_lock. A step is a process that an entry names, itself or as a member of a tenant; a
 * pdd of that process; and a request on one of the queues of that pdd.
 */
#define XS_STEPS		65536
#define XS_STEPS_OF_USER	16384

/**
 * struct xs_holder - what makes requests: a client, an armed switch, or the priority
 *	files in /sys; under xs_lock
 * @id: number of its client; 0: of none
 * @client: the client, which may be gone once @in_client is empty; NULL: none
 * @in_client: in xs_client.holders, or empty
 * @refs: one of the client or the armed switch, and one of each batch
 * @free: called with the last of them
 * @requests: on queues, pdds and processes, by xs_request.in_holder
 * @tenants: what its entries may name; NULL: none
 * @steps: how many the entries of one batch may take
 * @payer: on whose account its batches preempt nodes
 * @spare_parts: how many parts its last batch had beside the first; read without the lock
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
	struct xs_tenants *tenants;
	u32 steps;
	kuid_t payer;
	u32 spare_parts;
	u32 batches;
	u32 settled;
	wait_queue_head_t unsettled;
};

/**
 * enum xs_target - what a request is on
 * @XS_ON_QUEUE: one queue: it governs that
 * @XS_ON_PDD: a process on a node: it governs the queues there, also those to
 *	come, except those on which the same holder has a request
 * @XS_ON_PROCESS: a process, for pdds it is yet to have
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
 * struct xs_request - what a holder asks of a target; under xs_lock
 * @on: what the target is
 * @holder: whose request it is
 * @queue: the queue, of XS_ON_QUEUE
 * @pdd: the process on a node, of XS_ON_QUEUE and XS_ON_PDD
 * @process: the process, of XS_ON_PROCESS
 * @tenant: of XS_ON_PROCESS: the tenant it is a member of, or NULL; of
 *	XS_ON_TENANT: the tenant
 * @in_holder: in xs_holder.requests; of XS_ON_TENANT empty
 * @in_target: in the list of requests of the target; of XS_ON_TENANT empty
 * @in_tenant: in xs_tenant.members, or empty
 * @move: what @batch does about @tenant, of XS_ON_PROCESS
 * @batch: the batch that changes it and is not over, or NULL. Only that may
 * @part: the part of @batch for the node of @pdd, or NULL
 * @in_batch: in a list of @batch, or empty
 * @asked: what entries of @batch asked for so far, XS_ASKED_*
 * @now: terms in force
 * @next: terms in force once @batch has succeeded; without one equal to @now
 * @status: of XS_ON_PROCESS and XS_ON_TENANT: 0 or the error of the first node
 *	that failed @batch
 * @born: of XS_ON_PROCESS: requests on pdds that came while @batch changes it, by
 *	@in_batch: they end as it does
 *
 * A request without terms is kept, not freed: the next switch needs it again.
 */
struct xs_request {
	enum xs_target on;
	struct xs_holder *holder;
	struct xs_queue *queue;
	struct xs_pdd *pdd;
	struct xs_process *process;
	struct xs_tenant *tenant;
	struct list_head in_holder;
	struct list_head in_target;
	struct list_head in_tenant;
	enum xs_move move;
	struct xs_batch *batch;
	struct xs_part *part;
	struct list_head in_batch;
	u32 asked;
	struct xs_terms now;
	struct xs_terms next;
	int status;
	struct list_head born;
};

/**
 * struct xs_tenant - processes that a client names as one; under xs_lock
 * @id: its name for the client, never used again
 * @by_id: in xs_tenants.by_id
 * @tenants: whose it is
 * @members: requests of the client on its processes, by xs_request.in_tenant
 * @request: what the client asks of processes that are yet to join
 * @triggers: armed switches it triggers
 * @ends: the batch removes all members, and then the tenant
 */
struct xs_tenant {
	u64 id;
	struct hlist_node by_id;
	struct xs_tenants *tenants;
	struct list_head members;
	struct xs_request request;
	u32 triggers;
	bool ends;
};

/**
 * struct xs_trigger - whose work sets off an armed switch
 * @holder: the client that armed it
 * @process: a process, with a reference, or NULL
 * @tenant: id of a tenant, or 0
 */
struct xs_trigger {
	struct xs_holder *holder;
	struct xs_process *process;
	u64 tenant;
};

/* ---- holders ------------------------------------------------------------- */

/* One with one reference, that asks for nothing. @free: called with the last reference. */
void xs_holder_init(struct xs_holder *holder, void (*free)(struct xs_holder *holder));

struct xs_holder *xs_holder_get(struct xs_holder *holder);
void xs_holder_put(struct xs_holder *holder);

/* Drop all its requests but those on tenants. Switch what is pending afterwards. */
void xs_holder_drop_all_locked(struct xs_holder *holder);

/* A part of a batch of it is done: callers that wait for that may try again. */
void xs_holder_settled_locked(struct xs_holder *holder);

/*
 * Wait until xs_holder.settled is not @settled any more. Takes as long as the slowest
 * node, which amdkfd bounds. 0, or -ERESTARTSYS for a caller that is being killed.
 */
int xs_holder_wait_settled(struct xs_holder *holder, u32 settled);

/* ---- supplies ------------------------------------------------------------ */

/**
 * struct xs_supply - requests made before xs_lock was taken, as memory is not waited for
 *	under it
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

/* An empty one. */
void xs_supply_init(struct xs_supply *supply, gfp_t gfp);

/* Have at least @count left, and forget that it was short. Without a lock. 0 or -ENOMEM. */
int xs_supply_fill(struct xs_supply *supply, u32 count);

/* Free what is left. */
void xs_supply_free(struct xs_supply *supply);

/* ---- requests ------------------------------------------------------------ */

/* That of a holder in a list by xs_request.in_target, or NULL. */
struct xs_request *xs_request_find(const struct list_head *requests,
				   const struct xs_holder *holder);

/*
 * The request on a process, a pdd or a queue; one of the supply if there is none. NULL:
 * that is short. One on a queue is made with the terms of that on its pdd, which only the caller's
 * batch may be changing.
 */
struct xs_request *xs_request_on_process_locked(struct xs_process *process,
						struct xs_holder *holder,
						struct xs_supply *supply);
struct xs_request *xs_request_on_pdd_locked(struct xs_pdd *pdd, struct xs_holder *holder,
					    struct xs_supply *supply);
struct xs_request *xs_request_on_queue_locked(struct xs_queue *queue,
					      struct xs_holder *holder,
					      struct xs_supply *supply);

/* Whether anything is asked for, or about to be. */
bool xs_request_any(const struct xs_request *request);

/* Whether a batch other than @batch (or any, if NULL) changes it. */
bool xs_request_busy(const struct xs_request *request, const struct xs_batch *batch);

/*
 * Have the batch change it, as a piece of @part, which may be NULL, and put it in a list
 * of the batch. It must not be busy.
 */
void xs_request_take_locked(struct xs_request *request, struct xs_batch *batch,
			    struct xs_part *part, struct list_head *list);

/* The batch is over: its terms come into force, or are forgotten. It is in no list then. */
void xs_request_end_locked(struct xs_request *request, bool success);

/*
 * Unlink and free it. If it asked for anything, its pdd is pending afterwards; if it was
 * on a process, the driver knows.
 */
void xs_request_drop_locked(struct xs_request *request);

/*
 * It does not hold any more, nor will it once its batch is over. Its pdd is pending then;
 * of one on a process, the driver knows.
 */
void xs_request_drop_hold_locked(struct xs_request *request);

/* Leave of terms what can be asked of the node of a pdd. */
void xs_request_mask(const struct xs_pdd *pdd, struct xs_terms *terms);

/* The request that governs a queue for a holder, or NULL. */
struct xs_request *xs_request_of_queue_locked(const struct xs_queue *queue,
					      const struct xs_holder *holder);

/* The next request that governs the queue; the first after NULL; or NULL. */
struct xs_request *xs_request_next_locked(const struct xs_queue *queue,
					  const struct xs_request *request);

/* The next queue that the request governs; the first after NULL; or NULL. */
struct xs_queue *xs_request_next_queue_locked(const struct xs_request *request,
					      const struct xs_queue *queue);

/* The next queue that the request keeps from running; the first after NULL; or NULL. */
struct xs_queue *xs_request_next_held_locked(const struct xs_request *request,
					     const struct xs_queue *queue);

/* ---- tenants ------------------------------------------------------------- */

/* None. @account: kept until none is left. */
void xs_tenants_init(struct xs_tenants *tenants, struct xs_account *account);

/*
 * Add a tenant, all zero, to those of the holder, without members; to their end it is on
 * their account. 0, or -EDQUOT: it is the caller's still.
 */
int xs_tenant_add_locked(struct xs_tenant *tenant, struct xs_holder *holder);

/* The tenant of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) is gone. */
struct xs_tenant *xs_tenant_find_locked(const struct xs_tenants *tenants, u64 id);

/* Unlink and free it, or all. Their members stay what they are. */
void xs_tenant_free_locked(struct xs_tenant *tenant);
void xs_tenants_free_locked(struct xs_tenants *tenants);

/* ---- triggers ------------------------------------------------------------ */

/* Whether work of the process sets it off. */
bool xs_trigger_is_locked(const struct xs_trigger *trigger, const struct xs_process *process);

/* Whether work of the process sets off an armed switch of any client. */
bool xs_trigger_any_locked(const struct xs_process *process);

#endif /* KFD_XSCHED_REQUEST_H */
