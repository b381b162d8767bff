// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spaces of processes on nodes. See queue.h.
 */
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

static struct xs_pdd *pdd_new_locked(struct xs_space *space, struct xs_node *node,
				     struct xs_birth *birth)
{
	struct xs_pdd *pdd = birth->pdd;

	lockdep_assert_held(&xs_lock);

	birth->pdd = NULL;
	pdd->space = xs_space_get_locked(space);
	pdd->process = space->process;
	pdd->node = xs_node_get(node);
	INIT_LIST_HEAD(&pdd->queues);
	INIT_LIST_HEAD(&pdd->in_pending);
	INIT_LIST_HEAD(&pdd->watch.queues);
	INIT_LIST_HEAD(&pdd->watch.in_sampler);
	INIT_LIST_HEAD(&pdd->watch.in_rung);
	INIT_LIST_HEAD(&pdd->watch.in_woken);
	list_add_tail(&pdd->in_process, &pdd->process->pdds);
	return pdd;
}

struct xs_pdd *xs_pdd_need_locked(struct xs_space *space, struct xs_node *node,
				  struct xs_birth *birth)
{
	lockdep_assert_held(&xs_lock);

	return pdd_find_locked(space, node) ?: pdd_new_locked(space, node, birth);
}

void xs_pdd_asked_locked(const struct xs_pdd *pdd, struct xs_terms *asked)
{
	lockdep_assert_held(&xs_lock);

	xs_terms_init(asked);
	xs_sum_add(&pdd->sum, asked);
	asked->held |= xs_process_is_parked(pdd->process);
}

void xs_pdd_free_locked(struct xs_pdd *pdd)
{
	lockdep_assert_held(&xs_lock);

	WARN_ON_ONCE(!list_empty(&pdd->watch.queues));
	xs_requests_drop_locked(&pdd->requests);
	list_del(&pdd->in_process);
	list_del(&pdd->in_pending);
	xs_node_put(pdd->node);
	xs_space_put_locked(pdd->space);
	kfree(pdd);
}
