// SPDX-License-Identifier: MIT
/*
 * Commands that run for a time, and end cleanly when interrupted.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <signal.h>
#include <time.h>

#include "ctl.h"

static volatile sig_atomic_t caught;

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static void on_signal(int number)
{
	caught = number;
}

void catch_interrupt(void)
{
	/* Without SA_RESTART, so that poll() returns. */
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
	return caught;
}
