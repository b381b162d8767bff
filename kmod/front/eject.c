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

#include <linux/kfd_xsched.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"
#include "watch/watch.h"

static const char *const eject_reasons[] = {
	[KFD_XSCHED_EJECT_WATCHDOG] = "no sign of life while a queue it held had work",
	[KFD_XSCHED_EJECT_ADMIN] = "by an administrator",
	[KFD_XSCHED_EJECT_DISABLED] = "kfd_xsched was disabled",
};

/* The last ejections, the oldest is overwritten, and how many there were; xs_lock. */
static struct xs_ejection eject_last[XS_EJECTIONS];
static u64 eject_count;

static atomic64_t eject_by_reason[ARRAY_SIZE(eject_reasons)];

static void eject_remember_locked(struct xs_client *client, u32 reason, u32 held)
{
	struct xs_ejection *entry = &eject_last[eject_count++ % XS_EJECTIONS];
	const u64 now = ktime_get_ns();

	lockdep_assert_held(&xs_lock);

	put_pid(entry->pid);
	*entry = (struct xs_ejection){
		.client = client->id,
		.pid = get_pid(client->pid),
		.uid = client->uid,
		.reason = reason,
		.time_ns = now,
		.silent_ns = now - READ_ONCE(client->alive_ns),
		.held = held,
	};
	memcpy(entry->comm, client->comm, sizeof(entry->comm));
	atomic64_inc(&eject_by_reason[reason]);
	trace_client_eject(client, reason, entry->silent_ns);
	pr_warn_ratelimited("kfd_xsched: client %llu (%s, pid %d) ejected, it held %u queues: %s\n",
			    entry->client, entry->comm, pid_nr(entry->pid),
			    entry->held, eject_reasons[reason]);
}

bool xs_eject_begin_locked(struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	if (client->ends || !xs_client_is_open_locked(client))
		return false;
	client->ends = true;
	return true;
}

void xs_eject(struct xs_client *client, u32 reason)
{
	const u32 held = xs_client_drop_all(client);

	guard(rt_mutex)(&xs_lock);
	xs_transact_kick_all_locked();
	eject_remember_locked(client, reason, held);
	/* It was closed meanwhile. */
	if (!xs_client_is_open_locked(client))
		return;
	xs_interest_clear_locked(&client->interest);
	xs_client_unsubscribe_locked(client);
	xs_event_eject(client, reason);
	xs_sampler_configure_locked(NULL);
	/* Its calls that wait for one another have nothing to wait for. */
	xs_holder_settled_locked(&client->holder);
}

/* Eject the client, as an administrator, if it is what is asked for. */
static bool eject_if(struct xs_client *client, u64 number, const struct pid *pid)
{
	bool begun;

	if (pid ? client->pid != pid : client->id != number)
		return false;
	scoped_guard(rt_mutex, &xs_lock)
		begun = xs_eject_begin_locked(client);
	if (begun)
		xs_eject(client, KFD_XSCHED_EJECT_ADMIN);
	return begun;
}

static int eject_matching(u64 number, const struct pid *pid)
{
	struct xs_client *client;
	bool any = false;
	u64 at = 0;

	while ((client = xs_client_next(at))) {
		any |= eject_if(client, number, pid);
		at = client->id;
		xs_client_put(client);
	}
	if (!any)
		return -ESRCH;
	xs_transact_settle();
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
static bool eject_wants_locked(struct xs_client *client)
{
	const struct xs_request *request;
	const struct xs_tenant *tenant;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	if (client->interest.armed)
		return true;
	list_for_each_entry(request, &client->holder.requests, in_holder) {
		if (xs_request_any(request))
			return true;
	}
	hash_for_each(client->tenants.by_id, i, tenant, by_id) {
		if (xs_request_any(&tenant->request))
			return true;
	}
	return false;
}

static void eject_all_that_want(void)
{
	struct xs_client *client;
	bool begun;
	u64 at = 0;

	while ((client = xs_client_next(at))) {
		scoped_guard(rt_mutex, &xs_lock)
			begun = eject_wants_locked(client) && xs_eject_begin_locked(client);
		if (begun)
			xs_eject(client, KFD_XSCHED_EJECT_DISABLED);
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
	scoped_guard(rt_mutex, &xs_lock) {
		if (!xs_enable_locked(enabled))
			return;
		trace_set_enabled(enabled);
		if (!enabled)
			xs_holder_drop_all_locked(&xs_sysfs_holder);
	}
	if (enabled)
		return;
	/* From here on no client can ask for anything new. */
	eject_all_that_want();
	xs_park_flush();
	xs_transact_settle();
}

const struct xs_ejection *xs_ejection_locked(unsigned int i)
{
	lockdep_assert_held(&xs_lock);

	if (i >= min_t(u64, eject_count, XS_EJECTIONS))
		return NULL;
	return &eject_last[(eject_count - 1 - i) % XS_EJECTIONS];
}

u64 xs_ejections(u32 reason)
{
	return atomic64_read(&eject_by_reason[reason]);
}

void xs_eject_exit(void)
{
	unsigned int i;

	guard(rt_mutex)(&xs_lock);
	for (i = 0; i < XS_EJECTIONS; i++)
		put_pid(eject_last[i].pid);
	memset(eject_last, 0, sizeof(eject_last));
	eject_count = 0;
	xs_enable_locked(true);
	for (i = 0; i < ARRAY_SIZE(eject_by_reason); i++)
		atomic64_set(&eject_by_reason[i], 0);
}
