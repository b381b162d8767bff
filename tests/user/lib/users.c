// SPDX-License-Identifier: MIT
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

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
