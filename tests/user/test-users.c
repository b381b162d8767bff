// SPDX-License-Identifier: MIT
/*
 * Limits of a user: with how many clients, and that a user namespace does not bring more.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define ALICE	1000
#define BOB	1001
#define SUBORDINATE	100000
#define FILES	4096

static long limit;
static mode_t mode;

/* Ordinary users reach the device here. */
static void open_device(bool to_all)
{
	struct stat st;

	if (stat(XSDEV_PATH, &st))
		tap_bail(XSDEV_PATH ": error %d", -errno);
	if (to_all)
		mode = st.st_mode & 07777;
	if (chmod(XSDEV_PATH, to_all ? 0666 : mode))
		tap_bail("chmod: error %d", -errno);
}

static int write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -errno;
	close(file);
	return ret;
}

/* Become root of a new user namespace, and another user outside of it. */
static int enter_namespace(int tell)
{
	const int entered = 1;

	if (unshare(CLONE_NEWUSER) || write(tell, &entered, sizeof(entered)) != sizeof(entered))
		return -errno;
	/* It has no mapping until the test has written one. */
	while (setresuid(0, 0, 0))
		usleep(1000);
	return 0;
}

/* As newuidmap(1) does, with an id that the user may use. */
static void map_subordinate(pid_t pid, int tell)
{
	char path[64], map[32];
	int entered;

	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	snprintf(map, sizeof(map), "0 %d 1\n", SUBORDINATE);
	if (read(tell, &entered, sizeof(entered)) != sizeof(entered) || write_file(path, map))
		tap_bail("no user namespace");
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
static void be_opener(uid_t uid, bool inside, int most, int tell, int end)
{
	int answer[2] = { 0, 0 }, file = 0;
	char byte;

	if (setresuid(uid, uid, uid) || (inside && enter_namespace(tell)))
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

static struct opener start(uid_t uid, bool inside, int most)
{
	int tell[2], end[2], answer[2] = { -1, 0 };
	struct opener o;

	if (pipe2(tell, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		tap_bail("pipe: error %d", -errno);
	fflush(stdout);
	o.pid = fork();
	if (!o.pid) {
		close(end[1]);
		be_opener(uid, inside, most, tell[1], end[0]);
	}
	close(tell[1]);
	close(end[0]);
	if (inside)
		map_subordinate(o.pid, tell[0]);
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

int main(void)
{
	const struct rlimit many = { FILES, FILES };
	struct opener first, second, third;

	limit = sysfile_number(SYSFILE_GLOBAL "limits_of_user/clients");
	if (limit <= 0 || limit > FILES - 100 || setrlimit(RLIMIT_NOFILE, &many))
		tap_bail("the limit is %ld", limit);
	open_device(true);
	first = start(ALICE, false, FILES - 100);
	tap_is(first.count, limit, "a user opens the device as often as the file says");
	tap_is(first.error, -EDQUOT, "and no more");
	second = start(BOB, false, 10);
	tap_is(second.count, 10, "another user can open it");
	stop(&second);
	second = start(ALICE, true, 10);
	tap_is(second.count, 0, "in a user namespace of the first there is none left");
	tap_is(second.error, -EDQUOT, "either");
	stop(&second);
	stop(&first);
	first = start(ALICE, false, (int)limit - 3);
	second = start(ALICE, true, 10);
	tap_is(second.count, 3, "what is opened there is counted with the rest");
	third = start(ALICE, false, 1);
	tap_is(third.error, -EDQUOT, "of both");
	stop(&third);
	stop(&second);
	stop(&first);
	first = start(0, false, (int)limit + 10);
	tap_is(first.count, limit + 10, "root has no limit");
	stop(&first);
	open_device(false);
	return tap_done();
}
