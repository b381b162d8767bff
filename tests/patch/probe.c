// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the probe, written to kfd_probe/run in debugfs. Each is for the
 * queues of the process that writes it. write() fails with what the command
 * returned; what it found out is in kfd_probe/result.
 *
 *   hold | release          all queues, one kfd_sched_apply()
 *   priority N | level N    of all queues; -1: what they have without us
 *   chain HOLD COUNT        as hold or release, of the first COUNT of a chain: all
 *                           queues, the first again, and a pointer to nowhere; and
 *                           of the first queue again, in a second change
 *   arm | disarm            the doorbell tap, on the node of the first queue
 *   info                    one line a queue
 *   move                    as if the page directories of the process had moved
 *   counts                  callbacks of amdkfd, which are then reset
 *   agent GAP_US RECHECK    see agent.c
 *   stop                    the agent
 *   pte ADDRESS             page table entry of the caller there
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "probe.h"

struct probe_counts probe_counts;
DECLARE_WAIT_QUEUE_HEAD(probe_wait);

static DEFINE_MUTEX(probe_mutex);
static LIST_HEAD(probe_queues);
static struct dentry *probe_dir;
static char probe_result[2048];

void probe_lock(void)
{
	mutex_lock(&probe_mutex);
}

void probe_unlock(void)
{
	mutex_unlock(&probe_mutex);
}

unsigned int probe_find_locked(pid_t tgid, struct probe_queue **found)
{
	struct probe_queue *pq;
	unsigned int n = 0;

	lockdep_assert_held(&probe_mutex);
	list_for_each_entry(pq, &probe_queues, link)
		if (pq->tgid == tgid && n < PROBE_MAX_QUEUES)
			found[n++] = pq;
	return n;
}

/* --- callbacks of amdkfd ------------------------------------------------------ */

static void probe_node(struct kfd_node *node)
{
}

static void probe_node_reset(struct kfd_node *node, bool done)
{
}

static void probe_queue_add(struct queue *queue)
{
	struct probe_queue *pq = kzalloc(sizeof(*pq), GFP_KERNEL);
	struct pid *pid;

	if (!pq)
		return;
	pq->queue = queue;
	pq->level = KFD_SCHED_PRIORITY_APP;
	kfd_sched_queue_info(queue, &pq->info);
	pid = kfd_sched_process_pid(pq->info.process);
	pq->tgid = pid ? pid_nr(pid) : 0;
	put_pid(pid);

	probe_lock();
	list_add_tail(&pq->link, &probe_queues);
	probe_unlock();
}

static void probe_queue_del(struct queue *queue)
{
	struct probe_queue *pq, *next;

	/* Its MQDs are freed by now. */
	atomic_set(&probe_counts.gone_saved, kfd_sched_queue_saved(queue));
	probe_lock();
	list_for_each_entry_safe(pq, next, &probe_queues, link) {
		if (pq->queue == queue) {
			list_del(&pq->link);
			kfree(pq);
		}
	}
	probe_unlock();
}

static void probe_queue_changed(struct queue *queue)
{
	atomic_inc(&probe_counts.changed);
}

/* In the lock of the queue manager: no lock under which that is waited for. */
static void probe_preempt_failed(struct kfd_node *node, struct queue *queue)
{
	atomic_inc(queue ? &probe_counts.lost : &probe_counts.failed);
}

static void probe_process_exit(struct kfd_process *process)
{
}

static void probe_doorbell(struct kfd_process *process, struct kfd_node *node, u32 offset)
{
	atomic_set(&probe_counts.offset, offset);
	atomic_inc(&probe_counts.doorbells);
	wake_up(&probe_wait);
}

static const struct kfd_sched_ops probe_ops = {
	.node_add = probe_node,
	.node_del = probe_node,
	.node_reset = probe_node_reset,
	.queue_add = probe_queue_add,
	.queue_del = probe_queue_del,
	.queue_changed = probe_queue_changed,
	.preempt_failed = probe_preempt_failed,
	.process_exit = probe_process_exit,
	.doorbell = probe_doorbell,
};

/* --- commands ----------------------------------------------------------------- */

/* The same change for each queue of a process; what is asked is in @all. */
static int apply_locked(pid_t tgid, const struct kfd_sched_change *all,
			struct kfd_sched_times *times)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];
	struct kfd_sched_change *changes;
	unsigned int n, i;
	int ret;

	n = probe_find_locked(tgid, found);
	if (!n)
		return -ESRCH;
	changes = kcalloc(n, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		changes[i] = *all;
		changes[i].q = found[i]->queue;
		changes[i].next = i + 1 < n ? &changes[i + 1] : NULL;
	}
	ret = kfd_sched_apply(found[0]->info.node, changes, KFD_SCHED_GRACE_DEFAULT, times);
	for (i = 0; i < n && !ret; i++) {
		ret = changes[i].ret;
		if (!ret && all->level != KFD_SCHED_PRIORITY_KEEP)
			found[i]->level = all->level;
	}
	kfree(changes);
	return ret;
}

int probe_hold_locked(pid_t tgid, bool hold, struct kfd_sched_times *times)
{
	struct kfd_sched_change change = {
		.hold = hold,
		.priority = KFD_SCHED_PRIORITY_KEEP,
		.level = KFD_SCHED_PRIORITY_KEEP,
	};

	return apply_locked(tgid, &change, times);
}

static int command_apply_locked(pid_t tgid, const char *command, int value)
{
	struct kfd_sched_change change = {
		.hold = !strcmp(command, "hold"),
		.priority = strcmp(command, "priority") ? KFD_SCHED_PRIORITY_KEEP : value,
		.level = strcmp(command, "level") ? KFD_SCHED_PRIORITY_KEEP : value,
	};
	struct kfd_sched_times times = {};
	int ret = apply_locked(tgid, &change, &times);

	scnprintf(probe_result, sizeof(probe_result), "flips=%u transactions=%u\n",
		  times.flips, times.fw_transactions);
	return ret;
}

/* So many queues of the process, one after the other, and after the last the first again. */
static int command_chain_locked(pid_t tgid, bool hold, unsigned int count)
{
	struct kfd_sched_change chain[PROBE_MAX_QUEUES + 1];
	struct probe_queue *found[PROBE_MAX_QUEUES];
	struct kfd_sched_times times = {};
	unsigned int n, i, bad = 0, flipped = 0;
	int ret;

	/* Fields for results only must be written, whatever they contained. */
	memset(chain, 0xa5, sizeof(chain));
	n = probe_find_locked(tgid, found);
	if (!n || count > n + 1)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		chain[i].q = found[i % n]->queue;
		chain[i].next = i + 1 < count ? &chain[i + 1] : NULL;
		chain[i].hold = hold;
		chain[i].priority = KFD_SCHED_PRIORITY_KEEP;
		chain[i].level = KFD_SCHED_PRIORITY_KEEP;
	}
	ret = kfd_sched_apply(found[0]->info.node, count ? chain : NULL, KFD_SCHED_GRACE_DEFAULT,
			      &times);
	for (i = 0; i < count; i++) {
		bad += chain[i].ret != 0;
		flipped += chain[i].flipped;
	}
	scnprintf(probe_result, sizeof(probe_result), "flips=%u bad=%u flipped=%u last=%d\n",
		  times.flips, bad, flipped, count ? chain[count - 1].ret : 0);
	return ret;
}

static int command_tap_locked(pid_t tgid, bool arm)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];
	bool was;

	if (!probe_find_locked(tgid, found))
		return -ESRCH;
	if (arm)
		return kfd_sched_tap_arm(found[0]->info.process, found[0]->info.node);
	was = kfd_sched_tap_disarm(found[0]->info.process, found[0]->info.node);
	scnprintf(probe_result, sizeof(probe_result), "armed=%d\n", was);
	return 0;
}

int probe_waves_locked(const struct probe_queue *pq)
{
	static struct kfd_sched_waves waves;
	int ret;
	u32 i;

	if (kfd_sched_queue_reasons(pq->queue))
		return kfd_sched_queue_saved(pq->queue);
	ret = kfd_sched_count_waves(pq->info.node, &waves);
	if (ret)
		return ret;
	for (i = 0; i < waves.count; i++)
		if (waves.queues[i].doorbell == pq->info.doorbell)
			return waves.queues[i].waves;
	return 0;
}

static int command_info_locked(pid_t tgid)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];
	unsigned int n = probe_find_locked(tgid, found), i;
	size_t at = 0;

	for (i = 0; i < n; i++) {
		struct queue *queue = found[i]->queue;
		const u32 reasons = kfd_sched_queue_reasons(queue);
		/* Set the level it has: changes nothing, and reports what is in effect. */
		struct kfd_sched_change change = {
			.q = queue,
			.hold = reasons & KFD_SCHED_HELD,
			.priority = KFD_SCHED_PRIORITY_KEEP,
			.level = found[i]->level,
		};
		struct kfd_sched_queue_info info;
		struct kfd_sched_times times;

		kfd_sched_queue_info(queue, &info);
		kfd_sched_apply(info.node, &change, KFD_SCHED_GRACE_DEFAULT, &times);
		at += scnprintf(probe_result + at, sizeof(probe_result) - at,
				"queue=%u reasons=%#x priority=%u effective=%u level=%u flips=%u waves=%d\n",
				info.queue_id, reasons, info.priority,
				change.effective_priority, change.effective_level,
				times.flips + times.fw_transactions,
				probe_waves_locked(found[i]));
	}
	return n ? 0 : -ESRCH;
}

static int command_move_locked(pid_t tgid)
{
	struct probe_queue *found[PROBE_MAX_QUEUES];

	if (!probe_find_locked(tgid, found))
		return -ESRCH;
	probe_move(found[0]->queue);
	return 0;
}

static void command_counts(void)
{
	scnprintf(probe_result, sizeof(probe_result),
		  "doorbells=%d offset=%d gone_saved=%d changed=%d lost=%d failed=%d\n",
		  atomic_xchg(&probe_counts.doorbells, 0), atomic_read(&probe_counts.offset),
		  atomic_read(&probe_counts.gone_saved),
		  atomic_xchg(&probe_counts.changed, 0), atomic_xchg(&probe_counts.lost, 0),
		  atomic_xchg(&probe_counts.failed, 0));
}

/* The tables of the caller cannot go: it is here. No huge pages in a PFN mapping of two. */
static int command_pte(unsigned long addr)
{
	pte_t pte = {};
	pgd_t *pgd;
	p4d_t *p4d;
	pud_t *pud;

	mmap_read_lock(current->mm);
	pgd = pgd_offset(current->mm, addr);
	p4d = pgd_none(*pgd) ? NULL : p4d_offset(pgd, addr);
	pud = !p4d || p4d_none(*p4d) ? NULL : pud_offset(p4d, addr);
	if (pud && !pud_none(*pud)) {
		pmd_t *entry = pmd_offset(pud, addr);

		if (!pmd_none(*entry) && !pmd_leaf(*entry))
			pte = *pte_offset_kernel(entry, addr);
	}
	mmap_read_unlock(current->mm);
	scnprintf(probe_result, sizeof(probe_result), "present=%d write=%d cache=%#lx\n",
		  pte_present(pte), !!pte_write(pte),
		  (unsigned long)(pte_flags(pte) & _PAGE_CACHE_MASK));
	return 0;
}

static int probe_command(char *text)
{
	char *command = strsep(&text, "\n ");
	pid_t tgid = current->tgid;
	unsigned long addr;
	int a = 0, b = 0, ret;

	probe_result[0] = 0;
	if (!strcmp(command, "counts")) {
		command_counts();
		return 0;
	}
	if (!strcmp(command, "pte"))
		return kstrtoul(strstrip(text), 0, &addr) ?: command_pte(addr);
	if (text && *text && sscanf(text, "%d %d", &a, &b) < 1)
		return -EINVAL;
	if (!strcmp(command, "agent"))
		return probe_agent_start(tgid, a, b);
	if (!strcmp(command, "stop"))
		return probe_agent_stop(probe_result, sizeof(probe_result));

	probe_lock();
	if (!strcmp(command, "arm") || !strcmp(command, "disarm"))
		ret = command_tap_locked(tgid, *command == 'a');
	else if (!strcmp(command, "info"))
		ret = command_info_locked(tgid);
	else if (!strcmp(command, "hold") || !strcmp(command, "release") ||
		 !strcmp(command, "priority") || !strcmp(command, "level"))
		ret = command_apply_locked(tgid, command, a);
	else if (!strcmp(command, "chain"))
		ret = command_chain_locked(tgid, a, b);
	else if (!strcmp(command, "move"))
		ret = command_move_locked(tgid);
	else
		ret = -EINVAL;
	probe_unlock();
	return ret;
}

static DEFINE_MUTEX(probe_command_mutex);

static ssize_t probe_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	char text[64] = {};
	int ret;

	if (!size || size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	mutex_lock(&probe_command_mutex);
	ret = probe_command(text);
	mutex_unlock(&probe_command_mutex);
	return ret ?: (ssize_t)size;
}

static ssize_t probe_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	ssize_t ret;

	mutex_lock(&probe_command_mutex);
	ret = simple_read_from_buffer(to, size, at, probe_result, strlen(probe_result));
	mutex_unlock(&probe_command_mutex);
	return ret;
}

static const struct file_operations probe_run = {
	.owner = THIS_MODULE,
	.write = probe_write,
};

static const struct file_operations probe_result_file = {
	.owner = THIS_MODULE,
	.read = probe_read,
};

static int __init probe_init(void)
{
	int ret = kfd_sched_register(&probe_ops);

	if (ret)
		return ret;
	probe_dir = debugfs_create_dir("kfd_probe", NULL);
	debugfs_create_file("run", 0200, probe_dir, NULL, &probe_run);
	debugfs_create_file("result", 0400, probe_dir, NULL, &probe_result_file);
	return 0;
}

static void __exit probe_exit(void)
{
	struct probe_queue *pq, *next;

	debugfs_remove(probe_dir);
	probe_agent_stop(probe_result, sizeof(probe_result));
	kfd_sched_unregister(&probe_ops);
	list_for_each_entry_safe(pq, next, &probe_queues, link)
		kfree(pq);
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Tries what the amdkfd patches promise; for tests");
MODULE_LICENSE("GPL");
