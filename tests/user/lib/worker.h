/* SPDX-License-Identifier: MIT */
/*
 * A worker: another process that owns user queues and does what the test
 * tells it. It stands for the application: it never touches the scheduler.
 *
 * Calls are synchronous. They return 0 or a negative errno, -EPIPE when the
 * worker is gone.
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdint.h>
#include <sys/types.h>

#include "spin.h"

struct kfd_xsched_queue;

#define WORKER_MAX_QUEUES	16
#define WORKER_MAX_GPUS		8
#define WORKER_ALL_GPUS		(~0U)

/**
 * struct worker_look - what the worker found when it was asked to look at its load
 * @begun: rounds whose packets are all written and rung for
 * @rounds: of these, rounds that are over
 * @submitted: dispatches so far
 * @executed: of these, completed, as the GPU has logged
 */
struct worker_look {
	uint32_t begun;
	uint32_t rounds;
	uint64_t submitted;
	uint64_t executed;
};

/**
 * struct worker_shared - memory the test and the worker have in common
 * @stop: the test asks the load to end
 * @begun: rounds of the load that have begun
 * @rounds: rounds of the load so far; a futex
 * @done_ns: CLOCK_MONOTONIC of the last one
 * @asked: looks the test has asked for; a futex
 * @looked: looks there were
 * @look: the last one
 */
struct worker_shared {
	uint32_t stop;
	uint32_t begun;
	uint32_t rounds;
	uint64_t done_ns;
	uint32_t asked;
	uint32_t looked;
	struct worker_look look;
};

/**
 * struct worker - handle of a worker
 * @pid: its process
 * @sock: where commands go and answers come
 * @shared: see there
 */
struct worker {
	pid_t pid;
	int sock;
	struct worker_shared *shared;
};

/**
 * struct worker_ids - user ids a worker takes before it opens the GPU
 * @real: uid
 * @effective: euid
 * @saved: suid
 * @dumpable: look like a program that was executed with them; a process that
 *	changes its ids by itself is not dumpable
 */
struct worker_ids {
	uid_t real;
	uid_t effective;
	uid_t saved;
	bool dumpable;
};

/* Start a worker with so many queues, with those ids or (NULL) the caller's. */
int worker_start(struct worker *w, unsigned int queues, const struct worker_ids *ids);

/*
 * The same on GPU number @gpu, or with WORKER_ALL_GPUS on each in turn: queue
 * number n is on GPU n modulo their number.
 */
int worker_start_on(struct worker *w, unsigned int queues, unsigned int gpu);

/* The same under a name of its own (at most 15 characters), for rules by name. */
int worker_start_named(struct worker *w, unsigned int queues, const char *name);

/* Let it exit in order; its exit status, or -errno. */
int worker_stop(struct worker *w);

/* SIGKILL, and wait until it is gone. */
void worker_kill(struct worker *w);

/* Submit @count equal dispatches to queue number @queue. */
int worker_submit(struct worker *w, unsigned int queue, const struct spin_shape *shape,
		  uint32_t count);

/* Wait, blocked, for the last submission of the queue: -ETIME after @timeout_ms. */
int worker_wait(struct worker *w, unsigned int queue, int timeout_ms);

/*
 * Submit one dispatch to an empty queue, and wait until the GPU has taken it: where there is room
 * it runs then. -ETIME: it was not taken.
 */
int worker_begin(struct worker *w, unsigned int queue, const struct spin_shape *shape);

/* What a test does to a worker: 0 or -errno. */
typedef int (*worker_step)(struct worker *w);

/*
 * Begin a dispatch on each of the first @queues queues and have @stop stop them half-way: what it
 * returned, or -EALREADY if one was complete by then.
 */
int worker_half_way(struct worker *w, unsigned int queues, const struct spin_shape *shape,
		    worker_step stop);

/*
 * The same for a guest in real time, where the host may keep @stop waiting until one is complete:
 * then @go lets them run, and all begins anew.
 */
int worker_half_way_in_real_time(struct worker *w, unsigned int queues,
				 const struct spin_shape *shape, worker_step stop, worker_step go);

/* AMDKFD_IOC_UPDATE_QUEUE. */
int worker_update(struct worker *w, unsigned int queue, uint32_t percentage, uint32_t priority);

/* Create one more queue; its number, or -errno. */
int worker_add_queue(struct worker *w);

/* Destroy a queue and create it anew. */
int worker_recreate(struct worker *w, unsigned int queue);

/* KFD's id of a queue; and the queue as LIST of that client describes it, 0 or -errno. */
int worker_queue_id(struct worker *w, unsigned int queue, uint32_t *id);
int worker_listed(struct worker *w, unsigned int queue, int fd, struct kfd_xsched_queue *out);

/* Account of all dispatches of all queues. */
int worker_account(struct worker *w, struct spin_account *out);

/* Whether every dispatch of all queues executed once and in order. */
bool worker_clean(struct worker *w);

/* Log of the last dispatch of a queue. */
int worker_last_log(struct worker *w, unsigned int queue, struct vgpu_log *out);

/*
 * Take pages away from memory that is registered with the GPU: amdkfd evicts
 * the queues of the process, and restores them a little later.
 */
int worker_invalidate(struct worker *w);

/*
 * What a test may have a worker do beside that, in the worker's process: with
 * its (first) GPU, one of its queues, or NULL if it has none, and a number.
 */
typedef int (*worker_function)(struct kfdq_device *dev, struct kfdq_queue *queue,
			       uint64_t argument);

/* Have the worker call it; what it returned. */
int worker_call(struct worker *w, unsigned int queue, worker_function function,
		uint64_t argument);

/*
 * Load: on every queue, submit a batch of dispatches up to this shape, wait
 * for them, again and again until worker_load_stop(). Nothing else may be
 * asked meanwhile. @seed varies the sizes; 0: all of the given shape.
 */
int worker_load_start(struct worker *w, const struct spin_shape *shape, uint32_t seed);

/* End the load; what it returned: -EIO when something never completed. */
int worker_load_stop(struct worker *w);

/* Block until the load has made a round beyond number @from: -ETIME. */
int worker_load_progress(struct worker *w, uint32_t from, int timeout_ms);

/*
 * Whether the load of a process that is held stands still for that long, which must be many times
 * as long as a round. It is not enough that no round is counted, as a worker that rings for none
 * counts none, either. So the worker is asked, twice, and looks at the GPU's log: both times a
 * round must have been rung for that the GPU has not completed, and between them nothing
 * of it has.
 */
bool worker_load_still(struct worker *w, int ms);

/* Whether the load goes on: of the next two rounds the second is new work. */
bool worker_load_goes_on(struct worker *w);

/* Rounds of the load so far. */
uint32_t worker_load_rounds(const struct worker *w);

#endif /* WORKER_H */
