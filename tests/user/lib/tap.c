// SPDX-License-Identifier: MIT
/* Test Anything Protocol: written at once, so that nothing is lost in a crash. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static unsigned int count, failed;

static bool report(bool ok, const char *format, va_list ap)
{
	count++;
	failed += !ok;
	printf("%sok %u - ", ok ? "" : "not ", count);
	vprintf(format, ap);
	putchar('\n');
	fflush(stdout);
	return ok;
}

bool tap_ok(bool ok, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(ok, format, ap);
	va_end(ap);
	return ok;
}

bool tap_is(long got, long want, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report(got == want, format, ap);
	va_end(ap);
	if (got != want)
		tap_note("got %ld, want %ld", got, want);
	return got == want;
}

void tap_skip(const char *reason, const char *format, ...)
{
	va_list ap;

	printf("ok %u - ", ++count);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	printf(" # SKIP %s\n", reason);
	fflush(stdout);
}

void tap_note(const char *format, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

void tap_bail(const char *format, ...)
{
	va_list ap;

	fputs("Bail out! ", stdout);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	exit(1);
}

int tap_done(void)
{
	printf("1..%u\n", count);
	fflush(stdout);
	return failed ? 1 : 0;
}
