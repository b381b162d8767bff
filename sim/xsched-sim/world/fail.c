// SPDX-License-Identifier: MIT
/* What ends a run before its end. */
#include <stdarg.h>
#include <stdio.h>

#include "world/world.h"

void world_fail(struct world *w, const char *format, ...)
{
	va_list args;

	if (*w->error)
		return;
	va_start(args, format);
	vsnprintf(w->error, sizeof(w->error), format, args);
	va_end(args);
}
