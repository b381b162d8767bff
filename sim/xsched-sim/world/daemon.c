// SPDX-License-Identifier: MIT
/*
 * The scheduler: libxsched's engine, driven as xschedd drives it (sched/sched.c
 * there). It is one thread. It takes a while to wake for an event; then it
 * feeds all events to the engine, asks for a plan, and makes one call for it,
 * which returns when all its nodes have switched. Events that come meanwhile
 * wait.
 */
#include <malloc.h>
#include <stdlib.h>
#include <time.h>

#include "world/memory.h"
#include "world/world.h"

/* Records of the kernel's event ring; when it is full, events are lost. */
#define EVENT_RING	KFD_XSCHED_EVENT_RING

/* The daemon's timers count microseconds. */
#define TIMER_NS	1000

static s32 pid_of(u32 tenant)
{
	return (s32)tenant + 1;
}

/* Processor time of this thread: other load must not make a decision slow. */
static u64 clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* ---- calls -------------------------------------------------------------- */

static u64 grace_ns(const struct world *w)
{
	const struct sim_profile *p = &w->scn->profile;
	u64 unit = 1000 * 1000 / p->clock_mhz;
	u64 units = w->mode->unmap ? (u64)w->mode->grace_us * 1000 / unit : 1;

	return sim_grace_ns(p, units < 1 ? 1 : units > 255 ? 255 : (u32)units);
}

/* Mark the queues to change; returns how many. */
static u32 want_queue(struct user_queue *q, bool held, u64 *nodes)
{
	q->want_held = held;
	if (q->held == held)
		return 0;
	*nodes |= 1ULL << q->node->index;
	return 1;
}

static u32 want(struct world *w, const struct change *change, u64 *nodes)
{
	struct tenant *tenant;
	u32 i, j, flips = 0;

	if (change->queue)
		return want_queue(w->queues[change->id - 1], change->held, nodes);
	tenant = &w->tenants[change->id - 1];
	for (i = 0; i < tenant->count; i++)
		for (j = 0; j < tenant->processes[i]->count; j++)
			flips += want_queue(&tenant->processes[i]->queues[j], change->held, nodes);
	return flips;
}

/* All at the same time, as kmod/switch/batch.c does: a worker for each node but one. */
static void begin_nodes(struct world *w, u64 t)
{
	const u64 grace = grace_ns(w);
	u32 i;

	for (i = 0; i < w->scn->nodes; i++)
		if (w->daemon.to_switch & 1ULL << i)
			node_switch(&w->nodes[i], t, grace);
}

static void add_change(struct daemon *d, bool queue, u64 id, bool held)
{
	d->changes[d->change_count++] = (struct change){ queue, id, held };
}

/* Copy the plan, which is not valid any more when the call returns. */
static void keep(struct daemon *d, const struct xsched_plan *plan)
{
	size_t i;

	d->change_count = 0;
	d->changes = memory_grow(d->changes, plan->hold_count + plan->hold_queue_count +
				 plan->release_count + plan->release_queue_count,
				 sizeof(*d->changes));
	for (i = 0; i < plan->hold_count; i++)
		add_change(d, false, (u64)plan->hold[i], true);
	for (i = 0; i < plan->hold_queue_count; i++)
		add_change(d, true, plan->hold_queues[i], true);
	for (i = 0; i < plan->release_count; i++)
		add_change(d, false, (u64)plan->release[i], false);
	for (i = 0; i < plan->release_queue_count; i++)
		add_change(d, true, plan->release_queues[i], false);
}

static void begin_call(struct world *w, const struct xsched_plan *plan, u64 t, u64 event_ns)
{
	const struct costs *costs = &w->scn->costs;
	struct daemon *d = &w->daemon;
	u64 nodes = 0;
	u32 i, flips;

	d->call = (struct switch_record){ .event_ns = event_ns, .begin = t };
	keep(d, plan);
	for (i = 0; i < d->change_count; i++) {
		flips = want(w, &d->changes[i], &nodes);
		d->call.flips += flips;
		d->call.held |= flips && d->changes[i].held;
	}
	d->to_switch = nodes;
	d->waiting_nodes = (u32)__builtin_popcountll(nodes);
	d->call.nodes = d->waiting_nodes;
	d->state = DAEMON_CALL;
	agenda_set(&w->agenda, &d->event, t + costs->apply + d->call.flips * costs->per_queue);
}

static void record(struct daemon *d)
{
	if (!(d->switch_count & (d->switch_count - 1)))
		d->switches = memory_grow(d->switches, d->switch_count ? 2 * d->switch_count : 1,
					  sizeof(*d->switches));
	d->switches[d->switch_count++] = d->call;
}

void daemon_node_done(struct world *w, u64 t)
{
	struct daemon *d = &w->daemon;

	d->waiting_nodes--;
	if (!d->waiting_nodes)
		agenda_set(&w->agenda, &d->event, t + w->scn->costs.back);
}

/* ---- events ------------------------------------------------------------- */

/* The ring was full: list all queues, as the daemon does when events were lost. */
static void take_list(struct world *w)
{
	struct user_queue *q;
	u32 i;

	for (i = 0; i < w->queue_count; i++) {
		q = w->queues[i];
		xsched_engine_queue_ready(w->daemon.engine, q->id,
					  q->watch.activity != ACTIVITY_IDLE);
	}
	w->daemon.lost = false;
	w->daemon.lists++;
}

/* Feed the events that wait; returns the time of the first, 0: none. */
static u64 take_events(struct world *w)
{
	struct daemon *d = &w->daemon;
	u64 first = d->pending_count ? d->pending[0].t : 0;
	u32 i;

	for (i = 0; i < d->pending_count; i++)
		xsched_engine_queue_ready_at(d->engine, d->pending[i].queue->id,
					     d->pending[i].ready, d->pending[i].t);
	d->pending_count = 0;
	if (d->lost)
		take_list(w);
	return first;
}

static void decide(struct world *w, struct xsched_plan *plan, u64 t)
{
	struct daemon *d = &w->daemon;
	u64 begin = clock_ns(), took;

	xsched_engine_plan(d->engine, t, plan);
	took = clock_ns() - begin;
	if (!(d->decisions & (d->decisions - 1)))
		d->decision_ns = memory_grow(d->decision_ns, d->decisions ? 2 * d->decisions : 1,
					     sizeof(*d->decision_ns));
	d->decision_ns[d->decisions++] = took < UINT32_MAX ? (u32)took : UINT32_MAX;
}

static void wake(struct world *w, u64 t)
{
	struct daemon *d = &w->daemon;
	u64 event_ns = take_events(w);
	struct xsched_plan plan;

	decide(w, &plan, t);
	if (plan.hold_count || plan.release_count || plan.hold_queue_count ||
	    plan.release_queue_count) {
		begin_call(w, &plan, t, event_ns);
		return;
	}
	d->state = DAEMON_ASLEEP;
	if (plan.deadline_ns != XSCHED_NO_DEADLINE)
		agenda_set(&w->agenda, &d->event, plan.deadline_ns > t + TIMER_NS ?
			   plan.deadline_ns : t + TIMER_NS);
}

/* Spans are those of whole tenants. */
static void note_span(struct world *w, u32 index, bool held, u64 t)
{
	struct tenant *tenant = &w->tenants[index];
	struct daemon *d = &w->daemon;

	if (!held) {
		if (tenant->span)
			d->spans[tenant->span - 1].end = t;
		return;
	}
	if (!(d->span_count & (d->span_count - 1)))
		d->spans = memory_grow(d->spans, d->span_count ? 2 * d->span_count : 1,
				       sizeof(*d->spans));
	d->spans[d->span_count++] = (struct hold_span){ index, t, SIM_NEVER };
	tenant->span = d->span_count;
}

static void commit(struct world *w, const struct change *change, u64 t)
{
	int state = change->held ? XSCHED_HELD : XSCHED_RELEASED;

	if (change->queue) {
		xsched_engine_commit_queue(w->daemon.engine, change->id, state, t);
		return;
	}
	xsched_engine_commit(w->daemon.engine, (s32)change->id, state, t);
	note_span(w, (u32)change->id - 1, change->held, t);
}

static void return_from_call(struct world *w, u64 t)
{
	struct daemon *d = &w->daemon;
	u32 i;

	d->call.end = t;
	if (d->call.flips)
		record(d);
	for (i = 0; i < d->change_count; i++)
		commit(w, &d->changes[i], t);
	/* events may have come meanwhile, and the deadline must be asked for anew */
	wake(w, t);
}

static void on_event(struct event *event, u64 t)
{
	struct daemon *d = container_of(event, struct daemon, event);
	struct world *w = container_of(d, struct world, daemon);

	switch (d->state) {
	case DAEMON_ASLEEP:
		wake(w, t);
		break;
	case DAEMON_CALL:
		d->state = DAEMON_RETURN;
		if (d->waiting_nodes)
			begin_nodes(w, t);
		else
			return_from_call(w, t);
		break;
	case DAEMON_RETURN:
		return_from_call(w, t);
		break;
	}
}

void daemon_tell(struct user_queue *q, bool ready, u64 t, u64 delay)
{
	struct world *w = q->world;
	struct daemon *d = &w->daemon;

	if (d->pending_count == EVENT_RING)
		d->lost = true;
	else
		d->pending[d->pending_count++] = (struct daemon_event){ q, ready, t };
	if (d->state == DAEMON_ASLEEP)
		agenda_set_earlier(&w->agenda, &d->event, t + delay);
}

/* ---- set up ------------------------------------------------------------- */

static void add_tenant(struct world *w, u32 index)
{
	struct tenant *tenant = &w->tenants[index];
	const struct scenario_process *scn = tenant->processes[0]->group->scn;
	struct user_queue *q;
	u32 i, j;
	int ret;

	for (i = 0; i < tenant->count; i++) {
		for (j = 0; j < tenant->processes[i]->count; j++) {
			q = &tenant->processes[i]->queues[j];
			ret = xsched_engine_queue_add(w->daemon.engine, q->id, pid_of(index),
						      q->node->index + 1);
			if (ret < 0)
				world_fail(w, "the engine refuses a queue: error %d", -ret);
		}
	}
	xsched_engine_set_priority(w->daemon.engine, pid_of(index), scn->priority);
	for (i = 0; i < XSCHED_HINT_COUNT; i++) {
		ret = xsched_engine_set_hint(w->daemon.engine, pid_of(index), i, scn->hints[i]);
		if (ret)
			world_fail(w, "[process %s]: the engine refuses %s: error %d", scn->name,
				   xsched_hint_name((int)i), -ret);
	}
}

static void set_options(struct world *w)
{
	const struct scenario_mode *m = w->mode;
	u32 i;
	int ret;

	for (i = 0; i < m->option_count; i++) {
		ret = xsched_engine_set_option(w->daemon.engine, m->options[i].name,
					       m->options[i].value);
		if (ret)
			world_fail(w, "the engine refuses option %s: error %d",
				   m->options[i].name, -ret);
	}
}

/* Memory of the program from the heap and from mmap(). Other C libraries (musl) do not count it: 0. */
static u64 memory_used(void)
{
#ifdef __GLIBC__
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
#else
	return 0;
#endif
}

void daemon_init(struct world *w)
{
	struct daemon *d = &w->daemon;
	u64 before = memory_used();
	u32 i;
	int ret;

	agenda_make(&w->agenda, &d->event, on_event);
	if (!w->mode->policy)
		return;
	ret = xsched_engine_new(&d->engine, w->mode->policy, NULL, NULL);
	if (ret) {
		world_fail(w, "the engine refuses policy %s: error %d", w->mode->policy, -ret);
		return;
	}
	set_options(w);
	for (i = 0; i < w->tenant_count; i++)
		add_tenant(w, i);
	d->engine_bytes = memory_used() - before;
	d->pending = memory_new(EVENT_RING, sizeof(*d->pending));
	agenda_set(&w->agenda, &d->event, 0);	/* some policies want to be asked regularly */
}

void daemon_free(struct daemon *d)
{
	xsched_engine_free(d->engine);
	free(d->pending);
	free(d->changes);
	free(d->decision_ns);
	free(d->switches);
	free(d->spans);
}
