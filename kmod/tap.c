// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell tap: who rang.
 *
 * The driver takes the doorbells of an idle process away, and tells of the next
 * ring in the page fault it causes, which is no place to wait in: so all that is
 * done there is to note the site and the time, and to wake who looks at it and
 * decides what is tapped and what is sampled (activity.c).
 *
 * A ring is a hint to look at the indices, and comes late, too: after the site
 * was tapped again, or is sampled anyway. It is looked at all the same.
 */
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "activity.h"
#include "backend.h"
#include "node.h"
#include "process.h"
#include "tap.h"
#include "trace.h"

/* Sites with queues to watch, by process, and those that rang; under tap_lock. */
static DEFINE_HASHTABLE(sites, 8);
static LIST_HEAD(rung);
static u64 rings;
static u64 last_ns;

/* Taken in page faults: nothing is waited for under it. Only workers' are inside. */
static DEFINE_SPINLOCK(tap_lock);

void xs_tap_add(struct xs_site *site)
{
	INIT_LIST_HEAD(&site->in_rung);
	scoped_guard(spinlock, &tap_lock)
		hash_add(sites, &site->by_hw, (unsigned long)site->process->hw);
}

void xs_tap_remove(struct xs_site *site)
{
	scoped_guard(spinlock, &tap_lock) {
		hash_del(&site->by_hw);
		list_del_init(&site->in_rung);
	}
}

struct xs_site *xs_tap_take_rung(u64 *rung_ns)
{
	struct xs_site *site;

	scoped_guard(spinlock, &tap_lock) {
		site = list_first_entry_or_null(&rung, struct xs_site, in_rung);
		if (site) {
			list_del_init(&site->in_rung);
			*rung_ns = site->rung_ns;
		}
	}
	return site;
}

bool xs_tap_any_rung(void)
{
	return !list_empty_careful(&rung);
}

u64 xs_tap_last_ns(void)
{
	return READ_ONCE(last_ns);
}

u64 xs_tap_rings(void)
{
	return READ_ONCE(rings);
}

static struct xs_site *find_locked(const struct xs_hw_process *process,
				   const struct xs_hw_node *node)
{
	struct xs_site *site;

	lockdep_assert_held(&tap_lock);

	hash_for_each_possible(sites, site, by_hw, (unsigned long)process) {
		if (site->process->hw == process && site->node->hw == node)
			return site;
	}
	return NULL;
}

static void ring_locked(struct xs_site *site, u64 now)
{
	lockdep_assert_held(&tap_lock);

	WRITE_ONCE(rings, rings + 1);
	WRITE_ONCE(last_ns, now);
	trace_doorbell(site);
	if (!list_empty(&site->in_rung))
		return;
	site->rung_ns = now;
	list_add_tail(&site->in_rung, &rung);
	/* Without the lock the node might be gone. */
	xs_activity_ring(site->node);
}

void xs_doorbell(struct xs_hw_process *process, struct xs_hw_node *node)
{
	const u64 now = ktime_get_ns();
	struct xs_site *site;

	scoped_guard(spinlock, &tap_lock) {
		site = find_locked(process, node);
		if (site)
			ring_locked(site, now);
	}
}
