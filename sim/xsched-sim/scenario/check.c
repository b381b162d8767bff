// SPDX-License-Identifier: MIT
/*
 * Consistency of a whole scenario, which single keys cannot check. Missing
 * values are derived here from others.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xsched/engine.h>

#include "scenario/scenario.h"

/* SCH_WAVE has 8 bits; the driver asks for no more. */
#define GRACE_UNITS	255

/**
 * struct checker - a check under way
 * @scn: what is checked
 * @why: the error
 * @size: room in it
 */
struct checker {
	struct scenario *scn;
	char *why;
	size_t size;
};

/* Set the error of @line; returns it. */
__attribute__((format(printf, 3, 4)))
static int wrong(struct checker *c, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, c->size, format, args);
	va_end(args);
	return line ? line : 1;
}

/* The same of a group of processes; @format goes on after its name. */
__attribute__((format(printf, 3, 4)))
static int bad(struct checker *c, const struct scenario_process *p, const char *format, ...)
{
	int used = snprintf(c->why, c->size, "[process %s]", p->name);
	va_list args;

	va_start(args, format);
	vsnprintf(c->why + used, c->size - (size_t)used, format, args);
	va_end(args);
	return p->line;
}

bool scenario_policy_exists(const char *name)
{
	const char *known;
	size_t i;

	if (!strcmp(name, "none"))
		return true;
	for (i = 0; (known = xsched_policy_name(i)); i++)
		if (!strcmp(name, known))
			return true;
	return false;
}

static int check_gpus(struct checker *c)
{
	struct scenario *scn = c->scn;
	struct sim_profile part;

	if (!scn->profile.name)
		return wrong(c, 1, "[scenario] needs a profile");
	if (scn->profile.scheduler != SIM_SCHEDULER_HWS)
		return wrong(c, scn->profile_line, "%s is scheduled by MES: not in xsched-sim yet",
			     scn->profile.name);
	scn->nodes = scn->gpus * scn->partitions;
	if (scn->nodes > SCENARIO_NODES || scn->nodes > XSCHED_ENGINE_NODES)
		return wrong(c, scn->profile_line,
			     "%u GPUs of %u partitions are more than %u nodes",
			     scn->gpus, scn->partitions, SCENARIO_NODES);
	if (scn->partitions == 1)
		return 0;
	if (!sim_profile_partition(&scn->profile, scn->partitions, &part))
		return wrong(c, scn->profile_line, "%s cannot be divided into %u partitions",
			     scn->profile.name, scn->partitions);
	scn->profile = part;
	return 0;
}

static int check_kernels(struct checker *c, const struct scenario_process *p)
{
	struct sim_dispatch d = { .vgprs = p->vgprs, .lds_bytes = p->lds };
	u64 items;
	u32 i;

	if (!p->kernel_kinds)
		return bad(c, p, " has no kernels");
	for (i = 0; i < p->kernel_kinds; i++) {
		d.waves = p->kernels[i].waves;
		items = (u64)p->kernels[i].workgroups * d.waves * c->scn->profile.wave_lanes;
		if (items > UINT32_MAX)
			return bad(c, p, ": a grid of %u workgroups is too large",
				   p->kernels[i].workgroups);
		if (!sim_capacity(&c->scn->profile, &d))
			return bad(c, p, ": a workgroup does not fit into a compute unit of %s",
				   c->scn->profile.name);
	}
	if ((u64)scenario_request_kernels(p) * p->depth > SCENARIO_PACKETS)
		return bad(c, p, ": %u requests of %u kernels do not fit into a ring of %u packets",
			   p->depth, scenario_request_kernels(p), SCENARIO_PACKETS);
	return 0;
}

static int check_nodes(struct checker *c, struct scenario_process *p)
{
	u64 all = c->scn->nodes == 64 ? ~0ULL : (1ULL << c->scn->nodes) - 1;

	if (!p->nodes || p->nodes == ~0ULL)
		p->nodes = all;
	if (p->nodes & ~all)
		return bad(c, p, " is on a node that does not exist: there are %u", c->scn->nodes);
	return 0;
}

static int find_until(struct checker *c, struct scenario_process *p)
{
	u32 i;

	if (!p->until_name)
		return 0;
	for (i = 0; i < c->scn->process_count; i++)
		if (!strcmp(c->scn->processes[i].name, p->until_name))
			p->until = (s32)i;
	if (p->until < 0)
		return bad(c, p, " ends with '%s', which does not exist", p->until_name);
	return 0;
}

/* Following "until" must lead to a group that ends by itself. */
static int check_end(struct checker *c, struct scenario_process *p)
{
	const struct scenario_process *at = p;
	u32 steps;

	if (!p->duration && !p->requests)
		p->duration = c->scn->duration;
	for (steps = 0; at->until >= 0; steps++) {
		if (steps > c->scn->process_count)
			return bad(c, p, " waits for itself to end");
		at = &c->scn->processes[at->until];
	}
	if (p->until < 0 && !p->requests && !p->duration && p->arrival != ARRIVAL_TRACE)
		return bad(c, p, " never ends: give requests, duration or until");
	return 0;
}

static int check_tenant(struct checker *c, const struct scenario_process *p)
{
	const struct scenario_process *other;
	u32 i;

	for (i = 0; p->tenant && i < c->scn->process_count; i++) {
		other = &c->scn->processes[i];
		if (other->tenant && !strcmp(other->tenant, p->tenant) &&
		    other->priority != p->priority)
			return bad(c, p, ": tenant %s has two priorities, %d and %d", p->tenant,
				   p->priority, other->priority);
	}
	return 0;
}

static int check_process(struct checker *c, struct scenario_process *p)
{
	int line;

	if (!p->depth)
		p->depth = p->arrival == ARRIVAL_CLOSED && !p->wait ? 2 : 1;
	if (p->wait && (p->arrival != ARRIVAL_CLOSED || p->depth > 1))
		return bad(c, p, " waits between requests: that needs closed arrivals, depth 1");
	line = check_kernels(c, p);
	if (!line)
		line = check_nodes(c, p);
	if (!line)
		line = find_until(c, p);
	if (!line)
		line = check_tenant(c, p);
	return line;
}

static int check_processes(struct checker *c)
{
	struct scenario *scn = c->scn;
	u64 processes = 0, queues = 0;
	int line = 0;
	u32 i;

	if (!scn->process_count)
		return wrong(c, 1, "there is no [process NAME]");
	for (i = 0; !line && i < scn->process_count; i++) {
		line = check_process(c, &scn->processes[i]);
		processes += scn->processes[i].count;
		queues += (u64)scn->processes[i].count * scn->processes[i].queues;
	}
	for (i = 0; !line && i < scn->process_count; i++)
		line = check_end(c, &scn->processes[i]);
	if (!line && (processes > SCENARIO_PROCESSES || queues > SCENARIO_QUEUES))
		return wrong(c, 1, "%llu processes with %llu queues are more than %u with %u",
			     (unsigned long long)processes, (unsigned long long)queues,
			     SCENARIO_PROCESSES, SCENARIO_QUEUES);
	return line;
}

static int check_apart(struct checker *c, const struct scenario_mode *m)
{
	const struct scenario_process *p;
	u32 i;

	for (i = 0; m->apart && i < c->scn->process_count; i++) {
		p = &c->scn->processes[i];
		if (!p->requests && !p->duration && p->arrival != ARRIVAL_TRACE)
			return bad(c, p, " never ends in [mode %s], where it is alone: no duration",
				   m->name);
	}
	return 0;
}

static int check_mode(struct checker *c, struct scenario_mode *m)
{
	u64 longest = sim_grace_ns(&c->scn->profile, GRACE_UNITS);
	u64 grace = (u64)m->grace_us * 1000;

	if (!m->policy)
		return wrong(c, m->line, "[mode %s] has no policy", m->name);
	if (!strcmp(m->policy, "none")) {
		free(m->policy);
		m->policy = NULL;
	}
	if (!m->policy && (m->armed || m->unmap))
		return wrong(c, m->line, "[mode %s] has no policy that could hold or switch",
			     m->name);
	if (grace && !m->unmap)
		return wrong(c, m->line, "[mode %s]: a grace is for hold = unmap", m->name);
	if (grace > longest)
		return wrong(c, m->line, "[mode %s]: the longest grace of %s is %llu us", m->name,
			     c->scn->profile.name, (unsigned long long)longest / 1000);
	return check_apart(c, m);
}

int scenario_check(struct scenario *scn, char *why, size_t size)
{
	struct checker c = { .scn = scn, .why = why, .size = size };
	int line;
	u32 i;

	if (!scn->name)
		return wrong(&c, 1, "[scenario] needs a name");
	if (!scn->costs.sample)
		return wrong(&c, 1, "[host] sample must not be 0");
	line = check_gpus(&c);
	if (!line)
		line = check_processes(&c);
	if (!line && !scn->mode_count)
		line = wrong(&c, 1, "there is neither a [mode NAME] nor a policy");
	for (i = 0; !line && i < scn->mode_count; i++)
		line = check_mode(&c, &scn->modes[i]);
	return line;
}
