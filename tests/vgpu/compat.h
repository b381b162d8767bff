/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels of the amdgpu versions. The code is written
 * for the newest; no other file here checks a version. To be included at the
 * end of vgpu.h.
 */
#ifndef VGPU_COMPAT_H
#define VGPU_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ftrace_regs_set_instruction_pointer	ftrace_instruction_pointer_set
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
static inline unsigned long bitmap_read(const unsigned long *map, unsigned long start,
					unsigned long nbits)
{
	unsigned long value = 0, i;

	for (i = 0; i < nbits; i++)
		value |= (unsigned long)test_bit(start + i, map) << i;
	return value;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/*
 * Version of amdgpu. AMDGPU_DKMS is the version of AMD's own package, 61212 for
 * 6.12.12: it is newer than the kernel it is built for, but not in all parts.
 */
#if defined(AMDGPU_DKMS)
#define COMPAT_LINUX_7	0
#define COMPAT_NEW_KFD	1
#elif LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define COMPAT_LINUX_7	0
#define COMPAT_NEW_KFD	0
#else
#define COMPAT_LINUX_7	1
#define COMPAT_NEW_KFD	1
#endif

/* ---- processes and IP blocks ---- */

#if COMPAT_NEW_KFD

static inline u32 compat_pasid(const struct kfd_process_device *pdd)
{
	return pdd->pasid;
}

static inline struct kfd_process *compat_process_by_pasid(u32 pasid)
{
	return vgpu_calls.kfd_lookup_process_by_pasid(pasid, NULL);
}

typedef struct amdgpu_ip_block compat_ip_block;

static inline struct amdgpu_device *compat_ip_adev(compat_ip_block *block)
{
	return block->adev;
}

static inline int compat_ip_step(int (*step)(compat_ip_block *block), struct amdgpu_device *adev)
{
	struct amdgpu_ip_block block = { .adev = adev };

	return step(&block);
}

static inline void compat_init_isolation(struct amdgpu_device *adev)
{
	int i;

	for (i = 0; i < MAX_XCP; ++i) {
		adev->isolation[i].spearhead = dma_fence_get_stub();
		vgpu_call(amdgpu_sync_create, &adev->isolation[i].active);
		vgpu_call(amdgpu_sync_create, &adev->isolation[i].prev);
	}
}

#else

/* A process has one PASID, not one on each GPU. */
static inline u32 compat_pasid(const struct kfd_process_device *pdd)
{
	return pdd->process->pasid;
}

static inline struct kfd_process *compat_process_by_pasid(u32 pasid)
{
	return vgpu_calls.kfd_lookup_process_by_pasid(pasid);
}

/* Functions of an IP block get its device. */
typedef void compat_ip_block;

static inline struct amdgpu_device *compat_ip_adev(compat_ip_block *block)
{
	return block;
}

static inline int compat_ip_step(int (*step)(compat_ip_block *block), struct amdgpu_device *adev)
{
	return step(adev);
}

static inline void compat_init_isolation(struct amdgpu_device *adev)
{
}

#endif

/* ---- the device, its memory, its sleep ---- */

#if COMPAT_LINUX_7

static inline void compat_init_device(struct amdgpu_device *adev)
{
	spin_lock_init(&adev->virt.rlcg_reg_lock);
	mutex_init(&adev->psp.ptl.mutex);
	mutex_init(&adev->gfx.userq_sch_mutex);
	mutex_init(&adev->gfx.workload_profile_mutex);
	mutex_init(&adev->vcn.workload_profile_mutex);
	xa_init_flags(&adev->userq_doorbell_xa, XA_FLAGS_LOCK_IRQ);
	vgpu_call(amdgpu_reg_access_init, adev);
	vgpu_call(amdgpu_early_init_rlc_reg_funcs, adev);
	adev->gmc.pte_addr_mask = 0x0000fffffffff000ULL;
	compat_init_isolation(adev);
}

#define COMPAT_ASIC_FUNCS(_never)
#define COMPAT_SUSPEND_PROC(_proc)	(_proc)

/* Of a device that is removed. */
#define compat_end_processes(_adev)	vgpu_call(amdgpu_amdkfd_teardown_processes, _adev)

#define COMPAT_MOVES								\
	{ "amdgpu_ttm_clear_buffer", vgpu_clear_buffer },			\
	{ "amdgpu_ttm_copy_mem_to_mem", vgpu_copy_mem_to_mem },

/* Each VM has entities, and a move chooses one: they must have a scheduler, which gets no job. */
static inline int compat_scheduler_init(struct vgpu *vg)
{
	static const struct drm_sched_backend_ops no_ops;
	const struct drm_sched_init_args args = {
		.ops = &no_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = 1,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "vgpu",
		.dev = vg->adev->dev,
	};

	vg->adev->vm_manager.vm_pte_scheds[0] = &vg->sched;
	vg->adev->vm_manager.vm_pte_num_scheds = 1;
	vg->adev->mman.num_move_entities = 1;
	return drm_sched_init(&vg->sched, &args);
}

static inline void compat_scheduler_fini(struct vgpu *vg)
{
	drm_sched_fini(&vg->sched);
}

#else

static inline void compat_init_device(struct amdgpu_device *adev)
{
#ifdef AMDGPU_DKMS
	mutex_init(&adev->virt.rlcg_reg_lock);
	xa_init_flags(&adev->userq_xa, XA_FLAGS_LOCK_IRQ);
#else
	spin_lock_init(&adev->virt.rlcg_reg_lock);
#endif
	mutex_init(&adev->gfx.kfd_sch_mutex);
	compat_init_isolation(adev);
}

#define COMPAT_ASIC_FUNCS(_never)	.need_full_reset = (_never),

/* The argument is the opposite: whether it is runtime PM. */
#define COMPAT_SUSPEND_PROC(_proc)	(!(_proc))

/* That has done so, as the device is unplugged. */
#define compat_end_processes(_adev)	do { } while (0)

/* Work for SDMA has no entity; a clear may also come as a fill, with value 0. */
static inline int compat_clear_buffer(struct amdgpu_bo *bo, struct dma_resv *resv,
				      struct dma_fence **fence)
{
	return vgpu_clear_buffer(NULL, bo, resv, fence, false, 0);
}

/* Other members differ between versions of amdgpu, and none is needed. */
static inline int compat_fill_buffer(struct amdgpu_bo *bo, u32 value, struct dma_resv *resv,
				     struct dma_fence **fence, bool delayed)
{
	if (WARN_ON_ONCE(value))
		return -EOPNOTSUPP;
	return vgpu_clear_buffer(NULL, bo, resv, fence, false, 0);
}

static inline int compat_copy_mem_to_mem(struct amdgpu_device *adev,
					 const struct amdgpu_copy_mem *src,
					 const struct amdgpu_copy_mem *dst, u64 size, bool tmz,
					 struct dma_resv *resv, struct dma_fence **fence)
{
	return vgpu_copy_mem_to_mem(adev, NULL, src, dst, size, tmz, resv, fence);
}

#define COMPAT_MOVES								\
	{ "amdgpu_ttm_clear_buffer", compat_clear_buffer },			\
	{ "amdgpu_fill_buffer", compat_fill_buffer },				\
	{ "amdgpu_ttm_copy_mem_to_mem", compat_copy_mem_to_mem },

/* Page tables and moves have no jobs, and so need no scheduler. */
static inline int compat_scheduler_init(struct vgpu *vg)
{
	return 0;
}

static inline void compat_scheduler_fini(struct vgpu *vg)
{
}

#endif

#endif /* VGPU_COMPAT_H */
