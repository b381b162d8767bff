/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core of kfd_xsched: what its objects are, and which locks guard them.
 *
 * Objects
 * -------
 *  client	an open file of /dev/kfd_xsched (client.c)
 *  node	a GPU node (node.c); process, queue: as in amdkfd (process.c, queue.c)
 *  place	a process on a node, with its queues there (place.c)
 *  claim	what one client wants of a place, or of one queue: a hold, a priority
 *		(claim.c)
 *  rule	what one client wants of a process on nodes where it has no place yet
 *  tenant	processes a client names as one (tenant.c)
 *  batch	changes that were checked together, on their way (batch.c)
 *  part	what a batch does on one node
 *  change	what a transaction asks of the backend, of one queue or of all of a
 *		place (change.c)
 *
 * A queue is held while at least one claim that governs it holds: those on its
 * place do, but for a client that has one on the queue by itself. What is asked of
 * a process is a claim on each of its places, and a rule; of a tenant, that of each
 * of its processes, kept for those that are added. Claims and rules die with their
 * client, with what they are on, or with their process, whichever is first.
 *
 * What is wanted (claims) and what the GPU does (struct xs_standing) are kept
 * apart. Only a successful transaction changes the latter. It is kept once for
 * all queues of a place while they stand alike (xs_place.shared). A place where
 * the two may differ is on its node's list of pending places; whatever is
 * left there after a failure is tried again by the node's worker, so that no
 * queue stays held by nobody.
 *
 * A switch
 * --------
 *  1. Under xs_lock all of it is checked and staged: each claim, rule and tenant
 *     it changes gets its coming terms (struct xs_stake). Nobody else may change
 *     them until the batch is over; of two batches of one client that meet
 *     there, the second waits.
 *  2. Without xs_lock the parts run at once, one in the caller, the others in
 *     the workers of their nodes. Under its node's lock a part plans changes for
 *     pending places, whose queues are in flight then, in one transaction with all
 *     that is pending there, whoever asked for it.
 *  3. As each part ends, under both locks, its claims come into force, or fall
 *     back to what they were. Rules and tenants follow with the last part.
 *
 * So a node that does not answer holds up those who name its queues, and the
 * removal of a queue that is in flight there, and nobody else.
 *
 * Locks
 * -----
 * amdkfd's process mutex -> xs_node.lock -> xs_lock -> the sampler's lock. The
 * spinlocks xs_clients_lock and xs_nodes_lock are innermost. The locks of
 * amdkfd's queue managers are taken under xs_node.lock, but not under xs_lock.
 *
 *  - xs_node.lock is held across a transaction of that node. Two of them are
 *    never held at once.
 *  - xs_lock guards every object and link of the core unless its declaration
 *    says otherwise. It is held for moments: no firmware is waited for, and of
 *    the backend only what waits for nothing is called.
 *  - Under either nothing may take an mmap_lock, so nothing is copied from
 *    or to user space: processes come in with their mutex held, which is taken
 *    outside of mmap_lock, and leave from an MMU notifier.
 *  - The sampler takes its own lock only, and the tap's spinlock under it, so a
 *    switch on its way does not stop it. See activity.c and tap.c.
 */
#ifndef KFD_XSCHED_XSCHED_H
#define KFD_XSCHED_XSCHED_H

#include <linux/mutex.h>

struct miscdevice;
struct xs_backend_ops;

extern struct mutex xs_lock;

/* The driver below. Set while the core runs. */
extern const struct xs_backend_ops *xs_backend;

/* The device node, for whoever must know its number. */
extern struct miscdevice xs_device;

/*
 * Bring the core up on a driver, with the device node last: the first client
 * finds what existed before. 0 or -errno.
 */
int xs_core_start(const struct xs_backend_ops *backend);

/* Take it down. There must be no client left (the file pins the module). */
void xs_core_stop(void);

#endif /* KFD_XSCHED_XSCHED_H */
