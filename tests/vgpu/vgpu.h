/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vgpu.ko: a software GPU beneath the real amdgpu driver. Test code.
 *
 * The production amdgpu.ko runs unchanged on a fabricated amdgpu_device; only
 * accesses to hardware are redirected to the model in sim/model. Files:
 *
 *   main.c      module parameters, PCI driver
 *   device.c    the fields of the fabricated device
 *   generation.h  what differs between generations of GPUs: gfx9.c, gfx11.c
 *   bringup.c   the order in which amdgpu's own init functions are called
 *   partition.c compute partitions: one node or several
 *   hive.c      GPUs that are reset together
 *   tables.c    hardware access tables of amdgpu and amdkfd, replaced
 *   redirect.c  symbol lookup and redirection of amdgpu's functions
 *   memory.c    TTM's copies and fills, by CPU instead of SDMA
 *   engine.c    when the model runs: timers, doorbells, the lock
 *   node.h      a partition of the GPU, and its parts
 *   hiq.c       the firmware that reads runlists (sim/model/firmware/hws.c), and the HIQ
 *   mes_ring.c  the firmware that takes calls (sim/model/firmware/mes.c), and its ring
 *   hqd.c       user queues between their MQD and the model
 *   mqd_v9.c    layout of compute MQDs; of another generation: mqd_v11.c
 *   fault.c     faults on demand; fault_file.c: debugfs vgpu/fault
 *   hqd_dump.c  registers of the slots, for debugfs and queue resets
 *   mqd_sdma.c  SDMA queues between their MQD and the model
 *   interrupt.c entries of the interrupt ring
 *   gpuvm.c     GPU addresses to memory, by the driver's own page tables
 *   kernels.c   the kernel of a dispatch
 *   stats.c     debugfs vgpu/stats
 *   compat.h    differences between kernels
 *   clock.c     debugfs vgpu/clock: the GPU's part of the guest's time
 *   power.c     system sleep and runtime PM
 *   trace.c     tracepoints vgpu:* (vgpu_trace.h)
 *
 * Locks: vg->lock (raw, irqs off), one a GPU and never two at a time, protects
 * its nodes and all they own. The sched_switch probe runs under the runqueue
 * lock and never takes it; so interrupts to amdkfd, which wake a worker, may
 * be raised under vg->lock.
 */
#ifndef VGPU_H
#define VGPU_H

#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/spinlock.h>

#include "kfd_priv.h"
#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "v9_structs.h"
#include "v11_structs.h"
#include "generation.h"
#include "node.h"

#undef pr_fmt
#define pr_fmt(fmt) "vgpu: " fmt

#define VGPU_DEVICES	8	/* GPUs */
#define VGPU_NODES	8	/* partitions of one */
#define VGPU_IH_DWORDS	8	/* of an interrupt */
#define VGPU_INTERRUPTS	256	/* on their way; a power of two */
#define VGPU_OWNERS	64	/* address spaces with queues in the runlist */

/**
 * struct vgpu_calls - amdgpu's functions the running model calls
 * @kgd2kfd_interrupt: entry of the interrupt ring to amdkfd
 * @kfd_lookup_process_by_pasid: takes a reference
 * @kfd_unref_process: drops it
 */
struct vgpu_calls {
	void (*kgd2kfd_interrupt)(struct kfd_dev *kfd, const void *entry);
	typeof(&kfd_lookup_process_by_pasid) kfd_lookup_process_by_pasid;
	void (*kfd_unref_process)(struct kfd_process *p);
};

/**
 * struct vgpu_clock - guest time that is the GPU's, not the software's
 * @ns: total, up to @until
 * @until: end of the last period counted
 * @owed_since: the driver waits for the firmware since then; 0: it does not
 * @saves: preemptions that were over when the model ran last
 * @quiet: when the last of them was seen to be over
 * @quiet_gpu: the total until then
 */
struct vgpu_clock {
	u64 ns;
	u64 until;
	u64 owed_since;
	u64 saves;
	u64 quiet;
	u64 quiet_gpu;
};

/**
 * struct vgpu_interrupt - an interrupt on its way
 * @at: when it arrives
 * @entry: of the ring
 */
struct vgpu_interrupt {
	u64 at;
	u32 entry[VGPU_IH_DWORDS];
};

/**
 * struct vgpu_interrupts - those on their way; when there are too many, the first arrives early
 * @first: number of the first
 * @last: number after the last
 * @waiting: by number
 */
struct vgpu_interrupts {
	u32 first;
	u32 last;
	struct vgpu_interrupt waiting[VGPU_INTERRUPTS];
};

/**
 * struct vgpu - a GPU; all below @lock is protected by it
 * @adev: the fabricated amdgpu device
 * @index: of vgpu_devices
 * @profile: the GPU that it represents
 * @gen: its generation
 * @part: the part of @profile that each node has
 * @partition_mode: AMDGPU_SPX_PARTITION_MODE...
 * @vram_size: bytes
 * @vram: CPU mapping of the VRAM aperture
 * @doorbells: CPU mapping of the doorbell aperture
 * @kfd2kgd: amdkfd's table with our entries
 * @gmc_funcs: amdgpu's table with our entries
 * @asic_funcs: ours, with an entry of amdgpu's
 * @sched: scheduler of jobs, which amdgpu requires; there are no jobs
 * @lock: see the top of this file
 * @timer: set to the next event of the model
 * @timer_at: when that is, 0: just fired
 * @due: runs the model when @timer has fired
 * @behind: the model is late, see engine.c
 * @clock: see there
 * @interrupts: that have not arrived yet
 * @tlb_epoch: changes when the driver flushes the TLB
 * @owners: address spaces with mapped queues, read without the lock as a hint
 * @nr_owners: how many
 * @nodes: its partitions
 * @nr_nodes: how many
 */
struct vgpu {
	struct amdgpu_device *adev;
	u32 index;
	const struct sim_profile *profile;
	const struct vgpu_generation *gen;
	struct sim_profile part;
	int partition_mode;
	u64 vram_size;
	void *vram;
	u8 __iomem *doorbells;
	struct kfd2kgd_calls kfd2kgd;
	struct amdgpu_gmc_funcs gmc_funcs;
	struct amdgpu_asic_funcs asic_funcs;
	struct drm_gpu_scheduler sched;

	raw_spinlock_t lock;
	struct hrtimer timer;
	u64 timer_at;
	struct irq_work due;
	bool behind;
	struct vgpu_clock clock;
	struct vgpu_interrupts interrupts;
	u64 tlb_epoch;
	const void *owners[VGPU_OWNERS];
	u32 nr_owners;
	struct vgpu_node *nodes;
	u32 nr_nodes;
};

/*
 * All GPUs, with gaps. Redirected functions find theirs here. Preemptible code
 * may use an entry only while the driver uses the GPU, which keeps the entry.
 */
extern struct vgpu *vgpu_devices[VGPU_DEVICES];
extern struct vgpu_calls vgpu_calls;

#define vgpu_for_each(vg, i)						\
	for ((i) = 0; (i) < VGPU_DEVICES; (i)++)			\
		if (!((vg) = READ_ONCE(vgpu_devices[i]))) {} else

/* The GPU of an amdgpu device, or of an address in a doorbell aperture. */
struct vgpu *vgpu_of(const struct amdgpu_device *adev);
struct vgpu *vgpu_of_doorbell(const void __iomem *db);

/* partition.c */
int vgpu_partition_mode(const char *name);
int vgpu_partition_create(struct vgpu *vg, int mode);
void vgpu_partition_costs(struct vgpu *vg);	/* vg->lock held */
void vgpu_partition_destroy(struct vgpu *vg);
int vgpu_partition_init(struct vgpu *vg);
void vgpu_partition_fini(struct vgpu *vg);
int vgpu_partition_register(struct vgpu *vg);
void vgpu_partition_unregister(struct vgpu *vg);

/* The node an XCC belongs to. */
struct vgpu_node *vgpu_node_of_xcc(struct vgpu *vg, u32 xcc);

/*
 * hive.c: its reset domain, its own or the hive's; it can be reset with others, or no more; the
 * GPUs that are reset with it, itself the first: how many, which stays so until vgpu_hive_unlock().
 */
bool vgpu_hive_fits(const struct vgpu_generation *gen);
int vgpu_hive_take_domain(struct vgpu *vg);
void vgpu_hive_drop_domain(struct vgpu *vg);
void vgpu_hive_join(struct vgpu *vg);
void vgpu_hive_leave(struct vgpu *vg);
u32 vgpu_hive_lock(struct vgpu *vg, struct vgpu *gpus[VGPU_DEVICES]);
void vgpu_hive_unlock(struct vgpu *vg);

/* main.c: nothing uses it any more */
void vgpu_free(struct vgpu *vg);

/* main.c: of all GPUs; "name": all costs, those of that profile. 0, or an error. */
int vgpu_set_cost(const char *name, const char *value);

/* engine.c */
int vgpu_engine_init(void);			/* once, before any device */
int vgpu_engine_start(void);
void vgpu_engine_stop(void);
int vgpu_engine_add(struct vgpu *vg);		/* a device */
void vgpu_engine_remove(struct vgpu *vg);
void vgpu_engine_run(struct vgpu *vg);		/* vg->lock held */
void vgpu_engine_kick(struct vgpu *vg);		/* not held */
void vgpu_engine_owners_changed(struct vgpu *vg);

/* interrupt.c, vg->lock held: those on their way */
u64 vgpu_interrupt_next(const struct vgpu *vg);		/* when one arrives, SIM_NEVER: none */
void vgpu_interrupt_deliver(struct vgpu *vg, u64 now);	/* what has arrived */

/* gpuvm.c */
void *vgpu_gart_ptr(struct vgpu *vg, u64 addr);
void vgpu_tlb_flush(struct vgpu *vg);

/* device.c, bringup.c, tables.c */
int vgpu_device_fabricate(struct vgpu *vg);
void vgpu_device_release(struct vgpu *vg);
int vgpu_bringup(struct vgpu *vg);
int vgpu_kfd_init(struct vgpu *vg);
void vgpu_unplug(struct vgpu *vg);
int vgpu_tables_find_calls(void);
int vgpu_tables_init(struct vgpu *vg);
void vgpu_tables_kfd(struct vgpu *vg);
void vgpu_hqd_tables(struct vgpu *vg, struct kfd2kgd_calls *t);	/* hqd_dump.c */
u64 vgpu_gpu_clock(struct amdgpu_device *adev);

/* mes_ring.c: amdgpu's side of MES */
void vgpu_mes_load(struct vgpu *vg, const struct v11_compute_mqd *mqd);
void vgpu_mes_unload(struct vgpu *vg);
void vgpu_mes_ring(struct vgpu *vg);
int vgpu_mes_create(struct vgpu *vg);
void vgpu_mes_destroy(struct vgpu *vg);

/* memory.c */
struct amdgpu_ttm_buffer_entity;
int vgpu_clear_buffer(struct amdgpu_ttm_buffer_entity *entity, struct amdgpu_bo *bo,
		      struct dma_resv *resv, struct dma_fence **fence,
		      bool consider_clear_status, u64 job_id);
int vgpu_copy_mem_to_mem(struct amdgpu_device *adev,
			 struct amdgpu_ttm_buffer_entity *entity,
			 const struct amdgpu_copy_mem *src,
			 const struct amdgpu_copy_mem *dst, u64 size, bool tmz,
			 struct dma_resv *resv, struct dma_fence **fence);

/* redirect.c */
int vgpu_symbols_init(void);
void *vgpu_symbol(const char *name);
int vgpu_redirect_install(void);
void vgpu_redirect_remove(void);

/* Call one of amdgpu's own functions by name. Slow: not for hot paths. */
#define vgpu_call(fn, ...) (((typeof(&fn))vgpu_symbol(#fn))(__VA_ARGS__))

/* stats.c */
void vgpu_stats_init(const struct sim_profile *p);
void vgpu_stats_exit(void);
void vgpu_stats_add(struct vgpu *vg);
void vgpu_stats_remove(struct vgpu *vg);

/* power.c */
extern const struct dev_pm_ops vgpu_pm_ops;
void vgpu_power_init(struct vgpu *vg);
void vgpu_power_fini(struct vgpu *vg);

/* clock.c: the model ran since @from, and may have answered the driver; the lock is held */
void vgpu_clock_ran(struct vgpu *vg, u64 from);
void vgpu_clock_interrupt(void);
/* begin and end of what the model does at a context switch */
u64 vgpu_clock_switch(void);
void vgpu_clock_switched(u64 from, bool to_idle);
void vgpu_clock_stop(void);
u64 vgpu_clock_gpu(void);
void vgpu_clock_init(struct dentry *dir);

extern int vgpu_verbose;
extern uint vgpu_time_unknown;

#define vgpu_dbg(fmt, ...) do {			\
	if (unlikely(vgpu_verbose))		\
		pr_info(fmt, ##__VA_ARGS__);	\
} while (0)

#include "compat.h"

#endif /* VGPU_H */
