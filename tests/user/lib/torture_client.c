// SPDX-License-Identifier: MIT
/*
 * The clients of test-torture: open files of the scheduler, their tenants, armed switches and
 * events. Some were opened by an ordinary user: those have limits, and an account.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"
#include "torture.h"
#include "users.h"
#include "xsarm.h"

#define EVENT_TYPES	(KFD_XSCHED_EVENT_DEMOTED + 1)
#define BIT(_e)		KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_e)
#define ANSWERED_MS	40000	/* also by firmware that hangs, for all calls there may be */

static struct torture_client clients[TORTURE_CLIENTS];

/* ---- they come and go ---------------------------------------------------- */

static int renew(struct torture_client *c)
{
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };
	int ret = xsdev_ioctl(c->fd, KFD_XSCHED_RENEW, &arg);

	c->number = arg.client;
	return ret;
}

static bool open_client(struct torture_client *c)
{
	const unsigned int index = c->index;
	int ret;

	*c = (struct torture_client){ .index = index, .limited = torture_below(2) };
	torture_did("client %u opens%s", index, c->limited ? ", with limits" : "");
	c->fd = c->limited ? users_open(TORTURE_ALICE) : xsdev_open();
	ret = c->fd < 0 ? c->fd : renew(c);
	torture_got(ret);
	if (ret)
		torture_violation(TORTURE_CALLS, "client %u: open: error %d", index, ret);
	return c->fd >= 0;
}

static void close_client(struct torture_client *c)
{
	torture_did("client %u closes", c->index);
	torture_got(close(c->fd) ? -errno : 0);
	c->fd = -1;
}

struct torture_client *torture_client_any(void)
{
	struct torture_client *c = &clients[torture_below(TORTURE_CLIENTS)];

	return c->fd >= 0 || open_client(c) ? c : NULL;
}

bool torture_client_got(struct torture_client *c, int ret, bool documented)
{
	/* What the clients of a user share, and how often they may preempt a node. */
	const bool refused = c->limited && (ret == -EDQUOT || ret == -EBUSY);

	torture_got(ret);
	if (ret == -EOWNERDEAD && (c->ejected || torture.short_lease)) {
		close_client(c);
		return false;
	}
	if (c->ejected || !torture_may(ret, documented || refused))
		torture_violation(TORTURE_CALLS, "%s: %d%s", torture_last(), ret,
				  c->ejected ? ", of an ejected client" : "");
	return ret >= 0;
}

void torture_die(void)
{
	struct torture_client *c = torture_client_any();

	if (c)
		close_client(c);
}

void torture_renew(void)
{
	struct torture_client *c = torture_client_any();

	if (!c)
		return;
	torture_did("client %u: RENEW", c->index);
	torture_client_got(c, renew(c), false);
}

void torture_look(void)
{
	struct torture_client *c = torture_client_any();

	if (!c)
		return;
	torture_did("client %u: LIST", c->index);
	torture_client_got(c, torture_list(c->fd), false);
}

/* The watchdog may have been faster. */
void torture_eject(void)
{
	struct torture_client *c = torture_client_any();
	char number[24];
	int ret;

	if (!c)
		return;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)c->number);
	torture_did("client %u is ejected", c->index);
	ret = sysfile_write(number, SYSFILE_GLOBAL "eject");
	torture_got(ret);
	if (ret && !(ret == -ESRCH && (c->ejected || torture.short_lease)))
		torture_violation(TORTURE_CALLS, "client %u cannot be ejected: %d", c->index, ret);
	c->ejected = true;
}

/* ---- tenants ------------------------------------------------------------- */

uint64_t torture_client_tenant(const struct torture_client *c)
{
	if (c->nr_tenants && torture_below(4))
		return c->tenants[torture_below(c->nr_tenants)];
	return c->last_tenant ? 1 + torture_below((uint32_t)c->last_tenant) : 0;
}

static void create_tenant(struct torture_client *c)
{
	int ret;

	if (c->nr_tenants == TORTURE_TENANTS_EACH)
		return;
	torture_did("client %u: TENANT_CREATE", c->index);
	ret = xsdev_tenant(c->fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	if (!torture_client_got(c, ret, false))
		return;
	c->tenants[c->nr_tenants++] = (uint64_t)ret;
	c->last_tenant = (uint64_t)ret;
}

static void destroy_tenant(struct torture_client *c, uint64_t id)
{
	unsigned int i;
	int ret;

	torture_did("client %u: TENANT_DESTROY %llu", c->index, (unsigned long long)id);
	ret = xsdev_tenant(c->fd, KFD_XSCHED_TENANT_DESTROY, id, 0);
	if (!torture_client_got(c, ret, ret == -ESRCH))
		return;
	for (i = 0; i < c->nr_tenants && c->tenants[i] != id; i++)
		;
	if (i < c->nr_tenants)
		c->tenants[i] = c->tenants[--c->nr_tenants];
}

/* ENOENT: the process had no queue yet, or its end was forgotten. */
static void join_tenant(struct torture_client *c, uint64_t id, pid_t pid)
{
	int ret;

	torture_did("client %u: TENANT_ADD %llu, process %d", c->index, (unsigned long long)id,
		    pid);
	ret = xsdev_tenant(c->fd, KFD_XSCHED_TENANT_ADD, id, pid);
	torture_client_got(c, ret, ret == -ESRCH || ret == -ENOENT || ret == -EALREADY ||
			   ret == -EEXIST);
}

static void leave_tenant(struct torture_client *c, uint64_t id, pid_t pid)
{
	int ret;

	torture_did("client %u: TENANT_REMOVE %llu, process %d", c->index, (unsigned long long)id,
		    pid);
	ret = xsdev_tenant(c->fd, KFD_XSCHED_TENANT_REMOVE, id, pid);
	torture_client_got(c, ret, ret == -ESRCH || ret == -ENOENT);
}

void torture_tenant(void)
{
	struct torture_client *c = torture_client_any();
	const uint64_t id = c ? torture_client_tenant(c) : 0;
	const pid_t pid = torture_worker_pid(torture_below(TORTURE_WORKERS));
	const uint32_t kind = torture_below(8);

	if (!c)
		return;
	if (!id || kind < 2)
		create_tenant(c);
	else if (kind < 5)
		join_tenant(c, id, pid);
	else if (kind < 7)
		leave_tenant(c, id, pid);
	else
		destroy_tenant(c, id);
}

/* ---- armed switches ------------------------------------------------------ */

/* Something that a switch may do to that process, or to a tenant. */
static struct kfd_xsched_entry armed_entry(const struct torture_client *c, pid_t pid)
{
	const uint64_t tenant = torture_below(6) ? 0 : torture_client_tenant(c);
	const struct kfd_xsched_queue *q = torture_below(3) ? NULL : torture_queue_of(pid);
	struct kfd_xsched_entry e = XSARM_ENTRY(SUSPEND, PROCESS, pid, 0);
	const uint32_t kind = torture_below(3);

	if (tenant) {
		e.target = KFD_XSCHED_TARGET_TENANT;
		e.id = tenant;
	} else if (q) {
		e.target = KFD_XSCHED_TARGET_QUEUE;
		e.id = q->id;
	}
	if (kind == 1) {
		e.op = KFD_XSCHED_OP_UNMAP;
		e.value = KFD_XSCHED_GRACE_DEFAULT;
	} else if (kind == 2) {
		e.op = KFD_XSCHED_OP_SET_PRIORITY;
		e.value = (int32_t)torture_below(KFD_XSCHED_PRIORITY_MAX + 1);
	}
	return e;
}

/* Of two workers. With a tenant, the trigger may be one of its targets: EINVAL. */
void torture_arm(void)
{
	const unsigned int a = torture_below(TORTURE_WORKERS);
	const unsigned int b = (a + 1 + torture_below(TORTURE_WORKERS - 1)) % TORTURE_WORKERS;
	struct torture_client *c = torture_client_any();
	uint64_t trigger = (uint64_t)torture_worker_pid(a), tenant;
	uint32_t target = KFD_XSCHED_TARGET_PROCESS;
	struct kfd_xsched_entry e;
	bool mixed;
	int ret;

	if (!c || c->nr_armed == TORTURE_ARMED_EACH)
		return;
	e = armed_entry(c, torture_worker_pid(b));
	tenant = torture_below(6) ? 0 : torture_client_tenant(c);
	if (tenant) {
		target = KFD_XSCHED_TARGET_TENANT;
		trigger = tenant;
	}
	mixed = tenant || e.target == KFD_XSCHED_TARGET_TENANT;
	torture_did("client %u: ARM: trigger %u %llu, op %u, target %u %llu", c->index, target,
		    (unsigned long long)trigger, e.op, e.target, (unsigned long long)e.id);
	ret = xsarm_set(c->fd, target, trigger, &e, 1);
	if (torture_client_got(c, ret, ret == -ESRCH || ret == -ENOENT || ret == -ELOOP ||
			       (mixed && ret == -EINVAL)))
		c->armed[c->nr_armed++] = (uint64_t)ret;
}

/* Which may have gone with its trigger. */
void torture_clear(void)
{
	struct torture_client *c = torture_client_any();
	const bool async = torture_below(2);
	unsigned int i;
	uint64_t id;
	int ret;

	if (!c || !c->nr_armed)
		return;
	i = torture_below(c->nr_armed);
	id = c->armed[i];
	c->armed[i] = c->armed[--c->nr_armed];
	torture_did("client %u: CLEAR %llu%s", c->index, (unsigned long long)id,
		    async ? ", ASYNC" : "");
	ret = async ? xsarm_clear_async(c->fd, id) : xsarm_clear(c->fd, id);
	torture_client_got(c, ret, ret == -ESRCH);
}

/* ---- events -------------------------------------------------------------- */

void torture_subscribe(void)
{
	struct torture_client *c = torture_client_any();
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.events = torture_below(1U << EVENT_TYPES),
	};

	if (!c)
		return;
	if (arg.events & (BIT(READY) | BIT(IDLE))) {
		arg.flags = torture_below(4) ? 0 : KFD_XSCHED_SUBSCRIBE_NO_TAP;
		arg.sample_us = torture_below(2) ? 0 : 500 + torture_below(5000);
		arg.settle_us = torture_below(5000);
	}
	torture_did("client %u: SUBSCRIBE %#x", c->index, arg.events);
	torture_client_got(c, xsdev_ioctl(c->fd, KFD_XSCHED_SUBSCRIBE, &arg), false);
}

/* A switch leaves out what it may not do, and says so. */
static bool armed_may(uint32_t error)
{
	return !error || error == ESRCH || error == EINVAL || error == EBUSY || error == EDQUOT ||
		error == ENOMEM;
}

/* What is wrong with an event, or NULL. */
static const char *wrong_with(struct torture_client *c, const struct kfd_xsched_event *e)
{
	const bool lossy = torture.harm == TORTURE_WORK_IS_LOST;

	switch (e->type) {
	case KFD_XSCHED_EVENT_APPLY_DONE:
		if (!c->outstanding)
			return "an ASYNC call ended twice";
		c->outstanding--;
		return e->data && !lossy ? "an ASYNC call failed" : NULL;
	case KFD_XSCHED_EVENT_ARMED:
		return armed_may(KFD_XSCHED_ARMED_ERRNO(e->data)) || lossy ? NULL :
			"an armed switch failed";
	case KFD_XSCHED_EVENT_EJECTED:
		return c->ejected || torture.short_lease ? NULL : "it was ejected";
	default:
		return e->type < EVENT_TYPES ? NULL : "no such event";
	}
}

static void hear(void *argument, const struct kfd_xsched_event *e)
{
	struct torture_client *c = argument;
	const char *wrong = wrong_with(c, e);

	if (wrong)
		torture_violation(TORTURE_EVENTS, "client %u: %s, data %#llx", c->index, wrong,
				  (unsigned long long)e->data);
}

static int drain(struct torture_client *c)
{
	return torture_hear(c->fd, hear, c);
}

/* An ejected one may have something to read still. */
void torture_read(void)
{
	struct torture_client *c = torture_client_any();
	int ret;

	if (!c)
		return;
	torture_did("client %u: read", c->index);
	ret = drain(c);
	if (ret || !c->ejected)
		torture_client_got(c, ret, false);
	else
		torture_got(ret);
}

/* ---- the end of an epoch ------------------------------------------------- */

static void wait_answered(struct torture_client *c)
{
	const uint64_t until = xsdev_now() + ANSWERED_MS * TORTURE_MS;
	int ret;

	torture_did("client %u: %u ASYNC calls end", c->index, c->outstanding);
	ret = drain(c);
	while (!ret && c->outstanding && xsdev_now() < until) {
		xsdev_sleep_ms(10);
		ret = drain(c);
	}
	if (ret || c->outstanding)
		torture_violation(TORTURE_EVENTS, "client %u: %u ASYNC calls do not end: %d",
				  c->index, c->outstanding, ret);
}

void torture_clients_answered(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_CLIENTS; i++)
		if (clients[i].fd >= 0 && !clients[i].ejected && !torture.short_lease)
			wait_answered(&clients[i]);
}

void torture_clients_close(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_CLIENTS; i++)
		if (clients[i].fd >= 0)
			close_client(&clients[i]);
}

void torture_clients_begin(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_CLIENTS; i++)
		clients[i] = (struct torture_client){ .index = i, .fd = -1 };
}

void torture_clients_forget(void)
{
	unsigned int i;

	for (i = 0; i < TORTURE_CLIENTS; i++)
		if (clients[i].fd >= 0)
			close(clients[i].fd);
	close(torture.root);
	close(torture.told);
}
