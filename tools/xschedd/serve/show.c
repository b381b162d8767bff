// SPDX-License-Identifier: MIT
/*
 * The state of the daemon, as JSON.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <resident_json.h>

#include "base/clock.h"
#include "base/text.h"
#include "kernel/device.h"
#include "kernel/node_stats.h"
#include "kernel/park.h"
#include "serve/protocol.h"
#include "serve/show.h"
#include "state/stream.h"

static void show_add(struct json_object *object, const char *name,
		     struct json_object *value)
{
	json_object_object_add(object, name, value);
}

/* Three decimal places, not seventeen. */
static struct json_object *show_new_double(double number)
{
	struct json_object *object = json_object_new_double(number);

	if (object)
		json_object_set_serializer(object,
					   json_object_double_to_json_string,
					   "%.3f", NULL);
	return object;
}

static struct json_object *show_percentile_us(const struct histogram *histogram,
					      unsigned int percent)
{
	return show_new_double(histogram_percentile(histogram, percent) / 1e3);
}

static struct json_object *show_new_u64(uint64_t number)
{
	return json_object_new_uint64(number);
}

struct json_object *show_new_text(const char *text)
{
	char clean[PROCESS_CMDLINE + 1];

	text_clean(clean, sizeof(clean), text);
	return json_object_new_string(clean);
}

static struct json_object *show_new_name(const char *text)
{
	return text && *text ? show_new_text(text) : NULL;
}

/* ---- tenants ------------------------------------------------------------ */

/* @nodes: on which it has queues. While it is parked it takes neither slots nor VMIDs there. */
static void show_add_park(struct json_object *object, const struct park *park, unsigned int nodes,
			  uint64_t now)
{
	const bool parked = park->since_ns;

	show_add(object, "parked", json_object_new_boolean(parked));
	show_add(object, "parked_ms",
		 show_new_double(parked && now > park->since_ns ? (now - park->since_ns) / 1e6 : 0));
	show_add(object, "spares_slots", json_object_new_int(parked ? park->slots : 0));
	show_add(object, "spares_vmids", json_object_new_int(parked ? nodes : 0));
	show_add(object, "park_after_ms", park->said ? json_object_new_int64(park->ms) : NULL);
	show_add(object, "park_returns", show_new_u64(park->returns));
	show_add(object, "resident", resident_json(park->resident));
}

static void show_add_task(struct json_object *object, const struct task *task,
			  const struct xsched_tenant *tenant, uint64_t now)
{
	uint64_t age = now > task->seen_ns ? now - task->seen_ns : 0;

	show_add(object, "rule", show_new_name(task->rating.rule));
	show_add(object, "group", show_new_name(task->rating.group));
	show_add(object, "unit", show_new_name(task->process.unit));
	show_add(object, "container", show_new_name(task->process.container));
	show_add(object, "unread", json_object_new_boolean(task->unread));
	show_add(object, "limit", json_object_new_int(task->rating.limit));
	show_add(object, "never", json_object_new_boolean(state_task_priority(task) ==
							  PRIORITY_NEVER));
	show_add(object, "held_percent",
		 show_new_double(age ? 100.0 * tenant->held_ns / age : 0));
	show_add(object, "since_ns", show_new_u64(task->seen_ns));
	show_add_park(object, &task->park, tenant->nodes, now);
	show_add(object, "p50_us", show_percentile_us(&task->switches, 50));
	show_add(object, "p99_us", show_percentile_us(&task->switches, 99));
	/* Their former names. */
	show_add(object, "switch_p50_us", show_percentile_us(&task->switches, 50));
	show_add(object, "switch_p99_us", show_percentile_us(&task->switches, 99));
}

static struct json_object *show_tenant(const struct xsched_tenant *tenant,
				       uint64_t now)
{
	const struct task *task = tenant->user;
	struct json_object *object = json_object_new_object();

	show_add(object, "pid", json_object_new_int(tenant->pid));
	show_add(object, "uid", json_object_new_int64(task ? (int64_t)task->process.uid : -1));
	show_add(object, "exe", show_new_text(task ? task->process.exe : ""));
	show_add(object, "comm", show_new_text(task ? task->process.comm : ""));
	show_add(object, "priority", json_object_new_int(task ? state_task_priority(task) :
							 tenant->priority));
	show_add(object, "priority_from",
		 json_object_new_string(task ? rating_source_name(state_task_source(task)) :
					"default"));
	show_add(object, "queues", json_object_new_int(tenant->queues));
	show_add(object, "nodes", json_object_new_int(tenant->nodes));
	show_add(object, "held_nodes", json_object_new_int(tenant->held_nodes));
	show_add(object, "ready", json_object_new_boolean(tenant->ready));
	show_add(object, "held",
		 json_object_new_boolean(tenant->state == XSCHED_HELD));
	show_add(object, "uncertain",
		 json_object_new_boolean(tenant->state == XSCHED_UNCERTAIN));
	show_add(object, "switching",
		 json_object_new_boolean(tenant->state == XSCHED_SWITCHING));
	show_add(object, "manual", json_object_new_boolean(tenant->manual));
	show_add(object, "exempt", json_object_new_boolean(tenant->exempt));
	show_add(object, "demoted", json_object_new_boolean(tenant->demoted));
	show_add(object, "held_ms", show_new_double(tenant->held_ns / 1e6));
	show_add(object, "holds", show_new_u64(tenant->holds));
	show_add(object, "preemptions", show_new_u64(tenant->preemptions));
	if (task)
		show_add_task(object, task, tenant, now);
	return object;
}

struct json_object *show_list(const struct sched *sched,
			      const struct peer *peer)
{
	struct json_object *tenants = json_object_new_array();
	struct json_object *reply = protocol_ok();
	struct xsched_tenant tenant;
	uint64_t now = clock_ns();

	park_look(sched);
	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		const struct task *task;

		xsched_engine_tenant_at(sched->engine, i, now, &tenant);
		task = tenant.user;
		if (peer_may(peer, task ? &task->process : NULL))
			json_object_array_add(tenants, show_tenant(&tenant, now));
	}
	show_add(reply, "now_ns", show_new_u64(now));
	show_add(reply, "tenants", tenants);
	return reply;
}

/* ---- stats -------------------------------------------------------------- */

static struct json_object *show_rule_stats(const struct sched *sched)
{
	const struct config *config = sched->config;
	struct json_object *rules = json_object_new_array();

	for (size_t i = 0; i < config->rule_count; i++) {
		struct json_object *rule = json_object_new_object();
		uint64_t matched = sched->matched ? sched->matched[i] : 0;

		show_add(rule, "rule", show_new_text(config->rules[i].name));
		show_add(rule, "matched", show_new_u64(matched));
		json_object_array_add(rules, rule);
	}
	return rules;
}

static struct json_object *show_node_list(const struct sched *sched)
{
	struct json_object *nodes = json_object_new_array();
	size_t count;
	struct node_stats *stats = node_stats_read(sched, &count);

	for (size_t i = 0; i < count; i++) {
		const struct node_stats *n = &stats[i];
		struct json_object *node = json_object_new_object();

		show_add(node, "gpu_id", show_new_u64(n->gpu_id));
		show_add(node, "switches", show_new_u64(n->switches));
		show_add(node, "failures", show_new_u64(n->failures));
		show_add(node, "breaker_open",
			 json_object_new_boolean(device_is_shut(sched, n->gpu_id)));
		show_add(node, "flips", show_new_u64(n->flips));
		show_add(node, "p50_us", show_percentile_us(&n->total, 50));
		show_add(node, "p99_us", show_percentile_us(&n->total, 99));
		show_add(node, "parks", show_new_u64(n->parks));
		show_add(node, "returns", show_new_u64(n->returns));
		show_add(node, "return_p99_us", show_percentile_us(&n->back, 99));
		json_object_array_add(nodes, node);
	}
	free(stats);
	return nodes;
}

static struct json_object *show_build(const struct sched *sched)
{
	const struct build *build = &sched->build;
	struct json_object *object = json_object_new_object();

	show_add(object, "version", json_object_new_string(xsched_version()));
	show_add(object, "kernel", show_new_text(build->kernel));
	show_add(object, "driver", show_new_text(build->driver));
	show_add(object, "module", show_new_text(build->module));
	show_add(object, "abi", json_object_new_int64(build->abi));
	return object;
}

struct json_object *show_stats(const struct sched *sched)
{
	const struct sched_stats *s = &sched->stats;
	struct json_object *reply = protocol_ok();

	show_add(reply, "policy",
		 json_object_new_string(xsched_engine_policy(sched->engine)));
	show_add(reply, "tenants",
		 json_object_new_int(xsched_engine_tenants(sched->engine)));
	show_add(reply, "events", show_new_u64(s->events));
	show_add(reply, "lost", show_new_u64(s->lost));
	show_add(reply, "applies", show_new_u64(s->applies));
	show_add(reply, "failures", show_new_u64(s->failures));
	show_add(reply, "retries", show_new_u64(s->retries));
	show_add(reply, "ejections", show_new_u64(s->ejections));
	show_add(reply, "armed", show_new_u64(sched->armed.count));
	show_add(reply, "armed_runs", show_new_u64(sched->armed.runs));
	show_add(reply, "preemptions",
		 show_new_u64(xsched_engine_preemptions(sched->engine)));
	show_add(reply, "listeners", show_new_u64(stream_listeners(sched->stream)));
	show_add(reply, "call_p50_us", show_percentile_us(&s->call, 50));
	show_add(reply, "call_p99_us", show_percentile_us(&s->call, 99));
	show_add(reply, "reaction_p50_us", show_percentile_us(&s->reaction, 50));
	show_add(reply, "reaction_p99_us", show_percentile_us(&s->reaction, 99));
	show_add(reply, "build", show_build(sched));
	show_add(reply, "nodes", show_node_list(sched));
	show_add(reply, "rules", show_rule_stats(sched));
	return reply;
}

/* ---- policy ------------------------------------------------------------- */

struct json_object *show_policy(const struct sched *sched)
{
	struct json_object *policies = json_object_new_array();
	struct json_object *options = json_object_new_object();
	struct json_object *reply = protocol_ok();
	const char *name;
	int64_t value;

	for (size_t i = 0; (name = xsched_policy_name(i)); i++)
		json_object_array_add(policies, json_object_new_string(name));
	for (size_t i = 0; (name = xsched_option_name(i)); i++)
		if (!xsched_engine_option(sched->engine, name, &value))
			show_add(options, name, json_object_new_int64(value));
	show_add(reply, "policy",
		 json_object_new_string(xsched_engine_policy(sched->engine)));
	show_add(reply, "policies", policies);
	show_add(reply, "options", options);
	return reply;
}

/* ---- rules -------------------------------------------------------------- */

/* Only XSched's variables: the rest of an environment is private. */
static struct json_object *show_variables(const struct process *process)
{
	struct json_object *object = json_object_new_object();

	for (const char *at = process->environ; at && *at;
	     at += strlen(at) + 1) {
		size_t length = strcspn(at, "=");
		char name[64];

		if (strncmp(at, "XSCHED_", 7) || !at[length] ||
		    length >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		show_add(object, name, show_new_text(at + length + 1));
	}
	return object;
}

static struct json_object *show_facts(const struct process *process)
{
	struct json_object *groups = json_object_new_array();
	struct json_object *facts = json_object_new_object();

	for (size_t i = 0; i < process->group_count; i++)
		json_object_array_add(groups,
				      json_object_new_int64(process->groups[i]));
	show_add(facts, "uid", json_object_new_int64(process->uid));
	show_add(facts, "gid", json_object_new_int64(process->gid));
	show_add(facts, "groups", groups);
	show_add(facts, "cgroup", show_new_name(process->cgroup));
	show_add(facts, "unit", show_new_name(process->unit));
	show_add(facts, "user_unit", show_new_name(process->user_unit));
	show_add(facts, "container", show_new_name(process->container));
	show_add(facts, "exe", show_new_name(process->exe));
	show_add(facts, "comm", show_new_name(process->comm));
	show_add(facts, "cmdline", show_new_name(process->cmdline));
	show_add(facts, "nice", json_object_new_int(process->nice));
	show_add(facts, "environment", show_variables(process));
	return facts;
}

static const char *show_doubt(const struct rating *rating)
{
	if (rating->source == SOURCE_UNREAD)
		return "not all that the rule looks at can be read: until it is, the rule counts as one that matches";
	if (rating->doubted)
		return "the rule does not raise it: a process can say of itself all that the rule looks at; see trust_descriptive in xschedd.conf(5)";
	return NULL;
}

struct json_object *show_rating(const struct sched *sched,
				const struct process *process)
{
	const struct task *task = state_task(sched, process->pid);
	struct json_object *reply = protocol_ok();
	struct task view = { 0 };

	/* By the current rules and facts, and earlier requests. */
	if (task) {
		view.has_hint = task->has_hint;
		view.hint = task->hint;
		view.overridden = task->overridden;
		view.override = task->override;
	}
	rating_of(&view.rating, process, sched->config);
	show_add(reply, "pid", json_object_new_int(process->pid));
	show_add(reply, "gpu", json_object_new_boolean(task != NULL));
	show_add(reply, "rule", show_new_name(view.rating.rule));
	show_add(reply, "priority", json_object_new_int(state_task_priority(&view)));
	show_add(reply, "source",
		 json_object_new_string(rating_source_name(state_task_source(&view))));
	show_add(reply, "limit", json_object_new_int(view.rating.limit));
	show_add(reply, "group", show_new_name(view.rating.group));
	show_add(reply, "doubt", show_new_name(show_doubt(&view.rating)));
	show_add(reply, "facts", show_facts(process));
	return reply;
}
