/* SPDX-License-Identifier: MIT */
/* kfd_xsched.ko, taken out of the kernel and put back. Both return 0 or -errno. */
#ifndef MODULE_H
#define MODULE_H

#include <sys/stat.h>

/* -EAGAIN: somebody has its device open. */
int module_unload(void);

/* @device: owner and mode for its device, which udev would set. */
int module_load(const struct stat *device);

#endif /* MODULE_H */
