/* SPDX-License-Identifier: MIT */
/*
 * Queues that are not to save their waves (fault preempt_fail), and by what the firmware and
 * amdkfd name them. What cannot be had is the test's end.
 */
#ifndef STUCK_H
#define STUCK_H

#include <stdint.h>
#include <sys/types.h>

/* The doorbell of the newest compute queue of a process, as the firmware numbers them. */
uint32_t stuck_doorbell(pid_t pid);

/*
 * Workers that are started after this have their rings elsewhere than those before: amdkfd knows a
 * queue that is stuck by the address of its ring, and has to find the right one.
 */
void stuck_keep_apart(void);

#endif /* STUCK_H */
