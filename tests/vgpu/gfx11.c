// SPDX-License-Identifier: GPL-2.0-only
/*
 * gfx11: Navi 31 (GC 11.0.0), with MES.
 *
 * amdgpu's own mes_v11_0 runs: its sw_init, its hw_init, and every call to the
 * firmware through its ring, with its own polling and its own time-out. Only
 * two things are replaced: a kernel interface queue (KIQ), which handles only
 * the request to map the ring of MES, see mes_ring.c; and the ring's doorbell,
 * of which the model is notified.
 */
#include "vgpu.h"
#include "mqd.h"
#include "amdgpu_reset.h"
#include "amdgpu_ring.h"

/*
 * Versions of the MES firmware: API 14; revision 0x63 is the first that
 * amdgpu lets suspend and resume all gangs.
 */
#define MES_VERSION	(14 << AMDGPU_MES_API_VERSION_SHIFT | 0x63)

/* KIQ: dwords amdgpu reserves on it for MAP_QUEUES, and its size. */
#define KIQ_MAP_DWORDS	7
#define KIQ_DWORDS	64

/* ---- identity ---- */

static void init_mes(struct amdgpu_device *adev)
{
	adev->enable_mes = true;
	adev->mes.sched_version = MES_VERSION;
	adev->mes.kiq_version = MES_VERSION;
	/* not DIRECT: amdgpu need not load the firmware */
	adev->firmware.load_type = AMDGPU_FW_LOAD_PSP;
}

/* As IP discovery and gfx_v11_0_sw_init() have it. */
static void init_gfx(struct amdgpu_device *adev, const struct sim_profile *p)
{
	struct amdgpu_gfx *gfx = &adev->gfx;

	gfx->mec.num_mec = 1;
	gfx->mec.num_pipe_per_mec = 4;
	gfx->mec.num_queue_per_pipe = 4;
	gfx->num_compute_rings = 16 - p->hqds;	/* the kernel's own */
	gfx->mec_fw_version = p->mec_fw_version;
	gfx->mec2_fw_version = p->mec_fw_version;
	gfx->rs64_enable = true;
	gfx->config.max_tile_pipes = 32;
	gfx->config.gc_tcp_l1_size = 32;
	gfx->config.gc_num_tcp_per_wpg = 2;
	gfx->config.gc_num_sqc_per_wgp = 1;
	gfx->config.gc_l1_instruction_cache_size_per_sqc = 32;
	gfx->config.gc_l1_data_cache_size_per_sqc = 16;
	gfx->config.gc_gl1c_per_sa = 1;
	gfx->config.gc_gl1c_size_per_instance = 256;
	gfx->config.gc_gl2c_per_gpu = 6144;
	vgpu_init_cus(adev, p, 6, 2, 8);
	init_mes(adev);
}

/* ---- KIQ ---- */

static void kiq_map_queues(struct amdgpu_ring *kiq, struct amdgpu_ring *ring)
{
	vgpu_mes_load(vgpu_of(kiq->adev), ring->mqd_ptr);
}

static int kiq_test_ring(struct amdgpu_ring *kiq)
{
	return 0;
}

static const struct kiq_pm4_funcs kiq_pmf = {
	.kiq_map_queues = kiq_map_queues,
	.map_queues_size = KIQ_MAP_DWORDS,
};

static const struct amdgpu_ring_funcs kiq_funcs = {
	.type = AMDGPU_RING_TYPE_KIQ,
	.test_ring = kiq_test_ring,
};

static void init_kiq(struct amdgpu_device *adev)
{
	struct amdgpu_kiq *kiq = &adev->gfx.kiq[0];

	kiq->pmf = &kiq_pmf;
	kiq->ring.funcs = &kiq_funcs;
	kiq->ring.max_dw = KIQ_DWORDS;
	kiq->ring.adev = adev;
}

/* It was never made a real ring: hide it from code that takes rings down. */
static void fini_kiq(struct amdgpu_device *adev)
{
	adev->gfx.kiq[0].ring.adev = NULL;
}

/* ---- MES ---- */

/* mes_v11_0's ring functions with our doorbell; one table for all GPUs. */
static struct amdgpu_ring_funcs ring_funcs;
static void (*real_set_wptr)(struct amdgpu_ring *ring);

static void set_wptr(struct amdgpu_ring *ring)
{
	real_set_wptr(ring);
	vgpu_mes_ring(vgpu_of(ring->adev));
}

static void watch_doorbell(struct amdgpu_ring *ring)
{
	if (ring->funcs == &ring_funcs)
		return;
	ring_funcs = *ring->funcs;
	real_set_wptr = ring_funcs.set_wptr;
	ring_funcs.set_wptr = set_wptr;
	ring->funcs = &ring_funcs;
}

/* As amdgpu_device_wb_init(). */
static int init_writeback(struct amdgpu_device *adev)
{
	const u32 bytes = AMDGPU_MAX_WB * sizeof(u32) * 8;
	int r;

	r = vgpu_call(amdgpu_bo_create_kernel, adev, bytes, PAGE_SIZE,
		      AMDGPU_GEM_DOMAIN_GTT, &adev->wb.wb_obj, &adev->wb.gpu_addr,
		      (void **)&adev->wb.wb);
	if (r)
		return r;
	adev->wb.num_wb = AMDGPU_MAX_WB;
	memset((void *)adev->wb.wb, 0, bytes);
	return 0;
}

static void fini_writeback(struct amdgpu_device *adev)
{
	vgpu_call(amdgpu_bo_free_kernel, &adev->wb.wb_obj, &adev->wb.gpu_addr,
		  (void **)&adev->wb.wb);
}

/* One of the steps of amdgpu's IP block, which are not in a header. */
static int ip_step(struct amdgpu_device *adev, const char *name)
{
	int (*step)(compat_ip_block *block) = vgpu_symbol(name);

	return step ? compat_ip_step(step, adev) : -ENOENT;
}

static int start(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	int r;

	r = vgpu_mes_create(vg);
	if (!r)
		r = init_writeback(adev);
	if (r)
		return r;
	init_kiq(adev);
	r = ip_step(adev, "mes_v11_0_sw_init");
	if (r)
		return r;
	watch_doorbell(&adev->mes.ring[0]);
	return ip_step(adev, "mes_v11_0_hw_init");
}

static void stop(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;

	vgpu_mes_unload(vg);
	fini_kiq(adev);
	if (adev->mes.funcs)
		ip_step(adev, "mes_v11_0_sw_fini");
	if (adev->wb.wb_obj)
		fini_writeback(adev);
	vgpu_mes_destroy(vg);
}

/* As amdgpu_device_ip_reinit does it: only in a reset is the ring cleared. */
static int restart(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	int r;

	vgpu_mes_unload(vg);
	adev->mes.ring[0].sched.ready = false;
	atomic_set(&adev->reset_domain->in_gpu_reset, 1);
	r = ip_step(adev, "mes_v11_0_hw_init");
	atomic_set(&adev->reset_domain->in_gpu_reset, 0);
	return r;
}

const struct vgpu_generation vgpu_gfx1100 = {
	.gfx = SIM_GFX(11, 0, 0),
	.gc = IP_VERSION(11, 0, 0),
	.sdma = IP_VERSION(6, 0, 0),
	.mmhub = IP_VERSION(3, 0, 0),
	.family = AMDGPU_FAMILY_GC_11_0_0,
	.external_rev = 0x1,		/* soc21_common_early_init() */
	.gc_base = { 0x1260, 0xa000, 0x1c000 },		/* as those before it: sienna_cichlid_ip_offset.h */
	/* assumed: 32 pipes, 2 fragments, 32 packers; AddrLib takes no more packers than pipes */
	.gb_addr_config = 0x545,
	.vram_type = AMDGPU_VRAM_TYPE_GDDR6,
	.vram_width = 384,
	.gmc_funcs = "gmc_v11_0_gmc_funcs",
	.read_register = "soc21_read_register",
	.doorbell_index = "soc21_init_doorbell_index",
	.ih = &vgpu_ih_gfx11,
	.mqd = &vgpu_mqd_v11,
	.firmware = &vgpu_mes,
	.init_gfx = init_gfx,
	.start = start,
	.stop = stop,
	.restart = restart,
};
