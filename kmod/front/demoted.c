// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/class/kfd_xsched/global/demoted: who is demoted, and the end of that.
 *
 * A line "user UID PROCESSES" for each user that is demoted: so many of his processes did
 * not save. Then a line "process PID UID QUEUES" for each process of which so many queues
 * did not; as many as a page has room for.
 */
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/user_namespace.h>

#include "core.h"
#include "front/front.h"
#include "model/demotion.h"
#include "model/process.h"
#include "switch/switch.h"

static u32 demoted_uid(kuid_t user)
{
	return from_kuid_munged(current_user_ns(), user);
}

static ssize_t demoted_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct xs_offender *offender;
	const struct xs_process *process;
	unsigned int i;
	int at = 0;

	guard(rt_mutex)(&xs_lock);
	for (i = 0; (offender = xs_offender_locked(i)); i++)
		at += sysfs_emit_at(buf, at, "user %u %u\n", demoted_uid(offender->user),
				    offender->processes);
	list_for_each_entry(process, &xs_processes, in_processes) {
		if (process->failures)
			at += sysfs_emit_at(buf, at, "process %d %u %u\n",
					    pid_vnr(process->pid),
					    demoted_uid(xs_process_user(process)),
					    process->failures);
	}
	return at;
}

static int demoted_pardon_process_locked(const char *number)
{
	struct xs_process *process;
	u64 nr;

	lockdep_assert_held(&xs_lock);

	if (kstrtou64(number, 10, &nr) || !nr)
		return -EINVAL;
	process = xs_process_find_locked(nr, task_active_pid_ns(current));
	return IS_ERR(process) ? -ESRCH : xs_pardon_process_locked(process);
}

static int demoted_pardon_user_locked(const char *number)
{
	kuid_t user;
	u32 uid;

	lockdep_assert_held(&xs_lock);

	if (kstrtou32(number, 10, &uid))
		return -EINVAL;
	user = make_kuid(current_user_ns(), uid);
	return uid_valid(user) ? xs_pardon_user_locked(user) : -EINVAL;
}

static int demoted_pardon_locked(const char *buf)
{
	lockdep_assert_held(&xs_lock);

	if (str_has_prefix(buf, "process "))
		return demoted_pardon_process_locked(buf + strlen("process "));
	if (str_has_prefix(buf, "user "))
		return demoted_pardon_user_locked(buf + strlen("user "));
	if (!sysfs_streq(buf, "all"))
		return -EINVAL;
	xs_pardon_all_locked();
	return 0;
}

static ssize_t demoted_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	int ret;

	if (!xs_sysfs_may_write())
		return -EPERM;
	scoped_guard(rt_mutex, &xs_lock) {
		ret = demoted_pardon_locked(buf);
		if (!ret)
			xs_transact_kick_all_locked();
	}
	return ret ?: count;
}

/* Who it is, is nobody else's business. */
DEVICE_ATTR_ADMIN_RW(demoted);
