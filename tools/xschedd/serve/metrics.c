// SPDX-License-Identifier: MIT
/*
 * Metrics.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "kernel/device.h"
#include "kernel/node_stats.h"
#include "kernel/park.h"
#include "serve/metrics.h"

/* Upper ends of the classes that are reported, in nanoseconds. */
static const uint64_t ends[] = {
	10000, 20000, 30000, 50000, 75000, 100000, 150000, 200000, 300000,
	500000, 1000000, 2000000, 5000000, 10000000, 100000000, 1000000000,
};

#define ENDS	(sizeof(ends) / sizeof(ends[0]))

static void metrics_describe(FILE *file, const char *name, const char *type,
			     const char *help)
{
	fprintf(file, "# HELP xsched_%s %s\n# TYPE xsched_%s %s\n", name, help,
		name, type);
}

static void metrics_counter(FILE *file, const char *name, const char *help,
			    uint64_t value)
{
	metrics_describe(file, name, "counter", help);
	fprintf(file, "xsched_%s %" PRIu64 "\n", name, value);
}

/* @labels ends in a comma, or is empty. */
static void metrics_histogram(FILE *file, const char *name, const char *labels,
			      const struct histogram *histogram)
{
	uint64_t below[ENDS];

	histogram_below(histogram, ends, ENDS, below);
	for (size_t i = 0; i < ENDS; i++)
		fprintf(file, "xsched_%s_bucket{%sle=\"%g\"} %" PRIu64 "\n",
			name, labels, ends[i] / 1e9, below[i]);
	fprintf(file, "xsched_%s_bucket{%sle=\"+Inf\"} %" PRIu64 "\n", name,
		labels, histogram->count);
	fprintf(file, "xsched_%s_sum{%s} %.9f\n", name, labels,
		histogram->sum / 1e9);
	fprintf(file, "xsched_%s_count{%s} %" PRIu64 "\n", name, labels,
		histogram->count);
}

/* Escape text that may have any characters, as the value of a label. */
static void metrics_label(char *out, size_t size, const char *text)
{
	size_t used = 0;

	for (; *text && used + 3 < size; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			out[used++] = '\\';
		out[used++] = c < 0x20 || c >= 0x7f ? '?' : c;
	}
	out[used] = '\0';
}

/* ---- the daemon --------------------------------------------------------- */

static void metrics_write_build(FILE *file, const struct sched *sched)
{
	const struct build *build = &sched->build;
	char driver[256], module[256];

	metrics_label(driver, sizeof(driver), build->driver);
	metrics_label(module, sizeof(module), build->module);
	metrics_describe(file, "build_info", "gauge", "What runs together.");
	fprintf(file, "xsched_build_info{version=\"%s\",kernel=\"%s\",", xsched_version(),
		build->kernel);
	fprintf(file, "driver=\"%s\",module=\"%s\",abi=\"%u\"} 1\n", driver, module, build->abi);
}

static void metrics_write_daemon(FILE *file, const struct sched *sched)
{
	const struct sched_stats *s = &sched->stats;

	metrics_describe(file, "policy_info", "gauge", "Policy in effect.");
	fprintf(file, "xsched_policy_info{policy=\"%s\"} 1\n",
		xsched_engine_policy(sched->engine));
	metrics_describe(file, "tenants", "gauge", "GPU processes there are.");
	fprintf(file, "xsched_tenants %zu\n",
		xsched_engine_tenants(sched->engine));
	metrics_counter(file, "events_total", "Events read from the kernel.",
			s->events);
	metrics_counter(file, "events_lost_total",
			"Times the kernel had to drop events.", s->lost);
	metrics_counter(file, "switches_total", "Switches done.", s->applies);
	metrics_counter(file, "switch_failures_total",
			"Switches that failed or were refused.", s->failures);
	metrics_counter(file, "switch_retries_total", "Switches tried again.",
			s->retries);
	metrics_counter(file, "preemptions_total",
			"Holds of processes that had work.",
			xsched_engine_preemptions(sched->engine));
	metrics_counter(file, "armed_runs_total",
			"Times the kernel ran a switch the daemon had armed.",
			sched->armed.runs);
	metrics_counter(file, "ejections_total",
			"Times the kernel ejected the daemon.", s->ejections);
	metrics_describe(file, "switch_seconds", "histogram",
			 "Duration of a switch, all GPUs.");
	metrics_histogram(file, "switch_seconds", "", &s->call);
	metrics_describe(file, "reaction_seconds", "histogram",
			 "From an event to the end of the switch it caused.");
	metrics_histogram(file, "reaction_seconds", "", &s->reaction);
}

static void metrics_write_rules(FILE *file, const struct sched *sched)
{
	const struct config *config = sched->config;

	if (!config->rule_count || !sched->matched)
		return;
	metrics_describe(file, "rule_matches_total", "counter",
			 "Processes a rule decided about since it was read.");
	for (size_t i = 0; i < config->rule_count; i++) {
		char name[128];

		metrics_label(name, sizeof(name), config->rules[i].name);
		fprintf(file, "xsched_rule_matches_total{rule=\"%s\"} %" PRIu64 "\n",
			name, sched->matched[i]);
	}
}

/* ---- nodes -------------------------------------------------------------- */

static uint64_t metrics_switches(const struct node_stats *node)
{
	return node->switches;
}

static uint64_t metrics_failures(const struct node_stats *node)
{
	return node->failures;
}

static uint64_t metrics_flips(const struct node_stats *node)
{
	return node->flips;
}

static uint64_t metrics_parks(const struct node_stats *node)
{
	return node->parks;
}

static uint64_t metrics_returns(const struct node_stats *node)
{
	return node->returns;
}

static const struct {
	const char *name;
	const char *help;
	uint64_t (*value)(const struct node_stats *node);
} node_metrics[] = {
	{ "node_switches_total", "Switches a GPU took part in, of all clients.",
	  metrics_switches },
	{ "node_failures_total", "Switches a GPU failed, of all clients.", metrics_failures },
	{ "node_flips_total", "Queues that went on or off the hardware, by all clients.",
	  metrics_flips },
	{ "node_parks_total", "Processes without work that were to leave a GPU.", metrics_parks },
	{ "node_returns_total", "Processes that came back to it.", metrics_returns },
};

static void metrics_write_counted(FILE *file, const struct node_stats *nodes, size_t count)
{
	char labels[32];

	for (size_t m = 0; m < sizeof(node_metrics) / sizeof(node_metrics[0]); m++) {
		metrics_describe(file, node_metrics[m].name, "counter", node_metrics[m].help);
		for (size_t i = 0; i < count; i++)
			fprintf(file, "xsched_%s{gpu=\"%u\"} %" PRIu64 "\n",
				node_metrics[m].name, nodes[i].gpu_id,
				node_metrics[m].value(&nodes[i]));
	}
	metrics_describe(file, "node_switch_seconds", "histogram",
			 "Duration of a GPU's part of a switch, of all clients.");
	for (size_t i = 0; i < count; i++) {
		snprintf(labels, sizeof(labels), "gpu=\"%u\",", nodes[i].gpu_id);
		metrics_histogram(file, "node_switch_seconds", labels, &nodes[i].total);
	}
	metrics_describe(file, "node_return_seconds", "histogram",
			 "From the ring of a process that was parked until it is back on a GPU.");
	for (size_t i = 0; i < count; i++) {
		snprintf(labels, sizeof(labels), "gpu=\"%u\",", nodes[i].gpu_id);
		metrics_histogram(file, "node_return_seconds", labels, &nodes[i].back);
	}
}

static void metrics_write_nodes(FILE *file, const struct sched *sched)
{
	uint64_t now = clock_ns();
	size_t count;
	struct node_stats *nodes = node_stats_read(sched, &count);

	metrics_write_counted(file, nodes, count);
	metrics_describe(file, "node_breaker_open", "gauge",
			 "1: its breaker is open, and nothing is held on that GPU.");
	for (size_t i = 0; i < count; i++)
		fprintf(file, "xsched_node_breaker_open{gpu=\"%u\"} %d\n",
			nodes[i].gpu_id, device_is_shut(sched, nodes[i].gpu_id));
	metrics_describe(file, "node_held_seconds_total", "counter",
			 "Time processes with queues on a GPU were held, all of them.");
	for (size_t i = 0; i < count; i++)
		fprintf(file, "xsched_node_held_seconds_total{gpu=\"%u\"} %.9f\n",
			nodes[i].gpu_id,
			xsched_engine_node_held(sched->engine, nodes[i].gpu_id, now) / 1e9);
	free(nodes);
}

/* ---- tenants ------------------------------------------------------------ */

static double metrics_priority(const struct xsched_tenant *tenant)
{
	return state_task_priority(tenant->user);
}

static double metrics_held_seconds(const struct xsched_tenant *tenant)
{
	return tenant->held_ns / 1e9;
}

static double metrics_preemptions(const struct xsched_tenant *tenant)
{
	return tenant->preemptions;
}

static double metrics_holds(const struct xsched_tenant *tenant)
{
	return tenant->holds;
}

static double metrics_is_ready(const struct xsched_tenant *tenant)
{
	return tenant->ready;
}

static double metrics_is_held(const struct xsched_tenant *tenant)
{
	return tenant->state == XSCHED_HELD;
}

static double metrics_is_demoted(const struct xsched_tenant *tenant)
{
	return tenant->demoted;
}

static double metrics_is_parked(const struct xsched_tenant *tenant)
{
	const struct task *task = tenant->user;

	return !!task->park.since_ns;
}

static double metrics_park_returns(const struct xsched_tenant *tenant)
{
	const struct task *task = tenant->user;

	return task->park.returns;
}

static const struct {
	const char *name;
	const char *type;
	const char *help;
	double (*value)(const struct xsched_tenant *tenant);
} tenant_metrics[] = {
	{ "tenant_priority", "gauge", "Priority of a process.", metrics_priority },
	{ "tenant_ready", "gauge", "Whether it has work.", metrics_is_ready },
	{ "tenant_held", "gauge", "Whether it is held.", metrics_is_held },
	{ "tenant_demoted", "gauge", "Whether all others come first.", metrics_is_demoted },
	{ "tenant_parked", "gauge", "Whether it is off the GPUs because it has no work.",
	  metrics_is_parked },
	{ "tenant_returns_total", "counter", "Times it came back when it had work again.",
	  metrics_park_returns },
	{ "tenant_held_seconds_total", "counter", "Time it was held.",
	  metrics_held_seconds },
	{ "tenant_holds_total", "counter", "Times it was held.", metrics_holds },
	{ "tenant_preemptions_total", "counter",
	  "Times it was held while it had work.", metrics_preemptions },
};

static void metrics_label_tenant(char *out, size_t size,
				 const struct xsched_tenant *tenant)
{
	const struct task *task = tenant->user;
	char comm[64], group[640];

	metrics_label(comm, sizeof(comm), task->process.comm);
	metrics_label(group, sizeof(group), task->rating.group);
	snprintf(out, size, "pid=\"%d\",uid=\"%u\",comm=\"%s\",group=\"%s\",",
		 tenant->pid, task->process.uid, comm, group);
}

static bool metrics_tenant_at(const struct sched *sched, size_t index,
			      const struct peer *peer, uint64_t now,
			      struct xsched_tenant *tenant)
{
	const struct task *task;

	xsched_engine_tenant_at(sched->engine, index, now, tenant);
	task = tenant->user;
	return task && peer_may(peer, &task->process);
}

static void metrics_write_tenants(FILE *file, const struct sched *sched,
				  const struct peer *peer)
{
	size_t count = xsched_engine_tenants(sched->engine);
	size_t metrics = sizeof(tenant_metrics) / sizeof(tenant_metrics[0]);
	struct xsched_tenant tenant;
	uint64_t now = clock_ns();
	char labels[768];

	for (size_t m = 0; m < metrics; m++) {
		metrics_describe(file, tenant_metrics[m].name, tenant_metrics[m].type,
				 tenant_metrics[m].help);
		for (size_t i = 0; i < count; i++) {
			if (!metrics_tenant_at(sched, i, peer, now, &tenant))
				continue;
			metrics_label_tenant(labels, sizeof(labels), &tenant);
			fprintf(file, "xsched_%s{%s} %.9g\n",
				tenant_metrics[m].name, labels,
				tenant_metrics[m].value(&tenant));
		}
	}
	metrics_describe(file, "tenant_switch_seconds", "histogram",
			 "Duration of the switches that held a process.");
	for (size_t i = 0; i < count; i++) {
		const struct task *task;

		if (!metrics_tenant_at(sched, i, peer, now, &tenant))
			continue;
		task = tenant.user;
		metrics_label_tenant(labels, sizeof(labels), &tenant);
		metrics_histogram(file, "tenant_switch_seconds", labels,
				  &task->switches);
	}
}

/* ---- pages -------------------------------------------------------------- */

static void metrics_write_common(FILE *file, const struct sched *sched)
{
	metrics_write_build(file, sched);
	metrics_write_daemon(file, sched);
	metrics_write_rules(file, sched);
	metrics_write_nodes(file, sched);
	park_look(sched);
}

static bool metrics_renew(struct metrics *metrics, const struct sched *sched)
{
	FILE *file;

	metrics_free(metrics);
	file = open_memstream(&metrics->text, &metrics->length);
	if (!file)
		return false;
	metrics_write_common(file, sched);
	if (fclose(file)) {
		metrics_free(metrics);
		return false;
	}
	metrics->written_ns = clock_ns();
	return true;
}

static bool metrics_are_new(const struct metrics *metrics)
{
	return metrics->text && clock_ns() - metrics->written_ns < METRICS_NS;
}

void metrics_answer(struct metrics *metrics, struct http_answer *answer,
		    const struct sched *sched, const struct peer *peer)
{
	size_t length;
	FILE *file;

	answer->status = MHD_HTTP_OK;
	answer->type = "text/plain; version=0.0.4";
	if (!metrics_are_new(metrics) && !metrics_renew(metrics, sched))
		return;
	file = open_memstream(&answer->text, &length);
	if (!file)
		return;
	fwrite(metrics->text, 1, metrics->length, file);
	metrics_write_tenants(file, sched, peer);
	fclose(file);
}

void metrics_free(struct metrics *metrics)
{
	free(metrics->text);
	*metrics = (struct metrics){ 0 };
}
