/* SPDX-License-Identifier: MIT */
/* A queue that completes what is waited for, and what came before, and nothing else. */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include <errno.h>

#include "bounds.h"

#include "kfdq.h"

#define FAKE_ROOM	4096

/**
 * struct fake_gpu - what was done to it
 * @taken: dispatches in the order in which they were submitted, by their argument
 * @signals: of each, the signal it completes, or NULL
 * @submitted: how many
 * @completed: of them, from the first
 * @most: that were in flight at a time
 * @waits: calls that waited for a signal
 * @interrupted: wait number that ends with -EINTR, from 1; 0: none
 * @full: submission number that ends with -EAGAIN, from 1; 0: none
 * @on_wait: called at each wait, before anything completes
 */
struct fake_gpu {
	const void *taken[FAKE_ROOM];
	struct kfdq_signal *signals[FAKE_ROOM];
	unsigned int submitted;
	unsigned int completed;
	unsigned int most;
	unsigned int waits;
	unsigned int interrupted;
	unsigned int full;
	void (*on_wait)(void);
};

extern struct fake_gpu fake;

/* Nothing was done to it. */
void fake_reset(void);

#endif /* FAKE_GPU_H */
