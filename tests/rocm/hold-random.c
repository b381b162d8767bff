// SPDX-License-Identifier: MIT
/*
 * Hold all queues of a process and let them go, at random moments, until it ends or a file is there.
 *
 *   hold-random PID STOP SEED HELD_US RUN_US	prints how many of how many holds took a queue off the GPU
 *
 * A hold lasts up to HELD_US, it runs up to RUN_US in between. Fails if there was none, or a call failed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"
#include "xsdev.h"

/**
 * struct tally - what came of it
 * @holds: all of them
 * @off: that took a queue off the GPU
 */
struct tally {
	unsigned long holds;
	unsigned long off;
};

static void sleep_up_to(long us)
{
	long ns = random() % (us * 1000 + 1);
	struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	nanosleep(&t, NULL);
}

/* A process without a queue, or that has ended, has nothing to hold. */
static bool apply(int fd, uint32_t op, pid_t pid, struct tally *tally)
{
	struct kfd_xsched_node_result result = { };
	int ret = xsdev_process_op(fd, op, pid, 0, &result);

	if (ret == -ESRCH || ret == -ENOENT || ret == -EALREADY)
		return false;
	if (ret)
		tap_bail("operation %u on %d: error %d", op, pid, ret);
	tally->holds += op == KFD_XSCHED_OP_SUSPEND;
	tally->off += op == KFD_XSCHED_OP_SUSPEND && result.flips;
	return true;
}

int main(int argc, char **argv)
{
	struct tally tally = { };
	int fd = xsdev_open();
	pid_t pid;

	if (argc != 6 || (pid = atoi(argv[1])) <= 0)
		tap_bail("usage: hold-random PID STOP SEED HELD_US RUN_US");
	if (fd < 0)
		tap_bail(XSDEV_PATH ": error %d", fd);
	srandom(atoi(argv[3]));
	while (access(argv[2], F_OK) && !kill(pid, 0)) {
		sleep_up_to(atol(argv[5]));
		if (!apply(fd, KFD_XSCHED_OP_SUSPEND, pid, &tally))
			continue;
		sleep_up_to(atol(argv[4]));
		apply(fd, KFD_XSCHED_OP_RESUME, pid, &tally);
	}
	printf("%lu of %lu holds took a queue off the GPU\n", tally.off, tally.holds);
	return tally.off ? 0 : 1;
}
