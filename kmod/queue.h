/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User queues.
 */
#ifndef KFD_XSCHED_QUEUE_H
#define KFD_XSCHED_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>

#include "backend.h"
#include "place.h"
#include "process.h"
#include "state.h"
#include "xsched.h"

struct xs_client;
struct xs_node;
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
 * @target: the backend's handle, as changes name it
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
 * @in_flight: in a transaction that is on its way by itself, see xs_queue_in_flight_locked();
 *	changed under xs_node.lock, too
 * @claims: on this queue by itself, by xs_claim.in_target
 * @own: what is known of it by itself: see xs_queue_standing_locked()
 * @override: overrides last confirmed
 * @priority: KFD priority in effect, as last told: ask xs_queue_priority_locked()
 * @prio_class: enum kfd_xsched_class in effect, 0 if there are none
 * @watch: the sampler's part
 */
struct xs_queue {
	u64 id;
	struct xs_hw_target target;
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
	struct xs_standing own;
	struct xs_want override;
	u32 priority;
	u32 prio_class;
	struct xs_watch watch;
};

/* The queue of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) gone. */
struct xs_queue *xs_queue_find_locked(u64 id);

/*
 * What is known of it with the others of its place, or NULL. Whoever asks without a lock,
 * as the sampler does, finds there, or else in xs_queue.own, what is up to date.
 */
static inline const struct xs_standing *xs_queue_common(const struct xs_queue *queue)
{
	const struct xs_place *place = queue->place;

	/* Pairs with xs_place_share_locked() and xs_place_split_locked(). */
	return smp_load_acquire(&place->shared) ? &place->common : NULL;
}

/* What the backend last confirmed, and whether it was ever free to run; without a lock. */
static inline enum xs_applied xs_queue_applied(const struct xs_queue *queue)
{
	const struct xs_standing *common = xs_queue_common(queue);

	return common ? READ_ONCE(common->applied) : READ_ONCE(queue->own.applied);
}

static inline bool xs_queue_has_run(const struct xs_queue *queue)
{
	const struct xs_standing *common = xs_queue_common(queue);

	return READ_ONCE(queue->own.has_run) || (common && READ_ONCE(common->has_run));
}

/* All that is known of it. */
static inline struct xs_standing xs_queue_standing_locked(const struct xs_queue *queue)
{
	const struct xs_standing *common = xs_queue_common(queue);
	struct xs_standing standing = queue->own;

	lockdep_assert_held(&xs_lock);

	if (common)
		xs_standing_join(&standing, common);
	return standing;
}

/* Whether it is in a transaction that is on its way: then it may not be removed. */
static inline bool xs_queue_in_flight_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->in_flight || queue->place->in_flight;
}

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
