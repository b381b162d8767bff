/* SPDX-License-Identifier: MIT */
/*
 * This process as an application of its own scheduler: queues whose doorbells
 * the test can reach, in one process or in a child.
 */
#ifndef APP_H
#define APP_H

#include <stdbool.h>

#include "kfdq_priv.h"
#include "spin.h"

#define APP_QUEUES	2
#define APP_PAGE	4096UL
#define APP_DOORBELLS	(2 * APP_PAGE)

/* Offset of a doorbell that belongs to no queue, so that a ring does nothing on the GPU. */
#define APP_SPARE	(APP_PAGE - 8)

/**
 * struct app - this process as an application
 * @dev: the GPU
 * @queue: its queues
 * @spin: what they run
 * @done: a signal for the last dispatch of each queue
 */
struct app {
	struct kfdq_device *dev;
	struct kfdq_queue *queue[APP_QUEUES];
	struct spin_set spin;
	struct kfdq_signal *done[APP_QUEUES];
};

/* Open the first GPU, with memory for so many dispatches. Bails out if it cannot. */
void app_open(struct app *app, uint64_t dispatches);
void app_close(struct app *app);

/*
 * Run @body in a child that is an application itself, after @prepare, or NULL, which returns whether
 * it was: the exit status, or -signal. 99: it was not.
 */
int app_in_child(bool (*prepare)(struct app *app), int (*body)(struct app *app));

/* Open GPU number @gpu, with so many queues: 0 or -errno. */
int app_try(struct app *app, unsigned int gpu, unsigned int queues, uint64_t dispatches);

/* Submit one dispatch; and run one: 0, or -ETIME if it did not complete. */
int app_submit(struct app *app, unsigned int queue, const struct spin_shape *shape);
int app_wait(struct app *app, unsigned int queue, int timeout_ms);
int app_run(struct app *app, unsigned int queue, const struct spin_shape *shape);

/* Ring at an address that means nothing; how many page faults that took. */
long app_touch(volatile void *at);

/* The offset in /dev/kfd at which the doorbells are mapped, or -1. */
long app_doorbell_offset(const struct app *app);

#endif /* APP_H */
