// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bringing the core up and down, the device node, and its ioctls.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include <linux/kfd_xsched.h>

#include "activity.h"
#include "apply.h"
#include "armed.h"
#include "backend.h"
#include "client.h"
#include "debugfs.h"
#include "eject.h"
#include "event.h"
#include "node.h"
#include "pm.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "tenant.h"
#include "user.h"
#include "watchdog.h"
#include "xsched.h"

/* Guards all objects of the core: see xsched.h. */
DEFINE_MUTEX(xs_lock);
const struct xs_backend_ops *xs_backend;

/**
 * struct xs_ioctl - one row of the table
 * @cmd: number
 * @size: of the argument as this kernel knows it
 * @min_size: as first published
 * @fn: what does it; the argument goes back to the caller whatever it returns
 */
struct xs_ioctl {
	unsigned int cmd;
	u32 size;
	u32 min_size;
	long (*fn)(struct xs_client *client, void *arg);
};

union xs_ioctl_arg {
	u32 size;
	struct kfd_xsched_info info;
	struct kfd_xsched_list list;
	struct kfd_xsched_apply apply;
	struct kfd_xsched_subscribe subscribe;
	struct kfd_xsched_tenant tenant;
	struct kfd_xsched_renew renew;
	struct kfd_xsched_arm arm;
};

/* @_last is the last field of the argument as it was first published. */
#define XS_IOCTL(_cmd, _fn, _arg, _last) {	\
	.cmd = _cmd,				\
	.size = sizeof(_arg),			\
	.min_size = offsetofend(_arg, _last),	\
	.fn = _fn,				\
}

static const struct xs_ioctl xs_ioctls[] = {
	XS_IOCTL(KFD_XSCHED_INFO, xs_node_ioctl_info,
		 struct kfd_xsched_info, nodes),
	XS_IOCTL(KFD_XSCHED_LIST, xs_queue_ioctl_list,
		 struct kfd_xsched_list, queues),
	XS_IOCTL(KFD_XSCHED_APPLY, xs_apply_ioctl,
		 struct kfd_xsched_apply, reserved),
	XS_IOCTL(KFD_XSCHED_SUBSCRIBE, xs_client_ioctl_subscribe,
		 struct kfd_xsched_subscribe, reserved),
	XS_IOCTL(KFD_XSCHED_TENANT, xs_tenant_ioctl,
		 struct kfd_xsched_tenant, process),
	XS_IOCTL(KFD_XSCHED_RENEW, xs_watchdog_ioctl_renew,
		 struct kfd_xsched_renew, client),
	XS_IOCTL(KFD_XSCHED_ARM, xs_armed_ioctl,
		 struct kfd_xsched_arm, entries),
};

static const struct xs_ioctl *find_ioctl(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xs_ioctls); i++) {
		if (xs_ioctls[i].cmd == cmd)
			return &xs_ioctls[i];
	}
	return NULL;
}

/*
 * Beginning and end are signs of life; a batch on its way is one, too. What the
 * call did is gone if the client was ejected meanwhile.
 */
static long call(const struct xs_ioctl *row, struct xs_client *client, void *arg)
{
	long ret;

	if (READ_ONCE(client->ejected) && row->cmd != KFD_XSCHED_RENEW)
		return -EOWNERDEAD;
	xs_watchdog_touch(client);
	ret = row->fn(client, arg);
	xs_watchdog_touch(client);
	return READ_ONCE(client->ejected) ? -EOWNERDEAD : ret;
}

static long xs_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	void __user *user = (void __user *)address;
	const struct xs_ioctl *row = find_ioctl(cmd);
	union xs_ioctl_arg arg;
	u32 size;
	long ret;

	if (!row)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	ret = xs_user_check_size(size, row->min_size);
	if (ret)
		return ret;
	memset(&arg, 0, sizeof(arg));
	ret = copy_struct_from_user(&arg, row->size, user, size);
	if (ret)
		return ret;

	/* Another thread may have changed it between the two reads. */
	arg.size = size;

	/* What cannot be written is better known before anything changed. */
	if (copy_to_user(user, &arg, min(size, row->size)))
		return -EFAULT;
	ret = call(row, file->private_data, &arg);
	if (copy_to_user(user, &arg, min(size, row->size)))
		return -EFAULT;
	return ret;
}

static const struct file_operations xs_fops = {
	.owner = THIS_MODULE,
	.open = xs_client_open,
	.release = xs_client_release,
	.unlocked_ioctl = xs_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = xs_event_read,
	.poll = xs_event_poll,
	.llseek = noop_llseek,
};

struct miscdevice xs_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KFD_XSCHED_DEVICE,
	.fops = &xs_fops,
	.mode = 0660,
};

static void free_all(void)
{
	scoped_guard(mutex, &xs_lock) {
		xs_queues_free_locked();
		xs_processes_free_locked();
	}
	xs_nodes_free();
	xs_pm_exit();
	xs_watchdog_exit();
	xs_activity_exit();
	xs_sysfs_exit();
	xs_eject_exit();
	xs_backend = NULL;
}

static int start_all(void)
{
	int ret = xs_sysfs_init();

	if (ret)
		return ret;
	ret = xs_activity_init();
	if (ret) {
		xs_sysfs_exit();
		return ret;
	}
	ret = xs_watchdog_init();
	if (ret) {
		xs_activity_exit();
		xs_sysfs_exit();
		return ret;
	}
	ret = xs_pm_init();
	if (ret) {
		xs_watchdog_exit();
		xs_activity_exit();
		xs_sysfs_exit();
	}
	return ret;
}

int xs_core_start(const struct xs_backend_ops *backend)
{
	int ret = start_all();

	if (ret)
		return ret;
	xs_backend = backend;
	xs_nodes_start();
	ret = backend->start();
	if (ret) {
		xs_nodes_stop();
		xs_sysfs_queues_stop();
		free_all();
		return ret;
	}
	ret = misc_register(&xs_device);
	if (ret) {
		xs_nodes_stop();
		xs_sysfs_queues_stop();
		backend->stop();
		free_all();
		return ret;
	}
	xs_debugfs_init();
	return 0;
}

void xs_core_stop(void)
{
	xs_debugfs_exit();
	misc_deregister(&xs_device);
	/* What is left of async calls, and retries, call the backend. */
	xs_nodes_stop();
	xs_sysfs_queues_stop();
	xs_backend->stop();
	free_all();
}
