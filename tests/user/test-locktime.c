// SPDX-License-Identifier: MIT
/*
 * What many clients ask for costs others nothing: a user has as many clients, requests, tenants,
 * subscriptions and armed switches as there may be. Root can hold and release his processes all
 * the same, no call of root or of another user takes twice as long as without all that, and none,
 * his own included, keeps xs_lock for longer than a moment. What interrupts take of a hold, and
 * tasks that are let run in its holder's place, has a bound of its own: for who waits, it is the
 * same.
 *
 * For a guest whose time is that of its instructions (--icount).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crowd.h"
#include "lease.h"
#include "locktime.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "xsarm.h"
#include "xsdev.h"

#define BOUND_US	100	/* the longest that a call may keep xs_lock, up to 64 entries */
#define BOUND_MOST_US	KFD_XSCHED_MAX_ENTRIES	/* with the most there may be: 1 us an entry */
#define WHOLE_US	1000	/* with interrupts and other tasks, beyond that */
#define TIMES_LONGER	2	/* with the other clients, at the most */

#define ALICE		1000
#define BOB		1001
#define PROCESSES	4	/* of Alice */
#define QUEUES		64	/* of Alice, in all of them */
#define OF_BOB		2
#define QUEUES_OF_BOB	16
#define ENTRIES		64
#define MAX_CLIENTS	2048
#define HOLDERS		32	/* XS_REQUESTS_ON_TARGET: of one user */
#define REPEATS		9
#define LISTED		1024
#define LARGE		250	/* queues of one process */
#define PROBED		1000
#define SHORT_MS	50	/* a lease; so often the watchdog looks */
#define TICKS		10
#define SETTLED_MS	20000

#define MOST	"RESUME of as much as a call can name, "
#define MANY	"SUSPEND of " TEXT(LARGE) " queues"
#define APP	KFD_XSCHED_PRIORITY_APP
#define TEXT_OF(_x) #_x
#define TEXT(_x) TEXT_OF(_x)
#define OP(_op)	KFD_XSCHED_OP_##_op
#define ON(_on)	KFD_XSCHED_TARGET_##_on
#define BIT(_e)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##_e)
#define EVENTS	(BIT(READY) | BIT(IDLE) | BIT(QUEUE_ADD) | BIT(QUEUE_DEL) |	\
		 BIT(PROCESS_EXIT) | BIT(ARMED))

/**
 * struct owner - a user with processes
 * @uid: the user
 * @processes: how many
 * @of: each
 * @count: how many queues they have
 * @queues: ids of these
 * @others: how many are not of the first process
 * @other: ids of those
 */
struct owner {
	uid_t uid;
	unsigned int processes;
	struct crowd of[PROCESSES];
	unsigned int count;
	uint64_t queues[QUEUES];
	unsigned int others;
	uint64_t other[QUEUES];
};

static struct owner alice = { .uid = ALICE, .processes = PROCESSES };
static struct owner bob = { .uid = BOB, .processes = OF_BOB };

/* Clients: one of root that holds nothing, and all that Alice may have. */
static int root;
static int clients[MAX_CLIENTS];
static unsigned int nr_clients;

static long limit_of(const char *name)
{
	const long limit = sysfile_number(SYSFILE_GLOBAL "limits_of_user/%s", name);

	if (limit <= 0)
		tap_bail("the limit of %s is %ld", name, limit);
	return limit;
}

/* ---- processes with queues ------------------------------------------------------ */

static void owner_note(struct owner *o, const struct kfd_xsched_queue *q)
{
	unsigned int i;

	for (i = 0; i < o->processes; i++) {
		if (o->of[i].pid != q->pid || o->count == QUEUES)
			continue;
		o->queues[o->count++] = q->id;
		if (i)
			o->other[o->others++] = q->id;
	}
}

static void owner_start(struct owner *o, unsigned int queues)
{
	static struct kfd_xsched_queue listed[LISTED];
	unsigned int i;
	int n;

	for (i = 0; i < o->processes; i++)
		crowd_start(&o->of[i], o->uid, queues / o->processes);
	n = xsdev_list(root, listed, LISTED);
	for (i = 0; (int)i < n && i < LISTED; i++)
		owner_note(o, &listed[i]);
	if (o->count != queues)
		tap_bail("%u queues of user %u are listed, of %u", o->count, o->uid, queues);
}

static void owner_stop(struct owner *o)
{
	unsigned int i;

	for (i = 0; i < o->processes; i++)
		crowd_stop(&o->of[i]);
}

/* ---- calls ---------------------------------------------------------------------- */

/**
 * struct ask - what an APPLY asks of a user's queues, or processes
 * @op: KFD_XSCHED_OP_*
 * @on: KFD_XSCHED_TARGET_*
 * @value: of the entries
 */
struct ask {
	uint32_t op;
	uint32_t on;
	int32_t value;
};

static const struct ask suspend_queues = { OP(SUSPEND), ON(QUEUE), 0 };
static const struct ask resume_queues = { OP(RESUME), ON(QUEUE), 0 };
static const struct ask priority_queues = { OP(SET_PRIORITY), ON(QUEUE), 3 };
static const struct ask app_queues = { OP(SET_PRIORITY), ON(QUEUE), APP };
static const struct ask suspend_processes = { OP(SUSPEND), ON(PROCESS), 0 };
static const struct ask resume_processes = { OP(RESUME), ON(PROCESS), 0 };
static const struct ask priority_processes = { OP(SET_PRIORITY), ON(PROCESS), 3 };
static const struct ask app_processes = { OP(SET_PRIORITY), ON(PROCESS), APP };

static void fill(struct kfd_xsched_entry *entries, unsigned int count, const struct owner *o,
		 const struct ask *ask)
{
	unsigned int i;

	memset(entries, 0, count * sizeof(*entries));
	for (i = 0; i < count; i++) {
		entries[i].op = ask->op;
		entries[i].target = ask->on;
		entries[i].id = ask->on == ON(QUEUE) ? o->queues[i % o->count] :
			(uint64_t)o->of[i % o->processes].pid;
		entries[i].value = ask->value;
	}
}

static int apply(int fd, const struct owner *o, const struct ask *ask)
{
	struct kfd_xsched_entry entries[ENTRIES];

	fill(entries, ENTRIES, o, ask);
	return xsdev_apply(fd, entries, ENTRIES, NULL);
}

static int arm(int fd, const struct owner *o, uint32_t count)
{
	struct kfd_xsched_entry entries[ENTRIES];
	unsigned int i;

	memset(entries, 0, sizeof(entries));
	for (i = 0; i < count && i < ENTRIES; i++) {
		entries[i].op = OP(SUSPEND);
		entries[i].target = ON(QUEUE);
		entries[i].id = o->other[i % o->others];
	}
	return xsarm_set(fd, ON(PROCESS), (uint64_t)o->of[0].pid, entries, count);
}

/**
 * struct caller - who makes all calls
 * @who: in a word
 * @uid: as whom
 * @fd: by which client
 * @on: on whose processes
 * @tenant: that the client has
 * @armed: likewise
 */
struct caller {
	const char *who;
	uid_t uid;
	int fd;
	const struct owner *on;
	int tenant;
	int armed;
};

static int call_info(struct caller *c)
{
	struct kfd_xsched_node node;

	return xsdev_node(c->fd, &node);
}

static int call_list(struct caller *c)
{
	static struct kfd_xsched_queue listed[LISTED];
	const int n = xsdev_list(c->fd, listed, LISTED);

	return n < 0 ? n : 0;
}

/* All that the others ask for is staged, and dropped. */
static int call_bad(struct caller *c)
{
	struct kfd_xsched_entry entries[ENTRIES];

	fill(entries, ENTRIES, c->on, &suspend_queues);
	entries[ENTRIES - 1].id = UINT64_MAX;
	return xsdev_apply(c->fd, entries, ENTRIES, NULL);
}

/* The longest array there may be. */
static int call_most(struct caller *c, const struct ask *ask)
{
	static struct kfd_xsched_entry entries[KFD_XSCHED_MAX_ENTRIES];

	fill(entries, KFD_XSCHED_MAX_ENTRIES, c->on, ask);
	return xsdev_apply(c->fd, entries, KFD_XSCHED_MAX_ENTRIES, NULL);
}

static int call_most_queues(struct caller *c)
{
	return call_most(c, &resume_queues);
}

/* With more steps than a call may have. */
static int call_most_processes(struct caller *c)
{
	return call_most(c, &resume_processes);
}

static int call_tenant_create(struct caller *c)
{
	c->tenant = xsdev_tenant(c->fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	return c->tenant < 0 ? c->tenant : 0;
}

static int call_tenant_add(struct caller *c)
{
	return xsdev_tenant(c->fd, KFD_XSCHED_TENANT_ADD, (uint64_t)c->tenant, c->on->of[0].pid);
}

static int call_tenant_suspend(struct caller *c)
{
	return xsdev_tenant_op(c->fd, OP(SUSPEND), (uint64_t)c->tenant, 0, NULL);
}

static int call_tenant_resume(struct caller *c)
{
	return xsdev_tenant_op(c->fd, OP(RESUME), (uint64_t)c->tenant, 0, NULL);
}

static int call_tenant_remove(struct caller *c)
{
	return xsdev_tenant(c->fd, KFD_XSCHED_TENANT_REMOVE, (uint64_t)c->tenant, c->on->of[0].pid);
}

static int call_tenant_destroy(struct caller *c)
{
	return xsdev_tenant(c->fd, KFD_XSCHED_TENANT_DESTROY, (uint64_t)c->tenant, 0);
}

static int call_arm_set(struct caller *c)
{
	c->armed = arm(c->fd, c->on, ENTRIES);
	return c->armed < 0 ? c->armed : 0;
}

static int call_arm_clear(struct caller *c)
{
	return xsarm_clear(c->fd, (uint64_t)c->armed);
}

static int call_subscribe(struct caller *c)
{
	return xsdev_subscribe(c->fd, EVENTS, 0, 0);
}

static int call_unsubscribe(struct caller *c)
{
	return xsdev_subscribe(c->fd, 0, 0, 0);
}

/* ---- all kinds of calls, one after another ---------------------------------------- */

/**
 * struct step - a call
 * @name: of it
 * @ask: an APPLY that asks that; or NULL, and
 * @call: makes it: 0 or -errno
 * @want: what it is to return
 */
struct step {
	const char *name;
	const struct ask *ask;
	int (*call)(struct caller *c);
	int want;
};

/* What one takes the next gives back. */
static const struct step steps[] = {
	{ "INFO", .call = call_info },
	{ "LIST", .call = call_list },
	{ "SUSPEND, queues", .ask = &suspend_queues },
	{ "RESUME, queues", .ask = &resume_queues },
	{ "SET_PRIORITY, queues", .ask = &priority_queues },
	{ "SET_PRIORITY APP, queues", .ask = &app_queues },
	{ "SUSPEND, processes", .ask = &suspend_processes },
	{ "RESUME, processes", .ask = &resume_processes },
	{ "SET_PRIORITY, processes", .ask = &priority_processes },
	{ "SET_PRIORITY APP, processes", .ask = &app_processes },
	{ "SUSPEND, one entry bad", .call = call_bad, .want = -ENOENT },
	{ MOST "queues", .call = call_most_queues, .want = -EALREADY },
	{ MOST "processes", .call = call_most_processes, .want = -E2BIG },
	{ "TENANT CREATE", .call = call_tenant_create },
	{ "TENANT ADD", .call = call_tenant_add },
	{ "SUSPEND, tenant", .call = call_tenant_suspend },
	{ "RESUME, tenant", .call = call_tenant_resume },
	{ "TENANT REMOVE", .call = call_tenant_remove },
	{ "TENANT DESTROY", .call = call_tenant_destroy },
	{ "ARM SET", .call = call_arm_set },
	{ "ARM CLEAR", .call = call_arm_clear },
	{ "SUBSCRIBE", .call = call_subscribe },
	{ "SUBSCRIBE to nothing", .call = call_unsubscribe },
};

#define STEPS	(sizeof(steps) / sizeof(steps[0]))

/* How long each call took, ns. */
struct times {
	uint64_t of[STEPS][REPEATS];
};

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t median(struct times *t, unsigned int step)
{
	qsort(t->of[step], REPEATS, sizeof(t->of[step][0]), compare);
	return t->of[step][REPEATS / 2];
}

/* Whether it returned what it should. @when: "" or a word more about who. */
static bool make(struct caller *c, const char *when, unsigned int step, uint64_t *took)
{
	uint64_t begin;
	int ret;

	locktime_call("%s%s: %s", c->who, when, steps[step].name);
	users_become(c->uid);
	begin = xsdev_now();
	ret = steps[step].ask ? apply(c->fd, c->on, steps[step].ask) : steps[step].call(c);
	*took = xsdev_now() - begin;
	users_become(0);
	if (ret != steps[step].want)
		tap_note("%s%s: %s: %d, want %d", c->who, when, steps[step].name, ret,
			 steps[step].want);
	return ret == steps[step].want;
}

static void make_all(struct caller *c, const char *when, struct times *t)
{
	unsigned int i, step, wrong = 0;

	for (i = 0; i < REPEATS; i++) {
		for (step = 0; step < STEPS; step++)
			wrong += !make(c, when, step, &t->of[step][i]);
	}
	locktime_call("between calls");
	locktime_collect();
	tap_is(wrong, 0, "%s%s: each call returns what it should", c->who, when);
}

static void report_times(const struct caller *c, struct times *alone, struct times *among)
{
	uint64_t before, after;
	unsigned int step;

	tap_note("%s: how long a call takes, us: alone, and with all clients", c->who);
	for (step = 0; step < STEPS; step++) {
		before = median(alone, step);
		after = median(among, step);
		tap_note("%-34s %8.1f %8.1f", steps[step].name, before / 1e3, after / 1e3);
		tap_ok(after <= TIMES_LONGER * before, "%s: %s takes as long as alone", c->who,
		       steps[step].name);
	}
}

/* ---- Alice: all that a user may have ------------------------------------------------ */

static int act_subscribe(unsigned int i)
{
	return xsdev_subscribe(clients[i], EVENTS, 0, 0);
}

/* So that all of them together have as many as there may be. */
static int act_create_tenants(unsigned int i)
{
	static long each;
	long n;
	int ret = 0;

	if (!each)
		each = limit_of("tenants") / nr_clients;
	for (n = 0; n < each && ret >= 0; n++)
		ret = xsdev_tenant(clients[i], KFD_XSCHED_TENANT_CREATE, 0, 0);
	return ret < 0 ? ret : 0;
}

static int act_create_tenant(unsigned int i)
{
	const int ret = xsdev_tenant(clients[i], KFD_XSCHED_TENANT_CREATE, 0, 0);

	return ret < 0 ? ret : 0;
}

/* A client's tenants have the numbers from 1 on. */
static int act_add_members(unsigned int i)
{
	unsigned int p;
	int ret = 0;

	for (p = 0; p < PROCESSES && !ret; p++)
		ret = xsdev_tenant(clients[i], KFD_XSCHED_TENANT_ADD, p + 1, alice.of[p].pid);
	return ret;
}

/* As many switches as a client may have, with as many entries as all of them may have. */
static int act_arm(unsigned int i)
{
	static long entries;
	unsigned int n;
	int ret = 0;

	if (!entries)
		entries = limit_of("armed_entries") / limit_of("armed");
	for (n = 0; n < KFD_XSCHED_MAX_ARMED && ret >= 0; n++)
		ret = arm(clients[i], &alice, (uint32_t)entries);
	return ret < 0 ? ret : 0;
}

/* Every client tries. So many succeed, and all others are refused with that error. */
static void everybody(const char *what, int (*act)(unsigned int i), long granted, int refused)
{
	unsigned int i, good = 0, wrong = 0;
	int ret;

	locktime_call("alice: %s", what);
	users_become(ALICE);
	for (i = 0; i < nr_clients; i++) {
		ret = act(i);
		good += !ret;
		wrong += ret && ret != refused;
		if (ret && ret != refused && wrong == 1)
			tap_note("%s, client %u: error %d", what, i, ret);
	}
	users_become(0);
	locktime_call("between calls");
	locktime_collect();
	if (!tap_ok(good == granted && !wrong, "alice: %s: %ld clients can, all others get %d",
		    what, granted, refused))
		tap_note("%u can, %u get another error", good, wrong);
}

static const struct ask *asked;

static int act_ask(unsigned int i)
{
	return apply(clients[i], &alice, asked);
}

/* The same of an APPLY. */
static void everybody_asks(const char *what, const struct ask *ask, long granted, int refused)
{
	asked = ask;
	everybody(what, act_ask, granted, refused);
}

/* What all clients of a user have of something, as root reads it. */
static long account(uid_t uid, const char *what)
{
	static char text[1 << 16];
	char user[32], word[32];
	const char *at;

	snprintf(user, sizeof(user), "user %u:", uid);
	snprintf(word, sizeof(word), " %s=", what);
	if (sysfile_read(text, sizeof(text), SYSFILE_ACCOUNTS) < 0)
		tap_bail(SYSFILE_ACCOUNTS " cannot be read");
	at = strstr(text, user);
	at = at ? strstr(at, word) : NULL;
	return at ? atol(at + strlen(word)) : -1;
}

static void open_clients(void)
{
	const long limit = limit_of("clients");
	struct rlimit many;

	if (limit > MAX_CLIENTS)
		tap_bail("%ld clients are too many", limit);
	many.rlim_cur = many.rlim_max = (rlim_t)limit + 256;
	if (setrlimit(RLIMIT_NOFILE, &many))
		tap_bail("no %ld files: error %d", limit, -errno);
	locktime_call("alice: open");
	while (nr_clients < limit)
		clients[nr_clients++] = users_open(ALICE);
	locktime_call("between calls");
	locktime_collect();
	tap_note("%u clients of Alice", nr_clients);
}

static void ask_for_nothing(void)
{
	everybody_asks("RESUME of nothing, queues", &resume_queues, 0, -EALREADY);
	everybody_asks("RESUME of nothing, processes", &resume_processes, 0, -EALREADY);
	everybody_asks("SET_PRIORITY APP, queues", &app_queues, nr_clients, 0);
	everybody_asks("SET_PRIORITY APP, processes", &app_processes, nr_clients, 0);
	tap_is(account(ALICE, "requests"), 0, "alice: of what asks for nothing nothing is left");
}

/* A client may have a whole limit, and go with it. */
static void close_full(void)
{
	unsigned int i, tenants = 0;
	int fd;

	close(clients[--nr_clients]);
	fd = users_open(ALICE);
	locktime_call("alice: TENANT CREATE, all of one client");
	for (i = 0; i < KFD_XSCHED_MAX_TENANTS; i++)
		tenants += xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0) > 0;
	locktime_call("alice: close of " TEXT(KFD_XSCHED_MAX_TENANTS) " tenants");
	close(fd);
	locktime_call("between calls");
	locktime_collect();
	tap_is(tenants, KFD_XSCHED_MAX_TENANTS, "alice: a client has all tenants one may have");
	tap_is(account(ALICE, "tenants"), 0, "and they go with it");
	clients[nr_clients++] = users_open(ALICE);
}

/*
 * The armed switches before the holds: their entries are tried, for which there must be room. The
 * holds by those that have tenants: a member is a request, too.
 */
static void ask_for_all(void)
{
	const long armers = limit_of("armed") / KFD_XSCHED_MAX_ARMED;

	everybody("SUBSCRIBE", act_subscribe, limit_of("subscriptions"), -EDQUOT);
	everybody("TENANT CREATE", act_create_tenants, nr_clients, 0);
	everybody("TENANT CREATE, one more", act_create_tenant, 0, -EDQUOT);
	everybody("ARM SET", act_arm, armers, -EDQUOT);
	everybody("TENANT ADD", act_add_members, HOLDERS, -EDQUOT);
	everybody_asks("SUSPEND, queues", &suspend_queues, HOLDERS, -EDQUOT);
	everybody_asks("SUSPEND, processes", &suspend_processes, HOLDERS, -EDQUOT);
	everybody_asks("SET_PRIORITY, queues", &priority_queues, HOLDERS, -EDQUOT);
	everybody_asks("SET_PRIORITY, processes", &priority_processes, HOLDERS, -EDQUOT);
	/* Of each process one, and one for the GPU. */
	tap_is(account(ALICE, "requests"), HOLDERS * (QUEUES + 2 * PROCESSES),
	       "alice: has the requests of those that hold");
}

/* ---- what else happens --------------------------------------------------------------- */

/* So many clients hold the queue: -errno. */
static int holders_of(uint64_t id)
{
	static struct kfd_xsched_queue listed[LISTED];
	int n = xsdev_list(root, listed, LISTED), i;

	for (i = 0; i < n && i < LISTED; i++)
		if (listed[i].id == id)
			return (int)listed[i].holders;
	return n < 0 ? n : -ENOENT;
}

/* Ids of the queues of a process, each of which is to be held. */
static unsigned int fill_each(struct kfd_xsched_entry *entries, pid_t pid)
{
	static struct kfd_xsched_queue listed[LISTED];
	const int n = xsdev_list(root, listed, LISTED);
	unsigned int count = 0;
	int i;

	for (i = 0; i < n && i < LISTED && count < LARGE; i++) {
		if (listed[i].pid != pid)
			continue;
		entries[count++] = (struct kfd_xsched_entry){
			.op = OP(SUSPEND),
			.target = ON(QUEUE),
			.id = listed[i].id,
		};
	}
	return count;
}

/* More requests than can be dropped at once, of a client that is closed, and of an exit. */
static void close_large(void)
{
	static struct kfd_xsched_entry entries[LARGE];
	struct crowd large;
	int fd;

	locktime_call("alice: create of queues");
	crowd_start(&large, ALICE, LARGE);
	fd = users_open(ALICE);
	tap_is(fill_each(entries, large.pid), LARGE, "alice: a process has many queues");
	locktime_call("alice: " MANY);
	tap_is(xsdev_apply(fd, entries, LARGE, NULL), 0, "alice: a client holds them one by one");
	locktime_call("alice: close, " TEXT(LARGE) " queues held");
	close(fd);
	fd = users_open(ALICE);
	tap_is(holders_of(entries[LARGE - 1].id), 0, "and none once it is closed");
	locktime_call("alice: " MANY);
	tap_is(xsdev_apply(fd, entries, LARGE, NULL), 0, "alice: another client holds them");
	locktime_call("alice: exit of a process with " TEXT(LARGE) " queues held");
	crowd_stop(&large);
	tap_is(xsdev_wait_queues(root, QUEUES + QUEUES_OF_BOB, SETTLED_MS), 0, "it exits");
	locktime_call("between calls");
	locktime_collect();
	close(fd);
}

static void test_root(void)
{
	unsigned int i, suspended = 0, held = 0, resumed = 0;

	locktime_call("root: SUSPEND and RESUME, one process");
	for (i = 0; i < PROCESSES; i++)
		suspended += !xsdev_process_op(root, OP(SUSPEND), alice.of[i].pid, 0, NULL);
	for (i = 0; i < QUEUES; i++)
		held += holders_of(alice.queues[i]) == HOLDERS + 1;
	for (i = 0; i < PROCESSES; i++)
		resumed += !xsdev_process_op(root, OP(RESUME), alice.of[i].pid, 0, NULL);
	locktime_call("between calls");
	locktime_collect();
	tap_is(suspended, PROCESSES, "root holds each process of Alice");
	tap_is(held, QUEUES, "all its queues");
	tap_is(resumed, PROCESSES, "and releases it");
	tap_is(holders_of(alice.queues[0]), HOLDERS, "which her clients hold as before");
}

static void test_close(void)
{
	locktime_call("alice: close, 64 queues held");
	close(clients[HOLDERS - 1]);
	clients[HOLDERS - 1] = clients[--nr_clients];
	locktime_call("between calls");
	locktime_collect();
	tap_is(holders_of(alice.queues[0]), HOLDERS - 1, "a client that holds is closed");
}

/* Does not return. */
static void be_mortal(int tell)
{
	int fd, ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresuid(ALICE, ALICE, ALICE))
		_exit(1);
	fd = xsdev_open();
	ret = fd < 0 ? fd : apply(fd, &alice, &suspend_queues);
	if (write(tell, &ret, sizeof(ret)) == sizeof(ret))
		pause();
	_exit(1);
}

/* In place of the one that was closed. */
static void test_death(void)
{
	struct pollfd answer = { .events = POLLIN };
	int tell[2], ret = -EPIPE;
	pid_t pid;

	if (pipe(tell))
		tap_bail("pipe: error %d", -errno);
	pid = fork();
	if (!pid)
		be_mortal(tell[1]);
	close(tell[1]);
	answer.fd = tell[0];
	if (pid < 0 || poll(&answer, 1, SETTLED_MS) != 1 ||
	    read(tell[0], &ret, sizeof(ret)) != sizeof(ret))
		tap_bail("no process that holds");
	close(tell[0]);
	tap_is(ret, 0, "another client holds in its place");
	locktime_call("alice: death, 64 queues held");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	locktime_call("between calls");
	locktime_collect();
	tap_is(holders_of(alice.queues[0]), HOLDERS - 1, "it is killed, and holds nothing");
}

static unsigned int renew_holders(void)
{
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };
	unsigned int i, failed = 0;

	for (i = 0; i < HOLDERS - 1; i++)
		failed += xsdev_ioctl(clients[i], KFD_XSCHED_RENEW, &arg) != 0;
	return failed;
}

/* Those that hold are silent for longer than a lease, but nothing that they hold has work. */
static void test_watchdog(void)
{
	unsigned int failed;

	locktime_call("watchdog: ticks");
	lease_set(SHORT_MS);
	failed = renew_holders();
	xsdev_sleep_ms(TICKS * SHORT_MS);
	lease_set(LEASE_PATIENT_MS);
	failed += renew_holders();
	locktime_call("between calls");
	locktime_collect();
	tap_is(failed, 0, "the watchdog looks at all clients, and ejects none");
}

/* The queue that is destroyed is the first: its id is not known any more. */
static void test_queues(void)
{
	locktime_call("alice: create and destroy of a queue");
	tap_is(crowd_recreate(&alice.of[0]), 0, "a queue of a held process comes and goes");
	locktime_call("bob: create and destroy of a queue");
	tap_is(crowd_recreate(&bob.of[0]), 0, "a queue that nobody holds comes and goes");
	locktime_call("between calls");
	locktime_collect();
}

/* Held processes exit, then clients are closed with all they have. */
static void test_end(void)
{
	locktime_call("alice: exit of held processes");
	owner_stop(&alice);
	locktime_call("bob: exit of processes");
	owner_stop(&bob);
	locktime_call("between calls");
	tap_is(xsdev_wait_no_queue(root, SETTLED_MS), 0, "processes exit");
	locktime_collect();
	locktime_call("alice: close");
	while (nr_clients)
		close(clients[--nr_clients]);
	locktime_call("between calls");
	locktime_collect();
	tap_ok(account(ALICE, "clients") <= 0, "alice: her clients are closed");
}

/* ---- the outcome ---------------------------------------------------------------------- */

/* What is measured and what is not are the same calls: the probes are the difference. */
static void measure_probes(void)
{
	struct caller c = { .fd = root };
	uint64_t took[2], begin;
	unsigned int i, n;

	for (i = 0; i < 2; i++) {
		locktime_watch(i);
		begin = xsdev_now();
		for (n = 0; n < PROBED; n++)
			call_info(&c);
		took[i] = xsdev_now() - begin;
	}
	locktime_collect();
	tap_note("the probes take %.2f us each time; a hold has a part of that",
		 ((double)took[1] - (double)took[0]) / PROBED / 1e3);
}

static int bound_us(const char *call)
{
	if (strstr(call, MANY))
		return LARGE;
	return strstr(call, MOST) ? BOUND_MOST_US : BOUND_US;
}

/* All numbers before the first verdict. */
static void report_holds(void)
{
	const unsigned long missed = locktime_end();
	const struct locktime_row *rows;
	const unsigned int n = locktime_rows(&rows);
	unsigned int i, late = 0;

	tap_note("%-48s %8s %8s %8s %8s", "the longest hold of xs_lock", "us", "away", "whole",
		 "holds");
	for (i = 0; i < n; i++)
		tap_note("%-48s %8lu %8lu %8lu %8u  %s-%d in %s", rows[i].call,
			 (unsigned long)rows[i].longest_us, (unsigned long)rows[i].away_us,
			 (unsigned long)rows[i].whole_us, rows[i].holds, rows[i].comm, rows[i].pid,
			 rows[i].function);
	tap_is((long)missed, 0, "no hold was missed");
	for (i = 0; i < n; i++) {
		tap_ok(rows[i].longest_us <= (uint64_t)bound_us(rows[i].call),
		       "%s: xs_lock is held for %d us at most", rows[i].call,
		       bound_us(rows[i].call));
		late += rows[i].whole_us > (uint64_t)bound_us(rows[i].call) + WHOLE_US;
	}
	tap_is(late, 0, "with interrupts and other tasks, for %d us more at most", WHOLE_US);
}

static void prepare(void)
{
	struct kfd_xsched_node node;

	if (xsdev_node(root, &node))
		tap_bail("no node");
	if (xsdev_wait_no_queue(root, SETTLED_MS))
		tap_bail("somebody else has queues");
	if (lease_set(LEASE_PATIENT_MS) ||
	    sysfile_set(0, "/sys/class/kfd_xsched/node%u/user_rate", node.gpu_id))
		tap_bail("the lease or the rate cannot be set");
	crowd_allow();
	users_admit(true);
	locktime_begin();
	measure_probes();
	locktime_call("alice: create of queues");
	owner_start(&alice, QUEUES);
	locktime_call("bob: create of queues");
	owner_start(&bob, QUEUES_OF_BOB);
	locktime_call("between calls");
	locktime_collect();
}

int main(void)
{
	static struct times alone[2], among[2];
	struct caller callers[2];
	unsigned int i;

	root = users_open(0);
	if (!xsdev_can(root, KFD_XSCHED_CAP_SUSPEND | KFD_XSCHED_CAP_PRIORITY)) {
		tap_skip("the node has no priorities", "how long xs_lock is held");
		return tap_done();
	}
	prepare();
	callers[0] = (struct caller){ .who = "root", .fd = users_open(0), .on = &alice };
	callers[1] = (struct caller){ .who = "bob", .uid = BOB, .fd = users_open(BOB), .on = &bob };
	for (i = 0; i < 2; i++)
		make_all(&callers[i], " alone", &alone[i]);
	close_large();
	open_clients();
	ask_for_nothing();
	close_full();
	ask_for_all();
	test_root();
	for (i = 0; i < 2; i++)
		make_all(&callers[i], "", &among[i]);
	test_close();
	test_death();
	test_watchdog();
	test_queues();
	test_end();
	for (i = 0; i < 2; i++)
		close(callers[i].fd);
	report_holds();
	for (i = 0; i < 2; i++)
		report_times(&callers[i], &alone[i], &among[i]);
	users_admit(false);
	return tap_done();
}
