// SPDX-License-Identifier: MIT
/*
 * Match rules with processes.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "facts/process.h"
#include "facts/rule.h"

static const char *const kinds[] = {
	[TENANT_UNSET] = "",
	[TENANT_PROCESS] = "process",
	[TENANT_CGROUP] = "cgroup",
	[TENANT_UNIT] = "unit",
	[TENANT_CONTAINER] = "container",
};

static const char *const patterns[RULE_PATTERNS] = {
	[RULE_EXE] = "exe",
	[RULE_COMM] = "comm",
	[RULE_CMDLINE] = "cmdline",
	[RULE_CGROUP] = "cgroup",
	[RULE_UNIT] = "unit",
	[RULE_USER_UNIT] = "user_unit",
	[RULE_CONTAINER] = "container",
};

const char *tenant_kind_name(enum tenant_kind kind)
{
	return kinds[kind];
}

const char *rule_pattern_name(unsigned int pattern)
{
	return pattern < RULE_PATTERNS ? patterns[pattern] : NULL;
}

static bool rule_exe_matches(const char *pattern, const char *exe)
{
	const char *slash = strrchr(exe, '/');

	if (!strchr(pattern, '/') && slash)
		exe = slash + 1;
	return !fnmatch(pattern, exe, 0);
}

static enum rule_match rule_if(bool known, bool matches)
{
	if (!known)
		return RULE_MIGHT_MATCH;
	return matches ? RULE_MATCHES : RULE_DIFFERS;
}

static enum rule_match rule_and(enum rule_match one, enum rule_match other)
{
	return one < other ? one : other;
}

/* An empty text matches no pattern, not even "*". */
static bool rule_pattern_matches(const struct rule *rule, unsigned int which,
				 const char *value)
{
	const char *pattern = rule->patterns[which];

	if (!*value)
		return false;
	return which == RULE_EXE ? rule_exe_matches(pattern, value) :
				   !fnmatch(pattern, value, 0);
}

/* NULL: it is not known. */
static const char *rule_value(const struct process *process, unsigned int which)
{
	const bool facts = process->has_facts, rest = process->has_rest;

	switch (which) {
	case RULE_EXE:
		return rest && !(process->cut & PROCESS_CUT_EXE) ? process->exe : NULL;
	case RULE_CMDLINE:
		return rest ? process->cmdline : NULL;
	case RULE_CGROUP:
		return facts && !(process->cut & PROCESS_CUT_CGROUP) ? process->cgroup : NULL;
	case RULE_COMM:
		return facts ? process->comm : NULL;
	case RULE_UNIT:
		return facts ? process->unit : NULL;
	case RULE_USER_UNIT:
		return facts ? process->user_unit : NULL;
	default:
		return facts ? process->container : NULL;
	}
}

static enum rule_match rule_match_patterns(const struct rule *rule,
					   const struct process *process)
{
	enum rule_match match = RULE_MATCHES;

	for (unsigned int i = 0; i < RULE_PATTERNS; i++) {
		const char *value = rule_value(process, i);

		if (rule->patterns[i])
			match = rule_and(match, rule_if(value, value &&
							rule_pattern_matches(rule, i, value)));
	}
	return match;
}

static bool rule_variables_match(const struct rule *rule,
				 const struct process *process)
{
	for (size_t i = 0; i < rule->variable_count; i++) {
		const char *value = process_variable(process,
						     rule->variables[i].name);

		if (!value || fnmatch(rule->variables[i].pattern, value, 0))
			return false;
	}
	return true;
}

static enum rule_match rule_match_owner(const struct rule *rule,
					const struct process *process)
{
	const bool in_group = rule->has_group && process_in_group(process, rule->gid);
	const bool known = process->known;
	enum rule_match match = RULE_MATCHES;

	if (rule->has_user)
		match = rule_and(match, rule_if(known, rule->uid == process->uid));
	if (rule->has_group)
		match = rule_and(match, rule_if(known && (in_group ||
						!(process->cut & PROCESS_CUT_GROUPS)),
						in_group));
	if (rule->has_nice)
		match = rule_and(match, rule_if(known, process->nice >= rule->nice_min &&
						process->nice <= rule->nice_max));
	return match;
}

enum rule_match rule_match(const struct rule *rule, const struct process *process)
{
	enum rule_match match = rule_and(rule_match_owner(rule, process),
					 rule_match_patterns(rule, process));

	if (rule->variable_count)
		match = rule_and(match, rule_if(process->has_rest,
						rule_variables_match(rule, process)));
	return match;
}

bool rule_may_authenticate(const struct rule *rule)
{
	return rule->has_user || rule->has_group || rule->patterns[RULE_UNIT] ||
	       rule->patterns[RULE_CGROUP];
}

bool rule_authenticates(const struct rule *rule, const struct process *process)
{
	const char *cgroup = rule->patterns[RULE_CGROUP];

	return rule->has_user || rule->has_group || rule->patterns[RULE_UNIT] ||
	       (cgroup && !fnmatch(cgroup, process->root_cgroup, 0));
}

bool rule_raises(const struct rule *rule)
{
	return (rule->has_priority && rule->priority > 0) ||
	       (rule->has_max_priority && rule->max_priority > 0);
}

bool rule_has_condition(const struct rule *rule)
{
	for (unsigned int i = 0; i < RULE_PATTERNS; i++)
		if (rule->patterns[i])
			return true;
	return rule->has_user || rule->has_group || rule->has_nice ||
	       rule->variable_count;
}

void rule_free(struct rule *rule)
{
	free(rule->name);
	free(rule->doubt);
	for (unsigned int i = 0; i < RULE_PATTERNS; i++)
		free(rule->patterns[i]);
	for (size_t i = 0; i < rule->variable_count; i++) {
		free(rule->variables[i].name);
		free(rule->variables[i].pattern);
	}
	free(rule->variables);
}
