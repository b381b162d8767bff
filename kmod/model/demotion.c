// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who pays first when a preemption fails.
 *
 * A queue that does not save its waves makes everybody on its GPU wait, and perhaps lose
 * their work. That is to buy nothing: its process is demoted, and with the second such
 * process its user. What is demoted has the lowest priority there is, whatever anybody
 * asks for, and its work sets off no armed switch. It is not kept from running.
 *
 * User 0 is not demoted as a whole: most containers run as that, and one of them would
 * pay for another.
 */
#include <linux/errno.h>
#include <linux/list.h>

#include "core.h"
#include "model/demotion.h"
#include "model/process.h"
#include "model/queue.h"

/* In no order; under xs_lock. */
static struct xs_offender offenders[XS_OFFENDERS];

static struct xs_offender *demotion_find_locked(kuid_t user)
{
	struct xs_offender *offender;

	lockdep_assert_held(&xs_lock);

	for (offender = offenders; offender < offenders + XS_OFFENDERS; offender++) {
		if (offender->failed_ns && uid_eq(offender->user, user))
			return offender;
	}
	return NULL;
}

/* In place of whom nothing was heard of for longest; NULL: all are demoted. */
static struct xs_offender *demotion_new_locked(kuid_t user)
{
	struct xs_offender *offender, *oldest = NULL;

	lockdep_assert_held(&xs_lock);

	for (offender = offenders; offender < offenders + XS_OFFENDERS; offender++) {
		if (!offender->demoted &&
		    (!oldest || offender->failed_ns < oldest->failed_ns))
			oldest = offender;
	}
	if (oldest)
		*oldest = (struct xs_offender){ .user = user };
	return oldest;
}

/* One more of his processes. Whether he is demoted for that. */
static bool demotion_note_locked(kuid_t user, u64 now, u64 window_ns)
{
	struct xs_offender *offender =
		demotion_find_locked(user) ?: demotion_new_locked(user);
	bool again;

	lockdep_assert_held(&xs_lock);

	if (!offender)
		return false;
	again = offender->failed_ns && now - offender->failed_ns < window_ns;
	offender->failed_ns = now;
	offender->processes++;
	if (!again || offender->demoted || uid_eq(user, GLOBAL_ROOT_UID))
		return false;
	offender->demoted = true;
	return true;
}

static void demotion_changed_locked(struct xs_process *process)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!xs_pdd_is_gone(pdd))
			xs_pdd_set_pending_locked(pdd);
	}
	xs_news->demoted(process);
}

static void demotion_set_locked(struct xs_process *process, u32 failures, bool with_user)
{
	const bool before = xs_process_is_demoted(process);

	lockdep_assert_held(&xs_lock);

	process->failures = failures;
	process->user_demoted = with_user;
	if (xs_process_is_demoted(process) != before)
		demotion_changed_locked(process);
}

void xs_demote_locked(struct xs_process *process, u64 now, u64 window_ns)
{
	const kuid_t user = xs_process_user(process);
	struct xs_process *other;

	lockdep_assert_held(&xs_lock);

	demotion_set_locked(process, process->failures + 1, process->user_demoted);
	if (process->failures > 1 || !demotion_note_locked(user, now, window_ns))
		return;
	list_for_each_entry(other, &xs_processes, in_processes) {
		if (uid_eq(xs_process_user(other), user))
			demotion_set_locked(other, other->failures, true);
	}
}

void xs_demote_as_user_locked(struct xs_process *process)
{
	const struct xs_offender *offender = demotion_find_locked(xs_process_user(process));

	lockdep_assert_held(&xs_lock);

	demotion_set_locked(process, process->failures, offender && offender->demoted);
}

int xs_pardon_process_locked(struct xs_process *process)
{
	struct xs_offender *offender = demotion_find_locked(xs_process_user(process));

	lockdep_assert_held(&xs_lock);

	if (!process->failures)
		return -ESRCH;
	if (offender && !offender->demoted)
		*offender = (struct xs_offender){};
	demotion_set_locked(process, 0, process->user_demoted);
	return 0;
}

int xs_pardon_user_locked(kuid_t user)
{
	struct xs_offender *offender = demotion_find_locked(user);
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	if (!offender || !offender->demoted)
		return -ESRCH;
	*offender = (struct xs_offender){};
	list_for_each_entry(process, &xs_processes, in_processes) {
		if (uid_eq(xs_process_user(process), user))
			demotion_set_locked(process, 0, false);
	}
	return 0;
}

void xs_pardon_all_locked(void)
{
	struct xs_process *process;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < XS_OFFENDERS; i++)
		offenders[i] = (struct xs_offender){};
	list_for_each_entry(process, &xs_processes, in_processes)
		demotion_set_locked(process, 0, false);
}

const struct xs_offender *xs_offender_locked(unsigned int i)
{
	const struct xs_offender *offender;

	lockdep_assert_held(&xs_lock);

	for (offender = offenders; offender < offenders + XS_OFFENDERS; offender++) {
		if (offender->demoted && !i--)
			return offender;
	}
	return NULL;
}
