/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much the clients of one user may have, together. See account.c.
 */
#ifndef KFD_XSCHED_ACCOUNT_H
#define KFD_XSCHED_ACCOUNT_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct file;
struct xs_account;

/**
 * enum xs_quota - what is counted
 * @XS_QUOTA_CLIENTS: open files: the watchdog goes through all of them
 * @XS_QUOTA_SUBSCRIPTIONS: clients that subscribed to events: the module checks each of
 *	them for each event, and for each process that may have to be watched
 * @XS_QUOTA_ARMED: armed switches: the module goes through them when a process gets work
 * @XS_QUOTA_ARMED_ENTRIES: entries of all armed switches: the worker of a node stages them
 * @XS_QUOTA_ENTRIES: entries of calls in progress that are ASYNC or have more than
 *	XS_SURE_ENTRIES
 * @XS_QUOTAS: number of kinds
 */
enum xs_quota {
	XS_QUOTA_CLIENTS,
	XS_QUOTA_SUBSCRIPTIONS,
	XS_QUOTA_ARMED,
	XS_QUOTA_ARMED_ENTRIES,
	XS_QUOTA_ENTRIES,
	XS_QUOTAS,
};

/* How many of a kind the clients of one user may have. */
u32 xs_account_limit(enum xs_quota quota);

/*
 * The account of the user that opened the file, with a reference; NULL: the opener has no
 * account and no limits; ERR_PTR(-ENOMEM).
 */
struct xs_account *xs_account_get(const struct file *file);
void xs_account_put(struct xs_account *account);

/*
 * Who pays for what preempts a node, see model/rate.h: the user of an account, which may
 * be NULL; and the one on whose account a client would be that has these credentials.
 */
kuid_t xs_account_payer(const struct xs_account *account);
kuid_t xs_account_payer_of(const struct cred *cred);

/* So many more, or fewer, on an account, which may be NULL. 0 or -EDQUOT. From anywhere. */
int xs_account_charge(struct xs_account *account, enum xs_quota quota, u32 count);
void xs_account_uncharge(struct xs_account *account, enum xs_quota quota, u32 count);

#endif /* KFD_XSCHED_ACCOUNT_H */
