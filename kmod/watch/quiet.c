// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a process has no work at all.
 *
 * A process that is parked runs again only when it rings. So to park one with work would be to
 * lose that, if its program waits for it. What the sampler calls idle does not suffice:
 *
 *	- it says nothing of copy queues, nor of others that are not watched;
 *	- a ring by a GPU is not seen: as a kernel on one node rings, another node may have
 *	  been found idle before;
 *	- where waves are not counted, a kernel that runs for long looks like none.
 *
 * Hence three looks at the indices of all queues. The first is made once all doorbells are
 * gone, the second before the queues leave, the third when they are off, on all nodes. No
 * index may differ from its counterpart, nor from what it was. In the third, nothing of the
 * process can run any more: so there is nothing left that could ring but its threads, and
 * these fault; and what was running is saved now, and the driver knows that.
 *
 * No page is brought in for that. An index that nobody has touched yet, or that was swapped out,
 * says nothing: the process stays, until its program touches it.
 *
 * That the GPU consumes a barrier only when it is met is assumed, as by the sampler.
 */
#include <linux/errno.h>
#include <linux/list.h>

#include "backend.h"
#include "core.h"
#include "model/queue.h"
#include "watch/watch.h"

static bool quiet_look_at_queue_locked(struct xs_queue *queue, bool first)
{
	struct xs_quiet *quiet = &queue->quiet;
	u64 read, write;

	lockdep_assert_held(&xs_lock);

	if (queue->applied == XS_APPLIED_GONE)
		return true;
	if (!xs_look_indices(quiet->read_index, quiet->write_index, &read, &write)) {
		queue->pdd->process->park.unreadable = true;
		return false;
	}
	if (first)
		quiet->written = write;
	return read == write && write == quiet->written;
}

static bool quiet_look_at_pdd_locked(struct xs_pdd *pdd, bool first)
{
	struct xs_queue *queue;
	bool quiet = true;

	lockdep_assert_held(&xs_lock);

	if (pdd->blind || !xs_look_enter(pdd->space))
		return false;
	list_for_each_entry(queue, &pdd->queues, in_pdd)
		quiet = quiet && quiet_look_at_queue_locked(queue, first);
	xs_look_leave(pdd->space);
	return quiet;
}

bool xs_quiet_look_locked(struct xs_process *process, bool first)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	process->park.unreadable = false;
	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!quiet_look_at_pdd_locked(pdd, first))
			return false;
	}
	return true;
}

/* The same as xs_quiet_saved_locked(), of a queue. */
static int quiet_saved_of_queue_locked(const struct xs_queue *queue)
{
	int saved;

	lockdep_assert_held(&xs_lock);

	if (queue->applied == XS_APPLIED_GONE)
		return 0;
	/* One that is pinned may be on its way back: it was to return, and then not any more. */
	if (queue->applied != XS_APPLIED_HELD || queue->pinned)
		return -EINPROGRESS;
	saved = xs_backend->saved(queue->change.hw);
	if (saved == -EBUSY)
		return -EAGAIN;
	return saved && saved != -EOPNOTSUPP;
}

int xs_quiet_saved_locked(struct xs_process *process)
{
	const struct xs_queue *queue;
	const struct xs_pdd *pdd;
	int saved = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		list_for_each_entry(queue, &pdd->queues, in_pdd) {
			saved = quiet_saved_of_queue_locked(queue);
			if (saved)
				return saved;
		}
	}
	return saved;
}
