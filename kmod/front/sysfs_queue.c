// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory "xsched" of each queue, beside amdkfd's own files.
 *
 * It knows its queue by id alone and looks it up each time. So no lock is needed
 * to add or remove it. No lock may be held while it is removed: the removal waits
 * for readers and writers, which take xs_lock.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <linux/kfd_xsched.h>

#include "core.h"
#include "front/client.h"
#include "front/front.h"
#include "model/queue.h"
#include "model/request.h"

/**
 * struct queue_dir - the directory of a queue
 * @kobj: the directory
 * @by_hw: in the table of all, under dirs_lock
 * @hw: of which queue; only compared
 * @id: of the queue
 */
struct queue_dir {
	struct kobject kobj;
	struct hlist_node by_hw;
	const struct xs_hw_queue *hw;
	u64 id;
};

struct xs_holder xs_sysfs_holder;

static DEFINE_HASHTABLE(dirs, 8);
static DEFINE_MUTEX(dirs_lock);

/* None is made any more; under dirs_lock. */
static bool stopped;

/**
 * struct queue_file - a file in there
 * @attr: the file
 * @show: its content, under xs_lock
 * @store: change the queue, or NULL
 */
struct queue_file {
	struct attribute attr;
	ssize_t (*show)(struct xs_queue *queue, char *buf);
	int (*store)(u64 id, const char *buf);
};

static ssize_t dir_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	const struct queue_dir *dir = container_of(kobj, struct queue_dir, kobj);
	const struct queue_file *file = container_of(attr, struct queue_file, attr);
	struct xs_queue *queue;

	guard(rt_mutex)(&xs_lock);
	queue = xs_queue_find_locked(dir->id);
	if (IS_ERR(queue))
		return -ENODEV;
	/* No more than LIST shows. */
	if (!xs_process_permits_locked(queue->pdd->process, XS_PERMIT_LIST))
		return -EPERM;
	return file->show(queue, buf);
}

static ssize_t dir_store(struct kobject *kobj, struct attribute *attr,
			 const char *buf, size_t count)
{
	const struct queue_dir *dir = container_of(kobj, struct queue_dir, kobj);
	const struct queue_file *file = container_of(attr, struct queue_file, attr);

	/* Whether the writer may is decided there, as for any APPLY. */
	return file->store(dir->id, buf) ?: count;
}

static void sysfs_queue_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct queue_dir, kobj));
}

/* ---- files --------------------------------------------------------------- */

static ssize_t priority_show(struct xs_queue *queue, char *buf)
{
	return sysfs_emit(buf, "%u\n", xs_queue_priority_locked(queue));
}

static int sysfs_queue_set_priority(u64 id, s32 priority, u32 prio_class)
{
	struct kfd_xsched_entry entry = {
		.op = KFD_XSCHED_OP_SET_PRIORITY,
		.target = KFD_XSCHED_TARGET_QUEUE,
		.id = id,
		.value = priority,
		.prio_class = prio_class,
	};

	return xs_apply_internal(&xs_sysfs_holder, &entry, 1);
}

static int priority_store(u64 id, const char *buf)
{
	s32 priority = KFD_XSCHED_PRIORITY_APP;

	if (!sysfs_streq(buf, "app") &&
	    (kstrtos32(buf, 10, &priority) || priority < KFD_XSCHED_PRIORITY_MIN ||
	     priority > KFD_XSCHED_PRIORITY_MAX))
		return -EINVAL;
	return sysfs_queue_set_priority(id, priority, KFD_XSCHED_CLASS_KEEP);
}

static const char *const classes[] = {
	[KFD_XSCHED_CLASS_KEEP] = "none",
	[KFD_XSCHED_CLASS_APP] = "app",
	[KFD_XSCHED_CLASS_LOW] = "low",
	[KFD_XSCHED_CLASS_NORMAL] = "normal",
	[KFD_XSCHED_CLASS_MEDIUM] = "medium",
	[KFD_XSCHED_CLASS_HIGH] = "high",
	[KFD_XSCHED_CLASS_REALTIME] = "realtime",
};

static ssize_t class_show(struct xs_queue *queue, char *buf)
{
	return sysfs_emit(buf, "%s\n", classes[queue->prio_class]);
}

static int class_store(u64 id, const char *buf)
{
	const int prio_class = sysfs_match_string(classes, buf);

	/* What a queue without classes has is nothing to ask for. */
	if (prio_class <= KFD_XSCHED_CLASS_KEEP)
		return -EINVAL;
	return sysfs_queue_set_priority(id, KFD_XSCHED_PRIORITY_KEEP, prio_class);
}

static const char *const states[] = {
	[ilog2(KFD_XSCHED_QUEUE_ACTIVE)] = "active",
	[ilog2(KFD_XSCHED_QUEUE_HELD)] = "held",
	[ilog2(KFD_XSCHED_QUEUE_READY)] = "ready",
	[ilog2(KFD_XSCHED_QUEUE_WATCHED)] = "watched",
	[ilog2(KFD_XSCHED_QUEUE_TAPPED)] = "tapped",
	[ilog2(KFD_XSCHED_QUEUE_EVICTED)] = "evicted",
	[ilog2(KFD_XSCHED_QUEUE_DEBUGGED)] = "debugged",
	[ilog2(KFD_XSCHED_QUEUE_DISABLED)] = "disabled",
	[ilog2(KFD_XSCHED_QUEUE_RESET)] = "reset",
	[ilog2(KFD_XSCHED_QUEUE_PARKED)] = "parked",
};

static ssize_t state_show(struct xs_queue *queue, char *buf)
{
	const u32 state = xs_list_state_locked(queue, NULL);
	unsigned int i;
	int at = 0;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		if (state & BIT(i) && states[i])
			at += sysfs_emit_at(buf, at, "%s%s", at ? " " : "", states[i]);
	}
	return at + sysfs_emit_at(buf, at, "\n");
}

/* A line for each hold; as many as there is room for. */
static int sysfs_queue_emit_holders(const struct hlist_head *requests, char *buf, int at)
{
	const struct xs_request *request;

	hlist_for_each_entry(request, requests, in_target) {
		const struct xs_client *client = request->holder->client;

		if (request->now.held && at < PAGE_SIZE - 64)
			at += sysfs_emit_at(buf, at, "%llu %d %s\n", client->id,
					    pid_vnr(client->pid), client->comm);
	}
	return at;
}

static ssize_t holder_show(struct xs_queue *queue, char *buf)
{
	const int at = sysfs_queue_emit_holders(&queue->pdd->requests, buf, 0);

	return sysfs_queue_emit_holders(&queue->requests, buf, at);
}

static ssize_t held_us_show(struct xs_queue *queue, char *buf)
{
	return sysfs_emit(buf, "%llu\n",
			  xs_queue_held_ns_locked(queue, ktime_get_ns()) / NSEC_PER_USEC);
}

static ssize_t preemptions_show(struct xs_queue *queue, char *buf)
{
	return sysfs_emit(buf, "%llu\n", queue->preemptions);
}

#define QUEUE_FILE(_name, _mode, _store)					\
static struct queue_file _name##_file = {					\
	.attr = { .name = #_name, .mode = _mode },				\
	.show = _name##_show,							\
	.store = _store,							\
}

QUEUE_FILE(priority, 0644, priority_store);
QUEUE_FILE(class, 0644, class_store);
QUEUE_FILE(state, 0444, NULL);
QUEUE_FILE(holder, 0444, NULL);
QUEUE_FILE(held_us, 0444, NULL);
QUEUE_FILE(preemptions, 0444, NULL);

static struct attribute *dir_attrs[] = {
	&priority_file.attr,
	&class_file.attr,
	&state_file.attr,
	&holder_file.attr,
	&held_us_file.attr,
	&preemptions_file.attr,
	NULL
};
ATTRIBUTE_GROUPS(dir);

static const struct sysfs_ops dir_ops = {
	.show = dir_show,
	.store = dir_store,
};

static const struct kobj_type dir_type = {
	.release = sysfs_queue_release,
	.sysfs_ops = &dir_ops,
	.default_groups = dir_groups,
};

/* ---- come and go --------------------------------------------------------- */

static void sysfs_queue_dir_del(struct queue_dir *dir)
{
	kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
}

void xs_sysfs_queue_add(const struct xs_hw_queue *hw, u64 id, struct kobject *parent)
{
	struct queue_dir *dir;
	int ret;

	if (!parent)
		return;
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return;
	dir->hw = hw;
	dir->id = id;
	ret = kobject_init_and_add(&dir->kobj, &dir_type, parent, "xsched");
	if (ret) {
		pr_warn("kfd_xsched: queue %llu has no files in /sys: %d\n", id, ret);
		kobject_put(&dir->kobj);
		return;
	}
	scoped_guard(mutex, &dirs_lock) {
		if (stopped)
			sysfs_queue_dir_del(dir);
		else
			hash_add(dirs, &dir->by_hw, (unsigned long)hw);
	}
}

static struct queue_dir *sysfs_queue_take(const struct xs_hw_queue *hw)
{
	struct queue_dir *dir;

	guard(mutex)(&dirs_lock);
	hash_for_each_possible(dirs, dir, by_hw, (unsigned long)hw) {
		if (dir->hw != hw)
			continue;
		hash_del(&dir->by_hw);
		return dir;
	}
	return NULL;
}

void xs_sysfs_queue_del(const struct xs_hw_queue *hw)
{
	struct queue_dir *dir = sysfs_queue_take(hw);

	if (dir)
		sysfs_queue_dir_del(dir);
}

/* The lock is held to the end: a queue that goes meanwhile waits for it. */
void xs_sysfs_queues_stop(void)
{
	struct hlist_node *next;
	struct queue_dir *dir;
	unsigned int i;

	guard(mutex)(&dirs_lock);
	stopped = true;
	hash_for_each_safe(dirs, i, next, dir, by_hw) {
		hash_del(&dir->by_hw);
		sysfs_queue_dir_del(dir);
	}
}

void xs_sysfs_queues_start(void)
{
	xs_holder_init(&xs_sysfs_holder, NULL);
	guard(mutex)(&dirs_lock);
	stopped = false;
}
