// SPDX-License-Identifier: MIT
/*
 * JSON. The keys are those of the guest's two-models.json (tests/bench/result.c):
 * where a scenario has its processes and modes, the files can be compared.
 */
#include <string.h>

#include <json-c/json.h>

#include "report/report.h"

/* Rounded to the precision of the figures. */
static void add(json_object *o, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4f", value);
	json_object_object_add(o, key, json_object_new_double_s(value, text));
}

static void add_count(json_object *o, const char *key, u64 value)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}

static void add_text(json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

/* ---- runs --------------------------------------------------------------- */

static json_object *group_json(const struct scenario_process *p, const struct group_figures *g)
{
	json_object *o = json_object_new_object();

	add_count(o, "n", g->latency_ms.count);
	add(o, "rps", g->rps);
	add(o, "mean_ms", g->latency_ms.mean);
	add(o, "p50_ms", g->latency_ms.p50);
	add(o, "p95_ms", g->latency_ms.p95);
	add(o, "p99_ms", g->latency_ms.p99);
	add(o, "max_ms", g->latency_ms.max);
	add(o, "busy", g->busy);
	add(o, "iter_s", g->iter_s);
	add(o, "images_s", g->images_s);
	if (p->hints[XSCHED_HINT_DEADLINE_NS] != XSCHED_HINT_UNSET)
		add_count(o, "missed", g->missed);
	add_count(o, "holds", g->holds);
	add_count(o, "preemptions", g->preemptions);
	add(o, "held_s", g->held_s);
	return o;
}

static json_object *switch_json(const struct mode_figures *m)
{
	json_object *o = json_object_new_object();

	add_count(o, "count", m->switch_us.count);
	add(o, "p50_us", m->switch_us.p50);
	add(o, "p99_us", m->switch_us.p99);
	add(o, "event_to_return_p50_us", m->reaction_us.p50);
	add(o, "event_to_return_p99_us", m->reaction_us.p99);
	add_count(o, "calls", m->calls);
	add_count(o, "queues", m->flips);
	return o;
}

static json_object *dispatch_json(const struct spin_account *a)
{
	json_object *o = json_object_new_object();

	add_count(o, "submitted", a->submitted);
	add_count(o, "executed", a->executed);
	add_count(o, "lost", a->lost);
	add_count(o, "duplicated", a->duplicated);
	add_count(o, "out_of_order", a->out_of_order);
	add_count(o, "wave_saves", a->saved);
	return o;
}

static json_object *gpu_json(const struct mode_figures *m)
{
	json_object *o = json_object_new_object();

	add_count(o, "preemptions", m->gpu.preemptions);
	add_count(o, "saves", m->gpu.saves);
	add_count(o, "restores", m->gpu.restores);
	add_count(o, "bytes", m->gpu.bytes);
	add_count(o, "save_ns", m->gpu.save_ns);
	add_count(o, "save_max_ns", m->gpu.save_max_ns);
	add_count(o, "grace_ns", m->gpu.grace_ns);
	add_count(o, "maps", m->turns.maps);
	add_count(o, "process_turns", m->turns.process_turns);
	add_count(o, "queue_turns", m->turns.queue_turns);
	return o;
}

static json_object *run_json(const struct report *r, const struct mode_figures *m)
{
	json_object *run = json_object_new_object();
	u32 i;

	add_text(run, "mode", m->mode->name);
	for (i = 0; i < r->scn->process_count; i++)
		json_object_object_add(run, r->scn->processes[i].name,
				       group_json(&r->scn->processes[i], &m->groups[i]));
	json_object_object_add(run, "switch", switch_json(m));
	json_object_object_add(run, "dispatch", dispatch_json(&m->account));
	json_object_object_add(run, "gpu", gpu_json(m));
	return run;
}

/* ---- ratios ------------------------------------------------------------- */

static const struct mode_figures *find_mode(const struct report *r, const char *name)
{
	u32 i;

	for (i = 0; i < r->scn->mode_count; i++)
		if (!strcmp(r->modes[i].mode->name, name))
			return &r->modes[i];
	return NULL;
}

static s32 find_group(const struct report *r, const char *name)
{
	u32 i;

	for (i = 0; i < r->scn->process_count; i++)
		if (!strcmp(r->scn->processes[i].name, name))
			return (s32)i;
	return -1;
}

/* Only if the scenario is the experiment with two models. */
static void add_ratios(json_object *doc, const struct report *r)
{
	const struct mode_figures *alone = find_mode(r, "alone"), *native = find_mode(r, "native");
	const struct mode_figures *hpf = find_mode(r, "hpf");
	s32 hi = find_group(r, "hi"), lo = find_group(r, "lo");
	json_object *o;

	if (!alone || !native || !hpf || hi < 0 || lo < 0)
		return;
	o = json_object_new_object();
	add(o, "native_p99_over_alone",
	    native->groups[hi].latency_ms.p99 / alone->groups[hi].latency_ms.p99);
	add(o, "hpf_p99_over_alone",
	    hpf->groups[hi].latency_ms.p99 / alone->groups[hi].latency_ms.p99);
	add(o, "hpf_lo_share", hpf->groups[lo].iter_s /
	    ((1 - alone->groups[hi].busy) * alone->groups[lo].iter_s));
	json_object_object_add(doc, "ratios", o);
}

/* ---- parameters --------------------------------------------------------- */

static json_object *stages_json(const struct scenario_process *p, u32 lanes)
{
	json_object *all = json_object_new_array(), *o;
	u32 i;

	for (i = 0; i < p->kernel_kinds; i++) {
		o = json_object_new_object();
		add_count(o, "kernels", p->kernels[i].count);
		add_count(o, "workgroups", p->kernels[i].workgroups);
		add_count(o, "workgroup_size", p->kernels[i].waves * lanes);
		add_count(o, "workgroup_ns", p->kernels[i].workgroup_ns);
		json_object_array_add(all, o);
	}
	return all;
}

static json_object *process_json(const struct scenario *scn, const struct scenario_process *p)
{
	json_object *o = json_object_new_object();
	u32 i;

	add_text(o, "preset", p->model ? p->model : p->name);
	add_count(o, "images", p->images);
	add_text(o, "source", p->source ? p->source : "assumed");
	json_object_object_add(o, "stages", stages_json(p, scn->profile.wave_lanes));
	add_text(o, "arrival", arrival_name(p->arrival));
	add(o, "rate", p->rate);
	add_count(o, "seed", p->has_seed ? p->seed : scn->seed);
	add_count(o, "count", p->count);
	add_count(o, "queues", p->queues);
	json_object_object_add(o, "priority", json_object_new_int(p->priority));
	for (i = 0; i < XSCHED_HINT_COUNT; i++)
		if (p->hints[i] != XSCHED_HINT_UNSET)
			json_object_object_add(o, xsched_hint_name((int)i),
					       json_object_new_int64(p->hints[i]));
	return o;
}

static json_object *profile_json(const struct sim_profile *p)
{
	json_object *o = json_object_new_object();
	const struct sim_parameter *parameter;
	u32 i;

	add_text(o, "name", p->name);
	for (i = 0; (parameter = sim_parameter_at(i)); i++)
		add_count(o, parameter->name, sim_parameter_get(p, parameter));
	return o;
}

static json_object *params_json(const struct report *r)
{
	json_object *o = json_object_new_object(), *costs = json_object_new_object();
	const char *name;
	uint64_t ns;
	u32 i;

	for (i = 0; i < r->scn->process_count; i++)
		json_object_object_add(o, r->scn->processes[i].name,
				       process_json(r->scn, &r->scn->processes[i]));
	json_object_object_add(o, "profile", profile_json(&r->scn->profile));
	for (i = 0; costs_at(&r->scn->costs, i, &name, &ns); i++)
		add_count(costs, name, ns);
	json_object_object_add(o, "host_ns", costs);
	return o;
}

static json_object *cost_json(const struct report *r)
{
	json_object *o = json_object_new_object(), *all = json_object_new_array(), *run;
	u32 i;

	add(o, "wall_s", r->wall_s);
	add(o, "rss_mib", r->rss_mib);
	for (i = 0; i < r->scn->mode_count; i++) {
		run = json_object_new_object();
		add_text(run, "mode", r->modes[i].mode->name);
		add(run, "simulated_s", (double)r->modes[i].end_ns / 1e9);
		add_count(run, "events", r->modes[i].events);
		add_count(run, "decisions", r->modes[i].decisions);
		add(run, "decision_mean_us", r->modes[i].decision_us.mean);
		add(run, "decision_p99_us", r->modes[i].decision_us.p99);
		add(run, "decision_max_us", r->modes[i].decision_us.max);
		add(run, "engine_mib", (double)r->modes[i].engine_bytes / (1024 * 1024));
		json_object_array_add(all, run);
	}
	json_object_object_add(o, "runs", all);
	return o;
}

void report_json(const struct report *r, FILE *f)
{
	json_object *doc = json_object_new_object(), *runs = json_object_new_array();
	u32 i;

	add_text(doc, "experiment", r->scn->name);
	add_text(doc, "device", r->scn->profile.name);
	add_text(doc, "clock", "virtual");
	add_count(doc, "nodes", r->scn->nodes);
	for (i = 0; i < r->scn->mode_count; i++)
		json_object_array_add(runs, run_json(r, &r->modes[i]));
	json_object_object_add(doc, "runs", runs);
	add_ratios(doc, r);
	json_object_object_add(doc, "params", params_json(r));
	if (r->cost)
		json_object_object_add(doc, "cost", cost_json(r));
	fputs(json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PRETTY |
					     JSON_C_TO_STRING_SPACED |
					     JSON_C_TO_STRING_NOSLASHESCAPE), f);
	fputc('\n', f);
	json_object_put(doc);
}
