// SPDX-License-Identifier: MIT
/*
 * Messages of the daemon, in place of tools/xschedd/base/log.c: they are made, so that what is
 * wrong with them is noticed, and go nowhere.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

static char text[4096];

static void make(const char *format, va_list args)
{
	vsnprintf(text, sizeof(text), format, args);
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
	(void)fields;
	va_start(args, format);
	make(format, args);
	va_end(args);
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
