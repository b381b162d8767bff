// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of functions through which amdgpu and amdkfd reach the hardware:
 * copies of the real ones with those entries replaced that touch registers.
 */
#include "vgpu.h"
#include "gc/gc_9_4_3_sh_mask.h"

/* ---- amdgpu ---- */

u64 vgpu_gpu_clock(struct amdgpu_device *adev)
{
	return div_u64(ktime_get_ns(), 10);	/* 100 MHz, as get_xclk says */
}

static void select_se_sh(struct amdgpu_device *adev, u32 se, u32 sh, u32 inst,
			 int xcc)
{
}

static void select_me_pipe_q(struct amdgpu_device *adev, u32 me, u32 pipe, u32 q,
			     u32 vmid, u32 xcc)
{
}

static const struct amdgpu_gfx_funcs gfx_funcs = {
	.get_gpu_clock_counter = vgpu_gpu_clock,
	.select_se_sh = select_se_sh,
	.select_me_pipe_q = select_me_pipe_q,
};

static void flush_hdp(struct amdgpu_device *adev, struct amdgpu_ring *ring)
{
}

static u32 get_xclk(struct amdgpu_device *adev)
{
	return 10000;	/* units of 10 kHz */
}

static u32 get_config_memsize(struct amdgpu_device *adev)
{
	return vgpu_of(adev)->vram_size >> 20;
}

static bool never(struct amdgpu_device *adev)
{
	return false;
}

static u64 get_pcie_replay_count(struct amdgpu_device *adev)
{
	return 0;
}

/* read_register: the generation's own, which has the registers user space may read. */
static const struct amdgpu_asic_funcs asic_funcs = {
	.flush_hdp = flush_hdp,
	.invalidate_hdp = flush_hdp,
	.get_xclk = get_xclk,
	.get_config_memsize = get_config_memsize,
	COMPAT_ASIC_FUNCS(never)
	.need_reset_on_init = never,
	.get_pcie_replay_count = get_pcie_replay_count,
};

static enum amdgpu_pkg_type get_pkg_type(struct amdgpu_device *adev)
{
	return AMDGPU_PKG_TYPE_CEM;
}

static const struct amdgpu_smuio_funcs smuio_funcs = {
	.get_pkg_type = get_pkg_type,
};

static void flush_gpu_tlb(struct amdgpu_device *adev, u32 vmid, u32 hub, u32 type)
{
	vgpu_tlb_flush(vgpu_of(adev));
}

static void flush_gpu_tlb_pasid(struct amdgpu_device *adev, u16 pasid, u32 type,
				bool all_hub, u32 inst)
{
	vgpu_tlb_flush(vgpu_of(adev));
}

static enum amdgpu_memory_partition query_mem_partition(struct amdgpu_device *adev)
{
	return AMDGPU_NPS1_PARTITION_MODE;
}

struct vgpu_calls vgpu_calls;

/* A look-up takes hundreds of microseconds: never while the model runs. */
int vgpu_tables_find_calls(void)
{
	struct vgpu_calls *c = &vgpu_calls;

	c->kgd2kfd_interrupt = vgpu_symbol("kgd2kfd_interrupt");
	c->kfd_lookup_process_by_pasid = vgpu_symbol("kfd_lookup_process_by_pasid");
	c->kfd_unref_process = vgpu_symbol("kfd_unref_process");
	return c->kgd2kfd_interrupt && c->kfd_lookup_process_by_pasid &&
		c->kfd_unref_process ? 0 : -ENOENT;
}

/* Before amdgpu's init functions run. */
int vgpu_tables_init(struct vgpu *vg)
{
	const struct amdgpu_gmc_funcs *gmc = vgpu_symbol(vg->gen->gmc_funcs);
	struct amdgpu_device *adev = vg->adev;

	vg->asic_funcs = asic_funcs;
	vg->asic_funcs.read_register = vgpu_symbol(vg->gen->read_register);
	if (!gmc || !vg->asic_funcs.read_register)
		return -ENOENT;
	vg->gmc_funcs = *gmc;
	vg->gmc_funcs.flush_gpu_tlb = flush_gpu_tlb;
	vg->gmc_funcs.flush_gpu_tlb_pasid = flush_gpu_tlb_pasid;
	vg->gmc_funcs.query_mem_partition_mode = query_mem_partition;
	adev->gmc.gmc_funcs = &vg->gmc_funcs;
	adev->asic_funcs = &vg->asic_funcs;
	adev->smuio.funcs = &smuio_funcs;
	adev->gfx.funcs = &gfx_funcs;
	return 0;
}

/* ---- amdkfd ---- */

static void program_sh_mem_settings(struct amdgpu_device *adev, u32 vmid,
				    u32 config, u32 ape1_base, u32 ape1_limit,
				    u32 bases, u32 inst)
{
}

static int set_pasid_vmid_mapping(struct amdgpu_device *adev, u32 pasid,
				  unsigned int vmid, u32 inst)
{
	return 0;
}

static int init_interrupts(struct amdgpu_device *adev, u32 pipe, u32 inst)
{
	return 0;
}

/* Every XCC of a node gets the same ring; the first one's command processor reads it. */
static int hiq_mqd_load(struct amdgpu_device *adev, void *mqd, u32 pipe,
			u32 queue, u32 doorbell_off, u32 inst)
{
	struct vgpu_node *node = vgpu_node_of_xcc(vgpu_of(adev), inst);

	vgpu_hiq_load(node, inst - node->first_xcc, mqd, doorbell_off);
	return 0;
}

static bool hqd_is_occupied(struct amdgpu_device *adev, u64 address, u32 pipe,
			    u32 queue, u32 inst)
{
	return false;
}

static int hqd_destroy(struct amdgpu_device *adev, void *mqd,
		       enum kfd_preempt_type type, unsigned int timeout, u32 pipe,
		       u32 queue, u32 inst)
{
	return 0;
}

static void set_vm_context_page_table_base(struct amdgpu_device *adev, u32 vmid,
					   u64 base)
{
}

static void get_iq_wait_times(struct amdgpu_device *adev, u32 *wait, u32 inst)
{
	*wait = vgpu_of(adev)->profile->grace_default << CP_IQ_WAIT_TIME2__SCH_WAVE__SHIFT;
}

static void program_trap_handler_settings(struct amdgpu_device *adev, u32 vmid,
					  u64 tba, u64 tma, u32 inst)
{
}

/* Waves of each slot on one XCC. Returns how many registers were accessed for that. */
static u32 count_waves(struct vgpu_node *node, struct kfd_cu_occupancy *occ, u32 xcc)
{
	const struct sim_profile *p = node->profile;
	u32 i, waves, slots = 0, busy = 0;

	for (i = 0; i < p->hqds; i++) {
		slots += node->slots[i].sim.state != SIM_QUEUE_OFF;
		waves = vgpu_hqd_waves(node, i, xcc);
		if (!waves)
			continue;
		busy += sim_busy_engines(p, waves);
		occ[i].wave_cnt += waves;
		occ[i].doorbell_off = node->slots[i].entry.doorbell;
	}
	return sim_count_accesses(p, slots, busy);
}

/* Fields of registers that are all ones. */
static void count_ones(struct vgpu_node *node, struct kfd_cu_occupancy *occ)
{
	u32 i;

	for (i = 0; i < node->profile->hqds; i++) {
		occ[i].wave_cnt += SPI_CSQ_WF_ACTIVE_COUNT_0__COUNT_MASK;
		occ[i].doorbell_off = CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET_MASK >>
			CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_OFFSET__SHIFT;
	}
}

/*
 * The CPU waits for each access. All of it is time of the software that asks. Without a
 * PAUSE: see redirect.c.
 */
static void stall(u64 ns)
{
	u64 until = ktime_get_ns() + ns;

	while (ktime_get_ns() < until)
		;
}

/*
 * amdkfd's function holds both locks of index registers meanwhile. What is counted is as
 * old when it returns as the accesses took. If they cost nothing, there is nothing to lock.
 */
static void get_cu_occupancy(struct amdgpu_device *adev, struct kfd_cu_occupancy *occ,
			     int *max_waves_per_cu, u32 inst)
{
	struct vgpu *vg = vgpu_of(adev);
	struct vgpu_node *node = vgpu_node_of_xcc(vg, inst);
	const struct sim_profile *p = node->profile;
	u32 accesses, register_ns = READ_ONCE(p->register_ns);
	unsigned long flags;

	if (register_ns) {
		mutex_lock(&adev->srbm_mutex);
		mutex_lock(&adev->grbm_idx_mutex);
	}
	raw_spin_lock_irqsave(&vg->lock, flags);
	vgpu_engine_run(vg);
	accesses = count_waves(node, occ, inst - node->first_xcc);
	if (vgpu_fault_ones(node))
		count_ones(node, occ);
	node->stats.register_accesses += accesses;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	if (register_ns) {
		stall((u64)accesses * register_ns);
		mutex_unlock(&adev->grbm_idx_mutex);
		mutex_unlock(&adev->srbm_mutex);
	}
	*max_waves_per_cu = p->simds_per_cu * p->waves_per_simd;
}

/* A missing entry means that the hardware lacks it: never add one. */
#define REPLACE(table, entry) do {		\
	if ((table)->entry)			\
		(table)->entry = entry;		\
} while (0)

/* Between amdgpu_amdkfd_device_probe() and _device_init(). */
void vgpu_tables_kfd(struct vgpu *vg)
{
	struct kfd_dev *kfd = vg->adev->kfd.dev;
	struct kfd2kgd_calls *t = &vg->kfd2kgd;

	*t = *kfd->kfd2kgd;
	REPLACE(t, program_sh_mem_settings);
	REPLACE(t, set_pasid_vmid_mapping);
	REPLACE(t, init_interrupts);
	REPLACE(t, hiq_mqd_load);
	REPLACE(t, hqd_is_occupied);
	REPLACE(t, hqd_destroy);
	REPLACE(t, set_vm_context_page_table_base);
	REPLACE(t, get_iq_wait_times);
	REPLACE(t, program_trap_handler_settings);
	REPLACE(t, get_cu_occupancy);
	vgpu_hqd_tables(vg, t);
	kfd->kfd2kgd = t;
}
