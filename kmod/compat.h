/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels lack. The code is written for the newest Linux; nothing else here asks for a
 * version.
 */
#ifndef XS_COMPAT_H
#define XS_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* Updates of 6.1 have brought the guards. */
DEFINE_FREE(kvfree, void *, kvfree(_T))
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
/* It started the thread then. */
#define kthread_run_worker	kthread_create_worker
#endif

#endif
