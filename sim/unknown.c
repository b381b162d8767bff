// SPDX-License-Identifier: MIT
/*
 * Kernels the model does not know: how long they take.
 *
 * Nobody can say what a kernel does from its descriptor, only what it holds. The
 * rule here is made up, and is assumed in all its numbers; it gives times of a
 * plausible size that follow from what is known, so that a kernel which fills
 * the GPU is met half-way by a preemption, and one of a few workgroups is short:
 *
 *   - a wave executes instructions in proportion to the registers it holds and
 *     to its part of the workgroup's LDS, and some in any case;
 *   - a SIMD gives the waves it holds their instructions in turn, so they take as
 *     many times as long as there are waves. How many there are follows from
 *     what fits on a compute unit (registers, LDS, wave slots), or from the grid,
 *     if it is too small to fill them all.
 *
 * All that is taken so many times as the caller says. A guest that is emulated takes
 * many times as long as a real host from one launch to the next: kernels that do not
 * leave the GPU idle nearly always, and hardly a preemption would meet one.
 */
#include "native.h"

#define WAVE_INSTRUCTIONS	1000	/* of any wave */
#define VGPR_INSTRUCTIONS	64	/* for each register of a lane */
#define LDS_INSTRUCTION_BYTES	16	/* of LDS, for each instruction */
#define INSTRUCTION_CYCLES	4	/* of a wave that is alone on its SIMD */

/* Between some workgroups of a dispatch and others, as of kernels that are known. */
#define SPREAD		20

/* Of more workgroups than these, all take as long: each spread block is an event. */
#define MOST_SPREAD	16384

static u32 divide_up(u32 a, u32 b)
{
	return (a + b - 1) / b;
}

/* Waves a SIMD holds at a time while the dispatch has the GPU; 0: none fits. */
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
