// SPDX-License-Identifier: MIT
/*
 * Understand requests. Whatever is not exactly one of them is refused.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include <libxsched.h>

#include "protocol.h"

/* Members a request may have beside "cmd". */
enum member {
	MEMBER_PID = 1 << 0,
	MEMBER_PRIORITY = 1 << 1,
	MEMBER_POLICY = 1 << 2,
};

static const struct {
	const char *name;
	enum command command;
	unsigned int required;
	unsigned int allowed;
} commands[] = {
	{ "stats", COMMAND_STATS, 0, 0 },
	{ "status", COMMAND_STATS, 0, 0 },
	{ "list", COMMAND_LIST, 0, 0 },
	{ "suspend", COMMAND_SUSPEND, MEMBER_PID, MEMBER_PID },
	{ "resume", COMMAND_RESUME, MEMBER_PID, MEMBER_PID },
	{ "priority", COMMAND_PRIORITY, MEMBER_PID | MEMBER_PRIORITY,
	  MEMBER_PID | MEMBER_PRIORITY },
	{ "policy", COMMAND_POLICY, 0, MEMBER_POLICY },
};

static bool get_number(struct json_object *value, int64_t min, int64_t max,
		       int32_t *out)
{
	int64_t number;

	if (!json_object_is_type(value, json_type_int))
		return false;
	number = json_object_get_int64(value);
	if (number < min || number > max)
		return false;
	*out = number;
	return true;
}

static bool get_string(struct json_object *value, char *out, size_t size)
{
	size_t length;

	if (!json_object_is_type(value, json_type_string))
		return false;
	length = json_object_get_string_len(value);
	if (!length || length >= size ||
	    strlen(json_object_get_string(value)) != length)
		return false;
	memcpy(out, json_object_get_string(value), length + 1);
	return true;
}

/* Returns what is wrong with a member, or NULL. */
static const char *take_member(struct request *request, unsigned int *have,
			       char *command, size_t size, const char *name,
			       struct json_object *value)
{
	if (!strcmp(name, "cmd"))
		return get_string(value, command, size) ? NULL :
		       "cmd is not a name";
	if (!strcmp(name, "pid")) {
		*have |= MEMBER_PID;
		return get_number(value, 1, INT32_MAX, &request->pid) ? NULL :
		       "pid is not a process id";
	}
	if (!strcmp(name, "priority")) {
		*have |= MEMBER_PRIORITY;
		return get_number(value, XSCHED_PRIORITY_MIN,
				  XSCHED_PRIORITY_MAX, &request->priority) ?
		       NULL : "priority is not within -255..255";
	}
	if (!strcmp(name, "policy")) {
		*have |= MEMBER_POLICY;
		return get_string(value, request->policy,
				  sizeof(request->policy)) ? NULL :
		       "policy is not a name";
	}
	return "unknown member";
}

static const char *take_object(struct request *request,
			       struct json_object *object)
{
	char command[32] = "";
	unsigned int have = 0;

	json_object_object_foreach(object, name, value) {
		const char *wrong = take_member(request, &have, command,
						sizeof(command), name, value);

		if (wrong)
			return wrong;
	}
	if (!*command)
		return "cmd is missing";
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, command))
			continue;
		if (commands[i].required & ~have)
			return "a member is missing";
		if (have & ~commands[i].allowed)
			return "a member does not belong to this cmd";
		request->command = commands[i].command;
		return NULL;
	}
	return "unknown cmd";
}

int protocol_parse(struct request *request, const char *line, size_t length,
		   const char **message)
{
	struct json_tokener *tokener = json_tokener_new_ex(4);
	struct request fresh = { 0 };
	struct json_object *object;

	*message = "out of memory";
	if (!tokener)
		return -EINVAL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
					JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, line, length);
	if (json_tokener_get_error(tokener) != json_tokener_success ||
	    json_tokener_get_parse_end(tokener) != length)
		*message = "not JSON";
	else if (!json_object_is_type(object, json_type_object))
		*message = "not an object";
	else
		*message = take_object(&fresh, object);
	json_object_put(object);
	json_tokener_free(tokener);
	if (*message)
		return -EINVAL;
	*request = fresh;
	return 0;
}
