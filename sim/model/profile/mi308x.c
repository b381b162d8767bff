// SPDX-License-Identifier: MIT
/*
 * AMD Instinct MI308X, gfx942, four XCCs in SPX mode.
 *
 * "kernel" is Linux 6.12's amdgpu, "dump" a debugfs dump of a real MI308X.
 * Everything marked "assumed" is a guess of a plausible size; nothing here
 * was measured by this project. Change it here and nowhere else.
 */
#include "model.h"

const struct sim_profile sim_profile_mi308x = {
	.name = "mi308x",
	.gfx = SIM_GFX(9, 4, 3),
	.scheduler = SIM_SCHEDULER_HWS,
	.xccs = 4,		/* dump: one MQD on four HQDs */
	.cus = 80,		/* product data; matches the dump's save area */
	.shader_engines = 4,	/* kernel: GOLDEN_GB_ADDR_CONFIG of gfx_v9_4_3.c */
	.simds_per_cu = 4,	/* kernel: gfx_v9_4_3_get_cu_info */
	.waves_per_simd = 8,	/* CDNA3: 8 waves a SIMD */
	/*
	 * kernel: VGPRs of a CU are 512 KiB (kfd_queue.c, gfx942), that is 512
	 * registers of 64 lanes in each SIMD, accumulation registers included.
	 */
	.vgprs_per_simd = 512,
	.vgprs_per_wave = 512,	/* CDNA ISA: 256 and 256 for accumulation */
	.vgpr_granule = 8,	/* CDNA3 ISA */
	.wave_lanes = 64,	/* CDNA3 ISA */
	.lds_per_cu = 65536,	/* kernel: LDS_SIZE_PER_CU */
	.hqds = 24,		/* kernel: 32 less 8 kernel queues */
	.pipes = 4,	/* kernel: MEC 1 has 4; dump */
	.vmids = 13,		/* kernel: VMIDs 3..15 */
	.sdma_engines = 8,	/* dump: SDMA engines 0 to 7 */
	.sdma_queues = 8,	/* kernel: num_sdma_queues_per_engine */
	.sdma_bytes_per_us = 64000,	/* assumed: PCIe 5.0 x16, one direction */
	.sdma_packet_ns = 1000,	/* assumed */
	.clock_mhz = 2100,	/* product data, peak */
	.ticks_mhz = 100,	/* kernel: get_xclk of gfx942 */
	.grace_default = 0x40,	/* reset default of CP_IQ_WAIT_TIME2.SCH_WAVE */
	/* assumed: old enough for the quirk that a driver must know */
	.mec_fw_version = 95,
	.grace_zero_is_endless_below = 96,	/* newer amdgpu stops clamping 0 there */
	.process_quantum_ns = 10000000,	/* kernel: MAP_PROCESS, 10 ms */
	.queue_quantum_ns = 1000000,	/* kernel: cp_hqd_quantum, 1 ms */

	.packet_ns = 2000,	/* assumed */
	.hiq_packet_ns = 500,	/* assumed */
	.map_queue_ns = 1000,	/* assumed */
	.unmap_queue_ns = 500,	/* assumed */
	.save_ns = 5000,	/* assumed: trap entry, hand-shake of the XCCs */
	.restore_ns = 5000,	/* assumed: the same on the way back */
	/* peak HBM3 bandwidth, 5.3 TB/s: a floor, real saves are slower */
	.save_bytes_per_us = 5300000,
	/* kernel: (SGPR_SIZE_PER_CU + HWREG_SIZE_PER_CU) / 32 waves */
	.wave_state_bytes = (0x4000 + 0x1000) / 32,
	.register_ns = 1000,	/* claimed: a read waits for its way over PCIe and back */
};
