// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that have user queues. See process.h.
 *
 * A process is known from its first queue on, until its address spaces and its last
 * queue are gone, and no batch or armed switch has a reference. It keeps nothing large:
 * an mm is only grabbed, so that its pages can be freed.
 *
 * The driver reports address spaces. This file makes one process of those that have the
 * same thread group leader. A request on a process concerns all its address spaces.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "dumpable.h"
#include "model/account.h"
#include "model/process.h"
#include "model/queue.h"
#include "model/request.h"
#include "trace.h"

/* How many processes that exited are remembered, to tell them from those that never were. */
#define XS_GONE_COUNT	64

LIST_HEAD(xs_processes);
static DEFINE_HASHTABLE(space_by_hw, 8);
/* struct xs_numbers. */
static DEFINE_HASHTABLE(process_by_nr, 8);
static DEFINE_XARRAY(process_by_id);

/* struct pids of the last processes that exited, the oldest is overwritten. */
static struct pid *process_gone[XS_GONE_COUNT];
static unsigned int process_gone_next;

/* Is not reset when the core restarts. */
static atomic64_t process_last_id;

u64 xs_id_new(void)
{
	return atomic64_inc_return(&process_last_id);
}

u64 xs_id_last(void)
{
	return atomic64_read(&process_last_id);
}

struct xs_space *xs_space_find_hw_locked(const struct xs_hw_process *hw)
{
	struct xs_space *space;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(space_by_hw, space, by_hw, (unsigned long)hw) {
		if (space->hw == hw)
			return space;
	}
	return NULL;
}

static struct xs_process *process_find_pid_locked(const struct pid *pid)
{
	const struct xs_number *number;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(process_by_nr, number, by_nr, pid->numbers[0].nr) {
		if (number->process->pid == pid)
			return number->process;
	}
	return NULL;
}

/*
 * A process whose leader is gone continues while another task uses its address space, as a
 * child by clone(CLONE_VM) does: that task can ring the doorbells. The process keeps its
 * number, which may be that of another process by now.
 */
static bool process_has_leader(const struct xs_process *process)
{
	return pid_has_task(process->pid, PIDTYPE_TGID);
}

static bool process_has_number(const struct xs_number *number, pid_t nr,
			       const struct pid_namespace *ns)
{
	return number->nr == nr && number->ns == ns && !number->process->exited;
}

struct xs_process *xs_process_also_locked(u64 nr, const struct pid_namespace *ns,
					  const struct xs_process *first,
					  const struct xs_process *process)
{
	const struct xs_number *number;
	bool seen = !process;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(process_by_nr, number, by_nr, (pid_t)nr) {
		if (!process_has_number(number, nr, ns) || number->process == first)
			continue;
		if (seen)
			return number->process;
		seen = number->process == process;
	}
	return NULL;
}

static struct xs_process *process_find_nr_locked(pid_t nr, const struct pid_namespace *ns)
{
	struct xs_process *leaderless = NULL;
	const struct xs_number *number;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(process_by_nr, number, by_nr, nr) {
		if (!process_has_number(number, nr, ns))
			continue;
		if (process_has_leader(number->process))
			return number->process;
		leaderless = leaderless ?: number->process;
	}
	return leaderless;
}

/* -ESRCH or -ENOENT: whether the number was that of a process that is gone, and still is. */
static int process_gone_error_locked(pid_t nr, const struct pid_namespace *ns)
{
	const struct pid *pid;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	/* The tables hold references: a pid found there stays that pid. */
	scoped_guard(rcu)
		pid = find_pid_ns(nr, (struct pid_namespace *)ns);
	if (pid && process_find_pid_locked(pid))
		return -ESRCH;
	for (i = 0; i < XS_GONE_COUNT; i++) {
		if (process_gone[i] &&
		    pid_nr_ns(process_gone[i], (struct pid_namespace *)ns) == nr)
			return !pid || pid == process_gone[i] ? -ESRCH : -ENOENT;
	}
	return -ENOENT;
}

struct xs_process *xs_process_find_locked(u64 nr, const struct pid_namespace *ns)
{
	lockdep_assert_held(&xs_lock);

	if (!nr || nr > PID_MAX_LIMIT)
		return ERR_PTR(-ENOENT);
	return process_find_nr_locked(nr, ns) ?:
		ERR_PTR(process_gone_error_locked(nr, ns));
}

struct xs_process *xs_process_named_locked(u32 target, u64 id, const struct pid_namespace *ns)
{
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	if (target != KFD_XSCHED_TARGET_PROCESS_ID)
		return xs_process_find_locked(id, ns);
	if (!id || id > xs_id_last())
		return ERR_PTR(-ENOENT);
	process = xa_load(&process_by_id, id);
	return process && !process->exited ? process : ERR_PTR(-ESRCH);
}

struct xs_process *xs_process_above_locked(u64 id)
{
	unsigned long at = id;

	lockdep_assert_held(&xs_lock);

	return xa_find_after(&process_by_id, &at, ULONG_MAX, XA_PRESENT);
}

/* ---- permissions --------------------------------------------------------- */

kuid_t xs_process_user(const struct xs_process *process)
{
	return xs_user_of(process->owner.cred);
}

struct xs_owner xs_owner_get(const struct xs_space *space)
{
	const struct xs_process *process = space->process;
	struct task_struct *task = get_pid_task(process->pid, PIDTYPE_TGID);
	struct xs_owner owner;

	/* If it is reaped already, what it was at its first queue is the best there is. */
	owner.cred = task ? get_task_cred(task) : get_cred(process->owner.cred);
	/* After the credentials: commit_creds() makes it undumpable first. */
	smp_rmb();
	owner.dumpable = xs_dumpable(task, space->mm);
	if (task)
		put_task_struct(task);
	return owner;
}

void xs_owner_put(struct xs_owner *owner)
{
	put_cred(owner->cred);
	owner->cred = NULL;
}

static bool process_is_of(kuid_t uid, const struct cred *cred)
{
	return uid_eq(uid, cred->uid) && uid_eq(uid, cred->euid) && uid_eq(uid, cred->suid);
}

bool xs_owner_shows(const struct xs_owner *owner, const struct file *file)
{
	const struct cred *cred = owner->cred;

	return (owner->dumpable && process_is_of(file->f_cred->euid, cred)) ||
		file_ns_capable(file, cred->user_ns, CAP_SYS_NICE);
}

/* Whether all that the process has left may be looked into. */
static bool process_is_dumpable_locked(const struct xs_process *process,
				       const struct task_struct *task)
{
	const struct xs_space *space;

	lockdep_assert_held(&xs_lock);

	list_for_each_entry(space, &process->spaces, in_process) {
		if (!xs_dumpable(task, space->mm))
			return false;
	}
	return true;
}

bool xs_process_permits_locked(const struct xs_process *process, enum xs_permit what)
{
	const struct task_struct *task;
	const struct cred *cred;

	lockdep_assert_held(&xs_lock);

	/*
	 * As xs_owner_get(), but without references: each switch asks this. If the leader is
	 * gone, the credentials of the task that still uses the address space do not count:
	 * the process that left such a child behind could choose them.
	 */
	guard(rcu)();
	task = pid_task(process->pid, PIDTYPE_TGID);
	cred = task ? __task_cred(task) : process->owner.cred;
	/* Before xs_dumpable(), as there. */
	smp_rmb();
	if (what != XS_PERMIT_RAISE && process_is_of(current_euid(), cred) &&
	    process_is_dumpable_locked(process, task))
		return true;
	switch (what) {
	case XS_PERMIT_LIST:
		return ns_capable_noaudit(cred->user_ns, CAP_SYS_NICE);
	case XS_PERMIT_RAISE:
		/* At the cost of all others: root of a namespace of its own may not. */
		return capable(CAP_SYS_NICE);
	default:
		return ns_capable(cred->user_ns, CAP_SYS_NICE);
	}
}

void xs_process_trace_change(const struct xs_process *process, enum xs_permit what, bool permitted)
{
	const struct task_struct *task;
	const struct cred *cred;

	if (!trace_other_user_enabled())
		return;
	guard(rcu)();
	task = pid_task(process->pid, PIDTYPE_TGID);
	cred = task ? __task_cred(task) : process->owner.cred;
	if (!process_is_of(current_euid(), cred))
		trace_other_user(process, cred, what == XS_PERMIT_RAISE, permitted);
}

/* ---- come and go --------------------------------------------------------- */

struct xs_process *xs_process_alloc(const struct pid *pid, u64 id)
{
	struct xs_process *process =
		kzalloc(struct_size(process, numbers, pid->level + 1), GFP_KERNEL);

	if (process && !xa_reserve(&process_by_id, id, GFP_KERNEL))
		return process;
	kfree(process);
	return NULL;
}

void xs_process_dealloc(struct xs_process *process, u64 id)
{
	/* It keeps what was stored. */
	xa_release(&process_by_id, id);
	kfree(process);
}

static void process_add_numbers_locked(struct xs_process *process)
{
	const struct pid *pid = process->pid;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i <= pid->level; i++) {
		struct xs_number *number = &process->numbers[i];

		number->process = process;
		number->ns = pid->numbers[i].ns;
		number->nr = pid->numbers[i].nr;
		hash_add(process_by_nr, &number->by_nr, number->nr);
	}
}

static void process_remove_numbers_locked(struct xs_process *process)
{
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i <= process->pid->level; i++)
		hash_del(&process->numbers[i].by_nr);
}

/* Its first space gives it its credentials. */
static struct xs_process *process_new_locked(struct pid *pid, struct xs_birth *birth)
{
	struct xs_process *process = birth->process;

	lockdep_assert_held(&xs_lock);

	birth->process = NULL;
	process->id = birth->id;
	/* There is room for it. */
	xa_store(&process_by_id, process->id, process, 0);
	process->pid = get_pid(pid);
	INIT_LIST_HEAD(&process->spaces);
	INIT_LIST_HEAD(&process->pdds);
	INIT_LIST_HEAD(&process->park.wishes);
	list_add_tail(&process->in_processes, &xs_processes);
	process_add_numbers_locked(process);
	return process;
}

/* If the process of that leader has exited, a new space is of a new process. */
static struct xs_process *process_need_locked(struct pid *pid, struct xs_birth *birth)
{
	struct xs_process *process = process_find_pid_locked(pid);

	lockdep_assert_held(&xs_lock);

	return process && !process->exited ? process : process_new_locked(pid, birth);
}

static void process_link_space_locked(struct xs_space *space, struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	space->process = xs_process_get_locked(process);
	process->live++;
	list_add_tail(&space->in_process, &process->spaces);
	hash_add(space_by_hw, &space->by_hw, (unsigned long)space->hw);
	/* The driver applied that to the other spaces of the process only. */
	if (process->hold_new)
		xs_backend->hold_new(space->hw, true);
	if (process->owner.cred)
		return;
	/* In case the leader is reaped already. */
	process->owner.cred = current_cred();
	process->owner = xs_owner_get(space);
}

struct xs_space *xs_space_new_locked(const struct xs_hw_queue_desc *desc,
				     struct xs_birth *birth)
{
	struct xs_space *space = birth->space;

	lockdep_assert_held(&xs_lock);

	birth->space = NULL;
	space->hw = desc->process;
	space->refs = 1;
	space->mm = desc->mm;
	mmgrab(space->mm);
	process_link_space_locked(space, process_need_locked(desc->pid, birth));
	return space;
}

void xs_space_exit_locked(struct xs_space *space)
{
	struct xs_process *process = space->process;

	lockdep_assert_held(&xs_lock);

	space->hw = NULL;
	hash_del(&space->by_hw);
	if (!--process->live) {
		process->exited = true;
		xs_process_drop_wishes_locked(process);
		list_del(&process->in_processes);
	}
	xs_space_put_locked(space);
}

struct xs_space *xs_space_get_locked(struct xs_space *space)
{
	lockdep_assert_held(&xs_lock);

	space->refs++;
	return space;
}

void xs_space_put_locked(struct xs_space *space)
{
	lockdep_assert_held(&xs_lock);

	if (--space->refs)
		return;
	list_del(&space->in_process);
	mmdrop(space->mm);
	xs_process_put_locked(space->process);
	kfree(space);
}

static void process_remember_locked(struct pid *pid)
{
	lockdep_assert_held(&xs_lock);

	put_pid(process_gone[process_gone_next]);
	process_gone[process_gone_next] = pid;
	process_gone_next = (process_gone_next + 1) % XS_GONE_COUNT;
}

struct xs_process *xs_process_get_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	process->refs++;
	return process;
}

void xs_process_put_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	if (--process->refs)
		return;
	xs_requests_drop_locked(&process->requests);
	xs_process_forget_park_locked(process);
	process_remove_numbers_locked(process);
	xa_erase(&process_by_id, process->id);
	process_remember_locked(process->pid);
	xs_owner_put(&process->owner);
	kfree(process);
}

void xs_processes_free_locked(void)
{
	struct hlist_node *next;
	struct xs_space *space;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	hash_for_each_safe(space_by_hw, i, next, space, by_hw)
		xs_space_exit_locked(space);
	for (i = 0; i < XS_GONE_COUNT; i++) {
		put_pid(process_gone[i]);
		process_gone[i] = NULL;
	}
}
