/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much the clients of one user may have, together. See account.c.
 */
#ifndef KFD_XSCHED_ACCOUNT_H
#define KFD_XSCHED_ACCOUNT_H

#include <linux/types.h>

struct file;
struct xs_account;

/**
 * enum xs_quota - what is counted
 * @XS_QUOTA_CLIENTS: open files: each sign of silence is looked for in all of them
 * @XS_QUOTA_SUBSCRIPTIONS: clients that subscribed to events: each event, and what is
 *	watched, is decided for each
 * @XS_QUOTA_ARMED: armed switches: they are gone through whenever anybody gets work
 * @XS_QUOTA_ARMED_ENTRIES: entries of all these: they are staged in the worker of a node
 * @XS_QUOTA_ENTRIES: entries of calls on their way that are ASYNC or have many
 * @XS_QUOTAS: how many there are
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
 * The account of whoever opened the file, with a reference; NULL: he has none, and no
 * limits; ERR_PTR(-ENOMEM).
 */
struct xs_account *xs_account_get(const struct file *file);
void xs_account_put(struct xs_account *account);

/* So many more, or fewer, on an account, which may be NULL. 0 or -EDQUOT. From anywhere. */
int xs_account_charge(struct xs_account *account, enum xs_quota quota, u32 count);
void xs_account_uncharge(struct xs_account *account, enum xs_quota quota, u32 count);

#endif /* KFD_XSCHED_ACCOUNT_H */
