/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels lack. The code is written for the newest Linux; nothing else here asks for a
 * version.
 */
#ifndef XS_COMPAT_H
#define XS_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/version.h>

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

/*
 * xs_dumpable() tells whether who has the credentials of a task may look into it. After the task,
 * which is NULL then, nobody may.
 */
#ifdef SUID_DUMP_USER
/* It was a property of the address space, which may outlive the task. */
static inline bool xs_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	return get_dumpable(mm) == SUID_DUMP_USER;
}
#else
#include <linux/sched/exec_state.h>

/* As task_exec_state_get_dumpable(), which modules cannot call. */
static inline bool xs_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
	const struct task_exec_state *state;

	guard(rcu)();
	state = task ? rcu_dereference(task->exec_state) : NULL;
	return state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
}
#endif

#endif
