// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking from a client all it has: by the watchdog, or by an administrator.
 *
 * An ejected client keeps its file and nothing else. It may be in the middle of
 * a call: what that call has staged is dropped with the rest, and what it is
 * yet to stage is refused, because both happen under xs_lock.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/xarray.h>

#include <linux/kfd_xsched.h>

#include "activity.h"
#include "armed.h"
#include "claim.h"
#include "client.h"
#include "eject.h"
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "tenant.h"
#include "trace.h"
#include "xsched.h"

static const char *const reasons[] = {
	[KFD_XSCHED_EJECT_WATCHDOG] = "no sign of life while a queue it held had work",
	[KFD_XSCHED_EJECT_ADMIN] = "by an administrator",
	[KFD_XSCHED_EJECT_DISABLED] = "kfd_xsched was disabled",
};

bool xs_disabled;

/* The last ejections, oldest overwritten, and how many there were; xs_lock. */
static struct xs_ejection ejections[XS_EJECTIONS];
static u64 ejection_count;

static atomic64_t by_reason[ARRAY_SIZE(reasons)];

static u32 count_held_locked(struct xs_client *client)
{
	struct xs_holders walk = { .client = client };
	const struct xs_claim *claim;
	struct xs_client *holder;
	u32 held = 0;

	while ((holder = xs_armed_next_holder_locked(&walk))) {
		list_for_each_entry(claim, &holder->claims, in_client) {
			if (claim->stake.now.held)
				held += xs_claim_count_locked(claim);
		}
	}
	return held;
}

static void remember_locked(struct xs_client *client, u32 reason)
{
	struct xs_ejection *entry = &ejections[ejection_count++ % XS_EJECTIONS];
	const u64 now = ktime_get_ns();

	put_pid(entry->pid);
	*entry = (struct xs_ejection){
		.client = client->id,
		.pid = get_pid(client->pid),
		.uid = client->uid,
		.reason = reason,
		.time_ns = now,
		.silent_ns = now - READ_ONCE(client->alive_ns),
		.held = count_held_locked(client),
	};
	memcpy(entry->comm, client->comm, sizeof(entry->comm));
	atomic64_inc(&by_reason[reason]);
	trace_client_eject(client, reason, entry->silent_ns);
	pr_warn_ratelimited("kfd_xsched: client %llu (%s, pid %d) ejected, it held %u queues: %s\n",
			    entry->client, entry->comm, pid_nr(entry->pid),
			    entry->held, reasons[reason]);
}

bool xs_eject_locked(struct xs_client *client, u32 reason)
{
	lockdep_assert_held(&xs_lock);

	if (client->ejected || !xs_client_is_open_locked(client))
		return false;
	remember_locked(client, reason);
	xs_client_drop_all_locked(client);
	xs_event_eject_locked(client, reason);
	xs_activity_configure_locked(NULL);
	/* Its calls that wait for one another have nothing to wait for. */
	xs_client_settled_locked(client);
	xs_nodes_kick_locked();
	return true;
}

/* Eject the client, as an administrator, if it is what is asked for. */
static bool eject_if_locked(struct xs_client *client, u64 number, const struct pid *pid)
{
	if (pid ? client->pid != pid : client->id != number)
		return false;
	return xs_eject_locked(client, KFD_XSCHED_EJECT_ADMIN);
}

static int eject_matching(u64 number, const struct pid *pid)
{
	struct xs_client *client;
	bool any = false;
	u64 at = 0;

	while ((client = xs_client_next(at))) {
		scoped_guard(mutex, &xs_lock)
			any |= eject_if_locked(client, number, pid);
		at = client->id;
		xs_client_put(client);
	}
	if (!any)
		return -ESRCH;
	xs_nodes_settle();
	return 0;
}

int xs_eject_number(u64 number)
{
	return eject_matching(number, NULL);
}

int xs_eject_pid(pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	int ret;

	if (!pid)
		return -ESRCH;
	ret = eject_matching(0, pid);
	put_pid(pid);
	return ret;
}

/* Whether it has, or is about to have, anything that disabling takes away. */
static bool wants_locked(struct xs_client *client)
{
	const struct xs_tenant *tenant;
	const struct xs_claim *claim;
	const struct xs_rule *rule;
	unsigned long id;

	if (client->armed_count)
		return true;
	list_for_each_entry(claim, &client->claims, in_client) {
		if (xs_stake_any(&claim->stake))
			return true;
	}
	list_for_each_entry(rule, &client->rules, in_client) {
		if (xs_stake_any(&rule->stake))
			return true;
	}
	xa_for_each(&client->tenants, id, tenant) {
		if (xs_stake_any(&tenant->stake))
			return true;
	}
	return false;
}

static void eject_all_that_want(void)
{
	struct xs_client *client;
	u64 at = 0;

	while ((client = xs_client_next(at))) {
		scoped_guard(mutex, &xs_lock) {
			if (wants_locked(client))
				xs_eject_locked(client, KFD_XSCHED_EJECT_DISABLED);
		}
		at = client->id;
		xs_client_put(client);
	}
}

const char *xs_eject_word(u32 reason)
{
	static const char *const words[] = {
		[KFD_XSCHED_EJECT_NONE] = "active",
		[KFD_XSCHED_EJECT_WATCHDOG] = "watchdog",
		[KFD_XSCHED_EJECT_ADMIN] = "admin",
		[KFD_XSCHED_EJECT_DISABLED] = "disabled",
	};

	return words[reason];
}

void xs_set_enabled(bool enabled)
{
	scoped_guard(mutex, &xs_lock) {
		if (xs_disabled == !enabled)
			return;
		WRITE_ONCE(xs_disabled, !enabled);
		trace_set_enabled(enabled);
		if (!enabled)
			xs_client_drop_all_locked(&xs_sysfs_client);
	}
	if (enabled)
		return;
	/* From here on nobody begins to want anything. */
	eject_all_that_want();
	xs_nodes_settle();
}

const struct xs_ejection *xs_ejection_locked(unsigned int i)
{
	lockdep_assert_held(&xs_lock);

	if (i >= min_t(u64, ejection_count, XS_EJECTIONS))
		return NULL;
	return &ejections[(ejection_count - 1 - i) % XS_EJECTIONS];
}

u64 xs_ejections(u32 reason)
{
	return atomic64_read(&by_reason[reason]);
}

void xs_eject_exit(void)
{
	unsigned int i;

	guard(mutex)(&xs_lock);
	for (i = 0; i < XS_EJECTIONS; i++)
		put_pid(ejections[i].pid);
	memset(ejections, 0, sizeof(ejections));
	ejection_count = 0;
	xs_disabled = false;
	for (i = 0; i < ARRAY_SIZE(by_reason); i++)
		atomic64_set(&by_reason[i], 0);
}
