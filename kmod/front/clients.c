// SPDX-License-Identifier: GPL-2.0-only
/*
 * All clients: the table of open files, their leases, and whether any may have anything.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "core.h"
#include "front/client.h"
#include "model/request.h"

LIST_HEAD(xs_clients);
DEFINE_SPINLOCK(xs_clients_lock);

/* By number, to be gone through without a lock in between; and how many. */
static DEFINE_XARRAY(clients_by_id);
static unsigned int clients_count;

/* Under xs_clients_lock. */
static u64 clients_last_id;

static u64 clients_lease_ns;

/* Written under xs_lock. */
static bool clients_disabled;

struct xs_client *xs_client_get(struct xs_client *client)
{
	xs_holder_get(&client->holder);
	return client;
}

void xs_client_put(struct xs_client *client)
{
	xs_holder_put(&client->holder);
}

int xs_client_link(struct xs_client *client)
{
	u64 id;
	int ret;

	scoped_guard(spinlock, &xs_clients_lock)
		id = ++clients_last_id;
	client->id = id;
	client->holder.id = id;
	/* With no room in the array it is in no list. From here on it is seen. */
	ret = xa_reserve(&clients_by_id, id, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	scoped_guard(spinlock, &xs_clients_lock) {
		xa_store(&clients_by_id, id, client, 0);
		list_add_tail(&client->in_clients, &xs_clients);
		WRITE_ONCE(clients_count, clients_count + 1);
	}
	return 0;
}

void xs_client_unlink(struct xs_client *client)
{
	scoped_guard(spinlock, &xs_clients_lock) {
		xa_erase(&clients_by_id, client->id);
		list_del_init(&client->in_clients);
		WRITE_ONCE(clients_count, clients_count - 1);
	}
}

struct xs_client *xs_client_next(u64 id)
{
	unsigned long at = id;
	struct xs_client *next;

	/* A client in the array has not been closed, so it has a reference. */
	scoped_guard(spinlock, &xs_clients_lock) {
		next = xa_find_after(&clients_by_id, &at, ULONG_MAX, XA_PRESENT);
		if (next)
			xs_client_get(next);
	}
	return next;
}

unsigned int xs_client_count(void)
{
	return READ_ONCE(clients_count);
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

	return client->ends ? -EOWNERDEAD : 0;
}

bool xs_client_holds_locked(const struct xs_client *client)
{
	const struct xs_holder *holder;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(holder, &client->holders, in_client) {
		if (holder->holds)
			return true;
	}
	return false;
}

/* ---- leases -------------------------------------------------------------- */

u64 xs_client_lease_ns(void)
{
	return READ_ONCE(clients_lease_ns);
}

void xs_client_set_lease_ns(u64 ns)
{
	WRITE_ONCE(clients_lease_ns, ns);
}

u64 xs_client_touch(struct xs_client *client)
{
	const u64 now = ktime_get_ns(), lease = xs_client_lease_ns();

	WRITE_ONCE(client->alive_ns, now);
	WRITE_ONCE(client->lease_ns, now + lease);
	return lease;
}

/* ---- whether they may have anything --------------------------------------- */

bool xs_enabled(void)
{
	return !READ_ONCE(clients_disabled);
}

bool xs_enable_locked(bool enabled)
{
	lockdep_assert_held(&xs_lock);

	if (enabled == xs_enabled())
		return false;
	WRITE_ONCE(clients_disabled, !enabled);
	return true;
}
