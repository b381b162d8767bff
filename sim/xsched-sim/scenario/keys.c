// SPDX-License-Identifier: MIT
/*
 * Keys: each section has a table of them; each key has a function that takes
 * the value or sets an error. A key may be given once, unless its table says
 * otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "scenario/keys.h"
#include "scenario/parse.h"

static struct scenario_mode *mode(struct reader *r)
{
	return &r->scn->modes[r->mode];
}

static bool set_policy(struct reader *r, char **field, const char *value)
{
	if (!scenario_policy_exists(value))
		return reader_fail(r, "there is no policy '%s'", value);
	return keys_text(r, field, value);
}

/* ---- [scenario] --------------------------------------------------------- */

static bool scn_name(struct reader *r, const char *value)
{
	return keys_text(r, &r->scn->name, value);
}

static bool scn_profile(struct reader *r, const char *value)
{
	const struct sim_profile *p = sim_profile_find(value);

	if (!p)
		return reader_fail(r, "there is no profile '%s'", value);
	r->scn->profile = *p;
	r->scn->profile_line = r->line;
	return true;
}

static bool scn_gpus(struct reader *r, const char *value)
{
	return keys_u32(r, &r->scn->gpus, value, 1, SCENARIO_NODES);
}

static bool scn_partitions(struct reader *r, const char *value)
{
	return keys_u32(r, &r->scn->partitions, value, 1, SCENARIO_NODES);
}

static bool scn_seed(struct reader *r, const char *value)
{
	return keys_u64(r, &r->scn->seed, value, 0);
}

static bool scn_duration(struct reader *r, const char *value)
{
	return keys_time(r, &r->scn->duration, value);
}

static bool scn_policy(struct reader *r, const char *value)
{
	return set_policy(r, &r->scn->policy, value);
}

static const struct key scenario_keys[] = {
	{ "name", scn_name, false },
	{ "profile", scn_profile, false },
	{ "gpus", scn_gpus, false },
	{ "partitions", scn_partitions, false },
	{ "seed", scn_seed, false },
	{ "duration", scn_duration, false },
	{ "policy", scn_policy, false },
	{ NULL, NULL, false },
};

/* ---- [mode NAME] -------------------------------------------------------- */

static bool mode_policy(struct reader *r, const char *value)
{
	return set_policy(r, &mode(r)->policy, value);
}

static bool mode_switch(struct reader *r, const char *value)
{
	static const char *const choices[] = { "daemon", "armed", NULL };
	int i = keys_choose(r, value, choices);

	mode(r)->armed = i == 1;
	return i >= 0;
}

static bool mode_hold(struct reader *r, const char *value)
{
	static const char *const choices[] = { "suspend", "unmap", NULL };
	int i = keys_choose(r, value, choices);

	mode(r)->unmap = i == 1;
	return i >= 0;
}

static bool mode_grace(struct reader *r, const char *value)
{
	u64 ns;

	if (!keys_time(r, &ns, value))
		return false;
	if (ns % 1000 || ns > 1000000000)
		return reader_fail(r, "a grace is whole microseconds, at most a second");
	mode(r)->grace_us = (u32)(ns / 1000);
	return true;
}

static bool mode_apart(struct reader *r, const char *value)
{
	return keys_yes(r, &mode(r)->apart, value);
}

/* "kedf.k 2" */
static bool mode_option(struct reader *r, const char *value)
{
	struct scenario_mode *m = mode(r);
	const struct xsched_option *option;
	size_t length = strcspn(value, " "), i;
	int64_t number;

	if (m->option_count == SCENARIO_OPTIONS)
		return reader_fail(r, "more than %u options", SCENARIO_OPTIONS);
	for (i = 0; (option = xsched_option_at(i)); i++)
		if (strlen(option->name) == length && !strncmp(option->name, value, length))
			break;
	if (!option)
		return reader_fail(r, "there is no option '%.*s'", (int)length, value);
	if (!parse_signed(value + length + strspn(value + length, " "), option->min, option->max,
			  &number))
		return reader_fail(r, "'%s': not a number of %lld..%lld", value,
				   (long long)option->min, (long long)option->max);
	m->options[m->option_count++] = (struct scenario_option){ option->name, number };
	return true;
}

static const struct key mode_keys[] = {
	{ "policy", mode_policy, false },
	{ "switch", mode_switch, false },
	{ "hold", mode_hold, false },
	{ "grace", mode_grace, false },
	{ "apart", mode_apart, false },
	{ "option", mode_option, true },
	{ NULL, NULL, false },
};

/* ---- [host] ------------------------------------------------------------- */

static bool set_host(struct reader *r, const char *name, const char *value)
{
	u64 *cost = costs_find(&r->scn->costs, name);

	if (!cost)
		return reader_fail(r, "unknown key '%s' in [host]", name);
	return keys_time(r, cost, value);
}

/* ---- all ---------------------------------------------------------------- */

static bool set_key(struct reader *r, const struct key *keys, u64 *seen, const char *name,
		    const char *value)
{
	u32 i;

	for (i = 0; keys[i].name; i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (*seen & 1ULL << i && !keys[i].many)
			return reader_fail(r, "'%s' is given twice", name);
		*seen |= 1ULL << i;
		return keys[i].set(r, value);
	}
	return reader_fail(r, "unknown key '%s' in [%s]", name, r->section);
}

bool keys_set(struct reader *r, const char *name, const char *value)
{
	if (!strcmp(r->section, "scenario"))
		return set_key(r, scenario_keys, &r->scn->seen, name, value);
	if (!strcmp(r->section, "mode"))
		return set_key(r, mode_keys, &mode(r)->seen, name, value);
	if (!strcmp(r->section, "process"))
		return set_key(r, keys_process,
			       &r->scn->processes[r->process].seen, name, value);
	if (!strcmp(r->section, "host"))
		return set_host(r, name, value);
	return reader_fail(r, "'%s' stands before the first section", name);
}
