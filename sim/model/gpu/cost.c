// SPDX-License-Identifier: MIT
/*
 * Costs that are not the same each time. The random numbers are reproducible,
 * and none is drawn for a cost that does not vary.
 */
#include "model.h"

#define RANDOM_SEED	0x9e3779b97f4a7c15ULL

void sim_random_init(struct sim_gpu *gpu)
{
	gpu->random = RANDOM_SEED;
}

/* xorshift64*; @n is much smaller than 2^32. */
u32 sim_random(struct sim_gpu *gpu, u32 n)
{
	gpu->random ^= gpu->random >> 12;
	gpu->random ^= gpu->random << 25;
	gpu->random ^= gpu->random >> 27;
	return (u32)(((gpu->random * 0x2545f4914f6cdd1dULL) >> 32) * n >> 32);
}

u64 sim_firmware_ns(struct sim_gpu *gpu, u32 ns)
{
	u32 spread = (u64)ns * gpu->profile->firmware_spread / 1000;

	return spread ? ns - spread + sim_random(gpu, 2 * spread + 1) : ns;
}

u64 sim_packet_ns(struct sim_gpu *gpu)
{
	const struct sim_profile *p = gpu->profile;

	return sim_firmware_ns(gpu, p->hiq_packet_ns) + (u64)(p->xccs - 1) * p->xcc_ns;
}

u64 sim_runlist_ns(struct sim_gpu *gpu, u32 entries)
{
	return (u64)entries * gpu->profile->runlist_entry_ns;
}

u64 sim_dispatch_ns(struct sim_gpu *gpu)
{
	const struct sim_profile *p = gpu->profile;

	return p->packet_ns + (p->packet_jitter_ns ? sim_random(gpu, p->packet_jitter_ns + 1) : 0);
}

u64 sim_firmware_late(struct sim_gpu *gpu)
{
	const struct sim_profile *p = gpu->profile;

	return p->firmware_late_pm && sim_random(gpu, 1000) < p->firmware_late_pm ?
		p->firmware_late_ns : 0;
}

/*
 * kgd_gfx_v9_get_cu_occupancy() of Linux 6.12. GRBM_GFX_CNTL before and after, and
 * GRBM_GFX_INDEX after; of each engine GRBM_GFX_INDEX and SPI_CSQ_WF_ACTIVE_STATUS, of
 * each queue there GRBM_GFX_CNTL and SPI_CSQ_WF_ACTIVE_COUNT, and if it has waves its
 * doorbell. Writes count like reads: each is followed by a read, which waits for it.
 */
u32 sim_count_accesses(const struct sim_profile *p, u32 slots, u32 busy)
{
	return 3 + p->shader_engines * (2 + 2 * slots) + busy;
}

u32 sim_busy_engines(const struct sim_profile *p, u32 waves)
{
	return waves < p->shader_engines ? waves : p->shader_engines;
}
