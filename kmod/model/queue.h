/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User queues, and processes on nodes.
 */
#ifndef KFD_XSCHED_QUEUE_H
#define KFD_XSCHED_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>

#include "backend.h"
#include "core.h"
#include "model/node.h"
#include "model/process.h"
#include "model/request.h"
#include "model/state.h"

/**
 * struct xs_pdd_watch - what the sampler keeps of a process on a node; under
 *	sampler.lock
 * @queues: queues to look at, by xs_queue_watch.in_pdd
 * @in_sampler: in the sampler's list of those whose turn is to come in this round, of
 *	those that wait for the next, of those that are tapped, or of those nobody asks
 *	for; or empty
 * @tapped: it is idle, and its doorbells are taken away; read by anybody
 * @tapping: they are, and it is looked at whether it was idle then
 * @untappable: the driver cannot tap it
 * @tap_after_ns: it is not to be tapped before
 * @tapped_ns: when its doorbells were last taken away
 * @quiet_ns: how long it was not to be tapped after its last ring; 0: it had work since
 * @look: number of the look at its queues that goes on
 * @idle: all queues that this look has seen are idle
 * @edge_ns: the ring for which it is looked at, or 0
 * @by_hw: in the table of watch/doorbell.c; tap_lock
 * @expected: its next ring is to be looked at: there was none since it was tapped;
 *	tap_lock
 * @in_rung: in its list of those that rang, or empty; tap_lock
 * @rung_ns: when, if it is there; tap_lock
 * @in_woken: in the list of those that rang while parked, or empty; tap_lock
 * @woken_ns: when, if it is there; tap_lock
 */
struct xs_pdd_watch {
	struct list_head queues;
	struct list_head in_sampler;
	bool tapped;
	bool tapping;
	bool untappable;
	u64 tap_after_ns;
	u64 tapped_ns;
	u64 quiet_ns;
	u32 look;
	bool idle;
	u64 edge_ns;
	struct hlist_node by_hw;
	bool expected;
	struct list_head in_rung;
	u64 rung_ns;
	struct list_head in_woken;
	u64 woken_ns;
};

/**
 * struct xs_pdd - a space of a process on a node, from its first queue there to its
 *	last; under xs_lock
 * @process: which process; that of @space
 * @space: which of its spaces, with a reference
 * @node: on which node, with a reference
 * @in_process: in xs_process.pdds
 * @queues: by xs_queue.in_pdd
 * @live: how many of them are not XS_APPLIED_GONE
 * @blind: of how many of them it cannot be known whether something waits
 * @requests: on all of them, by xs_request.in_target
 * @sum: what these ask for together
 * @own_seq: when the latest override was asked for of one of @queues by itself, be it in
 *	force still or not
 * @in_pending: in xs_node.pending or xs_node.parking, or empty
 * @back_ns: from when on its queues have been wanted back that were parked, or 0
 * @watch: the sampler's part
 */
struct xs_pdd {
	struct xs_process *process;
	struct xs_space *space;
	struct xs_node *node;
	struct list_head in_process;
	struct list_head queues;
	u32 live;
	u32 blind;
	struct hlist_head requests;
	struct xs_sum sum;
	u64 own_seq;
	struct list_head in_pending;
	u64 back_ns;
	struct xs_pdd_watch watch;
};

/**
 * struct xs_queue_watch - what the sampler keeps of a queue; under sampler.lock
 * @on: it is in xs_pdd_watch.queues; changed under xs_lock, too
 * @in_pdd: in that list
 * @read_index: in the owner's address space; NULL: it does not mean work
 * @write_index: likewise
 * @doorbell: by which its waves are found
 * @consumed: the read index at the last look
 * @written: the write index then
 * @unreadable_ns: since when they cannot be read, or 0
 * @count_after_ns: only a count of waves that began later says something of it
 * @looked_ns: the last look
 * @packets_ns: the last look that found packets, or that there had been some
 * @waves_ns: after that, waves of it were seen on the GPU, or would have been
 * @away: waves of it are saved, and were not seen since
 * @activity: written under the lock, read by anybody
 * @dry_ns: since when it is in XS_ACTIVITY_DRY
 * @ready_nr: number of its last READY, among those of all queues
 * @stuck: its @preemptions, when it was last found held with work
 * @look: the xs_pdd_watch.look that has seen it
 */
struct xs_queue_watch {
	bool on;
	struct list_head in_pdd;
	u64 __user *read_index;
	u64 __user *write_index;
	u32 doorbell;
	u64 consumed;
	u64 written;
	u64 unreadable_ns;
	u64 count_after_ns;
	u64 looked_ns;
	u64 packets_ns;
	u64 waves_ns;
	bool away;
	enum xs_activity activity;
	u64 dry_ns;
	u64 ready_nr;
	u64 stuck;
	u32 look;
};

/**
 * struct xs_quiet - what shows that nothing waits in a queue; under xs_lock
 * @read_index: in the owner's address space; NULL: nothing does
 * @write_index: likewise
 * @written: the write index when its process began to be quiet
 */
struct xs_quiet {
	u64 __user *read_index;
	u64 __user *write_index;
	u64 written;
};

/**
 * struct xs_queue - a user queue; under xs_lock unless said otherwise
 * @id: its name for user space, never used again
 * @change: the driver's handle, and what the transaction that goes on does to it;
 *	under xs_node.lock
 * @pdd: whose it is, and where
 * @queue_id: KFD's id
 * @type: enum kfd_xsched_queue_type
 * @owner: credentials of the process when the queue came; they decide which
 *	clients hear of it
 * @payer: on whose account it preempts its node when it comes, changes or goes
 * @by_hw: in the table by handle
 * @in_node: in xs_node.queues
 * @in_pdd: in xs_pdd.queues
 * @pinned: in a transaction, or looked at under xs_node.lock: it may not be removed
 *	until that lock is free; changed under that, too
 * @requests: on this queue alone, by xs_request.in_target
 * @sum: what they ask for together
 * @applied: what the driver last confirmed; read by the sampler
 * @has_run: it was free to run at some time; read by the sampler
 * @save_ns: how long the firmware took when a hold took it off the hardware last; read by
 *	the sampler
 * @held_since: when it went from free to held, CLOCK_MONOTONIC, or 0
 * @held_ns: how long it was held before that
 * @preemptions: how often a hold took it off the hardware; read by the sampler
 * @override: overrides the driver last confirmed
 * @priority: the KFD priority it then had; ask xs_queue_priority_locked()
 * @prio_class: enum kfd_xsched_class in effect, 0 if there are none
 * @look: the last look of the watchdog that has seen it
 * @in_asked: in xs_node.asked, or empty
 * @saved: of a held queue: waves of it were saved at @saved_ns, or that could not be known
 * @saved_ns: when the driver said so, CLOCK_MONOTONIC, or 0
 * @quiet: for a look before and after it is parked
 * @watch: the sampler's part
 */
struct xs_queue {
	u64 id;
	struct xs_hw_change change;
	struct xs_pdd *pdd;
	u32 queue_id;
	u32 type;
	struct xs_owner owner;
	struct xs_payer payer;
	struct hlist_node by_hw;
	struct list_head in_node;
	struct list_head in_pdd;
	bool pinned;
	struct hlist_head requests;
	struct xs_sum sum;
	enum xs_applied applied;
	bool has_run;
	u64 save_ns;
	u64 held_since;
	u64 held_ns;
	u64 preemptions;
	struct xs_terms override;
	u32 priority;
	u32 prio_class;
	u32 look;
	struct list_head in_asked;
	bool saved;
	u64 saved_ns;
	struct xs_quiet quiet;
	struct xs_queue_watch watch;
};

/* Whether no queue of it will run again, not even one that comes: its node or the space is gone. */
static inline bool xs_pdd_is_gone(const struct xs_pdd *pdd)
{
	return pdd->node->gone || !pdd->space->hw;
}

/* That of a space on a node; made if there is none. */
struct xs_pdd *xs_pdd_need_locked(struct xs_space *space, struct xs_node *node,
				  struct xs_birth *birth);

/* What is asked of any of its queues may have changed; also if it was in xs_node.parking. */
static inline void xs_pdd_set_pending_locked(struct xs_pdd *pdd)
{
	lockdep_assert_held(&xs_lock);

	list_move_tail(&pdd->in_pending, &pdd->node->pending);
}

/* What requests on it ask for, and whether its process is parked. @asked: out */
void xs_pdd_asked_locked(const struct xs_pdd *pdd, struct xs_terms *asked);

/* Unlink and free one without queues. */
void xs_pdd_free_locked(struct xs_pdd *pdd);

/* The queue of that id: ERR_PTR(-ENOENT) never was, ERR_PTR(-ESRCH) is gone. */
struct xs_queue *xs_queue_find_locked(u64 id);

/* The queue of a driver's handle, or NULL. */
struct xs_queue *xs_queue_find_hw_locked(const struct xs_hw_queue *hw);

/* The queue with the lowest id above that, or NULL. */
struct xs_queue *xs_queue_above_locked(u64 id);

/* Counts queues that came or went. */
u64 xs_queue_changes_locked(void);

/* How many there are; without a lock. */
unsigned int xs_queue_count(void);

/**
 * struct xs_birth - what a queue that comes may need, made before xs_lock is taken
 * @id: its number, for which there is room
 * @queue: for the queue, all zero, as the others are
 * @pdd: for its space on its node
 * @space: for its space
 * @process: for its process
 * @requests: for those on the queue and its pdd
 * @wanted: how many of these there should be
 *
 * What is used becomes NULL.
 */
struct xs_birth {
	u64 id;
	struct xs_queue *queue;
	struct xs_pdd *pdd;
	struct xs_space *space;
	struct xs_process *process;
	struct xs_supply requests;
	u32 wanted;
};

/* Make all but requests: 0 or -ENOMEM; and free what was not used. Without a lock. */
int xs_birth_begin(struct xs_birth *birth, const struct xs_hw_queue_desc *desc);
void xs_birth_end(struct xs_birth *birth);

/*
 * A new queue, in its pdd, which is made if need be, with requests as those on the
 * process say. ERR_PTR(-EAGAIN): fill xs_birth.requests to what is @wanted, and try again;
 * if there is no memory for that all the same. Of a queue that lacks one, that is not asked.
 */
struct xs_queue *xs_queue_new_locked(struct xs_hw_queue *hw,
				     const struct xs_hw_queue_desc *desc,
				     struct xs_space *space, struct xs_node *node,
				     struct xs_birth *birth);

/* Unlink and free a queue that is gone and not watched, and with the last one its pdd. */
void xs_queue_free_locked(struct xs_queue *queue);

/*
 * It is held, or not, or it will not run again, since @now: time is counted. Returns
 * how many queues more are held: -1, 0 or 1.
 */
int xs_queue_set_held_locked(struct xs_queue *queue, bool held, u64 now);
int xs_queue_set_gone_locked(struct xs_queue *queue, u64 now);

/*
 * What all requests on it ask for; but if its process is demoted, the lowest priority and
 * class: @on_pdd, which is xs_pdd_asked_locked(), or else @own, which is filled in. And whether
 * the driver has nothing to do about it.
 */
const struct xs_terms *xs_queue_asked_locked(const struct xs_queue *queue,
					     const struct xs_terms *on_pdd, struct xs_terms *own);
bool xs_queue_is_settled_locked(const struct xs_queue *queue);

/* Whether it is off the hardware, and somebody holds it, or is about to. */
static inline bool xs_queue_is_held_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->applied == XS_APPLIED_HELD && (queue->pdd->sum.holds || queue->sum.holds);
}

/*
 * How many holders hold the queue. What was reset runs for nobody: no hold of it
 * can be, or needs to be, released.
 */
u32 xs_queue_holders_locked(const struct xs_queue *queue);

/* How long it was held, also now, nanoseconds. @now: CLOCK_MONOTONIC. */
u64 xs_queue_held_ns_locked(const struct xs_queue *queue, u64 now);

/* The KFD priority in effect: an override, or what the application asks for now. */
u32 xs_queue_priority_locked(const struct xs_queue *queue);

/* Whether it has a priority, or a class, that can be overridden. */
static inline bool xs_queue_can_prioritise(const struct xs_queue *queue)
{
	return queue->type == KFD_XSCHED_QUEUE_COMPUTE &&
		queue->pdd->node->desc.caps & KFD_XSCHED_CAP_PRIORITY;
}

static inline bool xs_queue_can_classify(const struct xs_queue *queue)
{
	return queue->pdd->node->desc.caps & KFD_XSCHED_CAP_CLASS;
}

/* Whether its indices mean work, so that it can be watched. */
bool xs_queue_can_be_watched(const struct xs_queue *queue);

/* What it shows cannot be: count that, and say it the first time. Any context. */
void xs_queue_makes_no_sense(const struct xs_queue *queue);
u64 xs_queue_nonsense_count(void);

/* When the driver reports nothing any more: forget all. */
void xs_queues_free_locked(void);

#endif /* KFD_XSCHED_QUEUE_H */
