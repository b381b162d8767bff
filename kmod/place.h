/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places: a process on a node, with its queues there.
 */
#ifndef KFD_XSCHED_PLACE_H
#define KFD_XSCHED_PLACE_H

#include <linux/list.h>
#include <linux/types.h>

#include "node.h"
#include "state.h"
#include "xsched.h"

struct xs_process;
struct xs_queue;

/**
 * struct xs_place - a process on a node, from its first queue there to its last
 * @process: which
 * @node: where
 * @in_process: in xs_process.places
 * @in_pending: in xs_node.pending, or in none
 * @queues: by xs_queue.in_place
 * @claims: on all of them, by xs_claim.in_target
 * @live: queues that are not XS_APPLIED_GONE
 * @own_claims: claims on queues of it by themselves
 * @shared: its queues stand alike, and none has an override: a hold of all is one change,
 *	and what is known of them is written once, in @common; read by the sampler
 * @common: then, what is known of each queue since they share it
 * @in_flight: a change for all of it is on its way: those that were there when that began
 *	may not be removed; changed under xs_node.lock, too
 */
struct xs_place {
	struct xs_process *process;
	struct xs_node *node;
	struct list_head in_process;
	struct hlist_node in_pending;
	struct list_head queues;
	struct list_head claims;
	u32 live;
	u32 own_claims;
	bool shared;
	struct xs_standing common;
	bool in_flight;
};

/*
 * Put a queue, with its process and its node set, in its place, which is made if
 * need be, with claims as the rules on the process say. 0 or -ENOMEM. A place that
 * has no memory for its claims is nobody's: it must run.
 */
int xs_place_enter_locked(struct xs_queue *queue);

/* Take it out; the place is freed with its last queue, and so are its claims. */
void xs_place_leave_locked(struct xs_queue *queue);

/* Have its queues share what is known of them, if they do not: whether they can. */
bool xs_place_share_locked(struct xs_place *place);

/* They may differ from here on: each gets what is known of it. */
void xs_place_split_locked(struct xs_place *place);

/* What is wanted of its queues may have changed. */
static inline void xs_place_set_pending_locked(struct xs_place *place)
{
	lockdep_assert_held(&xs_lock);

	if (hlist_unhashed(&place->in_pending))
		hlist_add_head(&place->in_pending, &place->node->pending);
}

/* It has not after all, unless something is left to be done. */
void xs_place_clear_pending_locked(struct xs_place *place);

/* Leave of terms what can be asked of the node. */
void xs_place_mask_terms(const struct xs_place *place, struct xs_terms *terms);

#endif /* KFD_XSCHED_PLACE_H */
