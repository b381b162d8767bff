// SPDX-License-Identifier: MIT
/*
 * Parse requests. Anything that is not exactly a request is refused.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <error_name.h>
#include <string.h>

#include <libxsched.h>

#include "facts/rule.h"
#include "serve/protocol.h"

/* Members a request may have beside "cmd". */
enum member {
	MEMBER_PID = 1 << 0,
	MEMBER_PRIORITY = 1 << 1,
	MEMBER_POLICY = 1 << 2,
	MEMBER_OPTIONS = 1 << 3,
	MEMBER_HINT = 1 << 4,
	MEMBER_VALUE = 1 << 5,
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
	{ "policy", COMMAND_POLICY, 0, MEMBER_POLICY | MEMBER_OPTIONS },
	{ "events", COMMAND_EVENTS, 0, 0 },
	{ "rules", COMMAND_RULES, MEMBER_PID, MEMBER_PID },
	{ "hint", COMMAND_HINT, MEMBER_PID | MEMBER_HINT | MEMBER_VALUE,
	  MEMBER_PID | MEMBER_HINT | MEMBER_VALUE },
	{ "reload", COMMAND_RELOAD, 0, 0 },
};

static bool protocol_get_number64(struct json_object *value, int64_t min, int64_t max,
				  int64_t *out)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	/* A number out of range is clamped to these limits: refuse them, too. */
	*out = json_object_get_int64(value);
	return *out >= min && *out <= max && *out > INT64_MIN &&
	       *out < INT64_MAX;
}

static bool protocol_get_number(struct json_object *value, int64_t min, int64_t max,
				int32_t *out)
{
	int64_t number;

	if (!protocol_get_number64(value, min, max, &number))
		return false;
	*out = number;
	return true;
}

static bool protocol_get_string(struct json_object *value, char *out, size_t size)
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

static const char *protocol_take_options(struct request *request,
					 struct json_object *object)
{
	if (!json_object_is_type(object, json_type_object))
		return "options is not an object";
	json_object_object_foreach(object, name, value) {
		struct request_option *option;

		if (request->option_count == PROTOCOL_OPTIONS)
			return "too many options";
		option = &request->options[request->option_count++];
		if (strlen(name) >= sizeof(option->name))
			return "an option has no such name";
		strcpy(option->name, name);
		if (!protocol_get_number64(value, INT64_MIN, INT64_MAX, &option->value))
			return "the value of an option is not a number";
	}
	return NULL;
}

/* Check it after all members are parsed. */
static const char *protocol_take_cmd(struct request *request, struct json_object *value)
{
	(void)request;
	(void)value;
	return NULL;
}

static const char *protocol_take_pid(struct request *request, struct json_object *value)
{
	return protocol_get_number(value, 1, INT32_MAX, &request->pid) ? NULL :
	       "pid is not a process id";
}

static const char *protocol_take_priority(struct request *request,
					  struct json_object *value)
{
	return protocol_get_number(value, PRIORITY_NEVER, XSCHED_PRIORITY_MAX,
				   &request->priority) ? NULL :
	       "priority is not within -256..255";
}

static const char *protocol_take_policy(struct request *request,
					struct json_object *value)
{
	return protocol_get_string(value, request->policy, sizeof(request->policy)) ?
	       NULL : "policy is not a name";
}

static const char *protocol_take_hint(struct request *request, struct json_object *value)
{
	return protocol_get_string(value, request->hint, sizeof(request->hint)) ? NULL :
	       "hint is not a name";
}

static const char *protocol_take_value(struct request *request,
				       struct json_object *value)
{
	return protocol_get_number64(value, INT64_MIN, INT64_MAX, &request->value) ?
	       NULL : "value is not a number";
}

static const struct {
	const char *name;
	unsigned int bit;
	/* Returns what is wrong, or NULL. */
	const char *(*take)(struct request *request, struct json_object *value);
} members[] = {
	{ "cmd", 0, protocol_take_cmd },
	{ "pid", MEMBER_PID, protocol_take_pid },
	{ "priority", MEMBER_PRIORITY, protocol_take_priority },
	{ "policy", MEMBER_POLICY, protocol_take_policy },
	{ "options", MEMBER_OPTIONS, protocol_take_options },
	{ "hint", MEMBER_HINT, protocol_take_hint },
	{ "value", MEMBER_VALUE, protocol_take_value },
};

/* Returns what is wrong with a member, or NULL. */
static const char *protocol_take_member(struct request *request, unsigned int *have,
					const char *name, struct json_object *value)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(members[i].name, name))
			continue;
		*have |= members[i].bit;
		return members[i].take(request, value);
	}
	return "unknown member";
}

static const char *protocol_take_object(struct request *request,
					struct json_object *object)
{
	struct json_object *cmd;
	char command[32] = "";
	unsigned int have = 0;

	json_object_object_foreach(object, name, value) {
		const char *wrong = protocol_take_member(request, &have, name, value);

		if (wrong)
			return wrong;
	}
	if (!json_object_object_get_ex(object, "cmd", &cmd))
		return "cmd is missing";
	if (!protocol_get_string(cmd, command, sizeof(command)))
		return "cmd is not a name";
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
		*message = protocol_take_object(&fresh, object);
	json_object_put(object);
	json_tokener_free(tokener);
	if (*message)
		return -EINVAL;
	*request = fresh;
	return 0;
}

/* ---- answers ------------------------------------------------------------ */

struct json_object *protocol_error(int error, const char *message)
{
	struct json_object *reply = json_object_new_object();

	json_object_object_add(reply, "ok", json_object_new_boolean(false));
	json_object_object_add(reply, "errno", json_object_new_int(-error));
	json_object_object_add(reply, "error",
			       json_object_new_string(error_name(-error)));
	json_object_object_add(reply, "message",
			       json_object_new_string(message));
	return reply;
}

struct json_object *protocol_ok(void)
{
	struct json_object *reply = json_object_new_object();

	json_object_object_add(reply, "ok", json_object_new_boolean(true));
	return reply;
}
