// SPDX-License-Identifier: MIT
/*
 * stats: counters of the daemon, of its GPUs and of its rules.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>

#include "ctl.h"

static void print_counters(struct json_object *reply)
{
	json_object_object_foreach(reply, name, value)
		if (!json_object_is_type(value, json_type_array) &&
		    !json_object_is_type(value, json_type_object))
			printf("%-16s %s\n", name,
			       json_object_get_string(value));
}

/* An older daemon does not tell it. */
static void print_build(struct json_object *reply)
{
	struct json_object *build = json_object_object_get(reply, "build");

	if (build)
		print_counters(build);
}

static void print_nodes(struct json_object *nodes)
{
	printf("\n%8s %10s %9s %10s %9s %9s\n", "GPU", "SWITCHES", "FAILURES",
	       "FLIPS", "P50_US", "P99_US");
	for (size_t i = 0; i < json_object_array_length(nodes); i++) {
		struct json_object *n = json_object_array_get_idx(nodes, i);

		printf("%8.0f %10.0f %9.0f %10.0f %9.1f %9.1f\n",
		       get_number(n, "gpu_id"), get_number(n, "switches"),
		       get_number(n, "failures"), get_number(n, "flips"),
		       get_number(n, "p50_us"), get_number(n, "p99_us"));
	}
}

static void print_rules(struct json_object *rules)
{
	printf("\n%8s  %s\n", "MATCHED", "RULE");
	for (size_t i = 0; i < json_object_array_length(rules); i++) {
		struct json_object *r = json_object_array_get_idx(rules, i);

		printf("%8.0f  %s\n", get_number(r, "matched"),
		       get_string(r, "rule"));
	}
}

int command_stats(const struct options *options, char **arguments)
{
	struct json_object *reply, *nodes, *rules;
	int status;

	(void)arguments;
	if (options->json)
		return request_demand(options, request_new("stats"));
	status = request_ask(options, request_new("stats"), &reply);
	if (status)
		return status;
	json_object_object_del(reply, "ok");
	print_build(reply);
	print_counters(reply);
	nodes = get_array(reply, "nodes");
	rules = get_array(reply, "rules");
	if (nodes && json_object_array_length(nodes))
		print_nodes(nodes);
	if (rules && json_object_array_length(rules))
		print_rules(rules);
	json_object_put(reply);
	return CTL_OK;
}
