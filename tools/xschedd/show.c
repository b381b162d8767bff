// SPDX-License-Identifier: MIT
/*
 * What there is, as JSON.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "protocol.h"
#include "show.h"
#include "stream.h"

static void add(struct json_object *object, const char *name,
		struct json_object *value)
{
	json_object_object_add(object, name, value);
}

/* Three places, not seventeen. */
static struct json_object *new_double(double number)
{
	struct json_object *object = json_object_new_double(number);

	if (object)
		json_object_set_serializer(object,
					   json_object_double_to_json_string,
					   "%.3f", NULL);
	return object;
}

static struct json_object *percentile_us(const struct histogram *histogram,
					 unsigned int percent)
{
	return new_double(histogram_percentile(histogram, percent) / 1e3);
}

static struct json_object *new_u64(uint64_t number)
{
	return json_object_new_uint64(number);
}

/* Text that others chose may be no UTF-8, which JSON has to be. */
static struct json_object *new_text(const char *text)
{
	char clean[1024];
	size_t used = 0;

	for (; *text && used < sizeof(clean) - 1; text++)
		clean[used++] = (unsigned char)*text < 0x80 ? *text : '?';
	clean[used] = '\0';
	return json_object_new_string(clean);
}

static struct json_object *new_name(const char *text)
{
	return text && *text ? new_text(text) : NULL;
}

/* ---- tenants ------------------------------------------------------------ */

static void add_task(struct json_object *object, const struct task *task,
		     const struct xsched_tenant *tenant, uint64_t now)
{
	uint64_t age = now > task->seen_ns ? now - task->seen_ns : 0;

	add(object, "rule", new_name(task->rating.rule));
	add(object, "group", new_name(task->rating.group));
	add(object, "unit", new_name(task->process.unit));
	add(object, "container", new_name(task->process.container));
	add(object, "limit", json_object_new_int(task->rating.limit));
	add(object, "never", json_object_new_boolean(task_priority(task) ==
						     PRIORITY_NEVER));
	add(object, "held_percent",
	    new_double(age ? 100.0 * tenant->held_ns / age : 0));
	add(object, "since_ns", new_u64(task->seen_ns));
	add(object, "p50_us", percentile_us(&task->switches, 50));
	add(object, "p99_us", percentile_us(&task->switches, 99));
	/* As they were called at first. */
	add(object, "switch_p50_us", percentile_us(&task->switches, 50));
	add(object, "switch_p99_us", percentile_us(&task->switches, 99));
}

static struct json_object *describe(const struct xsched_tenant *tenant,
				    uint64_t now)
{
	const struct task *task = tenant->user;
	struct json_object *object = json_object_new_object();

	add(object, "pid", json_object_new_int(tenant->pid));
	add(object, "uid", json_object_new_int64(task ? (int64_t)task->process.uid : -1));
	add(object, "exe", new_text(task ? task->process.exe : ""));
	add(object, "comm", new_text(task ? task->process.comm : ""));
	add(object, "priority", json_object_new_int(task ? task_priority(task) :
						    tenant->priority));
	add(object, "priority_from",
	    json_object_new_string(task ? rating_source_name(task_source(task)) :
				   "default"));
	add(object, "queues", json_object_new_int(tenant->queues));
	add(object, "nodes", json_object_new_int(tenant->nodes));
	add(object, "held_nodes", json_object_new_int(tenant->held_nodes));
	add(object, "ready", json_object_new_boolean(tenant->ready));
	add(object, "held",
	    json_object_new_boolean(tenant->state == XSCHED_HELD));
	add(object, "uncertain",
	    json_object_new_boolean(tenant->state == XSCHED_UNCERTAIN));
	add(object, "manual", json_object_new_boolean(tenant->manual));
	add(object, "exempt", json_object_new_boolean(tenant->exempt));
	add(object, "held_ms", new_double(tenant->held_ns / 1e6));
	add(object, "holds", new_u64(tenant->holds));
	add(object, "preemptions", new_u64(tenant->preemptions));
	if (task)
		add_task(object, task, tenant, now);
	return object;
}

struct json_object *show_list(const struct sched *sched,
			      const struct peer *peer)
{
	struct json_object *tenants = json_object_new_array();
	struct json_object *reply = protocol_ok();
	struct xsched_tenant tenant;
	uint64_t now = now_ns();

	for (size_t i = 0; i < xsched_engine_tenants(sched->engine); i++) {
		const struct task *task;

		xsched_engine_tenant_at(sched->engine, i, now, &tenant);
		task = tenant.user;
		if (peer_may(peer, task ? &task->process : NULL))
			json_object_array_add(tenants, describe(&tenant, now));
	}
	add(reply, "now_ns", new_u64(now));
	add(reply, "tenants", tenants);
	return reply;
}

/* ---- stats -------------------------------------------------------------- */

static struct json_object *rule_stats(const struct sched *sched)
{
	const struct config *config = sched->config;
	struct json_object *rules = json_object_new_array();

	for (size_t i = 0; i < config->rule_count; i++) {
		struct json_object *rule = json_object_new_object();
		uint64_t matched = sched->matched ? sched->matched[i] : 0;

		add(rule, "rule", new_text(config->rules[i].name));
		add(rule, "matched", new_u64(matched));
		json_object_array_add(rules, rule);
	}
	return rules;
}

static struct json_object *node_list(const struct sched_stats *stats)
{
	struct json_object *nodes = json_object_new_array();

	for (size_t i = 0; i < stats->node_count; i++) {
		const struct node_stats *n = stats->nodes[i];
		struct json_object *node = json_object_new_object();

		add(node, "gpu_id", new_u64(n->gpu_id));
		add(node, "switches", new_u64(n->switches));
		add(node, "failures", new_u64(n->failures));
		add(node, "flips", new_u64(n->flips));
		add(node, "p50_us", percentile_us(&n->total, 50));
		add(node, "p99_us", percentile_us(&n->total, 99));
		json_object_array_add(nodes, node);
	}
	return nodes;
}

struct json_object *show_stats(const struct sched *sched)
{
	const struct sched_stats *s = &sched->stats;
	struct json_object *reply = protocol_ok();

	add(reply, "policy",
	    json_object_new_string(xsched_engine_policy(sched->engine)));
	add(reply, "tenants",
	    json_object_new_int(xsched_engine_tenants(sched->engine)));
	add(reply, "events", new_u64(s->events));
	add(reply, "lost", new_u64(s->lost));
	add(reply, "applies", new_u64(s->applies));
	add(reply, "failures", new_u64(s->failures));
	add(reply, "retries", new_u64(s->retries));
	add(reply, "ejections", new_u64(s->ejections));
	add(reply, "armed", new_u64(sched->armed.count));
	add(reply, "armed_runs", new_u64(sched->armed.runs));
	add(reply, "preemptions",
	    new_u64(xsched_engine_preemptions(sched->engine)));
	add(reply, "listeners", new_u64(stream_listeners(sched->stream)));
	add(reply, "call_p50_us", percentile_us(&s->call, 50));
	add(reply, "call_p99_us", percentile_us(&s->call, 99));
	add(reply, "reaction_p50_us", percentile_us(&s->reaction, 50));
	add(reply, "reaction_p99_us", percentile_us(&s->reaction, 99));
	add(reply, "nodes", node_list(s));
	add(reply, "rules", rule_stats(sched));
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
			add(options, name, json_object_new_int64(value));
	add(reply, "policy",
	    json_object_new_string(xsched_engine_policy(sched->engine)));
	add(reply, "policies", policies);
	add(reply, "options", options);
	return reply;
}

/* ---- rules -------------------------------------------------------------- */

/* Only XSched's: the rest of an environment is nobody's business. */
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
		add(object, name, new_text(at + length + 1));
	}
	return object;
}

static struct json_object *show_facts(const struct process *process)
{
	struct json_object *groups = json_object_new_array();
	struct json_object *facts = json_object_new_object();
	const struct passwd *passwd = getpwuid(process->uid);

	for (size_t i = 0; i < process->group_count; i++)
		json_object_array_add(groups,
				      json_object_new_int64(process->groups[i]));
	add(facts, "user", new_name(passwd ? passwd->pw_name : NULL));
	add(facts, "uid", json_object_new_int64(process->uid));
	add(facts, "gid", json_object_new_int64(process->gid));
	add(facts, "groups", groups);
	add(facts, "cgroup", new_name(process->cgroup));
	add(facts, "unit", new_name(process->unit));
	add(facts, "container", new_name(process->container));
	add(facts, "exe", new_name(process->exe));
	add(facts, "comm", new_name(process->comm));
	add(facts, "cmdline", new_name(process->cmdline));
	add(facts, "nice", json_object_new_int(process->nice));
	add(facts, "environment", show_variables(process));
	return facts;
}

struct json_object *show_rating(const struct sched *sched,
				const struct process *process)
{
	const struct task *task = sched_task(sched, process->pid);
	struct json_object *reply = protocol_ok();
	struct task view = { 0 };

	/* By the rules and the facts of now, and what was asked for before. */
	if (task) {
		view.has_hint = task->has_hint;
		view.hint = task->hint;
		view.overridden = task->overridden;
		view.override = task->override;
	}
	rating_of(&view.rating, process, sched->config);
	add(reply, "pid", json_object_new_int(process->pid));
	add(reply, "gpu", json_object_new_boolean(task != NULL));
	add(reply, "rule", new_name(view.rating.rule));
	add(reply, "priority", json_object_new_int(task_priority(&view)));
	add(reply, "source",
	    json_object_new_string(rating_source_name(task_source(&view))));
	add(reply, "limit", json_object_new_int(view.rating.limit));
	add(reply, "group", new_name(view.rating.group));
	add(reply, "facts", show_facts(process));
	return reply;
}
