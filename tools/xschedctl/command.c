// SPDX-License-Identifier: MIT
/*
 * The commands that are one request to the daemon.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include <libxsched.h>

#include "ctl.h"

static int demand_for(const struct options *options, const char *command,
		      const char *text, const int *priority)
{
	struct json_object *request;
	int pid;

	if (!parse_pid(text, &pid))
		return CTL_USAGE;
	request = request_new(command);
	json_object_object_add(request, "pid", json_object_new_int(pid));
	if (priority)
		json_object_object_add(request, "priority",
				       json_object_new_int(*priority));
	return request_demand(options, request);
}

int command_suspend(const struct options *options, char **arguments)
{
	return demand_for(options, "suspend", arguments[0], NULL);
}

int command_resume(const struct options *options, char **arguments)
{
	return demand_for(options, "resume", arguments[0], NULL);
}

int command_priority(const struct options *options, char **arguments)
{
	int priority;

	if (!parse_number(arguments[1], XSCHED_PRIORITY_MIN,
			  XSCHED_PRIORITY_MAX, &priority)) {
		complain("'%s' is not within %d..%d", arguments[1],
			 XSCHED_PRIORITY_MIN, XSCHED_PRIORITY_MAX);
		return CTL_USAGE;
	}
	return demand_for(options, "priority", arguments[0], &priority);
}

/* Add one NAME=NUMBER of "policy" to @wanted; false: it is not one. */
static bool add_option(struct json_object *wanted, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[64];
	int number;

	if (!equals || equals == text ||
	    (size_t)(equals - text) >= sizeof(name) ||
	    !parse_number(equals + 1, INT_MIN, INT_MAX, &number))
		return false;
	memcpy(name, text, equals - text);
	name[equals - text] = '\0';
	json_object_object_add(wanted, name, json_object_new_int(number));
	return true;
}

/* What this library knows of an option; NULL: only the daemon knows it. */
static const struct xsched_option *find_option(const char *name)
{
	const struct xsched_option *option;

	for (size_t i = 0; (option = xsched_option_at(i)); i++)
		if (!strcmp(option->name, name))
			return option;
	return NULL;
}

static void print_option(const char *name, const char *value)
{
	const struct xsched_option *option = find_option(name);
	char limits[64] = "";

	if (option)
		snprintf(limits, sizeof(limits), "%lld..%lld", (long long)option->min,
			 (long long)option->max);
	printf("  %-17s %8s  %-14s %s\n", name, value, limits,
	       option ? option->summary : "");
}

static void print_policies(struct json_object *reply)
{
	struct json_object *names = get_array(reply, "policies");

	puts("\npolicies:");
	for (size_t i = 0; names && i < json_object_array_length(names); i++) {
		struct json_object *name = json_object_array_get_idx(names, i);
		const char *text = json_object_get_string(name);
		const char *summary = xsched_policy_summary(text);

		printf("  %-8s %s\n", text, summary ? summary : "");
	}
}

static void print_policy(struct json_object *reply)
{
	struct json_object *set;

	puts(get_string(reply, "policy"));
	if (!json_object_object_get_ex(reply, "options", &set) ||
	    !json_object_is_type(set, json_type_object))
		return;
	json_object_object_foreach(set, name, value)
		print_option(name, json_object_get_string(value));
	print_policies(reply);
}

int command_policy(const struct options *options, char **arguments)
{
	struct json_object *request = request_new("policy");
	struct json_object *wanted = NULL, *reply;
	int status;

	for (int i = 0; arguments[i]; i++) {
		if (!i && !strchr(arguments[i], '=')) {
			json_object_object_add(request, "policy",
				json_object_new_string(arguments[i]));
			continue;
		}
		if (!wanted)
			wanted = json_object_new_object();
		if (add_option(wanted, arguments[i]))
			continue;
		complain("'%s' is not OPTION=NUMBER", arguments[i]);
		json_object_put(wanted);
		json_object_put(request);
		return CTL_USAGE;
	}
	if (wanted)
		json_object_object_add(request, "options", wanted);
	if (arguments[0] || options->json)
		return request_demand(options, request);
	status = request_ask(options, request, &reply);
	if (status)
		return status;
	print_policy(reply);
	json_object_put(reply);
	return CTL_OK;
}

/* A text, a number, a list of numbers, or variables with their values. */
static void print_fact(struct json_object *value)
{
	const char *separator = "";

	switch (json_object_get_type(value)) {
	case json_type_array:
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			printf("%s%s", separator, json_object_get_string(
			       json_object_array_get_idx(value, i)));
			separator = ", ";
		}
		puts(*separator ? "" : "-");
		break;
	case json_type_object: {
		json_object_object_foreach(value, name, text) {
			printf("%s%s=%s", separator, name,
			       json_object_get_string(text));
			separator = " ";
		}
		puts(*separator ? "" : "-");
		break;
	}
	case json_type_null:
		puts("-");
		break;
	default:
		puts(json_object_get_string(value));
	}
}

static void print_rule(struct json_object *reply)
{
	const char *rule = get_string(reply, "rule");
	const char *group = get_string(reply, "group");
	const char *doubt = get_string(reply, "doubt");
	struct json_object *facts;

	printf("%-12s %.0f\n", "priority", get_number(reply, "priority"));
	printf("%-12s %s\n", "from", get_string(reply, "source"));
	printf("%-12s %s\n", "rule", *rule ? rule : "-");
	if (*doubt)
		printf("%-12s %s\n", "", doubt);
	printf("%-12s %s\n", "group", *group ? group : "-");
	if (!json_object_object_get_ex(reply, "facts", &facts) ||
	    !json_object_is_type(facts, json_type_object))
		return;
	puts("what rules can match:");
	json_object_object_foreach(facts, name, value) {
		printf("  %-12s", name);
		print_fact(value);
	}
}

/* The daemon knows numbers: it never waits for a database of users. */
static void add_user(struct json_object *reply)
{
	const struct passwd *passwd;
	struct json_object *facts;

	if (!json_object_object_get_ex(reply, "facts", &facts) ||
	    !json_object_is_type(facts, json_type_object) ||
	    json_object_object_get_ex(facts, "user", NULL))
		return;
	passwd = getpwuid(get_number(facts, "uid"));
	json_object_object_add(facts, "user", passwd ?
			       json_object_new_string(passwd->pw_name) : NULL);
}

int command_rules(const struct options *options, char **arguments)
{
	struct json_object *request, *reply;
	int pid, status;

	if (strcmp(arguments[0], "test")) {
		complain("there is no 'rules %s'; see 'rules test PID'",
			 arguments[0]);
		return CTL_USAGE;
	}
	if (!parse_pid(arguments[1], &pid))
		return CTL_USAGE;
	request = request_new("rules");
	json_object_object_add(request, "pid", json_object_new_int(pid));
	status = request_ask(options, request, &reply);
	if (status)
		return status;
	add_user(reply);
	if (options->json)
		print_json(reply);
	else
		print_rule(reply);
	json_object_put(reply);
	return CTL_OK;
}
