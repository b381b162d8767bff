// SPDX-License-Identifier: MIT
/*
 * Kill a scheduler, with SIGKILL, while it holds a process.
 *
 *   kill-held SCHEDULER HELD	process ids; prints CLOCK_MONOTONIC of the kill in nanoseconds
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon.h"
#include "tap.h"
#include "xsdev.h"

#define HELD_MS		10000	/* for it to begin */
#define SETTLE_MS	50	/* work completed before has been reported by then */

int main(int argc, char **argv)
{
	int fd = xsdev_open(), scheduler, held;
	uint64_t now;

	if (argc != 3 || (scheduler = atoi(argv[1])) <= 0 || (held = atoi(argv[2])) <= 0)
		tap_bail("usage: kill-held SCHEDULER HELD");
	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	if (!daemon_holds_within(fd, held, true, HELD_MS))
		tap_bail("%d is not held", held);
	xsdev_sleep_ms(SETTLE_MS);
	if (!daemon_holds(fd, held))
		tap_bail("%d is no longer held", held);
	now = xsdev_now();
	if (kill(scheduler, SIGKILL))
		tap_bail("%d cannot be killed", scheduler);
	printf("%llu\n", (unsigned long long)now);
	return 0;
}
