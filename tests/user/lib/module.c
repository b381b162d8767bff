// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "module.h"
#include "xsdev.h"

#define MODULE		"kfd_xsched"

int module_insert(const char *name)
{
	char path[64];
	int file, ret;

	snprintf(path, sizeof(path), "/modules/%s.ko", name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	ret = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
	close(file);
	return ret;
}

int module_unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

int module_load(const struct stat *device)
{
	int ret = module_insert(MODULE);

	if (!ret && (chown(XSDEV_PATH, device->st_uid, device->st_gid) ||
		     chmod(XSDEV_PATH, device->st_mode & 07777)))
		ret = -errno;
	return ret;
}
