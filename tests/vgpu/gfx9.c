// SPDX-License-Identifier: GPL-2.0-only
/* gfx9: Instinct MI300 series (GC 9.4.3) and MI200 series (GC 9.4.2). */
#include "vgpu.h"
#include "mqd.h"

static void init_pipes(struct amdgpu_gfx *gfx, const struct sim_profile *p)
{
	gfx->mec.num_mec = 1;
	gfx->mec.num_pipe_per_mec = 4;
	gfx->mec.num_queue_per_pipe = 8;
	gfx->num_compute_rings = 32 - p->hqds;	/* the kernel's own */
	gfx->mec_fw_version = p->mec_fw_version;
	gfx->mec2_fw_version = p->mec_fw_version;
}

static void init_caches(struct amdgpu_gfx *gfx)
{
	gfx->config.max_tile_pipes = 16;
	gfx->config.gc_tcp_l1_size = 32;
	gfx->config.gc_num_tcp_per_wpg = 2;
	gfx->config.gc_num_sqc_per_wgp = 1;
	gfx->config.gc_num_cu_per_sqc = 2;
	gfx->config.gc_l1_instruction_cache_size_per_sqc = 64;
	gfx->config.gc_l1_data_cache_size_per_sqc = 16;
	gfx->config.gc_tcc_size = 4096;
}

static void init_gfx942(struct amdgpu_device *adev, const struct sim_profile *p)
{
	init_pipes(&adev->gfx, p);
	init_caches(&adev->gfx);
	vgpu_init_cus(adev, p, 4, 1, 10);
}

static void init_gfx90a(struct amdgpu_device *adev, const struct sim_profile *p)
{
	init_pipes(&adev->gfx, p);
	init_caches(&adev->gfx);
	vgpu_init_cus(adev, p, 8, 1, 14);
}

const struct vgpu_generation vgpu_gfx942 = {
	.gfx = SIM_GFX(9, 4, 3),
	.gc = IP_VERSION(9, 4, 3),
	.sdma = IP_VERSION(4, 4, 2),
	.mmhub = IP_VERSION(1, 8, 0),
	.family = AMDGPU_FAMILY_AI,
	.external_rev = 0x46,		/* soc15_common_early_init() */
	.gc_base = { 0x2000, 0xa000 },	/* aldebaran_ip_offset.h */
	.gb_addr_config = 0x2a114042,	/* GOLDEN_GB_ADDR_CONFIG of gfx_v9_4_3.c */
	.vram_type = AMDGPU_VRAM_TYPE_HBM,
	.vram_width = 8192,
	.xgmi = true,
	.translate_further = true,
	.gmc_funcs = "gmc_v9_0_gmc_funcs",
	.read_register = "soc15_read_register",
	.doorbell_index = "aqua_vanjaram_doorbell_index_init",
	.ih = &vgpu_ih_gfx942,
	.mqd = &vgpu_mqd_gfx942,
	.firmware = &vgpu_hws,
	.init_gfx = init_gfx942,
};

const struct vgpu_generation vgpu_gfx90a = {
	.gfx = SIM_GFX(9, 4, 2),
	.gc = IP_VERSION(9, 4, 2),
	.sdma = IP_VERSION(4, 4, 0),
	.mmhub = IP_VERSION(1, 7, 0),
	.family = AMDGPU_FAMILY_AI,
	.external_rev = 0x3c,		/* soc15_common_early_init() */
	.gc_base = { 0x2000, 0xa000 },	/* aldebaran_ip_offset.h */
	.gb_addr_config = 0x22014042,	/* gfx_v9_0_gpu_early_init() */
	.vram_type = AMDGPU_VRAM_TYPE_HBM,
	.vram_width = 4096,
	.xgmi = true,
	.translate_further = true,
	.gmc_funcs = "gmc_v9_0_gmc_funcs",
	.read_register = "soc15_read_register",
	.doorbell_index = "vega20_doorbell_index_init",
	.ih = &vgpu_ih_gfx90a,
	.mqd = &vgpu_mqd_gfx90a,
	.firmware = &vgpu_hws,
	.init_gfx = init_gfx90a,
};
