/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the generations of GPUs that can be fabricated: one table
 * a graphics IP version, in gfx9.c and gfx11.c. Only these files, and the
 * firmware and MQD tables they point to, depend on versions.
 */
#ifndef VGPU_GENERATION_H
#define VGPU_GENERATION_H

#include <linux/types.h>

#define VGPU_SEGMENTS	8	/* of an IP's registers */

struct amdgpu_device;
struct vgpu_mqd_ops;
struct sim_profile;
struct vgpu;
struct vgpu_node;

/**
 * struct vgpu_firmware - the scheduler firmware of a node; device's lock held
 * @init: once, before anything else
 * @reset: the GPU was reset
 * @next: when it acts next, SIM_NEVER: not by itself
 * @step: do what is due at time @t
 * @owes: the driver waits for an answer
 * @preempted: the model has taken the stopped queues off, at time @t
 */
struct vgpu_firmware {
	void (*init)(struct vgpu_node *node);
	void (*reset)(struct vgpu_node *node);
	u64 (*next)(const struct vgpu_node *node);
	void (*step)(struct vgpu_node *node, u64 t);
	bool (*owes)(struct vgpu_node *node);
	void (*preempted)(struct vgpu_node *node, u64 t);
};

extern const struct vgpu_firmware vgpu_hws;	/* hiq.c */
extern const struct vgpu_firmware vgpu_mes;	/* mes_ring.c */

/**
 * struct vgpu_generation - one graphics IP version
 * @gfx: SIM_GFX() of the profiles it serves
 * @gc: IP_VERSION() of the graphics core, and so on: what discovery reports
 * @sdma: see @gc
 * @mmhub: see @gc
 * @family: AMDGPU_FAMILY_*, by which user space identifies it
 * @external_rev: the same, offset added to the revision
 * @gc_base: where the segments of the graphics core's registers begin, in dwords. One that
 *	lies beyond the registers there are (device.c) begins at 0.
 * @gb_addr_config: GB_ADDR_CONFIG: how the graphics core spreads addresses
 * @vram_type: AMDGPU_VRAM_TYPE_*
 * @vram_width: bits
 * @xgmi: it has links to other GPUs, and copy engines for them
 * @translate_further: 2 MiB directory entries may lead to smaller pages, see
 *	gpuvm.c
 * @gmc_funcs: symbol of amdgpu's memory controller table
 * @read_register: symbol of amdgpu's function that reads registers for user space
 * @doorbell_index: symbol of amdgpu's function that lays out the doorbells
 * @ih: layout of its interrupts
 * @mqd: layout of its compute MQDs
 * @firmware: the scheduler
 * @init_gfx: shader engines, compute pipes, caches
 * @start: make amdgpu start the scheduler, once memory works; NULL: amdkfd does
 * @stop: undo @start, also where it failed
 * @restart: the same after a reset
 */
struct vgpu_generation {
	u32 gfx;
	u32 gc;
	u32 sdma;
	u32 mmhub;
	u32 family;
	u32 external_rev;
	u32 gc_base[VGPU_SEGMENTS];
	u32 gb_addr_config;
	u32 vram_type;
	u32 vram_width;
	bool xgmi;
	bool translate_further;
	const char *gmc_funcs;
	const char *read_register;
	const char *doorbell_index;
	const struct vgpu_ih *ih;
	const struct vgpu_mqd_ops *mqd;
	const struct vgpu_firmware *firmware;
	void (*init_gfx)(struct amdgpu_device *adev, const struct sim_profile *p);
	int (*start)(struct vgpu *vg);
	void (*stop)(struct vgpu *vg);
	int (*restart)(struct vgpu *vg);
};

struct vgpu_ih;

extern const struct vgpu_ih vgpu_ih_gfx942;	/* interrupt.c */
extern const struct vgpu_ih vgpu_ih_gfx90a;
extern const struct vgpu_ih vgpu_ih_gfx11;

extern const struct vgpu_generation vgpu_gfx942;	/* gfx9.c: GC 9.4.3 */
extern const struct vgpu_generation vgpu_gfx90a;	/* gfx9.c: GC 9.4.2 */
extern const struct vgpu_generation vgpu_gfx1100;	/* gfx11.c: GC 11.0.0 */

/* The one of a profile, or NULL. */
const struct vgpu_generation *vgpu_generation_find(const struct sim_profile *p);

/*
 * For init_gfx: an XCC has @engines shader engines of @arrays shader arrays of
 * @cus compute units, of which those the profile has are on, evenly spread.
 */
void vgpu_init_cus(struct amdgpu_device *adev, const struct sim_profile *p,
		   u32 engines, u32 arrays, u32 cus);

#endif /* VGPU_GENERATION_H */
