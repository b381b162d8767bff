// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every suite stands on. See harness.h.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/major.h>
#include <linux/miscdevice.h>
#include <linux/mman.h>
#include <linux/mmu_context.h>
#include <linux/mount.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "harness.h"
#include "core.h"

#define XT_PATH		"/kfd_xsched"
#define XT_USER_SIZE	(4UL << 20)

static void make_device_node(struct kunit *test)
{
	const dev_t dev = MKDEV(MISC_MAJOR, xs_device.minor);
	const int umask = current->fs->umask;
	struct dentry *dentry;
	struct path path;
	int ret;

	/* Anybody may open it: what they then may do is the core's to say. */
	current->fs->umask = 0;
	dentry = start_creating_path(AT_FDCWD, XT_PATH, &path, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(dentry));
	ret = compat_mknod(&path, dentry, S_IFCHR | 0666, dev);
	end_creating_path(&path, dentry);
	current->fs->umask = umask;
	KUNIT_ASSERT_EQ(test, ret, 0);
}

static void remove_device_node(struct kunit *test)
{
	struct dentry *dentry;
	struct path path;

	dentry = start_removing_path(XT_PATH, &path);
	if (IS_ERR(dentry))
		return;
	KUNIT_EXPECT_EQ(test, vfs_unlink(mnt_idmap(path.mnt), d_inode(path.dentry),
					 dentry, NULL), 0);
	end_removing_path(&path, dentry);
}

static u64 last_id(struct kunit *test)
{
	struct xt *xt = test->priv;
	const u32 count = xt_list(test, xt->files[0]);

	KUNIT_ASSERT_GT(test, count, 0);
	return xt->list[count - 1].id;
}

int xt_init(struct kunit *test)
{
	struct xt *xt = kunit_kzalloc(test, sizeof(*xt), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, xt);
	test->priv = xt;
	xt->user = kunit_vm_mmap(test, NULL, 0, XT_USER_SIZE, PROT_READ | PROT_WRITE,
				 MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, xt->user, 0);

	fake_reset();
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xs_watchdog_set_ms(XS_WATCHDOG_MS_MAX);
	make_device_node(test);
	xt->files[0] = xt_open(test);
	xt->node = fake_node_add(test, XT_GPU, FAKE_CAPS);
	xt->process = fake_process_add(test, XT_UID);
	compat_set_dumpable(xt->process->task, true);
	for (i = 0; i < ARRAY_SIZE(xt->queues); i++) {
		xt->queues[i] = fake_queue_add(test, xt->process, xt->node);
		KUNIT_ASSERT_NOT_NULL(test, xt->queues[i]);
		xt->ids[i] = last_id(test);
	}
	return 0;
}

void xt_exit(struct kunit *test)
{
	struct xt *xt = test->priv;
	unsigned int i;

	if (!xt)
		return;
	for (i = 0; i < XT_CLIENTS; i++)
		xt_close(test, xt->files[i]);
	KUNIT_EXPECT_TRUE_MSG(test, xt_comes(!fake_anything_held()), "something is still held");
	fake_remove_all();
	remove_device_node(test);
	xs_core_stop();
}

unsigned long xt_alloc(struct kunit *test, size_t size)
{
	struct xt *xt = test->priv;
	unsigned long address = xt->user + xt->used;

	xt->used += ALIGN(size, 64);
	KUNIT_ASSERT_LE(test, xt->used, XT_USER_SIZE);
	return address;
}

unsigned long xt_put(struct kunit *test, const void *from, size_t size)
{
	unsigned long address = xt_alloc(test, size);

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)address, from, size), 0);
	return address;
}

void xt_get(struct kunit *test, void *to, unsigned long from, size_t size)
{
	KUNIT_ASSERT_EQ(test, copy_from_user(to, (void __user *)from, size), 0);
}

unsigned long xt_map_read_only(struct kunit *test, const void *from, size_t size)
{
	struct file *file = filp_open("/", O_TMPFILE | O_RDWR, 0600);
	unsigned long address;
	loff_t at = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	KUNIT_ASSERT_EQ(test, kernel_write(file, from, size, &at), size);
	address = kunit_vm_mmap(test, file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, 0);
	fput(file);
	KUNIT_ASSERT_NE(test, address, 0);
	return address;
}

struct file *xt_open(struct kunit *test)
{
	struct file *file = filp_open(XT_PATH, O_RDWR | O_NONBLOCK, 0);
	struct xt *xt = test->priv;
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	for (i = 0; i < XT_CLIENTS; i++) {
		if (!xt->files[i]) {
			xt->files[i] = file;
			return file;
		}
	}
	KUNIT_FAIL_AND_ABORT(test, "too many clients");
	return NULL;
}

static void forget_file(struct xt *xt, const struct file *file)
{
	unsigned int i;

	for (i = 0; i < XT_CLIENTS; i++) {
		if (xt->files[i] == file)
			xt->files[i] = NULL;
	}
}

void xt_close(struct kunit *test, struct file *file)
{
	if (!file)
		return;
	forget_file(test->priv, file);
	__fput_sync(file);
}

long xt_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	return file->f_op->unlocked_ioctl(file, cmd, address);
}

long xt_ioctl_arg(struct kunit *test, struct file *file, unsigned int cmd,
		  void *arg, size_t size)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	const unsigned long address = xt_put(test, arg, size);
	const long ret = xt_ioctl(file, cmd, address);

	xt_get(test, arg, address, size);
	xt->used = used;
	return ret;
}

long xt_park(struct kunit *test, struct file *file, u32 op, u64 id, u32 ms)
{
	struct kfd_xsched_park arg = {
		.size = sizeof(arg),
		.op = op,
		.target = KFD_XSCHED_TARGET_PROCESS,
		.id = id,
		.idle_ms = ms,
	};

	return xt_ioctl_arg(test, file, KFD_XSCHED_PARK, &arg, sizeof(arg));
}

static int call_thread(void *data)
{
	struct xt_call *call = data;

	kthread_use_mm(call->mm);
	if (call->fn)
		call->fn(call->data);
	else
		call->ret = xt_ioctl(call->file, call->cmd, call->address);
	kthread_unuse_mm(call->mm);
	complete(&call->done);
	return 0;
}

void xt_call_start(struct kunit *test, struct xt_call *call)
{
	struct task_struct *task;

	init_completion(&call->done);
	call->mm = current->mm;
	call->start_ns = ktime_get_ns();
	task = kthread_run(call_thread, call, "xt_call");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
}

bool xt_call_ended(struct xt_call *call, unsigned int ms)
{
	if (!wait_for_completion_timeout(&call->done, msecs_to_jiffies(ms)))
		return false;
	complete(&call->done);
	return true;
}

long xt_call_wait(struct kunit *test, struct xt_call *call)
{
	KUNIT_ASSERT_TRUE(test, xt_call_ended(call, XT_PATIENCE_MS));
	return call->ret;
}

void xt_start_entry(struct kunit *test, struct xt_call *call, struct file *file,
		    const struct kfd_xsched_entry *entry)
{
	const struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = 1,
		.stride = sizeof(*entry),
		.entries = xt_put(test, entry, sizeof(*entry)),
	};

	*call = (struct xt_call){
		.file = file,
		.cmd = KFD_XSCHED_APPLY,
		.address = xt_put(test, &arg, sizeof(arg)),
	};
	xt_call_start(test, call);
}

void xt_start_do(struct kunit *test, struct xt_call *call, struct file *file,
		 u32 op, u32 target, u64 id)
{
	const struct kfd_xsched_entry entry = { .op = op, .target = target, .id = id };

	xt_start_entry(test, call, file, &entry);
}

void xt_start_fn(struct kunit *test, struct xt_call *call, void (*fn)(void *),
		 void *data)
{
	*call = (struct xt_call){ .fn = fn, .data = data };
	xt_call_start(test, call);
}

static void close_file(void *data)
{
	__fput_sync(data);
}

void xt_start_close(struct kunit *test, struct xt_call *call, struct file *file)
{
	forget_file(test->priv, file);
	xt_start_fn(test, call, close_file, file);
}

void xt_expect_close_waits(struct kunit *test, struct xt_call *call)
{
	const bool ended = xt_call_ended(call, 60);

	/* Later it may have given up. */
	if (ktime_get_ns() - call->start_ns < 400 * NSEC_PER_MSEC)
		KUNIT_EXPECT_FALSE(test, ended);
}

bool xt_entered(struct xs_hw_node *node)
{
	return wait_for_completion_timeout(&node->entered, msecs_to_jiffies(XT_PATIENCE_MS));
}

long xt_async(struct kunit *test, struct file *file, u32 op, u32 target, u64 id,
	      u64 cookie)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	const struct kfd_xsched_entry entry = { .op = op, .target = target, .id = id };
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.flags = KFD_XSCHED_APPLY_ASYNC,
		.count = 1,
		.stride = sizeof(entry),
		.entries = xt_put(test, &entry, sizeof(entry)),
		.cookie = cookie,
	};
	long ret = xt_ioctl_arg(test, file, KFD_XSCHED_APPLY, &arg, sizeof(arg));

	xt_get(test, xt->entries, arg.entries, sizeof(entry));
	xt->result_count = arg.node_count;
	xt->used = used;
	return ret;
}

long xt_tenant(struct kunit *test, struct file *file, u32 op, u64 id, u64 process)
{
	struct kfd_xsched_tenant arg = {
		.size = sizeof(arg),
		.op = op,
		.id = id,
		.process = process,
	};
	long ret = xt_ioctl_arg(test, file, KFD_XSCHED_TENANT, &arg, sizeof(arg));

	return ret || op != KFD_XSCHED_TENANT_CREATE ? ret : (long)arg.id;
}

long xt_apply(struct kunit *test, struct file *file,
	      const struct kfd_xsched_entry *entries, u32 count)
{
	struct xt *xt = test->priv;
	const size_t size = count * sizeof(*entries);
	const size_t used = xt->used;
	struct kfd_xsched_apply arg = {
		.size = sizeof(arg),
		.count = count,
		.stride = sizeof(*entries),
		.entries = xt_put(test, entries, size),
		.node_capacity = ARRAY_SIZE(xt->results),
		.node_stride = sizeof(xt->results[0]),
		.nodes = xt_put(test, xt->results, sizeof(xt->results)),
	};
	long ret;

	KUNIT_ASSERT_LE(test, count, ARRAY_SIZE(xt->entries));
	ret = xt_ioctl_arg(test, file, KFD_XSCHED_APPLY, &arg, sizeof(arg));
	xt_get(test, xt->entries, arg.entries, size);
	xt_get(test, xt->results, arg.nodes, sizeof(xt->results));
	xt->result_count = arg.node_count;
	xt->used = used;
	return ret;
}

long xt_do(struct kunit *test, struct file *file, u32 op, u32 target, u64 id, s32 value)
{
	const struct kfd_xsched_entry entry = {
		.op = op,
		.target = target,
		.id = id,
		.value = value,
	};

	return xt_apply(test, file, &entry, 1);
}

long xt_suspend(struct kunit *test, struct file *file, u64 queue)
{
	return xt_do(test, file, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_QUEUE, queue, 0);
}

long xt_resume(struct kunit *test, struct file *file, u64 queue)
{
	return xt_do(test, file, KFD_XSCHED_OP_RESUME, KFD_XSCHED_TARGET_QUEUE, queue, 0);
}

u32 xt_list(struct kunit *test, struct file *file)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	struct kfd_xsched_list arg = {
		.size = sizeof(arg),
		.capacity = ARRAY_SIZE(xt->list),
		.stride = sizeof(xt->list[0]),
		.queues = xt_alloc(test, sizeof(xt->list)),
	};

	KUNIT_ASSERT_EQ(test, xt_ioctl_arg(test, file, KFD_XSCHED_LIST, &arg,
					   sizeof(arg)), 0);
	xt_get(test, xt->list, arg.queues, sizeof(xt->list));
	xt->used = used;
	return arg.count;
}

struct kfd_xsched_queue xt_describe(struct kunit *test, struct file *file, u64 id)
{
	struct xt *xt = test->priv;
	u32 i, count = xt_list(test, file);

	for (i = 0; i < count; i++) {
		if (xt->list[i].id == id)
			return xt->list[i];
	}
	return (struct kfd_xsched_queue){};
}

long xt_subscribe(struct kunit *test, struct file *file, u32 events,
		  u32 sample_us, u32 settle_us)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.events = events,
		.sample_us = sample_us,
		.settle_us = settle_us,
	};

	return xt_ioctl_arg(test, file, KFD_XSCHED_SUBSCRIBE, &arg, sizeof(arg));
}

long xt_read(struct kunit *test, struct file *file)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	const unsigned long buffer = xt_alloc(test, sizeof(xt->events));
	long ret = file->f_op->read(file, (char __user *)buffer,
				    sizeof(xt->events), NULL);

	xt_get(test, xt->events, buffer, sizeof(xt->events));
	xt->used = used;
	if (ret < 0)
		return ret;
	KUNIT_EXPECT_EQ(test, ret % sizeof(xt->events[0]), 0);
	return ret / sizeof(xt->events[0]);
}

struct kfd_xsched_event xt_wait_event(struct kunit *test, struct file *file)
{
	struct xt *xt = test->priv;
	const size_t used = xt->used;
	struct kfd_xsched_event event = { .type = U32_MAX };
	const unsigned long buffer = xt_put(test, &event, sizeof(event));

	xt_comes(file->f_op->read(file, (char __user *)buffer, sizeof(event),
				  NULL) != -EAGAIN);
	xt_get(test, &event, buffer, sizeof(event));
	xt->used = used;
	return event;
}

void xt_become(struct kunit *test, unsigned int uid)
{
	struct cred *cred = prepare_creds();
	struct xt *xt = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->uid = KUIDT_INIT(uid);
	cred->euid = KUIDT_INIT(uid);
	cred->suid = KUIDT_INIT(uid);
	cred->fsuid = KUIDT_INIT(uid);
	cap_clear(cred->cap_permitted);
	cap_clear(cred->cap_effective);
	xt->old_cred = compat_override_creds(cred);
}

void xt_unbecome(struct kunit *test)
{
	struct xt *xt = test->priv;

	if (xt->old_cred)
		compat_revert_creds(xt->old_cred);
	xt->old_cred = NULL;
}

struct file *xt_open_as(struct kunit *test, unsigned int uid)
{
	struct file *file;

	xt_become(test, uid);
	file = xt_open(test);
	xt_unbecome(test);
	return file;
}

struct file *xt_open_debugfs(struct kunit *test, const char *name, int flags)
{
	struct vfsmount *debugfs = kern_mount(get_fs_type("debugfs"));
	struct path root = { .mnt = debugfs };
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(debugfs));
	root.dentry = debugfs->mnt_root;
	file = file_open_root(&root, name, flags, 0);
	kern_unmount(debugfs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	return file;
}

void xt_write(struct kunit *test, struct file *file, const char *text)
{
	const size_t size = strlen(text);
	loff_t at = 0;

	KUNIT_ASSERT_EQ(test, size, file->f_op->write(file, (const char __user *)
						      xt_put(test, text, size),
						      size, &at));
}
