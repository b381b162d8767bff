// SPDX-License-Identifier: MIT
/*
 * Errors with line and column, and the kinds of values.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "parser.h"

int parser_fail(struct parser *p, const char *format, ...)
{
	va_list args;
	int used;

	if (p->failed)
		return 0;
	p->failed = true;
	used = snprintf(p->error, p->size, "%s:%d:%d: ", p->path, p->line,
			p->column);
	if (used < 0 || (size_t)used >= p->size)
		return 0;
	va_start(args, format);
	vsnprintf(p->error + used, p->size - used, format, args);
	va_end(args);
	return 0;
}

int parser_string(struct parser *p, char **field, const char *value)
{
	char *copy;

	if (!*value)
		return parser_fail(p, "empty value; expected some text");
	copy = strdup(value);
	if (!copy)
		return parser_fail(p, "out of memory");
	free(*field);
	*field = copy;
	return 1;
}

int parser_number(struct parser *p, const char *value, long min, long max,
		  long *out)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (end == value || *end)
		return parser_fail(p, "'%s' is not a number; expected %ld..%ld",
				   value, min, max);
	if (errno || number < min || number > max)
		return parser_fail(p, "%s is not within %ld..%ld", value, min,
				   max);
	*out = number;
	return 1;
}

int parser_bool(struct parser *p, const char *value, bool *out)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return parser_fail(p, "expected 'yes' or 'no', not '%s'",
				   value);
	*out = !strcmp(value, "yes");
	return 1;
}

int parser_tenant(struct parser *p, const char *value, enum tenant_kind *out)
{
	for (int kind = TENANT_PROCESS; kind <= TENANT_CONTAINER; kind++) {
		if (strcmp(tenant_kind_name(kind), value))
			continue;
		*out = kind;
		return 1;
	}
	return parser_fail(p, "expected 'process', 'cgroup', 'unit' or 'container', not '%s'",
			   value);
}
