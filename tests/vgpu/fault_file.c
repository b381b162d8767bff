// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs vgpu/fault: one command a write, words apart by blanks.
 *
 *   [GPU.NODE] COMMAND [ARGUMENT]...
 *
 *   preempt_late US [COUNT]            preempt_hang
 *   preempt_fail DOORBELL|any [COUNT]  stop PACKETS
 *   reset_fail [COUNT]
 *   reset_save PID|any [COUNT]         kill_save PID|any [COUNT]
 *   corrupt_bit PID|any [COUNT]        corrupt_cut, corrupt_swap, corrupt_stack: likewise
 *   ones [COUNT]                       reset_late US [COUNT]
 *   mes_fail N [CALL [DOORBELL]]       mes_hang [CALL [DOORBELL]]
 *   clear
 *
 * GPU.NODE is 0.0 unless given; clear without it means all. CALL: add, remove,
 * suspend, resume or any. Reading shows what is armed, and what has happened.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "vgpu.h"
#include "fault.h"
#include "mes_ring.h"

#define MAX_COMMAND	128
#define MAX_COUNT	1000000

/* Kind of a command's first argument. */
enum argument {
	ARG_NONE,
	ARG_COUNT,	/* none, but for the count that may follow all others */
	ARG_US,
	ARG_PACKETS,
	ARG_DOORBELL,
	ARG_PID,
};

static const struct command {
	const char *name;
	enum argument arg;
} commands[VGPU_FAULT_KINDS] = {
	[VGPU_FAULT_LATE] = { "preempt_late", ARG_US },
	[VGPU_FAULT_HANG] = { "preempt_hang", ARG_NONE },
	[VGPU_FAULT_STOP] = { "stop", ARG_PACKETS },
	[VGPU_FAULT_STUCK] = { "preempt_fail", ARG_DOORBELL },
	[VGPU_FAULT_RESET_FAIL] = { "reset_fail", ARG_COUNT },
	[VGPU_FAULT_RESET] = { "reset_save", ARG_PID },
	[VGPU_FAULT_KILL] = { "kill_save", ARG_PID },
	[VGPU_FAULT_BIT] = { "corrupt_bit", ARG_PID },
	[VGPU_FAULT_CUT] = { "corrupt_cut", ARG_PID },
	[VGPU_FAULT_SWAP] = { "corrupt_swap", ARG_PID },
	[VGPU_FAULT_STACK] = { "corrupt_stack", ARG_PID },
	[VGPU_FAULT_ONES] = { "ones", ARG_COUNT },
	[VGPU_FAULT_RESET_LATE] = { "reset_late", ARG_US },
};

static const char *const mes_calls[] = {
	[SIM_MES_ADD] = "add",
	[SIM_MES_REMOVE] = "remove",
	[SIM_MES_SUSPEND] = "suspend",
	[SIM_MES_RESUME] = "resume",
	[SIM_MES_OTHER] = "other",
	[SIM_MES_OPS] = "any",
};

/* The next word of a command, or NULL. */
static char *next_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\n");
	} while (word && !*word);
	return word;
}

/* A number, or 0 for "any" if that is allowed. */
static int parse_number(const char *word, bool any, u64 max, u64 *to)
{
	int r;

	if (!word)
		return -EINVAL;
	*to = 0;
	if (any && !strcmp(word, "any"))
		return 0;
	r = kstrtou64(word, 0, to);
	if (!r && (*to > max || (any && !*to)))
		r = -ERANGE;
	return r;
}

/* On the node's GPU. */
static int pasid_of(const struct vgpu_node *node, u32 pid, u32 *pasid)
{
	struct kfd_node *dev = node->vg->adev->kfd.dev->nodes[node->index];
	struct pid *ref = find_get_pid(pid);
	struct kfd_process_device *pdd;
	struct kfd_process *p;

	p = vgpu_call(kfd_lookup_process_by_pid, ref);
	put_pid(ref);
	if (!p)
		return -ESRCH;
	pdd = vgpu_call(kfd_get_process_device_data, dev, p);
	if (pdd)
		*pasid = compat_pasid(pdd);
	vgpu_calls.kfd_unref_process(p);
	return pdd ? 0 : -ESRCH;
}

static int parse_argument(const struct vgpu_node *node, enum argument arg, char **text,
			  struct vgpu_fault *f)
{
	u64 value = 0;
	int r = 0;

	switch (arg) {
	case ARG_NONE:
	case ARG_COUNT:
		return 0;
	case ARG_US:
		r = parse_number(next_word(text), false, 60 * USEC_PER_SEC, &value);
		f->arg = value * NSEC_PER_USEC;
		return r;
	case ARG_PACKETS:
		return parse_number(next_word(text), false, MAX_COUNT, &f->arg);
	case ARG_DOORBELL:
		return parse_number(next_word(text), true, U32_MAX, &f->arg);
	case ARG_PID:
		r = parse_number(next_word(text), true, PID_MAX_LIMIT, &value);
		return r || !value ? r : pasid_of(node, value, &f->pasid);
	}
	return -EINVAL;
}

static int parse_fault(const struct vgpu_node *node, enum vgpu_fault_kind kind, char *text,
		       struct vgpu_fault *f)
{
	const struct command *c = &commands[kind];
	u64 count = 1;
	char *word;
	int r;

	*f = (struct vgpu_fault){ .kind = kind };
	r = parse_argument(node, c->arg, &text, f);
	if (r)
		return r;
	word = next_word(&text);
	if (word && (c->arg == ARG_NONE || c->arg == ARG_PACKETS))
		return -EINVAL;
	if (word)
		r = parse_number(word, false, MAX_COUNT, &count);
	if (r || !count || next_word(&text))
		return r ?: -EINVAL;
	f->count = count;
	return 0;
}

static int parse_mes(bool hang, char *text, struct sim_mes_fault *f)
{
	u64 fail = 0, doorbell = 0;
	char *word;
	int r = 0;

	*f = (struct sim_mes_fault){ .op = SIM_MES_OPS, .hang = hang };
	if (!hang)
		r = parse_number(next_word(&text), false, MAX_COUNT, &fail);
	if (r || (!hang && !fail))
		return r ?: -EINVAL;
	f->fail = fail;
	word = next_word(&text);
	if (!word)
		return 0;
	r = match_string(mes_calls, ARRAY_SIZE(mes_calls), word);
	if (r < 0)
		return r;
	f->op = r;
	word = next_word(&text);
	r = word ? parse_number(word, false, U32_MAX, &doorbell) : 0;
	f->doorbell = doorbell;
	return r ?: next_word(&text) ? -EINVAL : 0;
}

void vgpu_mes_fault_clear(struct vgpu_node *node)
{
	if (node->mes)
		memset(&node->mes->sim.fault, 0, sizeof(node->mes->sim.fault));
}

static int arm_mes(struct vgpu_node *node, bool hang, char *text)
{
	struct sim_mes_fault f;
	unsigned long flags;
	int r = parse_mes(hang, text, &f);

	if (r)
		return r;
	if (!node->mes)
		return -EOPNOTSUPP;
	raw_spin_lock_irqsave(&node->vg->lock, flags);
	node->mes->sim.fault = f;
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
	return 0;
}

static int arm(struct vgpu_node *node, const char *name, char *text)
{
	struct vgpu_fault f;
	unsigned long flags;
	int kind, r;

	if (!strcmp(name, "mes_fail") || !strcmp(name, "mes_hang"))
		return arm_mes(node, name[4] == 'h', text);
	for (kind = 0; kind < VGPU_FAULT_KINDS; kind++)
		if (!strcmp(name, commands[kind].name))
			break;
	if (kind == VGPU_FAULT_KINDS)
		return -EINVAL;
	r = parse_fault(node, kind, text, &f);
	if (r)
		return r;
	raw_spin_lock_irqsave(&node->vg->lock, flags);
	r = vgpu_fault_arm(node, &f);
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
	return r;
}

/* Call @fn for every node of every GPU, with its lock held: -ENODEV if there is none. */
static int every_node(void (*fn)(struct vgpu_node *node, void *arg), void *arg)
{
	unsigned long flags;
	int r = -ENODEV;
	struct vgpu *vg;
	u32 i, n;

	vgpu_for_each(vg, i) {
		r = 0;
		raw_spin_lock_irqsave(&vg->lock, flags);
		for (n = 0; n < vg->nr_nodes; n++)
			fn(&vg->nodes[n], arg);
		raw_spin_unlock_irqrestore(&vg->lock, flags);
	}
	return r;
}

static void clear_node(struct vgpu_node *node, void *arg)
{
	vgpu_fault_clear(node);
}

static struct vgpu_node *node_named(const char *name)
{
	struct vgpu *vg;
	u32 gpu, node;

	if (sscanf(name, "%u.%u", &gpu, &node) != 2 || gpu >= VGPU_DEVICES)
		return NULL;
	vg = READ_ONCE(vgpu_devices[gpu]);
	return vg && node < vg->nr_nodes ? &vg->nodes[node] : NULL;
}

static int command(char *text)
{
	struct vgpu_node *node;
	unsigned long flags;
	char *word = next_word(&text);
	bool named = word && isdigit(*word);

	node = node_named(named ? word : "0.0");
	if (!node)
		return -ENODEV;
	if (named)
		word = next_word(&text);
	if (!word)
		return -EINVAL;
	if (strcmp(word, "clear"))
		return arm(node, word, text);
	if (next_word(&text))
		return -EINVAL;
	if (!named)
		return every_node(clear_node, NULL);
	raw_spin_lock_irqsave(&node->vg->lock, flags);
	vgpu_fault_clear(node);
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
	return 0;
}

static ssize_t fault_write(struct file *file, const char __user *from, size_t n,
			   loff_t *pos)
{
	char text[MAX_COMMAND];
	int r;

	if (n >= sizeof(text))
		return -E2BIG;
	if (copy_from_user(text, from, n))
		return -EFAULT;
	text[n] = 0;
	r = command(text);
	return r ?: n;
}

/* ---- reading ---- */

static void show_mes(struct seq_file *m, const struct vgpu_node *node)
{
	const struct sim_mes_fault *f = node->mes ? &node->mes->sim.fault : NULL;

	if (!f || (!f->fail && !f->hang))
		return;
	seq_printf(m, "%u.%u armed %s %s doorbell %x left %u\n", node->vg->index,
		   node->index, f->hang ? "mes_hang" : "mes_fail", mes_calls[f->op],
		   f->doorbell, f->hang ? 1 : f->fail);
}

static void show_node(struct vgpu_node *node, void *arg)
{
	const struct vgpu_faults *f = &node->faults;
	struct seq_file *m = arg;
	u32 i;

	for (i = 0; i < f->nr; i++)
		seq_printf(m, "%u.%u armed %s %llu pasid %u left %u\n",
			   node->vg->index, node->index, commands[f->armed[i].kind].name,
			   f->armed[i].arg, f->armed[i].pasid, f->armed[i].count);
	show_mes(m, node);
	for (i = 0; i < VGPU_FAULT_KINDS; i++)
		if (f->fired[i])
			seq_printf(m, "%u.%u fired %s %llu\n", node->vg->index,
				   node->index, commands[i].name, f->fired[i]);
}

static int fault_show(struct seq_file *m, void *unused)
{
	every_node(show_node, m);
	return 0;
}

static int fault_open(struct inode *inode, struct file *file)
{
	return single_open(file, fault_show, NULL);
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = fault_open,
	.read = seq_read,
	.write = fault_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void vgpu_fault_debugfs(struct dentry *dir)
{
	debugfs_create_file("fault", 0600, dir, NULL, &fault_fops);
}

/* ---- module parameter hang: preempt_hang or mes_hang, on every node ---- */

static void arm_hang(struct vgpu_node *node, void *arg)
{
	const struct vgpu_fault f = { .kind = VGPU_FAULT_HANG, .count = 1 };

	if (node->mes)
		node->mes->sim.fault = (struct sim_mes_fault){
			.op = SIM_MES_OPS, .hang = true,
		};
	else
		vgpu_fault_arm(node, &f);
}

static void is_armed(struct vgpu_node *node, void *arg)
{
	bool *armed = arg;
	u32 i;

	*armed |= node->mes && node->mes->sim.fault.hang;
	for (i = 0; i < node->faults.nr; i++)
		*armed |= node->faults.armed[i].kind == VGPU_FAULT_HANG;
}

static int hang_set(const char *value, const struct kernel_param *kp)
{
	bool on;
	int r = kstrtobool(value, &on);

	return r ?: every_node(on ? arm_hang : clear_node, NULL);
}

static int hang_get(char *buffer, const struct kernel_param *kp)
{
	bool armed = false;

	every_node(is_armed, &armed);
	return sysfs_emit(buffer, "%c\n", armed ? 'Y' : 'N');
}

static const struct kernel_param_ops hang_ops = {
	.set = hang_set,
	.get = hang_get,
};
module_param_cb(hang, &hang_ops, NULL, 0644);
MODULE_PARM_DESC(hang, "the firmware does not answer; a reset clears it. See debugfs vgpu/fault");
