// SPDX-License-Identifier: MIT
/*
 * A GPU node: the model, its firmware's list of queues, and the driver's
 * transactions with it. A transaction is what amdkfd's patched APPLY does under
 * HWS: set the grace, take every queue off (UNMAP_QUEUES), wait for the fence
 * (QUERY_STATUS), build a runlist of the queues not held, send it (RUN_LIST).
 * The driver does not wait for the last step.
 */
#include <stdlib.h>

#include "world/memory.h"
#include "world/world.h"

#define PAGE		4096

/* Save areas have addresses apart from the memory of the program itself. */
#define SAVE_BASE	(1ULL << 62)
#define SAVE_VA(q)	(SAVE_BASE | (q)->id << 32)

/* Packets to the firmware before it unmaps: grace and UNMAP_QUEUES. */
#define UNMAP_PACKETS	2

/* amdkfd's pipe_priority_map: 0..6 low, 7..10 medium, 11..15 high. */
static u32 pipe_priority(u32 kfd_priority)
{
	return kfd_priority < 7 ? 0 : kfd_priority < 11 ? 1 : 2;
}

/* ---- the model's surroundings ------------------------------------------- */

static struct node *node_of(void *owner)
{
	return owner;
}

/* A page of a save area; most of it is never written. */
static void *save_page(struct user_queue *q, u64 offset)
{
	u32 page = (u32)(offset / PAGE), i;

	if (offset >= q->aql.sim.save_bytes)
		return NULL;
	if (page >= q->save_pages) {
		q->save = memory_grow(q->save, page + 1, sizeof(*q->save));
		for (i = q->save_pages; i <= page; i++)
			q->save[i] = NULL;
		q->save_pages = page + 1;
	}
	if (!q->save[page])
		q->save[page] = memory_new(1, PAGE);
	return q->save[page] + offset % PAGE;
}

/* The rest of the process's memory is ours: addresses are pointers. */
static void *op_memory(struct sim_queue *sim, u64 va, u32 bytes, bool write)
{
	struct user_queue *q = user_queue(sim);

	(void)bytes;
	if (write && va == q->aql.rptr_va)
		q->world->news->kick(q, q->node->gpu.now);
	if (va >= SAVE_BASE)
		return save_page(q, va - SAVE_VA(q));
	return (void *)(uintptr_t)va;
}

static void op_interrupt(struct sim_queue *sim, u32 context)
{
	struct user_queue *q = user_queue(sim);
	u64 t = q->node->gpu.now;

	(void)context;
	q->world->news->interrupt(q, t + q->node->gpu.profile->interrupt_ns);
}

static u64 op_ticks(void *owner, u64 t_ns)
{
	return t_ns * node_of(owner)->gpu.profile->ticks_mhz / 1000;
}

static void op_saved(struct sim_queue *sim, u32 image_bytes, u64 state_bytes)
{
	struct user_queue *q = user_queue(sim);

	(void)state_bytes;
	q->image_bytes = image_bytes;
}

/* Programs here write valid packets: a fault is a bug, and ends the run. */
static void op_fault(struct sim_queue *sim, const char *why)
{
	struct user_queue *q = user_queue(sim);

	q->node->queue_faults++;
	world_fail(q->world, "queue %llu of %s halted: %s %s", (unsigned long long)q->id,
		   q->process->group->scn->name, why, sim->blame ? sim->blame : "");
}

static void op_preempted(void *owner, u64 t)
{
	sim_sched_preempted(&node_of(owner)->sched, t);
}

static const struct sim_ops gpu_ops = {
	.memory = op_memory,
	.interrupt = op_interrupt,
	.ticks = op_ticks,
	.saved = op_saved,
	.fault = op_fault,
	.preempted = op_preempted,
};

/* ---- the firmware's surroundings ---------------------------------------- */

static struct sim_queue *op_map(void *owner, struct sim_sched_entry *e, u64 t)
{
	struct user_queue *q = container_of(e, struct user_queue, entry);
	struct node *n = node_of(owner);

	q->aql.sim.vmid = (u32)e->process->vmid;
	if (sim_queue_map(&n->gpu, &q->aql.sim, t, q->image_bytes) == SIM_NEVER)
		return NULL;
	return &q->aql.sim;
}

static void op_forgotten(void *owner, struct sim_sched_entry *e)
{
	(void)owner;
	container_of(e, struct user_queue, entry)->listed = false;
}

static void op_applied(void *owner, u64 t)
{
	struct node *n = node_of(owner);
	const struct costs *costs = &n->world->scn->costs;

	if (n->txn != TXN_UNMAP)
		return;		/* a runlist was read: the driver does not wait for that */
	n->txn = TXN_FENCE;
	agenda_set(&n->world->agenda, &n->txn_event,
		   t + sim_packet_ns(&n->gpu) + costs->unmap - costs->unmap / 2);
}

static const struct sim_sched_ops sched_ops = {
	.map = op_map,
	.forgotten = op_forgotten,
	.applied = op_applied,
};

/* ---- time --------------------------------------------------------------- */

void node_changed(struct node *n, u64 t)
{
	u64 next = sim_next_event(&n->gpu), quantum = sim_sched_next_event(&n->sched);

	if (quantum < next)
		next = quantum;
	agenda_set(&n->world->agenda, &n->event, next == SIM_NEVER || next > t ? next : t);
}

static bool any_listed(const struct node *n)
{
	u32 i;

	for (i = 0; i < n->count; i++)
		if (n->queues[i]->listed)
			return true;
	return false;
}

/* UNMAP_QUEUES, once the firmware has time for it. */
static void unmap(struct node *n, u64 t)
{
	u32 i;

	if (n->txn != TXN_BEGIN || sim_sched_busy(&n->sched))
		return;
	n->txn = TXN_UNMAP;
	for (i = 0; i < n->count; i++)
		if (n->queues[i]->listed)
			sim_sched_remove(&n->sched, &n->queues[i]->entry);
	for (i = 0; i < n->process_count; i++)
		n->processes[i].listed = false;
	sim_sched_apply(&n->sched, t, n->grace_ns);
}

static void on_event(struct event *event, u64 t)
{
	struct node *n = container_of(event, struct node, event);

	sim_advance(&n->gpu, t);
	sim_sched_step(&n->sched, t);
	if (n->txn == TXN_BEGIN && n->txn_event.at == SIM_NEVER)
		unmap(n, t);
	node_changed(n, t);
}

/* RUN_LIST: the queues not held, process by process. */
static void load(struct node *n, u64 t)
{
	u32 i, entries = 0;

	for (i = 0; i < n->count; i++) {
		struct user_queue *q = n->queues[i];
		struct node_process *p = &n->processes[q->node_process];

		if (q->held)
			continue;
		entries += 1 + !p->listed;
		if (!p->listed)
			sim_sched_add_process(&n->sched, &p->entry);
		p->listed = true;
		sim_sched_add(&n->sched, &p->entry, &q->entry);
		q->listed = true;
	}
	sim_advance(&n->gpu, t);
	sim_sched_apply(&n->sched, t + sim_runlist_ns(&n->gpu, entries), n->sched.grace_ns);
	node_changed(n, t);
}

static void on_load(struct event *event, u64 t)
{
	load(container_of(event, struct node, load_event), t);
}

/* ---- transactions ------------------------------------------------------- */

void node_switch(struct node *n, u64 t, u64 grace_ns)
{
	const struct costs *costs = &n->world->scn->costs;
	u64 at = t + costs->unmap / 2, packets = 0;
	u32 i;

	for (i = 0; i < UNMAP_PACKETS; i++)
		packets += sim_packet_ns(&n->gpu);
	n->txn_begin = t;
	n->grace_ns = grace_ns;
	if (n->load_event.at != SIM_NEVER && n->load_event.at > at)
		at = n->load_event.at;	/* packets are taken one after the other */
	if (n->load_event.at != SIM_NEVER || any_listed(n)) {
		n->txn = TXN_BEGIN;
		agenda_set(&n->world->agenda, &n->txn_event, at + packets);
		return;
	}
	/* nothing is on the GPU: there is only a runlist to send */
	n->txn = TXN_FENCE;
	agenda_set(&n->world->agenda, &n->txn_event, t);
}

static void finish(struct node *n, u64 t)
{
	u32 i;

	n->txn = TXN_NONE;
	n->mapped_ns = t;
	agenda_set(&n->world->agenda, &n->load_event, t + sim_packet_ns(&n->gpu));
	for (i = 0; i < n->count; i++)
		n->world->news->kick(n->queues[i], t);
	n->world->news->switched(n->world, t);
}

static void on_txn(struct event *event, u64 t)
{
	struct node *n = container_of(event, struct node, txn_event);
	u32 i;

	switch (n->txn) {
	case TXN_BEGIN:
		sim_advance(&n->gpu, t);
		unmap(n, t);
		node_changed(n, t);
		break;
	case TXN_FENCE:
		for (i = 0; i < n->count; i++)
			n->queues[i]->held = n->queues[i]->want_held;
		if (t > n->txn_begin)
			n->save_ns = t - n->txn_begin;
		n->txn = TXN_MAP;
		agenda_set(&n->world->agenda, event, t + n->world->scn->costs.map);
		break;
	case TXN_MAP:
		finish(n, t);
		break;
	case TXN_UNMAP:
	case TXN_NONE:
		break;
	}
}

/* ---- set up ------------------------------------------------------------- */

static int by_process(const void *a, const void *b)
{
	const struct user_queue *x = *(struct user_queue *const *)a;
	const struct user_queue *y = *(struct user_queue *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

void node_init(struct node *n, struct world *w, u32 index)
{
	n->world = w;
	n->index = index;
	agenda_make(&w->agenda, &n->event, on_event);
	agenda_make(&w->agenda, &n->txn_event, on_txn);
	agenda_make(&w->agenda, &n->load_event, on_load);
	sim_gpu_init(&n->gpu, &w->scn->profile, &gpu_ops, n);
	/* amdkfd's VMIDs on these parts begin with 3 */
	sim_sched_init(&n->sched, &n->gpu, &sched_ops, n, 3);
	n->sched.grace_ns = sim_grace_ns(n->gpu.profile, n->gpu.profile->grace_default);
}

static void prepare_queue(struct node *n, struct user_queue *q)
{
	const struct scenario_process *scn = q->process->group->scn;
	struct sim_queue *sim = &q->aql.sim;
	const char *bad;

	sim->type = SIM_QUEUE_COMPUTE;
	sim->priority = pipe_priority(scn->kfd_priority);
	sim->queue_priority = scn->kfd_priority;
	sim->save_va = SAVE_VA(q);
	sim->save_bytes = (u32)sim_save_bytes(n->gpu.profile);
	q->entry.pool = 0;	/* compute */
	bad = sim_aql_check(&q->aql, n->gpu.profile);
	if (bad)
		world_fail(n->world, "the model refuses a queue: %s", bad);
}

void node_start(struct node *n)
{
	const struct process *before = NULL;
	u32 i;

	if (!n->count)
		return;
	qsort(n->queues, n->count, sizeof(*n->queues), by_process);
	n->processes = memory_new(n->count, sizeof(*n->processes));
	for (i = 0; i < n->count; i++) {
		if (n->queues[i]->process != before)
			n->processes[n->process_count++].entry.key = n->queues[i]->id;
		before = n->queues[i]->process;
		n->queues[i]->node_process = n->process_count - 1;
		prepare_queue(n, n->queues[i]);
	}
	load(n, 0);
}

void node_free(struct node *n)
{
	free(n->queues);
	free(n->processes);
}
