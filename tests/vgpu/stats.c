// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs vgpu/stats: one "name value" a line, the sum of all GPUs and nodes, so that a test can assert on
 * them; every name that begins with "bad" or ends in "faults" must stay 0.
 * debugfs vgpu/stats-G.N: the same of node N of GPU G.
 * debugfs vgpu/unknown: kernels that are not known and were timed (parameter time_unknown), one a
 * line: node, dispatches, registers, LDS and time of a workgroup, name.
 * debugfs vgpu/profile: the model's parameters, to be printed with results. A written line
 * "NAME VALUE" changes a cost of all GPUs, not what they are made of; "name PROFILE" takes all costs of
 * another profile of the same GPU.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "vgpu.h"

static struct dentry *dir;

#define SHOW(m, from, field)	seq_printf(m, #field " %llu\n", (u64)(from).field)

static void show_firmware(struct seq_file *m, const struct vgpu_stats *s)
{
	SHOW(m, *s, set_resources);
	SHOW(m, *s, unmap_queues);
	SHOW(m, *s, run_list);
	SHOW(m, *s, map_process);
	SHOW(m, *s, map_queues);
	SHOW(m, *s, map_gws);
	SHOW(m, *s, query_status);
	SHOW(m, *s, write_data);
	SHOW(m, *s, slices);
	SHOW(m, *s, mes_add);
	SHOW(m, *s, mes_remove);
	SHOW(m, *s, mes_suspend);
	SHOW(m, *s, mes_resume);
	SHOW(m, *s, mes_misc);
	SHOW(m, *s, mes_errors);
	SHOW(m, *s, mes_call_ns);
	SHOW(m, *s, interrupts);
	SHOW(m, *s, rings);
	SHOW(m, *s, runs);
	SHOW(m, *s, run_ns);
	SHOW(m, *s, run_max_ns);
	SHOW(m, *s, tlb_flushes);
	SHOW(m, *s, resets);
	SHOW(m, *s, register_accesses);
	SHOW(m, *s, bad_runlists);
	SHOW(m, *s, bad_queues);
	SHOW(m, *s, native_kernels);
	SHOW(m, *s, native_lookups);
	SHOW(m, *s, timed_kernels);
	SHOW(m, *s, real_kernels);
	SHOW(m, *s, real_workgroups);
	SHOW(m, *s, unknown_timed);
	SHOW(m, *s, unknown_names);
	SHOW(m, *s, unknown_kernels);
	SHOW(m, *s, vm_faults);
	SHOW(m, *s, gart_faults);
}

static void show_model(struct seq_file *m, const struct sim_stats *s)
{
	SHOW(m, *s, dispatches);
	SHOW(m, *s, workgroups);
	SHOW(m, *s, preemptions);
	SHOW(m, *s, saves);
	SHOW(m, *s, restores);
	SHOW(m, *s, bytes);
	SHOW(m, *s, save_ns);
	SHOW(m, *s, save_max_ns);
	SHOW(m, *s, grace_ns);
	SHOW(m, *s, sdma_packets);
	SHOW(m, *s, sdma_bytes);
	seq_printf(m, "queue_faults %llu\n", s->faults);
}

struct totals {
	struct vgpu_stats firmware;
	struct sim_stats model;
	u64 mapped;
	u64 resident_waves;
};

static void add_words(void *to, const void *from, size_t bytes)
{
	const u64 *f = from;
	u64 *t = to;
	size_t i;

	for (i = 0; i < bytes / sizeof(*t); i++)
		t[i] += f[i];
}

/* Maxima are added, too: the sum is over all nodes shown. */
static void add_node(struct totals *t, const struct vgpu_node *node)
{
	u32 i;

	add_words(&t->firmware, &node->stats, sizeof(node->stats));
	add_words(&t->model, &node->gpu.stats, sizeof(node->gpu.stats));
	t->mapped += node->gpu.nr_queues;
	for (i = 0; i < node->gpu.nr_queues; i++)
		t->resident_waves += node->gpu.queues[i]->waves;
}

static void add_device(struct totals *t, struct vgpu *vg)
{
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	for (i = 0; i < vg->nr_nodes; i++)
		add_node(t, &vg->nodes[i]);
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}

static void show_totals(struct seq_file *m, const struct totals *t)
{
	show_firmware(m, &t->firmware);
	show_model(m, &t->model);
	seq_printf(m, "bad_packets %llu\n",
		   t->firmware.bad_packets + t->model.bad_packets);
	SHOW(m, *t, mapped);
	SHOW(m, *t, resident_waves);
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct totals t = { };
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i)
		add_device(&t, vg);
	show_totals(m, &t);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int node_stats_show(struct seq_file *m, void *unused)
{
	struct vgpu_node *node = m->private;
	struct totals t = { };
	unsigned long flags;

	raw_spin_lock_irqsave(&node->vg->lock, flags);
	vgpu_engine_run(node->vg);
	add_node(&t, node);
	raw_spin_unlock_irqrestore(&node->vg->lock, flags);
	show_totals(m, &t);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(node_stats);

/* Of an entry, only its count changes. */
static void show_unknown(struct seq_file *m, const struct vgpu_node *node)
{
	u32 i, n = READ_ONCE(node->nr_unknown);
	const struct vgpu_unknown *u;

	for (i = 0; i < n; i++) {
		u = &node->unknown[i];
		seq_printf(m, "%u.%u %llu dispatches, %u VGPRs, %u bytes of LDS, %llu ns: %s\n",
			   node->vg->index, node->index, READ_ONCE(u->dispatches), u->vgprs,
			   u->lds_bytes, u->workgroup_ns, u->name);
	}
}

static int unknown_show(struct seq_file *m, void *unused)
{
	struct vgpu *vg;
	u32 i, n;

	vgpu_for_each(vg, i)
		for (n = 0; n < vg->nr_nodes; n++)
			show_unknown(m, &vg->nodes[n]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(unknown);

static int profile_show(struct seq_file *m, void *unused)
{
	const struct sim_profile *p = m->private;
	const struct sim_parameter *parameter;
	u32 i;

	seq_printf(m, "name %s\n", p->name);
	for (i = 0; (parameter = sim_parameter_at(i)); i++)
		seq_printf(m, "%s %llu\n", parameter->name, sim_parameter_get(p, parameter));
	return 0;
}

static int profile_open(struct inode *inode, struct file *file)
{
	return single_open(file, profile_show, inode->i_private);
}

static ssize_t profile_write(struct file *file, const char __user *from, size_t bytes, loff_t *at)
{
	char line[64], *value = line, *name;
	int r;

	if (bytes >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, bytes))
		return -EFAULT;
	line[bytes] = '\0';
	name = strsep(&value, " ");
	r = vgpu_set_cost(name, value ? strim(value) : "");
	return r ? r : bytes;
}

static const struct file_operations profile_fops = {
	.owner = THIS_MODULE,
	.open = profile_open,
	.read = seq_read,
	.write = profile_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void vgpu_stats_add(struct vgpu *vg)
{
	char name[16];
	u32 i;

	for (i = 0; i < vg->nr_nodes; i++) {
		snprintf(name, sizeof(name), "stats-%u.%u", vg->index, i);
		debugfs_create_file(name, 0444, dir, &vg->nodes[i], &node_stats_fops);
	}
}

void vgpu_stats_remove(struct vgpu *vg)
{
	char name[16];
	u32 i;

	for (i = 0; i < vg->nr_nodes; i++) {
		snprintf(name, sizeof(name), "stats-%u.%u", vg->index, i);
		debugfs_lookup_and_remove(name, dir);
	}
}

void vgpu_stats_init(const struct sim_profile *p)
{
	dir = debugfs_create_dir("vgpu", NULL);
	debugfs_create_file("stats", 0444, dir, NULL, &stats_fops);
	debugfs_create_file("unknown", 0444, dir, NULL, &unknown_fops);
	vgpu_clock_init(dir);
	vgpu_fault_debugfs(dir);
	debugfs_create_file("profile", 0644, dir, (void *)p, &profile_fops);
}

void vgpu_stats_exit(void)
{
	debugfs_remove_recursive(dir);
}
