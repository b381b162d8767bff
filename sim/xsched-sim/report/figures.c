// SPDX-License-Identifier: MIT
/*
 * Figures, computed as tests/bench/stats.c computes those of the guest, so that
 * the two can be compared.
 */
#include <math.h>
#include <stdlib.h>

#include "report/figures.h"
#include "world/memory.h"

static double seconds(u64 from, u64 to)
{
	return to > from ? (double)(to - from) / 1e9 : 0;
}

static double per_second(double n, u64 from, u64 to)
{
	return to > from ? n / seconds(from, to) : 0;
}

/* ---- groups ------------------------------------------------------------- */

/* Count the dispatches of one program, in the order they were written. */
static void add_account(struct spin_account *a, const struct user_queue *q)
{
	const struct scenario_process *scn = q->process->group->scn;
	u32 kernels = scenario_request_kernels(scn), k;
	const struct vgpu_log *log, *last = NULL;
	u64 i;

	for (i = 0; i < q->program.submitted; i++) {
		for (k = 0; k < kernels; k++) {
			log = &q->program.requests[i].log[k];
			spin_account_log(a, log, last);
			if (scn->barrier && log->executed)
				last = log;
		}
	}
}

/* First wave to last of a request. Without barriers any dispatch may be either. */
static double busy_of(const struct request *r, u32 kernels)
{
	u64 first = r->log[0].start_ns, last = 0;
	u32 k;

	for (k = 0; k < kernels; k++) {
		if (r->log[k].start_ns < first)
			first = r->log[k].start_ns;
		if (r->log[k].end_ns > last)
			last = r->log[k].end_ns;
	}
	return seconds(first, last);
}

/*
 * Iterations until @until, with the elapsed part of the one in progress then.
 */
static double iterations(const struct program *p, u64 until)
{
	u64 before = p->start_ns, i;
	double n = 0;

	for (i = 0; i < p->completed; i++) {
		if (p->requests[i].done > until)
			return n + seconds(before, until) / seconds(before, p->requests[i].done);
		n++;
		before = p->requests[i].done;
	}
	return n;
}

static u64 until_of(const struct world *w, const struct group *group)
{
	s32 other = group->scn->until;
	u64 end = group->end_ns;

	if (other >= 0 && w->groups[other].running && w->groups[other].end_ns < end)
		end = w->groups[other].end_ns;
	return end;
}

static void add_queue(struct group_figures *f, const struct world *w,
		      const struct user_queue *q, double *ms, size_t *n)
{
	const struct group *group = q->process->group;
	u32 kernels = scenario_request_kernels(group->scn);
	const struct program *p = &q->program;
	int64_t deadline = group->scn->hints[XSCHED_HINT_DEADLINE_NS];
	u64 until = until_of(w, group), i, took;
	double busy = 0;

	for (i = 0; i < p->completed; i++) {
		took = p->requests[i].done - p->requests[i].arrival;
		f->missed += deadline >= 0 && took > (u64)deadline;
		ms[(*n)++] = (double)took / 1e6;
		busy += busy_of(&p->requests[i], kernels);
	}
	f->busy += busy / fmax(seconds(group->scn->start, group->end_ns), 1e-9);
	f->iter_s += per_second(iterations(p, until), p->start_ns, until);
}

static void add_group(struct mode_figures *m, const struct world *w, u32 index)
{
	struct group_figures *f = &m->groups[index];
	const struct group *group = &w->groups[index];
	size_t room = 0, n = 0;
	double *ms;
	u32 i, j;

	for (i = 0; i < group->scn->count; i++)
		for (j = 0; j < group->scn->queues; j++)
			room += group->processes[i].queues[j].program.completed;
	ms = memory_new(room, sizeof(*ms));
	for (i = 0; i < group->scn->count; i++) {
		for (j = 0; j < group->scn->queues; j++) {
			add_queue(f, w, &group->processes[i].queues[j], ms, &n);
			add_account(&m->account, &group->processes[i].queues[j]);
		}
	}
	f->latency_ms = sample_of(ms, n);
	f->rps = per_second((double)n, group->scn->start, group->end_ns);
	f->images_s = f->iter_s * group->scn->images;
	free(ms);
}

/* ---- scheduler ---------------------------------------------------------- */

static void add_switches(struct mode_figures *f, const struct daemon *d)
{
	double *call = memory_new(d->switch_count, sizeof(*call));
	double *reaction = memory_new(d->switch_count, sizeof(*reaction));
	const struct switch_record *s;
	size_t n = 0, m = 0;
	u32 i;

	for (i = 0; i < d->switch_count; i++) {
		s = &d->switches[i];
		f->calls++;
		f->flips += s->flips;
		if (!s->held)
			continue;
		call[n++] = (double)(s->end - s->begin) / 1e3;
		if (s->event_ns)
			reaction[m++] = (double)(s->end - s->event_ns) / 1e3;
	}
	/* in a mode with several runs the percentiles have no meaning */
	f->switch_us = sample_of(call, n);
	f->reaction_us = sample_of(reaction, m);
	free(call);
	free(reaction);
	f->lists += d->lists;
	if (d->engine_bytes > f->engine_bytes)
		f->engine_bytes = d->engine_bytes;
}

static void add_decisions(struct mode_figures *f, const struct daemon *d)
{
	u64 i;

	f->took_us = memory_grow(f->took_us, f->decisions + d->decisions + 1,
				 sizeof(*f->took_us));
	for (i = 0; i < d->decisions; i++)
		f->took_us[f->decisions + i] = d->decision_ns[i] / 1e3;
	f->decisions += d->decisions;
}

static void add_tenants(struct mode_figures *f, const struct world *w)
{
	struct xsched_tenant t;
	struct group_figures *g;
	u32 i;

	for (i = 0; w->daemon.engine && i < w->tenant_count; i++) {
		if (xsched_engine_tenant(w->daemon.engine, (s32)i + 1, w->agenda.now, &t))
			continue;
		g = &f->groups[w->tenants[i].processes[0]->group - w->groups];
		g->held_s += (double)t.held_ns / 1e9;
		g->holds += t.holds;
		g->preemptions += t.preemptions;
	}
}

static void add_node(struct mode_figures *f, const struct node *n)
{
	const struct sim_stats *s = &n->gpu.stats;

	f->gpu.dispatches += s->dispatches;
	f->gpu.workgroups += s->workgroups;
	f->gpu.preemptions += s->preemptions;
	f->gpu.saves += s->saves;
	f->gpu.restores += s->restores;
	f->gpu.bytes += s->bytes;
	f->gpu.save_ns += s->save_ns;
	f->gpu.grace_ns += s->grace_ns;
	f->gpu.steps += s->steps;
	f->gpu.faults += s->faults;
	if (s->save_max_ns > f->gpu.save_max_ns)
		f->gpu.save_max_ns = s->save_max_ns;
	f->turns.maps += n->sched.stats.maps;
	f->turns.unmaps += n->sched.stats.unmaps;
	f->turns.process_turns += n->sched.stats.process_turns;
	f->turns.queue_turns += n->sched.stats.queue_turns;
	f->turns.refused += n->sched.stats.refused;
}

void figures_init(struct mode_figures *f, const struct scenario *scn,
		  const struct scenario_mode *mode)
{
	*f = (struct mode_figures){ .mode = mode };
	f->groups = memory_new(scn->process_count, sizeof(*f->groups));
}

void figures_add(struct mode_figures *f, const struct world *w)
{
	u32 i;

	for (i = 0; i < w->scn->process_count; i++)
		if (w->groups[i].running)
			add_group(f, w, i);
	for (i = 0; i < w->scn->nodes; i++)
		add_node(f, &w->nodes[i]);
	add_switches(f, &w->daemon);
	add_decisions(f, &w->daemon);
	add_tenants(f, w);
	f->end_ns += w->agenda.now;
	f->events += w->agenda.fired;
}

bool figures_again(struct mode_figures *f, const struct world *w)
{
	const struct daemon *d = &w->daemon;
	u64 i;

	if (d->decisions != f->decisions || w->agenda.now != f->end_ns)
		return false;
	for (i = 0; i < d->decisions; i++)
		f->took_us[i] = fmin(f->took_us[i], d->decision_ns[i] / 1e3);
	return true;
}

void figures_end(struct mode_figures *f)
{
	f->decision_us = sample_of(f->took_us, f->decisions);
}

void figures_free(struct mode_figures *f)
{
	free(f->took_us);
	free(f->groups);
}
