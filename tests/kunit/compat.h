/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What older kernels lack of what the suites use. They are written for the newest Linux; nothing
 * else here asks for a version.
 */
#ifndef XS_KUNIT_COMPAT_H
#define XS_KUNIT_COMPAT_H

#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)

#define start_creating_path	kern_path_create
#define end_creating_path	done_path_create
#define start_removing_path	kern_path_locked

static inline void end_removing_path(const struct path *path, struct dentry *dentry)
{
	inode_unlock(d_inode(path->dentry));
	dput(dentry);
	path_put(path);
}

static inline int compat_mknod(const struct path *path, struct dentry *dentry, umode_t mode,
			       dev_t dev)
{
	return vfs_mknod(mnt_idmap(path->mnt), d_inode(path->dentry), dentry, mode, dev);
}

/* A caller that overrides credentials keeps no reference. */
static inline const struct cred *compat_override_creds(struct cred *cred)
{
	const struct cred *old = override_creds(cred);

	put_cred(cred);
	return old;
}

static inline void compat_revert_creds(const struct cred *old)
{
	revert_creds(old);
}

/* Whether it is known without the task. */
#define COMPAT_DUMPABLE_OF_MM	true

/* Dumpable is an address space, and all fake processes have that of the tests. */
static inline void compat_own_dumpable(void)
{
}

static inline void compat_set_dumpable(struct task_struct *task, bool dumpable)
{
	set_dumpable(current->mm, dumpable ? SUID_DUMP_USER : SUID_DUMP_ROOT);
}

#else

#include <linux/sched/exec_state.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

static inline int compat_mknod(const struct path *path, struct dentry *dentry, umode_t mode,
			       dev_t dev)
{
	return vfs_mknod(mnt_idmap(path->mnt), d_inode(path->dentry), dentry, mode, dev, NULL);
}

static inline const struct cred *compat_override_creds(struct cred *cred)
{
	return override_creds(cred);
}

static inline void compat_revert_creds(const struct cred *old)
{
	put_cred(revert_creds(old));
}

#define COMPAT_DUMPABLE_OF_MM	false

/* A kernel thread has what init has, which must not change: the caller gets its own. */
static inline void compat_own_dumpable(void)
{
	struct task_exec_state *state = alloc_task_exec_state(&init_user_ns);

	if (!state)
		return;
	state->dumpable = TASK_DUMPABLE_OWNER;
	down_write(&current->signal->exec_update_lock);
	task_lock(current);
	state = task_exec_state_replace(current, state);
	task_unlock(current);
	up_write(&current->signal->exec_update_lock);
	put_task_exec_state(state);
}

static inline void compat_set_dumpable(struct task_struct *task, bool dumpable)
{
	struct task_exec_state *state;

	guard(rcu)();
	state = rcu_dereference(task->exec_state);
	WRITE_ONCE(state->dumpable, dumpable ? TASK_DUMPABLE_OWNER : TASK_DUMPABLE_ROOT);
}

#endif

#endif
