// SPDX-License-Identifier: MIT
/*
 * See identity.h. All processes of an attack are in one cgroup, which ends them whatever they did
 * to get away from their parents.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "identity.h"
#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "xsdev.h"

#define NAMESPACES	(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | \
			 CLONE_NEWCGROUP)
#define STOP_MS		20000

static bool mounted;

const char *identity_name(enum identity as)
{
	switch (as) {
	case AS_USER:
		return "a user";
	case AS_NAMESPACE:
		return "root of a user namespace";
	case AS_CONTAINER:
		return "a container";
	default:
		return "a container of root";
	}
}

/* ---- the cgroup ---- */

void identity_begin(void)
{
	struct stat st;

	if (stat("/sys/fs/cgroup/cgroup.procs", &st)) {
		if (mount("none", "/sys/fs/cgroup", "cgroup2", 0, NULL))
			tap_bail("no cgroups: error %d", -errno);
		mounted = true;
	}
	if (sysfile_write("+cpu +memory", "/sys/fs/cgroup/cgroup.subtree_control") ||
	    (mkdir(ATTACK_CGROUP, 0755) && errno != EEXIST))
		tap_bail("no cgroup of attackers: error %d", -errno);
}

void identity_end(void)
{
	if (rmdir(ATTACK_CGROUP))
		tap_note(ATTACK_CGROUP " stays: error %d", -errno);
	if (mounted)
		umount("/sys/fs/cgroup");
}

int identity_limit(const char *file, const char *value)
{
	return sysfile_write(value, ATTACK_CGROUP "/%s", file);
}

static bool none_left(void)
{
	char text[64];

	return sysfile_read(text, sizeof(text), ATTACK_CGROUP "/cgroup.events") > 0 &&
		strstr(text, "populated 0");
}

bool identity_stop(void)
{
	const uint64_t until = xsdev_now() + STOP_MS * 1000000ULL;

	identity_limit("cgroup.kill", "1");
	while (!none_left() && xsdev_now() < until) {
		waitpid(-1, NULL, WNOHANG);
		xsdev_sleep_ms(2);
	}
	return none_left();
}

/* ---- in the new process ---- */

static void give_up(const char *what)
{
	printf("# the attacker has no %s: error %d\n", what, -errno);
	fflush(stdout);
	_exit(1);
}

/* The first process of a pid namespace, whose parent waits outside. */
static void enter_container(void)
{
	pid_t pid;

	if (unshare(NAMESPACES))
		give_up("namespaces");
	pid = fork();
	if (pid < 0)
		give_up("first process");
	if (pid) {
		waitpid(pid, NULL, 0);
		_exit(0);
	}
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		give_up("/proc");
}

static bool in_user_namespace(enum identity as)
{
	return as == AS_NAMESPACE || as == AS_CONTAINER;
}

static void change_identity(enum identity as, int tell)
{
	if (as != AS_ROOT && users_become_for_good(ATTACK_UID))
		give_up("user id");
	if (in_user_namespace(as) && users_enter_namespace(tell))
		give_up("user namespace");
	if (as == AS_CONTAINER || as == AS_ROOT)
		enter_container();
	if (as == AS_ROOT && users_keep_capabilities(0, 0))
		give_up("fewer capabilities");
	/* As what is executed by that user would be. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* ---- by the test ---- */

void identity_start(enum identity as, void (*run)(void *argument), void *argument)
{
	int tell[2];
	char byte;
	pid_t pid;

	if (pipe2(tell, O_CLOEXEC))
		tap_bail("pipe: error %d", -errno);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		tap_bail("fork: error %d", -errno);
	if (!pid) {
		if (identity_limit("cgroup.procs", "0"))
			give_up("cgroup");
		change_identity(as, tell[1]);
		run(argument);
		_exit(1);
	}
	close(tell[1]);
	if (in_user_namespace(as) && read(tell[0], &byte, 1) == 1 &&
	    users_map(pid, ATTACK_SUB_UID, ATTACK_SUB_UIDS))
		tap_bail("no ids can be mapped for %d", (int)pid);
	close(tell[0]);
}
