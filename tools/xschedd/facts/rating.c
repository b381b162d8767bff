// SPDX-License-Identifier: MIT
/*
 * Rate processes. The first of these that is present decides: a rule with a
 * priority, a hint (see tenants/tenant.c), the environment, the nice value. A
 * rule without a priority, or with max_priority, lets the process choose.
 *
 * A process may always lower its own priority. It may raise it above 0 only as
 * far as a rule allows, unless it is trusted.
 *
 * What is not known of a process, because it is not read yet or cannot be, counts as
 * matching for rules that lower, and for no other: who keeps something from being read
 * must not gain by that.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/names.h"
#include "facts/rating.h"

const char *rating_source_name(enum rating_source source)
{
	static const char *const names[] = {
		[SOURCE_NICE] = "nice",
		[SOURCE_ENVIRONMENT] = "environment",
		[SOURCE_HINT] = "hint",
		[SOURCE_RULE] = "rule",
		[SOURCE_UNREAD] = "unread",
		[SOURCE_REQUEST] = "request",
	};

	return names[source];
}

/* XSched's variables with the limits it documents, and what they are here. */
static const struct {
	const char *name;
	enum xsched_hint hint;
	int64_t min;
	int64_t max;
	int64_t factor;
} variables[RATING_HINTS] = {
	{ "XSCHED_AUTO_XQUEUE_UTILIZATION", XSCHED_HINT_UTILIZATION,
	  0, 100, 1 },
	{ "XSCHED_AUTO_XQUEUE_TIMESLICE", XSCHED_HINT_TIMESLICE_US,
	  100, 100000, 1 },
	{ "XSCHED_AUTO_XQUEUE_DEADLINE", XSCHED_HINT_DEADLINE_NS,
	  1, INT64_MAX / 1000, 1000 },
	{ "XSCHED_AUTO_XQUEUE_LAXITY", XSCHED_HINT_LAXITY_NS,
	  1, INT64_MAX / 1000, 1000 },
};

/* A variable that is not a number within limits is ignored. */
static bool rating_get_number(const struct process *process, const char *name,
			      int64_t min, int64_t max, int64_t *out)
{
	const char *text = process_variable(process, name);
	char *end;

	if (!text)
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *out >= min && *out <= max;
}

/* XSched reads the others only if this is not OFF. */
static bool rating_wants_scheduling(const struct process *process)
{
	const char *text = process_variable(process, "XSCHED_AUTO_XQUEUE");

	return !text || strcmp(text, "OFF");
}

bool rating_trusts(const struct process *process)
{
	gid_t admins;

	return process->nice_capable ||
	       (names_admins(&admins) && process_in_group(process, admins));
}

static const struct rule *rating_find_rule(const struct config *config,
					   const struct process *process)
{
	for (size_t i = 0; i < config->rule_count; i++)
		if (rule_match(&config->rules[i], process) == RULE_MATCHES)
			return &config->rules[i];
	return NULL;
}

/* What a process may have without a rule. */
static int32_t rating_free_limit(const struct process *process)
{
	return process->nice < 0 ? -process->nice : 0;
}

static bool rating_doubts(const struct rule *rule, const struct process *process)
{
	return rule && rule_raises(rule) && !rule->trust_descriptive &&
	       !rule_authenticates(rule, process);
}

/* What a rule gives, but no more than is free if the rule is doubted. */
static int32_t rating_given(const struct rating *rating, const struct process *process,
			    int32_t priority)
{
	int32_t most = rating_free_limit(process);

	return rating->doubted && priority > most ? most : priority;
}

static int32_t rating_limit_of(const struct rating *rating, const struct process *process,
			       const struct rule *rule)
{
	int32_t limit = rating_free_limit(process), most;

	if (rating_trusts(process))
		return XSCHED_PRIORITY_MAX;
	if (rule && rule->has_priority)
		limit = rating_given(rating, process, rule->priority);
	if (!rule || !rule->has_max_priority)
		return limit;
	most = rating_given(rating, process, rule->max_priority);
	return most > limit ? most : limit;
}

static void rating_take_environment(struct rating *rating,
				    const struct process *process,
				    const struct rule *rule)
{
	int64_t value;

	if (!rating_wants_scheduling(process))
		return;
	if (rating_get_number(process, "XSCHED_AUTO_XQUEUE_LEVEL", 2, 3, &value))
		rating->level = value;
	for (size_t i = 0; i < RATING_HINTS; i++) {
		if (!rating_get_number(process, variables[i].name, variables[i].min,
				       variables[i].max, &value))
			continue;
		rating->hints[rating->hint_count++] = (struct rating_hint){
			variables[i].hint, value * variables[i].factor };
	}
	if (rule && rule->has_priority && !rule->has_max_priority)
		return;
	if (!rating_get_number(process, "XSCHED_AUTO_XQUEUE_PRIORITY", PRIORITY_NEVER,
			       XSCHED_PRIORITY_MAX, &value))
		return;
	rating->source = SOURCE_ENVIRONMENT;
	rating->priority = value;
	if (value > rating->limit) {
		rating->refused = value;
		rating->priority = rating->limit;
	}
}

static void rating_take_period(struct rating *rating, const struct rule *rule)
{
	if (rule && rule->has_period)
		rating->hints[rating->hint_count++] = (struct rating_hint){
			XSCHED_HINT_PERIOD_NS, rule->period_us * 1000LL };
}

static void rating_take_park(struct rating *rating, const struct config *config,
			     const struct rule *rule)
{
	const bool ruled = rule && rule->has_park;

	rating->has_park = ruled || config->has_park;
	rating->park_ms = ruled ? rule->park_ms : config->park_ms;
}

/* The name of the tenant that a process is part of, by the kind of tenant. */
static void rating_take_group(struct rating *rating, const struct process *process)
{
	const char *of = "", *within = "";

	if (rating->kind == TENANT_CGROUP)
		of = process->cgroup;
	else if (rating->kind == TENANT_UNIT)
		of = process->unit;
	else if (rating->kind == TENANT_CONTAINER)
		of = process->container;
	/* A user's unit is one of this user: no other can join it. */
	if (rating->kind == TENANT_UNIT)
		within = process->user_unit;
	if (*of)
		snprintf(rating->group, sizeof(rating->group), "%s:%s%s%s",
			 tenant_kind_name(rating->kind), of, *within ? "/" : "",
			 within);
}

/* What the process would have by this rule, if that is less. */
static void rating_lower(struct rating *rating, const struct process *process,
			 const struct rule *rule)
{
	int32_t limit = rule->has_priority ? rule->priority : rating_free_limit(process);

	if (rule->has_max_priority && rule->max_priority > limit)
		limit = rule->max_priority;
	if (limit < rating->limit && !rating_trusts(process))
		rating->limit = limit;
	if (!rule->has_priority || rule->priority >= rating->priority)
		return;
	rating->priority = rule->priority;
	rating->source = SOURCE_UNREAD;
	rating->rule = rule->name;
}

/* A rule after one that matches decides nothing. */
static void rating_take_unread(struct rating *rating, const struct process *process,
			       const struct config *config, const struct rule *rule)
{
	size_t count = rule ? (size_t)(rule - config->rules) : config->rule_count;

	for (size_t i = 0; i < count; i++)
		if (rule_match(&config->rules[i], process) == RULE_MIGHT_MATCH)
			rating_lower(rating, process, &config->rules[i]);
	if (rating->priority > rating->limit && rating->source == SOURCE_ENVIRONMENT)
		rating->priority = rating->limit;
}

void rating_of(struct rating *rating, const struct process *process,
	       const struct config *config)
{
	const struct rule *rule = rating_find_rule(config, process);

	*rating = (struct rating){
		.source = SOURCE_NICE,
		.priority = -process->nice,
		.doubted = rating_doubts(rule, process),
		.kind = rule && rule->tenant ? rule->tenant : config->tenant,
	};
	rating->limit = rating_limit_of(rating, process, rule);
	if (rule) {
		rating->rule = rule->name;
		rating->rule_index = rule - config->rules;
	}
	if (rule && rule->has_priority) {
		rating->source = SOURCE_RULE;
		rating->priority = rating_given(rating, process, rule->priority);
	}
	rating_take_environment(rating, process, rule);
	rating_take_unread(rating, process, config, rule);
	rating_take_period(rating, rule);
	rating_take_park(rating, config, rule);
	rating_take_group(rating, process);
}
