/* SPDX-License-Identifier: MIT */
/* Modules of the guest. All return 0 or -errno. */
#ifndef MODULE_H
#define MODULE_H

#include <sys/stat.h>

/* -EEXIST: it is there. */
int module_insert(const char *name);

/* kfd_xsched.ko is taken out of the kernel. -EAGAIN: somebody has its device open. */
int module_unload(void);

/* kfd_xsched.ko is put back. @device: owner and mode for its device, which udev would set. */
int module_load(const struct stat *device);

#endif /* MODULE_H */
