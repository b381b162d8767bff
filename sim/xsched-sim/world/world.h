/* SPDX-License-Identifier: MIT */
/*
 * The world of one run: nodes, processes with their queues, and the software
 * between them. Files, from the top down: what goes up is struct world_news.
 *
 *   world.c     builds it from a scenario, runs it, takes it apart
 *   daemon.c    the scheduler: events into the engine, its plans into calls
 *   program.c   what the processes do: requests come, packets are written
 *   watch.c     the module's sampler: which queues have work, and which nodes waves
 *   node.c      a GPU node: the model, and its firmware's transactions
 *   fail.c      the error that ends the run
 *   agenda.c    what happens when
 *   memory.c    memory, or the end of the program
 *
 * Everything happens in virtual time, in the order of the agenda; the same
 * scenario and seed give the same run, to the nanosecond.
 */
#ifndef XSIM_WORLD_H
#define XSIM_WORLD_H

#include <stddef.h>

#include <xsched/engine.h>

#include "firmware/sched.h"
#include "gpu/aql.h"
#include "kernel.h"
#include "scenario/scenario.h"
#include "world/agenda.h"

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))

struct world;

/**
 * struct request - one request of a program
 * @arrival: when it came, by schedule: waiting for its turn counts
 * @submitted: when its packets were in the queue
 * @done: when the program knew that it was complete
 * @log: record of each of its dispatches
 */
struct request {
	u64 arrival;
	u64 submitted;
	u64 done;
	struct vgpu_log *log;
};

/* State of a program, a thread with a queue of its own. */
enum program_state {
	PROGRAM_IDLE,		/* sleeps until the next request comes */
	PROGRAM_SUBMITTING,	/* writes packets */
	PROGRAM_WAITING,	/* for its oldest request */
	PROGRAM_DONE,		/* ended, everything complete */
};

/**
 * struct program - a thread with a queue
 * @event: when it acts next
 * @state: see there
 * @stopping: submits nothing more
 * @arrival: of an open loop
 * @next_ns: when the next request comes, SIM_NEVER: none does
 * @submitting_ns: arrival of the request being written
 * @requests: all so far
 * @submitted: how many
 * @completed: of them, in order
 * @room: elements of @requests
 * @written: packets written
 * @ticket: counter the dispatches take their tickets from
 * @start_ns: when the first request could come
 * @end_ns: when the last was complete
 */
struct program {
	struct event event;
	enum program_state state;
	bool stopping;
	struct arrival arrival;
	u64 next_ns;
	u64 submitting_ns;
	struct request *requests;
	u64 submitted;
	u64 completed;
	u64 room;
	u64 written;
	u64 ticket;
	u64 start_ns;
	u64 end_ns;
};

/** enum activity - whether the module believes that a queue has work */
enum activity { ACTIVITY_IDLE, ACTIVITY_READY, ACTIVITY_DRY };

/**
 * struct watch - what the sampler knows about a queue
 * @event: its next look that matters
 * @activity: see there
 * @consumed: read index at the last look
 * @written: write index then
 * @dry_ns: since when it is dry
 * @packets_ns: when packets were last seen, or had been there
 * @waves_ns: after that, waves of it were seen, or would have been
 * @count_from_ns: only a count of waves that began from then on says something of it
 * @counting: the count that goes on has seen waves of it
 * @counted: so has the last one
 * @away: waves of it are saved, and were not seen since
 */
struct watch {
	struct event event;
	enum activity activity;
	u64 consumed;
	u64 written;
	u64 dry_ns;
	u64 packets_ns;
	u64 waves_ns;
	u64 count_from_ns;
	bool counting;
	bool counted;
	bool away;
};

/* Signals are apart from each other, so that none crosses a page. */
union signal {
	struct sim_aql_signal aql;
	u8 room[64];
};

/**
 * struct user_queue - a user queue, the thread that feeds it, and its state
 * @aql: its part in the model; first, so that a cast leads back
 * @entry: its place in the runlist
 * @listed: it is in the runlist
 * @world: world it is part of
 * @process: its process
 * @node: where it runs
 * @node_process: which of the node's processes it belongs to
 * @id: for the engine, from 1
 * @program: see there
 * @watch: see there
 * @ring_event: the doorbell's ring reaches the GPU
 * @held: held by the scheduler, after transactions so far
 * @want_held: the same after the current transaction
 * @image_bytes: size of the image of the last save
 * @save: pages of the save area that were written
 * @save_pages: how many
 * @packets: the ring
 * @args: arguments of the packets, at the same place
 * @signals: one for each request in flight
 * @mailbox: where their events go
 * @indices: read index, and write index in another cache line
 * @rung: times a ring reached the GPU
 */
struct user_queue {
	struct sim_aql aql;
	struct sim_sched_entry entry;
	bool listed;
	struct world *world;
	struct process *process;
	struct node *node;
	u32 node_process;
	u64 id;
	struct program program;
	struct watch watch;
	struct event ring_event;
	bool held;
	bool want_held;
	u32 image_bytes;
	u8 **save;
	u32 save_pages;
	struct sim_aql_packet *packets;
	struct vgpu_spin *args;
	union signal *signals;
	u64 mailbox;
	u64 *indices;
	u64 rung;
};

#define READ_INDEX	0
#define WRITE_INDEX	8

static inline struct user_queue *user_queue(struct sim_queue *sim)
{
	return (struct user_queue *)sim;
}

/**
 * struct process - a process
 * @group: what it is
 * @tenant: index of its tenant
 * @code: its kernel
 * @queues: its queues
 * @count: how many
 */
struct process {
	struct group *group;
	u32 tenant;
	struct vgpu_code *code;
	struct user_queue *queues;
	u32 count;
};

/**
 * struct group - equal processes, a section of the scenario
 * @scn: that section
 * @running: it takes part in this run
 * @processes: of it
 * @left: programs that are not done
 * @end_ns: when the last was
 */
struct group {
	const struct scenario_process *scn;
	bool running;
	struct process *processes;
	u32 left;
	u64 end_ns;
};

/**
 * struct tenant - processes that the engine holds as one
 * @processes: its processes
 * @count: how many
 * @span: index of its last hold, plus one; 0: it was not held
 */
struct tenant {
	struct process **processes;
	u32 count;
	u32 span;
};

/**
 * struct node_process - a process in the runlist of a node
 * @entry: see sched.h
 * @listed: it is in the list
 */
struct node_process {
	struct sim_sched_process entry;
	bool listed;
};

/* Steps of a transaction, in this order. */
enum txn_state {
	TXN_NONE,
	TXN_BEGIN,	/* the driver prepares to unmap */
	TXN_UNMAP,	/* the firmware takes queues off */
	TXN_FENCE,	/* it is done, and says so */
	TXN_MAP,	/* the driver builds the runlist */
};

/**
 * struct wave_count - when waves of a node were counted
 * @begun_ns: when that began, 0: there was no count
 * @mapped_ns: when the runlist had been sent
 * @turn_ns: not 0: not all queues fit, and each gets a turn within that time
 */
struct wave_count {
	u64 begun_ns;
	u64 mapped_ns;
	u64 turn_ns;
};

/**
 * struct node - a GPU node
 * @gpu: the model
 * @sched: its firmware's list
 * @world: where it is
 * @index: number
 * @event: the next event of the model or the firmware
 * @queues: all queues on it
 * @count: how many
 * @processes: processes with queues here
 * @process_count: how many
 * @txn: the driver's transaction
 * @txn_event: its next step
 * @txn_begin: when it began
 * @grace_ns: grace of waves in it
 * @load_event: the firmware takes the new runlist
 * @mapped_ns: end of the last one
 * @save_ns: how long it took to take queues off
 * @restore_ns: how long a restore takes, as far as the module has seen it
 * @count_event: end of the count of waves that goes on
 * @counting: that one
 * @counted: the last one
 * @rest_ns: none begins before
 * @queue_faults: queues halted by the model: a bug of the simulator
 */
struct node {
	struct sim_gpu gpu;
	struct sim_sched sched;
	struct world *world;
	u32 index;
	struct event event;
	struct user_queue **queues;
	u32 count;
	struct node_process *processes;
	u32 process_count;
	enum txn_state txn;
	struct event txn_event;
	u64 txn_begin;
	u64 grace_ns;
	struct event load_event;
	u64 mapped_ns;
	u64 save_ns;
	u64 restore_ns;
	struct event count_event;
	struct wave_count counting;
	struct wave_count counted;
	u64 rest_ns;
	u64 queue_faults;
};

/**
 * struct switch_record - a call of the scheduler that changed the hardware
 * @event_ns: time of the event that caused it, 0: none
 * @begin: when it was made
 * @end: when it returned
 * @flips: queues that went on or off
 * @nodes: nodes that were switched
 * @held: it took queues off; otherwise it only put some back
 */
struct switch_record {
	u64 event_ns;
	u64 begin;
	u64 end;
	u32 flips;
	u32 nodes;
	bool held;
};

/**
 * struct hold_span - a time in which a tenant was held
 * @tenant: its index
 * @begin: when the call that held it returned
 * @end: when the call that released it did, SIM_NEVER: none did
 */
struct hold_span {
	u32 tenant;
	u64 begin;
	u64 end;
};

/**
 * struct daemon_event - a READY or IDLE the daemon has not read yet
 * @queue: its queue
 * @ready: READY, else IDLE
 * @t: when it happened
 */
struct daemon_event {
	struct user_queue *queue;
	bool ready;
	u64 t;
};

/**
 * struct change - something held or released by a call
 * @queue: a queue, else a tenant
 * @id: its id, or the tenant's pid
 * @held: held, else released
 */
struct change {
	bool queue;
	u64 id;
	bool held;
};

/* State of the daemon. */
enum daemon_state {
	DAEMON_ASLEEP,
	DAEMON_CALL,	/* on the way into the kernel */
	DAEMON_RETURN,	/* the nodes switch, or it is on the way out */
};

/**
 * struct daemon - the scheduler
 * @engine: decides; NULL: there is no scheduler
 * @state: see there
 * @event: when it wakes, or goes on with its call
 * @pending: events it has not read
 * @pending_count: how many
 * @lost: there were more than the ring has room for
 * @lists: how often it had to list all queues for that
 * @to_switch: nodes that the call switches, a bit each
 * @waiting_nodes: nodes that have not switched yet
 * @call: the call under way
 * @changes: holds and releases of @call
 * @change_count: how many
 * @switches: all calls
 * @switch_count: how many
 * @spans: all holds
 * @span_count: how many
 * @decisions: times the engine was asked
 * @decision_ns: how long each took, processor time of this machine
 * @engine_bytes: memory of the engine, with all tenants and queues
 */
struct daemon {
	struct xsched_engine *engine;
	enum daemon_state state;
	struct event event;
	struct daemon_event *pending;
	u32 pending_count;
	bool lost;
	u64 lists;
	u64 to_switch;
	u32 waiting_nodes;
	struct switch_record call;
	struct change *changes;
	u32 change_count;
	struct switch_record *switches;
	u32 switch_count;
	struct hold_span *spans;
	u32 span_count;
	u64 decisions;
	u32 *decision_ns;
	u64 engine_bytes;
};

/**
 * struct world_news - what node.c and watch.c tell those who use them
 * @interrupt: of program.c: a packet with an event has completed
 * @kick: of watch.c: a look at the queue may now see a change
 * @switched: of daemon.c: a node has switched, at time @t
 * @ready: of daemon.c: the module has an event for it; it takes @delay until it acts
 */
struct world_news {
	void (*interrupt)(struct user_queue *q, u64 t);
	void (*kick)(struct user_queue *q, u64 t);
	void (*switched)(struct world *w, u64 t);
	void (*ready)(struct user_queue *q, bool ready, u64 t, u64 delay);
};

/**
 * struct world - one run
 * @scn: the scenario
 * @mode: of the run
 * @news: from below
 * @agenda: what happens
 * @nodes: all nodes
 * @groups: all groups
 * @tenants: all tenants of the groups that run; pid = index + 1
 * @tenant_count: how many
 * @queues: all queues, by id - 1
 * @queue_count: how many
 * @programs_left: programs that are not done
 * @sample_ns: the sampler's period, with this number of queues
 * @daemon: the scheduler
 * @error: why the run failed; empty: success
 */
struct world {
	const struct scenario *scn;
	const struct scenario_mode *mode;
	const struct world_news *news;
	struct agenda agenda;
	struct node *nodes;
	struct group *groups;
	struct tenant *tenants;
	u32 tenant_count;
	struct user_queue **queues;
	u32 queue_count;
	u32 programs_left;
	u64 sample_ns;
	struct daemon daemon;
	char error[256];
};

/* world.c */

/* Build and run it. @only: index of the only group that runs, -1: all. False: @error. */
bool world_run(struct world *w, const struct scenario *scn, const struct scenario_mode *mode,
	       s32 only);
void world_free(struct world *w);

/* fail.c: the first error ends the run. */
__attribute__((format(printf, 2, 3)))
void world_fail(struct world *w, const char *format, ...);

/* program.c */
void program_init(struct user_queue *q, u64 seed);
void program_free(struct user_queue *q);
void program_stop(struct user_queue *q, u64 t);

/* See struct world_news. */
void program_interrupt(struct user_queue *q, u64 t);

/* node.c */
void node_init(struct node *n, struct world *w, u32 index);
void node_free(struct node *n);

/* All queues exist: send the first runlist. */
void node_start(struct node *n);

/* The model was changed at time @t: schedule its next event. */
void node_changed(struct node *n, u64 t);

/* Apply @want_held of its queues, from time @t on; then there is news: switched. */
void node_switch(struct node *n, u64 t, u64 grace_ns);

/* watch.c */
void watch_init(struct user_queue *q);
void watch_init_node(struct node *n);

/* The queue's program has written packets. */
void watch_written(struct user_queue *q, u64 t);

/* See struct world_news. */
void watch_kick(struct user_queue *q, u64 t);

/* daemon.c */
void daemon_init(struct world *w);
void daemon_free(struct daemon *d);

/* See struct world_news. */
void daemon_tell(struct user_queue *q, bool ready, u64 t, u64 delay);
void daemon_node_done(struct world *w, u64 t);

#endif /* XSIM_WORLD_H */
