/* SPDX-License-Identifier: MIT */
/* A worker of test-torture, for the parts that know it from inside. */
#ifndef TORTURE_WORKER_H
#define TORTURE_WORKER_H

#include "torture.h"

#define TORTURE_QUEUES		4	/* of a worker */
#define TORTURE_MOST_QUEUES	12	/* of all: each takes tens of MiB, to be saved in */

/** enum torture_state - what a worker does */
enum torture_state {
	TORTURE_NONE,		/* there is none */
	TORTURE_ASKED,		/* what it is asked */
	TORTURE_LOADED,		/* its load */
	TORTURE_STOPPING,	/* that, until its round is over */
};

/**
 * struct torture_worker - a worker
 * @w: the worker
 * @index: number among these workers
 * @pid: of it, or of the last
 * @state: see there
 * @debugged: it debugs itself
 * @lost: of its queues one was reset, does not save, or is gone
 * @unsure: something failed: what its queues are is not known
 * @queues: how many it has
 * @pending: of these, have work; as a mask
 * @suspended: are suspended by the debugger
 * @share: percentage of each
 * @priority: that it asked for
 */
struct torture_worker {
	struct worker w;
	unsigned int index;
	pid_t pid;
	enum torture_state state;
	bool debugged;
	bool lost;
	bool unsure;
	unsigned int queues;
	uint32_t pending;
	uint32_t suspended;
	uint32_t share[TORTURE_QUEUES];
	uint32_t priority[TORTURE_QUEUES];
};

extern struct torture_worker torture_workers[TORTURE_WORKERS];

/* How many queues all of them have. */
unsigned int torture_workers_queues(void);

/*
 * One has returned that; @documented: which may be, without a fault. Whether it did what it was
 * asked. One that has died, or does not answer, is gone.
 */
bool torture_worker_got(struct torture_worker *t, int ret, bool documented);

/* It has a queue more, which it did not have to ask for; or it asks for one: whether it has it. */
void torture_note_queue(struct torture_worker *t);
bool torture_add_queue(struct torture_worker *t);

/* The debugger leaves it. */
void torture_detach(struct torture_worker *t);

/* Before the first epoch; and before a worker starts: nothing is asked of its thread. */
void torture_evict_begin(void);
void torture_evict_reset(unsigned int n);

/* For worker_call(), once: a worker forgets the test's clients, and gets that thread. */
int torture_settle_in(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t n);

/*
 * All that it has asked for itself is undone, and its work is over, which may take so long for each
 * queue: whether that is so. Its load waits for its work with the same signals.
 */
bool torture_is_ready(struct torture_worker *t, int ms);

#endif /* TORTURE_WORKER_H */
