/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the series for one kernel and for another. The code is written for the newest;
 * nothing else here asks for a version.
 */
#ifndef KFD_PROBE_COMPAT_H
#define KFD_PROBE_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
/* amdkfd tells of evictions. */
#define PROBE_EVICTED		1
#define PROBE_ON_EVICTED(_func)	.evicted = (_func),
#else
#define PROBE_EVICTED		0
#define PROBE_ON_EVICTED(_func)
#endif

#endif /* KFD_PROBE_COMPAT_H */
