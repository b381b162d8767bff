// SPDX-License-Identifier: MIT
/*
 * Permissions: each kind of caller, with processes of each kind of owner. A row of
 * the matrix is a caller and a target, a column an operation.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsarm.h"

#define ALICE	1000
#define BOB	1001
#define CAROL	1002	/* has no process of her own */

/* ---- columns ------------------------------------------------------------- */

/**
 * struct attempt - what one caller gets when it tries everything on one process
 * @list: queues of the process that LIST shows
 * @watch: events of a queue of it that came
 * @suspend: of the process
 * @suspend_queue: of its queue, by id
 * @resume: of the process
 * @lower: SET_PRIORITY 3
 * @normal: SET_PRIORITY 7
 * @raise: SET_PRIORITY 8
 * @arm: a switch that suspends the process
 * @trigger: a switch that it triggers
 */
struct attempt {
	int list;
	int watch;
	int suspend;
	int suspend_queue;
	int resume;
	int lower;
	int normal;
	int raise;
	int arm;
	int trigger;
};

#define COLUMNS		(sizeof(struct attempt) / sizeof(int))

static const char *const columns[COLUMNS] = {
	"list", "watch", "suspend", "suspend one queue", "resume", "lower the priority",
	"set the normal priority", "raise the priority", "arm a switch of it",
	"arm a switch it triggers"
};

/* What may come of it. */
static const struct attempt all = { .list = 1, .watch = 1 };
static const struct attempt own = { .list = 1, .watch = 1, .raise = -EPERM };
static const struct attempt none = {
	.suspend = -EPERM, .suspend_queue = -EPERM, .resume = -EPERM, .lower = -EPERM,
	.normal = -EPERM, .raise = -EPERM, .arm = -EPERM, .trigger = -EPERM,
};
/* Not to be named by number, for there it has none; but by the id of its queue. */
static const struct attempt unseen = {
	.list = 1, .watch = 1, .suspend = -ENOENT, .resume = -ENOENT, .lower = -ENOENT,
	.normal = -ENOENT, .raise = -ENOENT, .arm = -ENOENT, .trigger = -ENOENT,
};
static const struct attempt unseen_none = {
	.suspend = -ENOENT, .suspend_queue = -EPERM, .resume = -ENOENT, .lower = -ENOENT,
	.normal = -ENOENT, .raise = -ENOENT, .arm = -ENOENT, .trigger = -ENOENT,
};

/**
 * struct target - the process it is tried on
 * @w: the process
 * @pid: its number where the caller is
 * @queue: id of its queue
 */
struct target {
	struct worker *w;
	pid_t pid;
	uint64_t queue;
};

static int count_listed(int fd, uint64_t queue)
{
	struct kfd_xsched_queue queues[64];
	int n = xsdev_list(fd, queues, 64), i, found = 0;

	for (i = 0; i < n && i < 64; i++)
		found += queues[i].id == queue;
	return n < 0 ? n : found;
}

/* A queue of the target is created: clients that may act on it get an event. */
static int count_events(int fd, const struct target *t)
{
	struct kfd_xsched_event event;
	int ret = xsdev_subscribe(fd, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_QUEUE_ADD), 0, 0);

	if (ret || worker_add_queue(t->w) < 0)
		return -EIO;
	/* It is reported before the queue can be used. */
	return xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_ADD, 0, 0, &event) ? 0 : 1;
}

/* A switch on the process, or triggered by it, with an own and empty set as the other. */
static int arm(int fd, pid_t pid, bool triggers)
{
	const uint64_t set = (uint64_t)xsdev_tenant(fd, KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct kfd_xsched_entry on_it = XSARM_ENTRY(SUSPEND, PROCESS, pid, 0);
	struct kfd_xsched_entry on_set = XSARM_ENTRY(SUSPEND, TENANT, set, 0);
	int id = triggers ?
		xsarm_set(fd, KFD_XSCHED_TARGET_PROCESS, (uint64_t)pid, &on_set, 1) :
		xsarm_set(fd, KFD_XSCHED_TARGET_TENANT, set, &on_it, 1);

	return id > 0 ? xsarm_clear(fd, (uint64_t)id) : id;
}

static void try_all(const struct target *t, struct attempt *a)
{
	int fd = xsdev_open();

	if (fd < 0) {
		a->list = fd;
		return;
	}
	a->list = count_listed(fd, t->queue);
	a->watch = count_events(fd, t);
	a->suspend = xsdev_process_op(fd, KFD_XSCHED_OP_SUSPEND, t->pid, 0, NULL);
	a->suspend_queue = xsdev_queue_op(fd, KFD_XSCHED_OP_SUSPEND, t->queue, 0, NULL);
	a->resume = xsdev_process_op(fd, KFD_XSCHED_OP_RESUME, t->pid, 0, NULL);
	a->lower = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, t->pid, 3, NULL);
	a->normal = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, t->pid,
				     KFD_XSCHED_PRIORITY_NORMAL, NULL);
	a->raise = xsdev_process_op(fd, KFD_XSCHED_OP_SET_PRIORITY, t->pid,
				    KFD_XSCHED_PRIORITY_NORMAL + 1, NULL);
	a->arm = arm(fd, t->pid, false);
	a->trigger = arm(fd, t->pid, true);
	close(fd);
}

/* ---- callers ------------------------------------------------------------- */

static int as_root(void)
{
	return 0;
}

static int as_alice(void)
{
	return users_become_for_good(ALICE);
}

static int as_bob(void)
{
	return users_become_for_good(BOB);
}

/* A user with one capability, and no other. */
static int with_cap_sys_nice(void)
{
	if (prctl(PR_SET_KEEPCAPS, 1) || users_become_for_good(CAROL))
		return -EPERM;
	return users_keep_capabilities(USERS_SYS_NICE, USERS_SYS_NICE);
}

/* The same, the other way round: root without it. */
static int without_cap_sys_nice(void)
{
	return users_keep_capabilities(~USERS_SYS_NICE, ~USERS_SYS_NICE);
}

/*
 * Alice, as root of a user namespace of her own, with all capabilities there. Any user can
 * have these, so they are not enough to raise even her own processes.
 */
static int as_root_of_a_user_namespace(void)
{
	char map[32];
	int ret = users_become_for_good(ALICE);

	if (ret || unshare(CLONE_NEWUSER))
		return ret ? ret : -errno;
	snprintf(map, sizeof(map), "0 %d 1\n", ALICE);
	ret = sysfile_write("deny", "/proc/self/setgroups");
	if (!ret)
		ret = sysfile_write(map, "/proc/self/uid_map");
	if (!ret)
		ret = sysfile_write(map, "/proc/self/gid_map");
	return ret;
}

/* Children are in it, the caller is not: so fork, and become the caller's user there. */
static int in_new_pid_namespace(int (*become_caller)(void))
{
	pid_t child;
	int status;

	if (unshare(CLONE_NEWPID))
		return -errno;
	child = fork();
	if (!child)
		return become_caller();
	waitpid(child, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Alice, in a pid namespace. */
static int in_a_pid_namespace(void)
{
	return in_new_pid_namespace(as_alice);
}

/* As in a container without privileges: Alice is root, in a user and a pid namespace. */
static int in_both_namespaces(void)
{
	return in_new_pid_namespace(as_root_of_a_user_namespace);
}

/* Root of the system in a pid namespace: a container with all privileges. */
static int as_root_in_a_pid_namespace(void)
{
	return in_new_pid_namespace(as_root);
}

/* ---- rows ---------------------------------------------------------------- */

/* In a child, as the caller; the answers come through a pipe. */
static void try_as(int (*become_caller)(void), const struct target *t, bool inside,
		   struct attempt *a)
{
	int pipefd[2], status;
	pid_t child;

	memset(a, 0xff, sizeof(*a));
	if (pipe(pipefd))
		tap_bail("pipe: error %d", -errno);
	fflush(stdout);
	child = fork();
	if (!child) {
		struct target mine;
		struct worker w;
		int fd;

		if (become_caller())
			_exit(1);
		if (inside) {
			struct kfd_xsched_queue q;
			uint32_t id;

			fd = xsdev_open();
			if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &id) ||
			    xsdev_find(fd, w.pid, id, &q))
				_exit(2);
			close(fd);
			mine = (struct target){ .w = &w, .pid = w.pid, .queue = q.id };
			t = &mine;
		}
		try_all(t, a);
		if (inside)
			worker_stop(&w);
		_exit(write(pipefd[1], a, sizeof(*a)) == sizeof(*a) ? 0 : 1);
	}
	close(pipefd[1]);
	if (read(pipefd[0], a, sizeof(*a)) != sizeof(*a))
		tap_note("no answer from the caller");
	close(pipefd[0]);
	waitpid(child, &status, 0);
}

static void expect(const char *who, const struct attempt *a, const struct attempt *wanted)
{
	const int *got = (const int *)a, *want = (const int *)wanted;
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		tap_is(got[i], want[i], "%s: %s", who, columns[i]);
}

/**
 * struct row - a caller and a target
 * @who: both, in words
 * @caller: become it, in a child
 * @ids: of the target; all zero: root's
 * @inside: the target is started by the caller, where that is
 * @wanted: what comes of it
 */
struct row {
	const char *who;
	int (*caller)(void);
	struct worker_ids ids;
	bool inside;
	const struct attempt *wanted;
};

#define IDS_ALICE	{ ALICE, ALICE, ALICE, true }
#define IDS_BOB		{ BOB, BOB, BOB, true }
#define IDS_ROOT	{ 0, 0, 0, true }
#define IDS_SETUID	{ ALICE, ALICE, 0, true }
#define IDS_SETUID_RUN	{ ALICE, 0, 0, true }
#define IDS_CHANGED	{ ALICE, ALICE, ALICE, false }

static const struct row rows[] = {
	{ "root, another's", as_root, IDS_ALICE, false, &all },
	{ "root, a set-uid program's", as_root, IDS_SETUID, false, &all },
	{ "CAP_SYS_NICE alone, another's", with_cap_sys_nice, IDS_ALICE, false, &all },
	{ "CAP_SYS_NICE alone, root's", with_cap_sys_nice, IDS_ROOT, false, &all },
	{ "CAP_SYS_NICE alone, a set-uid program's", with_cap_sys_nice, IDS_SETUID, false, &all },
	{ "root without CAP_SYS_NICE, another's", without_cap_sys_nice, IDS_ALICE, false, &none },
	{ "root without CAP_SYS_NICE, root's", without_cap_sys_nice, IDS_ROOT, false, &own },
	{ "same uid", as_alice, IDS_ALICE, false, &own },
	{ "other uid", as_bob, IDS_ALICE, false, &none },
	{ "other uid, root's", as_alice, IDS_ROOT, false, &none },
	{ "same uid, a set-uid program that keeps root's", as_alice, IDS_SETUID, false, &none },
	{ "same uid, a set-uid program as root", as_alice, IDS_SETUID_RUN, false, &none },
	{ "same uid, but it was another's", as_alice, IDS_CHANGED, false, &none },
	{ "user namespace, same uid outside", as_root_of_a_user_namespace, IDS_ALICE, false, &own },
	{ "user namespace, other uid outside", as_root_of_a_user_namespace, IDS_BOB, false, &none },
	{ "user namespace, root's outside", as_root_of_a_user_namespace, IDS_ROOT, false, &none },
	{ "user namespace, inside of it", as_root_of_a_user_namespace, IDS_ALICE, true, &own },
	{ "pid namespace, same uid outside", in_a_pid_namespace, IDS_ALICE, false, &unseen },
	{ "pid namespace, other uid outside", in_a_pid_namespace, IDS_BOB, false,
	  &unseen_none },
	{ "pid namespace, inside of it", in_a_pid_namespace, IDS_ALICE, true, &own },
	{ "both namespaces, same uid outside", in_both_namespaces, IDS_ALICE, false, &unseen },
	{ "both namespaces, other uid outside", in_both_namespaces, IDS_BOB, false,
	  &unseen_none },
	{ "both namespaces, root's outside", in_both_namespaces, IDS_ROOT, false, &unseen_none },
	{ "both namespaces, inside of them", in_both_namespaces, IDS_ALICE, true, &own },
	{ "root in a pid namespace, another's outside", as_root_in_a_pid_namespace, IDS_ALICE,
	  false, &unseen },
	{ "root in a pid namespace, inside of it", as_root_in_a_pid_namespace, IDS_ALICE, true,
	  &all },
};

static uint64_t queue_of(struct worker *w)
{
	const int fd = must_open();
	const struct kfd_xsched_queue q = must_list(w, 0, fd);

	close(fd);
	return q.id;
}

static void test_row(const struct row *row)
{
	struct target t = { 0 };
	struct attempt a;
	struct worker w;

	if (!row->inside) {
		must_start(&w, 1, row->ids.real ? &row->ids : NULL);
		t = (struct target){ .w = &w, .pid = w.pid, .queue = queue_of(&w) };
	}
	try_as(row->caller, &t, row->inside, &a);
	expect(row->who, &a, row->wanted);
	if (!row->inside)
		worker_stop(&w);
}

int main(void)
{
	int (*const callers[])(void) = { as_alice, as_root_of_a_user_namespace };
	struct target t = { 0 };
	struct attempt a;
	size_t i;

	users_admit(true);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(&rows[i]);
	users_admit(false);
	for (i = 0; i < 2; i++) {
		try_as(callers[i], &t, false, &a);
		tap_is(a.list, -EACCES, i ? "and roots of their own namespaces" :
		       "the device node itself keeps ordinary users out");
	}
	return tap_done();
}
