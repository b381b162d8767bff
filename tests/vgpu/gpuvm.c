// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPU addresses to memory: a walk of the page tables that the driver wrote.
 *
 * A large entry promises contiguous memory, not an aligned base: the driver
 * emits them for contiguous system pages at any physical address. So the page
 * is base + (va & mask); the base itself is never masked.
 *
 * Translations are cached per queue until the driver flushes the TLB. A flush
 * takes vg->lock, so it returns only when no access through an old translation
 * is under way, as the driver expects of the hardware.
 */
#include "vgpu.h"

#define VGPU_LEVELS	4
#define VGPU_PTE_ADDR	0x0000fffffffff000ULL

static void *vram_ptr(struct vgpu *vg, u64 offset)
{
	return offset < vg->vram_size ? vg->vram + offset : NULL;
}

static void *entry_ptr(struct vgpu *vg, u64 addr, bool system)
{
	if (!system)
		return vram_ptr(vg, addr);
	return pfn_valid(addr >> PAGE_SHIFT) ? phys_to_virt(addr) : NULL;
}

/* Kernel pointer for an address of the driver's own (VMID 0) address space. */
void *vgpu_gart_ptr(struct vgpu *vg, u64 addr)
{
	struct amdgpu_gmc *gmc = &vg->adev->gmc;
	void *page = NULL;
	u64 pte;

	addr &= gmc->mc_mask;
	if (addr >= gmc->vram_start && addr <= gmc->vram_end)
		return vram_ptr(vg, addr - gmc->vram_start);
	if (addr >= gmc->gart_start && addr <= gmc->gart_end) {
		pte = ((u64 *)vg->adev->gart.ptr)[(addr - gmc->gart_start) >> 12];
		if (pte & AMDGPU_PTE_VALID)
			page = entry_ptr(vg, pte & VGPU_PTE_ADDR,
					 pte & AMDGPU_PTE_SYSTEM);
	}
	if (!page) {
		vg->nodes[0].stats.gart_faults++;
		pr_err("no memory at GART address %llx\n", addr);
		return NULL;
	}
	return page + (addr & 0xfff);
}

/* Kernel pointer to the start of the 4 KiB page at @va, and its entry, or NULL. */
static void *walk(struct vgpu *vg, u64 pd, u64 va, u64 *pte)
{
	u64 entry = pd, addr;
	u32 level = VGPU_LEVELS, shift;
	u64 *table;

	do {
		level--;
		shift = 12 + 9 * level;
		table = entry_ptr(vg, entry & VGPU_PTE_ADDR,
				  entry & AMDGPU_PTE_SYSTEM);
		if (!table)
			return NULL;
		entry = READ_ONCE(table[(va >> shift) & 511]);
		if (!(entry & AMDGPU_PTE_VALID))
			return NULL;
		if (entry & AMDGPU_PDE_PTE)
			break;
		/* the last directory maps 2 MiB itself unless its entry is marked further */
		if (level == 1 && vg->adev->gmc.translate_further &&
		    !(entry & AMDGPU_PTE_TF))
			break;
	} while (level);

	*pte = entry;
	addr = (entry & VGPU_PTE_ADDR) + (va & (BIT_ULL(shift) - 1) & PAGE_MASK);
	return entry_ptr(vg, addr, entry & AMDGPU_PTE_SYSTEM);
}

/* Memory of a page, if it exists and its entry allows this access. */
static void *page_ptr(struct vgpu_queue *q, u64 page, bool write, bool *present)
{
	u64 needs = write ? AMDGPU_PTE_WRITEABLE : AMDGPU_PTE_READABLE;
	struct vgpu *vg = q->node->vg;
	struct vgpu_vm *vm = &q->vm;
	u32 i = page % VGPU_TLB;

	if (vm->epoch != vg->tlb_epoch) {
		memset(vm->tlb, 0, sizeof(vm->tlb));
		vm->epoch = vg->tlb_epoch;
	}
	if (vm->tlb[i].page != page || !vm->tlb[i].at) {
		vm->tlb[i].at = walk(vg, vm->pd, page << 12, &vm->tlb[i].pte);
		vm->tlb[i].page = page;
	}
	*present = vm->tlb[i].at;
	return vm->tlb[i].at && vm->tlb[i].pte & needs ? vm->tlb[i].at : NULL;
}

/* Report the fault to amdkfd, which evicts the process's queues and notifies it. */
static void *vm_fault(struct vgpu_queue *q, u64 va, bool write, bool present)
{
	const char *what = "no memory at";

	if (present)
		what = write ? "not writable" : "not readable";
	q->vm.fault = true;
	q->node->stats.vm_faults++;
	sim_queue_blame(&q->sim, what, va);
	vgpu_interrupt_fault(q, va, write, present);
	return NULL;
}

/* ops->memory: pointer to @bytes at @va, which do not cross a page. */
void *vgpu_vm_memory(struct sim_queue *sim, u64 va, u32 bytes, bool write)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	u32 offset = va & 0xfff;
	bool present = false;
	void *page = NULL;

	va &= q->node->vg->adev->gmc.mc_mask;
	if (!WARN_ON_ONCE(offset + bytes > 4096))
		page = page_ptr(q, va >> 12, write, &present);
	return page ? page + offset : vm_fault(q, va, write, present);
}

/* ops->peek: the same for reading memory that may not exist. */
const void *vgpu_vm_peek(struct sim_queue *sim, u64 va, u32 bytes)
{
	struct vgpu_queue *q = vgpu_queue(sim);
	u32 offset = va & 0xfff;
	const void *page = NULL;
	bool present;

	va &= q->node->vg->adev->gmc.mc_mask;
	if (!WARN_ON_ONCE(offset + bytes > 4096))
		page = page_ptr(q, va >> 12, false, &present);
	return page ? page + offset : NULL;
}

void vgpu_tlb_flush(struct vgpu *vg)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vg->lock, flags);
	vg->tlb_epoch++;
	vg->nodes[0].stats.tlb_flushes++;
	raw_spin_unlock_irqrestore(&vg->lock, flags);
}
