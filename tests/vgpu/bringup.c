// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of amdgpu_device_init(), reduced to the parts that run for real:
 * doorbells, memory manager, GART, VM manager, DRM device, amdkfd.
 */
#include <drm/drm_drv.h>
#include <drm/drm_mode_config.h>

#include "vgpu.h"
#include "amdgpu_seq64.h"

#define DOORBELL_BYTES	(2ULL << 20)

static int init_doorbells(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	struct amdgpu_doorbell *db = &adev->doorbell;
	void (*init_index)(struct amdgpu_device *adev);

	init_index = vgpu_symbol(vg->gen->doorbell_index);
	if (!init_index)
		return -ENOENT;
	init_index(adev);
	db->base = pci_resource_start(adev->pdev, 2) + vg->vram_size;
	db->size = DOORBELL_BYTES;
	/* as amdgpu_doorbell_init: indices, and one more page for MES and others */
	db->num_kernel_doorbells = adev->doorbell_index.max_assignment + 1 + 0x400;
	vg->doorbells = ioremap(db->base, db->size);
	if (!vg->doorbells)
		return -ENOMEM;
	memset_io(vg->doorbells, 0, db->size);
	return 0;
}

static void fini_bo(struct amdgpu_device *adev)
{
	vgpu_call(amdgpu_doorbell_fini, adev);	/* amdgpu_bo_init() made them */
	vgpu_call(amdgpu_bo_fini, adev);
}

static int init_memory(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;
	int r;

	r = compat_scheduler_init(vg);
	if (r)
		return r;
	r = vgpu_call(amdgpu_bo_init, adev);
	if (r)
		goto fini_scheduler;
	vg->vram = (void __force *)adev->mman.aper_base_kaddr;
	r = vgpu_call(amdgpu_gart_init, adev);
	if (r)
		goto fini_bo;
	adev->gart.table_size = adev->gart.num_gpu_pages * 8;
	adev->gart.gart_pte_flags = AMDGPU_PTE_EXECUTABLE;
	r = vgpu_call(amdgpu_gart_table_vram_alloc, adev);
	if (r)
		goto fini_bo;
	adev->mman.buffer_funcs_enabled = true;	/* moves: see memory.c */
	vgpu_call(amdgpu_gtt_mgr_recover, &adev->mman.gtt_mgr);
	adev->vm_manager.first_kfd_vmid = 16 - vg->profile->vmids;
	vgpu_call(amdgpu_vm_manager_init, adev);
	adev->vm_manager.vm_update_mode = AMDGPU_VM_USE_CPU_FOR_GFX |
		AMDGPU_VM_USE_CPU_FOR_COMPUTE;
	r = vgpu_call(amdgpu_seq64_init, adev);
	if (r)
		goto fini_gart;
	return 0;

fini_gart:
	vgpu_call(amdgpu_vm_manager_fini, adev);
	vgpu_call(amdgpu_gart_table_vram_free, adev);
fini_bo:
	fini_bo(adev);
fini_scheduler:
	compat_scheduler_fini(vg);
	return r;
}

static void fini_memory(struct vgpu *vg)
{
	vgpu_call(amdgpu_seq64_fini, vg->adev);
	vgpu_call(amdgpu_vm_manager_fini, vg->adev);
	vgpu_call(amdgpu_gart_table_vram_free, vg->adev);
	fini_bo(vg->adev);
	compat_scheduler_fini(vg);
}

/* The scheduler firmware, where amdgpu starts it rather than amdkfd. */
static void fini_firmware(struct vgpu *vg)
{
	if (vg->gen->stop)
		vg->gen->stop(vg);
}

static int init_firmware(struct vgpu *vg)
{
	int r = vg->gen->start ? vg->gen->start(vg) : 0;

	if (r)
		fini_firmware(vg);
	return r;
}

static void fini_drm(struct vgpu *vg)
{
	vgpu_partition_unregister(vg);
	drm_dev_unregister(adev_to_drm(vg->adev));
}

static int init_drm(struct vgpu *vg)
{
	struct drm_device *ddev = adev_to_drm(vg->adev);
	int r;

	/* without DRIVER_MODESET drm_client_init() fails, and ACQUIRE_VM oopses */
	ddev->driver_features &= ~DRIVER_ATOMIC;
	r = drmm_mode_config_init(ddev);
	if (r)
		return r;
	r = drm_dev_register(ddev, 0);
	if (r)
		return r;
	r = vgpu_partition_register(vg);
	if (r)
		fini_drm(vg);
	return r;
}

/*
 * If amdgpu was built with SVM, which Debian's is not, amdkfd offers it for a
 * GPU whose memory has struct pages. This GPU's has none: shared memory is
 * system memory.
 */
static void init_svm(struct amdgpu_device *adev)
{
	if (IS_ENABLED(CONFIG_HSA_AMD_SVM))
		adev->kfd.pgmap.type = MEMORY_DEVICE_COHERENT;
}

/* Also when the GPU is divided anew. */
int vgpu_kfd_init(struct vgpu *vg)
{
	struct amdgpu_device *adev = vg->adev;

	vgpu_call(amdgpu_amdkfd_device_probe, adev);
	if (!adev->kfd.dev)
		return -ENODEV;
	vgpu_tables_kfd(vg);
	init_svm(adev);
	vgpu_call(amdgpu_amdkfd_device_init, adev);
	return adev->kfd.init_complete ? 0 : -EIO;
}

static int init_kfd(struct vgpu *vg)
{
	return vgpu_kfd_init(vg) ?: vgpu_call(amdgpu_amdkfd_drm_client_create, vg->adev);
}

/*
 * The end of the device. amdgpu calls this when it finalises its IP blocks:
 * after the device is unbound, its last file is closed, and the last process
 * that amdkfd knew when it was there has ended; amdkfd is gone by then.
 */
static int fini_block(compat_ip_block *block)
{
	struct vgpu *vg = vgpu_of(compat_ip_adev(block));

	/* the work queue is that of the reset domain, which other GPUs may keep */
	cancel_work_sync(&vg->adev->kfd.reset_work);
	fini_firmware(vg);
	fini_memory(vg);
	vgpu_partition_fini(vg);
	iounmap(vg->doorbells);
	vgpu_device_release(vg);
	vgpu_free(vg);
	return 0;
}

static const struct amd_ip_funcs block_funcs = {
	.name = "vgpu",
	.sw_fini = fini_block,
};

static const struct amdgpu_ip_block_version block = {
	.type = AMD_IP_BLOCK_TYPE_COMMON,
	.funcs = &block_funcs,
};

static void add_block(struct amdgpu_device *adev)
{
	adev->ip_blocks[0].version = &block;
	adev->ip_blocks[0].status.valid = true;
	adev->ip_blocks[0].status.sw = true;
	adev->num_ip_blocks = 1;
}

/*
 * The order of amdgpu_pci_remove(); fini_block() does the rest. This returns when no
 * process uses the GPU any more.
 */
void vgpu_unplug(struct vgpu *vg)
{
	vgpu_hive_leave(vg);
	vgpu_partition_unregister(vg);
	drm_dev_unplug(adev_to_drm(vg->adev));
	vg->adev->shutdown = true;
	vgpu_call(amdgpu_amdkfd_suspend, vg->adev, COMPAT_SUSPEND_PROC(true));
	compat_end_processes(vg->adev);
}

int vgpu_bringup(struct vgpu *vg)
{
	int r;

	r = init_doorbells(vg);
	if (r)
		return r;
	r = vgpu_partition_init(vg);
	if (r)
		goto fini_partition;
	r = init_memory(vg);
	if (r)
		goto fini_partition;
	r = init_firmware(vg);
	if (r)
		goto fini_memory;
	r = init_drm(vg);
	if (r)
		goto fini_firmware;
	r = init_kfd(vg);
	if (r)
		goto unregister;
	add_block(vg->adev);
	vgpu_hive_join(vg);
	return 0;

unregister:
	vgpu_call(amdgpu_amdkfd_device_fini_sw, vg->adev);
	fini_drm(vg);
fini_firmware:
	fini_firmware(vg);
fini_memory:
	fini_memory(vg);
fini_partition:
	vgpu_partition_fini(vg);
	iounmap(vg->doorbells);
	return r;
}
