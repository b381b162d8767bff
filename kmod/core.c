// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all floors share. See core.h.
 */
#include <linux/gfp.h>
#include <linux/sched/mm.h>

#include "core.h"

DEFINE_RT_MUTEX(xs_lock);	/* all objects and lists: see core.h */
const struct xs_backend_ops *xs_backend;
const struct xs_news *xs_news;

void xs_never_reclaim_under(struct rt_mutex *lock)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(lock);
	fs_reclaim_release(GFP_KERNEL);
}
