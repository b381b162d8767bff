// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: what one client wants of a process on a node, or of one queue there.
 * See claim.h.
 */
#include <linux/slab.h>

#include "claim.h"
#include "client.h"
#include "place.h"
#include "queue.h"
#include "trace.h"
#include "xsched.h"

struct xs_claim *xs_claim_on_queue_locked(struct xs_queue *queue,
					  const struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	return xs_claim_find(&queue->claims, client);
}

struct xs_claim *xs_claim_new_locked(struct xs_client *client, struct xs_place *place,
				     struct xs_queue *queue)
{
	struct xs_claim *claim = kmalloc(sizeof(*claim), GFP_KERNEL_ACCOUNT);

	if (!claim)
		return NULL;
	claim->client = client;
	claim->place = place;
	claim->queue = queue;
	xs_stake_init(&claim->stake);
	INIT_HLIST_NODE(&claim->in_batch);
	list_add_tail(&claim->in_client, &client->claims);
	list_add_tail(&claim->in_target, queue ? &queue->claims : &place->claims);
	return claim;
}

struct xs_claim *xs_claim_need_on_queue_locked(struct xs_queue *queue,
					       struct xs_client *client)
{
	const struct xs_claim *on_place = xs_claim_on_place_locked(queue->place, client);
	struct xs_claim *claim = xs_claim_on_queue_locked(queue, client);

	if (claim)
		return claim;
	claim = xs_claim_new_locked(client, queue->place, queue);
	if (!claim)
		return NULL;
	queue->place->own_claims++;
	if (on_place) {
		claim->stake = on_place->stake;
		claim->stake.batch = NULL;
	}
	return claim;
}

void xs_claim_drop_locked(struct xs_claim *claim)
{
	struct xs_queue *queue = NULL;

	lockdep_assert_held(&xs_lock);

	if (claim->stake.now.held && trace_release_enabled()) {
		while ((queue = xs_next_governed_locked(claim, queue)))
			trace_release(claim->client, queue);
	}
	if (claim->queue)
		claim->place->own_claims--;
	list_del(&claim->in_client);
	list_del(&claim->in_target);
	hlist_del_init(&claim->in_batch);
	/* Of one that asks for nothing nobody need be told. */
	if (xs_stake_any(&claim->stake))
		xs_place_set_pending_locked(claim->place);
	kfree(claim);
}

struct xs_claim *xs_claim_of_queue_locked(struct xs_queue *queue,
					  const struct xs_client *client)
{
	return xs_claim_on_queue_locked(queue, client) ?:
		xs_claim_on_place_locked(queue->place, client);
}

bool xs_claim_governs_locked(const struct xs_claim *claim, const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	if (claim->queue)
		return claim->queue == queue;
	return !xs_claim_find(&queue->claims, claim->client);
}

struct xs_claim *xs_next_claim_locked(const struct xs_queue *queue, struct xs_claim *claim)
{
	const struct list_head *own = &queue->claims, *shared = &queue->place->claims;
	const struct list_head *at = claim ? claim->in_target.next : own->next;

	lockdep_assert_held(&xs_lock);

	if (at == own)
		at = shared->next;
	for (; at != shared; at = at->next) {
		claim = list_entry(at, struct xs_claim, in_target);
		if (xs_claim_governs_locked(claim, queue))
			return claim;
	}
	return NULL;
}

struct xs_queue *xs_next_governed_locked(const struct xs_claim *claim, struct xs_queue *queue)
{
	struct list_head *queues = &claim->place->queues;
	struct list_head *at = queue ? queue->in_place.next : queues->next;

	for (; at != queues; at = at->next) {
		queue = list_entry(at, struct xs_queue, in_place);
		if (xs_claim_governs_locked(claim, queue))
			return queue;
	}
	return NULL;
}

u32 xs_claim_count_locked(const struct xs_claim *claim)
{
	struct xs_queue *queue = NULL;
	u32 count = 0;

	while ((queue = xs_next_governed_locked(claim, queue)))
		count++;
	return count;
}
