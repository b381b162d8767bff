/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vgpu.ko: a software GPU beneath the real amdgpu driver. Test code.
 *
 * The production amdgpu.ko runs unchanged on a fabricated amdgpu_device; only
 * what would touch hardware is redirected to the model in sim/. Files:
 *
 *   main.c      module parameters, PCI driver
 *   device.c    the fields of the fabricated device
 *   bringup.c   the order in which amdgpu's own init functions are called
 *   tables.c    hardware access tables of amdgpu and amdkfd, replaced
 *   redirect.c  symbol lookup and redirection of amdgpu's functions
 *   memory.c    TTM's copies and fills, by CPU instead of SDMA
 *   engine.c    when the model runs: timers, doorbells, the lock
 *   hiq.c       the scheduler firmware: PM4 packets of the HIQ
 *   hqd.c       user queues between their MQD and the model
 *   aql.c       AQL packets and signals
 *   gpuvm.c     GPU addresses to memory, by the driver's own page tables
 *   stats.c     debugfs vgpu/stats
 *
 * Locks: vg->lock (raw, irqs off) protects the model and everything it owns.
 * The sched_switch probe runs under the runqueue lock and never takes it; so
 * interrupts to amdkfd, which wake a worker, may be raised under vg->lock.
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
#include "model.h"

#undef pr_fmt
#define pr_fmt(fmt) "vgpu: " fmt

#define VGPU_SLOTS	32	/* mapped queues; profile->hqds is the limit */
#define VGPU_RUNLIST	1024	/* queues of a runlist */
#define VGPU_OWNERS	64	/* address spaces with queues in the runlist */
#define VGPU_TLB	16

/*
 * What a doorbell holds between rings. Doorbells are write-only on hardware;
 * here they are memory, and this tells a ring of any value from none.
 */
#define VGPU_DOORBELL_QUIET	(~0ULL)

/**
 * struct vgpu_vm - a process's GPU address space, as one queue sees it
 * @pd: root of the page tables, from MAP_PROCESS
 * @epoch: vg->tlb_epoch at which @tlb was valid
 * @tlb: page number and kernel address of recently used pages
 */
struct vgpu_vm {
	u64 pd;
	u64 epoch;
	struct {
		u64 page;
		void *at;
	} tlb[VGPU_TLB];
};

/**
 * struct vgpu_entry - a queue of the runlist
 * @mqd: GART address
 * @pd: page tables of its process
 * @wptr: address of the write index
 * @mm: address space of its process; compared, never used
 * @pasid: process
 * @doorbell: dword offset in the doorbell BAR
 * @is_static: not subject to UNMAP of non-static queues
 */
struct vgpu_entry {
	u64 mqd;
	u64 pd;
	u64 wptr;
	const void *mm;
	u32 pasid;
	u32 doorbell;
	bool is_static;
};

/**
 * struct vgpu_queue - a user queue in a hardware slot
 * @sim: its part in the model
 * @entry: the runlist's
 * @vm: address space
 * @mqd: of the first XCC
 * @doorbell: the word that is rung
 * @ring: address of the packets
 * @packets: size of the ring
 * @rptr: address of the reported read index
 * @save: address of the save area's wave state (first XCC)
 * @save_bytes: its size
 * @read: index of the next packet
 * @write: write index when last looked at
 */
struct vgpu_queue {
	struct sim_queue sim;
	struct vgpu_entry entry;
	struct vgpu_vm vm;
	struct v9_mqd *mqd;
	u64 *doorbell;
	u64 ring;
	u64 packets;
	u64 rptr;
	u64 save;
	u32 save_bytes;
	u64 read;
	u64 write;
};

/**
 * struct vgpu_hiq - the ring between amdkfd and the scheduler firmware
 * @loaded: amdkfd has loaded its MQD
 * @base: GART address of the ring
 * @dwords: its size
 * @rptr: dword the firmware is at
 * @rptr_report: GART address where it says so
 * @doorbell: dword offset in the doorbell BAR
 * @at: when the firmware takes the next packet, SIM_NEVER: idle or unmapping
 * @unmapping: an UNMAP_QUEUES is under way
 * @hung: stopped answering (fault injection)
 * @iq_wait_time2: register that holds the grace period
 */
struct vgpu_hiq {
	bool loaded;
	u64 base;
	u32 dwords;
	u32 rptr;
	u64 rptr_report;
	u32 doorbell;
	u64 at;
	bool unmapping;
	bool hung;
	u32 iq_wait_time2;
};

/**
 * struct vgpu_stats - what the firmware was asked to do, and what went wrong
 * @set_resources: SET_RESOURCES packets
 * @unmap_queues: UNMAP_QUEUES packets
 * @run_list: RUN_LIST packets, the chaining ones not counted
 * @map_process: MAP_PROCESS packets
 * @map_queues: MAP_QUEUES packets
 * @query_status: QUERY_STATUS packets
 * @write_data: WRITE_DATA packets
 * @slices: quanta that ended in a rotation of an over-subscribed runlist
 * @interrupts: raised to amdkfd
 * @rings: user doorbells seen
 * @runs: times the model ran
 * @run_ns: guest time it took
 * @run_max_ns: longest of them
 * @tlb_flushes: by the driver
 * @resets: of the whole GPU
 * @bad_packets: PM4 or AQL the model does not know
 * @bad_runlists: RUN_LIST over mapped queues, or one that does not fit
 * @bad_queues: queues of a type the model lacks
 * @vm_faults: accesses to unmapped process memory
 * @gart_faults: the same of the driver's memory
 */
struct vgpu_stats {
	u64 set_resources;
	u64 unmap_queues;
	u64 run_list;
	u64 map_process;
	u64 map_queues;
	u64 query_status;
	u64 write_data;
	u64 slices;
	u64 interrupts;
	u64 rings;
	u64 runs;
	u64 run_ns;
	u64 run_max_ns;
	u64 tlb_flushes;
	u64 resets;
	u64 bad_packets;
	u64 bad_runlists;
	u64 bad_queues;
	u64 vm_faults;
	u64 gart_faults;
};

/**
 * struct vgpu_calls - amdgpu's functions the running model calls
 * @kgd2kfd_interrupt: entry of the interrupt ring to amdkfd
 * @kfd_lookup_process_by_pasid: takes a reference
 * @kfd_unref_process: drops it
 */
struct vgpu_calls {
	void (*kgd2kfd_interrupt)(struct kfd_dev *kfd, const void *entry);
	struct kfd_process *(*kfd_lookup_process_by_pasid)(u32 pasid);
	void (*kfd_unref_process)(struct kfd_process *p);
};

/**
 * struct vgpu - the device; all below @lock is protected by it
 * @adev: the fabricated amdgpu device
 * @profile: the GPU it stands for
 * @vram_size: bytes
 * @vram: CPU mapping of the VRAM aperture
 * @doorbells: CPU mapping of the doorbell aperture
 * @calls: see there
 * @kfd2kgd: amdkfd's table with our entries
 * @gmc_funcs: amdgpu's table with our entries
 * @lock: see the top of this file
 * @timer: set to the next event of the model
 * @timer_at: when that is, 0: just fired
 * @tlb_epoch: changes when the driver flushes the TLB
 * @hiq: the firmware's side of the HIQ
 * @gpu: the model
 * @slots: hardware queue slots; the first profile->hqds are used
 * @runlist: queues the firmware was told to run
 * @runlist_len: how many
 * @runlist_first: over-subscribed: first entry that is in a slot
 * @runlist_mapped: entries that are, from @runlist_first on
 * @slice_at: over-subscribed: end of the quantum, else SIM_NEVER
 * @owners: address spaces with mapped queues, read without the lock as a hint
 * @nr_owners: how many
 * @stats: see there
 */
struct vgpu {
	struct amdgpu_device *adev;
	const struct sim_profile *profile;
	u64 vram_size;
	void *vram;
	u8 __iomem *doorbells;
	struct vgpu_calls calls;
	struct kfd2kgd_calls kfd2kgd;
	struct amdgpu_gmc_funcs gmc_funcs;

	raw_spinlock_t lock;
	struct hrtimer timer;
	u64 timer_at;
	u64 tlb_epoch;
	struct vgpu_hiq hiq;
	struct sim_gpu gpu;
	struct vgpu_queue slots[VGPU_SLOTS];
	struct vgpu_entry runlist[VGPU_RUNLIST];
	u32 runlist_len;
	u32 runlist_first;
	u32 runlist_mapped;
	u64 slice_at;
	const void *owners[VGPU_OWNERS];
	u32 nr_owners;
	struct vgpu_stats stats;
};

/* There is one software GPU; redirected functions have no other way to it. */
extern struct vgpu *vgpu;

/* engine.c */
int vgpu_engine_init(struct vgpu *vg);
int vgpu_engine_start(struct vgpu *vg);
void vgpu_engine_stop(struct vgpu *vg);
void vgpu_engine_run(struct vgpu *vg);		/* vg->lock held */
void vgpu_engine_kick(struct vgpu *vg);		/* not held */
void vgpu_engine_owners_changed(struct vgpu *vg);

/* hiq.c */
void vgpu_hiq_load(struct vgpu *vg, const struct v9_mqd *mqd, u32 doorbell);
void vgpu_hiq_unload(struct vgpu *vg);
void vgpu_hiq_ring(struct vgpu *vg, u64 now);
void vgpu_hiq_step(struct vgpu *vg, u64 t);
void vgpu_hiq_preempted(struct vgpu *vg, u64 t);
u64 vgpu_hiq_next(const struct vgpu *vg);

/* hqd.c */
u64 vgpu_hqd_map(struct vgpu *vg, const struct vgpu_entry *e, u64 at);
void vgpu_hqd_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes);
bool vgpu_hqd_save(struct sim_queue *sim, u32 offset, const void *from, u32 n);
bool vgpu_hqd_load(struct sim_queue *sim, u32 offset, void *to, u32 n);
void vgpu_hqd_scan_doorbells(struct vgpu *vg);
bool vgpu_hqd_rung(const struct vgpu *vg, const void *mm);
void vgpu_hqd_occupancy(struct amdgpu_device *adev, struct kfd_cu_occupancy *occ,
			int *max_waves_per_cu, u32 inst);
void vgpu_hqd_fault(struct sim_queue *sim, const char *why);

static inline struct vgpu_queue *vgpu_queue(struct sim_queue *sim)
{
	return container_of(sim, struct vgpu_queue, sim);
}

/* aql.c */
enum sim_fetch vgpu_aql_fetch(struct sim_queue *sim, struct sim_dispatch *d);
bool vgpu_aql_consume(struct sim_queue *sim);
bool vgpu_aql_complete(struct sim_queue *sim, const struct sim_dispatch *d, u64 t);

/* gpuvm.c */
void *vgpu_gart_ptr(struct vgpu *vg, u64 addr);
void *vgpu_vm_ptr(struct vgpu_queue *q, u64 va, u32 bytes);
bool vgpu_vm_read(struct vgpu_queue *q, u64 va, void *to, u32 bytes);
bool vgpu_vm_write(struct vgpu_queue *q, u64 va, const void *from, u32 bytes);
void vgpu_tlb_flush(struct vgpu *vg);

/* device.c, bringup.c, tables.c */
int vgpu_device_fabricate(struct vgpu *vg);
void vgpu_device_release(struct vgpu *vg);
int vgpu_bringup(struct vgpu *vg);
int vgpu_tables_init(struct vgpu *vg);
void vgpu_tables_kfd(struct vgpu *vg);
u64 vgpu_gpu_clock(struct amdgpu_device *adev);
void vgpu_interrupt(struct vgpu *vg, u32 pasid, u32 context);

/* memory.c */
int vgpu_clear_buffer(struct amdgpu_bo *bo, struct dma_resv *resv,
		      struct dma_fence **fence);
int vgpu_fill_buffer(struct amdgpu_bo *bo, u32 value, struct dma_resv *resv,
		     struct dma_fence **fence, bool delayed, u64 job_id);
int vgpu_copy_mem_to_mem(struct amdgpu_device *adev,
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
void vgpu_stats_init(struct vgpu *vg);
void vgpu_stats_exit(void);

extern bool vgpu_hang;
extern int vgpu_verbose;

#define vgpu_dbg(fmt, ...) do {			\
	if (unlikely(vgpu_verbose))		\
		pr_info(fmt, ##__VA_ARGS__);	\
} while (0)

#endif /* VGPU_H */
