/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Taking from a client all it has: by the watchdog, or by an administrator.
 */
#ifndef KFD_XSCHED_EJECT_H
#define KFD_XSCHED_EJECT_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct pid;
struct xs_client;

/* Ejections that are remembered, for administrators. */
#define XS_EJECTIONS	32

/**
 * struct xs_ejection - who was ejected, when and why
 * @client: its number
 * @pid: process that opened it, reference held
 * @comm: name of that process
 * @uid: of whoever opened it
 * @reason: enum kfd_xsched_eject
 * @time_ns: when, CLOCK_MONOTONIC
 * @silent_ns: time since its last sign of life
 * @held: queues it held
 */
struct xs_ejection {
	u64 client;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	u32 reason;
	u64 time_ns;
	u64 silent_ns;
	u32 held;
};

/*
 * Eject a client: what it had is dropped, and the nodes let its queues run,
 * soon after. For good. False: it was ejected before, or is closed.
 */
bool xs_eject_locked(struct xs_client *client, u32 reason);

/*
 * For an administrator: eject the client of that number, or those of a process
 * in the caller's pid namespace; their queues run when this returns. -ESRCH:
 * there is none.
 */
int xs_eject_number(u64 number);
int xs_eject_pid(pid_t nr);

/*
 * Whether clients may hold and prioritise. Disabling ejects those that do;
 * their queues run when this returns.
 */
extern bool xs_disabled;	/* written under xs_lock */

static inline bool xs_enabled(void)
{
	return !READ_ONCE(xs_disabled);
}

void xs_set_enabled(bool enabled);

/* Number @i of the ejections that are remembered, the latest first, or NULL. */
const struct xs_ejection *xs_ejection_locked(unsigned int i);

/* The reason in a word; of KFD_XSCHED_EJECT_NONE: "active". */
const char *xs_eject_word(u32 reason);

/* How often clients were ejected for a reason. */
u64 xs_ejections(u32 reason);

/* When the core goes down. */
void xs_eject_exit(void);

#endif /* KFD_XSCHED_EJECT_H */
