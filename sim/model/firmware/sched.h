/* SPDX-License-Identifier: MIT */
/*
 * Which queues of a runlist are in hardware slots: a list of processes with
 * their queues, of which as many are mapped as VMIDs and slots allow.
 *
 *   - Processes are taken in the order of their level (higher first), and in
 *     turn within a level; each gets a VMID. Its queues take free slots of
 *     their pool, by rank (higher first), and in turn within a rank.
 *   - While a process waits for a VMID or a slot, a process quantum ends with a
 *     turn: in each level first processes that had nothing, then those that had
 *     only some of their queues in slots, then those that had all.
 *   - When a process in turn has only some of its queues in slots, those that
 *     were for a queue quantum go to the end of their rank.
 *   - A queue that stays in the window keeps running. Queues that leave are
 *     preempted with the grace that is set; then queues that enter are mapped.
 *
 * amdkfd's packets and messages show that processes and queues take turns by
 * quanta, limited by VMIDs and slots. The order of turns is assumed, and that
 * the last process in the window may get only some of its queues.
 *
 * Like the model: no allocation, no locks, no clock. Objects are the caller's
 * and stay in place while they are in the list.
 */
#ifndef SIM_SCHED_H
#define SIM_SCHED_H

#include "model.h"

/* VMIDs of a GPU. */
#define SIM_MAX_VMIDS	16

/* Slots that are alike: those of the compute pipes, and of each copy engine. */
#define SIM_POOLS	(1 + SIM_MAX_SDMA)

struct sim_sched_process;

/**
 * struct sim_sched_entry - a queue in the list; embed it
 * @pool: which slots it can use: 0 compute, 1 + n copy engine n
 * @is_static: stays when "all but static" are unmapped
 * @held: must not be in a slot (suspended); stays in the list
 * @rank: order among the queues of its process, higher first
 * @quantum_ns: its queue quantum, 0: the profile's
 *	All the above are set by the caller, the rest by the scheduler.
 * @process: its process
 * @next: next queue of the process
 * @queue: result of ops->map; not NULL: it is in a slot
 * @slot: number of the slot in its pool
 * @wanted: in the window
 * @refused: ops->map refused it: not tried again
 * @stuck: does not leave its slot until sim_sched_drop()
 * @leaving: to be forgotten once it is off
 */
struct sim_sched_entry {
	u32 pool;
	bool is_static;
	bool held;
	u32 rank;
	u64 quantum_ns;

	struct sim_sched_process *process;
	struct sim_sched_entry *next;
	struct sim_queue *queue;
	u32 slot;
	bool wanted;
	bool refused;
	bool stuck;
	bool leaving;
};

/**
 * struct sim_sched_process - a process in the list; embed it
 * @key: names its address space: processes of one key share a VMID, so that
 *	one with queues of several levels can be in the list several times
 * @level: higher first
 * @quantum_ns: its process quantum, 0: the profile's
 *	The above are set by the caller, the rest by the scheduler.
 * @next: next process
 * @entries: its queues
 * @last: the last of them
 * @vmid: its VMID, or -1
 * @whole: all its queues that may run are in the window, and there are some
 * @partial: only some are
 */
struct sim_sched_process {
	u64 key;
	u32 level;
	u64 quantum_ns;

	struct sim_sched_process *next;
	struct sim_sched_entry *entries;
	struct sim_sched_entry *last;
	s32 vmid;
	bool whole;
	bool partial;
};

/**
 * struct sim_sched_ops - what the scheduler asks of its surroundings
 * @map: fill in a queue for @e (slot and VMID are set), sim_queue_map() it at
 *	time @t and give it back; NULL: refused, nothing of it is mapped
 * @unmapped: @e has left its slot. May be NULL.
 * @forgotten: @e has left the list, and is the caller's again. May be NULL.
 * @applied: the change begun by sim_sched_apply() has ended at time @t
 */
struct sim_sched_ops {
	struct sim_queue *(*map)(void *owner, struct sim_sched_entry *e, u64 t);
	void (*unmapped)(void *owner, struct sim_sched_entry *e, u64 t);
	void (*forgotten)(void *owner, struct sim_sched_entry *e);
	void (*applied)(void *owner, u64 t);
};

/**
 * struct sim_sched_stats - totals
 * @maps: queues put into slots
 * @unmaps: queues taken off
 * @process_turns: process quanta that ended in a change
 * @queue_turns: queue quanta that ended in a change
 * @refused: queues ops->map refused
 */
struct sim_sched_stats {
	u64 maps;
	u64 unmaps;
	u64 process_turns;
	u64 queue_turns;
	u64 refused;
};

/**
 * struct sim_sched - the list of a GPU
 * @gpu: where the queues are mapped
 * @ops: surroundings
 * @owner: passed back to them
 * @processes: in their present order
 * @last: the last of them
 * @vmid_mask: VMIDs that may be used
 * @slot_mask: slots that may be used, per pool
 * @max_processes: mapped at a time, 0: as many as VMIDs
 * @grace_ns: for preemptions at the end of a quantum
 * @used: slots in use, per pool
 * @vmid_key: key that has each VMID
 * @vmid_uses: processes of that key with queues in slots
 * @applying: a sim_sched_apply() is under way
 * @moving: a preemption of the scheduler's is under way
 * @waiting: a process in the list waits for a VMID or a slot
 * @ready_at: when everything in the window runs
 * @process_at: end of the next process quantum, SIM_NEVER: none waits
 * @queue_at: end of the next queue quantum, likewise
 * @stats: totals
 */
struct sim_sched {
	struct sim_gpu *gpu;
	const struct sim_sched_ops *ops;
	void *owner;
	struct sim_sched_process *processes;
	struct sim_sched_process *last;
	u32 vmid_mask;
	u64 slot_mask[SIM_POOLS];
	u32 max_processes;
	u64 grace_ns;
	u64 used[SIM_POOLS];
	u64 vmid_key[SIM_MAX_VMIDS];
	u32 vmid_uses[SIM_MAX_VMIDS];
	bool applying;
	bool moving;
	bool waiting;
	u64 ready_at;
	u64 process_at;
	u64 queue_at;
	struct sim_sched_stats stats;
};

/* Masks begin with what the profile has: VMIDs from @first_vmid, slots from 0. */
void sim_sched_init(struct sim_sched *s, struct sim_gpu *gpu,
		    const struct sim_sched_ops *ops, void *owner, u32 first_vmid);

/* Forget everything, as a reset does; goes with sim_gpu_reset(). */
void sim_sched_reset(struct sim_sched *s);

/*
 * Changes of the list, and of level, rank and held. They take effect together
 * at the next sim_sched_apply(), and must not be made while sim_sched_busy().
 */
void sim_sched_add_process(struct sim_sched *s, struct sim_sched_process *p);
void sim_sched_add(struct sim_sched *s, struct sim_sched_process *p,
		   struct sim_sched_entry *e);
void sim_sched_remove(struct sim_sched *s, struct sim_sched_entry *e);

/* Take this queue off at once; nothing of it is saved. Not while sim_sched_busy(). */
void sim_sched_drop(struct sim_sched *s, struct sim_queue *q, u64 t);

/* A process without queues; one with queues goes with its last queue. */
void sim_sched_remove_process(struct sim_sched *s, struct sim_sched_process *p);

/* Change its level (moves it to the end of that level). */
void sim_sched_set_level(struct sim_sched *s, struct sim_sched_process *p, u32 level);

/* Change its rank (moves it to the end of that rank). */
void sim_sched_set_rank(struct sim_sched *s, struct sim_sched_entry *e, u32 rank);

/* The scheduler is taking queues off: it accepts no change until it is done. */
bool sim_sched_busy(const struct sim_sched *s);

/*
 * Make what is in slots agree with the list, from time @at on; waves get
 * @grace_ns. ops->applied says when every queue that had to leave is off and
 * every one that enters is loading (see @ready_at).
 */
void sim_sched_apply(struct sim_sched *s, u64 at, u64 grace_ns);

/* The GPU's ops->preempted must lead here. */
void sim_sched_preempted(struct sim_sched *s, u64 t);

/* When a quantum ends, or SIM_NEVER. */
u64 sim_sched_next_event(const struct sim_sched *s);

/* Handle a quantum that ended by @t; call after sim_advance() to @t. */
void sim_sched_step(struct sim_sched *s, u64 t);

#endif /* SIM_SCHED_H */
