// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a node when its breaker opens, and how it is closed again.
 * model/breaker.c says when it opens.
 *
 * Holds are dropped as if their holders had released them; what a batch was about to
 * hold fails. Priorities stay, for they preempt nothing. While the breaker is open no
 * hold is staged: so all that is sent to the firmware is to let queues run.
 */
#include <linux/ktime.h>

#include "core.h"
#include "model/node.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"

static void trip_drop_hold_locked(struct xs_request *request)
{
	lockdep_assert_held(&xs_lock);

	if (request->part && request->next.held)
		request->part->shut = true;
	xs_request_drop_hold_locked(request);
}

static void trip_drop_all_locked(struct list_head *requests)
{
	struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(request, requests, in_target)
		trip_drop_hold_locked(request);
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
