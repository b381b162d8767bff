// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs vgpu/stats: one "name value" a line, so that a test can assert on
 * them; every name that begins with "bad" or ends in "faults" must stay 0.
 * debugfs vgpu/profile: the model's parameters, to be printed with results.
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
	SHOW(m, *s, query_status);
	SHOW(m, *s, write_data);
	SHOW(m, *s, slices);
	SHOW(m, *s, interrupts);
	SHOW(m, *s, rings);
	SHOW(m, *s, runs);
	SHOW(m, *s, run_ns);
	SHOW(m, *s, run_max_ns);
	SHOW(m, *s, tlb_flushes);
	SHOW(m, *s, resets);
	SHOW(m, *s, bad_packets);
	SHOW(m, *s, bad_runlists);
	SHOW(m, *s, bad_queues);
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
	seq_printf(m, "queue_faults %llu\n", s->faults);
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct vgpu *vg = m->private;
	struct vgpu_stats firmware;
	struct sim_stats model;
	unsigned long flags;
	u32 mapped, waves = 0, i;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	firmware = vg->stats;
	model = vg->gpu.stats;
	mapped = vg->gpu.nr_queues;
	for (i = 0; i < mapped; i++)
		waves += vg->gpu.queues[i]->waves;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	show_firmware(m, &firmware);
	show_model(m, &model);
	seq_printf(m, "mapped %u\nresident_waves %u\n", mapped, waves);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int profile_show(struct seq_file *m, void *unused)
{
	struct vgpu *vg = m->private;
	const struct sim_profile *p = vg->profile;

	seq_printf(m, "name %s\n", p->name);
	SHOW(m, *p, xccs);
	SHOW(m, *p, cus);
	SHOW(m, *p, simds_per_cu);
	SHOW(m, *p, waves_per_simd);
	SHOW(m, *p, vgprs_per_simd);
	SHOW(m, *p, vgpr_granule);
	SHOW(m, *p, lds_per_cu);
	SHOW(m, *p, hqds);
	SHOW(m, *p, vmids);
	SHOW(m, *p, clock_mhz);
	SHOW(m, *p, grace_default);
	SHOW(m, *p, packet_ns);
	SHOW(m, *p, hiq_packet_ns);
	SHOW(m, *p, map_queue_ns);
	SHOW(m, *p, unmap_queue_ns);
	SHOW(m, *p, save_ns);
	SHOW(m, *p, restore_ns);
	SHOW(m, *p, save_bytes_per_us);
	SHOW(m, *p, wave_state_bytes);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(profile);

void vgpu_stats_init(struct vgpu *vg)
{
	dir = debugfs_create_dir("vgpu", NULL);
	debugfs_create_file("stats", 0444, dir, vg, &stats_fops);
	debugfs_create_file("profile", 0444, dir, vg, &profile_fops);
}

void vgpu_stats_exit(void)
{
	debugfs_remove_recursive(dir);
}
