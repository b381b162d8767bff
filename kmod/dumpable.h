/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the credentials of a task are enough to look into it: xs_dumpable(). The task is
 * NULL once it is gone. Then Linux 6.12 still knows; Linux 7 does not, and the answer is no.
 */
#ifndef XS_DUMPABLE_H
#define XS_DUMPABLE_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>

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
