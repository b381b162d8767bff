// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernels of dispatches: synthetic ones (sim/model/kernel.h), and real ones that the
 * model knows (sim/model/native/native.h), or times although it does not (time_unknown).
 *
 * To identify a real kernel takes a walk through the code object, so the result
 * is cached by process and descriptor. A TLB flush, which comes whenever memory
 * is unmapped, and so at the end of a process at the latest, invalidates all
 * results: the memory may have other code then.
 */
#include "vgpu.h"
#include "native/native.h"

/* The number of that name among unknown kernels; a new one is logged once. */
static u32 unknown_number(struct vgpu_node *node, const char *name)
{
	u32 i;

	for (i = 0; i < node->nr_unknown; i++)
		if (!strcmp(node->unknown[i].name, name))
			return i;
	if (i == VGPU_UNKNOWN)
		return i - 1;
	if (i == VGPU_UNKNOWN - 1)
		name = "(all others)";
	strscpy(node->unknown[i].name, name, sizeof(node->unknown[i].name));
	node->nr_unknown++;
	node->stats.unknown_names++;
	pr_info("kernel that is not known, timed: %s\n", name);
	return i;
}

static s32 look_up(struct vgpu_queue *q, u64 code)
{
	char name[SIM_NATIVE_NAME];
	s32 kernel = sim_native_find(&q->sim, code, name);

	q->node->stats.native_lookups++;
	if (kernel >= 0) {
		vgpu_dbg("pasid %u: kernel %s\n", q->entry.pasid, name);
		return kernel;
	}
	if (q->node->gpu.time_unknown)
		return -1 - (s32)unknown_number(q->node, name);
	q->node->stats.unknown_kernels++;
	pr_err("unknown kernel of pasid %u: %s\n", q->entry.pasid, name);
	return -1;
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

/* The entry of a dispatch of an unknown kernel, NULL: the kernel is known. */
static struct vgpu_unknown *unknown_of(struct vgpu_node *node, const struct sim_dispatch *d)
{
	s32 number = sim_native_unknown(d);

	return number >= 0 && number < node->nr_unknown ? &node->unknown[number] : NULL;
}

/* It may be fetched again, if its queue is taken off before it begins. */
static void count_fetched(struct vgpu_node *node, const struct sim_dispatch *d)
{
	struct vgpu_unknown *u = unknown_of(node, d);

	if (u) {
		u->vgprs = d->vgprs;
		u->lds_bytes = d->lds_bytes;
		u->workgroup_ns = d->workgroup_ns;
		return;
	}
	node->stats.native_kernels++;
	node->stats.timed_kernels += sim_native_timed(d);
}

bool vgpu_native_kernel(struct sim_queue *sim, const struct sim_aql_dispatch *p,
			struct sim_dispatch *d)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	s32 kernel;

	if (sim_kernel_synthetic(sim, p, d))
		return true;
	if (sim->blame)		/* a fault of its memory */
		return false;
	kernel = find_kernel(q, p->code);
	if (!sim_native_kernel(sim, p, d, kernel))
		return false;
	count_fetched(q->node, d);
	return true;
}

bool vgpu_native_retired(struct sim_queue *sim, const struct sim_dispatch *d,
			 u32 first, u32 n, u64 t)
{
	if (sim_native_is(d)) {
		vgpu_queue(sim)->node->stats.real_workgroups += n;
		return sim_native_retired(sim, d, first, n, t);
	}
	return sim_kernel_retired(sim, d, first, n, t);
}

bool vgpu_native_completed(struct sim_queue *sim, const struct sim_dispatch *d, u64 t)
{
	struct vgpu_node *node = vgpu_queue(sim)->node;
	struct vgpu_unknown *u = unknown_of(node, d);

	if (!sim_native_is(d))
		return sim_kernel_completed(sim, d, t);
	node->stats.real_kernels++;
	if (u) {
		node->stats.unknown_timed++;
		u->dispatches++;
	}
	return true;
}
