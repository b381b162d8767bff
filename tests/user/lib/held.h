/* SPDX-License-Identifier: MIT */
/*
 * A worker that is held while something else happens to it, with a queue on each
 * GPU: which reasons there are against it, and whether it runs.
 */
#ifndef HELD_H
#define HELD_H

#include "worker.h"
#include "xsdev.h"

#define HELD_ACTIVE	KFD_XSCHED_QUEUE_ACTIVE
#define HELD_MINE	(KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE)
#define HELD_DEBUGGED	KFD_XSCHED_QUEUE_DEBUGGED
#define HELD_DISABLED	KFD_XSCHED_QUEUE_DISABLED
#define HELD_EVICTED	KFD_XSCHED_QUEUE_EVICTED
#define HELD_REASONS	(HELD_MINE | HELD_ACTIVE | HELD_DISABLED | HELD_EVICTED |	\
			 HELD_DEBUGGED | KFD_XSCHED_QUEUE_RESET)

#define HELD_STILL_MS	700	/* how long we watch a queue do nothing; held_lengthy is shorter */
#define HELD_DONE_MS	20000	/* when something that runs must be done */

/* Long enough to be stopped half-way; the GPU counts it on only while it runs. */
extern const struct spin_shape held_lengthy;
extern const struct spin_shape held_tiny;

/* The client that holds, and how many GPUs there are; held_open() sets both. */
extern int held_fd;
extern unsigned int held_gpus;

/* Open the device, with nobody else there. Bails out if it cannot. */
void held_open(unsigned int gpus);

/* Start a worker with so many queues. Bails out if it cannot. */
void held_begin(struct worker *w, unsigned int queues);

/* A queue of the worker, as it is listed. */
struct kfd_xsched_queue held_queue(struct worker *w, unsigned int n);

/*
 * Whether all queues of a process have just these of HELD_REASONS, which may come a
 * little later; it must have one.
 */
bool held_process_is(pid_t pid, uint32_t want);
bool held_is(struct worker *w, uint32_t want);

/* Work for one queue on each GPU; start something, which runs when this returns. */
void held_submit(struct worker *w, const struct spin_shape *shape);
void held_start(struct worker *w);

/* Start something and have it stopped half-way: see worker_half_way(). */
int held_stop_half_way(struct worker *w, worker_step stop);

/* The same with SUSPEND of the process. */
int held_half_way(struct worker *w);

/* Whether nothing of that completes while we look; and whether all does in the end. */
bool held_still(struct worker *w);
bool held_done(struct worker *w);

/* SUSPEND and RESUME of the process. */
int held_suspend(struct worker *w);
int held_resume(struct worker *w);

/* Report whether every dispatch executed once and in order. */
void held_account(struct worker *w, const char *what);

#endif /* HELD_H */
