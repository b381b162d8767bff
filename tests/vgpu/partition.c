// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compute partitions: a GPU of several XCCs as one node (SPX) or several (DPX,
 * QPX, CPX: one node an XCC), in NPS1, all sharing the memory.
 *
 * amdgpu's own partition manager runs; this file provides what it would read
 * from hardware. As on hardware there is a render node for each possible
 * partition, and opening one chooses the partition. The mode can be changed, by
 * amdgpu's file current_compute_partition; the nodes, their counters and faults
 * with them, begin anew then.
 */
#include <linux/vmalloc.h>

#include "vgpu.h"
#include "fault.h"
#include "amdgpu_xcp.h"

static const struct {
	const char *name;
	int mode;
} modes[] = {
	{ "spx", AMDGPU_SPX_PARTITION_MODE },
	{ "dpx", AMDGPU_DPX_PARTITION_MODE },
	{ "qpx", AMDGPU_QPX_PARTITION_MODE },
	{ "cpx", AMDGPU_CPX_PARTITION_MODE },
};

int vgpu_partition_mode(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, name))
			return modes[i].mode;
	return -EINVAL;
}

/* Nodes a GPU has in this mode. */
static u32 parts_of(const struct sim_profile *p, int mode)
{
	switch (mode) {
	case AMDGPU_DPX_PARTITION_MODE:
		return 2;
	case AMDGPU_QPX_PARTITION_MODE:
		return 4;
	case AMDGPU_CPX_PARTITION_MODE:
		return p->xccs;
	default:
		return 1;
	}
}

/* Whether it can be, with the part that each node has. */
static bool can_divide(const struct vgpu *vg, u32 parts, struct sim_profile *part)
{
	return parts <= VGPU_NODES && sim_profile_partition(vg->profile, parts, part);
}

static struct vgpu_node *make_nodes(struct vgpu *vg, u32 parts)
{
	struct vgpu_node *node, *nodes = vcalloc(parts, sizeof(*nodes));
	u32 i;

	for (i = 0; nodes && i < parts; i++) {
		node = &nodes[i];
		node->vg = vg;
		node->index = i;
		node->profile = &vg->part;
		node->xccs = vg->profile->xccs / parts;
		node->first_xcc = i * node->xccs;
	}
	return nodes;
}

/* Divide the GPU into nodes. -EINVAL: it cannot be divided so. */
int vgpu_partition_create(struct vgpu *vg, int mode)
{
	u32 parts = parts_of(vg->profile, mode);

	if (!can_divide(vg, parts, &vg->part))
		return -EINVAL;
	vg->partition_mode = mode;
	vg->nodes = make_nodes(vg, parts);
	if (!vg->nodes)
		return -ENOMEM;
	vg->nr_nodes = parts;
	return 0;
}

/* The same of a GPU that works. No queue is in the hardware. */
static int divide_anew(struct vgpu *vg, int mode)
{
	u32 i, parts = parts_of(vg->profile, mode);
	struct vgpu_node *old = vg->nodes, *nodes = make_nodes(vg, parts);
	unsigned long flags;

	if (!nodes)
		return -ENOMEM;
	vgpu_stats_remove(vg);
	for (i = 0; i < vg->nr_nodes; i++)
		vgpu_fault_fini(&old[i]);
	raw_spin_lock_irqsave(&vg->lock, flags);
	sim_profile_partition(vg->profile, parts, &vg->part);
	for (i = 0; i < parts; i++)
		vgpu_node_init(&nodes[i]);
	vg->nodes = nodes;
	vg->nr_nodes = parts;
	vg->partition_mode = mode;
	vg->adev->gfx.num_xcc_per_xcp = vg->part.xccs;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
	synchronize_rcu();	/* as in vgpu_engine_remove() */
	vfree(old);
	vgpu_stats_add(vg);
	return 0;
}

/* The profile has other costs now. */
void vgpu_partition_costs(struct vgpu *vg)
{
	lockdep_assert_held(&vg->lock);
	sim_profile_partition(vg->profile, vg->nr_nodes, &vg->part);
}

void vgpu_partition_destroy(struct vgpu *vg)
{
	vfree(vg->nodes);
	vg->nodes = NULL;
	vg->nr_nodes = 0;
}

struct vgpu_node *vgpu_node_of_xcc(struct vgpu *vg, u32 xcc)
{
	return &vg->nodes[min(xcc / vg->part.xccs, vg->nr_nodes - 1)];
}

/* ---- amdgpu's partition manager ---- */

static int query_mode(struct amdgpu_xcp_mgr *mgr)
{
	return vgpu_of(mgr->adev)->partition_mode;
}

static int get_ip_details(struct amdgpu_xcp_mgr *mgr, int xcp_id,
			  enum AMDGPU_XCP_IP_BLOCK ip_id, struct amdgpu_xcp_ip *ip)
{
	struct vgpu *vg = vgpu_of(mgr->adev);
	const struct vgpu_node *node = &vg->nodes[xcp_id];
	u32 engines = vg->part.sdma_engines;

	memset(ip, 0, sizeof(*ip));
	ip->ip_id = ip_id;
	switch (ip_id) {
	case AMDGPU_XCP_GFXHUB:
	case AMDGPU_XCP_GFX:
		ip->inst_mask = (BIT(node->xccs) - 1) << node->first_xcc;
		return 0;
	case AMDGPU_XCP_SDMA:
		ip->inst_mask = (BIT(engines) - 1) << (xcp_id * engines);
		return 0;
	default:
		return -EINVAL;		/* no video engines here */
	}
}

static int get_mem_id(struct amdgpu_xcp_mgr *mgr, struct amdgpu_xcp *xcp, u8 *id)
{
	*id = 0;
	return 0;
}

/* The order of aqua_vanjaram_switch_partition_mode(). amdkfd refuses it while it has processes. */
static int switch_mode(struct amdgpu_xcp_mgr *mgr, int mode, int *parts)
{
	struct vgpu *vg = vgpu_of(mgr->adev);
	struct sim_profile part;
	int r;

	if (!can_divide(vg, parts_of(vg->profile, mode), &part))
		return -EINVAL;
	r = vgpu_call(amdgpu_amdkfd_check_and_lock_kfd, mgr->adev);
	if (r)
		return r;
	vgpu_call(amdgpu_amdkfd_device_fini_sw, mgr->adev);
	r = divide_anew(vg, mode);
	*parts = vg->nr_nodes;
	/* Where it could not be divided, amdkfd comes back with what there was. */
	vgpu_call(amdgpu_xcp_init, mgr, vg->nr_nodes, vg->partition_mode);
	r = vgpu_kfd_init(vg) ?: r;
	vgpu_call(amdgpu_amdkfd_unlock_kfd, mgr->adev);
	return r;
}

static struct amdgpu_xcp_mgr_funcs xcp_funcs = {
	.switch_partition_mode = switch_mode,
	.query_partition_mode = query_mode,
	.get_ip_details = get_ip_details,
	.get_xcp_mem_id = get_mem_id,
};

static int init_memory_partition(struct vgpu *vg)
{
	struct amdgpu_gmc *gmc = &vg->adev->gmc;

	gmc->mem_partitions = kzalloc(sizeof(*gmc->mem_partitions), GFP_KERNEL);
	if (!gmc->mem_partitions)
		return -ENOMEM;
	gmc->num_mem_partitions = 1;
	gmc->mem_partitions[0].range.lpfn = (vg->vram_size >> AMDGPU_GPU_PAGE_SHIFT) - 1;
	gmc->mem_partitions[0].size = vg->vram_size;
	return 0;
}

/* Only GPUs made of XCCs have a partition manager. */
int vgpu_partition_init(struct vgpu *vg)
{
	int r;

	vg->adev->gfx.num_xcc_per_xcp = vg->part.xccs;
	if (vg->profile->xccs == 1)
		return 0;
	r = init_memory_partition(vg);
	if (r)
		return r;
	/* first no mode, as in amdgpu: the next call checks the manager */
	r = vgpu_call(amdgpu_xcp_mgr_init, vg->adev, AMDGPU_XCP_MODE_NONE, 1, &xcp_funcs);
	if (r)
		return r;
	return vgpu_call(amdgpu_xcp_init, vg->adev->xcp_mgr, vg->nr_nodes, vg->partition_mode);
}

/* With the DRM device: the render nodes of the other partitions, and the file for the mode. */
int vgpu_partition_register(struct vgpu *vg)
{
	const struct pci_device_id id = { };
	int r = vgpu_call(amdgpu_xcp_dev_register, vg->adev, &id);

	return r || !vg->adev->xcp_mgr ? r : vgpu_call(amdgpu_gfx_sysfs_init, vg->adev);
}

/* After vgpu_partition_register(), also where it failed. */
void vgpu_partition_unregister(struct vgpu *vg)
{
	if (vg->adev->xcp_mgr)
		vgpu_call(amdgpu_gfx_sysfs_fini, vg->adev);
	vgpu_call(amdgpu_xcp_dev_unplug, vg->adev);
}

/* After vgpu_partition_init(), also where it failed. */
void vgpu_partition_fini(struct vgpu *vg)
{
	kfree(vg->adev->xcp_mgr);
	vg->adev->xcp_mgr = NULL;
	kfree(vg->adev->gmc.mem_partitions);
	vg->adev->gmc.mem_partitions = NULL;
	vg->adev->gmc.num_mem_partitions = 0;
}
