// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters and the PCI driver. The device is QEMU's ivshmem-plain:
 * its memory BAR is real PCI memory, split into VRAM and doorbells.
 *
 *   insmod amdgpu.ko vm_update_mode=3
 *   insmod vgpu.ko profile=mi308x [partition=spx] [vram_mb=256] [time_unknown=1] [verbose=1]
 *	[set=NAME=VALUE[,NAME=VALUE]...] [hive=2]
 *
 * A device can be unbound, like a real one. Once one was up, this module and
 * amdgpu cannot be unloaded: some of their code may always run later.
 */
#include <drm/drm_drv.h>
#include <linux/vmalloc.h>

#include "vgpu.h"

/* Limit of time_unknown: a kernel of a second takes a quarter of an hour. */
#define MOST_TIMES	1000

static char *profile = "mi308x";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "GPU to model: mi308x, mi308x-field, mi300x, mi250, gfx11");

#define MOST_SETTINGS	32

static char *set[MOST_SETTINGS];
static int settings;
module_param_array(set, charp, &settings, 0);
MODULE_PARM_DESC(set, "NAME=VALUE,...: costs in place of the profile's");

static char *partition = "spx";
module_param(partition, charp, 0444);
MODULE_PARM_DESC(partition, "compute partitions: spx, dpx, qpx, cpx");

static uint vram_mb = 256;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "VRAM in MiB; BAR 2 must hold 2 MiB more");

uint vgpu_time_unknown;
module_param_named(time_unknown, vgpu_time_unknown, uint, 0444);
MODULE_PARM_DESC(time_unknown,
		 "kernels that are not known leave no result and take so many times a plausible time; 0: they halt their queue");

int vgpu_verbose;
module_param_named(verbose, vgpu_verbose, int, 0644);
MODULE_PARM_DESC(verbose, "log every queue that is mapped and unmapped");

struct vgpu *vgpu_devices[VGPU_DEVICES];

/* The profile, with what "set" changes. */
static struct sim_profile model;

struct vgpu *vgpu_of(const struct amdgpu_device *adev)
{
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i)
		if (vg->adev == adev)
			return vg;
	return NULL;
}

/* amdkfd maps the page of its own doorbells once a GPU. */
struct vgpu *vgpu_of_doorbell(const void __iomem *db)
{
	const void __iomem *page;
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i) {
		if (!vg->adev->kfd.dev)
			continue;
		page = vg->adev->kfd.dev->doorbell_kernel_ptr;
		if (page && db >= page && db < page + PAGE_SIZE)
			return vg;
	}
	return NULL;
}

static int create_device(struct vgpu *vg, struct pci_dev *pdev)
{
	const struct drm_driver *driver = vgpu_symbol("amdgpu_kms_driver");
	int r;

	if (!driver)
		return -ENOENT;
	/* amdgpu's functions are called by address: it must not be unloaded */
	if (!try_module_get(driver->fops->owner))
		return -ENODEV;
	vg->adev = devm_drm_dev_alloc(&pdev->dev, driver, struct amdgpu_device, ddev);
	if (IS_ERR(vg->adev)) {
		r = PTR_ERR(vg->adev);
		vg->adev = NULL;
		module_put(driver->fops->owner);
		return r;
	}
	vg->adev->dev = &pdev->dev;
	vg->adev->pdev = pdev;
	pci_set_drvdata(pdev, adev_to_drm(vg->adev));
	return 0;
}

static void free_device(struct vgpu *vg)
{
	vgpu_partition_destroy(vg);
	kfree(vg);
}

void vgpu_free(struct vgpu *vg)
{
	vgpu_engine_remove(vg);
	free_device(vg);
}

static int bring_up(struct vgpu *vg)
{
	int r = vgpu_device_fabricate(vg);

	if (!r)
		r = vgpu_bringup(vg);
	if (r) {
		pr_err("bring-up failed: %d\n", r);
		vgpu_device_release(vg);
	}
	return r;
}

static int vgpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vgpu *vg;
	int r;

	vg = kzalloc(sizeof(*vg), GFP_KERNEL);
	if (!vg)
		return -ENOMEM;
	vg->profile = &model;
	vg->gen = vgpu_generation_find(vg->profile);
	vg->vram_size = (u64)vram_mb << 20;
	r = pci_resource_len(pdev, 2) < vg->vram_size + (2 << 20) ? -ENOSPC : 0;
	if (!r)
		r = pcim_enable_device(pdev);
	if (!r)
		r = vgpu_partition_create(vg, vgpu_partition_mode(partition));
	if (!r)
		r = create_device(vg, pdev);
	if (r)
		goto free;
	r = vgpu_engine_add(vg);
	if (r)
		goto put;
	r = bring_up(vg);
	if (r)
		goto remove;
	vgpu_stats_add(vg);
	vgpu_power_init(vg);
	__module_get(THIS_MODULE);
	pr_info("%s %u is up, %s, %llu MiB of VRAM\n", vg->profile->name, vg->index,
		partition, vg->vram_size >> 20);
	return 0;

remove:
	vgpu_engine_remove(vg);
put:
	module_put(adev_to_drm(vg->adev)->driver->fops->owner);
free:
	free_device(vg);
	return r;
}

/* Not the driver's data: the end of a former device on this slot may have cleared it. */
static struct vgpu *vgpu_bound_to(const struct pci_dev *pdev)
{
	struct vgpu *vg;
	u32 i;

	vgpu_for_each(vg, i)
		if (vg->adev->pdev == pdev && !vg->adev->shutdown)
			return vg;
	return NULL;
}

/* Files may still be open: the rest follows when the last of them is closed. */
static void vgpu_remove(struct pci_dev *pdev)
{
	struct vgpu *vg = vgpu_bound_to(pdev);

	vgpu_power_fini(vg);
	vgpu_stats_remove(vg);
	vgpu_unplug(vg);
}

static const struct pci_device_id vgpu_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_REDHAT_QUMRANET, 0x1110) },	/* ivshmem */
	{ }
};
MODULE_DEVICE_TABLE(pci, vgpu_ids);

static struct pci_driver vgpu_driver = {
	.name = "vgpu",
	.id_table = vgpu_ids,
	.probe = vgpu_probe,
	.remove = vgpu_remove,
	.driver.pm = pm_ptr(&vgpu_pm_ops),
};

static int set_cost(const char *name, const char *value)
{
	const struct sim_parameter *parameter = sim_parameter_find(name);
	u64 v;

	if (!parameter || parameter->chip || kstrtou64(value, 0, &v) ||
	    !sim_parameter_set(&model, parameter, v))
		return -EINVAL;
	return 0;
}

/* All costs of another profile of what is the same GPU otherwise. */
static int set_costs_of(const char *name)
{
	const struct sim_profile *other = sim_profile_find(name);
	const struct sim_parameter *parameter;
	u32 i;

	if (!other)
		return -EINVAL;
	for (i = 0; (parameter = sim_parameter_at(i)); i++)
		if (parameter->chip && sim_parameter_get(other, parameter) != sim_parameter_get(&model, parameter))
			return -EINVAL;
	model = *other;
	return 0;
}

int vgpu_set_cost(const char *name, const char *value)
{
	int r = strcmp(name, "name") ? set_cost(name, value) : set_costs_of(value);
	unsigned long flags;
	struct vgpu *vg;
	u32 i;

	if (r)
		return r;
	vgpu_for_each(vg, i) {
		raw_spin_lock_irqsave(&vg->lock, flags);
		vgpu_engine_run(vg);
		vgpu_partition_costs(vg);
		raw_spin_unlock_irqrestore(&vg->lock, flags);
	}
	return 0;
}

/* What the GPU is made of, the profile decides: arrays here have room for no more. */
static int __init apply_setting(char *setting)
{
	char *value = setting, *name = strsep(&value, "=");

	if (value && !set_cost(name, value))
		return 0;
	pr_err("set=%s=%s: no such cost, or no such value\n", name, value ?: "");
	return -EINVAL;
}

static int __init make_model(void)
{
	const struct sim_profile *p = sim_profile_find(profile);
	int i, r = 0;

	if (!p || !vgpu_generation_find(p)) {
		pr_err("unknown profile %s\n", profile);
		return -EINVAL;
	}
	model = *p;
	for (i = 0; i < settings && !r; i++)
		r = apply_setting(set[i]);
	return r;
}

static int __init vgpu_init(void)
{
	int r = make_model();

	if (r)
		return r;
	if (vgpu_partition_mode(partition) < 0) {
		pr_err("unknown partition mode %s\n", partition);
		return -EINVAL;
	}
	if (vgpu_time_unknown > MOST_TIMES) {
		pr_err("time_unknown is %u at the most\n", MOST_TIMES);
		return -EINVAL;
	}
	if (!vgpu_hive_fits(vgpu_generation_find(&model))) {
		pr_err("no hive: %s has no links\n", profile);
		return -EINVAL;
	}
	r = vgpu_symbols_init();
	if (!r)
		r = vgpu_tables_find_calls();
	if (!r)
		r = vgpu_engine_init();
	if (!r)
		r = vgpu_redirect_install();
	if (r)
		return r;
	r = vgpu_engine_start();
	if (r)
		goto remove;
	vgpu_stats_init(&model);
	r = pci_register_driver(&vgpu_driver);
	if (r)
		goto stop;
	return 0;

stop:
	vgpu_stats_exit();
	vgpu_engine_stop();
remove:
	vgpu_redirect_remove();
	return r;
}

/* Reached only when no device came up. */
static void __exit vgpu_exit(void)
{
	pci_unregister_driver(&vgpu_driver);
	vgpu_stats_exit();
	vgpu_engine_stop();
	vgpu_redirect_remove();
}

module_init(vgpu_init);
module_exit(vgpu_exit);
MODULE_DESCRIPTION("Software GPU beneath the real amdgpu driver (test code)");
MODULE_LICENSE("GPL");
