// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that own user queues, the rules on them, and who may touch them.
 *
 * A process is known from its first queue on, until its address space and its
 * last queue are gone. It keeps no reference on anything large: the mm is only
 * grabbed, so that its pages can go.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "activity.h"
#include "armed.h"
#include "client.h"
#include "dumpable.h"
#include "event.h"
#include "process.h"
#include "queue.h"
#include "xsched.h"

/* Processes that exited are told from those that never were, this many. */
#define XS_GONE_COUNT	256

static DEFINE_HASHTABLE(by_hw, 8);
/* By their number in the first pid namespace. */
static DEFINE_HASHTABLE(by_nr, 8);

/* struct pids of the last processes that exited, oldest overwritten. */
static struct pid *gone[XS_GONE_COUNT];
static unsigned int gone_next;

static struct xs_process *find_by_hw_locked(const struct xs_hw_process *hw)
{
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	hash_for_each_possible(by_hw, process, by_hw, (unsigned long)hw) {
		if (process->hw == hw && !process->exited)
			return process;
	}
	return NULL;
}

/* @pid: what the number stands for now, or NULL. */
static bool was_there_locked(pid_t nr, const struct pid *pid)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	unsigned int i;

	for (i = 0; i < XS_GONE_COUNT; i++) {
		if (gone[i] && pid_nr_ns(gone[i], ns) == nr)
			return !pid || pid == gone[i];
	}
	return false;
}

static struct xs_process *find_by_pid_locked(struct pid *pid)
{
	struct xs_process *process;

	hash_for_each_possible(by_nr, process, by_nr, pid_nr(pid)) {
		if (process->pid == pid)
			return process;
	}
	return NULL;
}

/*
 * The number is the key, and it is that process's as long as its leader is there: the
 * short way for who names many. Those that are on their way out take the long one.
 */
static inline struct xs_process *find_by_nr_locked(pid_t nr)
{
	struct xs_process *process;

	hash_for_each_possible(by_nr, process, by_nr, nr) {
		if (pid_nr(process->pid) == nr && pid_has_task(process->pid, PIDTYPE_TGID))
			return process;
	}
	return NULL;
}

static noinline struct xs_process *find_by_virtual_nr_locked(pid_t nr)
{
	struct xs_process *process;
	struct pid *pid;

	/* The table holds references: a pid found there stays that pid. */
	scoped_guard(rcu)
		pid = find_vpid(nr);
	process = pid ? find_by_pid_locked(pid) : NULL;
	if (!process)
		return ERR_PTR(was_there_locked(nr, pid) ? -ESRCH : -ENOENT);
	return process->exited ? ERR_PTR(-ESRCH) : process;
}

/* Whether the caller knows processes by their numbers in the first pid namespace. */
static inline bool in_first_pid_ns(void)
{
	return !task_pid(current)->level;
}

struct xs_process *xs_process_find_locked(u64 nr)
{
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	if (!nr || nr > PID_MAX_LIMIT)
		return ERR_PTR(-ENOENT);
	process = in_first_pid_ns() ? find_by_nr_locked(nr) : NULL;
	return process && !process->exited ? process : find_by_virtual_nr_locked(nr);
}

struct xs_owner xs_owner_get(const struct xs_process *process)
{
	struct xs_owner owner;
	struct task_struct *task = get_pid_task(process->pid, PIDTYPE_TGID);

	/* Reaped already? What it was is the best there is. */
	owner.cred = task ? get_task_cred(task) : get_cred(process->owner.cred);
	/* After the credentials: commit_creds() makes it undumpable first. */
	smp_rmb();
	owner.dumpable = xs_dumpable(task, process->mm);
	if (task)
		put_task_struct(task);
	return owner;
}

void xs_owner_put(struct xs_owner *owner)
{
	put_cred(owner->cred);
	owner->cred = NULL;
}

static bool is_own(const struct cred *target)
{
	const kuid_t uid = current_euid();

	return uid_eq(uid, target->uid) && uid_eq(uid, target->euid) &&
		uid_eq(uid, target->suid);
}

bool xs_process_permits_locked(const struct xs_process *process,
			       enum xs_permit what)
{
	const struct task_struct *task;
	const struct cred *target;

	lockdep_assert_held(&xs_lock);

	/* As xs_owner_get() finds them, without references: this is asked at each switch. */
	guard(rcu)();
	task = pid_task(process->pid, PIDTYPE_TGID);
	target = task ? __task_cred(task) : process->owner.cred;
	/* Before xs_dumpable(), as there. */
	smp_rmb();
	if (what != XS_PERMIT_RAISE && is_own(target) &&
	    xs_dumpable(task, process->mm))
		return true;
	return what == XS_PERMIT_LIST ? ns_capable_noaudit(target->user_ns, CAP_SYS_NICE) :
					ns_capable(target->user_ns, CAP_SYS_NICE);
}

static struct xs_process *process_new_locked(const struct xs_hw_queue_desc *desc)
{
	struct xs_process *process;

	process = kzalloc(sizeof(*process), GFP_KERNEL);
	if (!process)
		return ERR_PTR(-ENOMEM);

	process->hw = desc->process;
	process->pid = get_pid(desc->pid);
	process->mm = desc->mm;
	mmgrab(process->mm);
	INIT_LIST_HEAD(&process->queues);
	INIT_LIST_HEAD(&process->places);
	INIT_LIST_HEAD(&process->rules);
	INIT_LIST_HEAD(&process->sites);
	/* In case the leader is reaped already. */
	process->owner.cred = current_cred();
	process->owner = xs_owner_get(process);
	hash_add(by_hw, &process->by_hw, (unsigned long)process->hw);
	hash_add(by_nr, &process->by_nr, pid_nr(process->pid));
	return process;
}

struct xs_process *xs_process_get_locked(const struct xs_hw_queue_desc *desc)
{
	return find_by_hw_locked(desc->process) ?: process_new_locked(desc);
}

static void remember_gone_locked(struct pid *pid)
{
	put_pid(gone[gone_next]);
	gone[gone_next] = pid;
	gone_next = (gone_next + 1) % XS_GONE_COUNT;
}

static void process_free_locked(struct xs_process *process)
{
	struct xs_rule *rule, *next;

	list_for_each_entry_safe(rule, next, &process->rules, in_process)
		xs_rule_drop_locked(rule);
	hash_del(&process->by_hw);
	hash_del(&process->by_nr);
	remember_gone_locked(process->pid);
	xs_owner_put(&process->owner);
	mmdrop(process->mm);
	kfree(process);
}

void xs_process_put_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	if (!process->exited || !list_empty(&process->queues))
		return;
	if (!process->told)
		xs_event_process(process, KFD_XSCHED_EVENT_PROCESS_EXIT,
				 ktime_get_ns());
	process->told = true;
	if (!process->pins)
		process_free_locked(process);
}

void xs_process_exited(struct xs_hw_process *hw)
{
	struct xs_process *process;
	struct xs_queue *queue;

	guard(mutex)(&xs_lock);
	process = find_by_hw_locked(hw);
	if (!process)
		return;
	list_for_each_entry(queue, &process->queues, in_process)
		xs_activity_remove_locked(queue);
	process->exited = true;
	process->hw = NULL;
	xs_process_pin_locked(process);
	if (process->armed)
		xs_armed_process_exited_locked(process);
	xs_process_unpin_locked(process);
}

struct xs_rule *xs_rule_new_locked(struct xs_process *process, struct xs_client *client)
{
	struct xs_rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);

	if (!rule)
		return NULL;
	rule->client = client;
	rule->process = process;
	xs_stake_init(&rule->stake);
	INIT_LIST_HEAD(&rule->in_tenant);
	INIT_HLIST_NODE(&rule->in_batch);
	list_add_tail(&rule->in_client, &client->rules);
	list_add_tail(&rule->in_process, &process->rules);
	return rule;
}

void xs_rule_drop_locked(struct xs_rule *rule)
{
	lockdep_assert_held(&xs_lock);

	list_del(&rule->in_client);
	list_del(&rule->in_process);
	list_del(&rule->in_tenant);
	hlist_del_init(&rule->in_batch);
	kfree(rule);
}

void xs_processes_free_locked(void)
{
	struct xs_process *process;
	struct hlist_node *next;
	unsigned int i;

	lockdep_assert_held(&xs_lock);

	hash_for_each_safe(by_hw, i, next, process, by_hw)
		process_free_locked(process);
	for (i = 0; i < XS_GONE_COUNT; i++) {
		put_pid(gone[i]);
		gone[i] = NULL;
	}
}
