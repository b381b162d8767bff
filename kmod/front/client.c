// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client, an open file of /dev/kfd_xsched, comes, subscribes, and goes.
 *
 * A client has requests, tenants, armed switches, wishes and a subscription. release() drops
 * them all, and cannot fail: what the GPU does not accept at once is tried again.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/account.h"
#include "model/request.h"
#include "switch/switch.h"
#include "trace.h"
#include "watch/watch.h"

/* What the sampler finds out. */
#define XS_EVENTS_ACTIVITY					\
	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |		\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE))

#define XS_EVENTS_ALL						\
	(KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_DEL) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_PROCESS_EXIT) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_LOST) |		\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_RESET) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_APPLY_DONE) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_EJECTED) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_ARMED) |		\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_NODE_BREAKER) |	\
	 KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_DEMOTED) |	\
	 XS_EVENTS_ACTIVITY)

static void client_free(struct xs_holder *holder)
{
	struct xs_client *client = container_of(holder, struct xs_client, holder);

	xs_account_uncharge(client->account, XS_QUOTA_CLIENTS, 1);
	xs_account_put(client->account);
	put_pid_ns(client->pid_ns);
	put_pid(client->pid);
	kfree(client);
}

/* The name is shown in files of lines and words: it must not look like others. */
static void client_name(struct xs_client *client)
{
	char *c;

	get_task_comm(client->comm, current->group_leader);
	for (c = client->comm; *c; c++) {
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
	}
}

/* @account: its reference is the client's. */
static struct xs_client *client_new(struct file *file, struct xs_account *account)
{
	struct xs_client *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return NULL;
	client->account = account;
	xs_holder_init(&client->holder, client_free);
	xs_tenants_init(&client->tenants, account);
	client->holder.client = client;
	client->holder.account = account;
	if (account) {
		client->holder.steps = XS_STEPS_OF_USER;
		client->holder.spare_max = XS_SPARE;
	}
	client->holder.tenants = &client->tenants;
	INIT_LIST_HEAD(&client->holders);
	list_add(&client->holder.in_client, &client->holders);
	INIT_LIST_HEAD(&client->interest.in_interests);
	INIT_LIST_HEAD(&client->interest.in_newcomers);
	client->interest.file = file;
	client->interest.limited = account;
	INIT_LIST_HEAD(&client->armed);
	INIT_LIST_HEAD(&client->wishes);
	init_waitqueue_head(&client->readable);
	client->file = file;
	client->pid_ns = get_pid_ns(task_active_pid_ns(current));
	client->pid = get_pid(task_tgid(current));
	client->uid = file->f_cred->euid;
	client->opened_ns = ktime_get_ns();
	client_name(client);
	xs_client_touch(client);
	return client;
}

int xs_client_open(struct inode *inode, struct file *file)
{
	struct xs_account *account = xs_account_get(file);
	struct xs_client *client;
	int ret;

	if (IS_ERR(account))
		return PTR_ERR(account);
	ret = xs_account_charge(account, XS_QUOTA_CLIENTS, 1);
	client = ret ? NULL : client_new(file, account);
	if (!ret && !client) {
		xs_account_uncharge(account, XS_QUOTA_CLIENTS, 1);
		ret = -ENOMEM;
	}
	if (ret) {
		xs_account_put(account);
		return ret;
	}
	/* Not xs_lock: the caller holds a mutex of all misc devices. */
	ret = xs_client_link(client);
	if (ret) {
		xs_client_put(client);
		return ret;
	}
	file->private_data = client;
	trace_client_open(client);
	return nonseekable_open(inode, file);
}

/* Returns whether there is more. */
static bool client_drop_some_locked(struct xs_client *client, u32 *held)
{
	lockdep_assert_held(&xs_lock);

	return xs_park_drop_one_locked(client) || xs_armed_drop_one_locked(client, held) ||
		xs_tenants_free_one_locked(&client->tenants) ||
		xs_holder_drop_some_locked(&client->holder, XS_SLICE, held);
}

u32 xs_client_drop_all(struct xs_client *client)
{
	bool more = true;
	u32 held = 0;

	lockdep_assert_not_held(&xs_lock);

	while (more) {
		scoped_guard(rt_mutex, &xs_lock)
			more = client_drop_some_locked(client, &held);
	}
	return held;
}

/* A client without an interest changes nothing in what is watched. Most have none. */
static void client_end_interest_locked(struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&client->interest.in_interests))
		return;
	xs_interest_del_locked(&client->interest);
	xs_sampler_configure_locked(NULL);
}

int xs_client_release(struct inode *inode, struct file *file)
{
	struct xs_client *client = file->private_data;

	trace_client_close(client);
	xs_client_unlink(client);
	xs_client_drop_all(client);
	scoped_guard(rt_mutex, &xs_lock) {
		xs_client_unsubscribe_locked(client);
		client_end_interest_locked(client);
	}
	xs_transact_settle();
	xs_client_free_ring(client);
	xs_client_put(client);
	return 0;
}

static int client_check_subscribe(const struct kfd_xsched_subscribe *arg)
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

/* A client that did not subscribe READY before does not know which queues are. */
static void client_subscribe_locked(struct xs_client *client,
				    const struct kfd_xsched_subscribe *arg)
{
	const u32 ready = KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY);
	struct xs_interest *interest = &client->interest;
	const bool newcomer = arg->events & ~client->events & ready;

	lockdep_assert_held(&xs_lock);

	scoped_guard(spinlock, &xs_clients_lock)
		client->events = arg->events;
	interest->all = arg->events & XS_EVENTS_ACTIVITY;
	interest->sample_us = arg->sample_us;
	interest->settle_us = arg->settle_us;
	interest->no_tap = arg->flags & KFD_XSCHED_SUBSCRIBE_NO_TAP;
	xs_interest_add_locked(interest);
	xs_sampler_configure_locked(newcomer ? interest : NULL);
}

static int client_charge_locked(struct xs_client *client)
{
	int ret = client->subscribed ? 0 :
		xs_account_charge(client->account, XS_QUOTA_SUBSCRIPTIONS, 1);

	lockdep_assert_held(&xs_lock);

	if (!ret)
		client->subscribed = true;
	return ret;
}

void xs_client_unsubscribe_locked(struct xs_client *client)
{
	lockdep_assert_held(&xs_lock);

	if (client->subscribed)
		xs_account_uncharge(client->account, XS_QUOTA_SUBSCRIPTIONS, 1);
	client->subscribed = false;
}

long xs_client_ioctl_subscribe(struct xs_client *client, void *argument)
{
	const struct kfd_xsched_subscribe *arg = argument;
	int ret = client_check_subscribe(arg);

	if (!ret && arg->events)
		ret = xs_client_need_ring(client);
	if (ret)
		return ret;
	guard(rt_mutex)(&xs_lock);
	ret = xs_client_check_locked(client);
	if (!ret && arg->events)
		ret = client_charge_locked(client);
	if (ret)
		return ret;
	if (!arg->events)
		xs_client_unsubscribe_locked(client);
	client_subscribe_locked(client, arg);
	return 0;
}
