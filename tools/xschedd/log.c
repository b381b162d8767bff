// SPDX-License-Identifier: MIT
/*
 * Messages of the daemon.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "log.h"

static bool use_syslog;

void log_to_syslog(void)
{
	openlog("xschedd", LOG_PID, LOG_DAEMON);
	use_syslog = true;
}

void log_message(int level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (use_syslog) {
		vsyslog(level, format, args);
	} else {
		char text[512];

		vsnprintf(text, sizeof(text), format, args);
		/* The journal reads the level from a prefix. */
		if (getenv("JOURNAL_STREAM"))
			fprintf(stderr, "<%d>%s\n", level, text);
		else
			fprintf(stderr, "xschedd: %s\n", text);
	}
	va_end(args);
}

void log_library(void *user, int level, const char *message)
{
	(void)user;
	log_message(level, "%s", message);
}
