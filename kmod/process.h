/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that own user queues, the rules on them, and who may touch them.
 */
#ifndef KFD_XSCHED_PROCESS_H
#define KFD_XSCHED_PROCESS_H

#include <linux/list.h>
#include <linux/types.h>

#include "backend.h"
#include "state.h"
#include "xsched.h"

struct cred;
struct mm_struct;
struct pid;
struct xs_client;
struct xs_tenant;

/**
 * struct xs_owner - credentials of a process at one moment
 * @cred: reference held
 * @dumpable: it had not changed them so that it became undumpable
 */
struct xs_owner {
	const struct cred *cred;
	bool dumpable;
};

/**
 * enum xs_move - what a batch does about a process and a tenant
 * @XS_MOVE_NONE: nothing
 * @XS_MOVE_JOIN: it becomes a member; until that is over it looks like one
 * @XS_MOVE_LEAVE: it ceases to be one
 */
enum xs_move {
	XS_MOVE_NONE,
	XS_MOVE_JOIN,
	XS_MOVE_LEAVE,
};

/**
 * struct xs_rule - what a client wants of a process on nodes where it has no queue yet
 * @in_client: in xs_client.rules
 * @in_process: in xs_process.rules
 * @in_tenant: in xs_tenant.rules, or empty
 * @in_batch: in xs_batch.rules, or in none
 * @client: whose
 * @process: on what
 * @tenant: of which the process is a member, or NULL
 * @stake: terms that its claim on a new place gets
 * @status: 0 or the error of the first node that failed the batch
 * @move: what the batch does about @tenant
 */
struct xs_rule {
	struct list_head in_client;
	struct list_head in_process;
	struct list_head in_tenant;
	struct hlist_node in_batch;
	struct xs_client *client;
	struct xs_process *process;
	struct xs_tenant *tenant;
	struct xs_stake stake;
	int status;
	enum xs_move move;
};

/**
 * struct xs_process - a process that owns user queues, or did
 * @hw: the backend's handle; not valid any more once @exited
 * @pid: thread group leader, reference held
 * @mm: address space, grabbed
 * @owner: credentials at its first queue; decide who hears of its end
 * @by_hw: in the table by @hw
 * @by_nr: in the table by the number of @pid in the first pid namespace
 * @queues: by xs_queue.in_process
 * @places: nodes where it has queues, by xs_place.in_process
 * @rules: by xs_rule.in_process
 * @exited: its address space is gone; freed with its last queue
 * @told: and subscribers know that
 * @pins: batches that will look at it again
 * @hold_new: what the backend was last told
 * @born_held: @hold_new was ever set: a new queue's state is unknown
 * @sites: nodes where it has queues to watch, by xs_site.in_process; sampler's
 *	lock, and changed under xs_lock, too
 * @watched: somebody wants to know of it; likewise
 * @ready: queues that are READY; written under the sampler's lock
 * @edge_ns: when that last came from or went to 0; likewise
 * @armed: armed switches and entries of them that name it: each pins it
 * @triggers: of those, switches it triggers by itself
 */
struct xs_process {
	struct xs_hw_process *hw;
	struct pid *pid;
	struct mm_struct *mm;
	struct xs_owner owner;
	struct hlist_node by_hw;
	struct hlist_node by_nr;
	struct list_head queues;
	struct list_head places;
	struct list_head rules;
	bool exited;
	bool told;
	unsigned int pins;
	bool hold_new;
	bool born_held;
	struct list_head sites;
	bool watched;
	u32 ready;
	u64 edge_ns;
	u32 armed;
	u32 triggers;
};

/*
 * The process of that thread group id in the caller's pid namespace:
 * ERR_PTR(-ENOENT) is not and never was, ERR_PTR(-ESRCH) gone. Those gone are
 * remembered for a while only, and not once their number is in use again.
 */
struct xs_process *xs_process_find_locked(u64 nr);

/* The process of a handle, registered if need be; ERR_PTR(-ENOMEM). */
struct xs_process *xs_process_get_locked(const struct xs_hw_queue_desc *desc);

/* Free it if it exited, has no queue and is not pinned. */
void xs_process_put_locked(struct xs_process *process);

/* Keep it, though it may be an exited one by then. */
static inline struct xs_process *xs_process_pin_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	process->pins++;
	return process;
}

static inline void xs_process_unpin_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	process->pins--;
	if (process->exited)
		xs_process_put_locked(process);
}

/* Credentials the process has now. */
struct xs_owner xs_owner_get(const struct xs_process *process);
void xs_owner_put(struct xs_owner *owner);

/**
 * enum xs_permit - how to ask
 * @XS_PERMIT_LIST: to see it; a refusal is no offence
 * @XS_PERMIT_USE: to hold, release or lower it
 * @XS_PERMIT_RAISE: to raise it above the default
 */
enum xs_permit {
	XS_PERMIT_LIST,
	XS_PERMIT_USE,
	XS_PERMIT_RAISE,
};

/* Whether the caller may touch the process as it is now. */
bool xs_process_permits_locked(const struct xs_process *process,
			       enum xs_permit what);

/* The rule of a client on a process, or NULL. */
static inline struct xs_rule *xs_process_rule_locked(struct xs_process *process,
						     const struct xs_client *client)
{
	struct xs_rule *rule;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(rule, &process->rules, in_process) {
		if (rule->client == client)
			return rule;
	}
	return NULL;
}

/* A new one, without terms. NULL: no memory. */
struct xs_rule *xs_rule_new_locked(struct xs_process *process, struct xs_client *client);

/* The rule; made if there is none. NULL: no memory. */
static inline struct xs_rule *xs_process_need_rule_locked(struct xs_process *process,
							  struct xs_client *client)
{
	return xs_process_rule_locked(process, client) ?:
		xs_rule_new_locked(process, client);
}

/* Unlink and free a rule. */
void xs_rule_drop_locked(struct xs_rule *rule);

/* Tell the backend whether new queues are born held, if that changed. */
static inline void xs_process_sync_rules_locked(struct xs_process *process)
{
	const struct xs_rule *rule;
	bool hold = false;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(rule, &process->rules, in_process) {
		hold = rule->stake.next.held;
		if (hold)
			break;
	}
	if (process->exited || hold == process->hold_new)
		return;
	xs_backend->hold_new(process->hw, hold);
	process->hold_new = hold;
	process->born_held |= hold;
}

/* When no backend calls any more: free all. */
void xs_processes_free_locked(void);

#endif /* KFD_XSCHED_PROCESS_H */
