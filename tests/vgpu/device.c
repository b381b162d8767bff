// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fabricated amdgpu_device: the fields that amdgpu_device_init() and the IP
 * blocks' early init would have set up, as far as code that runs here uses
 * them. A missing lock or table crashes amdgpu, so the lists follow
 * amdgpu_device_init(), whether a field is needed or not.
 */
#include <linux/vmalloc.h>

#include "vgpu.h"
#include "amdgpu_vm.h"
#include "amd_pcie.h"

#define REGISTER_BYTES	(512 << 10)
#define VRAM_MC_BASE	0x8000000000ULL
#define GART_BYTES	(512ULL << 20)

static void init_locks(struct amdgpu_device *adev)
{
	mutex_init(&adev->firmware.mutex);
	mutex_init(&adev->pm.mutex);
	mutex_init(&adev->pm.stable_pstate_ctx_lock);
	mutex_init(&adev->gfx.gpu_clock_mutex);
	mutex_init(&adev->gfx.pipe_reserve_mutex);
	mutex_init(&adev->gfx.gfx_off_mutex);
	mutex_init(&adev->gfx.partition_mutex);
	mutex_init(&adev->gfx.reset_sem_mutex);
	mutex_init(&adev->srbm_mutex);
	mutex_init(&adev->grbm_idx_mutex);
	mutex_init(&adev->mn_lock);
	mutex_init(&adev->virt.vf_errors.lock);
	mutex_init(&adev->psp.mutex);
	mutex_init(&adev->notifier_lock);
	mutex_init(&adev->benchmark_mutex);
	mutex_init(&adev->enforce_isolation_mutex);
	spin_lock_init(&adev->irq.lock);
	spin_lock_init(&adev->mmio_idx_lock);
	spin_lock_init(&adev->mm_stats.lock);
	spin_lock_init(&adev->gmc.invalidate_lock);
	spin_lock_init(&adev->wb.lock);
	spin_lock_init(&adev->gfx.kiq[0].ring_lock);
	hash_init(adev->mn_hash);
	INIT_LIST_HEAD(&adev->reset_list);
	INIT_LIST_HEAD(&adev->ras_list);
	INIT_LIST_HEAD(&adev->pm.od_kobj_list);
	INIT_LIST_HEAD(&adev->gmc.xgmi.head);
}

static const struct vgpu_generation *const generations[] = {
	&vgpu_gfx942,
	&vgpu_gfx90a,
	&vgpu_gfx1100,
};

const struct vgpu_generation *vgpu_generation_find(const struct sim_profile *p)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(generations); i++)
		if (generations[i]->gfx == p->gfx)
			return generations[i];
	return NULL;
}

/* As IP discovery would report it. */
static void init_identity(struct amdgpu_device *adev, const struct vgpu_generation *gen)
{
	adev->asic_type = CHIP_IP_DISCOVERY;
	adev->flags = CHIP_IP_DISCOVERY;
	adev->rev_id = 1;
	adev->family = gen->family;
	adev->external_rev_id = adev->rev_id + gen->external_rev;
	adev->ip_versions[GC_HWIP][0] = gen->gc;
	adev->ip_versions[SDMA0_HWIP][0] = gen->sdma;
	adev->ip_versions[MMHUB_HWIP][0] = gen->mmhub;
	adev->usec_timeout = AMDGPU_MAX_USEC_TIMEOUT;
	adev->have_atomics_support = true;
	adev->pm.pcie_gen_mask = CAIL_PCIE_LINK_SPEED_SUPPORT_GEN5;
	adev->pm.pcie_mlw_mask = CAIL_PCIE_LINK_WIDTH_SUPPORT_X16;
	adev->accel_working = true;
	adev->fence_context = dma_fence_context_alloc(AMDGPU_MAX_RINGS);
	RCU_INIT_POINTER(adev->gang_submit, dma_fence_get_stub());
}

/*
 * Registers are plain memory: writes have no effect. Those of the graphics core
 * have their hardware addresses, as user space reads some by number; all others
 * overlap.
 */
static int init_registers(struct amdgpu_device *adev, const struct vgpu_generation *gen)
{
	static u32 zero[VGPU_SEGMENTS];
	int i, j;

	adev->rmmio_size = REGISTER_BYTES;
	adev->rmmio = (void __iomem __force *)vzalloc(REGISTER_BYTES);
	if (!adev->rmmio)
		return -ENOMEM;
	for (i = 0; i < MAX_HWIP; i++)
		for (j = 0; j < HWIP_MAX_INSTANCE; j++)
			adev->reg_offset[i][j] = i == GC_HWIP ? (u32 *)gen->gc_base : zero;
	adev->gfx.config.gb_addr_config = gen->gb_addr_config;
	return 0;
}

/* The bitmaps hold four engines; amdgpu puts the fifth beside the first. */
void vgpu_init_cus(struct amdgpu_device *adev, const struct sim_profile *p,
		   u32 engines, u32 arrays, u32 cus)
{
	u32 all = engines * arrays, each = p->cus / p->xccs / all;
	u32 more = p->cus / p->xccs % all, xcc, se, sa;
	struct amdgpu_gfx *gfx = &adev->gfx;

	gfx->config.max_shader_engines = engines;
	gfx->config.max_sh_per_se = arrays;
	gfx->config.max_cu_per_sh = cus;
	for (xcc = 0; xcc < p->xccs; xcc++)
		for (se = 0; se < engines; se++)
			for (sa = 0; sa < arrays; sa++)
				gfx->cu_info.bitmap[xcc][se % 4][sa + se / 4 * arrays] =
					BIT(each + (se * arrays + sa < more)) - 1;
}

static void init_gfx(struct amdgpu_device *adev, const struct sim_profile *p,
		     const struct vgpu_generation *gen)
{
	struct amdgpu_gfx *gfx = &adev->gfx;

	gfx->xcc_mask = BIT(p->xccs) - 1;
	gfx->num_xcc_per_xcp = p->xccs;
	adev->aid_mask = 1;
	gfx->cu_info.number = p->cus;
	gfx->cu_info.simd_per_cu = p->simds_per_cu;
	gfx->cu_info.max_waves_per_simd = p->waves_per_simd;
	gfx->cu_info.wave_front_size = p->wave_lanes;
	gfx->cu_info.max_scratch_slots_per_cu = 32;
	gfx->cu_info.lds_size = p->lds_per_cu / 1024;
	adev->sdma.num_instances = p->sdma_engines;
	adev->gds.gws_size = 64;
	gen->init_gfx(adev, p);
}

static void init_gmc(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	struct amdgpu_gmc *gmc = &adev->gmc;

	gmc->aper_base = pci_resource_start(adev->pdev, 2);
	gmc->aper_size = vg->vram_size;
	gmc->mc_vram_size = vg->vram_size;
	gmc->real_vram_size = vg->vram_size;
	gmc->visible_vram_size = vg->vram_size;
	gmc->vram_start = VRAM_MC_BASE;
	gmc->vram_end = VRAM_MC_BASE + vg->vram_size - 1;
	gmc->fb_start = gmc->vram_start;
	gmc->fb_end = gmc->vram_end;
	gmc->gart_size = GART_BYTES;
	gmc->gart_start = 0;
	gmc->gart_end = GART_BYTES - 1;
	gmc->agp_start = 0xffffffffffffULL;
	gmc->agp_end = 0;
	gmc->agp_size = 0;
	gmc->private_aperture_start = 0x1000000000000000ULL;
	gmc->private_aperture_end = 0x10000000ffffffffULL;
	gmc->shared_aperture_start = 0x2000000000000000ULL;
	gmc->shared_aperture_end = 0x20000000ffffffffULL;
	gmc->noretry = 1;
	gmc->mc_mask = AMDGPU_GMC_HOLE_MASK;
	gmc->vram_type = vg->gen->vram_type;
	gmc->vram_width = vg->gen->vram_width;
	gmc->xgmi.supported = vg->gen->xgmi;
}

int vgpu_device_fabricate(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	int r;

	init_locks(adev);
	compat_init_device(adev);
	init_identity(adev, vg->gen);
	r = init_registers(adev, vg->gen);
	if (r)
		return r;
	INIT_DELAYED_WORK(&adev->delayed_init_work,
			  vgpu_symbol("amdgpu_device_delayed_init_work_handler"));
	INIT_DELAYED_WORK(&adev->gfx.gfx_off_delay_work,
			  vgpu_symbol("amdgpu_device_delay_enable_gfx_off"));
	r = vgpu_hive_take_domain(vg);
	if (r)
		return r;
	init_gfx(adev, vg->profile, vg->gen);
	vgpu_call(amdgpu_gfx_compute_queue_acquire, adev);
	init_gmc(vg);
	r = vgpu_tables_init(vg);
	if (r)
		return r;
	vgpu_call(amdgpu_vm_adjust_size, adev, 256 * 1024, 9, 3, 48);
	adev->gmc.translate_further = vg->gen->translate_further &&
		adev->vm_manager.num_level > 1;
	return dma_set_mask_and_coherent(adev->dev, DMA_BIT_MASK(44));
}

/*
 * Undo what amdgpu_device_fini_sw() does not, and must not, undo: it always
 * runs as the DRM device is released.
 */
void vgpu_device_release(struct vgpu *vg)
{
	vfree((void __force *)vg->adev->rmmio);
	vg->adev->rmmio = NULL;
	vgpu_hive_drop_domain(vg);
}
