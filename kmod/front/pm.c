// SPDX-License-Identifier: GPL-2.0-only
/*
 * System suspend and hibernation.
 *
 * Holds, priorities and armed switches survive. amdkfd takes all queues off for a
 * reason of its own, and afterwards brings back those against which there is no
 * other; a switch meanwhile only changes what that will be.
 *
 * Programs are frozen long before the GPU sleeps and go on long after it woke, so
 * that no client can give a sign of life, for seconds: that is no silence. The
 * watchdog stands still until all is over; then every lease begins anew.
 *
 * Of runtime PM nothing need be known: amdkfd keeps a GPU awake while a process
 * uses it, held or not, and without one there is nothing to switch.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "front/front.h"

int xs_pm_event(unsigned long event)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		xs_watchdog_pause();
		return NOTIFY_OK;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		xs_watchdog_resume();
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static int pm_notified(struct notifier_block *block, unsigned long event, void *unused)
{
	return xs_pm_event(event);
}

static struct notifier_block pm_notifier = { .notifier_call = pm_notified };

int xs_pm_init(void)
{
	return register_pm_notifier(&pm_notifier);
}

void xs_pm_exit(void)
{
	unregister_pm_notifier(&pm_notifier);
}
