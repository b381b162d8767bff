/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which queues have work: the sampler, and what it asks of the tap. See
 * activity.c.
 */
#ifndef KFD_XSCHED_ACTIVITY_H
#define KFD_XSCHED_ACTIVITY_H

#include <linux/list.h>
#include <linux/types.h>

struct kthread_work;
struct xs_client;
struct xs_node;
struct xs_process;
struct xs_queue;

/**
 * struct xs_site - a process on a node: its doorbells there; sampler's lock
 * @process: which
 * @node: where
 * @queues: to watch, by xs_watch.in_site; a site without one is freed
 * @in_process: in xs_process.sites
 * @in_sites: in the sampler's list of all
 * @in_sampler: in the sampler's list of those it samples, of those tapped, or of
 *	those nobody asks for
 * @tapped: idle, and its doorbells are taken away; read by anybody
 * @tapping: they are, and it is looked at whether it was idle then
 * @untappable: the driver cannot tap it
 * @tap_after_ns: not to be tapped before
 * @round: the xs_sampler.round that has seen it
 * @look: number of the look at its queues that is on its way
 * @idle: all queues that were seen in it are idle
 * @by_hw: in the tap's table; tap's lock
 * @in_rung: in the tap's list of those that rang, or empty; tap's lock
 * @rung_ns: when, if it is there; tap's lock
 */
struct xs_site {
	struct xs_process *process;
	struct xs_node *node;
	struct list_head queues;
	struct list_head in_process;
	struct list_head in_sites;
	struct list_head in_sampler;
	bool tapped;
	bool tapping;
	bool untappable;
	u64 tap_after_ns;
	u32 round;
	u32 look;
	bool idle;
	struct hlist_node by_hw;
	struct list_head in_rung;
	u64 rung_ns;
};

/**
 * struct xs_activity_counts - what is watched now
 * @sampled: sites that are sampled; 0: nothing ticks
 * @tapped: sites that are not, because their doorbells tell
 * @rings: doorbells that told so far
 */
struct xs_activity_counts {
	u32 sampled;
	u32 tapped;
	u64 rings;
};

int xs_activity_init(void);
void xs_activity_exit(void);

/* A queue whose indices mean work came, or goes: not sampled once this returns. */
void xs_activity_add_locked(struct xs_queue *queue);
void xs_activity_remove_locked(struct xs_queue *queue);

/*
 * A subscription or an armed switch came or went: start, stop or change pace.
 * @newcomer, if not NULL, is told which queues are READY already.
 */
void xs_activity_configure_locked(struct xs_client *newcomer);

/* Members of a tenant that triggers came or went. */
void xs_activity_follow_locked(void);

/* Whether it is known if the queue has work, and whether by a tap. Hints. */
bool xs_activity_watches(const struct xs_queue *queue);
bool xs_activity_taps_locked(const struct xs_queue *queue);

/* A site of the node rang: it is in the tap's list. From a page fault. */
void xs_activity_ring(struct xs_node *node);

/* Look at what rang, and run what is armed for that. */
void xs_activity_look_at_rung(struct kthread_work *work);

/* For the dump of all state. */
struct xs_activity_counts xs_activity_counts(void);

#endif /* KFD_XSCHED_ACTIVITY_H */
