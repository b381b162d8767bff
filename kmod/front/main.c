// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start and stop, the device node, and its ioctls.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include <linux/kfd_xsched.h>

#include "backend.h"
#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "switch/switch.h"
#include "watch/watch.h"

/* ---- ioctls -------------------------------------------------------------- */

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
	struct kfd_xsched_park park;
};

/* @_last is the last field of the argument as it was first published. */
#define XS_IOCTL(_cmd, _fn, _arg, _last) {	\
	.cmd = _cmd,				\
	.size = sizeof(_arg),			\
	.min_size = offsetofend(_arg, _last),	\
	.fn = _fn,				\
}

static const struct xs_ioctl main_ioctls[] = {
	XS_IOCTL(KFD_XSCHED_INFO, xs_list_ioctl_info,
		 struct kfd_xsched_info, nodes),
	XS_IOCTL(KFD_XSCHED_LIST, xs_list_ioctl_list,
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
	XS_IOCTL(KFD_XSCHED_PARK, xs_park_ioctl,
		 struct kfd_xsched_park, reserved),
};

static const struct xs_ioctl *main_find_ioctl(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(main_ioctls); i++) {
		if (main_ioctls[i].cmd == cmd)
			return &main_ioctls[i];
	}
	return NULL;
}

/*
 * Beginning and end are signs of life. What the call did is gone if the client was
 * ejected meanwhile.
 */
static long main_call(const struct xs_ioctl *row, struct xs_client *client, void *arg)
{
	long ret;

	if (READ_ONCE(client->ejected) && row->cmd != KFD_XSCHED_RENEW)
		return -EOWNERDEAD;
	xs_client_touch(client);
	ret = row->fn(client, arg);
	xs_client_touch(client);
	return READ_ONCE(client->ejected) ? -EOWNERDEAD : ret;
}

static long main_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	void __user *user = (void __user *)address;
	const struct xs_ioctl *row = main_find_ioctl(cmd);
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
	ret = main_call(row, file->private_data, &arg);
	if (copy_to_user(user, &arg, min(size, row->size)))
		return -EFAULT;
	return ret;
}

static const struct file_operations main_fops = {
	.owner = THIS_MODULE,
	.open = xs_client_open,
	.release = xs_client_release,
	.unlocked_ioctl = main_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = xs_event_read,
	.poll = xs_event_poll,
	.llseek = noop_llseek,
};

struct miscdevice xs_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KFD_XSCHED_DEVICE,
	.fops = &main_fops,
	.mode = 0660,
};

/* ---- news ---------------------------------------------------------------- */

static void main_batch_over(struct xs_batch *batch)
{
	xs_apply_over_locked(batch);
	if (batch->armed)
		xs_armed_over_locked(batch);
}

static void main_activity(struct xs_interest *to, const struct xs_queue *queue, u32 type,
			  u64 time_ns)
{
	xs_event_queue(to ? container_of(to, struct xs_client, interest) : NULL, queue, type,
		       time_ns);
}

static const struct xs_news main_news = {
	.node_added = xs_node_added,
	.node_removed = xs_node_removed,
	.node_reset = xs_node_reset,
	.queue_added = xs_queue_added,
	.queue_removed = xs_queue_removed,
	.queue_changed = xs_queue_changed,
	.preempt_failed = xs_preempt_failed,
	.process_exited = xs_process_exited,
	.doorbell = xs_doorbell_rang,
	.held = xs_watchdog_add,
	.batch_over = main_batch_over,
	.activity = main_activity,
	.breaker = xs_node_breaker,
	.demoted = xs_process_demoted,
	.edge = xs_armed_look,
	.tapped = xs_park_tapped,
	.parking = xs_park_parking,
	.unparked = xs_park_unparked_locked,
	.woken = xs_park_woken,
};

/* ---- start and stop ------------------------------------------------------ */

static void main_free_all(void)
{
	xs_arrive_exit();
	xs_armed_exit();
	xs_pm_exit();
	xs_watchdog_exit();
	xs_sampler_exit();
	xs_waves_exit();
	xs_sysfs_exit();
	xs_eject_exit();
	xs_backend = NULL;
}

static int main_start_all(void)
{
	int ret = xs_sysfs_init();

	xs_never_reclaim_under(&xs_lock);
	if (ret)
		return ret;
	ret = xs_waves_init();
	if (ret)
		goto err_sysfs;
	ret = xs_sampler_init();
	if (ret)
		goto err_waves;
	ret = xs_watchdog_init();
	if (ret)
		goto err_sampler;
	ret = xs_park_init();
	if (ret)
		goto err_watchdog;
	ret = xs_pm_init();
	if (!ret)
		return 0;
	xs_park_exit();
err_watchdog:
	xs_watchdog_exit();
err_sampler:
	xs_sampler_exit();
err_waves:
	xs_waves_exit();
err_sysfs:
	xs_sysfs_exit();
	return ret;
}

/* Nothing calls the driver any more: not what is left of async calls, nor retries, nor parks. */
static void main_stop_calls(void)
{
	xs_park_exit();
	xs_transact_stop_all();
	xs_sysfs_queues_stop();
}

int xs_core_start(const struct xs_backend_ops *backend)
{
	int ret = main_start_all();

	if (ret)
		return ret;
	xs_news = &main_news;
	xs_backend = backend;
	xs_transact_start_all();
	ret = backend->start();
	if (ret)
		goto err_start;
	ret = misc_register(&xs_device);
	if (ret)
		goto err_device;
	xs_debugfs_init();
	return 0;

err_device:
	main_stop_calls();
	backend->stop();
	main_free_all();
	return ret;
err_start:
	main_stop_calls();
	main_free_all();
	return ret;
}

void xs_core_stop(void)
{
	xs_debugfs_exit();
	misc_deregister(&xs_device);
	main_stop_calls();
	xs_backend->stop();
	main_free_all();
}
