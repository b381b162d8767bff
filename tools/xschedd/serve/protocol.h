/* SPDX-License-Identifier: MIT */
/*
 * Requests of the control socket, one JSON object a line, and what every answer
 * begins with. xschedd(8) lists them.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_PROTOCOL_H
#define XSCHEDD_PROTOCOL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Longest request, with its newline. */
#define PROTOCOL_LINE	4096

/** enum command - what a request asks for */
enum command {
	COMMAND_STATS,
	COMMAND_LIST,
	COMMAND_SUSPEND,
	COMMAND_RESUME,
	COMMAND_PRIORITY,
	COMMAND_POLICY,
	COMMAND_EVENTS,
	COMMAND_RULES,
	COMMAND_HINT,
	COMMAND_RELOAD,
	COMMAND_LEVEL,		/* over HTTP alone */
};

/** Options one request may set. */
#define PROTOCOL_OPTIONS	16

/**
 * struct request_option - an option of the engine
 * @name: its name
 * @value: what to set it to
 */
struct request_option {
	char name[48];
	int64_t value;
};

/**
 * struct request - a parsed request
 * @command: command
 * @pid: for SUSPEND, RESUME, PRIORITY, RULES, HINT, LEVEL: which process, > 0
 * @priority: for PRIORITY: PRIORITY_NEVER..XSCHED_PRIORITY_MAX
 * @policy: for POLICY: the one to change to, empty: leave it
 * @hint: for HINT: name of a hint
 * @value: for HINT, LEVEL: its value
 * @options: for POLICY: options to set
 * @option_count: number of @options
 */
struct request {
	enum command command;
	int32_t pid;
	int32_t priority;
	char policy[32];
	char hint[32];
	int64_t value;
	struct request_option options[PROTOCOL_OPTIONS];
	size_t option_count;
};

/**
 * protocol_parse() - parse one line
 * @request: out, set on success only
 * @line: the line, without newline
 * @length: its length
 * @message: out, on failure: what is wrong, a constant
 *
 * Return: 0 or -EINVAL.
 */
int protocol_parse(struct request *request, const char *line, size_t length,
		   const char **message);

/** protocol_error() - an answer of failure: a negative errno, and a reason */
struct json_object *protocol_error(int error, const char *message);

/** protocol_ok() - an answer of success */
struct json_object *protocol_ok(void);

#endif /* XSCHEDD_PROTOCOL_H */
