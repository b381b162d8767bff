// SPDX-License-Identifier: MIT
/*
 * xs-trap: a scheduler of two processes that needs no patch, as practitioners make it: a
 * debugger of the low one, which suspends its queues while the high one has work. Only
 * one that traces a process may do that.
 *
 *   xs-trap TURNS RANK PID QUEUE...
 *
 * It holds process PID, whose queues KFD calls QUEUE, while somebody with more than RANK has
 * work in the file TURNS. SIGTERM ends it, and what it holds goes on. Like xschedd it has the
 * lowest of the real-time priorities.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugtrap.h"
#include "peers/turns.h"

#define MOST_QUEUES	16

static struct turns turns;
static volatile bool stop;

/* What is said wakes the one that waits. */
static void on_stop(int signo)
{
	(void)signo;
	stop = true;
	turns_say(&turns, false);
}

static int fail(const char *what, int ret)
{
	fprintf(stderr, "xs-trap: %s: %s\n", what, strerror(-ret));
	return 1;
}

/* Hold while it is another's turn: how often, or -errno. */
static int run(const struct fleet *f)
{
	bool held = false;
	int ret = 0, count = 0;
	uint32_t seen;

	while (!stop && ret >= 0) {
		seen = turns_seen(&turns);
		if (held != turns_mine(&turns)) {
			ret = turns_wait(&turns, seen);
			ret = ret == -EINTR ? 0 : ret;
			continue;
		}
		ret = held ? debugtrap_resume(f) : debugtrap_suspend(f);
		held = !held;
		count += held;
	}
	if (ret >= 0 && held)
		ret = debugtrap_resume(f);
	return ret < 0 ? ret : count;
}

static void prepare(void)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };
	struct sigaction action = { .sa_handler = on_stop };

	sched_setscheduler(0, SCHED_FIFO, &lowest);
	sigaction(SIGTERM, &action, NULL);
}

int main(int argc, char **argv)
{
	uint32_t ids[MOST_QUEUES];
	struct fleet_member low = { .ids = ids };
	const struct fleet fleet = { .members = &low, .count = 1 };
	int ret, i;

	if (argc < 5 || argc > 4 + MOST_QUEUES) {
		fputs("usage: xs-trap TURNS RANK PID QUEUE...\n", stderr);
		return 2;
	}
	low.pid = atoi(argv[3]);
	for (i = 4; i < argc; i++)
		ids[low.queues++] = (uint32_t)strtoul(argv[i], NULL, 10);
	ret = turns_join(&turns, argv[1], atoi(argv[2]));
	if (ret)
		return fail(argv[1], ret);
	prepare();
	ret = debugtrap_attach(&fleet);
	if (ret < 0)
		return fail("attach", ret);
	ret = run(&fleet);
	debugtrap_detach(&fleet);
	if (ret < 0)
		return fail("switch", ret);
	printf("# xs-trap: suspended %d times\n", ret);
	return 0;
}
