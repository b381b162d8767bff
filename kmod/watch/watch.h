/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which queues have work:
 *
 *	interest.c	which processes are watched, and what a newcomer is told
 *	sampler.c	when each process on a node is looked at, and when it is tapped
 *	look.c		one look at a queue
 *	waves.c		waves in flight on a node
 *	doorbell.c	which processes rang
 *	quiet.c		whether a process has no work at all, before and after it is parked
 */
#ifndef KFD_XSCHED_WATCH_H
#define KFD_XSCHED_WATCH_H

#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core.h"
#include "model/state.h"

struct file;
struct xs_hw_node;
struct xs_hw_process;
struct xs_node;
struct xs_pdd;
struct xs_process;
struct xs_queue;
struct xs_queue_watch;
struct xs_space;

/* ---- interest ------------------------------------------------------------ */

/* Time between two looks if no client asks for another one, microseconds. */
#define XS_SAMPLE_PERIOD_US	100

/* The same if nobody but a park wants to know. */
#define XS_PARK_SAMPLE_US	10000

/**
 * struct xs_interest - what one client wants to know; under xs_lock
 * @in_interests: in the list of all, or empty
 * @in_newcomers: in that of those that are still told what is READY, or empty
 * @file: its credentials decide which processes the client may see
 * @all: it wants to know of all of these
 * @armed: how many switches it has armed: it wants to know of what triggers them
 * @sample_us: time between two looks; 0: the one that an administrator has set
 * @settle_us: from the last work to IDLE
 * @no_tap: it does not want doorbells to be tapped
 * @limited: a shorter @sample_us than the one an administrator has set has no effect
 * @told: of queues up to this one it has been told
 * @since: xs_look_ready_count() when it came: what came later it has heard
 */
struct xs_interest {
	struct list_head in_interests;
	struct list_head in_newcomers;
	const struct file *file;
	bool all;
	u32 armed;
	u32 sample_us;
	u32 settle_us;
	bool no_tap;
	bool limited;
	u64 told;
	u64 since;
};

/* It counts from here on, and no more. After any change: xs_sampler_configure_locked(). */
void xs_interest_add_locked(struct xs_interest *interest);
void xs_interest_del_locked(struct xs_interest *interest);

/* The client wants to know nothing any more. */
void xs_interest_clear_locked(struct xs_interest *interest);

/* A process has its first queue to look at, or its last one goes. */
void xs_interest_add_process_locked(struct xs_process *process);
void xs_interest_del_process_locked(struct xs_process *process);

/* What interests ask for has changed; or one more queue of the process may be seen. */
void xs_interest_changed_locked(void);
void xs_interest_process_changed_locked(struct xs_process *process);

/* Before any queue is freed. */
void xs_interest_queue_removed_locked(const struct xs_queue *queue);

/*
 * Go on until that time, or a little longer. A process that was reviewed, with
 * xs_process.review; NULL: time is up, or none is stale.
 */
struct xs_process *xs_interest_review_locked(u64 until);
bool xs_interest_any_stale_locked(void);

/*
 * It is to be told which queues are READY; and go on telling, until that time or a little
 * longer: one queue at least. Under sampler.lock, too.
 */
void xs_interest_is_new_locked(struct xs_interest *interest);
void xs_interest_tell_locked(u64 until);
bool xs_interest_any_newcomer_locked(void);

/* Time between two looks if no client asks for another one; without a lock. */
u32 xs_interest_period_us(void);
void xs_interest_set_period_us(u32 us);

/* ---- the sampler --------------------------------------------------------- */

/*
 * How long a process has had no work on a node before its doorbells are taken away there,
 * unless an administrator sets another time. A tap costs the process a fault, and each
 * CPU it runs on an interrupt: some ten microseconds. To look at it that often instead
 * takes a few of them every XS_SAMPLE_PERIOD_US.
 */
#define XS_TAP_IDLE_US		500
#define XS_TAP_IDLE_US_MAX	1000000

/**
 * struct xs_sampler_counts - what is watched now
 * @sampled: processes on nodes that are sampled; 0: nothing ticks
 * @tapped: processes on nodes that are not, because they will ring
 * @rings: doorbells that rang so far
 * @period_us: time between two looks, if @sampled
 */
struct xs_sampler_counts {
	u32 sampled;
	u32 tapped;
	u64 rings;
	u32 period_us;
};

int xs_sampler_init(void);
void xs_sampler_exit(void);

/* Initialize the work of a new node. */
void xs_sampler_init_node(struct xs_node *node);

/* A queue comes, or goes: it is not looked at any more when this returns. */
void xs_sampler_add_locked(struct xs_queue *queue);
void xs_sampler_remove_locked(struct xs_queue *queue);

/*
 * Somebody wants to know something else: soon, start, stop or change pace. If @newcomer is
 * not NULL, xs_news.activity reports to it which queues are READY already.
 */
void xs_sampler_configure_locked(struct xs_interest *newcomer);

/* From when on a process that has no work may be tapped; without a lock. */
u32 xs_sampler_tap_idle_us(void);
void xs_sampler_set_tap_idle_us(u32 us);

/* Whether it is known if the queue has work, and whether by a tap. Hints. */
bool xs_sampler_watches(const struct xs_queue *queue);
bool xs_sampler_taps(const struct xs_queue *queue);

/*
 * When the last of its doorbells were taken away, on whatever node; 0: they are not on all of
 * them. And park it, if that is so still and none has rung since: it is GOING then.
 */
u64 xs_sampler_tapped_ns_locked(const struct xs_process *process);
bool xs_sampler_park_locked(struct xs_process *process);

struct xs_sampler_counts xs_sampler_counts(void);

/* ---- one look ------------------------------------------------------------ */

/**
 * struct xs_look - how to look, and what came of it
 * @settle_ns: from dry to IDLE
 * @edge_ns: when the work came, if that is known, or 0
 * @edge: out, set if a process became READY or IDLE
 */
struct xs_look {
	u64 settle_ns;
	u64 edge_ns;
	bool edge;
};

/* Whether a look may find something new: what is held with work stays READY. */
bool xs_look_is_due(const struct xs_queue *queue);

/*
 * Look at a queue, in the address space of its owner, and report what changed. Whether
 * it is idle for sure. Under sampler.lock.
 */
bool xs_look_at(struct xs_queue *queue, struct xs_look *look);

/* It is not looked at any more. Whether its process became IDLE by that. */
bool xs_look_end(struct xs_queue *queue);

/* How many queues have become READY so far. Under sampler.lock. */
u64 xs_look_ready_count(void);

/*
 * A thread of the kernel goes into an address space, and back. False: that is exiting, and
 * xs_news.process_exited waits for our lock.
 */
bool xs_look_enter(const struct xs_space *space);
void xs_look_leave(const struct xs_space *space);

/* Read indices, in that address space. False: they cannot be read now. */
bool xs_look_indices(u64 __user *read_index, u64 __user *write_index, u64 *read, u64 *write);

/* ---- waves in flight ----------------------------------------------------- */

int xs_waves_init(void);
void xs_waves_exit(void);

/* A node begins, or ends, of which no queue is watched. */
void xs_waves_init_node(struct xs_node *node);
void xs_waves_stop_node(struct xs_node *node);

/*
 * What is known of waves of a queue whose indices show no work, and that is @applied.
 * Under sampler.lock.
 */
enum xs_waves xs_waves_look(struct xs_queue *queue, enum xs_applied applied);

/*
 * A packet of the queue was consumed since the last look: so what was saved of it before is
 * on the GPU again, or has ended. Under sampler.lock.
 */
void xs_waves_are_back(struct xs_queue *queue);

/* How often waves of the node were counted. */
u64 xs_waves_counts(struct xs_node *node);

/* ---- doorbells ----------------------------------------------------------- */

/* From here on, and no more, doorbells of the process on that node are seen. */
void xs_doorbell_add(struct xs_pdd *pdd);
void xs_doorbell_remove(struct xs_pdd *pdd);

/* Its next ring is to be looked at, or not. */
void xs_doorbell_expect(struct xs_pdd *pdd, bool expected);

/*
 * xs_news.doorbell. What looks at it is xs_node.ring; or @look, in @worker, while the worker of
 * the node has a transaction, and always for a process that is parked.
 */
void xs_doorbell_init(struct kthread_worker *worker, kthread_work_func_t look);
void xs_doorbell_rang(struct xs_hw_process *process, struct xs_hw_node *node);

/*
 * The next one that rang, and when, or NULL. If there are more, the worker that looks at
 * the first of them is woken.
 */
struct xs_pdd *xs_doorbell_take(u64 *rung_ns);

/*
 * The same of those that rang while they were parked, under xs_lock; and whether there is one,
 * a hint.
 */
struct xs_pdd *xs_doorbell_take_woken(u64 *woken_ns);
bool xs_doorbell_any_woken(void);

/*
 * It is GOING, unless one of its doorbells has rung since they were taken away: then it is not,
 * and else each ring brings it back. Under xs_lock and sampler.lock.
 */
bool xs_doorbell_park(struct xs_process *process);

/* Whether there is one, and when a doorbell was seen last. Hints. */
bool xs_doorbell_any(void);
u64 xs_doorbell_last_ns(void);

/* Rings that were expected, so far. */
u64 xs_doorbell_count(void);

/* ---- quiet ---------------------------------------------------------------- */

/*
 * Whether nothing waits in any queue of the process. The @first time what its queues show is
 * remembered: later, none of them may have got anything since.
 */
bool xs_quiet_look_locked(struct xs_process *process, bool first);

/*
 * Once its queues are off: whether waves or copies of it were saved. 0: none; 1: some, or that
 * cannot be known; -EAGAIN: ask again; -EINPROGRESS: they are not all off.
 */
int xs_quiet_saved_locked(struct xs_process *process);

#endif /* KFD_XSCHED_WATCH_H */
