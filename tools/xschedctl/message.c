// SPDX-License-Identifier: MIT
/*
 * Messages, exit statuses, and JSON on standard output.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <error_name.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"

void complain(const char *format, ...)
{
	va_list args;

	fputs("xschedctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int status_of(int error)
{
	switch (error) {
	case 0:
		return CTL_OK;
	case -EPERM:
	case -EACCES:
		return CTL_NOT_PERMITTED;
	default:
		return CTL_FAILURE;
	}
}

void print_json(struct json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
	fflush(stdout);
}

void print_failure(const struct options *options, int error,
		   const char *message)
{
	struct json_object *object;

	if (!options->json)
		return;
	object = json_object_new_object();
	json_object_object_add(object, "ok", json_object_new_boolean(false));
	json_object_object_add(object, "errno", json_object_new_int(-error));
	json_object_object_add(object, "error",
			       json_object_new_string(error_name(-error)));
	json_object_object_add(object, "message",
			       json_object_new_string(message));
	print_json(object);
	json_object_put(object);
}
