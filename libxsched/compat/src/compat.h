/* SPDX-License-Identifier: MIT */
/*
 * XSched's interface on kfd_xsched: what its parts share.
 *
 *	xqueue.c hwqueue.c hint.c	the functions of the public headers
 *	enter.c		the lock, fork, a turn of the thread
 *	scheduler.c	which scheduler the program has
 *	local.c		the local scheduler
 *	holder.c	holds of XQueueSuspend() and PRIORITY_NO_EXECUTE
 *	global.c	xschedd
 *	worker.c	the thread that renews leases and runs the local scheduler
 *	state.c		handles
 *	hip.c		calls of HIP, and which hardware queue a stream has
 *
 * The library is two clients of the kernel: the holder, and the local
 * scheduler. A queue runs when neither holds it, so the two are independent.
 *
 * No files call each other in a circle: scripts/check/structure proves it.
 *
 * One lock protects everything below except hip.c. It is not held during waits
 * for a stream.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHED_COMPAT_H
#define XSCHED_COMPAT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libxsched.h>
#include <xsched/xsched.h>
#include <xsched/hip/hal.h>

/**
 * struct hip_queue - which hardware queue a stream has
 * @id: kfd_xsched_queue.id, 0: none of its own
 * @gpu_id: its node
 * @caps: capabilities of the node
 */
struct hip_queue {
	uint64_t id;
	uint32_t gpu_id;
	uint32_t caps;
};

/**
 * struct xqueue - an XQueue
 * @next: the next one
 * @handle: the program's handle
 * @serial: its tenant in the local scheduler, > 0
 * @hwq: stream
 * @queue: hardware queue
 * @level: enum XPreemptLevel
 * @priority: last hint other than PRIORITY_NO_EXECUTE
 * @suspended: by XQueueSuspend()
 * @forbidden: by PRIORITY_NO_EXECUTE
 * @held: the holder holds it
 * @refusals: how often in a row the kernel refused to switch it for the local scheduler
 * @retry_ns: when that tries again; 0: it does not wait
 */
struct xqueue {
	struct xqueue *next;
	XQueueHandle handle;
	int32_t serial;
	struct hwqueue *hwq;
	struct hip_queue queue;
	int level;
	Priority priority;
	bool suspended;
	bool forbidden;
	bool held;
	unsigned int refusals;
	uint64_t retry_ns;
};

/**
 * struct hwqueue - a stream that HipQueueCreate() took
 * @next: the next one
 * @stream: which, and its handle
 * @xq: its XQueue, or NULL
 */
struct hwqueue {
	struct hwqueue *next;
	hipStream_t stream;
	struct xqueue *xq;
};

/**
 * struct command - an HwCommand that was not launched
 * @next: the next one
 * @handle: the program's handle
 * @launch: function
 * @data: its argument
 */
struct command {
	struct command *next;
	HwCommandHandle handle;
	LaunchCallback launch;
	void *data;
};

/**
 * struct state - everything
 * @hwqs: streams
 * @xqs: XQueues
 * @commands: commands
 * @next_serial: for the next XQueue
 * @next_command: for the next command
 * @scheduler: enum XSchedulerType
 * @started: the environment was read
 */
struct state {
	struct hwqueue *hwqs;
	struct xqueue *xqs;
	struct command *commands;
	int32_t next_serial;
	HwCommandHandle next_command;
	int scheduler;
	bool started;
};

extern struct state compat;

/* ---- enter.c ------------------------------------------------------------ */

/** compat_enter() - take the lock; the first time, read the environment */
void compat_enter(void);

/** compat_leave() - drop the lock */
void compat_leave(void);

/* ---- state.c ------------------------------------------------------------ */

/** state_reset() - free all streams and commands: as at first */
void state_reset(void);

/** find_xqueue(), find_hwqueue() - by handle, or NULL */
struct xqueue *find_xqueue(XQueueHandle handle);
struct hwqueue *find_hwqueue(HwQueueHandle handle);

/** take_command() - find a command and take it out of the list, or NULL */
struct command *take_command(HwCommandHandle handle);

/** result_of() - XResult for 0 or a negative errno */
XResult result_of(int error);

/** device_path(), socket_path() - from the environment, or the defaults */
const char *device_path(void);
const char *socket_path(void);

/** clock_ns() - CLOCK_MONOTONIC */
uint64_t clock_ns(void);

/* ---- hip.c -------------------------------------------------------------- */

/** hip_present() - whether this process has HIP */
bool hip_present(void);

/** hip_idle() - 1: the stream has nothing to do, 0: it has, or -errno */
int hip_idle(hipStream_t stream);

/** hip_wait() - wait until it is idle, without the lock; 0 or -errno */
int hip_wait(hipStream_t stream);

/**
 * hip_find_queue() - find out which hardware queue a stream has
 * @stream: stream
 * @queue: out
 *
 * Call it without the lock. Takes milliseconds, a few seconds at most.
 *
 * Return: 0; -EBUSY: the stream does not become idle; -EOPNOTSUPP: the queue
 * cannot be found out; or another negative errno.
 */
int hip_find_queue(hipStream_t stream, struct hip_queue *queue);

/* ---- holder.c ----------------------------------------------------------- */

/** add_hold() - an entry that holds an XQueue the way its level says */
int add_hold(struct xsched_apply *apply, const struct xqueue *xq);

/** level_present() - whether the XQueue's node has that level */
bool level_present(const struct hip_queue *queue, int level);

/** holder_update() - hold or release an XQueue as needed; 0 or -errno */
int holder_update(struct xqueue *xq);

/** holder_step() - renew the lease if due; returns when to call again, ns */
uint64_t holder_step(uint64_t now_ns);

/** holder_forget() - close the client */
void holder_forget(void);

/* ---- local.c ------------------------------------------------------------ */

/** local_start() - begin to schedule, or change the policy; 0 or -errno */
int local_start(const char *policy);

/** local_stop() - release all, and end */
void local_stop(void);

/** local_add() - add an XQueue; 0 or -errno; does nothing if it is off */
int local_add(const struct xqueue *xq);

/** local_remove() - remove an XQueue, and release it */
void local_remove(const struct xqueue *xq);

/** local_priority() - pass on its priority */
void local_priority(const struct xqueue *xq);

/** local_hint() - pass on a hint; 0 or -errno */
int local_hint(const struct xqueue *xq, enum xsched_hint hint, int64_t value);

/** local_option() - set an option of a policy; 0 or -errno */
int local_option(const char *name, int64_t value);

/** local_step() - read events, decide, switch; when to call again, ns */
uint64_t local_step(uint64_t now_ns);

/** local_fd() - descriptor to poll for events, -1: it is off */
int local_fd(void);

/* ---- worker.c ----------------------------------------------------------- */

/**
 * typedef worker_fn - a turn of the thread
 * @fd: out, what is polled for events, or -1
 *
 * Return: when the next one is due, ns.
 */
typedef uint64_t (*worker_fn)(int *fd);

/** worker_init() - what the thread does; before the first worker_start() */
void worker_init(worker_fn turn);

/** worker_start() - start the thread unless it runs; 0 or -errno */
int worker_start(void);

/** worker_wake() - have it take a step now */
void worker_wake(void);

/** worker_forget() - in a child: there is no thread */
void worker_forget(void);

/* ---- global.c ----------------------------------------------------------- */

/** global_reach() - whether xschedd answers; 0 or -errno */
int global_reach(void);

/** global_hint() - send a hint of this process to xschedd; 0 or -errno */
int global_hint(const char *hint, int64_t value);

/** global_option() - set an option of xschedd's policy; 0 or -errno */
int global_option(const char *name, int64_t value);

/* ---- scheduler.c -------------------------------------------------------- */

/** policy_name() - the engine's name of a policy of XSched, or NULL */
const char *policy_name(XPolicyType type);

/** scheduler_choose_local(), scheduler_choose_global() - use it from now on; 0 or -errno */
int scheduler_choose_local(const char *policy);
int scheduler_choose_global(void);

/** scheduler_end_local() - the local scheduler ends, if there is one */
void scheduler_end_local(void);

/** scheduler_from_environment() - by XSCHED_POLICY, XSCHED_SCHEDULER */
void scheduler_from_environment(void);

/** tell_priority() - pass an XQueue's priority to the scheduler; 0 or -errno */
int tell_priority(const struct xqueue *xq);

#endif /* XSCHED_COMPAT_H */
