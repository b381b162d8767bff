/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GPU nodes, and what switches cost there.
 */
#ifndef KFD_XSCHED_NODE_H
#define KFD_XSCHED_NODE_H

#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rtmutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "core.h"
#include "model/rate.h"

struct device;

/* ---- what switches cost: model/stats.c ----------------------------------- */

/*
 * Buckets: what is shorter than 2^FIRST ns, then 2^SUB of equal width for each
 * power of two, then what takes 2^LAST ns (17 s) or longer. A bucket is at most
 * a quarter wide of what it begins with.
 */
#define XS_HISTOGRAM_FIRST	8
#define XS_HISTOGRAM_LAST	34
#define XS_HISTOGRAM_SUB	2
#define XS_HISTOGRAM_BUCKETS						\
	(((XS_HISTOGRAM_LAST - XS_HISTOGRAM_FIRST) << XS_HISTOGRAM_SUB) + 2)

/**
 * struct xs_histogram - how often which duration occurred
 * @count: by bucket
 */
struct xs_histogram {
	u64 count[XS_HISTOGRAM_BUCKETS];
};

/* The bucket a duration belongs to, and the shortest that belongs to one. */
unsigned int xs_histogram_bucket(u64 ns);
u64 xs_histogram_floor(unsigned int bucket);

/**
 * struct xs_stats - the switches of a node so far; written under its lock
 * @switches: switches there was something to do for
 * @failures: of those, which the backend refused
 * @transactions: firmware transactions
 * @flips: queues that went on or off the hardware
 * @total: from the first look at what is pending to the end of a switch
 * @lock: waiting for the driver's queue manager, in switches that succeeded
 * @unmap: until the firmware confirmed that waves are saved, likewise, where it
 *	had something to do
 * @map: writing the new runlist, likewise
 * @back: from the ring of a process that was parked until its queues were back
 */
struct xs_stats {
	u64 switches;
	u64 failures;
	u64 transactions;
	u64 flips;
	struct xs_histogram total;
	struct xs_histogram lock;
	struct xs_histogram unmap;
	struct xs_histogram map;
	struct xs_histogram back;
};

/* Account for one switch. The caller has the node's lock; readers need none. */
void xs_stats_switch(struct xs_stats *stats,
		     const struct kfd_xsched_node_result *result);

/* The same for a return of processes that were parked, which took so long. */
void xs_stats_return(struct xs_stats *stats, u64 ns);

/* ---- when nothing is held any more: model/breaker.c ----------------------- */

/*
 * A preemption that the firmware does not answer ends in a reset, which costs all
 * processes their work that are on nodes that are reset together. If that is nobody's
 * fault, each further preemption is likely to do the same. Administrators may choose
 * other numbers.
 */
#define XS_BREAKER_FAILURES	1
#define XS_BREAKER_FAILURES_MAX	16
#define XS_BREAKER_WINDOW_S	3600
#define XS_BREAKER_WINDOW_S_MIN	1
#define XS_BREAKER_WINDOW_S_MAX	604800

/* Whose fault it was, if nobody can be named. */
#define XS_NOBODY	INVALID_UID

/**
 * struct xs_failure - a preemption that failed
 * @user: because a queue of his did not save; or XS_NOBODY
 * @ns: when, CLOCK_MONOTONIC
 */
struct xs_failure {
	kuid_t user;
	u64 ns;
};

/**
 * struct xs_breaker - stops preemptions where they fail; under xs_lock unless said
 *	otherwise
 * @limit: how many that are nobody's fault open it within @window_s; 0: nothing does.
 *	Without a lock
 * @window_s: seconds; likewise
 * @failed: preemptions that failed; the oldest is overwritten
 * @failures: how many failed since it was closed
 * @open_ns: when it opened, CLOCK_MONOTONIC; 0: it is closed. Read without a lock
 * @openings: how often it opened; likewise
 */
struct xs_breaker {
	u32 limit;
	u32 window_s;
	struct xs_failure failed[XS_BREAKER_FAILURES_MAX];
	u64 failures;
	u64 open_ns;
	u64 openings;
};

void xs_breaker_init(struct xs_breaker *breaker);

/* A preemption failed. Whether that opened it. */
bool xs_breaker_fail(struct xs_breaker *breaker, kuid_t user, u64 now);

/* How many failed within the window that ends now; no more than @failed can hold. */
u32 xs_breaker_recent(const struct xs_breaker *breaker, u64 now);

/* The window, nanoseconds. */
u64 xs_breaker_window_ns(const struct xs_breaker *breaker);

/* Close it, and forget all failures. Whether it was open. */
bool xs_breaker_close(struct xs_breaker *breaker);

/**
 * struct xs_domain - what is reset together: a GPU, or those of an XGMI hive
 * @refs: one of each of its nodes
 * @breaker: see there
 */
struct xs_domain {
	refcount_t refs;
	struct xs_breaker breaker;
};

/* ---- waves in flight: watch/waves.c --------------------------------------- */

/* Share of one CPU's time that counts of a node may take. */
#define XS_WAVES_PERCENT	10
#define XS_WAVES_PERCENT_MAX	50

/**
 * struct xs_wave_counts - counts of waves on a node; under @lock unless said otherwise
 * @work: counts
 * @lock: nothing is waited for under it
 * @counting: @work is queued, or goes on
 * @begun_ns: when the last count began; 0: there was none
 * @error: 0, or -errno: it failed
 * @last: what it found
 * @next: filled by @work; without the lock
 * @rest_ns: no count begins before
 * @counts: how many there were
 */
struct xs_wave_counts {
	struct kthread_work work;
	spinlock_t lock;	/* nothing is waited for under it */
	bool counting;
	u64 begun_ns;
	int error;
	struct xs_hw_waves last;
	struct xs_hw_waves next;
	u64 rest_ns;
	u64 counts;
};

/* That share, as an administrator has set it; 0: waves are not counted. Without a lock. */
u32 xs_node_waves_percent(void);
void xs_node_set_waves_percent(u32 percent);

/* ---- nodes --------------------------------------------------------------- */

/* Grace of an UNMAP that asks for the default, until an administrator sets another one. */
#define XS_DEFAULT_GRACE_US	30

/**
 * struct xs_node - a GPU node; under xs_lock unless said otherwise
 * @in_nodes: in the list of all; changed under xs_lock and xs_nodes_lock
 * @number: its position there, never used again
 * @hw: the driver's handle; not to be used once @gone
 * @desc: what the driver says of it; never changes
 * @refs: one of the driver's, until it removes the node; one of each pdd and part
 * @gone: the driver has removed it: it is in no list, and no transaction is sent
 * @queues: by xs_queue.in_node
 * @queue_count: how many
 * @pending: pdds with queues of which what is asked for may differ from what is applied, by
 *	xs_pdd.in_pending
 * @parking: pdds of processes that leave with the next transaction, likewise
 * @park_due_ns: when there is one for these alone
 * @woken: a process that rang is to come back there, and its worker is not kicked yet
 * @lock: held across a transaction; taken before xs_lock
 * @in_flight: queues in the transaction that goes on
 * @going: it concerns a process that is about to be parked; under @lock
 * @back_ns: from when on the first of those has been waiting whom it brings back, or 0;
 *	likewise
 * @worker: runs parts of batches, @settle, @retry, @ring and @ask; none once @gone
 * @settle: switches what is pending: see switch/transact.c
 * @kicked: counts how often @settle was asked for
 * @done: what of that @settle has tried; without a lock
 * @quiet: woken when @done changes
 * @retry: as @settle, later
 * @retries: how many of these were begun since a transaction succeeded or a reset was
 *	done; under the lock of that list
 * @ring: looks at doorbells that rang: see watch/sampler.c
 * @asked: queues of which the watchdog wants to know whether waves are saved, by
 *	xs_queue.in_asked
 * @ask: has the driver say so: see front/watchdog.c
 * @waves: what is known of waves in flight
 * @save_ns: how long the last preemption took to save waves; without a lock
 * @restore_ns: how long a restore takes, as far as it was seen; under sampler.lock, read
 *	without
 * @return_ns: how long the node stood for a return of parked processes; without a lock
 * @park_ms: from when on processes are parked that have no work; 0: never. Without a lock
 * @park_batch_ms: how long those wait in @parking; likewise
 * @parks: how many processes have left; written under xs_lock, read without
 * @returns: how many of them it has brought back; likewise
 * @default_grace_us: of UNMAPs that ask for it; without a lock
 * @failing: its last transaction failed
 * @domain: with which nodes it is reset; once it is in the list
 * @rates: how often it may be preempted, and who has preempted it
 * @stats: what switches cost; written under @lock, read without
 * @dev: its device in /sys, or NULL
 */
struct xs_node {
	struct list_head in_nodes;
	u32 number;
	struct xs_hw_node *hw;
	struct xs_hw_node_desc desc;
	refcount_t refs;
	bool gone;
	struct list_head queues;
	unsigned int queue_count;
	struct list_head pending;
	struct list_head parking;
	u64 park_due_ns;
	bool woken;
	struct rt_mutex lock;	/* held across a transaction */
	unsigned int in_flight;
	bool going;
	u64 back_ns;
	struct kthread_worker *worker;
	struct kthread_work settle;
	u32 kicked;
	u32 done;
	wait_queue_head_t quiet;
	struct kthread_delayed_work retry;
	u32 retries;
	struct kthread_work ring;
	struct list_head asked;
	struct kthread_work ask;
	struct xs_wave_counts waves;
	u64 save_ns;
	u64 restore_ns;
	u64 return_ns;
	u32 park_ms;
	u32 park_batch_ms;
	u64 parks;
	u64 returns;
	u32 default_grace_us;
	bool failing;
	struct xs_domain *domain;
	struct xs_rates rates;
	struct xs_stats stats;
	struct device *dev;
};

/* Whether its breaker is open: nothing is held or prioritised there. */
static inline bool xs_node_is_shut(const struct xs_node *node)
{
	return READ_ONCE(node->domain->breaker.open_ns);
}

/* Bits KFD_XSCHED_CAP_* of what can be done there now. */
u32 xs_node_caps(const struct xs_node *node);

/* Whether queues of the node can be held now. */
bool xs_node_can_hold(const struct xs_node *node);

/*
 * A new node with a worker, whose works the caller has to initialize before it
 * inserts the node. It has one reference, and is the first of its domain, until it is
 * inserted. NULL: no memory.
 */
struct xs_node *xs_node_new(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc);
void xs_node_insert_locked(struct xs_node *node);

/* Take it out of the list: no transaction is sent any more. */
void xs_node_unlink_locked(struct xs_node *node);

/*
 * Stop the worker of a node that is in no list, and wait until nobody uses the
 * driver's handle. Takes as long as a transaction. No lock may be held.
 */
void xs_node_stop(struct xs_node *node);

/* Forget @retry, and wait for all other works of its worker. No lock may be held. */
void xs_node_flush(struct xs_node *node);

struct xs_node *xs_node_find_locked(const struct xs_hw_node *hw);

/* The node that follows @node in the list, or the first if that is NULL, or NULL. */
struct xs_node *xs_node_next_locked(const struct xs_node *node);

/* The next node of the domain; the first after NULL; or NULL. */
struct xs_node *xs_node_next_of_locked(const struct xs_domain *domain,
				       const struct xs_node *node);

/* The first node whose number is above that, with a reference, or NULL. */
struct xs_node *xs_node_above(u32 number);

struct xs_node *xs_node_get(struct xs_node *node);
void xs_node_put(struct xs_node *node);

/* How many nodes there are. */
unsigned int xs_node_count(void);

/* Whether its last transaction failed, and something is left to do there. */
bool xs_node_is_failing_locked(const struct xs_node *node);

/*
 * A transaction failed: have its worker run @retry, each time later. False: that was done
 * too often, and is not any more until a transaction succeeds or a reset is done.
 */
bool xs_node_retry_later(struct xs_node *node);

/*
 * A preemption took so long to save waves; or waves that were saved were seen so long after
 * queues were mapped again.
 */
void xs_node_note_save(struct xs_node *node, u64 ns);
void xs_node_note_restore(struct xs_node *node, u64 ns);

/*
 * How long waves may be on their way back that were saved by the last preemption of the node,
 * or by one that took @save_ns.
 */
u64 xs_node_restore_ns(const struct xs_node *node, u64 save_ns);

/* It stood so long for a return; and what one costs all others, with the restore. */
void xs_node_note_return(struct xs_node *node, u64 ns);
u64 xs_node_return_cost_ns(const struct xs_node *node);

/* One succeeded. */
void xs_node_retry_no_more(struct xs_node *node);

/*
 * A reset of a node begins, or is @done: then @retry runs soon, and all retries begin
 * anew. The node may be unknown. Takes no mutex. Returns its gpu_id, or 0: it is unknown.
 */
u32 xs_node_note_reset(const struct xs_hw_node *hw, bool done);

#endif /* KFD_XSCHED_NODE_H */
