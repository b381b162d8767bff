// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "module.h"
#include "xsdev.h"

#define MODULE		"kfd_xsched"
#define MODULE_FILE	"/modules/" MODULE ".ko"

int module_unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

int module_load(const struct stat *device)
{
	int file = open(MODULE_FILE, O_RDONLY | O_CLOEXEC), ret = 0;

	if (file < 0)
		return -errno;
	if (syscall(SYS_finit_module, file, "", 0))
		ret = -errno;
	close(file);
	if (!ret && (chown(XSDEV_PATH, device->st_uid, device->st_gid) ||
		     chmod(XSDEV_PATH, device->st_mode & 07777)))
		ret = -errno;
	return ret;
}
