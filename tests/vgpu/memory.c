// SPDX-License-Identifier: GPL-2.0-only
/*
 * TTM's work for SDMA, done by the CPU: clear buffers, and move them between
 * VRAM and system memory. A move first waits for every fence of the buffer, as
 * the real copy job does, so it also waits for KFD's evictions.
 */
#include <drm/ttm/ttm_tt.h>

#include "vgpu.h"
#include "amdgpu_res_cursor.h"
#include "amdgpu_ttm.h"

static void clear(struct amdgpu_bo *bo)
{
	struct vgpu *vg = vgpu_of(amdgpu_ttm_adev(bo->tbo.bdev));
	struct amdgpu_res_cursor c;
	u64 n;

	if (bo->tbo.resource->mem_type != TTM_PL_VRAM)
		return;		/* system pages come cleared from TTM */
	amdgpu_res_first(bo->tbo.resource, 0, amdgpu_bo_size(bo), &c);
	for (; c.remaining; amdgpu_res_next(&c, n)) {
		n = c.size;
		memset(vg->vram + c.start, 0, n);
	}
}

static void done(struct dma_fence **fence)
{
	if (fence)
		*fence = dma_fence_get_stub();
}

int vgpu_clear_buffer(struct amdgpu_ttm_buffer_entity *entity, struct amdgpu_bo *bo,
		      struct dma_resv *resv, struct dma_fence **fence,
		      bool consider_clear_status, u64 job_id)
{
	clear(bo);
	done(fence);
	return 0;
}

static void *mem_ptr(struct vgpu *vg, const struct amdgpu_copy_mem *m,
		     const struct amdgpu_res_cursor *c, u64 done)
{
	u64 at = m->offset + done;

	if (m->mem->mem_type == TTM_PL_VRAM)
		return vg->vram + c->start;
	return page_address(m->bo->ttm->pages[at >> PAGE_SHIFT]) + (at & ~PAGE_MASK);
}

int vgpu_copy_mem_to_mem(struct amdgpu_device *adev,
			 struct amdgpu_ttm_buffer_entity *entity,
			 const struct amdgpu_copy_mem *src,
			 const struct amdgpu_copy_mem *dst, u64 size, bool tmz,
			 struct dma_resv *resv, struct dma_fence **fence)
{
	struct vgpu *vg = vgpu_of(adev);
	struct amdgpu_res_cursor s, d;
	u64 n, at;

	if (resv)
		dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, false,
				      MAX_SCHEDULE_TIMEOUT);
	amdgpu_res_first(src->mem, src->offset, size, &s);
	amdgpu_res_first(dst->mem, dst->offset, size, &d);
	for (at = 0; s.remaining; at += n) {
		n = min(s.size, d.size);
		n = min(n, PAGE_SIZE - ((src->offset + at) & ~PAGE_MASK));
		n = min(n, PAGE_SIZE - ((dst->offset + at) & ~PAGE_MASK));
		memcpy(mem_ptr(vg, dst, &d, at), mem_ptr(vg, src, &s, at), n);
		amdgpu_res_next(&s, n);
		amdgpu_res_next(&d, n);
	}
	done(fence);
	return 0;
}
