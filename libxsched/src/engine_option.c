// SPDX-License-Identifier: MIT
/*
 * Options and hints: names, limits, values.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "engine_priv.h"

static const struct xsched_option engine_options[OPTION_COUNT] = {
	[OPTION_GANG] = { "gang",
		"a tenant is held on all its GPUs or on none (1), or on each by itself (0)",
		0, 1, 1 },
	[OPTION_SETTLE_US] = { "settle_us",
		"time without work after which a tenant is idle",
		0, 10000000, 0 },
	[OPTION_MIN_HOLD_US] = { "min_hold_us",
		"shortest time a tenant is held", 0, 10000000, 0 },
	[OPTION_FLOOR_PERCENT] = { "floor_percent",
		"percentage of the time kept for tenants that would starve", 0, 50, 0 },
	[OPTION_FLOOR_WINDOW_US] = { "floor_window_us",
		"period in which they get that percentage", 1000, 60000000,
		100000 },
	[OPTION_PRE_PREEMPT_US] = { "pre_preempt_us",
		"time before an expected request when others are held, 0: never",
		0, 100000, 0 },
};

/* ---- options ------------------------------------------------------------ */

/* In place of a policy's number: the engine's own options. */
#define ENGINE	XSCHED_POLICY_MAX

/**
 * struct place - where the value of an option is
 * @policy: number of its policy, or ENGINE
 * @index: number of the option there
 */
struct place {
	size_t policy;
	size_t index;
};

static const struct xsched_option *option_at(size_t index, struct place *place)
{
	const struct xsched_policy_ops *ops;

	*place = (struct place){ ENGINE, index };
	if (index < OPTION_COUNT)
		return &engine_options[index];
	index -= OPTION_COUNT;
	for (size_t i = 0; (ops = policy_at(i)); i++) {
		*place = (struct place){ i, index };
		if (index < ops->option_count)
			return &ops->options[index];
		index -= ops->option_count;
	}
	return NULL;
}

const struct xsched_option *xsched_option_at(size_t index)
{
	struct place place;

	return option_at(index, &place);
}

const char *xsched_option_name(size_t index)
{
	const struct xsched_option *option = xsched_option_at(index);

	return option ? option->name : NULL;
}

static const struct xsched_option *find(const char *name, struct place *place)
{
	const struct xsched_option *option;

	for (size_t i = 0; name && (option = option_at(i, place)); i++)
		if (!strcmp(option->name, name))
			return option;
	return NULL;
}

void options_init(struct xsched_engine *engine)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		engine->option[i] = engine_options[i].value;
}

static int64_t policy_value(const struct xsched_engine *engine,
			    const struct xsched_policy_ops *ops,
			    struct place at)
{
	if (engine->policy_option_set[at.policy] & 1U << at.index)
		return engine->policy_option[at.policy][at.index];
	return ops->options[at.index].value;
}

void options_choose(struct xsched_engine *engine)
{
	struct place at = { engine->policy_index, 0 };

	for (; at.index < engine->policy->option_count; at.index++)
		engine->values[at.index] = policy_value(engine, engine->policy,
							at);
	engine->view.option = engine->values;
}

int xsched_engine_set_option(struct xsched_engine *engine, const char *name,
			     int64_t value)
{
	const struct xsched_option *option;
	struct place at = { 0 };

	option = find(name, &at);
	if (!option)
		return -ENOENT;
	if (value < option->min || value > option->max)
		return -EINVAL;
	if (at.policy == ENGINE) {
		if (at.index == OPTION_GANG && value != engine->option[OPTION_GANG])
			return tenant_regroup_all(engine, value);
		engine->option[at.index] = value;
		engine->regroup = true;
		return 0;
	}
	engine->policy_option[at.policy][at.index] = value;
	engine->policy_option_set[at.policy] |= 1U << at.index;
	engine->regroup = true;
	options_choose(engine);
	return 0;
}

int xsched_engine_option(const struct xsched_engine *engine, const char *name,
			 int64_t *value)
{
	struct place at = { 0 };

	if (!find(name, &at))
		return -ENOENT;
	*value = at.policy == ENGINE ? engine->option[at.index] :
		 policy_value(engine, policy_at(at.policy), at);
	return 0;
}

/* ---- hints -------------------------------------------------------------- */

static const struct {
	const char *name;
	int64_t min;
	int64_t max;
} hints[XSCHED_HINT_COUNT] = {
	[XSCHED_HINT_UTILIZATION] = { "utilization", 0, 100 },
	[XSCHED_HINT_TIMESLICE_US] = { "timeslice_us", 100, 10000000 },
	[XSCHED_HINT_DEADLINE_NS] = { "deadline_ns", 0, INT64_MAX },
	[XSCHED_HINT_LAXITY_NS] = { "laxity_ns", -1, INT64_MAX },
	[XSCHED_HINT_LAX_PRIORITY] = { "lax_priority", XSCHED_PRIORITY_MIN,
				       XSCHED_PRIORITY_MAX },
	[XSCHED_HINT_CRIT_PRIORITY] = { "crit_priority", XSCHED_PRIORITY_MIN,
					XSCHED_PRIORITY_MAX },
	[XSCHED_HINT_NICE] = { "nice", -119, 19 },
	[XSCHED_HINT_WINDOW_ACTIVE] = { "window_active", 0, 1 },
	[XSCHED_HINT_NEXT_REQUEST_NS] = { "next_request_ns", 0, INT64_MAX },
	[XSCHED_HINT_PERIOD_NS] = { "period_ns", 0, 60000000000 },
};

static bool hint_exists(int hint)
{
	return hint >= 0 && hint < XSCHED_HINT_COUNT;
}

const char *xsched_hint_name(int hint)
{
	return hint_exists(hint) ? hints[hint].name : NULL;
}

int xsched_hint_find(const char *name)
{
	for (int i = 0; name && i < XSCHED_HINT_COUNT; i++)
		if (!strcmp(hints[i].name, name))
			return i;
	return -EOPNOTSUPP;
}

int xsched_engine_set_hint(struct xsched_engine *engine, int32_t pid,
			   enum xsched_hint hint, int64_t value)
{
	struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	if (!hint_exists(hint))
		return -EOPNOTSUPP;
	if (value != XSCHED_HINT_UNSET &&
	    (value < hints[hint].min || value > hints[hint].max))
		return -EINVAL;
	/* A hint for one process of a group holds for all, until set again. */
	for (struct process *p = process->tenant->processes; p; p = p->next)
		p->hint[hint] = value;
	tenant_refresh(engine, process->tenant);
	return 0;
}

int xsched_engine_hint(const struct xsched_engine *engine, int32_t pid,
		       enum xsched_hint hint, int64_t *value)
{
	const struct process *process = process_find(engine, pid);

	if (!process)
		return -ENOENT;
	if (!hint_exists(hint))
		return -EOPNOTSUPP;
	*value = process->hint[hint];
	return 0;
}
