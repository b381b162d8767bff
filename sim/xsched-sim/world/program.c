// SPDX-License-Identifier: MIT
/*
 * Programs: threads that feed a queue each, as the benchmark's programs in the
 * guest do. A thread writes the packets of a request, or waits for its oldest
 * request, or sleeps until the next one comes; each takes its time (costs.h).
 */
#include <stdlib.h>
#include <string.h>

#include "world/memory.h"
#include "world/world.h"

/* Callbacks of the model. */
#define RING_ALIGN	256

#define ITEMS_PER_WAVE(q)	((q)->world->scn->profile.wave_lanes)

static const struct scenario_process *scn_of(const struct user_queue *q)
{
	return q->process->group->scn;
}

static const struct costs *costs_of(const struct user_queue *q)
{
	return &q->world->scn->costs;
}

/* ---- requests ----------------------------------------------------------- */

static struct request *new_request(struct user_queue *q)
{
	struct program *p = &q->program;
	struct request *r;

	if (p->submitted == p->room) {
		p->room = p->room ? 2 * p->room : 16;
		p->requests = memory_grow(p->requests, p->room, sizeof(*p->requests));
	}
	r = &p->requests[p->submitted];
	*r = (struct request){ 0 };
	r->log = memory_new(scenario_request_kernels(scn_of(q)), sizeof(*r->log));
	return r;
}

/* One packet. The header makes it valid, so it comes last. */
static void write_packet(struct user_queue *q, const struct scenario_kernel *k,
			 struct vgpu_log *log, union signal *signal)
{
	const struct scenario_process *scn = scn_of(q);
	u64 at = q->program.written++ & (q->aql.packets - 1);
	struct sim_aql_packet *packet = &q->packets[at];
	u32 items = k->waves * ITEMS_PER_WAVE(q);

	q->args[at] = (struct vgpu_spin){
		.workgroup_ns = k->workgroup_ns,
		.log = (uintptr_t)log,
		.ticket = (uintptr_t)&q->program.ticket,
		.spread = k->spread,
	};
	packet->setup = 1;	/* dimensions */
	packet->dispatch = (struct sim_aql_dispatch){
		.workgroup = { (u16)items, 1, 1 },
		.grid = { k->workgroups * items, 1, 1 },
		.group_bytes = scn->lds,
		.code = (uintptr_t)q->process->code,
		.args = (uintptr_t)&q->args[at],
	};
	packet->signal = (uintptr_t)signal;
	packet->header = SIM_AQL_DISPATCH | (scn->barrier ? SIM_AQL_BARRIER_BIT : 0);
}

/*
 * The packets of a request. With the barrier bit the last one to complete is
 * the last one written; without it, all of them must be waited for.
 */
static void write_request(struct user_queue *q, u64 t)
{
	const struct scenario_process *scn = scn_of(q);
	struct program *p = &q->program;
	struct request *r = new_request(q);
	union signal *signal = &q->signals[p->submitted % scn->depth];
	u32 total = scenario_request_kernels(scn), n = 0, i, k;

	signal->aql.value = scn->barrier ? 1 : total;
	for (i = 0; i < scn->kernel_kinds; i++)
		for (k = 0; k < scn->kernels[i].count; k++, n++)
			write_packet(q, &scn->kernels[i], &r->log[n],
				     !scn->barrier || n == total - 1 ? signal : NULL);
	q->indices[WRITE_INDEX] = p->written;
	r->submitted = t;
	r->arrival = scn->arrival == ARRIVAL_CLOSED ? t : p->submitting_ns;
	p->submitted++;
	agenda_set_earlier(&q->world->agenda, &q->ring_event, t + costs_of(q)->ring);
	watch_written(q, t);
}

static void ring(struct event *event, u64 t)
{
	struct user_queue *q = container_of(event, struct user_queue, ring_event);

	q->rung++;
	if (q->aql.sim.state == SIM_QUEUE_OFF)
		return;		/* it looks for packets when it is mapped */
	sim_advance(&q->node->gpu, t);
	sim_queue_ring(&q->aql.sim);
	sim_advance(&q->node->gpu, t);
	node_changed(q->node, t);
}

/* ---- the thread --------------------------------------------------------- */

static void done(struct user_queue *q)
{
	struct program *p = &q->program;
	struct group *group = q->process->group;
	struct world *w = q->world;
	s32 self = (s32)(group - w->groups);
	u32 i, j, k;

	p->state = PROGRAM_DONE;
	agenda_set(&w->agenda, &p->event, SIM_NEVER);
	if (p->end_ns > group->end_ns)
		group->end_ns = p->end_ns;
	w->programs_left--;
	if (--group->left)
		return;
	/* it ends programs that run until its end */
	for (i = 0; i < w->scn->process_count; i++) {
		if (!w->groups[i].running || w->groups[i].scn->until != self)
			continue;
		for (j = 0; j < w->groups[i].scn->count; j++)
			for (k = 0; k < w->groups[i].scn->queues; k++)
				program_stop(&w->groups[i].processes[j].queues[k], w->agenda.now);
	}
}

/* Whether its oldest request is complete. */
static bool oldest_complete(const struct user_queue *q)
{
	const struct program *p = &q->program;

	return p->completed < p->submitted &&
		q->signals[p->completed % scn_of(q)->depth].aql.value == 0;
}

/* Limits are checked before a request is submitted. */
static bool ended(const struct user_queue *q, u64 t)
{
	const struct scenario_process *scn = scn_of(q);
	const struct program *p = &q->program;
	bool until = scn->until >= 0 && q->world->groups[scn->until].running;

	if (p->stopping || (scn->requests && p->submitted == scn->requests))
		return true;
	return !until && scn->duration && t >= p->start_ns + scn->duration;
}

static void next_arrival(struct user_queue *q)
{
	struct program *p = &q->program;

	if (p->arrival.kind == ARRIVAL_CLOSED)
		p->next_ns = p->start_ns;
	else if (!arrival_next(&p->arrival, &p->next_ns))
		p->next_ns = SIM_NEVER;
	else if (p->arrival.kind == ARRIVAL_TRACE)
		p->next_ns += p->start_ns;
}

/* What the thread does next, at time @t, when it is free. */
static void go_on(struct user_queue *q, u64 t)
{
	struct program *p = &q->program;
	struct agenda *agenda = &q->world->agenda;
	const struct scenario_process *scn = scn_of(q);
	bool room;

	while (oldest_complete(q)) {
		p->requests[p->completed++].done = t;
		p->end_ns = t;
		if (scn->wait)
			p->next_ns = t + scn->wait;
	}
	/* a request after the end does not come */
	if (!p->stopping && (p->next_ns == SIM_NEVER || ended(q, p->next_ns > t ? p->next_ns : t)))
		p->stopping = true;
	room = !p->stopping && p->submitted - p->completed < scn->depth;
	if (room && p->next_ns <= t) {
		p->state = PROGRAM_SUBMITTING;
		p->submitting_ns = p->next_ns;
		agenda_set(agenda, &p->event, t + costs_of(q)->submit);
	} else if (p->submitted > p->completed) {
		p->state = PROGRAM_WAITING;
		agenda_set(agenda, &p->event, room ? p->next_ns + costs_of(q)->wake : SIM_NEVER);
	} else if (room) {
		p->state = PROGRAM_IDLE;
		agenda_set(agenda, &p->event, p->next_ns + costs_of(q)->wake);
	} else {
		done(q);
	}
}

static void act(struct event *event, u64 t)
{
	struct program *p = container_of(event, struct program, event);
	struct user_queue *q = container_of(p, struct user_queue, program);

	if (p->state == PROGRAM_SUBMITTING) {
		write_request(q, t);
		next_arrival(q);
	}
	go_on(q, t);
}

void program_interrupt(struct user_queue *q, u64 t)
{
	if (q->program.state == PROGRAM_WAITING && oldest_complete(q))
		agenda_set_earlier(&q->world->agenda, &q->program.event, t + costs_of(q)->complete);
}

void program_stop(struct user_queue *q, u64 t)
{
	struct program *p = &q->program;

	p->stopping = true;
	if (p->state == PROGRAM_IDLE || p->state == PROGRAM_WAITING)
		agenda_set_earlier(&q->world->agenda, &p->event, t);
}

/* ---- set up ------------------------------------------------------------- */

static void make_ring(struct user_queue *q)
{
	const struct scenario_process *scn = scn_of(q);
	u32 need = scenario_request_kernels(scn) * scn->depth, packets = 64, i;

	while (packets < need)
		packets *= 2;
	q->packets = memory_new_aligned(RING_ALIGN, packets, sizeof(*q->packets));
	q->args = memory_new(packets, sizeof(*q->args));
	q->signals = memory_new_aligned(sizeof(*q->signals), scn->depth, sizeof(*q->signals));
	q->indices = memory_new_aligned(128, 16, sizeof(*q->indices));
	for (i = 0; i < packets; i++)
		q->packets[i].header = SIM_AQL_INVALID;
	for (i = 0; i < scn->depth; i++)
		q->signals[i].aql = (struct sim_aql_signal){
			.kind = 1,
			.mailbox = (uintptr_t)&q->mailbox,
			.event = i,
		};
	q->aql.ring = (uintptr_t)q->packets;
	q->aql.packets = packets;
	q->aql.rptr_va = (uintptr_t)&q->indices[READ_INDEX];
	q->aql.wptr_va = (uintptr_t)&q->indices[WRITE_INDEX];
}

void program_init(struct user_queue *q, u64 seed)
{
	const struct scenario_process *scn = scn_of(q);
	struct program *p = &q->program;

	make_ring(q);
	agenda_make(&q->world->agenda, &p->event, act);
	agenda_make(&q->world->agenda, &q->ring_event, ring);
	p->arrival = (struct arrival){
		.kind = scn->arrival,
		.mean_ns = scn->rate > 0 ? 1e9 / scn->rate : 0,
		.trace = &scn->trace,
		.random = seed,
		.next_ns = scn->start,
	};
	p->start_ns = scn->start;
	p->end_ns = scn->start;
	next_arrival(q);
	p->state = PROGRAM_IDLE;
	/* perhaps no request comes before the end */
	agenda_set(&q->world->agenda, &p->event, ended(q, p->next_ns) ? scn->start :
		   p->next_ns + costs_of(q)->wake);
	q->world->programs_left++;
	q->process->group->left++;
}

void program_free(struct user_queue *q)
{
	u64 i;

	for (i = 0; i < q->program.submitted; i++)
		free(q->program.requests[i].log);
	free(q->program.requests);
	free(q->packets);
	free(q->args);
	free(q->signals);
	free(q->indices);
}
