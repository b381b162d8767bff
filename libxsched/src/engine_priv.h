/* SPDX-License-Identifier: MIT */
/*
 * Inside the engine: its objects. Files:
 *
 *   engine.c          events, and requests of users
 *   engine_objects.c  what exists
 *   engine_plan.c     what to do: the policy, and what holds for all policies
 *   engine_region.c   of that: which units to decide about again
 *   engine_floor.c    of that: no unit starves
 *   engine_predict.c  of that: when a tenant's next request comes
 *   engine_option.c   options and hints: their names, limits and values
 *   engine_tell.c     what there is, for display
 *   policy_*.c        the policies, and what they have in common
 *
 * A process is part of a tenant: of its own, or of a group. The policy decides
 * about units: a unit is a tenant on all its nodes, or, without gangs, on one
 * node.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_ENGINE_PRIV_H
#define XSCHED_ENGINE_PRIV_H

#include <xsched/engine.h>

#include "map.h"
#include "policy_priv.h"

struct process;
struct tenant;

/* Options of the engine itself, by their place in engine_options[]. */
enum engine_option {
	OPTION_GANG,
	OPTION_SETTLE_US,
	OPTION_MIN_HOLD_US,
	OPTION_FLOOR_PERCENT,
	OPTION_FLOOR_WINDOW_US,
	OPTION_PRE_PREEMPT_US,
	OPTION_COUNT,
};

/**
 * struct predictor - when a unit's next request comes
 * @last_ns: when the last one came, 0: none yet
 * @mean_ns: learned time between requests
 * @deviation_ns: how far off that is, on average
 * @samples: what was learned from
 * @missed: requests that were expected since @last_ns and did not come
 */
struct predictor {
	uint64_t last_ns;
	uint64_t mean_ns;
	uint64_t deviation_ns;
	uint32_t samples;
	uint32_t missed;
};

/**
 * struct unit - what the policy decides about
 *
 * Members that every decision reads come together, before the array of the
 * view.
 *
 * @tenant: tenant it is part of
 * @region: number of the region it is in, unless xsched_engine.regroup
 * @open: the next plan may have to hold or release processes of it, although
 *	@wanted does not change
 * @untimed: it got work at an unknown time
 * @exempt: the kernel refused all its processes
 * @entered: the policy has seen it
 * @held: what was committed for it last
 * @wanted: held, by the last decision
 * @forced: held for the floor of another; of one that is demoted: for any that is not
 * @demoted: its process is demoted; it is alone in its tenant
 * @work: nodes with work that counts
 * @linger: nodes that count as ready for settle_us after their work
 * @linger_until_ns: when @linger ends
 * @run_since_ns: since when it runs; valid while view.running
 * @ran_ns: time it ran, up to @run_since_ns
 * @told_ns: of that, what was reported to the policy
 * @wanted_since_ns: when @wanted changed last
 * @wait_since_ns: since when it has work and is held; 0: it does not wait
 * @floor_until_ns: end of its floor; 0: it has none
 * @view: what the policy sees
 * @predictor: see there
 * @on_node: its queues on each node
 * @work_on_node: of these, those with work that counts
 */
struct unit {
	struct tenant *tenant;
	uint8_t region;
	bool open;
	bool untimed;
	bool exempt;
	bool entered;
	bool held;
	bool wanted;
	bool forced;
	bool demoted;
	uint64_t work;
	uint64_t linger;
	uint64_t linger_until_ns;
	uint64_t run_since_ns;
	uint64_t ran_ns;
	uint64_t told_ns;
	uint64_t wanted_since_ns;
	uint64_t wait_since_ns;
	uint64_t floor_until_ns;
	struct xsched_policy_tenant view;
	struct predictor predictor;
	uint16_t on_node[XSCHED_ENGINE_NODES];
	uint16_t work_on_node[XSCHED_ENGINE_NODES];
};

/**
 * struct region - units that are decided about together, see engine_region.c
 * @begin: first of them, in xsched_engine.units
 * @count: how many
 * @demoted: of these, the last ones, which are decided about after the others
 * @next_ns: when to decide anew by itself
 * @changed: decide anew at the next plan
 */
struct region {
	size_t begin;
	size_t count;
	size_t demoted;
	uint64_t next_ns;
	bool changed;
};

/**
 * struct queue - a queue the engine knows
 * @id: kfd_xsched_queue.id
 * @process: its process
 * @unit: unit it is part of
 * @next: next queue of the process
 * @link: what points to this one, for removal
 * @node: index of its node, below XSCHED_ENGINE_NODES
 * @state: enum xsched_hold_state
 * @ready: has work
 * @listed: was in the list being taken over, see xsched_engine_sync_begin()
 */
struct queue {
	uint64_t id;
	struct process *process;
	struct unit *unit;
	struct queue *next;
	struct queue **link;
	unsigned int node;
	int state;
	bool ready;
	bool listed;
};

/**
 * struct process - a process
 *
 * Members that every plan reads come first.
 *
 * @pid: its number
 * @priority: XSCHED_PRIORITY_MIN..MAX
 * @next: next process of the tenant
 * @tenant: what it is part of
 * @queues: its queues
 * @planned: the last plan that considered it
 * @state: enum xsched_hold_state
 * @manual: held by request
 * @exempt: left alone, because the kernel refused
 * @demoted: comes after all that are not, and is in no group
 * @counting: @held_since_ns is valid
 * @switching: number of @queues that are XSCHED_SWITCHING
 * @queue_count: number of @queues
 * @ready_count: of these, those with work
 * @group: as set; that of @tenant, unless it is demoted
 * @held_since_ns: when the hold in effect began
 * @held_nodes: nodes it is counted on; none unless @counting
 * @held_ns: time held before that
 * @holds: times held
 * @preemptions: times held while it had work
 * @hint: hints set for it
 * @user: pointer of the user of the engine
 */
struct process {
	int32_t pid;
	int32_t priority;
	struct process *next;
	struct tenant *tenant;
	struct queue *queues;
	uint64_t planned;
	int state;
	bool manual;
	bool exempt;
	bool demoted;
	bool counting;
	uint32_t switching;
	uint32_t queue_count;
	uint32_t ready_count;
	uint64_t group;
	uint64_t held_since_ns;
	uint64_t held_nodes;
	uint64_t held_ns;
	uint64_t holds;
	uint64_t preemptions;
	int64_t hint[XSCHED_HINT_MAX];
	void *user;
};

/**
 * struct tenant - processes that are decided about as one
 * @group: number of the group; 0: one process alone, which may be demoted
 * @processes: its processes
 * @units: its units: always one; with option "gang" 0, one for each node it has
 *	queues on
 */
struct tenant {
	uint64_t group;
	struct process *processes;
	struct unit *units[XSCHED_ENGINE_NODES];
};

/**
 * struct xsched_engine - see xsched/engine.h
 * @policy: in effect
 * @policy_index: its number, for @policy_option
 * @gone: called when a process goes, or NULL
 * @context: for @gone
 * @now_ns: latest time given by a caller
 * @queues: id to struct queue
 * @processes: pid to struct process
 * @groups: number of a group to its struct tenant
 * @order: @processes.count processes, highest priority first, and those demoted last
 * @room: elements @order, @hold and @release have room for
 * @hold: room for a plan
 * @release: room for a plan
 * @hold_queues: room for a plan
 * @release_queues: room for a plan
 * @queue_room: elements these two have room for
 * @view: what the policy sees: the region that is being decided about
 * @units: all units, their @view, region by region
 * @unit_count: how many
 * @unit_room: elements of @units and of @view.scratch
 * @regions: see there
 * @region_count: how many
 * @regroup: the regions are out of date, and everything is to be decided anew
 * @plans: plans made
 * @option: values of the engine's options
 * @policy_option: values of the options of each policy, once set
 * @policy_option_set: which were set, a bit each
 * @values: options of the policy in effect
 * @floor_from_ns: for each node, when a unit may have the floor again
 * @gpu_ids: gpu_id of each node
 * @node_held_ns: how long processes were held on each, without holds in effect
 * @preemptions: of all processes, also those that are gone
 * @node_count: nodes seen so far
 * @shut: of these, those on which nothing can be held: work there does not count
 */
struct xsched_engine {
	const struct xsched_policy_ops *policy;
	size_t policy_index;
	xsched_gone_fn gone;
	void *context;
	uint64_t now_ns;
	struct xsched_map queues;
	struct xsched_map processes;
	struct xsched_map groups;
	struct process **order;
	size_t room;
	int32_t *hold;
	int32_t *release;
	uint64_t *hold_queues;
	uint64_t *release_queues;
	size_t queue_room;
	struct xsched_policy_view view;
	struct xsched_policy_tenant **units;
	size_t unit_count;
	size_t unit_room;
	struct region regions[XSCHED_ENGINE_NODES + 1];
	unsigned int region_count;
	bool regroup;
	uint64_t plans;
	int64_t option[OPTION_COUNT];
	int64_t policy_option[XSCHED_POLICY_MAX][XSCHED_POLICY_OPTIONS];
	uint8_t policy_option_set[XSCHED_POLICY_MAX];
	int64_t values[XSCHED_POLICY_OPTIONS];
	uint64_t floor_from_ns[XSCHED_ENGINE_NODES];
	uint32_t gpu_ids[XSCHED_ENGINE_NODES];
	uint64_t node_held_ns[XSCHED_ENGINE_NODES];
	uint64_t preemptions;
	unsigned int node_count;
	uint64_t shut;
};

static inline struct unit *unit_of(struct xsched_policy_tenant *view)
{
	return (struct unit *)((char *)view - offsetof(struct unit, view));
}

/* How far ahead to prefetch: units are far apart in memory, and waiting for
 * each would be most of the time of a decision about everything.
 */
#define AHEAD	8

/** unit_await() - the unit AHEAD of @index will be looked at soon */
static inline void unit_await(struct xsched_policy_tenant *const *units,
			      size_t index, size_t count)
{
	const char *unit;

	if (index + AHEAD >= count)
		return;
	unit = (const char *)unit_of(units[index + AHEAD]);
	__builtin_prefetch(unit);
	__builtin_prefetch(unit + 64);
	__builtin_prefetch(unit + 128);
}

/** queue_is_shut() - whether nothing can be held on its node */
static inline bool queue_is_shut(const struct xsched_engine *engine,
				 const struct queue *queue)
{
	return engine->shut & 1ULL << queue->node;
}

/* The decision about it may change. */
static inline void unit_touch(struct xsched_engine *engine,
			      const struct unit *unit)
{
	engine->regions[unit->region].changed = true;
}

/* The same; and its processes may not be in the wanted state. */
static inline void unit_open(struct xsched_engine *engine, struct unit *unit)
{
	unit->open = true;
	unit_touch(engine, unit);
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- engine_objects.c --------------------------------------------------- */

/** process_find() - by pid, or NULL */
struct process *process_find(const struct xsched_engine *engine, int32_t pid);

/** process_add() - a process of default priority, alone; 0 or -ENOMEM */
int process_add(struct xsched_engine *engine, int32_t pid,
		struct process **out);

/** process_account() - account for the states of it and its queues */
void process_account(struct xsched_engine *engine, struct process *process,
		     uint64_t now_ns);

/** process_held_for() - how long the hold in effect lasts; 0: there is none */
uint64_t process_held_for(const struct process *process, uint64_t now_ns);

/** process_remove() - forget a process and its queues */
void process_remove(struct xsched_engine *engine, struct process *process);

/** process_place() - move a process to its place in the order */
void process_place(struct xsched_engine *engine, struct process *process);

/** process_set_group() - make it part of another tenant; 0 or -ENOMEM */
int process_set_group(struct xsched_engine *engine, struct process *process,
		      uint64_t group);

/** process_set_demoted() - put it below all others, or no longer; 0 or -ENOMEM */
int process_set_demoted(struct xsched_engine *engine, struct process *process,
			bool demoted);

/** tenant_regroup_all() - with gangs from now on, or without; 0 or -ENOMEM */
int tenant_regroup_all(struct xsched_engine *engine, bool gang);

/** tenant_refresh() - something of one of its processes has changed */
void tenant_refresh(struct xsched_engine *engine, struct tenant *tenant);

/** queue_find() - by id, or NULL */
struct queue *queue_find(const struct xsched_engine *engine, uint64_t id);

/** queue_add() - an idle queue; 0, -ENOSPC or -ENOMEM */
int queue_add(struct xsched_engine *engine, struct process *process,
	      uint64_t id, uint32_t gpu_id);

/** queue_set_state() - what was committed for it last */
void queue_set_state(struct queue *queue, int state);

/** queue_remove() - forget a queue */
void queue_remove(struct xsched_engine *engine, struct queue *queue);

/** queue_set_ready() - note whether it has work; @time_ns 0: not known when */
void queue_set_ready(struct xsched_engine *engine, struct queue *queue,
		     bool ready, uint64_t time_ns);

/** node_set_shut() - work on a node counts or not; 1: since now, 0: as before, or -ENOSPC */
int node_set_shut(struct xsched_engine *engine, uint32_t gpu_id, bool shut);

/** process_counts() - whether work of the process counts: it is let run */
bool process_counts(const struct process *process);

/** process_set_flags() - set @manual and @exempt, and what follows from it */
void process_set_flags(struct xsched_engine *engine, struct process *process,
		       bool manual, bool exempt);

/** unit_forget() - for the policy it is a new one */
void unit_forget(struct unit *unit);

/** unit_run() - account for time up to @now_ns; then it runs, or not */
void unit_run(struct unit *unit, bool running, uint64_t now_ns);

/* ---- engine_region.c ---------------------------------------------------- */

/** regions_build() - find the regions anew; all of them are changed */
void regions_build(struct xsched_engine *engine);

/* ---- engine_floor.c ----------------------------------------------------- */

/**
 * floor_apply() - give units the floor, and hold others for it
 * @engine: engine
 * @taken: nodes that are not to be had: all units there are held
 *
 * Return: when to look again.
 */
uint64_t floor_apply(struct xsched_engine *engine, uint64_t taken);

/**
 * floor_due() - when a unit that waits may have the floor, by its nodes and its
 * wait alone
 */
uint64_t floor_due(const struct xsched_engine *engine, const struct unit *unit);

/* ---- engine_predict.c --------------------------------------------------- */

/** predict_arrival() - a unit got work at @time_ns */
void predict_arrival(struct unit *unit, uint64_t time_ns);

/**
 * predict() - is a request of a unit about to come?
 * @engine: engine
 * @unit: unit without work
 * @next_ns: when to look again, made earlier if need be
 *
 * Return: when it comes, 0: not now.
 */
uint64_t predict(const struct xsched_engine *engine, struct unit *unit,
		 uint64_t *next_ns);

/* ---- engine_option.c ---------------------------------------------------- */

/** options_init() - set all to their defaults */
void options_init(struct xsched_engine *engine);

/** options_choose() - use the values of the policy in effect */
void options_choose(struct xsched_engine *engine);

#endif /* XSCHED_ENGINE_PRIV_H */
