/* SPDX-License-Identifier: MIT */
/*
 * XSched's level 1, in the client, as its preempt/src/xqueue/launch_worker.cpp
 * does it: what a program submits waits in a buffer, few commands are in
 * flight at a time, and none is launched while a process of a higher priority
 * has work. What is in flight then runs to its end.
 *
 * It is called where the program submits and waits, not by a thread of its own:
 * a model does nothing else in between.
 */
#ifndef LV1_H
#define LV1_H

#include "kfdq.h"
#include "peers/turns.h"

struct lv1;

/* Launch for a queue; with @turns, which it says when there is work. 0 or -errno. */
int lv1_open(struct kfdq_device *dev, struct kfdq_queue *queue, const struct turns *turns,
	     struct lv1 **out);

/*
 * Submit @count commands; the last must have a signal, which is armed. -EAGAIN, with none of them
 * taken, when the buffer has no room.
 */
int lv1_submit(struct lv1 *l, const struct kfdq_dispatch *commands, uint32_t count);

/* Launch, until command number @number, from 1, is complete: 0 or -errno; -EINTR: not yet. */
int lv1_wait(struct lv1 *l, uint64_t number);

/* All are complete, or will never be. */
void lv1_close(struct lv1 *l);

#endif /* LV1_H */
