/* SPDX-License-Identifier: MIT */
/* For worker_call(): a worker that debugs itself. */
#ifndef DEBUGGED_H
#define DEBUGGED_H

#include <stdint.h>

struct kfdq_device;
struct kfdq_queue;

/* It begins, and ends, to be debugged; @queue, which it has then, is suspended, or resumed. */
int debugged_start(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused);
int debugged_stop(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused);
int debugged_suspend(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t on);

#endif /* DEBUGGED_H */
