// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: what the clients of one user have, and how much that may be.
 *
 * Most of what a client has costs other clients time: the module goes through it under
 * locks that all clients take. And it costs memory. So each user has limits. A client with
 * CAP_SYS_NICE in the first user namespace may hold all queues anyway, and has no account.
 *
 * An account is what the kernel can prove, and the opener cannot choose: the user in the
 * first user namespace, see xs_user_of(). Below that there is a share for each cgroup from
 * which he opened the device. What a client has is on both. A share divides what the user
 * may have, and adds nothing to it: a user can make cgroups.
 *
 * The suffix _locked means account_lock.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include <linux/kfd_xsched.h>

#include "model/account.h"
#include "model/rate.h"

/**
 * struct xs_account - what the clients of one user have, or those in one cgroup of him
 * @uid: the user
 * @user: of a share: his account, with a reference; of that: NULL
 * @cgroup: of a share: id of the cgroup, in the hierarchy of version 2. The cgroup may be
 *	gone: its id is not used again
 * @by_uid: in the table of all, by @uid and @cgroup; account_lock
 * @in_accounts: in the list of all, where shares follow their user; account_lock
 * @refs: of a share: one of each client; of a user: one of each share; account_lock
 * @used: of each kind; account_lock
 *
 * Clients have shares. What is in a share is in @user, too.
 */
struct xs_account {
	kuid_t uid;
	struct xs_account *user;
	u64 cgroup;
	struct hlist_node by_uid;
	struct list_head in_accounts;
	unsigned int refs;
	u32 used[XS_QUOTAS];
};

static DEFINE_HASHTABLE(account_by_uid, 6);
static LIST_HEAD(account_all);
static DEFINE_SPINLOCK(account_lock);

/**
 * struct account_kind - a kind of what is counted
 * @name: in a word
 * @limit: how many a user may have
 */
struct account_kind {
	const char *name;
	u32 limit;
};

static const struct account_kind account_kinds[XS_QUOTAS] = {
	[XS_QUOTA_CLIENTS] = { "clients", 1024 },
	[XS_QUOTA_SUBSCRIPTIONS] = { "subscriptions", 256 },
	[XS_QUOTA_ARMED] = { "armed", 256 },
	[XS_QUOTA_ARMED_ENTRIES] = { "armed_entries", 4096 },
	[XS_QUOTA_ENTRIES] = { "entries", 2 * KFD_XSCHED_MAX_ENTRIES },
	/* 16 MB. So eight clients may each have one on as many queues as a call can name. */
	[XS_QUOTA_REQUESTS] = { "requests", 8 * KFD_XSCHED_MAX_ENTRIES },
	/* Some 2 MB. In a share of root, one client may still have all it may have. */
	[XS_QUOTA_TENANTS] = { "tenants", 4 * KFD_XSCHED_MAX_TENANTS },
	/* 20 MB. So many subscribe, and as many more only wait for ASYNC calls. */
	[XS_QUOTA_RINGS] = { "rings", 512 },
};

const char *xs_account_quota_name(enum xs_quota quota)
{
	return account_kinds[quota].name;
}

u32 xs_account_limit(enum xs_quota quota)
{
	return account_kinds[quota].limit;
}

u32 xs_account_root_limit(enum xs_quota quota)
{
	return account_kinds[quota].limit / XS_ROOT_SHARES;
}

static u32 account_limit_of(const struct xs_account *account, enum xs_quota quota)
{
	return account->user && uid_eq(account->uid, GLOBAL_ROOT_UID) ?
		xs_account_root_limit(quota) : xs_account_limit(quota);
}

/* ---- come and go --------------------------------------------------------- */

/* The share of @user, or without one the account of the user himself. */
static struct xs_account *account_find_locked(kuid_t uid, const struct xs_account *user,
					      u64 cgroup)
{
	struct xs_account *account;

	lockdep_assert_held(&account_lock);

	hash_for_each_possible(account_by_uid, account, by_uid, __kuid_val(uid) + cgroup) {
		if (uid_eq(account->uid, uid) && account->user == user &&
		    account->cgroup == cgroup)
			return account;
	}
	return NULL;
}

/* Likewise. @fresh: used, and set to NULL, if there is none. */
static struct xs_account *account_need_locked(kuid_t uid, struct xs_account *user, u64 cgroup,
					      struct xs_account **fresh)
{
	struct xs_account *account = account_find_locked(uid, user, cgroup);

	lockdep_assert_held(&account_lock);

	if (account)
		return account;
	account = *fresh;
	*fresh = NULL;
	account->uid = uid;
	account->user = user;
	account->cgroup = cgroup;
	hash_add(account_by_uid, &account->by_uid, __kuid_val(uid) + cgroup);
	list_add(&account->in_accounts, user ? &user->in_accounts : &account_all);
	if (user)
		user->refs++;
	return account;
}

struct xs_account *xs_account_get_share(kuid_t uid, u64 cgroup)
{
	struct xs_account *fresh_user __free(kfree) =
		kzalloc(sizeof(*fresh_user), GFP_KERNEL_ACCOUNT);
	struct xs_account *fresh_share __free(kfree) =
		kzalloc(sizeof(*fresh_share), GFP_KERNEL_ACCOUNT);
	struct xs_account *user, *share;

	if (!fresh_user || !fresh_share)
		return ERR_PTR(-ENOMEM);
	scoped_guard(spinlock, &account_lock) {
		user = account_need_locked(uid, NULL, 0, &fresh_user);
		share = account_need_locked(uid, user, cgroup, &fresh_share);
		share->refs++;
	}
	return share;
}

#ifdef CONFIG_CGROUPS
static u64 account_cgroup(void)
{
	guard(rcu)();
	return cgroup_id(task_dfl_cgroup(current));
}
#else
static u64 account_cgroup(void)
{
	return 0;
}
#endif

kuid_t xs_user_of(const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;

	if (ns == &init_user_ns)
		return cred->euid;
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	return ns->owner;
}

struct xs_account *xs_account_get(const struct file *file)
{
	if (file_ns_capable(file, &init_user_ns, CAP_SYS_NICE))
		return NULL;
	return xs_account_get_share(xs_user_of(file->f_cred), account_cgroup());
}

/* A reference less. Whether it was the last: then nobody finds it any more. */
static bool account_drop_locked(struct xs_account *account)
{
	lockdep_assert_held(&account_lock);

	if (--account->refs)
		return false;
	WARN_ON_ONCE(memchr_inv(account->used, 0, sizeof(account->used)));
	hash_del(&account->by_uid);
	list_del(&account->in_accounts);
	return true;
}

void xs_account_put(struct xs_account *account)
{
	struct xs_account *user;

	if (!account)
		return;
	user = account->user;
	scoped_guard(spinlock, &account_lock) {
		if (!account_drop_locked(account))
			return;
		if (!account_drop_locked(user))
			user = NULL;
	}
	kfree(account);
	kfree(user);
}

/* Only shares of uid 0 are apart. */
static struct xs_payer account_payer(kuid_t uid, u64 cgroup)
{
	return (struct xs_payer){
		.user = uid,
		.share = uid_eq(uid, GLOBAL_ROOT_UID) ? cgroup : 0,
	};
}

struct xs_payer xs_account_payer(const struct xs_account *account)
{
	return account ? account_payer(account->uid, account->cgroup) : XS_PAYER_ADMIN;
}

struct xs_payer xs_account_payer_of(const struct cred *cred)
{
	const bool admin = cred->user_ns == &init_user_ns &&
		cap_raised(cred->cap_effective, CAP_SYS_NICE);

	return admin ? XS_PAYER_ADMIN : account_payer(xs_user_of(cred), account_cgroup());
}

/* ---- charges ------------------------------------------------------------- */

static bool account_has_room_locked(const struct xs_account *account, enum xs_quota quota,
				    u32 count)
{
	lockdep_assert_held(&account_lock);

	return count <= account_limit_of(account, quota) - account->used[quota];
}

int xs_account_charge(struct xs_account *account, enum xs_quota quota, u32 count)
{
	if (!account)
		return 0;
	scoped_guard(spinlock, &account_lock) {
		if (!account_has_room_locked(account, quota, count) ||
		    !account_has_room_locked(account->user, quota, count))
			return -EDQUOT;
		account->used[quota] += count;
		account->user->used[quota] += count;
	}
	return 0;
}

static void account_take_off_locked(struct xs_account *account, enum xs_quota quota, u32 count)
{
	lockdep_assert_held(&account_lock);

	WARN_ON_ONCE(count > account->used[quota]);
	account->used[quota] -= min(count, account->used[quota]);
}

void xs_account_uncharge(struct xs_account *account, enum xs_quota quota, u32 count)
{
	if (!account)
		return;
	scoped_guard(spinlock, &account_lock) {
		account_take_off_locked(account, quota, count);
		account_take_off_locked(account->user, quota, count);
	}
}

/* ---- to be read ---------------------------------------------------------- */

static void *account_seq_start(struct seq_file *m, loff_t *pos) __acquires(&account_lock)
{
	spin_lock(&account_lock);
	return seq_list_start(&account_all, *pos);
}

static void *account_seq_next(struct seq_file *m, void *at, loff_t *pos)
{
	return seq_list_next(at, &account_all, pos);
}

static void account_seq_stop(struct seq_file *m, void *at) __releases(&account_lock)
{
	spin_unlock(&account_lock);
}

static int account_seq_show(struct seq_file *m, void *at)
{
	const struct xs_account *account = list_entry(at, struct xs_account, in_accounts);
	enum xs_quota i;

	lockdep_assert_held(&account_lock);

	seq_printf(m, "user %u", from_kuid(&init_user_ns, account->uid));
	if (account->user)
		seq_printf(m, " cgroup %llu", account->cgroup);
	seq_putc(m, ':');
	for (i = 0; i < XS_QUOTAS; i++)
		seq_printf(m, " %s=%u/%u", xs_account_quota_name(i), account->used[i],
			   account_limit_of(account, i));
	seq_putc(m, '\n');
	return 0;
}

const struct seq_operations xs_accounts_sops = {
	.start = account_seq_start,
	.next = account_seq_next,
	.stop = account_seq_stop,
	.show = account_seq_show,
};
