// SPDX-License-Identifier: GPL-2.0-only
/*
 * An XGMI hive: the first GPUs, as many as parameter "hive" says. They have one reset domain,
 * and a reset of one is a reset of all: amdgpu's own hive comes to that, but needs firmware that
 * knows the links between GPUs. There are no links here.
 *
 * A GPU has the domain from before its bring-up until its device is released. It is a member, and
 * reset with the others, from the end of its bring-up until it is unbound.
 */
#include <linux/mutex.h>

#include "vgpu.h"
#include "amdgpu_reset.h"

static uint hive;
module_param(hive, uint, 0444);
MODULE_PARM_DESC(hive, "so many GPUs, from the first one on, are reset together; 0, 1: none");

/* Protects all below. A reset of the hive holds it from its beginning to its end. */
static DEFINE_MUTEX(hive_lock);
static struct amdgpu_reset_domain *domain;	/* there while a GPU has it */
static u32 users;				/* GPUs that have it */
static struct vgpu *members[VGPU_DEVICES];	/* by index */

/* A hive of one is none. */
bool vgpu_hive_fits(const struct vgpu_generation *gen)
{
	return hive < 2 || gen->xgmi;
}

static struct amdgpu_reset_domain *create(enum amdgpu_reset_domain_type type, char *name)
{
	return vgpu_call(amdgpu_reset_create_reset_domain, type, name);
}

/* amdgpu_reset_put_reset_domain() names a function that amdgpu does not export. */
static void put(struct amdgpu_reset_domain *d)
{
	kref_put(&d->refcount, vgpu_symbol("amdgpu_reset_destroy_reset_domain"));
}

/* The hive's domain, with a reference for the caller; NULL: there is no memory. */
static struct amdgpu_reset_domain *take(void)
{
	if (!domain)
		domain = create(XGMI_HIVE, "vgpu-hive");
	if (!domain || !amdgpu_reset_get_reset_domain(domain))
		return NULL;
	users++;
	return domain;
}

/* amdgpu drops the reference of the device with the device. */
int vgpu_hive_take_domain(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;

	if (hive < 2 || vg->index >= hive) {
		adev->reset_domain = create(SINGLE_DEVICE, "vgpu-reset");
	} else {
		mutex_lock(&hive_lock);
		adev->reset_domain = take();
		mutex_unlock(&hive_lock);
	}
	return adev->reset_domain ? 0 : -ENOMEM;
}

static bool has_domain(const struct vgpu *vg)
{
	return vg->adev->reset_domain && vg->adev->reset_domain->type == XGMI_HIVE;
}

/* With the last GPU the hive's own reference goes: the next one makes a domain anew. */
void vgpu_hive_drop_domain(struct vgpu *vg)
{
	if (!has_domain(vg))
		return;
	mutex_lock(&hive_lock);
	if (!--users) {
		put(domain);
		domain = NULL;
	}
	mutex_unlock(&hive_lock);
}

static void set_member(struct vgpu *vg, struct vgpu *value)
{
	if (!has_domain(vg))
		return;
	mutex_lock(&hive_lock);
	members[vg->index] = value;
	mutex_unlock(&hive_lock);
}

void vgpu_hive_join(struct vgpu *vg)
{
	set_member(vg, vg);
}

void vgpu_hive_leave(struct vgpu *vg)
{
	set_member(vg, NULL);
}

/* One that sleeps is not reset: its firmware starts anew when it wakes up. */
static bool joins_reset(const struct vgpu *vg, const struct vgpu *other)
{
	return other && other != vg && !other->adev->in_suspend;
}

u32 vgpu_hive_lock(struct vgpu *vg, struct vgpu *gpus[VGPU_DEVICES])
{
	u32 i, n = 0;

	gpus[n++] = vg;
	if (!has_domain(vg))
		return n;
	mutex_lock(&hive_lock);
	/* one that has left is reset alone */
	for (i = 0; i < VGPU_DEVICES && members[vg->index] == vg; i++)
		if (joins_reset(vg, members[i]))
			gpus[n++] = members[i];
	return n;
}

void vgpu_hive_unlock(struct vgpu *vg)
{
	if (has_domain(vg))
		mutex_unlock(&hive_lock);
}
