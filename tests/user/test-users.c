// SPDX-License-Identifier: MIT
/*
 * Limits of a user: with how many clients and tenants, and that a user namespace does not bring
 * more, nor a cgroup; and that those of root are divided by cgroup.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "xsdev.h"

#define ALICE	1000
#define BOB	1001
#define SUBORDINATE	100000
#define FILES	4096
#define CGROUPS	"/tmp/test-users"

/**
 * struct who - as whom the device is opened
 * @uid: the user
 * @inside: as another user in a user namespace of that one
 * @cgroup: without CAP_SYS_NICE, and in that cgroup; NULL: not so
 */
struct who {
	uid_t uid;
	bool inside;
	const char *cgroup;
};

static const struct who alice = { .uid = ALICE };
static const struct who alice_inside = { .uid = ALICE, .inside = true };
static const struct who bob = { .uid = BOB };
static const struct who root = { .uid = 0 };

static long limit;

static int enter_cgroup(const char *cgroup)
{
	const int ret = sysfile_write("0", "%s/cgroup.procs", cgroup);

	return ret ? ret : users_keep_capabilities(~USERS_SYS_NICE, ~USERS_SYS_NICE);
}

static int become(const struct who *who, int tell)
{
	int ret = who->cgroup ? enter_cgroup(who->cgroup) : 0;

	if (!ret)
		ret = users_become_for_good(who->uid);
	return ret || !who->inside ? ret : users_enter_namespace(tell);
}

/**
 * struct opener - a process that opens the device as often as it can
 * @pid: of it
 * @end: closed, it exits
 * @count: files it has open
 * @error: of the next
 */
struct opener {
	pid_t pid;
	int end;
	int count;
	int error;
};

/* Open @most files, or as many as the limit permits, and report how many. */
static void be_opener(const struct who *who, int most, int tell, int end)
{
	int answer[2] = { 0, 0 }, file = 0;
	char byte;

	if (become(who, tell))
		_exit(1);
	while (answer[0] < most) {
		file = xsdev_open();
		if (file < 0)
			break;
		answer[0]++;
	}
	answer[1] = file < 0 ? file : 0;
	if (write(tell, answer, sizeof(answer)) != sizeof(answer))
		_exit(1);
	_exit(read(end, &byte, 1) ? 1 : 0);
}

static struct opener start(const struct who *who, int most)
{
	int tell[2], end[2], answer[2] = { -1, 0 };
	struct opener o;
	char entered;

	if (pipe2(tell, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		tap_bail("pipe: error %d", -errno);
	fflush(stdout);
	o.pid = fork();
	if (!o.pid) {
		close(end[1]);
		be_opener(who, most, tell[1], end[0]);
	}
	close(tell[1]);
	close(end[0]);
	if (who->inside && (read(tell[0], &entered, 1) != 1 || users_map(o.pid, SUBORDINATE, 1)))
		tap_bail("no user namespace");
	if (read(tell[0], answer, sizeof(answer)) != sizeof(answer))
		tap_note("no answer");
	close(tell[0]);
	o.end = end[1];
	o.count = answer[0];
	o.error = answer[1];
	return o;
}

static void stop(struct opener *o)
{
	close(o->end);
	waitpid(o->pid, NULL, 0);
}

/* ---- tenants ------------------------------------------------------------- */

/* Of several clients, as many as each may have; then one of another client: 0 or -errno. */
static int fill_with_tenants(int clients)
{
	int i, file = -1, ret = 0;

	for (i = 0; i < clients * KFD_XSCHED_MAX_TENANTS && ret >= 0; i++) {
		if (i % KFD_XSCHED_MAX_TENANTS == 0)
			file = xsdev_open();
		ret = xsdev_tenant(file, KFD_XSCHED_TENANT_CREATE, 0, 0);
	}
	if (ret < 0)
		return -EPROTO;
	ret = xsdev_tenant(xsdev_open(), KFD_XSCHED_TENANT_CREATE, 0, 0);
	return ret < 0 ? ret : 0;
}

static void test_tenants(void)
{
	const long most = sysfile_number(SYSFILE_GLOBAL "limits_of_user/tenants");
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (setresuid(ALICE, ALICE, ALICE))
			_exit(1);
		_exit(-fill_with_tenants((int)(most / KFD_XSCHED_MAX_TENANTS)));
	}
	waitpid(pid, &status, 0);
	tap_is(WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO, -EDQUOT,
	       "clients of a user have as many tenants as the file says, and no more");
}

/* ---- clients ------------------------------------------------------------- */

static void test_clients(void)
{
	struct opener first, second, third;

	first = start(&alice, FILES - 100);
	tap_is(first.count, limit, "a user opens the device as often as the file says");
	tap_is(first.error, -EDQUOT, "and no more");
	second = start(&bob, 10);
	tap_is(second.count, 10, "another user can open it");
	stop(&second);
	second = start(&alice_inside, 10);
	tap_is(second.count, 0, "in a user namespace of the first there is none left");
	tap_is(second.error, -EDQUOT, "either");
	stop(&second);
	stop(&first);
	first = start(&alice, (int)limit - 3);
	second = start(&alice_inside, 10);
	tap_is(second.count, 3, "what is opened there is counted with the rest");
	third = start(&alice, 1);
	tap_is(third.error, -EDQUOT, "of both");
	stop(&third);
	stop(&second);
	stop(&first);
	first = start(&root, (int)limit + 10);
	tap_is(first.count, limit + 10, "root has no limit");
	stop(&first);
}

/* ---- cgroups ------------------------------------------------------------- */

/* What root reads of the clients of uid 0 in all cgroups, and in how many these are. */
static unsigned int shares_of_root(long *used)
{
	static char text[1 << 16];
	const char *at;

	*used = -1;
	if (sysfile_read(text, sizeof(text), SYSFILE_ACCOUNTS) < 0)
		return 0;
	at = strstr(text, "user 0:");
	if (at)
		sscanf(at, "user 0: clients=%ld/", used);
	return sysfile_count(text, "user 0 cgroup ");
}

/* Root without the capability, as in a container: each cgroup has a quarter of it. */
static void test_cgroups(void)
{
	struct who one = { .cgroup = CGROUPS "/one" }, two = { .cgroup = CGROUPS "/two" };
	struct opener first, second;
	long used;

	if (mkdir(CGROUPS, 0700) || mount("none", CGROUPS, "cgroup2", 0, NULL) ||
	    mkdir(one.cgroup, 0755) || mkdir(two.cgroup, 0755))
		tap_bail("no cgroups: error %d", -errno);
	first = start(&one, (int)limit);
	tap_is(first.count, limit / 4, "cgroups: one of root has a quarter");
	tap_is(first.error, -EDQUOT, "cgroups: and no more");
	second = start(&two, 10);
	tap_is(second.count, 10, "cgroups: another one has its own");
	tap_is(shares_of_root(&used), 2, "cgroups: root reads which there are");
	tap_is(used, limit / 4 + 10, "cgroups: and what they have together");
	stop(&second);
	stop(&first);
	tap_ok(!rmdir(one.cgroup) && !rmdir(two.cgroup) && !umount(CGROUPS) && !rmdir(CGROUPS),
	       "cgroups: they go");
}

int main(void)
{
	const struct rlimit many = { FILES, FILES };

	limit = sysfile_number(SYSFILE_GLOBAL "limits_of_user/clients");
	if (limit <= 0 || limit > FILES - 100 || setrlimit(RLIMIT_NOFILE, &many))
		tap_bail("the limit is %ld", limit);
	users_admit(true);
	test_clients();
	test_tenants();
	test_cgroups();
	users_admit(false);
	return tap_done();
}
