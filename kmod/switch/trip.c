// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a preemption that failed, whoever asked for it: who is demoted, and what
 * becomes of nodes when their breaker opens, and how it is closed again. model/demotion.c
 * and model/breaker.c say when.
 *
 * Parks end, holds are dropped as if their holders had released them, and what a batch was
 * about to take fails: a hold, a priority, a class. To change the priority of a queue that
 * runs is to preempt its node, just as to hold it. So priorities that are in force stay: to put
 * back those of the applications would be one more preemption, and nobody waits for it.
 * While the breaker is open nothing is taken. All that is sent to the firmware is to let
 * queues run, and what their holders give back, and with that the priority of who is
 * demoted; and a new queue of a process that has a priority gets that, when its creation
 * has just preempted the node.
 */
#include <linux/ktime.h>

#include "core.h"
#include "model/demotion.h"
#include "model/node.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "switch/switch.h"

/* A retry may be sooner than the part, and sends what is asked for by then. */
static void trip_drop_request_locked(struct xs_request *request)
{
	const bool sets = xs_terms_sets(&request->now, &request->next);

	lockdep_assert_held(&xs_lock);

	if (request->part && (request->next.held || sets))
		request->part->shut = true;
	xs_request_withdraw_locked(request, request->part && sets);
}

static void trip_drop_all_locked(struct hlist_head *requests)
{
	struct xs_request *request;
	struct hlist_node *next;

	lockdep_assert_held(&xs_lock);

	hlist_for_each_entry_safe(request, next, requests, in_target)
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
		xs_process_unpark_locked(queue->pdd->process, XS_UNPARK_BREAKER, ktime_get_ns());
		trip_drop_all_locked(&queue->requests);
		trip_drop_all_locked(&queue->pdd->requests);
		if (!trip_can_hold_locked(queue->pdd->process))
			trip_drop_all_locked(&queue->pdd->process->requests);
	}
}

static void trip_open_locked(struct xs_domain *domain)
{
	struct xs_node *node = NULL;

	lockdep_assert_held(&xs_lock);

	while ((node = xs_node_next_of_locked(domain, node))) {
		trip_drop_holds_locked(node);
		xs_news->breaker(node);
	}
}

/* Not at once: the driver is about to reset something. */
static void trip_settle_later_locked(void)
{
	struct xs_node *node = NULL;

	lockdep_assert_held(&xs_lock);

	while ((node = xs_node_next_locked(node))) {
		if (!list_empty(&node->pending))
			xs_transact_later_locked(node);
	}
}

/* It never runs again. */
static void trip_lose_queue_locked(struct xs_queue *queue, u64 now)
{
	lockdep_assert_held(&xs_lock);

	xs_news->held(xs_queue_set_gone_locked(queue, now));
	xs_demote_locked(queue->pdd->process, now,
			 xs_breaker_window_ns(&queue->pdd->node->domain->breaker));
}

void xs_trip_failed_locked(struct xs_node *node, struct xs_queue *queue)
{
	const kuid_t user = queue ? xs_process_user(queue->pdd->process) : XS_NOBODY;
	struct xs_domain *domain = node->domain;
	const u64 now = ktime_get_ns();

	lockdep_assert_held(&xs_lock);

	/* It is reset on each XCC; or the GPU is, as that did not do. */
	if (queue && queue->applied == XS_APPLIED_GONE)
		return;
	if (queue)
		trip_lose_queue_locked(queue, now);
	if (xs_breaker_fail(&domain->breaker, user, now))
		trip_open_locked(domain);
	trip_settle_later_locked();
}

/*
 * Whether a transaction goes on there, or its firmware has yet to answer: then it is asked
 * once more, if retries have ended.
 */
static bool trip_is_busy_locked(struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	if (xs_node_is_failing_locked(node))
		xs_transact_kick_locked(node);
	else if (!xs_is_locked(&node->lock))
		return false;
	return true;
}

static bool trip_is_any_busy_locked(const struct xs_domain *domain)
{
	struct xs_node *node = NULL;
	bool busy = false;

	lockdep_assert_held(&xs_lock);

	while ((node = xs_node_next_of_locked(domain, node)))
		busy |= trip_is_busy_locked(node);
	return busy;
}

int xs_trip_rearm(struct xs_domain *domain)
{
	struct xs_node *node = NULL;

	guard(rt_mutex)(&xs_lock);
	if (trip_is_any_busy_locked(domain))
		return -EBUSY;
	if (!xs_breaker_close(&domain->breaker))
		return 0;
	while ((node = xs_node_next_of_locked(domain, node)))
		xs_news->breaker(node);
	return 0;
}
