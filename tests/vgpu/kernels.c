// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernels of dispatches: synthetic ones (sim/kernel.h), and real ones that the
 * model knows (sim/native.h).
 *
 * Finding out which real kernel it is takes a walk through the code object, so
 * the answer is kept for the process and descriptor. A TLB flush, which comes
 * with any memory that goes, and so with the end of a process at the latest,
 * makes all answers void: other code may be there now.
 */
#include "vgpu.h"
#include "native.h"

static s32 look_up(struct vgpu_queue *q, u64 code)
{
	char name[SIM_NATIVE_NAME];
	s32 kernel = sim_native_find(&q->sim, code, name);

	q->node->stats.native_lookups++;
	if (kernel < 0) {
		q->node->stats.unknown_kernels++;
		pr_err("unknown kernel of pasid %u: %s\n", q->entry.pasid, name);
	} else {
		vgpu_dbg("pasid %u: kernel %s\n", q->entry.pasid, name);
	}
	return kernel;
}

static s32 find_kernel(struct vgpu_queue *q, u64 code)
{
	struct vgpu_natives *n = &q->node->natives;
	u64 epoch = q->node->vg->tlb_epoch;
	u32 i;

	for (i = 0; i < VGPU_NATIVES; i++)
		if (n->known[i].code == code && n->known[i].pasid == q->entry.pasid &&
		    n->known[i].epoch == epoch)
			return n->known[i].kernel;
	i = n->next++ % VGPU_NATIVES;
	n->known[i].code = code;
	n->known[i].pasid = q->entry.pasid;
	n->known[i].epoch = epoch;
	n->known[i].kernel = look_up(q, code);
	return n->known[i].kernel;
}

bool vgpu_native_kernel(struct sim_queue *sim, const struct sim_aql_dispatch *p,
			struct sim_dispatch *d)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	s32 kernel;

	if (sim_kernel_synthetic(sim, p, d))
		return true;
	if (sim->blame)		/* its memory is to blame */
		return false;
	kernel = find_kernel(q, p->code);
	if (kernel < 0 || !sim_native_kernel(sim, p, d, kernel))
		return false;
	q->node->stats.native_kernels++;
	q->node->stats.timed_kernels += sim_native_timed(d);
	return true;
}

bool vgpu_native_retired(struct sim_queue *sim, const struct sim_dispatch *d,
			 u32 first, u32 n, u64 t)
{
	if (sim_native_is(d))
		return sim_native_retired(sim, d, first, n, t);
	return sim_kernel_retired(sim, d, first, n, t);
}

bool vgpu_native_completed(struct sim_queue *sim, const struct sim_dispatch *d, u64 t)
{
	return sim_native_is(d) || sim_kernel_completed(sim, d, t);
}
