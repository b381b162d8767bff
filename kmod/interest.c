// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants to know which processes have work: clients that subscribed READY or
 * IDLE, of those they may see, and armed switches, of their triggers. Nobody else
 * is watched: each look costs, and comes before programs.
 */
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include "armed.h"
#include "client.h"
#include "event.h"
#include "interest.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "xsched.h"

struct xs_interest xs_interest_locked(void)
{
	const struct xs_client *client;
	struct xs_interest interest = {};

	lockdep_assert_held(&xs_lock);

	scoped_guard(spinlock, &xs_clients_lock) {
		list_for_each_entry(client, &xs_clients, in_clients) {
			if (!(client->events & XS_EVENTS_ACTIVITY) &&
			    !client->armed_count)
				continue;
			interest.sample_us = min_not_zero(interest.sample_us,
							  client->sample_us ?:
							  xs_sample_period_us());
			interest.settle_us = max(interest.settle_us,
						 client->settle_us);
			interest.no_tap |= client->no_tap;
		}
	}
	return interest;
}

/* As events are: by the credentials the owner had when the queue came. */
static bool sees_any(const struct xs_client *client, const struct xs_process *process)
{
	const struct xs_queue *queue;

	list_for_each_entry(queue, &process->queues, in_process) {
		if (xs_client_sees(client, &queue->owner))
			return true;
	}
	return false;
}

static bool is_subscribed_locked(const struct xs_process *process)
{
	const struct xs_client *client;

	lockdep_assert_held(&xs_clients_lock);

	list_for_each_entry(client, &xs_clients, in_clients) {
		if (client->events & XS_EVENTS_ACTIVITY && sees_any(client, process))
			return true;
	}
	return false;
}

bool xs_interest_in_locked(const struct xs_process *process)
{
	bool subscribed;

	lockdep_assert_held(&xs_lock);

	if (xs_armed_waits_for_locked(process))
		return true;
	scoped_guard(spinlock, &xs_clients_lock)
		subscribed = is_subscribed_locked(process);
	return subscribed;
}
