/* SPDX-License-Identifier: MIT */
/*
 * A worker for the random test: a process whose queues are never idle, that
 * checks each of its dispatches as it completes, and that takes its memory
 * away from the GPU on command.
 *
 * Of every dispatch it is known, at the end of its batch, that it executed
 * once and in its turn, that each of its workgroups ended once, and that it
 * began only after the one before had ended.
 */
#ifndef RANDOM_WORKER_H
#define RANDOM_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RANDOM_QUEUES	3	/* of a worker */

/** enum random_eviction - ways to make amdkfd evict the process's queues */
enum random_eviction {
	RANDOM_MPROTECT_USED,	/* protection of memory its kernels write to */
	RANDOM_DONTNEED,	/* pages of registered memory are dropped */
	RANDOM_MPROTECT,	/* it becomes read-only, and writable again */
	RANDOM_MREMAP,		/* it is moved away, and back */
	RANDOM_EVICTIONS,
};

/**
 * struct random_result - what a worker has done and found, in shared memory
 * @dispatches: completed and checked
 * @workgroups: the same
 * @saved: times waves of them were saved
 * @lost: dispatches that did not complete in time
 * @wrong: that were not executed once and in order
 * @wrong_workgroups: workgroups that did not end once
 * @evictions: done, by kind
 * @failed: system calls that failed
 */
struct random_result {
	uint64_t dispatches;
	uint64_t workgroups;
	uint64_t saved;
	uint64_t lost;
	uint64_t wrong;
	uint64_t wrong_workgroups;
	uint64_t evictions[RANDOM_EVICTIONS];
	uint64_t failed;
};

struct random_shared;

/**
 * struct random_worker - handle of one
 * @pid: its process
 * @shared: memory in common
 */
struct random_worker {
	pid_t pid;
	struct random_shared *shared;
};

/* Start it; its load begins at once. */
int random_worker_start(struct random_worker *w, uint32_t seed);

/* Ask for an eviction, without waiting: -EAGAIN while it is busy with another. */
int random_worker_evict(struct random_worker *w, enum random_eviction kind);

/* Evictions done so far. */
uint64_t random_worker_evictions(const struct random_worker *w);

/* Let it complete what it has submitted, and end: its result, -EIO if it died. */
int random_worker_stop(struct random_worker *w, struct random_result *out);

#endif /* RANDOM_WORKER_H */
