/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who pays first when a preemption fails: model/demotion.c. All of it is under xs_lock.
 */
#ifndef KFD_XSCHED_DEMOTION_H
#define KFD_XSCHED_DEMOTION_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct xs_process;

/* How many users are remembered whose programs did not save. */
#define XS_OFFENDERS	64

/**
 * struct xs_offender - a user whose programs did not save
 * @user: who
 * @processes: how many of his processes, also those that are gone
 * @failed_ns: when the last one of these did not for the first time, CLOCK_MONOTONIC; 0:
 *	there is no such user
 * @demoted: all of his processes are demoted, also those to come
 */
struct xs_offender {
	kuid_t user;
	u32 processes;
	u64 failed_ns;
	bool demoted;
};

/*
 * A queue of the process did not save: it is demoted; and so is its user, if another
 * process of his did not save less than @window_ns ago. The pdds concerned are pending.
 */
void xs_demote_locked(struct xs_process *process, u64 now, u64 window_ns);

/* A process is new: it is demoted if its user is. */
void xs_demote_as_user_locked(struct xs_process *process);

/*
 * What that did is forgotten: of a process; of a user and all of his processes; of all.
 * The pdds concerned are pending. -ESRCH: nobody is demoted there.
 */
int xs_pardon_process_locked(struct xs_process *process);
int xs_pardon_user_locked(kuid_t user);
void xs_pardon_all_locked(void);

/* Number @i of the users that are demoted, in no order, or NULL. */
const struct xs_offender *xs_offender_locked(unsigned int i);

#endif /* KFD_XSCHED_DEMOTION_H */
