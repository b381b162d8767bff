/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Claims: what one client wants of a process on a node, or of one queue there.
 *
 * A claim on a place governs all queues there, also those to come, but for queues
 * where the same client has a claim of their own: that is made when the client
 * names the queue by itself, as a copy. So a process is held by one claim on each
 * node, however many queues it has.
 */
#ifndef KFD_XSCHED_CLAIM_H
#define KFD_XSCHED_CLAIM_H

#include <linux/list.h>
#include <linux/types.h>

#include "place.h"
#include "state.h"
#include "xsched.h"

struct xs_client;
struct xs_queue;

/**
 * struct xs_claim - one client on a place, or on a queue; under xs_lock
 * @in_client: in xs_client.claims
 * @in_target: in xs_place.claims or xs_queue.claims
 * @in_batch: in xs_part.claims or xs_batch.born, or in none
 * @client: whose
 * @place: where
 * @queue: the only one it governs, or NULL
 * @stake: what it wants
 *
 * A claim without terms is kept, not freed: the next switch needs it again.
 */
struct xs_claim {
	struct list_head in_client;
	struct list_head in_target;
	struct hlist_node in_batch;
	struct xs_client *client;
	struct xs_place *place;
	struct xs_queue *queue;
	struct xs_stake stake;
};

/* That of a client in a list by xs_claim.in_target, or NULL. */
static inline struct xs_claim *xs_claim_find(const struct list_head *claims,
					     const struct xs_client *client)
{
	struct xs_claim *claim;

	list_for_each_entry(claim, claims, in_target) {
		if (claim->client == client)
			return claim;
	}
	return NULL;
}

/* The claim of a client on a place, or NULL. */
static inline struct xs_claim *xs_claim_on_place_locked(struct xs_place *place,
							const struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	return xs_claim_find(&place->claims, client);
}

/* The claim of a client on a queue by itself, or NULL. */
struct xs_claim *xs_claim_on_queue_locked(struct xs_queue *queue,
					  const struct xs_client *client);

/* What the claims on a place amount to. */
static inline struct xs_want xs_place_want_locked(const struct xs_place *place)
{
	const struct xs_claim *claim;
	struct xs_want want;

	lockdep_assert_held(&xs_lock);

	xs_want_init(&want);
	list_for_each_entry(claim, &place->claims, in_target)
		xs_want_add(&want, &claim->stake.next);
	return want;
}

/* A new one, without terms, on a place, or on a queue of it. NULL: no memory. */
struct xs_claim *xs_claim_new_locked(struct xs_client *client, struct xs_place *place,
				     struct xs_queue *queue);

/* That on a place; made if there is none. NULL: no memory. */
static inline struct xs_claim *xs_claim_need_on_place_locked(struct xs_place *place,
							     struct xs_client *client)
{
	return xs_claim_on_place_locked(place, client) ?:
		xs_claim_new_locked(client, place, NULL);
}

/*
 * That on a queue by itself; made with the terms of that on its place, which must not
 * be on their way but in the batch that asks. NULL: no memory.
 */
struct xs_claim *xs_claim_need_on_queue_locked(struct xs_queue *queue,
					       struct xs_client *client);

/* Unlink and free a claim; the place is pending afterwards, if it asked for anything. */
void xs_claim_drop_locked(struct xs_claim *claim);

/* The claim that governs a queue for a client, or NULL. */
struct xs_claim *xs_claim_of_queue_locked(struct xs_queue *queue,
					  const struct xs_client *client);

/* Whether it governs a queue of its place. */
bool xs_claim_governs_locked(const struct xs_claim *claim, const struct xs_queue *queue);

/* The next claim that governs the queue, the first after NULL, or NULL. */
struct xs_claim *xs_next_claim_locked(const struct xs_queue *queue, struct xs_claim *claim);

/* The next queue that the claim governs, the first after NULL, or NULL. */
struct xs_queue *xs_next_governed_locked(const struct xs_claim *claim, struct xs_queue *queue);

/* How many there are. */
u32 xs_claim_count_locked(const struct xs_claim *claim);

#endif /* KFD_XSCHED_CLAIM_H */
