// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "demoted.h"
#include "sysfile.h"
#include "tap.h"
#include "xsdev.h"

#define DEMOTED_FILE	SYSFILE_GLOBAL "demoted"
#define PAUSE_MS	5
#define TRIES		2000

const char *demoted_text(void)
{
	static char text[4096];

	text[0] = '\n';
	if (sysfile_read(text + 1, sizeof(text) - 1, DEMOTED_FILE) < 0)
		tap_bail(DEMOTED_FILE " cannot be read");
	return text;
}

const char *demoted_line(pid_t pid, uid_t uid, unsigned int failures)
{
	static char line[48];

	snprintf(line, sizeof(line), "process %d %u %u", (int)pid, uid, failures);
	return line;
}

bool demoted_are(const char *line)
{
	unsigned int i;
	char want[64];

	snprintf(want, sizeof(want), "\n%s%s", line ? line : "", line ? "\n" : "");
	for (i = 0; i < TRIES && strcmp(demoted_text(), want); i++)
		xsdev_sleep_ms(PAUSE_MS);
	return !strcmp(demoted_text(), want);
}

bool demoted_has(const char *line)
{
	char want[64];

	snprintf(want, sizeof(want), "\n%s\n", line);
	return strstr(demoted_text(), want);
}

bool demoted_in_order(void)
{
	const char *process = strstr(demoted_text(), "\nprocess ");

	return process && !strstr(process, "\nuser ") && strstr(demoted_text(), "\nuser ");
}

int demoted_write(const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = sysfile_print(DEMOTED_FILE, format, ap);
	va_end(ap);
	return ret;
}
