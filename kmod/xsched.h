/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core of kfd_xsched: what its objects are, and which locks guard them.
 *
 * Objects
 * -------
 *  client	an open file of /dev/kfd_xsched (client.c)
 *  node	a GPU node (node.c); process, queue: as in amdkfd (process.c, queue.c)
 *  claim	what one client wants of one queue: a hold, a priority (state.h)
 *  rule	what one client wants of the queues a process is yet to create
 *  batch	one APPLY on its way (apply.c)
 *
 * A queue is held while at least one claim holds it. A claim on a process is
 * a claim on each of its queues, and a rule. Claims and rules die with their
 * client, their queue or their process, whichever is first.
 *
 * What is wanted (claims) and what the GPU does (struct xs_queue.applied) are
 * kept apart. Only a successful transaction changes the latter. A queue where
 * the two may differ is on its node's list of pending queues; whatever is
 * left there after a failure is tried again by a delayed work, so that no
 * queue stays held by nobody.
 *
 * Locks
 * -----
 * amdkfd's process mutex -> xs_lock -> the sampler's lock -> the backend's
 * locks (amdkfd's queue manager). The spinlocks xs_clients_lock and
 * xs_nodes_lock are innermost.
 *
 *  - xs_lock guards every object and link of the core unless its declaration
 *    says otherwise. It is held across a transaction: that is how
 *    xs_queue_removed() waits for those in flight, and why the nodes of one
 *    APPLY are switched one after another for now.
 *  - Under xs_lock nothing may take an mmap_lock, so nothing is copied from
 *    or to user space: processes come in with their mutex held, which is taken
 *    outside of mmap_lock, and leave from an MMU notifier.
 *  - The sampler takes its own lock only, so a switch on its way does not stop
 *    it. See activity.c.
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
