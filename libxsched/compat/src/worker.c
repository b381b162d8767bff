// SPDX-License-Identifier: MIT
/*
 * The only thread of the library: it gives signs of life for what is held, and
 * runs the local scheduler. It starts with the first hold or local scheduler,
 * sleeps while there is nothing to do, and blocks all signals.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "compat.h"

#define MS	1000000ULL
#define LONGEST_MS	60000

static int wake = -1;
static bool running;
static worker_fn take_turn;

void worker_init(worker_fn turn)
{
	take_turn = turn;
}

static int timeout_of(uint64_t deadline_ns)
{
	uint64_t now = clock_ns();

	if (deadline_ns == XSCHED_NO_DEADLINE)
		return -1;
	if (deadline_ns <= now)
		return 0;
	/* Round up, or the time-out would end too soon. */
	now = (deadline_ns - now + MS - 1) / MS;
	return now < LONGEST_MS ? (int)now : LONGEST_MS;
}

static void *work(void *unused)
{
	for (;;) {
		struct pollfd fds[2] = { { .fd = wake, .events = POLLIN },
					 { .events = POLLIN } };
		uint64_t deadline;
		eventfd_t value;

		eventfd_read(wake, &value);
		deadline = take_turn(&fds[1].fd);
		poll(fds, 2, timeout_of(deadline));
	}
	return unused;
}

void worker_wake(void)
{
	if (running)
		eventfd_write(wake, 1);
}

int worker_start(void)
{
	pthread_t thread;
	sigset_t all, before;
	int ret;

	if (running) {
		worker_wake();
		return 0;
	}
	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret) {
		close(wake);
		wake = -1;
		return -ret;
	}
	pthread_detach(thread);
	running = true;
	return 0;
}

void worker_forget(void)
{
	if (wake >= 0)
		close(wake);
	wake = -1;
	running = false;
}
