// SPDX-License-Identifier: MIT
/*
 * Deciding: the policy says which units ought to be held, options add rules for
 * all policies, and the plan is the difference to what was committed.
 *
 *   work        which nodes have work that counts
 *   settle_us   a node counts for a while after its work
 *   predictor   and for a while before it
 *   floor       a unit that waited too long runs, and others are held for it
 *   policy      decides about the rest
 *   min_hold_us a unit that is held stays so for a while
 *
 * All of this is done region by region, where something changed or it is time. In
 * a region, it is done for the units that are not demoted, as if there were no
 * others. Then it is done for those that are: where one of the first has work, they
 * are held, and about the rest the policy decides as if it were all.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>

#include "engine_priv.h"

/* Set what the policy sees of a unit. Returns when that changes by itself. */
static uint64_t prepare(struct xsched_engine *engine, struct unit *unit)
{
	struct xsched_policy_tenant *view = &unit->view;
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	uint64_t expected;

	if (unit->untimed && unit->work) {
		view->ready_ns = engine->now_ns;
		unit->run_since_ns = engine->now_ns;
		predict_arrival(unit, engine->now_ns);
	}
	unit->untimed = false;
	unit_run(unit, view->running, engine->now_ns);
	view->ran_ns = unit->ran_ns - unit->told_ns;
	unit->told_ns = unit->ran_ns;
	view->ready = unit->work;
	view->expected = false;
	if (unit->linger && engine->now_ns < unit->linger_until_ns) {
		view->ready |= unit->linger;
		next_ns = unit->linger_until_ns;
	} else {
		unit->linger = 0;
	}
	if (unit->work || !view->nodes)
		return next_ns;
	expected = predict(engine, unit, &next_ns);
	if (expected) {
		view->expected = true;
		view->ready = view->nodes & ~engine->shut;
		view->ready_ns = expected;
	}
	return next_ns;
}

/* Whether a unit is to be held. @next_ns: lowered to when a hold must end. */
static void conclude(struct xsched_engine *engine, struct unit *unit,
		     uint64_t *next_ns)
{
	uint64_t least = 1000 * engine->option[OPTION_MIN_HOLD_US];
	bool hold = unit->forced || (unit->view.hold && !unit->view.pinned);

	if (unit->wanted && !hold && !unit->view.pinned &&
	    engine->now_ns < unit->wanted_since_ns + least) {
		hold = true;
		*next_ns = earlier(*next_ns, unit->wanted_since_ns + least);
	}
	if (hold != unit->wanted) {
		unit->wanted_since_ns = engine->now_ns;
		unit->open = true;
	}
	unit->wanted = hold;
	if (unit->open)
		__builtin_prefetch(unit->tenant);
	if (!hold || !unit->work || unit->demoted) {
		unit->wait_since_ns = 0;
		return;
	}
	if (unit->wait_since_ns)
		return;
	unit->wait_since_ns = engine->now_ns ? engine->now_ns : 1;
	if (engine->option[OPTION_FLOOR_PERCENT] && !unit->exempt)
		*next_ns = earlier(*next_ns, floor_due(engine, unit));
}

/*
 * Decide about the view. All of it is held on the nodes @taken, to which those are added
 * where it has work. Returns when to decide again.
 */
static uint64_t decide(struct xsched_engine *engine, uint64_t *taken)
{
	struct xsched_policy_view *view = &engine->view;
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	uint64_t ready = 0;

	view->now_ns = engine->now_ns;
	for (size_t i = 0; i < view->count; i++) {
		unit_await(view->tenants, i, view->count);
		next_ns = earlier(next_ns,
				  prepare(engine, unit_of(view->tenants[i])));
		ready |= view->tenants[i]->ready;
	}
	next_ns = earlier(next_ns, floor_apply(engine, *taken));
	*taken |= ready;
	for (size_t i = 0; i < view->count; i++) {
		struct unit *unit = unit_of(view->tenants[i]);

		unit->view.hold = false;
		unit->view.pinned = unit->exempt || unit->floor_until_ns;
		if (!unit->entered && engine->policy->enter)
			engine->policy->enter(view, &unit->view);
		unit->entered = true;
	}
	next_ns = earlier(next_ns, engine->policy->decide(view));
	for (size_t i = 0; i < view->count; i++)
		conclude(engine, unit_of(view->tenants[i]), &next_ns);
	return next_ns;
}

static void plan_process(struct xsched_engine *engine,
			 const struct process *process, bool hold,
			 struct xsched_plan *plan)
{
	if (hold && process->state != XSCHED_HELD)
		engine->hold[plan->hold_count++] = process->pid;
	else if (!hold && process->state != XSCHED_RELEASED)
		engine->release[plan->release_count++] = process->pid;
}

/* Without gangs: plan each queue by the decision about its node. */
static void plan_queues(struct xsched_engine *engine,
			const struct process *process, struct xsched_plan *plan)
{
	for (const struct queue *q = process->queues; q; q = q->next) {
		bool hold = q->unit->wanted && !queue_is_shut(engine, q);

		if (q->state == XSCHED_SWITCHING)
			continue;
		if (hold && q->state != XSCHED_HELD)
			engine->hold_queues[plan->hold_queue_count++] = q->id;
		else if (!hold && q->state != XSCHED_RELEASED)
			engine->release_queues[plan->release_queue_count++] =
				q->id;
	}
}

/* Whether it may be held: not if all its queues are on nodes where nothing can be. */
static bool can_hold(const struct xsched_engine *engine, const struct process *process)
{
	if (!engine->shut || !process->queues)
		return true;
	for (const struct queue *q = process->queues; q; q = q->next)
		if (!queue_is_shut(engine, q))
			return true;
	return false;
}

/* Plan the changes of one process, in the region it was found in. */
static void consider(struct xsched_engine *engine, struct region *region,
		     const struct process *process, struct xsched_plan *plan)
{
	bool gang = engine->option[OPTION_GANG];
	bool hold = process->manual;

	if (process->exempt || process->state == XSCHED_SWITCHING)
		return;
	if (gang)
		hold |= process->tenant->units[0]->wanted;
	hold = hold && can_hold(engine, process);
	/* A switch of one of its queues is on its way: first see what it comes to. */
	if (process->switching && (hold || process->state != XSCHED_RELEASED))
		return;
	plan_process(engine, process, hold, plan);
	if (gang || hold)
		return;
	/* Releasing the process releases all its queues: look again. */
	if (process->state != XSCHED_RELEASED)
		region->next_ns = engine->now_ns;
	else
		plan_queues(engine, process, plan);
}

static size_t length(const struct xsched_plan *plan)
{
	return plan->hold_count + plan->release_count +
	       plan->hold_queue_count + plan->release_queue_count;
}

/* Returns whether any of its processes is in the plan; then it stays open. */
static bool plan_unit(struct xsched_engine *engine, struct region *region,
		      const struct unit *unit, struct xsched_plan *plan)
{
	size_t before = length(plan);

	for (struct process *p = unit->tenant->processes; p; p = p->next) {
		/* Without gangs, a process has several units. */
		if (p->planned == engine->plans)
			continue;
		p->planned = engine->plans;
		consider(engine, region, p, plan);
	}
	return length(plan) != before;
}

static void decide_region(struct xsched_engine *engine, struct region *region)
{
	struct xsched_policy_view *view = &engine->view;
	uint64_t taken = 0;

	view->tenants = engine->units + region->begin;
	view->count = region->count - region->demoted;
	region->next_ns = decide(engine, &taken);
	if (!region->demoted)
		return;
	/* Such a policy may hold everywhere for work on one node. */
	if (taken && !engine->policy->local)
		taken = UINT64_MAX;
	view->tenants += view->count;
	view->count = region->demoted;
	region->next_ns = earlier(region->next_ns, decide(engine, &taken));
}

static void plan_region(struct xsched_engine *engine, struct region *region,
			struct xsched_plan *plan)
{
	struct xsched_policy_tenant **units = engine->units + region->begin;

	region->changed = false;
	for (size_t i = 0; i < region->count; i++) {
		struct unit *unit = unit_of(units[i]);

		if (i + AHEAD < region->count && unit_of(units[i + AHEAD])->open)
			__builtin_prefetch(unit_of(units[i + AHEAD])->tenant->processes);
		if (!unit->open)
			continue;
		unit->open = plan_unit(engine, region, unit, plan);
		region->changed |= unit->open;
	}
}

/* Decide about all first: without gangs, a process may be in several. */
static void plan_regions(struct xsched_engine *engine, struct xsched_plan *plan)
{
	bool due[XSCHED_ENGINE_NODES + 1];

	for (unsigned int i = 0; i < engine->region_count; i++) {
		struct region *region = &engine->regions[i];

		due[i] = region->changed || engine->now_ns >= region->next_ns;
		if (due[i])
			decide_region(engine, region);
	}
	for (unsigned int i = 0; i < engine->region_count; i++) {
		struct region *region = &engine->regions[i];

		if (due[i])
			plan_region(engine, region, plan);
		plan->deadline_ns = earlier(plan->deadline_ns, region->next_ns);
	}
}

void xsched_engine_plan(struct xsched_engine *engine, uint64_t now_ns,
			struct xsched_plan *plan)
{
	*plan = (struct xsched_plan){
		.hold = engine->hold,
		.release = engine->release,
		.hold_queues = engine->hold_queues,
		.release_queues = engine->release_queues,
		.deadline_ns = XSCHED_NO_DEADLINE,
	};
	if (now_ns > engine->now_ns)
		engine->now_ns = now_ns;
	if (engine->regroup)
		regions_build(engine);
	engine->plans++;
	plan_regions(engine, plan);
}

/* ---- what became of it -------------------------------------------------- */

/* A hold by request is of one process, and not accounted to its unit. */
static void commit_unit(struct xsched_engine *engine,
			const struct process *process, struct unit *unit,
			int state, uint64_t now_ns)
{
	unit_open(engine, unit);
	if (state == XSCHED_HELD && process->manual)
		return;
	unit->held = state == XSCHED_HELD;
	unit_run(unit, unit->work && !unit->held, now_ns);
}

static bool is_state(int state)
{
	return state >= XSCHED_RELEASED && state <= XSCHED_SWITCHING;
}

/* All that is accounted for stays as it was until it is known what the switch came to. */
static void commit_switching(struct process *process)
{
	process->state = XSCHED_SWITCHING;
	for (struct queue *q = process->queues; q; q = q->next)
		queue_set_state(q, XSCHED_SWITCHING);
}

int xsched_engine_commit(struct xsched_engine *engine, int32_t pid, int state,
			 uint64_t now_ns)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	if (!is_state(state))
		return -EINVAL;
	if (now_ns > engine->now_ns)
		engine->now_ns = now_ns;
	if (state == XSCHED_SWITCHING) {
		commit_switching(process);
		return 0;
	}
	process->state = state;
	unit_open(engine, process->tenant->units[0]);
	for (struct queue *q = process->queues; q; q = q->next) {
		queue_set_state(q, state);
		commit_unit(engine, process, q->unit, state, now_ns);
	}
	process_account(engine, process, now_ns);
	return 0;
}

int xsched_engine_commit_queue(struct xsched_engine *engine, uint64_t id,
			       int state, uint64_t now_ns)
{
	struct queue *queue = queue_find(engine, id);

	if (!queue)
		return -ENOENT;
	if (!is_state(state))
		return -EINVAL;
	if (now_ns > engine->now_ns)
		engine->now_ns = now_ns;
	queue_set_state(queue, state);
	if (state == XSCHED_SWITCHING)
		return 0;
	commit_unit(engine, queue->process, queue->unit, state, now_ns);
	process_account(engine, queue->process, now_ns);
	return 0;
}
