// SPDX-License-Identifier: MIT
/*
 * Messages of the library: they go to a callback of its user.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <stdio.h>

#include <xsched/object.h>

#include "log.h"

static xsched_log_fn log_fn;
static void *log_user;

void xsched_set_log(xsched_log_fn fn, void *user)
{
	log_fn = fn;
	log_user = user;
}

void xsched_log(int level, const char *format, ...)
{
	char message[256];
	va_list args;

	if (!log_fn)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	log_fn(log_user, level, message);
}

const char *xsched_version(void)
{
	return XSCHED_VERSION;
}
