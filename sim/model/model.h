/* SPDX-License-Identifier: MIT */
/*
 * Model of the compute side of an AMD GPU: user queues, dispatches, waves and
 * the context save. Plain C without allocation, locks or a clock of its own,
 * so that one source serves the guest module and a user-space program.
 *
 * Glossary
 *   dispatch   one AQL kernel dispatch packet, or a packet without waves
 *   workgroup  the unit of launching; all its waves sit on one compute unit
 *   cohort     workgroups of one dispatch that began at the same instant and
 *              therefore end at the same instant: one event, however many
 *   parked     a cohort whose waves were saved and are not resident yet
 *   image      what a save writes to the queue's save area
 *
 * Time is in nanoseconds on whatever clock the caller uses. The model works on
 * event times, not on the time at which it is called: a caller that arrives
 * late finds everything stamped with the moment it happened.
 *
 * Invariants
 *   - a workgroup runs to its end exactly once; a save stops its clock and a
 *     restore starts it with what was left;
 *   - workgroups of a queue are launched in the order of its packets;
 *   - launching never stops a running workgroup. Only a preemption does.
 *
 * Approximations, all on purpose: the compute units of an XCC are one pool, and
 * a workgroup takes its share of the pool's wave slots, registers and LDS
 * without regard to which compute unit has them free. (How many workgroups of
 * one kind fit is computed per compute unit.) Each XCC has an equal part of a
 * dispatch, as the hardware deals workgroups out in turn; here the ids of a part
 * follow each other. Memory bandwidth and caches are not modelled: a workgroup
 * takes as long as its kernel says.
 *
 * Floors: each is a directory, and uses this one and those named.
 *
 *   (here)    what all share, and programs with kernels for the model, too
 *   profile   GPUs, each by its numbers
 *   gpu       the GPU without its firmware: queues, packets, waves, copy
 *             engines, preemptions, and what they cost
 *   native    kernels of real code objects: gpu
 *   firmware  which queues are in hardware slots, by HWS or MES: gpu, profile
 *
 * Files of a floor do not use each other in circles. In gpu, from the top down: gpu.c advances
 * time; queue.c and sdma.c process packets; preempt.c takes queues off; halt.c stops one; wave.c
 * places workgroups; due.c says when a queue is looked at again.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "types.h"

#define SIM_NEVER	(~0ULL)

/* Bounds of the fixed arrays; no real configuration comes near them. */
#define SIM_MAX_QUEUES	192
#define SIM_MAX_SDMA	16
#define SIM_MAX_COHORTS	8192
#define SIM_MAX_XCCS	8
#define SIM_MAX_PIPES	4

/* Dispatches of one queue the command processor keeps in flight. Assumed. */
#define SIM_INFLIGHT	4

/* Words of a dispatch for its kernel only; saved with it. */
#define SIM_COOKIES	6

/* Pipe priorities, and with the levels of MES above them. */
#define SIM_PIPE_PRIORITIES	3
#define SIM_PRIORITIES		(5 * SIM_PIPE_PRIORITIES)

/* IP versions, as amdgpu writes them. */
#define SIM_GFX(major, minor, rev)	((major) << 16 | (minor) << 8 | (rev))

/* What a hardware queue slot can run. */
enum sim_queue_type {
	SIM_QUEUE_COMPUTE,	/* AQL packets; embed struct sim_aql */
	SIM_QUEUE_SDMA,		/* copy engine; embed struct sim_sdma */
	SIM_QUEUE_TYPES,
};

/* A workgroup computes at most this long (13 days): sums do not overflow. */
#define SIM_MAX_WORKGROUP_NS	(1ULL << 50)

/* Which firmware maps the queues. */
enum sim_scheduler {
	SIM_SCHEDULER_HWS,	/* runlists, through the HIQ */
	SIM_SCHEDULER_MES,	/* one call a queue */
};

/**
 * struct sim_profile - one GPU; every value has its source where it is set
 * @name: name that users give
 * @gfx: IP version of the graphics core, SIM_GFX()
 * @scheduler: which firmware maps the queues
 * @xccs: compute dies that work as one
 * @cus: compute units of all XCCs together
 * @shader_engines: of an XCC
 * @simds_per_cu: SIMD units in a compute unit
 * @waves_per_simd: wave slots of a SIMD unit
 * @vgprs_per_simd: vector registers a lane can use, all waves of a SIMD together
 * @vgprs_per_wave: of them, at most
 * @vgpr_granule: they are handed out in multiples of this
 * @wave_lanes: lanes of a wave
 * @lds_per_cu: bytes
 * @hqds: hardware queue slots for user compute queues, per XCC
 * @pipes: of the compute engine that has these slots
 * @vmids: processes that can be mapped at a time
 * @sdma_engines: copy engines
 * @sdma_queues: user queues each of them has room for
 * @sdma_bytes_per_us: copy rate of one engine
 * @sdma_packet_ns: time of a packet in addition
 * @clock_mhz: shader clock; the unit of the grace period derives from it
 * @ticks_mhz: clock of the time stamps
 * @grace_default: SCH_WAVE after reset, units of 1000 clocks
 * @mec_fw_version: version of the compute firmware
 * @grace_zero_is_endless_below: firmware older than this takes a grace of 0
 *	for no limit; 0: none does
 * @process_quantum_ns: of a process, when there are more than VMIDs or slots
 * @queue_quantum_ns: of a queue, when its process alone has more than slots, and of
 *	queues that share a pipe
 * @packet_ns: from a packet's fetch to its first wave
 * @hiq_packet_ns: firmware's time for a packet of the HIQ
 * @map_queue_ns: firmware's time to load one MQD into its slots
 * @unmap_queue_ns: firmware's time to dequeue one queue
 * @save_ns: part of a context save that does not depend on its size
 * @restore_ns: the same of a restore
 * @save_bytes_per_us: rate at which wave state is written and read
 * @wave_state_bytes: scalar registers and hardware state of a wave
 *	What follows is not known of any GPU: 0, without effect, unless a profile
 *	has a reason for another value.
 * @firmware_spread: each time of the firmware (hiq_packet_ns, map_queue_ns,
 *	unmap_queue_ns, save_ns, restore_ns) is up to this much more or less, per mille
 * @firmware_late_pm: so many of a thousand preemptions ...
 * @firmware_late_ns: ... take this much longer
 * @packet_jitter_ns: a packet takes up to this much longer to its first wave
 * @workgroup_spread: workgroups of every kernel take up to this much more or less,
 *	per mille, if the kernel itself does not ask for more
 * @cold_ns: TLB and caches are cold after a switch: the first workgroup in each slot
 *	takes this much longer, of every queue that is mapped, and what runs on meanwhile
 * @register_ns: an access to a register, over PCIe: charged to whoever counts waves
 * @runlist_entry_ns: to fetch and read a process or a queue of a runlist, before it is mapped
 * @xcc_ns: to hand a packet of the HIQ on to another XCC, and wait for its answer
 * @sdma_whole_packets: 1: a preemption waits for the packets in flight; 0: for their chunks
 * @sdma_bus_bytes_per_us: what all copy engines together can move; 0: no limit
 * @contention_pm: workgroups that begin beside the waves of other queues take up to this
 *	much longer, per mille, in proportion to the slots that these have
 * @idle_process_pm: workgroups that begin while another process is on the hardware without
 *	work, one or more of them, take this much longer, per mille
 * @clock_ramp_pm: workgroups that begin after an idle time take this much longer at
 *	first, per mille, ...
 * @clock_ramp_ns: ... and nothing more after this time
 * @interrupt_ns: from an event to the driver's handler: charged where it is delivered
 */
struct sim_profile {
	const char *name;
	u32 gfx;
	enum sim_scheduler scheduler;
	u32 xccs;
	u32 cus;
	u32 shader_engines;
	u32 simds_per_cu;
	u32 waves_per_simd;
	u32 vgprs_per_simd;
	u32 vgprs_per_wave;
	u32 vgpr_granule;
	u32 wave_lanes;
	u32 lds_per_cu;
	u32 hqds;
	u32 pipes;
	u32 vmids;
	u32 sdma_engines;
	u32 sdma_queues;
	u32 sdma_bytes_per_us;
	u32 sdma_packet_ns;
	u32 clock_mhz;
	u32 ticks_mhz;
	u32 grace_default;
	u32 mec_fw_version;
	u32 grace_zero_is_endless_below;
	u64 process_quantum_ns;
	u64 queue_quantum_ns;
	u32 packet_ns;
	u32 hiq_packet_ns;
	u32 map_queue_ns;
	u32 unmap_queue_ns;
	u32 save_ns;
	u32 restore_ns;
	u32 save_bytes_per_us;
	u32 wave_state_bytes;
	u32 firmware_spread;
	u32 firmware_late_pm;
	u32 firmware_late_ns;
	u32 packet_jitter_ns;
	u32 workgroup_spread;
	u32 cold_ns;
	u32 register_ns;
	u32 interrupt_ns;
	u32 runlist_entry_ns;
	u32 xcc_ns;
	u32 sdma_whole_packets;
	u32 sdma_bus_bytes_per_us;
	u32 contention_pm;
	u32 idle_process_pm;
	u32 clock_ramp_pm;
	u32 clock_ramp_ns;
};

extern const struct sim_profile sim_profile_mi308x;
extern const struct sim_profile sim_profile_mi308x_field;
extern const struct sim_profile sim_profile_mi300x;
extern const struct sim_profile sim_profile_mi250;
extern const struct sim_profile sim_profile_gfx11;

/* The profile of that name, or NULL. */
const struct sim_profile *sim_profile_find(const char *name);

/* Enumerate them: NULL after the last. */
const struct sim_profile *sim_profile_at(u32 index);

/*
 * One of @parts equal compute partitions of that GPU (parts = XCCs: CPX mode).
 * False, with nothing written, if it cannot be divided so.
 */
bool sim_profile_partition(const struct sim_profile *p, u32 parts,
			   struct sim_profile *out);

/**
 * struct sim_parameter - a number in a profile
 * @name: of the field
 * @offset: in struct sim_profile
 * @bytes: of the field, 4 or 8
 * @chip: what the GPU is made of; else what something costs
 * @min: least value that makes sense
 * @max: most
 */
struct sim_parameter {
	const char *name;
	u16 offset;
	u8 bytes;
	bool chip;
	u32 min;
	u32 max;
};

/* parameter.c: all but name, gfx and scheduler. NULL after the last; NULL: no such name. */
const struct sim_parameter *sim_parameter_at(u32 index);
const struct sim_parameter *sim_parameter_find(const char *name);

u64 sim_parameter_get(const struct sim_profile *p, const struct sim_parameter *parameter);

/* False, with nothing changed: @value is out of bounds. */
bool sim_parameter_set(struct sim_profile *p, const struct sim_parameter *parameter, u64 value);

/* Time SCH_WAVE = @units gives running waves; SIM_NEVER: no limit. */
u64 sim_grace_ns(const struct sim_profile *p, u32 units);

/**
 * struct sim_cohort - consecutive workgroups with a common end
 * @next: next of the dispatch's list, or of the free list
 * @prev: running: the one that ends before, or NULL
 * @first: id of the first workgroup in the grid
 * @workgroups: how many
 * @end: running: when they end. Parked: how long they still have to run.
 * @xcc: where they are
 */
struct sim_cohort {
	struct sim_cohort *next;
	struct sim_cohort *prev;
	u32 xcc;
	u32 first;
	u32 workgroups;
	u64 end;
};

/**
 * struct sim_part - what an XCC has of a dispatch
 * @first: id of its first workgroup
 * @workgroups: how many are its
 * @begun: workgroups that have begun
 * @resident: workgroups on its compute units now
 * @parked_count: workgroups waiting to come back ...
 * @parked: ... in these cohorts, lowest ids first
 * @ended: workgroups that have ended and are not carried out yet, lowest ids first
 */
struct sim_part {
	u32 first;
	u32 workgroups;
	u32 begun;
	u32 resident;
	u32 parked_count;
	struct sim_cohort *parked;
	struct sim_cohort *ended;
};

/**
 * struct sim_slots - what workgroups take
 * @waves: wave slots
 * @vgprs: registers, summed over SIMDs
 * @lds: bytes
 */
struct sim_slots {
	u32 waves;
	u32 vgprs;
	u32 lds;
};

/**
 * struct sim_dispatch - one packet between its fetch and its completion
 * @workgroups: 0 for a packet without waves
 * @waves: of a workgroup
 * @vgprs: per lane
 * @lds_bytes: of a workgroup
 * @workgroup_ns: how long a workgroup computes
 * @spread: workgroups take up to this much more or less, per mille; in blocks
 *	of half of what fits on an XCC, so that there are not too many events
 * @late: ops->retired is not called for each cohort, but for many workgroups at once, at the
 *	latest when the dispatch is complete or is saved
 * @barrier: waits until every earlier packet of the queue has completed
 * @signal: address of the completion signal, or 0
 * @cookie: data of the kernel
 * @launched: workgroups that have begun
 * @finished: workgroups that have ended
 * @resident: workgroups on the compute units now
 * @saves: times waves of this dispatch were saved
 * @start_ns: when the first workgroup began, or the packet was processed
 * @running: cohorts on the compute units, earliest end first
 * @last: the last of them, if there are any
 * @parts: of the XCCs
 * @vgprs_each: that all lanes of a workgroup take of a SIMD unit's registers
 * @capacity: workgroups the empty GPU could hold
 * @block: most workgroups that take the same time, all of them without a spread
 */
struct sim_dispatch {
	u32 workgroups;
	u32 waves;
	u32 vgprs;
	u32 lds_bytes;
	u64 workgroup_ns;
	u32 spread;
	bool late;
	bool barrier;
	u64 signal;
	u64 cookie[SIM_COOKIES];

	u32 launched;
	u32 finished;
	u32 resident;
	u32 saves;
	u64 start_ns;
	struct sim_cohort *running;
	struct sim_cohort *last;
	struct sim_part parts[SIM_MAX_XCCS];
	u32 vgprs_each;
	u32 capacity;
	u32 block;
};

/*
 * Life of a queue. OFF -> LOADING by sim_queue_map; LOADING -> ON when its
 * MQD is in the slots and its waves are restored; ON or LOADING -> STOPPING by
 * sim_queue_stop; STOPPING -> OFF when the preemption that covers it ends.
 * FAULTED replaces ON when its memory or packets are invalid: nothing more is
 * fetched or launched, and it can still be stopped.
 */
enum sim_queue_state {
	SIM_QUEUE_OFF,
	SIM_QUEUE_LOADING,
	SIM_QUEUE_ON,
	SIM_QUEUE_FAULTED,
	SIM_QUEUE_STOPPING,
};

/**
 * struct sim_queue - a user queue in a hardware slot; embed it
 * @type: what kind of packets it has. This, @priority, @queue_priority, @vmid, @save_va,
 *	@save_bytes, @cus, @halted are set by the caller before sim_queue_map(), the
 *	rest by the model.
 * @priority: below SIM_PRIORITIES, more is launched first. HWS: pipe priority,
 *	0 low, 1 medium, 2 high. MES: sim_mes_launch_priority().
 * @queue_priority: 0 to 15, more has the pipe first
 * @vmid: of its process, below 16
 * @id: unique number in the GPU; an image is valid only for the queue that
 *	wrote it
 * @save_va: where its process wants the context image
 * @save_bytes: room there
 * @cus: compute units it may use, 0: all
 * @halted: in: it was halted before, and stays so. Out: it is halted.
 * @gpu: where it is mapped
 * @index: its place in the GPU's array of queues
 * @state: see enum sim_queue_state
 * @rung: there may be packets to fetch
 * @blocked: the packet at the head waits for a signal
 * @has_next: @next was fetched and is not consumed yet
 * @next: packet being processed
 * @next_at: when @next is processed, SIM_NEVER while it waits for a barrier
 * @ready_at: LOADING: when it becomes ON
 * @inflight: dispatches launched or launching, oldest first
 * @count: how many
 * @waves: resident now
 * @used: what they take, on each XCC
 * @pipe: which one it is on
 * @cold: wave slots whose next workgroup finds TLB and caches cold
 * @fresh: it has had no wave since it was mapped
 * @blame: why it was halted, or NULL
 * @blame_value: packet, address, ... of @blame
 */
struct sim_queue {
	enum sim_queue_type type;
	u32 priority;
	u32 queue_priority;
	u32 vmid;
	u64 id;
	u64 save_va;
	u32 save_bytes;
	u32 cus;
	bool halted;

	struct sim_gpu *gpu;
	u32 index;
	enum sim_queue_state state;
	bool rung;
	bool blocked;
	bool has_next;
	struct sim_dispatch next;
	u64 next_at;
	u64 ready_at;
	struct sim_dispatch inflight[SIM_INFLIGHT];
	u32 count;
	u32 waves;
	struct sim_slots used[SIM_MAX_XCCS];
	u32 pipe;
	u32 cold;
	bool fresh;
	const char *blame;
	u64 blame_value;
};

enum sim_fetch {
	SIM_FETCH_EMPTY,	/* no packet: wait for the next ring */
	SIM_FETCH_PACKET,	/* filled in */
	SIM_FETCH_BLOCKED,	/* a packet whose signals are not there yet */
	SIM_FETCH_FAULT,	/* unreadable or unknown: the queue halts */
};

struct sim_aql_dispatch;

/**
 * struct sim_ops - what the model asks of its surroundings
 * @memory: @bytes of the process's memory at @va, which do not cross a 4 KiB
 *	page. NULL: VM fault, which the callback has reported.
 * @peek: the same for reading memory that may not exist: then NULL without a
 *	fault. Only native/code_object.c calls it; may be NULL without that.
 * @interrupt: end-of-pipe or trap interrupt with an event id
 * @ticks: GPU clock at time @t_ns, for time stamps
 * @kernel: fill in the costs of a dispatch's kernel (registers, LDS, time) and
 *	its cookies; grid and signal are already set. False: unknown kernel.
 * @retired: workgroups [first, first + n) of @d have ended. False: fault.
 * @completed: all workgroups of @d have ended. False: fault.
 *	If @kernel, @retired and @completed are NULL: the synthetic kernels of
 *	kernel.h.
 * @saved: the queue left the hardware; @image_bytes is the size of the image,
 *	@state_bytes the size of the state of real waves
 * @fault: the queue was halted, for reason @why; @q's @blame and @blame_value
 *	have details, if known
 * @saving: the grace of a preemption is over, and its save begins. May be NULL.
 * @first_wave: the first waves since the queue was mapped begin, or go on. May be NULL.
 * @preempted: the preemption begun with sim_preempt() has ended at time @t
 */
struct sim_ops {
	void *(*memory)(struct sim_queue *q, u64 va, u32 bytes, bool write);
	const void *(*peek)(struct sim_queue *q, u64 va, u32 bytes);
	void (*interrupt)(struct sim_queue *q, u32 context);
	u64 (*ticks)(void *owner, u64 t_ns);
	bool (*kernel)(struct sim_queue *q, const struct sim_aql_dispatch *p,
		       struct sim_dispatch *d);
	bool (*retired)(struct sim_queue *q, const struct sim_dispatch *d,
			u32 first, u32 n, u64 t);
	bool (*completed)(struct sim_queue *q, const struct sim_dispatch *d, u64 t);
	void (*saved)(struct sim_queue *q, u32 image_bytes, u64 state_bytes);
	void (*fault)(struct sim_queue *q, const char *why);
	void (*saving)(void *owner, u64 t);
	void (*first_wave)(struct sim_queue *q, u64 t);
	void (*preempted)(void *owner, u64 t);
};

/**
 * struct sim_stats - totals since the start
 * @dispatches: completed
 * @workgroups: ended
 * @preemptions: sim_preempt() calls that ended
 * @saves: queues whose waves were saved
 * @restores: queues whose waves were restored
 * @bytes: wave state written by saves
 * @save_ns: time from the end of the grace to the end of the save, total
 * @save_max_ns: longest
 * @grace_ns: time waves were given to finish, total
 * @faults: queues halted
 * @bad_packets: of them, for a packet the model does not know
 * @sdma_packets: executed by copy engines
 * @sdma_bytes: moved by them
 * @steps: instants the model handled
 */
struct sim_stats {
	u64 dispatches;
	u64 workgroups;
	u64 preemptions;
	u64 saves;
	u64 restores;
	u64 bytes;
	u64 save_ns;
	u64 save_max_ns;
	u64 grace_ns;
	u64 faults;
	u64 bad_packets;
	u64 sdma_packets;
	u64 sdma_bytes;
	u64 steps;
};

struct sim_sdma;

/**
 * struct sim_sdma_engine - a copy engine, see sdma.h
 * @first: its queues that are in slots
 * @active: queue whose packet it works on, or NULL
 * @turns: packets it has begun
 */
struct sim_sdma_engine {
	struct sim_sdma *first;
	struct sim_sdma *active;
	u64 turns;
};

/**
 * struct sim_pipe - a pipe, see pipe.c
 * @active: queue for which it works, if it has several; NULL: none
 * @until: end of that one's quantum
 * @queues: in its slots
 */
struct sim_pipe {
	struct sim_queue *active;
	u64 until;
	u32 queues;
};

enum sim_preempt_state {
	SIM_PREEMPT_NONE,
	SIM_PREEMPT_GRACE,	/* waves may still finish */
	SIM_PREEMPT_SAVE,	/* waves are frozen and being written */
};

/**
 * struct sim_gpu - the GPU
 * @profile: its parameters
 * @ops: its surroundings
 * @owner: passed back to them
 * @now: time of the last event handled
 * @queues: those that are not OFF, in the order they were mapped
 * @nr_queues: how many
 * @due: when to look at each of them next; 0: now
 * @contends: the same queues: 1 + priority of those with workgroups to launch, else 0
 * @next: the earliest of @due that is not 0, as of the last step
 * @touched: one of @due is 0: there is something to do now
 * @blocked: how many queues wait for a signal
 * @freed: a bit an XCC: slots got free, or work to launch appeared, since the last launch
 * @turn: per priority, which queue is served first
 * @sdma: the copy engines
 * @sdma_queues: queues they have together
 * @free_waves: unused wave slots
 * @free: what is unused on each XCC
 * @pipes: of the compute engine
 * @idle_since: when the last wave ended
 * @ramp_from: when the first one began after an idle time
 * @preempt: see enum sim_preempt_state
 * @preempt_at: when that state ends, SIM_NEVER for an endless grace
 * @preempt_begin: when it began
 * @save_begin: when the grace was over
 * @unused: unused cohorts
 * @cohorts: all of them
 * @time_unknown: set by the caller after sim_gpu_init(): a kernel the model
 *	does not know takes this many times the time of unknown.c, and leaves no
 *	result. 0: it halts its queue
 * @random: state of the random numbers
 * @stats: totals
 */
struct sim_gpu {
	const struct sim_profile *profile;
	const struct sim_ops *ops;
	void *owner;
	u64 now;
	struct sim_queue *queues[SIM_MAX_QUEUES];
	u32 nr_queues;
	u64 due[SIM_MAX_QUEUES];
	u8 contends[SIM_MAX_QUEUES];
	u64 next;
	bool touched;
	u32 blocked;
	u32 freed;
	u32 turn[SIM_PRIORITIES];
	struct sim_sdma_engine sdma[SIM_MAX_SDMA];
	u32 sdma_queues;
	u32 free_waves;
	struct sim_slots free[SIM_MAX_XCCS];
	struct sim_pipe pipes[SIM_MAX_PIPES];
	u64 idle_since;
	u64 ramp_from;
	enum sim_preempt_state preempt;
	u64 preempt_at;
	u64 preempt_begin;
	u64 save_begin;
	struct sim_cohort *unused;
	struct sim_cohort cohorts[SIM_MAX_COHORTS];
	u32 time_unknown;
	u64 random;
	struct sim_stats stats;
};

/* gpu.c: time */

void sim_gpu_init(struct sim_gpu *gpu, const struct sim_profile *profile,
		  const struct sim_ops *ops, void *owner);

/* Drop every queue and wave, as a reset of the GPU does. Statistics stay. */
void sim_gpu_reset(struct sim_gpu *gpu);

/* Handle everything that happens up to and at @now; it must not go back. */
void sim_advance(struct sim_gpu *gpu, u64 now);

/* When something happens next by itself, or SIM_NEVER. */
u64 sim_next_event(const struct sim_gpu *gpu);

/*
 * When something may happen next by itself that programs and the driver notice, or SIM_NEVER: not
 * before that. What happens until then is made up for by sim_advance().
 */
u64 sim_next_visible(const struct sim_gpu *gpu);

/* address.c: the process's memory, through ops->memory */

/* Piece of it inside one page, aligned to its size; NULL: fault. */
void *sim_ptr(struct sim_queue *q, u64 va, u32 bytes, bool write);
bool sim_read(struct sim_queue *q, u64 va, void *to, u32 bytes);
bool sim_write(struct sim_queue *q, u64 va, const void *from, u32 bytes);

/* due.c, halt.c, queue.c: queues and packets */

/*
 * Put a queue into the hardware at time @at, with the image its last save
 * left, if @image_bytes is not 0. Returns the time its waves are back, or
 * SIM_NEVER, with nothing changed, when there is no room or it is not off.
 */
u64 sim_queue_map(struct sim_gpu *gpu, struct sim_queue *q, u64 at, u32 image_bytes);

/* Queues that wait for a signal look again at the next sim_advance(). Whether there are any. */
bool sim_retry_blocked(struct sim_gpu *gpu);

/* Its doorbell was rung: fetch at the next sim_advance(). */
void sim_queue_ring(struct sim_queue *q);

/* Whether a mapped queue has packets or waves, as far as it knows. */
bool sim_queue_busy(const struct sim_queue *q);

/* Halt it, mapped or being mapped. */
void sim_queue_fault(struct sim_gpu *gpu, struct sim_queue *q, const char *why);

/* Take it off the hardware at once, without a save. Not during a preemption. */
void sim_queue_drop(struct sim_gpu *gpu, struct sim_queue *q);

/* Include it in the next sim_preempt(); nothing of it is launched any more. */
void sim_queue_stop(struct sim_queue *q);

/* Used inside the model. */
void sim_queue_fetch(struct sim_gpu *gpu, struct sim_queue *q, u64 t);
void sim_queue_process(struct sim_gpu *gpu, struct sim_queue *q, u64 t);
void sim_queue_retire(struct sim_gpu *gpu, struct sim_queue *q, u64 t);
void sim_queue_touch(struct sim_queue *q);	/* look at it in the next step */
void sim_queue_block(struct sim_queue *q);
void sim_queue_blame(struct sim_queue *q, const char *what, u64 value);
u64 sim_queue_next_event(const struct sim_queue *q);
u64 sim_queue_next_visible(const struct sim_queue *q);

/* preempt.c: taking queues off */

/*
 * Take the stopped queues off the hardware: waves that end within @grace_ns
 * do, the others are saved. @grace_ns may be SIM_NEVER. ops->preempted reports
 * the end. One at a time.
 */
void sim_preempt(struct sim_gpu *gpu, u64 at, u64 grace_ns);

/* Used inside the model. */
void sim_preempt_step(struct sim_gpu *gpu, u64 t);
bool sim_image_load(struct sim_gpu *gpu, struct sim_queue *q, u32 bytes);
u64 sim_queue_state_bytes(const struct sim_gpu *gpu, const struct sim_queue *q);

/* cost.c: costs that vary */

/* What @ns of the firmware are this time. */
u64 sim_firmware_ns(struct sim_gpu *gpu, u32 ns);

/* What it takes for a packet of the HIQ, or a call of MES. */
u64 sim_packet_ns(struct sim_gpu *gpu);

/* What it takes to read a runlist with so many processes and queues. */
u64 sim_runlist_ns(struct sim_gpu *gpu, u32 entries);

/* What it takes from a packet's fetch to its first wave. */
u64 sim_dispatch_ns(struct sim_gpu *gpu);

/* What this preemption takes in addition. */
u64 sim_firmware_late(struct sim_gpu *gpu);

/*
 * Accesses to registers that amdkfd's function for gfx9 needs to count the waves of an
 * XCC with @slots queues of users, which have waves on @busy pairs of queue and engine.
 */
u32 sim_count_accesses(const struct sim_profile *p, u32 slots, u32 busy);

/* Shader engines on which a queue with so many waves on an XCC has some. */
u32 sim_busy_engines(const struct sim_profile *p, u32 waves);

/* Used inside the model. A random number below @n. */
void sim_random_init(struct sim_gpu *gpu);
u32 sim_random(struct sim_gpu *gpu, u32 n);

/* wave.c: workgroups and the slots they take */

/* Most workgroups of this kind the empty GPU holds; 0: not even one. */
u32 sim_capacity(const struct sim_profile *p, const struct sim_dispatch *d);

/* Set up @d's capacity; false: a workgroup is too large for a compute unit. */
bool sim_dispatch_fits(const struct sim_profile *p, struct sim_dispatch *d);

/* Longest time a workgroup of @d may still have to run, with all that makes it longer. */
u64 sim_longest_ns(const struct sim_profile *p, const struct sim_dispatch *d);

/* TLB and caches are cold for the queue from now on. */
void sim_queue_cools(struct sim_queue *q);

/* Wave state of the full GPU. */
u64 sim_save_bytes(const struct sim_profile *p);

/* Wave state of one workgroup in the save area. */
u64 sim_workgroup_bytes(const struct sim_profile *p, const struct sim_dispatch *d);

#endif /* SIM_MODEL_H */
