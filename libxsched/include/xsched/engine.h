/* SPDX-License-Identifier: MIT */
/*
 * libxsched, layer 3: the engine. Events and time go in, a plan comes out.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 *
 * The engine makes no system call and reads no clock, so the same code decides
 * in the daemon, in a simulator and in a test. It allocates only where a queue
 * or a process is added; deciding never does.
 *
 * Words
 * -----
 *  tenant    is held and released as one: a process, on all its nodes, or
 *            a group of processes (xsched_engine_set_group())
 *  ready     has a queue with work
 *  policy    decides which tenants ought to be held
 *  manual    held by request, whatever the policy says
 *  exempt    never to be held nor released: the kernel refused
 *  demoted   below all that are not: a queue of it did not save its waves
 *            (xsched_engine_set_demoted())
 *
 * Use
 * ---
 *  1. feed what happened: xsched_engine_event(), ..._set_priority(), ...
 *  2. xsched_engine_plan(): which tenants to hold and which to release
 *  3. do it, and report each result: xsched_engine_commit()
 *
 * A plan lists only differences from what was committed. When a whole plan has
 * been committed, the next one is empty until something else happens.
 *
 * Whoever does not wait for a switch commits XSCHED_SWITCHING for what it names, and
 * its result when that has come. The next plan compares anew. Whatever the kernel refuses
 * to switch can be left out of plans likewise, until it is tried again.
 */
#ifndef XSCHED_ENGINE_H
#define XSCHED_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/kfd_xsched.h>

#include <xsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Priority of a tenant: XSched's scale, bigger is higher. */
#define XSCHED_PRIORITY_MIN	(-255)
#define XSCHED_PRIORITY_MAX	255
#define XSCHED_PRIORITY_DEFAULT	0

/** What xsched_engine_event() and ..._queue_add() return for a new tenant. */
#define XSCHED_NEW_TENANT	1

/** enum xsched_hold_state - what was last committed for a tenant */
enum xsched_hold_state {
	XSCHED_RELEASED = 0,
	XSCHED_HELD = 1,
	/* A switch failed half-way: the next plan will name it either way. */
	XSCHED_UNCERTAIN = 2,
	/* A switch is on its way: plans leave it out until another state is committed. */
	XSCHED_SWITCHING = 3,
};

/**
 * struct xsched_plan - what to change
 * @hold: pids to hold
 * @hold_count: how many
 * @release: pids to release
 * @release_count: how many
 * @deadline_ns: when to ask for a plan again even without an event, or
 *	XSCHED_NO_DEADLINE
 * @hold_queues: ids of queues to hold; none unless option "gang" is 0
 * @hold_queue_count: how many
 * @release_queues: ids of queues to release, likewise
 * @release_queue_count: how many
 *
 * The arrays belong to the engine and are valid until it is fed again.
 */
struct xsched_plan {
	const int32_t *hold;
	size_t hold_count;
	const int32_t *release;
	size_t release_count;
	uint64_t deadline_ns;
	const uint64_t *hold_queues;
	size_t hold_queue_count;
	const uint64_t *release_queues;
	size_t release_queue_count;
};

/**
 * struct xsched_tenant - a tenant, for display
 * @pid: process
 * @priority: XSCHED_PRIORITY_MIN..MAX
 * @state: enum xsched_hold_state; without gangs, the greatest of its queues
 * @manual: held by request
 * @exempt: left alone, because the kernel refused
 * @ready: has work on some node
 * @queues: number of queues
 * @nodes: number of nodes they are on
 * @holds: times it was held; without gangs, each node counts
 * @preemptions: of these, times it had work there
 * @held_ns: total time held, on whatever nodes, up to the moment asked about
 * @user: as set with xsched_engine_set_user()
 * @group: as set with xsched_engine_set_group()
 * @ran_ns: total time it, or its group, had work and was not held
 * @wanted: held by the last plan, whether or not that was carried out
 * @by_queue: @state is that of queues (option "gang" 0), not of the process;
 *	new queues of a held process are created held
 * @held_nodes: of @nodes, those on which a queue of it is held
 * @shut: it has queues, and nothing can be held on any of @nodes
 * @demoted: comes after all that are not; @priority and @group do not count
 */
struct xsched_tenant {
	int32_t pid;
	int32_t priority;
	int state;
	bool manual;
	bool exempt;
	bool ready;
	uint32_t queues;
	uint32_t nodes;
	uint64_t holds;
	uint64_t preemptions;
	uint64_t held_ns;
	void *user;
	uint64_t group;
	uint64_t ran_ns;
	bool wanted;
	bool by_queue;
	uint32_t held_nodes;
	bool shut;
	bool demoted;
};

struct xsched_engine;

/**
 * typedef xsched_gone_fn - a tenant is about to be forgotten
 * @context: as given to xsched_engine_new()
 * @pid: process
 * @user: as set with xsched_engine_set_user()
 *
 * Must not call the engine.
 */
typedef void (*xsched_gone_fn)(void *context, int32_t pid, void *user);

/**
 * xsched_engine_new() - make an empty engine
 * @out: the engine, set on success only
 * @policy: name of the policy, e.g. "hpf", see xsched_policy_name()
 * @gone: called as a tenant goes, also from xsched_engine_free(); or NULL
 * @context: handed to @gone
 *
 * Return: 0, -EOPNOTSUPP for a policy that does not exist, or -ENOMEM.
 */
int xsched_engine_new(struct xsched_engine **out, const char *policy,
		      xsched_gone_fn gone, void *context);

/** xsched_engine_free() - free an engine (or NULL); changes no hold */
void xsched_engine_free(struct xsched_engine *engine);

/**
 * xsched_engine_set_policy() - change the policy
 * @engine: engine
 * @policy: its name
 *
 * The new policy begins afresh: it remembers nothing from before the change.
 *
 * Return: 0, or -EOPNOTSUPP and nothing changed.
 */
int xsched_engine_set_policy(struct xsched_engine *engine, const char *policy);

/** xsched_engine_policy() - name of the policy in effect */
const char *xsched_engine_policy(const struct xsched_engine *engine);

/**
 * xsched_policy_name() - enumerate the policies
 * @index: from 0
 *
 * Return: a name, or NULL after the last.
 */
const char *xsched_policy_name(size_t index);

/**
 * xsched_policy_summary() - what a policy does
 * @name: of the policy
 *
 * Return: a line of text, or NULL if there is no such policy.
 */
const char *xsched_policy_summary(const char *name);

/* ---- options ------------------------------------------------------------ */

/**
 * xsched_option_at() - enumerate what can be set
 * @index: from 0: options for all policies, then those of each policy
 *
 * Return: an option, or NULL after the last.
 */
const struct xsched_option *xsched_option_at(size_t index);

/**
 * xsched_option_name() - name of an option
 * @index: as for xsched_option_at()
 *
 * Return: its name, or NULL after the last.
 */
const char *xsched_option_name(size_t index);

/**
 * xsched_engine_set_option() - set an option
 * @engine: engine
 * @name: one of xsched_option_name(); also of a policy not in effect
 * @value: within the limits of xsched_option_at()
 *
 * A change of "gang" changes the units that are decided about, and what was
 * remembered of the former ones is lost. What is held stays held until the next
 * plans are carried out.
 *
 * Return: 0, -ENOENT for an unknown name, -EINVAL for a value outside the
 * limits, -ENOMEM for "gang".
 */
int xsched_engine_set_option(struct xsched_engine *engine, const char *name,
			     int64_t value);

/**
 * xsched_engine_option() - value of an option
 * @engine: engine
 * @name: one of xsched_option_name()
 * @value: out
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_option(const struct xsched_engine *engine, const char *name,
			 int64_t *value);

/* ---- hints -------------------------------------------------------------- */

/**
 * xsched_hint_name() - name of a hint, as users write it
 * @hint: enum xsched_hint
 *
 * Return: e.g. "utilization", or NULL if there is no such hint.
 */
const char *xsched_hint_name(int hint);

/**
 * xsched_hint_find() - hint by its name
 * @name: as of xsched_hint_name()
 *
 * Return: enum xsched_hint, or -EOPNOTSUPP.
 */
int xsched_hint_find(const char *name);

/**
 * xsched_engine_set_hint() - set a hint of a process
 * @engine: engine
 * @pid: process; the hint of one process of a group holds for the group
 * @hint: what
 * @value: see enum xsched_hint; XSCHED_HINT_UNSET removes the hint
 *
 * The policy decides which hints have an effect. Those about the next request
 * have one only with option "pre_preempt_us".
 *
 * Return: 0, -ENOENT, -EOPNOTSUPP for an unknown hint, or -EINVAL for a value
 * outside its limits.
 */
int xsched_engine_set_hint(struct xsched_engine *engine, int32_t pid,
			   enum xsched_hint hint, int64_t value);

/**
 * xsched_engine_hint() - read a hint of a process
 * @engine: engine
 * @pid: process
 * @hint: what
 * @value: out; XSCHED_HINT_UNSET if it was not set
 *
 * Return: 0, -ENOENT or -EOPNOTSUPP.
 */
int xsched_engine_hint(const struct xsched_engine *engine, int32_t pid,
		       enum xsched_hint hint, int64_t *value);

/* ---- what happened ------------------------------------------------------ */

/**
 * xsched_engine_event() - feed one event of the kernel
 * @engine: engine
 * @event: event
 *
 * Does for each type what the functions below do. NODE_RESET (ended) makes
 * every hold uncertain, so that the next plan asserts it again. NODE_BREAKER does
 * what xsched_engine_set_shut() does, and DEMOTED what xsched_engine_set_demoted()
 * does. Events without a visible process, of queues or processes the engine does
 * not know, and of unknown types are ignored.
 *
 * Return: 0; XSCHED_NEW_TENANT: set its priority before asking for a plan;
 * -ESTALE for LOST: list the queues and call xsched_engine_sync_begin();
 * -ENOMEM, or -ENOSPC for a node beyond XSCHED_ENGINE_NODES.
 */
int xsched_engine_event(struct xsched_engine *engine,
			const struct kfd_xsched_event *event);

/**
 * xsched_engine_set_shut() - whether nothing can be held on a node
 * @engine: engine
 * @gpu_id: its node
 * @shut: its breaker is open (kfd_xsched_node.shut_ns), or is closed again
 *
 * While it is shut, work on the node does not count: nobody is held for it. All holds
 * become uncertain, so that the next plan asserts them again.
 *
 * Return: 0, or -ENOSPC for a node beyond XSCHED_ENGINE_NODES.
 */
int xsched_engine_set_shut(struct xsched_engine *engine, uint32_t gpu_id, bool shut);

/**
 * xsched_engine_set_demoted() - put a process below all others, or no longer
 * @engine: engine
 * @pid: process
 * @demoted: whether it is demoted (KFD_XSCHED_QUEUE_DEMOTED)
 *
 * What is demoted is held, under every policy, while anything that is not has work on
 * one of its nodes; with a policy that is not local (struct xsched_policy_ops), on any
 * node. Nothing that is not demoted is ever held for it, not even for a floor. Among
 * those demoted the policy decides as if there were no others. They are equal: each is
 * a tenant by itself, of the default priority and without hints. Priority, group and
 * hints, as they were or are set, count again when the demotion ends; but what the
 * policy knew of the process is forgotten, at the beginning and at the end.
 *
 * Return: 0, -ENOENT, or -ENOMEM and nothing changed.
 */
int xsched_engine_set_demoted(struct xsched_engine *engine, int32_t pid, bool demoted);

/**
 * xsched_engine_queue_add() - a queue exists
 * @engine: engine
 * @id: kfd_xsched_queue.id
 * @pid: its process, > 0
 * @gpu_id: its node
 *
 * A queue begins idle. One that is known already is left as it is.
 *
 * Return: 0, XSCHED_NEW_TENANT, -EINVAL (pid), -ENOMEM or -ENOSPC.
 */
int xsched_engine_queue_add(struct xsched_engine *engine, uint64_t id,
			    int32_t pid, uint32_t gpu_id);

/** xsched_engine_queue_del() - a queue is gone; 0 or -ENOENT */
int xsched_engine_queue_del(struct xsched_engine *engine, uint64_t id);

/** xsched_engine_queue_ready() - a queue got or lost work; 0 or -ENOENT */
int xsched_engine_queue_ready(struct xsched_engine *engine, uint64_t id,
			      bool ready);

/**
 * xsched_engine_queue_ready_at() - a queue got or lost work, and when
 * @engine: engine
 * @id: queue
 * @ready: it has work now
 * @time_ns: when it got or lost it; 0: not known, and it counts from the next
 *	plan on
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_queue_ready_at(struct xsched_engine *engine, uint64_t id,
				 bool ready, uint64_t time_ns);

/** xsched_engine_process_exit() - a process is gone; 0 or -ENOENT */
int xsched_engine_process_exit(struct xsched_engine *engine, int32_t pid);

/**
 * xsched_engine_sync_begin() - a full list of queues follows
 * @engine: engine
 *
 * Then call xsched_engine_sync_queue() for each queue of the list, and
 * xsched_engine_sync_end().
 */
void xsched_engine_sync_begin(struct xsched_engine *engine);

/**
 * xsched_engine_sync_queue() - one queue of the list
 * @engine: engine
 * @queue: as listed; KFD_XSCHED_QUEUE_READY of its state is taken over, and
 *	KFD_XSCHED_QUEUE_DEMOTED, for its process
 *
 * Return: as xsched_engine_queue_add().
 */
int xsched_engine_sync_queue(struct xsched_engine *engine,
			     const struct kfd_xsched_queue *queue);

/**
 * xsched_engine_sync_end() - the list is complete
 * @engine: engine
 *
 * Forgets the queues that were not in the list, and the tenants left without a
 * queue, unless they are held or manual. The caller must find out whether such
 * a process still lives; if not, it calls xsched_engine_process_exit().
 */
void xsched_engine_sync_end(struct xsched_engine *engine);

/* ---- what somebody wants ------------------------------------------------ */

/** xsched_engine_set_priority() - 0, -ENOENT, or -EINVAL outside the scale */
int xsched_engine_set_priority(struct xsched_engine *engine, int32_t pid,
			       int32_t priority);

/**
 * xsched_engine_set_group() - decide about several processes as one
 * @engine: engine
 * @pid: process
 * @group: number that all processes of the group have, and no other; 0: alone
 *
 * A group is held and released together. It is ready if one of its processes
 * is. It has the highest priority of its processes, and the hints of all. Plans
 * still name processes. Requests to hold (xsched_engine_set_manual()) and
 * refusals of the kernel remain those of a single process. One that is demoted is
 * decided about by itself meanwhile.
 *
 * Return: 0, -ENOENT or -ENOMEM.
 */
int xsched_engine_set_group(struct xsched_engine *engine, int32_t pid,
			    uint64_t group);

/** xsched_engine_set_manual() - hold by request, or no longer; 0 or -ENOENT */
int xsched_engine_set_manual(struct xsched_engine *engine, int32_t pid,
			     bool manual);

/** xsched_engine_set_exempt() - leave alone, or no longer; 0 or -ENOENT */
int xsched_engine_set_exempt(struct xsched_engine *engine, int32_t pid,
			     bool exempt);

/** xsched_engine_set_user() - attach a pointer to a tenant; 0 or -ENOENT */
int xsched_engine_set_user(struct xsched_engine *engine, int32_t pid,
			   void *user);

/* ---- what to do --------------------------------------------------------- */

/**
 * xsched_engine_plan() - decide
 * @engine: engine
 * @now_ns: time
 * @plan: out
 *
 * Allocates nothing and cannot fail.
 */
void xsched_engine_plan(struct xsched_engine *engine, uint64_t now_ns,
			struct xsched_plan *plan);

/**
 * xsched_engine_commit() - report the state of one pid of a plan
 * @engine: engine
 * @pid: tenant
 * @state: enum xsched_hold_state it is in now
 * @now_ns: time, for the accounting
 *
 * Does not disturb the arrays of the plan. After a switch that changed
 * nothing, commit nothing.
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_commit(struct xsched_engine *engine, int32_t pid, int state,
			 uint64_t now_ns);

/**
 * xsched_engine_commit_queue() - the same for a queue of a plan
 * @engine: engine
 * @id: queue
 * @state: enum xsched_hold_state it is in now
 * @now_ns: time
 *
 * For @hold_queues and @release_queues of a plan. A commit of a process counts
 * for all its queues.
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_commit_queue(struct xsched_engine *engine, uint64_t id,
			       int state, uint64_t now_ns);

/* ---- what there is ------------------------------------------------------ */

/** xsched_engine_tenants() - number of tenants */
size_t xsched_engine_tenants(const struct xsched_engine *engine);

/**
 * xsched_engine_tenant_at() - describe a tenant by its place
 * @engine: engine
 * @index: below xsched_engine_tenants(); highest priority first, and those demoted last
 * @now_ns: moment up to which to count @held_ns
 * @tenant: out
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_tenant_at(const struct xsched_engine *engine, size_t index,
			    uint64_t now_ns, struct xsched_tenant *tenant);

/** xsched_engine_tenant() - describe a tenant by its pid; 0 or -ENOENT */
int xsched_engine_tenant(const struct xsched_engine *engine, int32_t pid,
			 uint64_t now_ns, struct xsched_tenant *tenant);

/**
 * xsched_engine_preemptions() - number of holds of processes that had work
 * @engine: engine
 */
uint64_t xsched_engine_preemptions(const struct xsched_engine *engine);

/**
 * xsched_engine_node_held() - how long processes were held on a node
 * @engine: engine
 * @gpu_id: node
 * @now_ns: CLOCK_MONOTONIC, for those that are held
 *
 * The sum over all processes, also those that are gone; it never decreases.
 *
 * Return: nanoseconds, 0 for an unknown node.
 */
uint64_t xsched_engine_node_held(const struct xsched_engine *engine,
				 uint32_t gpu_id, uint64_t now_ns);

/**
 * xsched_engine_queue() - process and node of a queue
 * @engine: engine
 * @id: queue
 * @pid: out, its process
 * @gpu_id: out, its node
 *
 * Return: 0 or -ENOENT.
 */
int xsched_engine_queue(const struct xsched_engine *engine, uint64_t id,
			int32_t *pid, uint32_t *gpu_id);

/**
 * xsched_engine_nodes() - nodes on which a process has queues
 * @engine: engine
 * @pid: process
 *
 * Return: a bit for each, by a number that a node keeps as long as the engine lives; 0:
 * none, or no such process.
 */
uint64_t xsched_engine_nodes(const struct xsched_engine *engine, int32_t pid);

/** xsched_engine_queue_node() - the same for a queue: one bit, or 0 */
uint64_t xsched_engine_queue_node(const struct xsched_engine *engine, uint64_t id);

/** xsched_engine_is_switching() - whether XSCHED_SWITCHING was committed last for a process */
bool xsched_engine_is_switching(const struct xsched_engine *engine, int32_t pid);

/** xsched_engine_user() - pointer attached to a tenant, or NULL */
void *xsched_engine_user(const struct xsched_engine *engine, int32_t pid);

#ifdef __cplusplus
}
#endif

#endif /* XSCHED_ENGINE_H */
