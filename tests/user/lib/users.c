// SPDX-License-Identifier: MIT
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sysfile.h"
#include "tap.h"
#include "users.h"
#include "xsdev.h"

#define DEVICES	3

static const char *const devices[DEVICES] = { XSDEV_PATH, "/dev/kfd", "/dev/dri/renderD128" };
static mode_t modes[DEVICES];

void users_admit(bool admit)
{
	struct stat st;
	size_t i;

	for (i = 0; i < DEVICES; i++) {
		if (stat(devices[i], &st))
			tap_bail("%s: error %d", devices[i], -errno);
		if (admit)
			modes[i] = st.st_mode & 07777;
		if (chmod(devices[i], admit ? 0666 : modes[i]))
			tap_bail("chmod: error %d", -errno);
	}
}

void users_become(uid_t uid)
{
	if (seteuid(uid))
		tap_bail("seteuid: error %d", -errno);
}

int users_open(uid_t uid)
{
	int fd;

	users_become(uid);
	fd = xsdev_open();
	users_become(0);
	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	return fd;
}

int users_become_for_good(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	/* A process that changes its ids by itself is not; a program that a user starts is. */
	return prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

int users_keep_capabilities(uint64_t effective, uint64_t permitted)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	unsigned int i;

	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(permitted >> 32 * i);
		data[i].effective = data[i].permitted & (uint32_t)(effective >> 32 * i);
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int users_enter_namespace(int tell)
{
	if (unshare(CLONE_NEWUSER) || write(tell, "", 1) != 1)
		return -errno;
	while (setresuid(0, 0, 0) || setresgid(0, 0, 0))
		usleep(1000);
	return 0;
}

int users_map(pid_t pid, unsigned int first, unsigned int count)
{
	char map[32];
	int ret;

	snprintf(map, sizeof(map), "0 %u %u\n", first, count);
	ret = sysfile_write(map, "/proc/%d/uid_map", (int)pid);
	return ret ? ret : sysfile_write(map, "/proc/%d/gid_map", (int)pid);
}
