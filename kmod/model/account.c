// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: what the clients of one user have, and how much that may be.
 *
 * Most of what a client has costs other clients time: the module goes through it under
 * locks that all clients take. So each user has a limit. A client with CAP_SYS_NICE in the
 * first user namespace may hold all queues anyway, and has no account.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include <linux/kfd_xsched.h>

#include "model/account.h"
#include "model/process.h"
#include "model/rate.h"

/**
 * struct xs_account - what the clients of one user have
 * @uid: the user
 * @by_uid: in the table of all; account_lock
 * @refs: one of each client; account_lock
 * @used: of each kind
 */
struct xs_account {
	kuid_t uid;
	struct hlist_node by_uid;
	unsigned int refs;
	atomic_t used[XS_QUOTAS];
};

static DEFINE_HASHTABLE(account_by_uid, 6);
static DEFINE_SPINLOCK(account_lock);

static const u32 account_limits[XS_QUOTAS] = {
	[XS_QUOTA_CLIENTS] = 1024,
	[XS_QUOTA_SUBSCRIPTIONS] = 256,
	[XS_QUOTA_ARMED] = 256,
	[XS_QUOTA_ARMED_ENTRIES] = 4096,
	[XS_QUOTA_ENTRIES] = 2 * KFD_XSCHED_MAX_ENTRIES,
};

u32 xs_account_limit(enum xs_quota quota)
{
	return account_limits[quota];
}

static struct xs_account *account_find_locked(kuid_t uid)
{
	struct xs_account *account;

	lockdep_assert_held(&account_lock);

	hash_for_each_possible(account_by_uid, account, by_uid, __kuid_val(uid)) {
		if (uid_eq(account->uid, uid))
			return account;
	}
	return NULL;
}

/* @fresh: used, and set to NULL, if there is none. */
static struct xs_account *account_need_locked(kuid_t uid, struct xs_account **fresh)
{
	struct xs_account *account = account_find_locked(uid);

	lockdep_assert_held(&account_lock);

	if (account)
		return account;
	account = *fresh;
	*fresh = NULL;
	account->uid = uid;
	hash_add(account_by_uid, &account->by_uid, __kuid_val(uid));
	return account;
}

struct xs_account *xs_account_get(const struct file *file)
{
	struct xs_account *account, *fresh;

	if (file_ns_capable(file, &init_user_ns, CAP_SYS_NICE))
		return NULL;
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	scoped_guard(spinlock, &account_lock) {
		account = account_need_locked(xs_user_of(file->f_cred), &fresh);
		account->refs++;
	}
	kfree(fresh);
	return account;
}

void xs_account_put(struct xs_account *account)
{
	if (!account)
		return;
	scoped_guard(spinlock, &account_lock) {
		if (--account->refs)
			return;
		hash_del(&account->by_uid);
	}
	kfree(account);
}

kuid_t xs_account_payer(const struct xs_account *account)
{
	return account ? account->uid : XS_PAYER_ADMIN;
}

kuid_t xs_account_payer_of(const struct cred *cred)
{
	const bool admin = cred->user_ns == &init_user_ns &&
		cap_raised(cred->cap_effective, CAP_SYS_NICE);

	return admin ? XS_PAYER_ADMIN : xs_user_of(cred);
}

int xs_account_charge(struct xs_account *account, enum xs_quota quota, u32 count)
{
	int used;

	if (!account)
		return 0;
	used = atomic_read(&account->used[quota]);
	do {
		if (used + count > account_limits[quota])
			return -EDQUOT;
	} while (!atomic_try_cmpxchg(&account->used[quota], &used, used + count));
	return 0;
}

void xs_account_uncharge(struct xs_account *account, enum xs_quota quota, u32 count)
{
	if (account)
		atomic_sub(count, &account->used[quota]);
}
