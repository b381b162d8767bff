/* SPDX-License-Identifier: MIT */
/*
 * Faults of the software GPU on demand, the reset with which amdkfd gets over them, and whether
 * the node is back after it. What cannot be had is the test's end.
 */
#ifndef GPUFAULT_H
#define GPUFAULT_H

#include "worker.h"

#define GPUFAULT_DONE_MS	20000	/* a reset, and whatever runs to its end after it */

/* Write a command to vgpu/fault (Documentation/software-gpu.rst): 0 or -errno. */
int gpufault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The numbers of what is "armed", or how often it has "fired": their sum over all faults of that
 * name (NULL: of any). -1: there is none.
 */
long gpufault_look(const char *state, const char *name);

/* The firmware of every node, HWS or MES, answers nothing more, until the GPU is reset. */
void gpufault_hang(void);

/* How long amdkfd waits for HWS, until this process exits; for MES it has 2.1 s of its own. */
void gpufault_timeout(unsigned int ms);

/* Open the device, and be told of resets. */
int gpufault_open(void);

/* Wait until a reset is over: 0 or -errno. What else that file is told is dropped. */
int gpufault_wait_reset(int fd);

/*
 * Report that a worker with a dispatch on its queue 0, held through @fd, does not run, and that it
 * does once it is released; with what has been before, unless that is NULL.
 */
void gpufault_check_released(int fd, struct worker *w, const char *before);

#endif /* GPUFAULT_H */
