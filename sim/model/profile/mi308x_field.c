// SPDX-License-Identifier: MIT
/*
 * The same MI308X as mi308x.c, with the costs of a switch that a
 * practitioner states for his MI308X hosts: 400 to 500 us to suspend a process
 * that fills the GPU, 300 to 400 us to resume it. How they were measured is not
 * known; this project has measured neither. What the chip is made of is said,
 * with its sources, in mi308x.c; a test compares the two.
 *
 * The claim is of the whole, as a program sees it. Of that, driver, packets and
 * the bytes at peak bandwidth are 20 us of a suspend and 15 us of a resume in
 * this model. The rest is in save_ns and restore_ns, so that the middle of each
 * range comes out.
 */
#include "model.h"

const struct sim_profile sim_profile_mi308x_field = {
	.name = "mi308x-field",
	.gfx = SIM_GFX(9, 4, 3),
	.scheduler = SIM_SCHEDULER_HWS,
	.xccs = 4,
	.cus = 80,
	.shader_engines = 4,
	.simds_per_cu = 4,
	.waves_per_simd = 8,
	.vgprs_per_simd = 512,
	.vgprs_per_wave = 512,
	.vgpr_granule = 8,
	.wave_lanes = 64,
	.lds_per_cu = 65536,
	.hqds = 24,
	.pipes = 4,
	.vmids = 13,
	.sdma_engines = 8,
	.sdma_queues = 8,
	.sdma_bytes_per_us = 64000,
	.sdma_packet_ns = 1000,
	.clock_mhz = 2100,
	.ticks_mhz = 100,
	.grace_default = 0x40,
	.mec_fw_version = 95,
	.grace_zero_is_endless_below = 96,
	.process_quantum_ns = 10000000,
	.queue_quantum_ns = 1000000,

	.packet_ns = 2000,
	.hiq_packet_ns = 500,
	.map_queue_ns = 1000,
	.unmap_queue_ns = 500,
	.save_ns = 430000,	/* claimed: 400 to 500 us to suspend, less 20 */
	.restore_ns = 335000,	/* claimed: 300 to 400 us to resume, less 15 */
	.save_bytes_per_us = 5300000,
	.wave_state_bytes = (0x4000 + 0x1000) / 32,

	.firmware_spread = 100,	/* from one end of the ranges claimed to the other */
	/* assumed: as much again as the time itself */
	.packet_jitter_ns = 2000,
	/*
	 * assumed: workgroups that read memory do not all end together. With more, the low
	 * priority of two models is slower with 8 images than the field's
	 * (Documentation/calibration.rst).
	 */
	.workgroup_spread = 100,
	/*
	 * assumed: what it takes to read the Infinity Cache's 256 MiB again at peak
	 * bandwidth (product data, 5.3 TB/s). The driver says of HWS that it flushes
	 * the TLB when queues are removed (kfd_device_queue_manager.c, 6.12).
	 */
	.cold_ns = 50000,
	.register_ns = 1000,	/* claimed: a read waits for its way over PCIe and back */
	/* assumed: entry written to the ring in memory, MSI-X, and the host leaves an idle state */
	.interrupt_ns = 10000,
	.contention_pm = 300,	/* assumed: neighbours take part of HBM's bandwidth and of L2 */
	.sdma_whole_packets = 1,	/* assumed: engines stop between packets only */
	.sdma_bus_bytes_per_us = 64000,	/* assumed: all of them share PCIe 5.0 x16 */
	.runlist_entry_ns = 1000,	/* assumed: a read of host memory over PCIe */
	.xcc_ns = 1000,	/* assumed: a write and an answer over the fabric */
};
