// SPDX-License-Identifier: MIT
/* One run: build the world, process all events, check the end. */
#include <stdlib.h>
#include <string.h>

#include "world/memory.h"
#include "world/world.h"

/* A run ends within this multiple of its time without any waste, or never. */
#define PATIENCE	10
#define PATIENCE_NS	(10ULL * 1000000000)

/* ---- processes ---------------------------------------------------------- */

/* Number @index, in turn, of the bits of @set. */
static u32 pick(u64 set, u64 index)
{
	u32 n = (u32)(index % (u64)__builtin_popcountll(set));

	while (n--)
		set &= set - 1;
	return (u32)__builtin_ctzll(set);
}

static struct vgpu_code *make_code(const struct scenario_process *scn)
{
	struct vgpu_code *code = memory_new(1, sizeof(*code));

	code->magic = VGPU_CODE_MAGIC;
	code->kind = VGPU_CODE_SPIN;
	code->vgprs = scn->vgprs;
	code->lds_bytes = scn->lds;
	return code;
}

static void add_to_node(struct node *n, struct user_queue *q)
{
	if (!(n->count & (n->count - 1)))
		n->queues = memory_grow(n->queues, n->count ? 2 * n->count : 1,
					sizeof(*n->queues));
	n->queues[n->count++] = q;
	q->node = n;
}

static void make_queue(struct world *w, struct process *p, u32 number, u32 queue)
{
	const struct scenario_process *scn = p->group->scn;
	struct user_queue *q = &p->queues[queue];
	u64 stream = (u64)number * scn->queues + queue;
	u64 place = scn->placement == PLACE_QUEUE ? stream : number;
	u64 group = (u64)(p->group - w->groups);
	u64 seed = scn->has_seed ? scn->seed : arrival_seed(w->scn->seed, group + 1);

	q->world = w;
	q->process = p;
	w->queues[w->queue_count++] = q;
	q->id = w->queue_count;
	add_to_node(&w->nodes[pick(scn->nodes, place)], q);
	program_init(q, arrival_seed(seed, stream));
	watch_init(q);
}

static u32 tenant_of(struct world *w, const struct process *p)
{
	const char *name = p->group->scn->tenant, *other;
	u32 i;

	for (i = 0; name && i < w->tenant_count; i++) {
		other = w->tenants[i].processes[0]->group->scn->tenant;
		if (other && !strcmp(other, name))
			return i;
	}
	return w->tenant_count++;
}

static void join_tenant(struct world *w, struct process *p)
{
	struct tenant *tenant;

	p->tenant = tenant_of(w, p);
	tenant = &w->tenants[p->tenant];
	if (!(tenant->count & (tenant->count - 1)))
		tenant->processes = memory_grow(tenant->processes,
						tenant->count ? 2 * tenant->count : 1,
						sizeof(*tenant->processes));
	tenant->processes[tenant->count++] = p;
}

static void make_group(struct world *w, u32 index)
{
	struct group *group = &w->groups[index];
	const struct scenario_process *scn = group->scn;
	struct process *p;
	u32 i, j;

	group->processes = memory_new(scn->count, sizeof(*group->processes));
	for (i = 0; i < scn->count; i++) {
		p = &group->processes[i];
		p->group = group;
		p->code = make_code(scn);
		p->count = scn->queues;
		p->queues = memory_new_aligned(64, p->count, sizeof(*p->queues));
		for (j = 0; j < p->count; j++)
			make_queue(w, p, i, j);
		join_tenant(w, p);
	}
}

static void make_groups(struct world *w, s32 only)
{
	const struct scenario *scn = w->scn;
	u32 i, processes = 0, queues = 0;

	for (i = 0; i < scn->process_count; i++) {
		processes += scn->processes[i].count;
		queues += scn->processes[i].count * scn->processes[i].queues;
	}
	w->tenants = memory_new(processes, sizeof(*w->tenants));
	w->queues = memory_new(queues, sizeof(*w->queues));
	w->groups = memory_new(scn->process_count, sizeof(*w->groups));
	for (i = 0; i < scn->process_count; i++) {
		w->groups[i].scn = &scn->processes[i];
		w->groups[i].running = only < 0 || (u32)only == i;
	}
	for (i = 0; i < scn->process_count; i++)
		if (w->groups[i].running)
			make_group(w, i);
}

/* ---- running ------------------------------------------------------------ */

static const struct world_news news = {
	.interrupt = program_interrupt,
	.kick = watch_kick,
	.switched = daemon_node_done,
	.ready = daemon_tell,
};

static void build(struct world *w, s32 only)
{
	u64 pass;
	u32 i;

	w->nodes = memory_new(w->scn->nodes, sizeof(*w->nodes));
	for (i = 0; i < w->scn->nodes; i++) {
		node_init(&w->nodes[i], w, i);
		watch_init_node(&w->nodes[i]);
	}
	make_groups(w, only);
	/* the sampler leaves the CPU to others half of the time */
	pass = 2 * (w->queue_count + 1) * w->scn->costs.sample_queue;
	w->sample_ns = pass > w->scn->costs.sample ? pass : w->scn->costs.sample;
	daemon_init(w);
	for (i = 0; i < w->scn->nodes; i++)
		node_start(&w->nodes[i]);
}

/* Time of a group's requests if each has a GPU for itself, one after the other. */
static double work_of(const struct world *w, const struct scenario_process *p)
{
	struct sim_dispatch d = { .vgprs = p->vgprs, .lds_bytes = p->lds };
	double ns = (double)w->scn->costs.submit + (double)w->scn->costs.complete;
	u32 i, rounds;

	for (i = 0; i < p->kernel_kinds; i++) {
		d.waves = p->kernels[i].waves;
		rounds = sim_capacity(&w->scn->profile, &d);
		rounds = rounds ? p->kernels[i].workgroups / rounds + 1 : 1;
		ns += (double)p->kernels[i].count * rounds * (double)p->kernels[i].workgroup_ns;
	}
	return ns * (double)p->requests * p->count * p->queues;
}

/* Latest end of the run, if it ends. */
static u64 last_end(const struct world *w)
{
	double last = 0, work = 0, end;
	u32 i;

	for (i = 0; i < w->scn->process_count; i++) {
		const struct scenario_process *p = &w->scn->processes[i];

		end = (double)p->start + (double)p->duration;
		if (p->requests && p->rate > 0)
			end += (double)p->requests / p->rate * 1e9;
		if (p->trace.count)
			end += (double)p->trace.ns[p->trace.count - 1];
		if (end > last)
			last = end;
		work += work_of(w, p);
	}
	return (u64)((last + work) * PATIENCE) + PATIENCE_NS;
}

static void run(struct world *w)
{
	u64 limit = last_end(w);

	while (w->programs_left && !*w->error) {
		if (agenda_next(&w->agenda) == SIM_NEVER)
			world_fail(w, "nothing happens any more, and %u programs have not ended",
				   w->programs_left);
		else if (agenda_next(&w->agenda) > limit)
			world_fail(w, "after %.0f s %u programs have not ended",
				   (double)limit / 1e9, w->programs_left);
		else
			agenda_step(&w->agenda);
	}
}

bool world_run(struct world *w, const struct scenario *scn, const struct scenario_mode *mode,
	       s32 only)
{
	memset(w, 0, sizeof(*w));
	w->scn = scn;
	w->mode = mode;
	w->news = &news;
	build(w, only);
	if (!*w->error)
		run(w);
	return !*w->error;
}

static void free_group(struct group *group)
{
	struct user_queue *q;
	u32 i, j, k;

	for (i = 0; group->processes && i < group->scn->count; i++) {
		for (j = 0; j < group->processes[i].count; j++) {
			q = &group->processes[i].queues[j];
			for (k = 0; k < q->save_pages; k++)
				free(q->save[k]);
			free(q->save);
			program_free(q);
		}
		free(group->processes[i].queues);
		free(group->processes[i].code);
	}
	free(group->processes);
}

void world_free(struct world *w)
{
	u32 i;

	daemon_free(&w->daemon);
	for (i = 0; w->groups && i < w->scn->process_count; i++)
		free_group(&w->groups[i]);
	for (i = 0; i < w->scn->nodes; i++)
		node_free(&w->nodes[i]);
	for (i = 0; i < w->tenant_count; i++)
		free(w->tenants[i].processes);
	free(w->tenants);
	free(w->queues);
	free(w->groups);
	free(w->nodes);
	agenda_free(&w->agenda);
}
