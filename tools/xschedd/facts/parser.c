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

#include <linux/kfd_xsched.h>

#include "facts/parser.h"

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

/* Whether each '[' of a shell pattern begins a set of characters that ends. A ']' first in a set is one of them. */
static bool parser_sets_end(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1]) {
			pattern++;
		} else if (*pattern == '[') {
			pattern++;
			pattern += *pattern == '!' || *pattern == '^';
			pattern = *pattern ? strchr(pattern + 1, ']') : NULL;
			if (!pattern)
				return false;
		}
	}
	return true;
}

int parser_pattern(struct parser *p, char **field, const char *value)
{
	size_t length = strlen(value);

	if (length > 1 && strchr("\"'", *value) && value[length - 1] == *value)
		return parser_fail(p, "quotes would be compared, too; write the pattern without them");
	if (!parser_sets_end(value))
		return parser_fail(p, "'[' without ']'; the character itself is '[[]'");
	return parser_string(p, field, value);
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

int parser_park(struct parser *p, const char *value, uint32_t *ms)
{
	char *unit;
	long number, factor;

	*ms = 0;
	if (!strcmp(value, "never"))
		return 1;
	errno = 0;
	number = strtol(value, &unit, 10);
	unit += strspn(unit, " \t");
	factor = !strcmp(unit, "s") ? 1000 : !strcmp(unit, "ms");
	if (*value < '0' || *value > '9' || !factor)
		return parser_fail(p, "expected a time as '200 ms' or '2 s', or 'never', not '%s'", value);
	if (errno || number > KFD_XSCHED_PARK_MS_MAX / factor ||
	    number * factor < KFD_XSCHED_PARK_MS_MIN)
		return parser_fail(p, "%s is not within %d ms..%d s", value, KFD_XSCHED_PARK_MS_MIN,
				   KFD_XSCHED_PARK_MS_MAX / 1000);
	*ms = number * factor;
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
