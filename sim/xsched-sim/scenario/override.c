// SPDX-License-Identifier: MIT
/* What the command line changes of a scenario that was read: the GPU and single parameters. */
#include <stdio.h>
#include <string.h>

#include "scenario/override.h"
#include "scenario/parse.h"

#define NAME_MAX_LENGTH	63

static bool wrong(const char *what, const char *why, char *error, size_t size)
{
	snprintf(error, size, "--set %s: %s", what, why);
	return false;
}

/* A plain number, or for a time also one with a unit. */
static bool read_value(const char *name, const char *text, u64 *value)
{
	size_t length = strlen(name);
	bool is_time = length > 3 && !strcmp(name + length - 3, "_ns");

	return parse_whole(text, 0, UINT32_MAX, value) || (is_time && parse_time(text, value));
}

static bool set(struct scenario *scn, const char *setting, char *error, size_t size)
{
	const struct sim_parameter *parameter;
	const char *equals = strchr(setting, '=');
	char name[NAME_MAX_LENGTH + 1], why[96];
	u64 *cost, value;

	if (!equals || equals - setting > NAME_MAX_LENGTH)
		return wrong(setting, "not NAME=VALUE", error, size);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - setting), setting);
	cost = costs_find(&scn->costs, name);
	if (cost)
		return parse_time(equals + 1, cost) ||
			wrong(setting, "not a time, like 20 us", error, size);
	parameter = sim_parameter_find(name);
	if (!parameter)
		return wrong(setting, "there is no such parameter", error, size);
	if (read_value(name, equals + 1, &value) &&
	    sim_parameter_set(&scn->profile, parameter, value))
		return true;
	snprintf(why, sizeof(why), "not a number of %u..%u", parameter->min, parameter->max);
	return wrong(setting, why, error, size);
}

bool override_apply(struct scenario *scn, const struct scenario_options *options, char *error,
		    size_t size)
{
	const struct sim_profile *p;
	u32 i;

	if (options->profile) {
		p = sim_profile_find(options->profile);
		if (!p) {
			snprintf(error, size, "there is no profile '%s'", options->profile);
			return false;
		}
		scn->profile = *p;
	}
	if (options->seed)
		scn->seed = *options->seed;
	for (i = 0; i < options->set_count; i++)
		if (!set(scn, options->set[i], error, size))
			return false;
	return true;
}
