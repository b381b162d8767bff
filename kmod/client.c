// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: open files of /dev/kfd_xsched.
 *
 * A client owns its claims, its rules, its armed switches and its subscription. release() drops
 * them all, and cannot fail: what the GPU does not accept at once is retried.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "activity.h"
#include "armed.h"
#include "claim.h"
#include "client.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "tenant.h"
#include "trace.h"
#include "watchdog.h"
#include "xsched.h"

#define XS_EVENTS_ALL						\
	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_LOST) |		\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_APPLY_DONE) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_EJECTED) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED) |		\
	 XS_EVENTS_ACTIVITY)

LIST_HEAD(xs_clients);
DEFINE_SPINLOCK(xs_clients_lock);

/* Under xs_clients_lock, so that the list is in the order of numbers. */
static u64 last_id;

bool xs_client_sees(const struct xs_client *client, const struct xs_owner *owner)
{
	const struct cred *target = owner->cred;
	const kuid_t uid = client->file->f_cred->euid;

	if (owner->dumpable && uid_eq(uid, target->uid) &&
	    uid_eq(uid, target->euid) && uid_eq(uid, target->suid))
		return true;
	return file_ns_capable(client->file, target->user_ns, CAP_SYS_NICE);
}

struct xs_client *xs_client_get(struct xs_client *client)
{
	refcount_inc(&client->refs);
	return client;
}

void xs_client_put(struct xs_client *client)
{
	if (!refcount_dec_and_test(&client->refs))
		return;
	if (client->pid_ns)
		put_pid_ns(client->pid_ns);
	put_pid(client->pid);
	kvfree(client->call);
	kfree(client);
}

struct xs_client *xs_client_next(u64 id)
{
	struct xs_client *client, *next = NULL;

	scoped_guard(spinlock, &xs_clients_lock) {
		list_for_each_entry(client, &xs_clients, in_clients) {
			if (client->id <= id)
				continue;
			next = xs_client_get(client);
			break;
		}
	}
	return next;
}

bool xs_client_is_open_locked(const struct xs_client *client)
{
	bool open;

	lockdep_assert_held(&xs_lock);

	scoped_guard(spinlock, &xs_clients_lock)
		open = !list_empty(&client->in_clients);
	return open;
}

int xs_client_check_locked(const struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	return client->ejected ? -EOWNERDEAD : 0;
}

void xs_client_settled_locked(struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	WRITE_ONCE(client->settled, client->settled + 1);
	if (wq_has_sleeper(&client->unsettled))
		wake_up_all(&client->unsettled);
}

int xs_client_wait_settled(struct xs_client *client, u32 settled)
{
	return wait_event_killable(client->unsettled,
				   READ_ONCE(client->settled) != settled);
}

int xs_client_need_ring_locked(struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	/* Nobody pushes before something is subscribed or promised. */
	return client->ring.records ? 0 : xs_ring_init(&client->ring);
}

void xs_client_init(struct xs_client *client)
{
	*client = (struct xs_client){};
	refcount_set(&client->refs, 1);
	INIT_LIST_HEAD(&client->in_clients);
	INIT_LIST_HEAD(&client->claims);
	INIT_LIST_HEAD(&client->rules);
	xa_init(&client->tenants);
	xa_init(&client->armed);
	init_waitqueue_head(&client->unsettled);
	init_waitqueue_head(&client->readable);
	client->opened_ns = ktime_get_ns();
	xs_watchdog_touch(client);
}

/* The name is shown in files of lines and words: it must not look like others. */
static void name_client(struct xs_client *client)
{
	char *c;

	get_task_comm(client->comm, current->group_leader);
	for (c = client->comm; *c; c++) {
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
	}
}

int xs_client_open(struct inode *inode, struct file *file)
{
	struct xs_client *client;

	client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	if (!client)
		return -ENOMEM;

	xs_client_init(client);
	client->file = file;
	client->pid_ns = get_pid_ns(task_active_pid_ns(current));
	client->pid = get_pid(task_tgid(current));
	client->uid = file->f_cred->euid;
	name_client(client);
	file->private_data = client;

	/* Not xs_lock: the caller holds a mutex of all misc devices. */
	scoped_guard(spinlock, &xs_clients_lock) {
		client->id = ++last_id;
		list_add_tail(&client->in_clients, &xs_clients);
	}
	trace_client_open(client);
	return nonseekable_open(inode, file);
}

void xs_client_drop_all_locked(struct xs_client *client)
{
	struct xs_claim *claim, *next_claim;
	struct xs_rule *rule, *next_rule;

	lockdep_assert_held(&xs_lock);

	xs_armed_drop_all_locked(client);
	xs_tenants_free_locked(client);
	list_for_each_entry_safe(rule, next_rule, &client->rules, in_client) {
		struct xs_process *process = rule->process;

		xs_rule_drop_locked(rule);
		xs_process_sync_rules_locked(process);
	}
	list_for_each_entry_safe(claim, next_claim, &client->claims, in_client)
		xs_claim_drop_locked(claim);
}

int xs_client_release(struct inode *inode, struct file *file)
{
	struct xs_client *client = file->private_data;

	trace_client_close(client);
	scoped_guard(spinlock, &xs_clients_lock)
		list_del_init(&client->in_clients);
	scoped_guard(mutex, &xs_lock) {
		xs_client_drop_all_locked(client);
		xs_activity_configure_locked(NULL);
	}
	xs_nodes_settle();
	xs_ring_free(&client->ring);
	xs_client_put(client);
	return 0;
}

static int subscribe_check(const struct kfd_xsched_subscribe *arg)
{
	if (arg->flags & ~KFD_XSCHED_SUBSCRIBE_NO_TAP || arg->events & ~XS_EVENTS_ALL)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	if (!(arg->events & XS_EVENTS_ACTIVITY))
		return arg->sample_us || arg->settle_us || arg->flags ? -EINVAL : 0;
	if ((arg->sample_us && arg->sample_us < KFD_XSCHED_SAMPLE_US_MIN) ||
	    arg->sample_us > KFD_XSCHED_SAMPLE_US_MAX ||
	    arg->settle_us > KFD_XSCHED_SETTLE_US_MAX)
		return -EINVAL;
	return 0;
}

long xs_client_ioctl_subscribe(struct xs_client *client, void *argument)
{
	const struct kfd_xsched_subscribe *arg = argument;
	const u32 ready = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	bool newcomer;
	int ret = subscribe_check(arg);

	if (ret)
		return ret;

	guard(mutex)(&xs_lock);
	ret = xs_client_check_locked(client);
	if (ret)
		return ret;
	if (arg->events) {
		ret = xs_client_need_ring_locked(client);
		if (ret)
			return ret;
	}
	newcomer = arg->events & ~client->events & ready;
	scoped_guard(spinlock, &xs_clients_lock) {
		client->events = arg->events;
		client->sample_us = arg->sample_us;
		client->settle_us = arg->settle_us;
		client->no_tap = arg->flags & KFD_XSCHED_SUBSCRIBE_NO_TAP;
	}
	xs_activity_configure_locked(newcomer ? client : NULL);
	return 0;
}
