// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spaces of processes on nodes. See queue.h.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "core.h"
#include "model/queue.h"
#include "model/request.h"

static struct xs_pdd *pdd_find_locked(const struct xs_space *space, const struct xs_node *node)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &space->process->pdds, in_process) {
		if (pdd->space == space && pdd->node == node)
			return pdd;
	}
	return NULL;
}

static void pdd_drop_requests_locked(struct xs_pdd *pdd)
{
	struct xs_request *request, *next;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry_safe(request, next, &pdd->requests, in_target)
		xs_request_drop_locked(request);
}

/* If a batch changes the request on the process, the driver knows of that already. */
static bool pdd_inherit_locked(struct xs_pdd *pdd, struct xs_request *on_process,
			       struct xs_supply *requests)
{
	struct xs_request *request = xs_request_on_pdd_locked(pdd, on_process->holder, requests);

	lockdep_assert_held(&xs_lock);

	if (!request)
		return false;
	request->now = on_process->now;
	request->next = on_process->next;
	xs_request_mask(pdd, &request->now);
	xs_request_mask(pdd, &request->next);
	request->now.held_ns = ktime_get_ns();
	if (on_process->batch)
		xs_request_take_locked(request, on_process->batch, NULL, &on_process->born);
	return true;
}

static void pdd_inherit_all_locked(struct xs_pdd *pdd, struct xs_supply *requests)
{
	struct xs_request *on_process;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(on_process, &pdd->process->requests, in_target) {
		if (!pdd_inherit_locked(pdd, on_process, requests)) {
			pdd_drop_requests_locked(pdd);
			return;
		}
	}
}

static struct xs_pdd *pdd_new_locked(struct xs_space *space, struct xs_node *node,
				     struct xs_birth *birth)
{
	struct xs_pdd *pdd = birth->pdd;

	lockdep_assert_held(&xs_lock);

	birth->pdd = NULL;
	pdd->space = xs_space_get_locked(space);
	pdd->process = space->process;
	pdd->node = xs_node_get(node);
	INIT_LIST_HEAD(&pdd->in_pending);
	INIT_LIST_HEAD(&pdd->queues);
	INIT_LIST_HEAD(&pdd->requests);
	INIT_LIST_HEAD(&pdd->watch.queues);
	INIT_LIST_HEAD(&pdd->watch.in_sampler);
	INIT_LIST_HEAD(&pdd->watch.in_rung);
	list_add_tail(&pdd->in_process, &pdd->process->pdds);
	pdd_inherit_all_locked(pdd, &birth->requests);
	return pdd;
}

struct xs_pdd *xs_pdd_need_locked(struct xs_space *space, struct xs_node *node,
				  struct xs_birth *birth)
{
	lockdep_assert_held(&xs_lock);

	return pdd_find_locked(space, node) ?: pdd_new_locked(space, node, birth);
}

u32 xs_pdd_wants_locked(const struct xs_space *space, const struct xs_node *node)
{
	lockdep_assert_held(&xs_lock);

	return pdd_find_locked(space, node) ? 0 : list_count_nodes(&space->process->requests);
}

void xs_pdd_free_locked(struct xs_pdd *pdd)
{
	lockdep_assert_held(&xs_lock);

	WARN_ON_ONCE(!list_empty(&pdd->watch.queues));
	pdd_drop_requests_locked(pdd);
	list_del(&pdd->in_pending);
	list_del(&pdd->in_process);
	xs_node_put(pdd->node);
	xs_space_put_locked(pdd->space);
	kfree(pdd);
}

void xs_pdd_set_pending_locked(struct xs_pdd *pdd)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&pdd->in_pending))
		list_add_tail(&pdd->in_pending, &pdd->node->pending);
}

void xs_pdd_demote(const struct xs_pdd *pdd, struct xs_terms *terms)
{
	const u32 caps = pdd->node->desc.caps;

	if (!xs_process_is_demoted(pdd->process))
		return;
	if (caps & KFD_XSCHED_CAP_PRIORITY)
		terms->priority = 0;
	if (caps & KFD_XSCHED_CAP_CLASS)
		terms->prio_class = KFD_XSCHED_CLASS_LOW;
}

void xs_pdd_asked_locked(const struct xs_pdd *pdd, struct xs_terms *asked)
{
	const struct xs_request *request;

	lockdep_assert_held(&xs_lock);

	xs_terms_init(asked);
	list_for_each_entry(request, &pdd->requests, in_target)
		xs_terms_add(asked, &request->next);
	xs_pdd_demote(pdd, asked);
}

void xs_pdd_clear_pending_locked(struct xs_pdd *pdd)
{
	const struct xs_queue *queue;
	struct xs_terms asked;

	lockdep_assert_held(&xs_lock);

	xs_pdd_asked_locked(pdd, &asked);
	list_for_each_entry(queue, &pdd->queues, in_pdd) {
		/* In a transaction, nobody knows yet what will be left to be done. */
		if (queue->pinned || !xs_queue_is_settled_locked(queue, &asked))
			return;
	}
	list_del_init(&pdd->in_pending);
}
