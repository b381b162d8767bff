/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kfd_xsched: its floors, its objects, its locks, and what all floors share.
 *
 * Floors
 * ------
 * A directory is a floor. Its files include and call files of their own floor
 * and of floors below, and nothing above; scripts/check/structure proves it.
 *
 *	front/		what programs and administrators use, and what the driver
 *			reports: ioctls, events, /sys, clients, armed switches
 *	switch/		from an entry of an APPLY to a transaction on a node
 *	watch/		which queues have work
 *	model/		the objects
 *	kmod/		backend.h and kfd.c: the driver; trace.h, core.h
 *
 * switch/ and watch/ are beside each other: neither uses the other. What a lower
 * floor has to report goes up through one table, struct xs_news.
 *
 * Objects
 * -------
 *	node		a GPU node, as amdkfd has it (model/node.h)
 *	process		a process that has user queues (model/process.h)
 *	space		an address space of a process, with all it has on GPUs: what
 *			amdkfd calls a process. Mostly there is one (model/process.h)
 *	pdd		a space on a node, as amdkfd calls it (model/queue.h)
 *	queue		a user queue (model/queue.h)
 *	holder		what can have requests: a client, an armed switch, or
 *			the priority files in /sys (model/request.h)
 *	request		what a holder asks of a queue, of a process or of a tenant: its
 *			terms, in force and on their way (model/request.h)
 *	sum		what all requests on a queue ask for together (model/request.h)
 *	terms		a hold, a priority, a class (model/state.h)
 *	tenant		processes that a client names as one (model/request.h)
 *	batch		requests that change together (switch/switch.h)
 *	part		what a batch does on one node
 *	item		an entry of an APPLY while it is staged
 *	change		what a transaction does to one queue (backend.h)
 *	look		one reading of a queue: has it work? (watch/watch.h)
 *	round		a look at all that is not tapped; what has a turn in it waits for a
 *			slice of others (watch/sampler.c)
 *	tap		a process's doorbells are taken away until it rings
 *	interest	that a client wants to know which queues have work
 *	review		of a process: which interests may see it (watch/interest.c)
 *	client		an open file of /dev/kfd_xsched (front/client.h)
 *	ring		the events a client has not read yet (front/client.h)
 *	account		what the clients of one user have, which is limited; and the
 *			share of it that is of one cgroup (model/account.h)
 *	bucket		how often a user has preempted a node of late (model/rate.h)
 *	armed switch	an APPLY that the kernel runs by itself (front/front.h)
 *	park		a process without work leaves the hardware until it rings (model/park.h)
 *	wish		from when on a client wants a process to be parked (model/park.h)
 *	domain		nodes that are reset together (model/node.h)
 *	breaker		ends all holds of a domain where preemptions fail (model/node.h)
 *	offender	a user whose programs did not save; such programs, and then he,
 *			are demoted (model/demotion.h)
 *	lease		the time until a silent client is ejected (front/front.h)
 *
 * A queue is held while at least one request on it asks for a hold. What a holder asks of
 * a process it asks of each of its queues; the request on the process is for those that
 * come later, as one on a tenant is for processes that join later. A request is there
 * while it asks for something. It ends with its holder or with its target, whichever is
 * first.
 *
 * What many clients ask for costs others nothing: each queue keeps the sum of all requests
 * on it, and there are few on any target.
 *
 * What is asked for (requests) and what the GPU does (xs_queue.applied) are kept
 * apart. Only a transaction that succeeded changes the latter. A queue where the
 * two may differ is on its node's list of pending ones. What is left there after
 * a failure is tried again by the node's worker, so that no queue stays held
 * when nobody asks for it: some times, and then only once the GPU was reset.
 *
 * A switch
 * --------
 *  1. Under xs_lock, all of it is checked and staged: each request that changes
 *     gets its next terms, which count once the batch is started. No other batch can
 *     change that request until this one is over. If two batches of a holder meet at
 *     a request, the second waits.
 *  2. Without xs_lock, the parts run at the same time: one in the caller, the
 *     others in the workers of their nodes. Under its node's lock, a part plans
 *     a change for each pending queue that differs, and has the driver
 *     apply them in one transaction, also for other holders.
 *  3. As each part ends, under both locks, its requests come into force, or fall
 *     back to what they were. Requests on processes and tenants follow with the
 *     last part.
 *
 * So a node that does not answer delays only calls that name its queues, and the
 * removal of a queue that is in a transaction there.
 *
 * A park
 * ------
 *  1. All pdds of a process are tapped: the next ring on any of them faults. It is watched
 *     because it may be parked (watch/interest.c), so this costs no look more.
 *  2. Two looks at the indices of all its queues, copy queues among them, find nothing in
 *     the idle time between them (watch/quiet.c): it is GOING, unless one of its doorbells
 *     has just rung, which tap_lock decides. Its pdds wait in the lists of their nodes for a
 *     transaction that is made anyway, or for their time.
 *  3. When its queues are off, on all nodes, a third look at the indices, and at what was
 *     saved, proves that there was no work: it is PARKED. Else it comes back.
 *  4. A ring, in its fault, puts the process in a list, and wakes the sampler's worker, which
 *     waits for no node. Under xs_lock that ends the park: the queues of all nodes are
 *     pending at one moment. Then it is looked at, and an armed switch may take them along;
 *     soon after, the workers of the nodes switch what is left. The thread that rang does
 *     not wait: its write index is in memory, and is read when its queue is mapped.
 *
 * So there is always a fault that ends a park; whatever takes taps away ends it, too. The
 * end of the module is no exception: amdkfd drops what it had asked for.
 *
 * Locks
 * -----
 * In the order in which they are taken:
 *
 *	amdkfd's mutex of a process
 *	xs_node.lock	one transaction of a node at a time; held while the driver
 *			waits for the firmware. Two of them are never held at once.
 *	xs_lock		all objects and lists, unless their declaration says
 *			otherwise. It is held for moments: of the driver, only what
 *			does not wait is called.
 *	sampler.lock	what watch/ keeps of pdds and queues. Likewise.
 *	spinlocks	xs_clients_lock (events), xs_nodes_lock (the list of nodes),
 *			account_lock (accounts), tap_lock (page faults). Nothing is taken
 *			inside them, except locks of workers and of xarrays.
 *
 * The driver takes the lock of a queue manager under xs_node.lock, and may take xs_lock
 * under that, to report a preemption that failed; never the other way round. Under
 * xs_node.lock and xs_lock nothing may take an mmap_lock, so nothing is copied from or to
 * user space there: a process is added with its mutex held, which is taken outside of
 * mmap_lock, and it goes in an MMU notifier.
 *
 * These three are real-time mutexes: whoever holds one runs with the priority of who waits
 * for it. So no user's programs, of however low a priority, keep a real-time scheduler waiting
 * for longer than they hold a lock.
 *
 * Nor is there an allocation that waits under xs_lock or sampler.lock: memory may have
 * to wait for an MMU notifier. What may be needed is made before, and what was not needed
 * is freed afterwards. A run of an armed switch, which comes under xs_lock, takes what is
 * free at once.
 *
 * The suffix _locked means: with xs_lock held; or with the lock that the first comment
 * of the file names.
 */
#ifndef KFD_XSCHED_CORE_H
#define KFD_XSCHED_CORE_H

#include <linux/lockdep.h>
#include <linux/rtmutex.h>
#include <linux/types.h>

#include "compat.h"

struct xs_backend_ops;
struct xs_batch;
struct xs_hw_node;
struct xs_hw_node_desc;
struct xs_hw_process;
struct xs_hw_queue;
struct xs_hw_queue_desc;
struct xs_interest;
struct xs_node;
struct xs_process;
struct xs_queue;

extern struct rt_mutex xs_lock;

/*
 * Tell lockdep that memory may have to wait for this lock: reclaim calls MMU notifiers,
 * and in these amdkfd evicts, and processes go. So to wait for memory under it is reported
 * at the first try, on any machine.
 */
void xs_never_reclaim_under(struct rt_mutex *lock);

/* The driver below. Set while the core runs. */
extern const struct xs_backend_ops *xs_backend;

/**
 * struct xs_news - what lower floors report to the front
 * @node_added: the driver has a new node: 0 or -errno. It may sleep, as all of
 *	the driver's but @doorbell
 * @node_removed: the node and its queues must not be used when this returns
 * @node_reset: a reset of the node begins, or is @done; the driver holds its reset
 *	semaphore for writing
 * @queue_added: a process has a new queue: 0 or -errno
 * @queue_removed: the queue must not be used when this returns
 * @queue_changed: its owner has changed the queue, and so may have preempted its node
 * @preempt_failed: a preemption of the node failed, because @queue did not save its waves;
 *	NULL: it is not known which. The driver holds the lock of the queue manager, and
 *	perhaps somebody xs_node.lock. The queue may be unknown
 * @process_exited: the address space of a process goes
 * @doorbell: a process rang that was tapped, or maps its doorbells. Called in a
 *	page fault: it waits for nothing
 * @held: @change queues more are held, or fewer. Called from anywhere
 * @batch_over: the last part of a batch is done; under xs_lock
 * @activity: a queue became KFD_XSCHED_EVENT_READY or _IDLE, and everybody who may
 *	see it is to know; or it is READY already, and @to is to know. Under
 *	sampler.lock
 * @breaker: the breaker of a node opened or was closed, which xs_node_is_shut() tells;
 *	under xs_lock
 * @demoted: a process was demoted, or is not any more, which xs_process_is_demoted()
 *	tells; under xs_lock
 * @edge: some process became READY or IDLE. Called without a lock
 * @tapped: some process was tapped on a node. Called without a lock
 * @parking: a transaction took queues off of processes that are about to be parked, or
 *	failed to. Called from anywhere
 * @unparked: queues of a process that was parked are pending, on some of its nodes, for
 *	a reason of enum xs_unpark; under xs_lock, and perhaps sampler.lock
 * @woken: the rings of those for which that was the reason have been looked at. Called
 *	without a lock
 */
struct xs_news {
	int (*node_added)(struct xs_hw_node *hw, const struct xs_hw_node_desc *desc);
	void (*node_removed)(struct xs_hw_node *hw);
	void (*node_reset)(struct xs_hw_node *hw, bool done);
	int (*queue_added)(struct xs_hw_queue *hw, const struct xs_hw_queue_desc *desc);
	void (*queue_removed)(struct xs_hw_queue *hw);
	void (*queue_changed)(struct xs_hw_queue *hw);
	void (*preempt_failed)(struct xs_hw_node *node, struct xs_hw_queue *queue);
	void (*process_exited)(struct xs_hw_process *hw);
	void (*doorbell)(struct xs_hw_process *process, struct xs_hw_node *node);
	void (*held)(int change);
	void (*batch_over)(struct xs_batch *batch);
	void (*activity)(struct xs_interest *to, const struct xs_queue *queue, u32 type,
			 u64 time_ns);
	void (*breaker)(const struct xs_node *node);
	void (*demoted)(struct xs_process *process);
	void (*edge)(void);
	void (*tapped)(void);
	void (*parking)(void);
	void (*unparked)(struct xs_process *process, u32 why);
	void (*woken)(void);
};

/* Set once, by xs_core_start(). */
extern const struct xs_news *xs_news;

#endif /* KFD_XSCHED_CORE_H */
