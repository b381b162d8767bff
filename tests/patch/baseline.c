// SPDX-License-Identifier: GPL-2.0-only
/*
 * kfd_baseline.ko: the time that amdkfd itself needs to take queues off the GPU.
 *
 * Its own functions are called, under its own lock, and nothing else: on HWS
 * unmap_queues_cpsch() and map_queues_cpsch(), with the queues marked inactive
 * between the two; on MES remove_queue_mes() for each. Additional
 * time of a scheduler is its own.
 *
 * Written to kfd_baseline in debugfs, "off PID..." takes all queues of these
 * processes off the first GPU, "on PID..." puts them back; read, it shows the
 * last command, nanoseconds: "queues unmap map gpu", the last being the software
 * GPU's part of the two. Only for benchmarks: between off and on nothing else may
 * be done to the queues.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kfd_priv.h"
#include "kfd_device_queue_manager.h"

#define MAX_PIDS	128
#define MAX_TEXT	2048

/* What amdgpu does not export; the queue manager's own functions are called under its lock. */
struct symbols {
	typeof(&kfd_topology_enum_kfd_devices) kfd_topology_enum_kfd_devices;
	typeof(&kfd_dqm_preempt) kfd_dqm_preempt;
	typeof(&map_queues_cpsch) map_queues_cpsch;
	typeof(&kfd_dqm_change_mes) kfd_dqm_change_mes;
	typeof(&kfd_dqm_set_active) kfd_dqm_set_active;
	u64 (*vgpu_clock_gpu)(void);
};

/* Of the last command. */
struct result {
	unsigned int queues;
	u64 unmap_ns;
	u64 map_ns;
	u64 gpu_ns;
};

static struct symbols symbols;
static struct result result;
static DEFINE_MUTEX(command_mutex);
static struct dentry *file;

/**
 * struct command - what to do
 * @dqm: of the node
 * @off: take off, else put back
 * @pids: processes
 * @count: how many
 */
struct command {
	struct device_queue_manager *dqm;
	bool off;
	pid_t pids[MAX_PIDS];
	unsigned int count;
};

static bool is_meant(const struct command *c, const struct qcm_process_device *qpd)
{
	pid_t tgid = task_tgid_nr(qpd->pqm->process->lead_thread);
	unsigned int i;

	for (i = 0; i < c->count; i++)
		if (c->pids[i] == tgid)
			return true;
	return false;
}

/* The counters must be right before the map. */
static int mark(const struct command *c, struct queue *q)
{
	symbols.kfd_dqm_set_active(q, &q->sched.pdd->qpd, !c->off);
	result.queues++;
	return 0;
}

static int change_mes(const struct command *c, struct queue *q)
{
	return symbols.kfd_dqm_change_mes(c->dqm, q, !c->off) ?: mark(c, q);
}

static int for_each(const struct command *c, int (*change)(const struct command *c, struct queue *q))
{
	struct device_process_node *process;
	struct queue *q;
	int ret = 0;

	list_for_each_entry(process, &c->dqm->queues, list) {
		if (!is_meant(c, process->qpd))
			continue;
		list_for_each_entry(q, &process->qpd->queues_list, list) {
			if (!ret && q->properties.is_active == c->off)
				ret = change(c, q);
		}
	}
	return ret;
}

/* Begin and end of what counts. */
static u64 begin(void)
{
	result.gpu_ns -= symbols.vgpu_clock_gpu();
	return ktime_get_ns();
}

static u64 end(u64 start)
{
	const u64 ns = ktime_get_ns() - start;

	result.gpu_ns += symbols.vgpu_clock_gpu();
	return ns;
}

/* As a switch of ours does, with the shortest grace. */
static int run_hws(const struct command *c)
{
	u64 start = begin();
	int ret;

	ret = symbols.kfd_dqm_preempt(c->dqm, 1);
	result.unmap_ns = end(start);
	if (ret)
		return ret;

	for_each(c, mark);
	start = begin();
	ret = symbols.map_queues_cpsch(c->dqm);
	result.map_ns = end(start);
	return ret;
}

static int run_mes(const struct command *c)
{
	u64 start = begin();
	int ret = for_each(c, change_mes);

	*(c->off ? &result.unmap_ns : &result.map_ns) = end(start);
	return ret;
}

static int run(struct command *c)
{
	struct kfd_node *node;
	int ret;
	u8 i;

	for (i = 0; !(ret = symbols.kfd_topology_enum_kfd_devices(i, &node)) && !node; i++)
		;
	if (ret)
		return -ENODEV;

	c->dqm = node->dqm;
	memset(&result, 0, sizeof(result));
	dqm_lock(c->dqm);
	ret = node->kfd->shared_resources.enable_mes ? run_mes(c) : run_hws(c);
	dqm_unlock(c->dqm);
	return ret;
}

static int parse(struct command *c, char *text)
{
	const char *word = strsep(&text, " \n");
	int ret;

	c->off = !strcmp(word, "off");
	if (!c->off && strcmp(word, "on"))
		return -EINVAL;
	while ((word = strsep(&text, " \n"))) {
		if (!*word)
			continue;
		if (c->count == MAX_PIDS)
			return -E2BIG;
		ret = kstrtoint(word, 10, &c->pids[c->count++]);
		if (ret)
			return ret;
	}
	return 0;
}

static ssize_t baseline_write(struct file *f, const char __user *from, size_t size, loff_t *at)
{
	struct command *c;
	char *text;
	int ret;

	if (!size || size > MAX_TEXT)
		return -EINVAL;
	text = memdup_user_nul(from, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	ret = c ? parse(c, text) : -ENOMEM;
	if (!ret) {
		mutex_lock(&command_mutex);
		ret = run(c);
		mutex_unlock(&command_mutex);
	}
	kfree(c);
	kfree(text);
	return ret ?: (ssize_t)size;
}

static int baseline_show(struct seq_file *m, void *unused)
{
	mutex_lock(&command_mutex);
	seq_printf(m, "%u %llu %llu %llu\n", result.queues, result.unmap_ns, result.map_ns,
		   result.gpu_ns);
	mutex_unlock(&command_mutex);
	return 0;
}

static int baseline_open(struct inode *inode, struct file *f)
{
	return single_open(f, baseline_show, NULL);
}

static const struct file_operations baseline_file = {
	.owner = THIS_MODULE,
	.open = baseline_open,
	.read = seq_read,
	.write = baseline_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* kallsyms_lookup_name() is not exported, but can be probed. */
static int find_symbols(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	symbols.kfd_topology_enum_kfd_devices = (void *)lookup("kfd_topology_enum_kfd_devices");
	symbols.kfd_dqm_preempt = (void *)lookup("kfd_dqm_preempt");
	symbols.map_queues_cpsch = (void *)lookup("map_queues_cpsch");
	symbols.kfd_dqm_change_mes = (void *)lookup("kfd_dqm_change_mes");
	symbols.kfd_dqm_set_active = (void *)lookup("kfd_dqm_set_active");
	symbols.vgpu_clock_gpu = (void *)lookup("vgpu_clock_gpu");
	return symbols.kfd_topology_enum_kfd_devices && symbols.vgpu_clock_gpu &&
		symbols.kfd_dqm_preempt && symbols.map_queues_cpsch &&
		symbols.kfd_dqm_change_mes && symbols.kfd_dqm_set_active ? 0 : -ENOENT;
}

static int __init baseline_init(void)
{
	int ret = find_symbols();

	if (!ret)
		file = debugfs_create_file("kfd_baseline", 0600, NULL, NULL, &baseline_file);
	return ret;
}

static void __exit baseline_exit(void)
{
	debugfs_remove(file);
}

module_init(baseline_init);
module_exit(baseline_exit);
MODULE_DESCRIPTION("What amdkfd itself takes to unmap and map; for benchmarks");
MODULE_LICENSE("GPL");
