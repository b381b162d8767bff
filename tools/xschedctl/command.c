// SPDX-License-Identifier: MIT
/*
 * The commands that are one question to the daemon.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libxsched.h>

#include "ctl.h"

static struct json_object *new_request(const char *command)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "cmd", json_object_new_string(command));
	return request;
}

static bool parse_number(const char *text, long min, long max, int *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < min || number > max)
		return false;
	*out = number;
	return true;
}

/* Ask, and complain if the answer is no. With 0 the reply is the caller's. */
static int ask(const struct options *options, struct json_object *request,
	       struct json_object **reply)
{
	int fd = daemon_connect(options);
	int ret;

	if (fd < 0) {
		json_object_put(request);
		complain("xschedd does not answer at %s: %s", options->socket,
			 strerror(-fd));
		return status_of(fd) == CTL_NOT_PERMITTED ? CTL_NOT_PERMITTED :
							    CTL_ABSENT;
	}
	ret = daemon_ask(fd, request, reply);
	close(fd);
	if (ret) {
		complain("xschedd: %s", strerror(-ret));
		return CTL_FAILURE;
	}
	ret = daemon_error(*reply);
	if (!ret)
		return CTL_OK;
	if (options->json)
		puts(json_object_to_json_string_ext(*reply,
						    JSON_C_TO_STRING_PLAIN));
	complain("%s", get_string(*reply, "message"));
	json_object_put(*reply);
	return status_of(ret);
}

/* Ask for something to be done; with --json show the answer. */
static int demand(const struct options *options, struct json_object *request)
{
	struct json_object *reply;
	int status = ask(options, request, &reply);

	if (status)
		return status;
	if (options->json)
		puts(json_object_to_json_string_ext(reply,
						    JSON_C_TO_STRING_PLAIN));
	json_object_put(reply);
	return CTL_OK;
}

static int demand_for(const struct options *options, const char *command,
		      const char *text, const int *priority)
{
	struct json_object *request;
	int pid;

	if (!parse_number(text, 1, INT_MAX, &pid)) {
		complain("'%s' is not a process id", text);
		return CTL_USAGE;
	}
	request = new_request(command);
	json_object_object_add(request, "pid", json_object_new_int(pid));
	if (priority)
		json_object_object_add(request, "priority",
				       json_object_new_int(*priority));
	return demand(options, request);
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

int command_policy(const struct options *options, char **arguments)
{
	struct json_object *request = new_request("policy");
	struct json_object *reply;
	int status;

	if (arguments[0]) {
		json_object_object_add(request, "policy",
				       json_object_new_string(arguments[0]));
		return demand(options, request);
	}
	if (options->json)
		return demand(options, request);
	status = ask(options, request, &reply);
	if (status)
		return status;
	puts(get_string(reply, "policy"));
	json_object_put(reply);
	return CTL_OK;
}

int command_stats(const struct options *options)
{
	struct json_object *reply;
	int status;

	if (options->json)
		return demand(options, new_request("stats"));
	status = ask(options, new_request("stats"), &reply);
	if (status)
		return status;
	json_object_object_del(reply, "ok");
	json_object_object_foreach(reply, name, value)
		printf("%-16s %s\n", name, json_object_get_string(value));
	json_object_put(reply);
	return CTL_OK;
}
