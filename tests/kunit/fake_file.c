// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fake driver, for programs: with "fake_file" on the kernel's command line the core is started
 * on it, and a file says what happens below. No suite may run then (kunit.enable=0).
 *
 * /sys/kernel/debug/fake takes a line with each write(2), and has done it when that returns; root:
 *
 *	process PLACE UID		a process of that user
 *	queue PLACE NODE ADDRESS	it creates a queue, whose indices are there in the caller's memory
 *	change PLACE			it changes its queues
 *	ring PLACE			it rings its doorbells
 *	exit PLACE			its address space goes, with its queues
 *	slow NODE MS			a transaction takes so long
 *	fail NODE MS PLACE		transactions get no answer for so long, and fail, as a queue of
 *					this process does not save its waves; then the node is reset
 *
 * -ENODEV: no such place, node or process; -EBUSY: there is one already, or no room; -EINVAL.
 * Read, it has the pids by place, 0 if there is none; then whether anything is held below, and
 * whether anything is held or overridden.
 */
#include <kunit/test.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/workqueue.h>

#include "core.h"
#include "fake.h"
#include "harness.h"

#define FILE_NODES	2
#define FILE_QUEUES	8	/* of a process */
#define FILE_ROOM	64	/* of a line */
#define FILE_SLOW_MS	1000	/* at the most */
#define FILE_RESET_MS	20	/* from the failure on */

/**
 * struct file_node - a node
 * @hw: it
 * @answer: ends its silence
 * @reset: resets it
 */
struct file_node {
	struct xs_hw_node *hw;
	struct delayed_work answer;
	struct delayed_work reset;
};

/**
 * struct file_process - a process
 * @hw: it, or NULL
 * @queues: of it
 * @count: of these
 */
struct file_process {
	struct xs_hw_process *hw;
	struct xs_hw_queue *queues[FILE_QUEUES];
	unsigned int count;
};

/* The fake is part of a test; it says so only if it has no room, which is looked for here. */
static struct kunit no_test;

/* Of what a line does; a node answers without it. */
static DEFINE_MUTEX(file_lock);
static struct file_node file_nodes[FILE_NODES];
static struct file_process file_processes[FAKE_PROCESSES];

/* ---- processes ----------------------------------------------------------- */

static int file_process_add(struct file_process *process, u64 uid, u64 unused)
{
	if (process->hw)
		return -EBUSY;
	process->hw = fake_process_add(&no_test, uid);
	process->count = 0;
	return 0;
}

static int file_queue_add(struct file_process *process, u64 node, u64 address)
{
	struct xs_hw_queue_desc desc = {
		.process = process->hw,
		.indices_count_packets = true,
		.indices_show_idle = true,
		.read_index = (u64 __user *)address,
		.write_index = (u64 __user *)(address + sizeof(u64)),
	};
	struct xs_hw_queue *queue;

	if (node >= FILE_NODES)
		return -ENODEV;
	if (process->count == FILE_QUEUES)
		return -EBUSY;
	desc.node = file_nodes[node].hw;
	queue = fake_queue_add_desc(&no_test, &desc);
	if (!queue)
		return -EBUSY;
	process->queues[process->count++] = queue;
	return 0;
}

static int file_process_change(struct file_process *process, u64 unused, u64 unused_too)
{
	unsigned int i;

	for (i = 0; i < process->count; i++)
		fake_queue_change(process->queues[i]);
	return 0;
}

static int file_process_ring(struct file_process *process, u64 unused, u64 unused_too)
{
	unsigned int i;

	for (i = 0; i < FILE_NODES; i++)
		fake_ring(process->hw, file_nodes[i].hw);
	return 0;
}

static int file_process_exit(struct file_process *process, u64 unused, u64 unused_too)
{
	fake_process_exit(process->hw);
	process->hw = NULL;
	return 0;
}

/* ---- nodes --------------------------------------------------------------- */

static void file_node_answer(struct work_struct *work)
{
	const struct file_node *node = container_of(work, struct file_node, answer.work);

	fake_answer(node->hw, -ETIME);
}

static void file_node_lose(const struct file_node *node, const struct file_process *process)
{
	unsigned int i;

	for (i = 0; process->hw && i < process->count; i++) {
		if (process->queues[i]->desc.node != node->hw)
			continue;
		process->queues[i]->reasons |= KFD_XSCHED_QUEUE_RESET;
		process->queues[i]->ret = -EACCES;
	}
}

/* No transaction is on its way while a node is reset. */
static void file_node_reset(struct work_struct *work)
{
	const struct file_node *node = container_of(work, struct file_node, reset.work);
	unsigned int i;

	guard(mutex)(&file_lock);
	xs_node_reset(node->hw, false);
	for (i = 0; i < FAKE_PROCESSES; i++)
		file_node_lose(node, &file_processes[i]);
	node->hw->fail = 0;
	xs_node_reset(node->hw, true);
}

/* Who does not save is on that node, and lost with the reset. */
static struct xs_hw_queue *file_node_queue(const struct file_node *node,
					   const struct file_process *process)
{
	unsigned int i;

	for (i = 0; process->hw && i < process->count; i++)
		if (process->queues[i]->desc.node == node->hw)
			return process->queues[i];
	return NULL;
}

static int file_node_slow(struct file_node *node, u64 ms, u64 unused)
{
	if (ms > FILE_SLOW_MS)
		return -EINVAL;
	WRITE_ONCE(node->hw->switch_ms, ms);
	return 0;
}

static int file_node_fail(struct file_node *node, u64 ms, u64 place)
{
	if (ms > FILE_SLOW_MS || place >= FAKE_PROCESSES)
		return -EINVAL;
	if (delayed_work_pending(&node->reset))
		return -EBUSY;
	node->hw->culprit = file_node_queue(node, &file_processes[place]);
	fake_hang(node->hw);
	schedule_delayed_work(&node->answer, msecs_to_jiffies(ms));
	schedule_delayed_work(&node->reset, msecs_to_jiffies(ms + FILE_RESET_MS));
	return 0;
}

/* ---- the file ------------------------------------------------------------ */

/**
 * struct file_verb - the first word of a line
 * @word: it
 * @process: does it to a process
 * @node: does it to a node
 */
static const struct file_verb {
	const char *word;
	int (*process)(struct file_process *process, u64 a, u64 b);
	int (*node)(struct file_node *node, u64 a, u64 b);
} file_verbs[] = {
	{ "process", .process = file_process_add },
	{ "queue", .process = file_queue_add },
	{ "change", .process = file_process_change },
	{ "ring", .process = file_process_ring },
	{ "exit", .process = file_process_exit },
	{ "slow", .node = file_node_slow },
	{ "fail", .node = file_node_fail },
};

static int file_do(const struct file_verb *verb, u64 which, u64 a, u64 b)
{
	struct file_process *process = &file_processes[which];

	guard(mutex)(&file_lock);
	if (verb->node)
		return which < FILE_NODES ? verb->node(&file_nodes[which], a, b) : -ENODEV;
	if (which >= FAKE_PROCESSES || (!process->hw && verb->process != file_process_add))
		return -ENODEV;
	return verb->process(process, a, b);
}

static int file_read_line(const char *line)
{
	u64 which, a = 0, b = 0;
	unsigned int i;
	char word[16];

	if (sscanf(line, "%15s %llu %llu %llu", word, &which, &a, &b) < 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(file_verbs); i++)
		if (!strcmp(word, file_verbs[i].word))
			return file_do(&file_verbs[i], which, a, b);
	return -EINVAL;
}

static ssize_t file_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	char line[FILE_ROOM];
	int ret;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	line[size] = '\0';
	ret = file_read_line(line);
	return ret ?: size;
}

static int file_show(struct seq_file *to, void *unused)
{
	unsigned int i;

	guard(mutex)(&file_lock);
	for (i = 0; i < FAKE_PROCESSES; i++)
		seq_printf(to, "%d\n", file_processes[i].hw ? file_processes[i].hw->nr : 0);
	seq_printf(to, "%d\n%d\n", fake_any_hold(), fake_anything_held());
	return 0;
}

static int file_open(struct inode *inode, struct file *file)
{
	return single_open(file, file_show, NULL);
}

static const struct file_operations fake_file_ops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.read = seq_read,
	.write = file_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- begin --------------------------------------------------------------- */

static bool file_wanted;

static int __init file_want(char *unused)
{
	file_wanted = true;
	return 1;
}
__setup("fake_file", file_want);

static void __init file_node_add(struct file_node *node, u32 gpu_id, u32 caps)
{
	INIT_DELAYED_WORK(&node->answer, file_node_answer);
	INIT_DELAYED_WORK(&node->reset, file_node_reset);
	node->hw = fake_node_add(&no_test, gpu_id, caps);
}

/* One node that can do everything, and one without what is newer. */
static int __init file_begin(void)
{
	int ret;

	if (!file_wanted)
		return 0;
	fake_reset();
	ret = xs_core_start(&fake_backend);
	if (ret)
		return ret;
	file_node_add(&file_nodes[0], XT_GPU, FAKE_CAPS | KFD_XSCHED_CAP_TAP | KFD_XSCHED_CAP_PARK);
	file_node_add(&file_nodes[1], XT_GPU + 1, FAKE_CAPS & ~KFD_XSCHED_CAP_CLASS);
	debugfs_create_file("fake", 0600, NULL, NULL, &fake_file_ops);
	return 0;
}
late_initcall(file_begin);
