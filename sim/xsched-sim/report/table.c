// SPDX-License-Identifier: MIT
/* The tables. */
#include "report/report.h"

static void print_group(const struct mode_figures *m, const struct scenario_process *p,
			const struct group_figures *g, FILE *f)
{
	fprintf(f, "  %-12s %-14s %8zu %9.2f %9.2f %9.2f %9.2f %9.2f %7.3f", m->mode->name, p->name,
	       g->latency_ms.count, g->latency_ms.p50, g->latency_ms.p99, g->latency_ms.mean,
	       g->rps, g->iter_s, g->busy);
	if (m->mode->policy)
		fprintf(f, " %9.3f %8llu", g->held_s, (unsigned long long)g->preemptions);
	fprintf(f, "\n");
}

static void print_groups(const struct report *r, FILE *f)
{
	u32 m, i;

	fprintf(f, "  %-12s %-14s %8s %9s %9s %9s %9s %9s %7s %9s %8s\n", "mode", "process",
		"requests", "P50 ms", "P99 ms", "mean ms", "req/s", "iter/s", "busy", "held s",
		"preempt.");
	for (m = 0; m < r->scn->mode_count; m++)
		for (i = 0; i < r->scn->process_count; i++)
			print_group(&r->modes[m], &r->scn->processes[i], &r->modes[m].groups[i], f);
}

static void print_switches(const struct report *r, FILE *f)
{
	const struct mode_figures *m;
	u32 i;

	fprintf(f, "\n  %-12s %8s %8s %9s %9s %9s %9s %10s %10s %10s\n", "scheduler", "calls",
		"that held", "P50 us", "P99 us", "react P50", "react P99", "decisions", "queues",
		"lists");
	for (i = 0; i < r->scn->mode_count; i++) {
		m = &r->modes[i];
		if (!m->mode->policy)
			continue;
		fprintf(f, "  %-12s %8llu %8zu %9.1f %9.1f %9.1f %9.1f %10llu %10llu %10llu\n",
			m->mode->name, (unsigned long long)m->calls, m->switch_us.count,
			m->switch_us.p50, m->switch_us.p99, m->reaction_us.p50, m->reaction_us.p99,
			(unsigned long long)m->decisions, (unsigned long long)m->flips,
			(unsigned long long)m->lists);
	}
}

static void print_gpu(const struct report *r, FILE *f)
{
	const struct mode_figures *m;
	u32 i;

	fprintf(f, "\n  %-12s %10s %8s %8s %9s %10s %9s %9s\n", "GPU", "preempt.", "saves",
		"restores", "saved GiB", "save max us", "turns", "q. turns");
	for (i = 0; i < r->scn->mode_count; i++) {
		m = &r->modes[i];
		fprintf(f, "  %-12s %10llu %8llu %8llu %9.2f %10.1f %9llu %9llu\n", m->mode->name,
			(unsigned long long)m->gpu.preemptions, (unsigned long long)m->gpu.saves,
			(unsigned long long)m->gpu.restores,
			(double)m->gpu.bytes / (1 << 30), (double)m->gpu.save_max_ns / 1e3,
			(unsigned long long)m->turns.process_turns,
			(unsigned long long)m->turns.queue_turns);
	}
}

static void print_accounts(const struct report *r, FILE *f)
{
	const struct spin_account *a;
	u32 i;

	fprintf(f, "\n  %-12s %10s %10s %6s %11s %13s %12s\n", "dispatches", "submitted",
		"executed", "lost", "duplicated", "out of order", "wave saves");
	for (i = 0; i < r->scn->mode_count; i++) {
		a = &r->modes[i].account;
		fprintf(f, "  %-12s %10llu %10llu %6llu %11llu %13llu %12llu\n",
			r->modes[i].mode->name, (unsigned long long)a->submitted,
			(unsigned long long)a->executed, (unsigned long long)a->lost,
			(unsigned long long)a->duplicated, (unsigned long long)a->out_of_order,
			(unsigned long long)a->saved);
	}
}

static void print_cost(const struct report *r, FILE *f)
{
	const struct mode_figures *m;
	u32 i;

	fprintf(f, "\n  simulation: %.2f s real time, %.1f MiB\n", r->wall_s, r->rss_mib);
	for (i = 0; i < r->scn->mode_count; i++) {
		m = &r->modes[i];
		fprintf(f, "  %-12s %.3f s simulated, %llu events, %llu steps of the model",
			m->mode->name, (double)m->end_ns / 1e9, (unsigned long long)m->events,
			(unsigned long long)m->gpu.steps);
		if (m->decisions)
			fprintf(f, ", decision mean %.2f us, P99 %.2f us, max %.2f us, engine %.2f MiB",
				m->decision_us.mean, m->decision_us.p99, m->decision_us.max,
				(double)m->engine_bytes / (1024 * 1024));
		fprintf(f, "\n");
	}
}

void report_table(const struct report *r, FILE *f)
{
	fprintf(f, "\n  %s: %u node%s %s (virtual time)\n\n", r->scn->name, r->scn->nodes,
		r->scn->nodes == 1 ? "" : "s", r->scn->profile.name);
	print_groups(r, f);
	print_switches(r, f);
	print_gpu(r, f);
	print_accounts(r, f);
	if (r->cost)
		print_cost(r, f);
	fprintf(f, "\n");
}
