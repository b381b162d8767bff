/* SPDX-License-Identifier: MIT */
/* What a test cannot do without: if it cannot be had, that is the test's end. */
#ifndef MUST_H
#define MUST_H

#include "worker.h"

/* Open the device. */
int must_open(void);

/* Start a worker, see worker_start(). */
void must_start(struct worker *w, unsigned int queues, const struct worker_ids *ids);

#endif /* MUST_H */
