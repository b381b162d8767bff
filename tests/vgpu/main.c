// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters and the PCI driver. The device is QEMU's ivshmem-plain:
 * its memory BAR is real PCI memory, split into VRAM and doorbells.
 *
 *   insmod amdgpu.ko vm_update_mode=3
 *   insmod vgpu.ko profile=mi308x [vram_mb=256] [verbose=1]
 *
 * Once a device is up, the module cannot be unloaded.
 */
#include <drm/drm_drv.h>
#include <linux/vmalloc.h>

#include "vgpu.h"

static char *profile = "mi308x";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "GPU to model: mi308x");

static uint vram_mb = 256;
module_param(vram_mb, uint, 0444);
MODULE_PARM_DESC(vram_mb, "VRAM in MiB; BAR 2 must hold 2 MiB more");

bool vgpu_hang;
module_param_named(hang, vgpu_hang, bool, 0644);
MODULE_PARM_DESC(hang, "fault injection: QUERY_STATUS is not answered; a reset clears it");

int vgpu_verbose;
module_param_named(verbose, vgpu_verbose, int, 0644);
MODULE_PARM_DESC(verbose, "log every queue that is mapped and unmapped");

struct vgpu *vgpu_devices[VGPU_DEVICES];

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

struct vgpu_node *vgpu_node_of_xcc(struct vgpu *vg, u32 xcc)
{
	u32 i;

	for (i = 1; i < vg->nr_nodes; i++)
		if (xcc < vg->nodes[i].first_xcc)
			break;
	return &vg->nodes[i - 1];
}

static int create_device(struct vgpu *vg, struct pci_dev *pdev)
{
	const struct drm_driver *driver = vgpu_symbol("amdgpu_kms_driver");
	int r;

	if (!driver)
		return -ENOENT;
	/* amdgpu's functions are called by address: it must stay */
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

/* The GPU as one node. */
static int create_nodes(struct vgpu *vg)
{
	vg->nodes = vzalloc(sizeof(*vg->nodes));
	if (!vg->nodes)
		return -ENOMEM;
	vg->nr_nodes = 1;
	vg->nodes[0].vg = vg;
	vg->nodes[0].profile = vg->profile;
	vg->nodes[0].xccs = vg->profile->xccs;
	return 0;
}

static void free_device(struct vgpu *vg)
{
	vfree(vg->nodes);
	kfree(vg);
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
	vg->profile = sim_profile_find(profile);
	vg->vram_size = (u64)vram_mb << 20;
	r = pci_resource_len(pdev, 2) < vg->vram_size + (2 << 20) ? -ENOSPC : 0;
	if (!r)
		r = pcim_enable_device(pdev);
	if (!r)
		r = create_nodes(vg);
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
	__module_get(THIS_MODULE);
	pr_info("%s is up, %llu MiB of VRAM\n", vg->profile->name, vg->vram_size >> 20);
	return 0;

remove:
	vgpu_engine_remove(vg);
put:
	module_put(adev_to_drm(vg->adev)->driver->fops->owner);
free:
	free_device(vg);
	return r;
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
};

static int __init vgpu_init(void)
{
	int r;

	if (!sim_profile_find(profile)) {
		pr_err("unknown profile %s\n", profile);
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
	vgpu_stats_init(profile);
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

/* Reached only when no device came up: a bound device pins the module. */
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
