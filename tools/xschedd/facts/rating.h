/* SPDX-License-Identifier: MIT */
/*
 * Rating of a process: its priority and the source of it, the tenant it is part
 * of, and what its environment asks for.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_RATING_H
#define XSCHEDD_RATING_H

#include <libxsched.h>

#include "facts/config.h"
#include "facts/process.h"

/** enum rating_source - where a priority comes from */
enum rating_source {
	SOURCE_NICE,
	SOURCE_ENVIRONMENT,
	SOURCE_HINT,
	SOURCE_RULE,
	SOURCE_UNREAD,	/* a rule that might match, as long as not all that it looks at is known */
	SOURCE_REQUEST,
};

/** rating_source_name() - in words */
const char *rating_source_name(enum rating_source source);

/** Hints from the environment of a process, see rating.c; a rule gives one. */
#define RATING_HINTS	4

/**
 * struct rating_hint - a hint of the environment, or of the rule
 * @hint: which
 * @value: in the engine's unit
 */
struct rating_hint {
	enum xsched_hint hint;
	int64_t value;
};

/**
 * struct rating - what rules, environment and nice value make of a process
 * @rule: name of the rule that decided about something, or might have, or NULL
 * @rule_index: its place in the configuration
 * @doubted: @rule does not raise: the process may only pretend to match
 * @source: where @priority comes from
 * @priority: PRIORITY_NEVER..XSCHED_PRIORITY_MAX
 * @limit: highest priority that the process may choose
 * @refused: the priority it asked for in its environment, if that is above
 *	@limit; else 0
 * @level: preemption level its environment asks for: 2, 3, or 0: none
 * @has_park: @park_ms was given
 * @park_ms: from when on it is parked if it has no work, 0: never
 * @kind: kind of tenant
 * @group: name of the tenant it is part of, empty: it is one of its own
 * @hints: hints of its environment, and of the rule
 * @hint_count: number of @hints
 */
struct rating {
	const char *rule;
	size_t rule_index;
	bool doubted;
	enum rating_source source;
	int32_t priority;
	int32_t limit;
	int32_t refused;
	int level;
	bool has_park;
	uint32_t park_ms;
	enum tenant_kind kind;
	char group[800];
	struct rating_hint hints[RATING_HINTS + 1];
	size_t hint_count;
};

/**
 * rating_of() - rate a process by what is known
 *
 * Each rule that might match lowers it to what it would give, and raises nothing.
 */
void rating_of(struct rating *rating, const struct process *process,
	       const struct config *config);

/** rating_trusts() - whether a process may choose any priority */
bool rating_trusts(const struct process *process);

#endif /* XSCHEDD_RATING_H */
