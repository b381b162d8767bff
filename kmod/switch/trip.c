// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a node when its breaker opens, and how it is closed again.
 * model/breaker.c says when it opens.
 *
 * Holds are dropped as if their holders had released them, and what a batch was about to
 * take fails: a hold, a priority, a class. To change the priority of a queue that runs is
 * to preempt its node, just as to hold it. So priorities that are in force stay: to put
 * back those of the applications would be one more preemption, and nobody waits for it.
 * While the breaker is open nothing is taken. All that is sent to the firmware is to let
 * queues run, and what their holders give back; and a new queue of a process that has a
 * priority gets that, when its creation has just preempted the node.
 */
#include <linux/ktime.h>

#include "core.h"
#include "model/node.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"

static void trip_drop_request_locked(struct xs_request *request)
{
	const bool sets = xs_terms_sets(&request->now, &request->next);

	lockdep_assert_held(&xs_lock);

	if (request->part && (request->next.held || sets))
		request->part->shut = true;
	/* A retry may be sooner than the part, and sends what is asked for by then. */
	if (request->part && sets)
		xs_terms_copy_overrides(&request->next, &request->now);
	xs_request_drop_hold_locked(request);
}

static void trip_drop_all_locked(struct list_head *requests)
{
	struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(request, requests, in_target)
		trip_drop_request_locked(request);
}

static bool trip_can_hold_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!pdd->node->gone && xs_node_can_hold(pdd->node))
			return true;
	}
	return false;
}

/* New queues of a process that cannot be held anywhere are not born held, either. */
static void trip_drop_holds_locked(struct xs_node *node)
{
	struct xs_queue *queue;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(queue, &node->queues, in_node) {
		trip_drop_all_locked(&queue->requests);
		trip_drop_all_locked(&queue->pdd->requests);
		if (!trip_can_hold_locked(queue->pdd->process))
			trip_drop_all_locked(&queue->pdd->process->requests);
	}
}

void xs_trip_note_locked(struct xs_node *node, int error)
{
	lockdep_assert_held(&xs_lock);

	/* What is refused at once, as during a reset, harms nobody. */
	if (error != -ETIME || !xs_breaker_fail(&node->breaker, ktime_get_ns()))
		return;
	trip_drop_holds_locked(node);
	xs_news->breaker(node);
}

/* Whether its firmware has yet to answer; it is asked once more, if retries have ended. */
static bool trip_hangs_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	if (!node->failing || list_empty(&node->pending))
		return false;
	xs_transact_kick_locked(node);
	return true;
}

int xs_trip_rearm(struct xs_node *node)
{
	int ret = 0;

	if (!mutex_trylock(&node->lock))
		return -EBUSY;
	scoped_guard(mutex, &xs_lock) {
		if (trip_hangs_locked(node))
			ret = -EBUSY;
		else if (xs_breaker_close(&node->breaker))
			xs_news->breaker(node);
	}
	mutex_unlock(&node->lock);
	return ret;
}
