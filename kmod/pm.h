/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System suspend. See pm.c.
 */
#ifndef KFD_XSCHED_PM_H
#define KFD_XSCHED_PM_H

/* When the core comes up, and goes down. 0 or -errno. */
int xs_pm_init(void);
void xs_pm_exit(void);

/* PM_SUSPEND_PREPARE and its like, as the kernel tells them. Returns NOTIFY_*. */
int xs_pm_event(unsigned long event);

#endif /* KFD_XSCHED_PM_H */
