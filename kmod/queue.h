/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User queues.
 */
#ifndef KFD_XSCHED_QUEUE_H
#define KFD_XSCHED_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>

#include "backend.h"
#include "process.h"
#include "state.h"

struct xs_client;
struct xs_load;
struct xs_node;
struct xs_place;
struct xs_site;

/**
 * struct xs_watch - what the sampler keeps of a queue; under its lock
 * @site: where it is watched, or NULL: never; changed under xs_lock, too
 * @in_site: in xs_site.queues
 * @read_index: in the owner's address space
 * @write_index: in the owner's address space
 * @written: the write index at the last look
 * @activity: written by the sampler alone, read by anybody
 * @dry_ns: since when, in XS_ACTIVITY_DRY
 * @look: the xs_site.look that has seen it
 */
struct xs_watch {
	struct xs_site *site;
	struct list_head in_site;
	u64 __user *read_index;
	u64 __user *write_index;
	u64 written;
	enum xs_activity activity;
	u64 dry_ns;
	u32 look;
};

/**
 * struct xs_queue - a user queue
 * @id: its name towards user space, never used again
 * @hw: the backend's handle
 * @node: where it runs
 * @process: whose it is
 * @place: that process there
 * @queue_id: KFD's id
 * @type: enum kfd_xsched_queue_type
 * @owner: credentials of the process when the queue came; decide who hears of it
 * @by_hw: in the table by @hw
 * @in_node: in xs_node.queues
 * @in_process: in xs_process.queues
 * @in_place: in xs_place.queues
 * @in_flight: in a transaction that is on its way: may not be removed. Changed under
 *	xs_node.lock, too
 * @claims: on this queue by itself, by xs_claim.in_target
 * @applied: what the backend last confirmed; read by the sampler
 * @override: overrides last confirmed
 * @priority: KFD priority in effect, as last told: ask xs_queue_priority_locked()
 * @prio_class: enum kfd_xsched_class in effect, 0 if there are none
 * @has_run: it was free to run at some time; read by the sampler
 * @held_since: when it went from free to held, or 0
 * @held_ns: time held before that
 * @preemptions: times a hold took it off the hardware
 * @watch: the sampler's part
 */
struct xs_queue {
	u64 id;
	struct xs_hw_queue *hw;
	struct xs_node *node;
	struct xs_process *process;
	struct xs_place *place;
	u32 queue_id;
	u32 type;
	struct xs_owner owner;
	struct hlist_node by_hw;
	struct list_head in_node;
	struct list_head in_process;
	struct list_head in_place;
	bool in_flight;
	struct list_head claims;
	enum xs_applied applied;
	struct xs_want override;
	u32 priority;
	u32 prio_class;
	bool has_run;
	u64 held_since;
	u64 held_ns;
	u64 preemptions;
	struct xs_watch watch;
};

/* The queue of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) gone. */
struct xs_queue *xs_queue_find_locked(u64 id);

/* Whether nothing is to be done about the queue. @want: what is wanted of its place. */
bool xs_queue_is_settled_locked(const struct xs_queue *queue, const struct xs_want *want);

/*
 * Fill in the changes that bring the queues of a place to what is wanted, from
 * number @at on. They are in flight then. Returns the number behind the last.
 */
unsigned int xs_queues_plan_locked(struct xs_place *place, struct xs_load *load,
				   unsigned int at);

/*
 * Take over what the backend answered to the first @count changes, or, if the
 * transaction failed, that nothing is known of those queues: their places are
 * pending. No queue is in flight any more. Returns how many more are held.
 */
int xs_queues_commit_locked(struct xs_load *load, unsigned int count, bool failed);

/*
 * How many clients hold the queue. What was reset runs for nobody: no hold of it
 * can be, or needs to be, released.
 */
u32 xs_queue_holders_locked(const struct xs_queue *queue);

/* Bits KFD_XSCHED_QUEUE_*, as LIST reports them to the client, which may be NULL. */
u32 xs_queue_state_locked(const struct xs_queue *queue, const struct xs_client *client);

/* The KFD priority in effect: an override, or what the application asks for now. */
u32 xs_queue_priority_locked(const struct xs_queue *queue);

/* Whether it has a priority, or a class, to be overridden. */
bool xs_queue_can_prioritise(const struct xs_queue *queue);
bool xs_queue_can_classify(const struct xs_queue *queue);

/* When no backend calls any more: free all. */
void xs_queues_free_locked(void);

/* KFD_XSCHED_LIST */
long xs_queue_ioctl_list(struct xs_client *client, void *arg);

#endif /* KFD_XSCHED_QUEUE_H */
