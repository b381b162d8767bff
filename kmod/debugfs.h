/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/debug/kfd_xsched: all there is to know, for reports of bugs.
 */
#ifndef KFD_XSCHED_DEBUGFS_H
#define KFD_XSCHED_DEBUGFS_H

void xs_debugfs_init(void);
void xs_debugfs_exit(void);

#endif /* KFD_XSCHED_DEBUGFS_H */
