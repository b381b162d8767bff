/* SPDX-License-Identifier: MIT */
/*
 * MES, the micro engine scheduler of gfx11 and later: the driver adds and
 * removes queues one by one, and the firmware decides which of them have a
 * hardware slot.
 *
 * Glossary
 *   call     a request of the driver; the firmware answers one before it looks
 *            at the next
 *   gang     queues that are suspended and resumed together; amdkfd makes one
 *            of each queue
 *   level    priority of a gang among those of all processes (enum
 *            sim_mes_level); its priority counts inside its process only
 *   parked   kept out of its slot because it has nothing to do while a queue with
 *            work waits for a slot
 *
 * sched.h decides which queues have slots: processes by level, queues of a
 * process by priority, and in turn within a level or priority, with the process
 * and gang quanta of the calls. MES adds one rule: a queue without packets or
 * waves takes no slot or VMID away from one that has some. Levels and pipe
 * priority also order how waves of mapped queues are launched, see
 * sim_mes_launch_priority(). Waves get no grace.
 *
 * Assumed, as the firmware is not public: this order; that a call which adds or
 * resumes is answered when the MQDs are loaded, while waves are still coming
 * back, one queue after the other; that one which removes or suspends is
 * answered when all waves are saved; that suspending all gangs does not affect
 * a gang added later; that work of queues without a slot is noticed once in a
 * gang quantum. (For the latter the driver sets an "oversubscription timer" of
 * 50, of unknown unit.)
 *
 * Invariants: a queue is in a slot only if it was added, and neither removed
 * nor suspended; while a call is being answered no other begins.
 */
#ifndef SIM_MES_H
#define SIM_MES_H

#include "firmware/sched.h"

#define SIM_MES_QUEUES		1024	/* that can be added; assumed */
#define SIM_MES_PROCESSES	512	/* and processes, each level counted; assumed */

enum sim_mes_level {
	SIM_MES_LOW,
	SIM_MES_NORMAL,
	SIM_MES_MEDIUM,
	SIM_MES_HIGH,
	SIM_MES_REALTIME,
	SIM_MES_LEVELS,
};

enum sim_mes_op {
	SIM_MES_ADD,
	SIM_MES_REMOVE,
	SIM_MES_SUSPEND,
	SIM_MES_RESUME,
	SIM_MES_OTHER,		/* answered, without an effect here */
	SIM_MES_OPS,
};

/* Why a call was refused. */
enum sim_mes_status {
	SIM_MES_OK,
	SIM_MES_FULL,		/* more queues or processes than there is room for */
	SIM_MES_DUPLICATE,	/* that doorbell belongs to a queue already */
	SIM_MES_UNKNOWN,	/* no such queue or gang */
	SIM_MES_BAD_MQD,
	SIM_MES_BAD_DOORBELL,
	SIM_MES_BAD_TYPE,	/* there are no slots for it */
	SIM_MES_BAD_PRIORITY,	/* no such level */
	SIM_MES_BAD_GANG,	/* it is of another process or level */
	SIM_MES_BAD_CALL,
	SIM_MES_INJECTED,	/* fault injection */
};

/**
 * struct sim_mes_queue - a queue the driver has added; embed it
 * @entry: its place in the list; of it the caller sets the pool
 * @process: its process, any number but 0
 * @gang: which gang it belongs to, any number but 0
 * @doorbell: unique among all queues
 * @level: enum sim_mes_level
 * @priority: inside its process, more is first
 * @process_quantum_ns: 0: the profile's
 * @gang_quantum_ns: 0: the profile's
 *	All the above are set by the caller, the rest by the model.
 * @suspended: a call has suspended it
 * @parked: see above
 */
struct sim_mes_queue {
	struct sim_sched_entry entry;
	u64 process;
	u64 gang;
	u32 doorbell;
	u32 level;
	u32 priority;
	u64 process_quantum_ns;
	u64 gang_quantum_ns;

	bool suspended;
	bool parked;
};

/**
 * struct sim_mes_process - a process at one level
 * @sched: its place in the list; its key is the process
 * @queues: how many; 0: this is free
 */
struct sim_mes_process {
	struct sim_sched_process sched;
	u32 queues;
};

/**
 * struct sim_mes_call - a request of the driver
 * @op: which
 * @add: ADD: the queue; the model's until ops->gone
 * @doorbell: REMOVE: which queue
 * @gang: REMOVE, SUSPEND, RESUME: which gang. REMOVE: 0: any.
 * @all: SUSPEND, RESUME: every gang instead
 */
struct sim_mes_call {
	enum sim_mes_op op;
	struct sim_mes_queue *add;
	u32 doorbell;
	u64 gang;
	bool all;
};

/**
 * struct sim_mes_ops - what the firmware asks of its surroundings
 * @check: whether MQD and doorbell of a queue to be added make sense
 * @map: as in struct sim_sched_ops
 * @unmapped: likewise. May be NULL.
 * @work: whether a queue without a slot has packets or saved waves
 * @answer: the call has ended at time @t; the next one may begin
 * @gone: the queue was removed, refused or dropped: it is the caller's again
 */
struct sim_mes_ops {
	enum sim_mes_status (*check)(void *owner, struct sim_mes_queue *q);
	struct sim_queue *(*map)(void *owner, struct sim_mes_queue *q, u64 t);
	void (*unmapped)(void *owner, struct sim_mes_queue *q, u64 t);
	bool (*work)(void *owner, struct sim_mes_queue *q);
	void (*answer)(void *owner, enum sim_mes_status status, u64 t);
	void (*gone)(void *owner, struct sim_mes_queue *q);
};

/**
 * struct sim_mes_fault - fault injection
 * @op: which calls it concerns, SIM_MES_OPS: all
 * @doorbell: of which queue (ADD, REMOVE), 0: any
 * @fail: so many of them fail
 * @hang: the next one is never answered, and the firmware stops
 */
struct sim_mes_fault {
	enum sim_mes_op op;
	u32 doorbell;
	u32 fail;
	bool hang;
};

/**
 * struct sim_mes_stats - totals since the start
 * @calls: answered with SIM_MES_OK, by kind
 * @errors: refused or failed
 * @parked: times a queue was parked
 * @call_ns: from the call to its answer, total
 * @call_max_ns: longest
 */
struct sim_mes_stats {
	u64 calls[SIM_MES_OPS];
	u64 errors;
	u64 parked;
	u64 call_ns;
	u64 call_max_ns;
};

/*
 * IDLE -> CALL when a call begins; CALL -> APPLY when its change of the list is
 * carried out, or IDLE -> APPLY when queues are parked; APPLY -> LOAD when that
 * is done; LOAD -> IDLE when the MQDs are loaded, which is the answer. CALL ->
 * IDLE if the call is refused, CALL -> HUNG by fault injection, any -> IDLE by
 * sim_mes_reset(). Quanta end in any state but HUNG; APPLY waits for that.
 */
enum sim_mes_state {
	SIM_MES_IDLE,
	SIM_MES_CALL,
	SIM_MES_APPLY,
	SIM_MES_LOAD,
	SIM_MES_HUNG,
};

/**
 * struct sim_mes - the firmware
 * @sched: the list, whose masks of slots and VMIDs the caller may narrow
 * @ops: its surroundings
 * @owner: passed back to them
 * @state: see enum sim_mes_state
 * @at: CALL, LOAD: when that is over
 * @tick_at: when it looks for work, SIM_NEVER: all have slots
 * @maps: of @sched when the change began
 * @restored_at: until then waves are restored, and those of other queues wait
 * @pending: there is a call that was not answered
 * @begun: the firmware has begun that call
 * @call: that call
 * @call_at: when it came
 * @queues: added, in any order
 * @nr_queues: how many
 * @processes: theirs
 * @fault: fault injection
 * @stats: totals
 */
struct sim_mes {
	struct sim_sched sched;
	const struct sim_mes_ops *ops;
	void *owner;
	enum sim_mes_state state;
	u64 at;
	u64 tick_at;
	u64 maps;
	u64 restored_at;
	bool pending;
	bool begun;
	struct sim_mes_call call;
	u64 call_at;
	struct sim_mes_queue *queues[SIM_MES_QUEUES];
	u32 nr_queues;
	struct sim_mes_process processes[SIM_MES_PROCESSES];
	struct sim_mes_fault fault;
	struct sim_mes_stats stats;
};

void sim_mes_init(struct sim_mes *mes, struct sim_gpu *gpu,
		  const struct sim_mes_ops *ops, void *owner, u32 first_vmid);

/* Forget every queue, as a reset does; sim_gpu_reset() comes first. */
void sim_mes_reset(struct sim_mes *mes);

/* Whether it takes a call now. */
bool sim_mes_ready(const struct sim_mes *mes);

/* Begin a call at time @t; ops->answer ends it. Only if sim_mes_ready(). */
void sim_mes_call(struct sim_mes *mes, const struct sim_mes_call *call, u64 t);

/* When the firmware does something by itself, or SIM_NEVER. */
u64 sim_mes_next_event(const struct sim_mes *mes);

/* Do what is due by @t; after sim_advance() to @t. */
void sim_mes_step(struct sim_mes *mes, u64 t);

/* What the GPU's ops->preempted must call. */
void sim_mes_preempted(struct sim_mes *mes, u64 t);

/* Name of a status, for a log. */
const char *sim_mes_reason(enum sim_mes_status status);

/* struct sim_queue.priority of a queue at @level whose MQD has priority @pipe. */
u32 sim_mes_launch_priority(u32 level, u32 pipe);

#endif /* SIM_MES_H */
