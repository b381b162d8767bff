/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampler: which queues have work. See activity.c.
 */
#ifndef KFD_XSCHED_ACTIVITY_H
#define KFD_XSCHED_ACTIVITY_H

#include <linux/types.h>

struct xs_client;
struct xs_queue;

int xs_activity_init(void);
void xs_activity_exit(void);

/* A queue whose indices mean work came, or goes: not sampled once this returns. */
void xs_activity_add_locked(struct xs_queue *queue);
void xs_activity_remove_locked(struct xs_queue *queue);

/*
 * A subscription changed: start, stop or change pace. @newcomer, if not NULL,
 * is told which queues are READY already.
 */
void xs_activity_configure_locked(struct xs_client *newcomer);

/* Whether the queue is being sampled. A hint. */
bool xs_activity_watches(const struct xs_queue *queue);

#endif /* KFD_XSCHED_ACTIVITY_H */
