// SPDX-License-Identifier: MIT
/* The Nth allocation or copy of a call fails. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "failnth.h"
#include "sysfile.h"
#include "tap.h"

#define DEBUGFS	"/sys/kernel/debug/"

/* A file of this thread, so each has one of its own. */
static __thread int file = -1;

static const char *const settings[][2] = {
	{ "failslab/ignore-gfp-wait", "N" },
	{ "failslab/verbose", "0" },
	{ "fail_page_alloc/ignore-gfp-wait", "N" },
	{ "fail_page_alloc/min-order", "0" },
	{ "fail_page_alloc/verbose", "0" },
	{ "fail_usercopy/verbose", "0" },
};

bool failnth_open(void)
{
	unsigned int i;

	file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (sysfile_write(settings[i][1], DEBUGFS "%s", settings[i][0]))
			return false;
	}
	return true;
}

/* What was armed before may hit this very write: once. */
void failnth_arm(unsigned int n)
{
	char text[16];
	const int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(file, text, (size_t)length, 0) != length &&
	    pwrite(file, text, (size_t)length, 0) != length)
		tap_bail("fail-nth cannot be written");
}

/* What is read was taken before it is copied, and if the copy fails, nothing has before. */
bool failnth_hit(void)
{
	char text[16] = "1";
	const ssize_t length = pread(file, text, sizeof(text) - 1, 0);
	const bool hit = length > 0 && !atoi(text);

	failnth_arm(0);
	return hit;
}
