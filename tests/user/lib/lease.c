// SPDX-License-Identifier: MIT
/* The length of a lease, which is put back. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lease.h"
#include "sysfile.h"

#define LEASE	SYSFILE_GLOBAL "watchdog_ms"

static char usual[16];
static pid_t setter;

/* Children of the test may exit, too. */
static void put_back(void)
{
	if (getpid() == setter)
		sysfile_write(usual, LEASE);
}

int lease_set(unsigned int ms)
{
	char text[16];
	int ret;

	if (!setter) {
		ret = sysfile_read(usual, sizeof(usual), LEASE);
		if (ret < 0)
			return ret;
		setter = getpid();
		atexit(put_back);
	}
	snprintf(text, sizeof(text), "%u", ms);
	return sysfile_write(text, LEASE);
}
