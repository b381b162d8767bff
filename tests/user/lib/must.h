/* SPDX-License-Identifier: MIT */
/* What a test cannot do without: if it cannot be had, that is the test's end. */
#ifndef MUST_H
#define MUST_H

#include "worker.h"
#include "xsdev.h"

/* Open the device. */
int must_open(void);

/* Start a worker, see worker_start(). */
void must_start(struct worker *w, unsigned int queues, const struct worker_ids *ids);

/* A worker's queue as LIST of that client describes it. */
struct kfd_xsched_queue must_list(struct worker *w, unsigned int queue, int fd);

#endif /* MUST_H */
