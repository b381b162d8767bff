// SPDX-License-Identifier: MIT
/*
 * Navi 31 (Radeon RX 7900 XTX, PRO W7900), gfx1100: the part whose queues are
 * mapped by MES.
 *
 * "kernel" is Linux 6.12's amdgpu, "ISA" AMD's RDNA3 ISA reference, "LLVM" its
 * AMDGPU back end (AMDGPUBaseInfo, GCNSubtarget), "product" AMD's data sheet
 * of the RX 7900 XTX. Everything marked "assumed" is a guess of a plausible
 * size; nothing here was measured by this project. Change it here and nowhere
 * else.
 */
#include "model.h"

const struct sim_profile sim_profile_gfx11 = {
	.name = "gfx11",
	.gfx = SIM_GFX(11, 0, 0),
	.scheduler = SIM_SCHEDULER_MES,
	.xccs = 1,		/* kernel: gfx_v11_0 knows one */
	.cus = 96,		/* product: 48 WGPs of 2 CUs */
	.shader_engines = 6,	/* product data */
	.simds_per_cu = 2,	/* ISA: 2 SIMD32 in a CU */
	.waves_per_simd = 16,	/* LLVM: 16 waves a SIMD32; kernel: 32 waves a CU */
	/*
	 * kernel: VGPRs of a CU are 384 KiB (kfd_queue.c, gfx1100), that is 1536
	 * registers of 32 lanes in each SIMD; a wave can have 256 of them.
	 */
	.vgprs_per_simd = 1536,
	.vgprs_per_wave = 256,	/* ISA */
	.vgpr_granule = 24,	/* LLVM: wave32 with 1536 registers */
	.wave_lanes = 32,	/* ISA: wave32, what compute is compiled for */
	.lds_per_cu = 65536,	/* kernel: LDS_SIZE_PER_CU; 128 KiB a WGP */
	/* kernel: compute_hqd_mask 0xc on each of 4 pipes (amdgpu_mes_init) */
	.hqds = 8,
	.pipes = 4,	/* kernel: MEC 1 has 4 */
	.vmids = 8,		/* kernel: vmid_mask_gfxhub 0xffffff00: VMIDs 8..15 */
	.sdma_engines = 2,	/* kernel: two instances of SDMA 6.0.0 */
	.sdma_queues = 6,	/* kernel: sdma_hqd_mask 0xfc */
	.sdma_bytes_per_us = 25000,	/* assumed: what PCIe 4.0 x16 carries */
	.sdma_packet_ns = 500,	/* assumed */
	.clock_mhz = 2500,	/* product: boost */
	.ticks_mhz = 100,	/* kernel: soc21_get_xclk, reference clock */
	.grace_default = 0,	/* MES gives no grace to waves */
	.mec_fw_version = 509,	/* kernel: first that needs no PCIe atomics */
	/* kernel: KFD_MES_PROCESS_QUANTUM, KFD_MES_GANG_QUANTUM; calls set them */
	.process_quantum_ns = 10000000,
	.queue_quantum_ns = 1000000,

	.packet_ns = 2000,	/* assumed */
	.hiq_packet_ns = 1000,	/* assumed: an API frame, its fence included */
	.map_queue_ns = 1000,	/* assumed */
	.unmap_queue_ns = 500,	/* assumed */
	.save_ns = 5000,	/* assumed: trap entry of all waves */
	.restore_ns = 5000,	/* assumed: the same on the way back */
	/* product: GDDR6, 384 bit at 20 Gbit/s: a floor, real saves are slower */
	.save_bytes_per_us = 960000,
	/* kernel: (SGPR_SIZE_PER_CU + HWREG_SIZE_PER_CU) / 32 waves */
	.wave_state_bytes = (0x4000 + 0x1000) / 32,
	.register_ns = 1000,	/* claimed: a read waits for its way over PCIe and back */
};
