// SPDX-License-Identifier: MIT
/*
 * Kernels the model does not know: how long they take.
 *
 * The descriptor does not say what a kernel does, only which resources it
 * holds. The rule here, with all its numbers, is an assumption. It gives times
 * of a plausible size from what is known, so that a preemption can interrupt a
 * kernel that fills the GPU, and one of a few workgroups is short:
 *
 *   - a wave executes instructions in proportion to the registers it holds and
 *     to its part of the workgroup's LDS, and some in any case;
 *   - a SIMD executes its waves in turn, so their time is proportional to their
 *     number. That number is limited by what fits on a compute unit (registers,
 *     LDS, wave slots), and by a grid too small to fill all.
 *
 * The result is multiplied by a factor of the caller. An emulated guest takes
 * much longer than a real host from one launch to the next: short kernels would
 * leave the GPU idle nearly always, and a preemption would hardly ever
 * interrupt one.
 */
#include "native/native.h"

#define WAVE_INSTRUCTIONS	1000	/* of any wave */
#define VGPR_INSTRUCTIONS	64	/* for each register of a lane */
#define LDS_INSTRUCTION_BYTES	16	/* of LDS, for each instruction */
#define INSTRUCTION_CYCLES	4	/* of a wave that is alone on its SIMD */

/* Spread of the times of workgroups, as for known kernels. */
#define SPREAD		20

/* No spread above this number of workgroups: each spread block is an event. */
#define MOST_SPREAD	16384

static u32 divide_up(u32 a, u32 b)
{
	return (a + b - 1) / b;
}

/* Waves a SIMD holds while the dispatch has the GPU; 0: none fits. */
static u32 simd_waves(const struct sim_profile *p, const struct sim_dispatch *d)
{
	u32 fit = sim_capacity(p, d) / p->cus, each = divide_up(d->workgroups, p->cus);

	return divide_up((fit < each ? fit : each) * d->waves, p->simds_per_cu);
}

bool sim_unknown_costs(struct sim_queue *q, u64 code, struct sim_dispatch *d)
{
	const struct sim_profile *p = q->gpu->profile;
	u64 instructions;
	u32 lds_bytes;

	if (!sim_code_costs(q, code, &d->vgprs, &lds_bytes))
		return false;
	if (d->lds_bytes < lds_bytes)
		d->lds_bytes = lds_bytes;
	instructions = WAVE_INSTRUCTIONS + VGPR_INSTRUCTIONS * d->vgprs +
		d->lds_bytes / d->waves / LDS_INSTRUCTION_BYTES;
	d->workgroup_ns = instructions * INSTRUCTION_CYCLES * simd_waves(p, d) * 1000 /
		p->clock_mhz * q->gpu->time_unknown;
	d->spread = d->workgroups > MOST_SPREAD ? 0 : SPREAD;
	return true;
}
