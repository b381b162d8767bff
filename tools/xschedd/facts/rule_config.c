// SPDX-License-Identifier: MIT
/*
 * The sections [rule NAME] of the configuration.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libxsched.h>

#include "facts/names.h"
#include "facts/rule_config.h"

/* The longest period the engine accepts: a minute. */
#define PERIOD_US_MAX	60000000

static struct rule *rule_config_current(struct parser *p)
{
	return &p->config->rules[p->config->rule_count - 1];
}

/* Anyone can pretend to match: it does not raise, and "xschedd -t" fails. */
static int rule_config_doubt(struct parser *p, struct rule *rule)
{
	if (!rule_raises(rule) || rule_may_authenticate(rule) ||
	    rule->trust_descriptive)
		return 1;
	if (asprintf(&rule->doubt, "%s:%d:1: rule '%s' raises a priority by what any process can say of itself, so it raises none; add user, group, unit or cgroup, or trust_descriptive=yes",
		     p->path, p->rule_line, rule->name) >= 0)
		return 1;
	rule->doubt = NULL;
	return parser_fail(p, "out of memory");
}

int rule_config_end(struct parser *p)
{
	struct rule *rule;

	if (p->config->rule_count == p->first_rule)
		return 1;
	rule = rule_config_current(p);
	if (rule->has_priority && rule->has_max_priority &&
	    rule->max_priority < rule->priority) {
		p->line = p->rule_line;
		p->column = 1;
		return parser_fail(p, "rule '%s': max_priority is below priority",
				   rule->name);
	}
	if (!rule->has_priority && !rule->has_max_priority && !rule->tenant && !rule->has_park) {
		p->line = p->rule_line;
		p->column = 1;
		return parser_fail(p, "rule '%s' gives nothing; expected priority, max_priority, tenant or park",
				   rule->name);
	}
	if (rule_has_condition(rule))
		return rule_config_doubt(p, rule);
	p->line = p->rule_line;
	p->column = 1;
	return parser_fail(p, "rule '%s' matches nothing; expected one of user, group, nice, environment, exe, comm, cmdline, cgroup, unit, user_unit, container",
			   rule->name);
}

int rule_config_begin(struct parser *p, const char *name)
{
	struct config *config = p->config;
	struct rule *rules;

	for (size_t i = 0; i < config->rule_count; i++)
		if (!strcmp(config->rules[i].name, name))
			return parser_fail(p, "there is a rule '%s' already",
					   name);
	rules = realloc(config->rules,
			(config->rule_count + 1) * sizeof(*rules));
	if (!rules)
		return parser_fail(p, "out of memory");
	config->rules = rules;
	rules[config->rule_count] = (struct rule){ .name = strdup(name) };
	if (!rules[config->rule_count].name)
		return parser_fail(p, "out of memory");
	config->rule_count++;
	p->rule_line = p->line;
	return 1;
}

/* ---- conditions --------------------------------------------------------- */

/* A number, or a name that @find knows. */
static int rule_config_parse_id(struct parser *p, const char *value, const char *what,
				bool (*find)(const char *name, unsigned int *id),
				unsigned int *out)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end)
		return find(value, out) ? 1 :
		       parser_fail(p, "there is no %s '%s'", what, value);
	if (errno || id >= UINT32_MAX)
		return parser_fail(p, "%s is not a %s id", value, what);
	*out = id;
	return 1;
}

static int rule_config_set_user(struct parser *p, struct rule *rule, const char *value)
{
	if (rule->has_user)
		return parser_fail(p, "'user' is set twice");
	rule->has_user = true;
	return rule_config_parse_id(p, value, "user", names_user, &rule->uid);
}

static int rule_config_set_group(struct parser *p, struct rule *rule, const char *value)
{
	if (rule->has_group)
		return parser_fail(p, "'group' is set twice");
	rule->has_group = true;
	return rule_config_parse_id(p, value, "group", names_group, &rule->gid);
}

/* "N" or "N..M" */
static int rule_config_set_nice(struct parser *p, struct rule *rule, const char *value)
{
	const char *dots = strstr(value, "..");
	char first[16];
	long min, max;

	if (rule->has_nice)
		return parser_fail(p, "'nice' is set twice");
	snprintf(first, sizeof(first), "%.*s",
		 dots && dots - value < 15 ? (int)(dots - value) : 15, value);
	if (!parser_number(p, first, -20, 19, &min))
		return 0;
	max = min;
	if (dots && !parser_number(p, dots + 2, min, 19, &max))
		return 0;
	rule->has_nice = true;
	rule->nice_min = min;
	rule->nice_max = max;
	return 1;
}

/* "NAME=PATTERN"; may be given several times. */
static int rule_config_add_variable(struct parser *p, struct rule *rule, const char *value)
{
	size_t length = strcspn(value, "=");
	struct rule_variable *variables, *variable;

	if (!length || !value[length])
		return parser_fail(p, "expected VARIABLE=PATTERN, not '%s'",
				   value);
	variables = realloc(rule->variables, (rule->variable_count + 1) *
			    sizeof(*variables));
	if (!variables)
		return parser_fail(p, "out of memory");
	rule->variables = variables;
	variable = &variables[rule->variable_count++];
	*variable = (struct rule_variable){ .name = strndup(value, length) };
	if (!variable->name)
		return parser_fail(p, "out of memory");
	if (!value[length + 1]) {
		variable->pattern = strdup("");
		return variable->pattern ? 1 : parser_fail(p, "out of memory");
	}
	p->column += length + 1;
	return parser_pattern(p, &variable->pattern, value + length + 1);
}

/* ---- what a rule gives -------------------------------------------------- */

static int rule_config_parse_priority(struct parser *p, const char *name,
				      const char *value, bool *has, int32_t *out)
{
	long number;

	if (*has)
		return parser_fail(p, "'%s' is set twice", name);
	if (!parser_number(p, value, PRIORITY_NEVER, XSCHED_PRIORITY_MAX,
			   &number))
		return 0;
	*has = true;
	*out = number;
	return 1;
}

static int rule_config_set_priority(struct parser *p, struct rule *rule, const char *value)
{
	return rule_config_parse_priority(p, "priority", value, &rule->has_priority,
					  &rule->priority);
}

static int rule_config_set_max_priority(struct parser *p, struct rule *rule,
					const char *value)
{
	return rule_config_parse_priority(p, "max_priority", value,
					  &rule->has_max_priority, &rule->max_priority);
}

static int rule_config_set_tenant(struct parser *p, struct rule *rule, const char *value)
{
	if (rule->tenant)
		return parser_fail(p, "'tenant' is set twice");
	return parser_tenant(p, value, &rule->tenant);
}

static int rule_config_set_period(struct parser *p, struct rule *rule, const char *value)
{
	long number = 0;

	if (rule->has_period)
		return parser_fail(p, "'period_us' is set twice");
	if (strcmp(value, "learn") && !parser_number(p, value, 1, PERIOD_US_MAX, &number))
		return 0;
	rule->has_period = true;
	rule->period_us = number;
	return 1;
}

static int rule_config_set_park(struct parser *p, struct rule *rule, const char *value)
{
	if (rule->has_park)
		return parser_fail(p, "'park' is set twice");
	rule->has_park = true;
	return parser_park(p, value, &rule->park_ms);
}

static int rule_config_set_trust(struct parser *p, struct rule *rule, const char *value)
{
	return parser_bool(p, value, &rule->trust_descriptive);
}

static const struct {
	const char *name;
	int (*set)(struct parser *p, struct rule *rule, const char *value);
} settings[] = {
	{ "user", rule_config_set_user },
	{ "group", rule_config_set_group },
	{ "nice", rule_config_set_nice },
	{ "environment", rule_config_add_variable },
	{ "priority", rule_config_set_priority },
	{ "max_priority", rule_config_set_max_priority },
	{ "tenant", rule_config_set_tenant },
	{ "period_us", rule_config_set_period },
	{ "park", rule_config_set_park },
	{ "trust_descriptive", rule_config_set_trust },
};

int rule_config_line(struct parser *p, const char *name, const char *value)
{
	struct rule *rule = rule_config_current(p);
	const char *pattern;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].name, name))
			continue;
		p->column = p->value_column;
		return settings[i].set(p, rule, value);
	}
	for (unsigned int i = 0; (pattern = rule_pattern_name(i)); i++) {
		if (strcmp(pattern, name))
			continue;
		if (rule->patterns[i])
			return parser_fail(p, "'%s' is set twice", name);
		p->column = p->value_column;
		return parser_pattern(p, &rule->patterns[i], value);
	}
	return parser_fail(p, "a rule has no '%s'; expected priority, max_priority, tenant, period_us, park, trust_descriptive, user, group, nice, environment, exe, comm, cmdline, cgroup, unit, user_unit or container",
			   name);
}
