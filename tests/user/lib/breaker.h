/* SPDX-License-Identifier: MIT */
/* The breaker of a GPU node, and what opens it. What cannot be had is the test's end. */
#ifndef BREAKER_H
#define BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/* Whether it is "open" or "closed"; and whether it is so in a while. */
bool breaker_is(uint32_t gpu_id, const char *word);
bool breaker_becomes(uint32_t gpu_id, const char *word);

/*
 * So many failures open it, and all of a test count, until this process exits. What tests before
 * have provoked does not count.
 */
void breaker_set(uint32_t gpu_id, unsigned int failures);

/* Close it, or forget what has failed, as soon as that can be: 0 or -errno. */
int breaker_close(uint32_t gpu_id);

/*
 * The firmware of that node does not answer a call on the worker, which has work there, and no queue
 * is to blame: what the call returned. A reset follows.
 */
int breaker_provoke(int fd, const struct worker *w, unsigned int node);

#endif /* BREAKER_H */
