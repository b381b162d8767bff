// SPDX-License-Identifier: MIT
/*
 * Messages of the daemon, in place of tools/xschedd/base/log.c: they are made, so that what is
 * wrong with them is noticed, and go nowhere. Whoever reads a log relies on it that none ends a
 * line or commands a terminal, and that a field is NAME=VALUE.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static char text[4096];

static void claim(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "not a message: %s\n", what);
	abort();
}

static void check_text(const char *what)
{
	for (const char *c = what; *c; c++)
		claim((unsigned char)*c >= ' ' && *c != 0x7f, what);
}

static void check_fields(const char *const *more)
{
	int count = 0;

	for (; more[count]; count++) {
		size_t name = strspn(more[count], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

		claim(name && more[count][name] == '=', more[count]);
		check_text(more[count]);
	}
	claim(count <= LOG_MORE, "too many fields");
}

__attribute__((format(printf, 1, 0)))
static void make(const char *format, va_list args)
{
	vsnprintf(text, sizeof(text), format, args);
	check_text(text);
}

void log_open(void)
{
}

void log_to_syslog(void)
{
}

void log_event(int level, const struct log_fields *fields, const char *format, ...)
{
	va_list args;

	(void)level;
	va_start(args, format);
	make(format, args);
	va_end(args);
	if (fields->rule)
		check_text(fields->rule);
	if (fields->more)
		check_fields(fields->more);
}

void log_message(int level, const char *format, ...)
{
	va_list args;

	(void)level;
	va_start(args, format);
	make(format, args);
	va_end(args);
}

void log_library(void *user, int level, const char *message)
{
	(void)user;
	log_message(level, "%s", message);
}
