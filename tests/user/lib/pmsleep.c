// SPDX-License-Identifier: MIT
/*
 * System sleep that is only tried. The kernel waits busily then, which takes an
 * emulated CPU on a busy host long enough to look like a lockup: that is not looked for
 * meanwhile.
 */
#include <stdio.h>

#include "pmsleep.h"
#include "sysfile.h"

#define POWER	"/sys/power/"
#define DELAY	"/sys/module/suspend/parameters/pm_test_delay"
#define LOCKUPS	"/proc/sys/kernel/soft_watchdog"

int pmsleep(const char *depth, unsigned int seconds)
{
	char text[16];
	int ret = sysfile_write(depth, POWER "pm_test");

	snprintf(text, sizeof(text), "%u", seconds);
	ret = ret ? ret : sysfile_write(text, DELAY);
	ret = ret ? ret : sysfile_write("0", LOCKUPS);
	ret = ret ? ret : sysfile_write("freeze", POWER "state");
	sysfile_write("1", LOCKUPS);
	sysfile_write("none", POWER "pm_test");
	return ret;
}
