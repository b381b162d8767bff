/* SPDX-License-Identifier: MIT */
/*
 * Rules: which processes they match, and what they set for them.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_RULE_H
#define XSCHEDD_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process;

/** XSched's PRIORITY_NO_EXECUTE: below all others, does not run. */
#define PRIORITY_NEVER	(-256)

/** enum tenant_kind - which processes are scheduled as one */
enum tenant_kind {
	TENANT_UNSET,
	TENANT_PROCESS,
	TENANT_CGROUP,
	TENANT_UNIT,
	TENANT_CONTAINER,
};

/** tenant_kind_name() - as it is written in the configuration */
const char *tenant_kind_name(enum tenant_kind kind);

/**
 * enum rule_pattern - what a rule compares with a shell pattern
 * @RULE_EXE: executable; with a slash in the pattern the whole path, else what
 *	follows the last slash
 * @RULE_COMM: name of the process
 * @RULE_CMDLINE: arguments, with a blank between them
 * @RULE_CGROUP: path in the unified hierarchy
 * @RULE_UNIT: unit of the system's systemd
 * @RULE_USER_UNIT: unit of the user's systemd
 * @RULE_CONTAINER: id or name of the container
 * @RULE_PATTERNS: number of them
 */
enum rule_pattern {
	RULE_EXE,
	RULE_COMM,
	RULE_CMDLINE,
	RULE_CGROUP,
	RULE_UNIT,
	RULE_USER_UNIT,
	RULE_CONTAINER,
	RULE_PATTERNS,
};

/** rule_pattern_name() - as it is written in the configuration; NULL: none */
const char *rule_pattern_name(unsigned int pattern);

/**
 * struct rule_variable - a condition on the environment
 * @name: of the variable
 * @pattern: for its value
 */
struct rule_variable {
	char *name;
	char *pattern;
};

/**
 * struct rule - a [rule NAME] section
 * @name: NAME
 * @patterns: shell patterns by enum rule_pattern, NULL: any
 * @has_user: @uid counts
 * @uid: real user
 * @has_group: @gid counts
 * @gid: real or supplementary group
 * @has_nice: @nice_min and @nice_max count
 * @nice_min: lowest nice value
 * @nice_max: highest nice value
 * @variables: conditions on the environment
 * @variable_count: number of @variables
 * @has_priority: @priority was given
 * @priority: XSCHED_PRIORITY_MIN..MAX, or PRIORITY_NEVER
 * @has_max_priority: @max_priority was given
 * @max_priority: how high a process may raise itself
 * @tenant: kind of tenant, TENANT_UNSET: as in [xschedd]
 * @has_period: @period_us was given
 * @period_us: time between requests, 0: to be learned
 * @has_park: @park_ms was given
 * @park_ms: from when on a process without work is parked, 0: never
 * @trust_descriptive: it may raise even if all its conditions describe
 * @doubt: why it does not raise, with file and line; NULL: it may
 */
struct rule {
	char *name;
	char *patterns[RULE_PATTERNS];
	bool has_user;
	uid_t uid;
	bool has_group;
	gid_t gid;
	bool has_nice;
	int nice_min;
	int nice_max;
	struct rule_variable *variables;
	size_t variable_count;
	bool has_priority;
	int32_t priority;
	bool has_max_priority;
	int32_t max_priority;
	enum tenant_kind tenant;
	bool has_period;
	uint32_t period_us;
	bool has_park;
	uint32_t park_ms;
	bool trust_descriptive;
	char *doubt;
};

/** enum rule_match - whether a process meets all conditions of a rule, the strongest last */
enum rule_match {
	RULE_DIFFERS,
	RULE_MIGHT_MATCH,	/* by all that is known of it */
	RULE_MATCHES,
};

/** rule_match() - whether a process meets all conditions of a rule */
enum rule_match rule_match(const struct rule *rule, const struct process *process);

/**
 * rule_authenticates() - whether a process could not have pretended to match
 * @rule: rule that it matches
 * @process: process
 *
 * user and group authenticate, unit does, and cgroup if the pattern matches the
 * part that root has named. The others describe: a process, or its user, chooses
 * them.
 */
bool rule_authenticates(const struct rule *rule, const struct process *process);

/** rule_may_authenticate() - whether it has a condition that can */
bool rule_may_authenticate(const struct rule *rule);

/** rule_raises() - whether it lets a process be above 0 */
bool rule_raises(const struct rule *rule);

/** rule_has_condition() - whether a rule has any condition */
bool rule_has_condition(const struct rule *rule);

/** rule_free() - free what a rule points to */
void rule_free(struct rule *rule);

#endif /* XSCHEDD_RULE_H */
