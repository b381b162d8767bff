// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes are watched: those that a client that subscribed READY or IDLE may
 * see, and triggers of armed switches. No other process is watched: each look costs,
 * and comes before programs.
 */
#include <linux/minmax.h>

#include "core.h"
#include "model/queue.h"
#include "model/request.h"
#include "watch/watch.h"

/* By xs_interest.in_interests; under xs_lock. */
static LIST_HEAD(interest_list);
static u32 interest_period_us = XS_SAMPLE_PERIOD_US;

u32 xs_interest_period_us(void)
{
	return READ_ONCE(interest_period_us);
}

void xs_interest_set_period_us(u32 us)
{
	WRITE_ONCE(interest_period_us, us);
}

void xs_interest_add_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&interest->in_interests))
		list_add_tail(&interest->in_interests, &interest_list);
}

void xs_interest_del_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	list_del_init(&interest->in_interests);
}

void xs_interest_clear_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	interest->all = false;
	interest->sample_us = 0;
	interest->settle_us = 0;
	interest->no_tap = false;
}

/* One timer serves all clients: one that has limits may not make it faster. */
static u32 interest_sample_us(const struct xs_interest *interest)
{
	const u32 usual = xs_interest_period_us();

	if (!interest->sample_us)
		return usual;
	return interest->limited ? max(interest->sample_us, usual) : interest->sample_us;
}

u32 xs_interest_sample_us_locked(void)
{
	const struct xs_interest *interest;
	u32 sample_us = 0;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(interest, &interest_list, in_interests) {
		if (interest->all || interest->armed)
			sample_us = min_not_zero(sample_us, interest_sample_us(interest));
	}
	return sample_us;
}

/*
 * As for events, the credentials that the owner had when the queue was created decide.
 * Mostly they are those of the queue before, and are not checked again.
 */
static bool interest_sees_any_locked(const struct xs_interest *interest,
				     const struct xs_process *process)
{
	struct xs_owner seen = {};
	const struct xs_queue *queue;
	const struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		list_for_each_entry(queue, &pdd->queues, in_pdd) {
			if (queue->owner.cred == seen.cred &&
			    queue->owner.dumpable == seen.dumpable)
				continue;
			if (xs_owner_shows(&queue->owner, interest->file))
				return true;
			seen = queue->owner;
		}
	}
	return false;
}

struct xs_interest xs_interest_in_locked(const struct xs_process *process)
{
	struct xs_interest sum = { .all = xs_trigger_any_locked(process) };
	const struct xs_interest *interest;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(interest, &interest_list, in_interests) {
		if (!interest->all || !interest_sees_any_locked(interest, process))
			continue;
		sum.all = true;
		sum.settle_us = max(sum.settle_us, interest->settle_us);
		sum.no_tap |= interest->no_tap;
	}
	return sum;
}
