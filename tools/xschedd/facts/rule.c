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

/* An unknown or empty text matches no pattern, not even "*". */
static bool rule_pattern_matches(const struct rule *rule, unsigned int which,
				 const char *value)
{
	const char *pattern = rule->patterns[which];

	if (!pattern)
		return true;
	if (!value || !*value)
		return false;
	return which == RULE_EXE ? rule_exe_matches(pattern, value) :
				   !fnmatch(pattern, value, 0);
}

static bool rule_patterns_match(const struct rule *rule,
				const struct process *process)
{
	const char *values[RULE_PATTERNS] = {
		[RULE_EXE] = process->exe,
		[RULE_COMM] = process->comm,
		[RULE_CMDLINE] = process->cmdline,
		[RULE_CGROUP] = process->cgroup,
		[RULE_UNIT] = process->unit,
		[RULE_USER_UNIT] = process->user_unit,
		[RULE_CONTAINER] = process->container,
	};

	for (unsigned int i = 0; i < RULE_PATTERNS; i++)
		if (!rule_pattern_matches(rule, i, values[i]))
			return false;
	return true;
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

bool rule_matches(const struct rule *rule, const struct process *process)
{
	if (!process->known)
		return false;
	if (rule->has_user && rule->uid != process->uid)
		return false;
	if (rule->has_group && !process_in_group(process, rule->gid))
		return false;
	if (rule->has_nice && (process->nice < rule->nice_min ||
			       process->nice > rule->nice_max))
		return false;
	return rule_patterns_match(rule, process) && rule_variables_match(rule, process);
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
