// SPDX-License-Identifier: MIT
/* Instructions in user space, by the processor's trap flag. */
#include <signal.h>
#include <x86intrin.h>

#include "steps.h"

#define TRAP_FLAG	(1ULL << 8)

static volatile uint64_t steps;

/* The kernel clears the flag while this runs, and sets it again behind it. */
static void count_step(int)
{
	steps = steps + 1;
}

void steps_begin()
{
	struct sigaction action = {};

	action.sa_handler = count_step;
	sigaction(SIGTRAP, &action, nullptr);
	steps = 0;
	__writeeflags(__readeflags() | TRAP_FLAG);
}

uint64_t steps_end()
{
	__writeeflags(__readeflags() & ~TRAP_FLAG);
	return steps;
}
