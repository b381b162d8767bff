// SPDX-License-Identifier: MIT
/*
 * What the engine knows of: nodes, processes, tenants, units and queues.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine_priv.h"

/* A pid as a key: positive, see xsched_engine_queue_add(). */
struct process *process_find(const struct xsched_engine *engine, int32_t pid)
{
	return xsched_map_find(&engine->processes, (uint32_t)pid);
}

struct queue *queue_find(const struct xsched_engine *engine, uint64_t id)
{
	return xsched_map_find(&engine->queues, id);
}

/* ---- room --------------------------------------------------------------- */

/* Grow one array, whose element has @size bytes, to @room elements. */
static int grow(void *array, size_t room, size_t size)
{
	void *grown, *old;

	memcpy(&old, array, sizeof(old));
	grown = realloc(old, room * size);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

/*
 * Room for one more in each array that xsched_engine_plan() fills. If one
 * fails, those that have grown already do no harm.
 */
static int reserve_process(struct xsched_engine *engine)
{
	size_t room = engine->room ? 2 * engine->room : 16;

	if (engine->processes.count < engine->room)
		return 0;
	if (grow(&engine->order, room, sizeof(*engine->order)) ||
	    grow(&engine->hold, room, sizeof(*engine->hold)) ||
	    grow(&engine->release, room, sizeof(*engine->release)))
		return -ENOMEM;
	engine->room = room;
	return 0;
}

static int reserve_unit(struct xsched_engine *engine)
{
	struct xsched_policy_tenant ***scratch = &engine->view.scratch;
	size_t room = engine->unit_room ? 2 * engine->unit_room : 16;

	if (engine->unit_count < engine->unit_room)
		return 0;
	if (grow(&engine->units, room, sizeof(*engine->units)) ||
	    grow(scratch, room, sizeof(**scratch)))
		return -ENOMEM;
	engine->unit_room = room;
	return 0;
}

static int reserve_queue(struct xsched_engine *engine)
{
	size_t room = engine->queue_room ? 2 * engine->queue_room : 64;

	if (engine->queues.count < engine->queue_room)
		return 0;
	if (grow(&engine->hold_queues, room, sizeof(*engine->hold_queues)) ||
	    grow(&engine->release_queues, room,
		 sizeof(*engine->release_queues)))
		return -ENOMEM;
	engine->queue_room = room;
	return 0;
}

/* ---- units -------------------------------------------------------------- */

void unit_run(struct unit *unit, bool running, uint64_t now_ns)
{
	if (unit->view.running && now_ns > unit->run_since_ns)
		unit->ran_ns += now_ns - unit->run_since_ns;
	if (now_ns > unit->run_since_ns || !unit->view.running)
		unit->run_since_ns = now_ns;
	unit->view.running = running;
}

void unit_forget(struct unit *unit)
{
	memset(unit->view.data, 0, sizeof(unit->view.data));
	unit->entered = false;
}

static bool gangs(const struct xsched_engine *engine)
{
	return engine->option[OPTION_GANG];
}

static size_t unit_index(const struct xsched_engine *engine, unsigned int node)
{
	return gangs(engine) ? 0 : node;
}

static int unit_add(struct xsched_engine *engine, struct tenant *tenant,
		    size_t index)
{
	struct unit *unit;

	if (tenant->units[index])
		return 0;
	if (reserve_unit(engine))
		return -ENOMEM;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return -ENOMEM;
	unit->tenant = tenant;
	tenant->units[index] = unit;
	engine->units[engine->unit_count++] = &unit->view;
	engine->regroup = true;
	return 0;
}

static void unit_remove(struct xsched_engine *engine, struct unit *unit)
{
	struct xsched_policy_tenant **units = engine->units;

	for (size_t i = 0; i < engine->unit_count; i++) {
		if (units[i] != &unit->view)
			continue;
		memmove(&units[i], &units[i + 1],
			(engine->unit_count - i - 1) * sizeof(*units));
		engine->unit_count--;
		break;
	}
	engine->regroup = true;
	free(unit);
}

/* ---- tenants ------------------------------------------------------------ */

static void tenant_free(struct xsched_engine *engine, struct tenant *tenant)
{
	for (size_t i = 0; i < XSCHED_ENGINE_NODES; i++)
		if (tenant->units[i])
			unit_remove(engine, tenant->units[i]);
	if (tenant->group)
		xsched_map_remove(&engine->groups, tenant->group);
	free(tenant);
}

static struct tenant *tenant_new(struct xsched_engine *engine, uint64_t group)
{
	struct tenant *tenant;

	if (group && xsched_map_reserve(&engine->groups))
		return NULL;
	tenant = calloc(1, sizeof(*tenant));
	if (!tenant)
		return NULL;
	/* There is a unit even for a tenant without queues. */
	if (unit_add(engine, tenant, 0)) {
		free(tenant);
		return NULL;
	}
	tenant->group = group;
	if (group)
		xsched_map_insert(&engine->groups, group, tenant);
	return tenant;
}

bool process_counts(const struct process *process)
{
	return !process->manual || process->exempt;
}

/* Whether work of a queue counts: not where nobody can be held for it. */
static bool queue_counts(const struct xsched_engine *engine, const struct queue *queue)
{
	return process_counts(queue->process) && !queue_is_shut(engine, queue);
}

/* What a tenant has from all its processes together. Those demoted are all equal. */
void tenant_refresh(struct xsched_engine *engine, struct tenant *tenant)
{
	struct xsched_policy_tenant all = {
		.pid = INT32_MAX,
		.priority = XSCHED_PRIORITY_MIN,
		.pinned = true,
	};
	bool demoted = false;

	for (size_t i = 0; i < XSCHED_HINT_MAX; i++)
		all.hint[i] = XSCHED_HINT_UNSET;
	for (struct process *p = tenant->processes; p; p = p->next) {
		if (p->pid < all.pid)
			all.pid = p->pid;
		all.pinned &= p->exempt;
		demoted |= p->demoted;
		if (p->demoted) {
			all.priority = XSCHED_PRIORITY_DEFAULT;
			continue;
		}
		if (p->priority > all.priority)
			all.priority = p->priority;
		for (size_t i = 0; i < XSCHED_HINT_MAX; i++)
			if (all.hint[i] == XSCHED_HINT_UNSET)
				all.hint[i] = p->hint[i];
	}
	for (size_t i = 0; i < XSCHED_ENGINE_NODES; i++) {
		if (!tenant->units[i])
			continue;
		tenant->units[i]->view.pid = all.pid;
		tenant->units[i]->view.priority = all.priority;
		tenant->units[i]->exempt = all.pinned;
		tenant->units[i]->demoted = demoted;
		memcpy(tenant->units[i]->view.hint, all.hint, sizeof(all.hint));
		unit_touch(engine, tenant->units[i]);
	}
}

/* ---- queues in units ---------------------------------------------------- */

/* Its work begins to count, or stops. @time_ns: 0 if not known. */
static void count_work(struct xsched_engine *engine, struct queue *queue,
		       bool work, uint64_t time_ns)
{
	uint64_t at_ns = time_ns ? time_ns : engine->now_ns;
	struct unit *unit = queue->unit;
	uint64_t bit = 1ULL << queue->node;
	bool before = unit->work;

	unit_touch(engine, unit);
	if (work) {
		unit->work_on_node[queue->node]++;
		unit->work |= bit;
	} else if (!--unit->work_on_node[queue->node]) {
		unit->work &= ~bit;
		unit->linger |= bit;
		unit->linger_until_ns = at_ns +
			1000 * engine->option[OPTION_SETTLE_US];
	}
	if (!before && unit->work) {
		unit->untimed = !time_ns;
		unit->view.ready_ns = at_ns;
		if (time_ns)
			predict_arrival(unit, time_ns);
	}
	if (before != (unit->work != 0))
		unit_run(unit, unit->work && !unit->held, at_ns);
}

static void enter_unit(struct xsched_engine *engine, struct queue *queue,
		       struct unit *unit)
{
	queue->unit = unit;
	if (!unit->on_node[queue->node]++)
		engine->regroup = true;
	unit->view.nodes |= 1ULL << queue->node;
	if (unit->wanted || queue->state != XSCHED_RELEASED)
		unit_open(engine, unit);
	if (queue->ready && queue_counts(engine, queue))
		count_work(engine, queue, true, 0);
}

static void leave_unit(struct xsched_engine *engine, struct queue *queue)
{
	struct unit *unit = queue->unit;

	if (queue->ready && queue_counts(engine, queue))
		count_work(engine, queue, false, 0);
	if (!--unit->on_node[queue->node]) {
		unit->view.nodes &= ~(1ULL << queue->node);
		unit->linger &= unit->view.nodes;
		engine->regroup = true;
	}
}

void process_set_flags(struct xsched_engine *engine, struct process *process,
		       bool manual, bool exempt)
{
	bool counted = process_counts(process);

	process->manual = manual;
	process->exempt = exempt;
	for (struct queue *q = process->queues; q; q = q->next)
		if (q->ready && counted != process_counts(process) && !queue_is_shut(engine, q))
			count_work(engine, q, !counted, 0);
	unit_open(engine, process->tenant->units[0]);
	tenant_refresh(engine, process->tenant);
}

/* ---- processes ---------------------------------------------------------- */

static bool comes_before(const struct process *a, const struct process *b)
{
	if (a->demoted != b->demoted)
		return b->demoted;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->pid < b->pid;
}

/* Put @process into the first @count elements of the order, which are sorted. */
static void order_insert(struct xsched_engine *engine, size_t count,
			 struct process *process)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (comes_before(engine->order[middle], process))
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&engine->order[low + 1], &engine->order[low],
		(count - low) * sizeof(*engine->order));
	engine->order[low] = process;
}

/* By address: the key it was sorted by may have changed. */
static void order_remove(struct xsched_engine *engine,
			 const struct process *process)
{
	size_t count = engine->processes.count;

	for (size_t i = 0; i < count; i++) {
		if (engine->order[i] != process)
			continue;
		memmove(&engine->order[i], &engine->order[i + 1],
			(count - i - 1) * sizeof(*engine->order));
		return;
	}
}

void process_place(struct xsched_engine *engine, struct process *process)
{
	order_remove(engine, process);
	order_insert(engine, engine->processes.count - 1, process);
}

static void tenant_enter(struct xsched_engine *engine, struct tenant *tenant,
			 struct process *process)
{
	process->tenant = tenant;
	process->next = tenant->processes;
	tenant->processes = process;
	tenant_refresh(engine, tenant);
}

static void tenant_leave(struct xsched_engine *engine, struct process *process)
{
	struct tenant *tenant = process->tenant;
	struct process **link = &tenant->processes;

	while (*link != process)
		link = &(*link)->next;
	*link = process->next;
	if (tenant->processes)
		tenant_refresh(engine, tenant);
	else
		tenant_free(engine, tenant);
}

int process_add(struct xsched_engine *engine, int32_t pid, struct process **out)
{
	struct process *process;
	struct tenant *tenant;

	if (reserve_process(engine) || xsched_map_reserve(&engine->processes))
		return -ENOMEM;
	process = calloc(1, sizeof(*process));
	tenant = process ? tenant_new(engine, 0) : NULL;
	if (!tenant) {
		free(process);
		return -ENOMEM;
	}
	process->pid = pid;
	process->priority = XSCHED_PRIORITY_DEFAULT;
	for (size_t i = 0; i < XSCHED_HINT_MAX; i++)
		process->hint[i] = XSCHED_HINT_UNSET;
	tenant_enter(engine, tenant, process);
	order_insert(engine, engine->processes.count, process);
	xsched_map_insert(&engine->processes, (uint32_t)pid, process);
	*out = process;
	return 0;
}

void process_remove(struct xsched_engine *engine, struct process *process)
{
	if (engine->gone)
		engine->gone(engine->context, process->pid, process->user);
	while (process->queues)
		queue_remove(engine, process->queues);
	process->state = XSCHED_RELEASED;
	process_account(engine, process, engine->now_ns);
	tenant_leave(engine, process);
	order_remove(engine, process);
	xsched_map_remove(&engine->processes, (uint32_t)process->pid);
	free(process);
}

/* Units for all queues of @process in @tenant; 0 or -ENOMEM. */
static int add_units(struct xsched_engine *engine, struct tenant *tenant,
		     const struct process *process)
{
	for (const struct queue *q = process->queues; q; q = q->next)
		if (unit_add(engine, tenant, unit_index(engine, q->node)))
			return -ENOMEM;
	return 0;
}

/* Its queues into the units of @to that add_units() made. */
static void move_queues(struct xsched_engine *engine, struct process *process,
			const struct tenant *to)
{
	for (struct queue *q = process->queues; q; q = q->next) {
		struct unit *unit = to->units[unit_index(engine, q->node)];

		/* It runs, or does not, by what it gets work from. */
		if (!unit->work)
			unit->held = q->unit->held;
		leave_unit(engine, q);
		enter_unit(engine, q, unit);
	}
}

/* Into the tenant it is to be part of. */
static int process_join(struct xsched_engine *engine, struct process *process)
{
	uint64_t group = process->demoted ? 0 : process->group;
	struct tenant *to = NULL;

	if (process->tenant->group == group)
		return 0;
	if (group)
		to = xsched_map_find(&engine->groups, group);
	if (!to)
		to = tenant_new(engine, group);
	if (!to)
		return -ENOMEM;
	if (add_units(engine, to, process)) {
		if (!to->processes)
			tenant_free(engine, to);
		return -ENOMEM;
	}
	move_queues(engine, process, to);
	tenant_leave(engine, process);
	tenant_enter(engine, to, process);
	unit_open(engine, to->units[0]);
	return 0;
}

int process_set_group(struct xsched_engine *engine, struct process *process,
		      uint64_t group)
{
	uint64_t former = process->group;
	int ret;

	process->group = group;
	ret = process_join(engine, process);
	if (ret)
		process->group = former;
	return ret;
}

/* For how long it waited, and what it saved up, counts no more. */
static void tenant_forget(struct tenant *tenant)
{
	for (size_t i = 0; i < XSCHED_ENGINE_NODES; i++) {
		if (!tenant->units[i])
			continue;
		unit_forget(tenant->units[i]);
		tenant->units[i]->wait_since_ns = 0;
		tenant->units[i]->floor_until_ns = 0;
	}
}

int process_set_demoted(struct xsched_engine *engine, struct process *process,
			bool demoted)
{
	int ret;

	if (process->demoted == demoted)
		return 0;
	process->demoted = demoted;
	ret = process_join(engine, process);
	if (ret) {
		process->demoted = !demoted;
		return ret;
	}
	if (!process->tenant->group)
		tenant_forget(process->tenant);
	process_place(engine, process);
	tenant_refresh(engine, process->tenant);
	engine->regroup = true;
	return 0;
}

/* Remove units without a queue, but not the first. */
static void drop_units(struct xsched_engine *engine, struct tenant *tenant)
{
	for (size_t i = 1; i < XSCHED_ENGINE_NODES; i++) {
		if (!tenant->units[i] || tenant->units[i]->view.nodes)
			continue;
		unit_remove(engine, tenant->units[i]);
		tenant->units[i] = NULL;
	}
}

/* Queues of it were held by themselves; now hold or release the process. */
static void doubt_queues(struct process *process)
{
	for (const struct queue *q = process->queues; q; q = q->next)
		if (q->state != XSCHED_RELEASED &&
		    process->state == XSCHED_RELEASED)
			process->state = XSCHED_UNCERTAIN;
}

int tenant_regroup_all(struct xsched_engine *engine, bool gang)
{
	bool before = gangs(engine);
	int ret = 0;

	/* First all steps that can fail. */
	engine->option[OPTION_GANG] = gang;
	for (size_t i = 0; !ret && i < engine->processes.count; i++)
		ret = add_units(engine, engine->order[i]->tenant,
				engine->order[i]);
	if (ret)
		engine->option[OPTION_GANG] = before;
	for (size_t i = 0; !ret && i < engine->processes.count; i++) {
		struct process *process = engine->order[i];
		struct tenant *tenant = process->tenant;

		move_queues(engine, process, tenant);
		if (gang)
			doubt_queues(process);
	}
	for (size_t i = 0; i < engine->processes.count; i++) {
		struct tenant *tenant = engine->order[i]->tenant;

		drop_units(engine, tenant);
		tenant_refresh(engine, tenant);
		unit_open(engine, tenant->units[0]);
	}
	engine->regroup = true;
	return ret;
}

/* ---- queues ------------------------------------------------------------- */

static int node_find(const struct xsched_engine *engine, uint32_t gpu_id)
{
	for (unsigned int i = 0; i < engine->node_count; i++)
		if (engine->gpu_ids[i] == gpu_id)
			return i;
	return -ENOENT;
}

static int node_index(struct xsched_engine *engine, uint32_t gpu_id)
{
	int node = node_find(engine, gpu_id);

	if (node >= 0)
		return node;
	if (engine->node_count == XSCHED_ENGINE_NODES)
		return -ENOSPC;
	engine->gpu_ids[engine->node_count] = gpu_id;
	return engine->node_count++;
}

static void shut_process(struct xsched_engine *engine, const struct process *process,
			 unsigned int node, bool shut)
{
	for (struct queue *q = process->queues; q; q = q->next)
		if (q->node == node && q->ready && process_counts(process))
			count_work(engine, q, !shut, 0);
}

int node_set_shut(struct xsched_engine *engine, uint32_t gpu_id, bool shut)
{
	int node = node_find(engine, gpu_id);
	uint64_t bit;

	if (node < 0 && !shut)
		return 0;
	node = node_index(engine, gpu_id);
	if (node < 0)
		return node;
	bit = 1ULL << node;
	if (!(engine->shut & bit) == !shut)
		return 0;
	for (size_t i = 0; i < engine->processes.count; i++)
		shut_process(engine, engine->order[i], node, shut);
	engine->shut ^= bit;
	engine->regroup = true;
	return 1;
}

/* KFD's limit is 1024 queues a process; a unit counts those of a group. */
static bool unit_full(const struct unit *unit, unsigned int node)
{
	return unit && unit->on_node[node] == UINT16_MAX;
}

int queue_add(struct xsched_engine *engine, struct process *process,
	      uint64_t id, uint32_t gpu_id)
{
	struct tenant *tenant = process->tenant;
	int node = node_index(engine, gpu_id);
	struct queue *queue;
	size_t index;

	if (node < 0)
		return node;
	index = unit_index(engine, node);
	if (unit_full(tenant->units[index], node))
		return -ENOSPC;
	if (reserve_queue(engine) || xsched_map_reserve(&engine->queues) ||
	    unit_add(engine, tenant, index))
		return -ENOMEM;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	queue->id = id;
	queue->process = process;
	queue->node = node;
	/* Created held, if the process is held. */
	queue_set_state(queue, process->state);
	queue->next = process->queues;
	queue->link = &process->queues;
	if (queue->next)
		queue->next->link = &queue->next;
	process->queues = queue;
	process->queue_count++;
	if (process->counting && process->state != XSCHED_RELEASED)
		process->held_nodes |= 1ULL << node;
	enter_unit(engine, queue, tenant->units[index]);
	tenant_refresh(engine, tenant);
	xsched_map_insert(&engine->queues, id, queue);
	return 0;
}

void queue_set_state(struct queue *queue, int state)
{
	queue->process->switching += (state == XSCHED_SWITCHING) -
				     (queue->state == XSCHED_SWITCHING);
	queue->state = state;
}

void queue_remove(struct xsched_engine *engine, struct queue *queue)
{
	struct process *process = queue->process;

	queue_set_ready(engine, queue, false, 0);
	leave_unit(engine, queue);
	process->queue_count--;
	/* What had to wait for it need not any more. */
	if (queue->state == XSCHED_SWITCHING)
		unit_open(engine, queue->unit);
	queue_set_state(queue, XSCHED_RELEASED);
	*queue->link = queue->next;
	if (queue->next)
		queue->next->link = queue->link;
	xsched_map_remove(&engine->queues, queue->id);
	free(queue);
}

void queue_set_ready(struct xsched_engine *engine, struct queue *queue,
		     bool ready, uint64_t time_ns)
{
	struct process *process = queue->process;

	if (queue->ready == ready)
		return;
	queue->ready = ready;
	process->ready_count += ready ? 1 : -1;
	if (queue_counts(engine, queue))
		count_work(engine, queue, ready, time_ns);
}
