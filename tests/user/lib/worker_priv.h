/* SPDX-License-Identifier: MIT */
/* What the two sides of a worker say to each other. */
#ifndef WORKER_PRIV_H
#define WORKER_PRIV_H

#include "worker.h"

enum worker_command {
	WORKER_SUBMIT,
	WORKER_WAIT,
	WORKER_UPDATE,
	WORKER_ADD_QUEUE,
	WORKER_RECREATE,
	WORKER_QUEUE_ID,
	WORKER_ACCOUNT,
	WORKER_LAST_LOG,
	WORKER_INVALIDATE,
	WORKER_LOAD,
	WORKER_CALL,
};

/**
 * struct worker_request - a command
 * @command: enum worker_command
 * @queue: number of the queue it concerns
 * @shape: of dispatches
 * @a: count, timeout, percentage or seed
 * @b: priority
 * @function: to call
 * @argument: of it
 */
struct worker_request {
	uint32_t command;
	uint32_t queue;
	struct spin_shape shape;
	uint32_t a;
	uint32_t b;
	worker_function function;
	uint64_t argument;
};

/**
 * struct worker_reply - the answer
 * @ret: 0 or -errno
 * @value: number or id of a queue
 * @account: of all queues
 * @log: of one dispatch
 */
struct worker_reply {
	int ret;
	uint32_t value;
	struct spin_account account;
	struct vgpu_log log;
};

/* The worker itself; its exit status. */
int worker_main(int sock, unsigned int queues, unsigned int gpu, struct worker_shared *shared);

#endif /* WORKER_PRIV_H */
