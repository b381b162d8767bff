/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much the clients of one user may have, together. See account.c.
 */
#ifndef KFD_XSCHED_ACCOUNT_H
#define KFD_XSCHED_ACCOUNT_H

#include <linux/seq_file.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "model/rate.h"

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
 * @XS_QUOTA_REQUESTS: requests, also those without terms: holders keep them in memory, and
 *	the module goes through those on a process or on a queue
 * @XS_QUOTA_TENANTS: tenants, until they are freed: memory
 * @XS_QUOTA_RINGS: clients that have a ring of events, for a subscription or for ASYNC
 *	calls, until they are closed: memory
 * @XS_QUOTAS: number of kinds
 */
enum xs_quota {
	XS_QUOTA_CLIENTS,
	XS_QUOTA_SUBSCRIPTIONS,
	XS_QUOTA_ARMED,
	XS_QUOTA_ARMED_ENTRIES,
	XS_QUOTA_ENTRIES,
	XS_QUOTA_REQUESTS,
	XS_QUOTA_TENANTS,
	XS_QUOTA_RINGS,
	XS_QUOTAS,
};

/*
 * The user to whom that counts: the effective one. The owner of a user namespace can use
 * many uids in it; so in that namespace, and in those below it, it is the owner.
 */
kuid_t xs_user_of(const struct cred *cred);

/*
 * A kind in a word; how many of it the clients of one user may have; and those of uid 0
 * that are in one cgroup.
 */
const char *xs_account_quota_name(enum xs_quota quota);
u32 xs_account_limit(enum xs_quota quota);
u32 xs_account_root_limit(enum xs_quota quota);

/*
 * The account of the caller, who opens the file: the share of his cgroup in that of his
 * user, with a reference. It stays so, wherever the file goes. NULL: the opener has no
 * account and no limits; ERR_PTR(-ENOMEM).
 */
struct xs_account *xs_account_get(const struct file *file);
void xs_account_put(struct xs_account *account);

/* The share of a cgroup in the account of a user, likewise. */
struct xs_account *xs_account_get_share(kuid_t uid, u64 cgroup);

/*
 * Who pays for what preempts a node, see model/rate.h: that of an account, which may be NULL;
 * and the one on whose account a client would be that current opens with these credentials.
 */
struct xs_payer xs_account_payer(const struct xs_account *account);
struct xs_payer xs_account_payer_of(const struct cred *cred);

/*
 * So many more, or fewer, on an account, which may be NULL. 0; or -EDQUOT, and nothing is
 * changed. With any locks of the module held, but not in an interrupt.
 */
int xs_account_charge(struct xs_account *account, enum xs_quota quota, u32 count);
void xs_account_uncharge(struct xs_account *account, enum xs_quota quota, u32 count);

/*
 * A file with a line for each user, and after it one for each of his shares. What is read
 * at once, some lines, is of one moment.
 */
extern const struct seq_operations xs_accounts_sops;

#endif /* KFD_XSCHED_ACCOUNT_H */
