/* SPDX-License-Identifier: MIT */
/*
 * Probes: processes that do one thing again and again, on a GPU of their own or on
 * none, and log when each began and ended. They show what work for one GPU waits for.
 */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon.h"

/** enum probe_kind - what is measured */
enum probe_kind {
	PROBE_APPLY,	/* a process with work is held; and released */
	PROBE_LIST,	/* LIST of all queues */
	PROBE_CREATE,	/* a queue is destroyed and created */
	PROBE_EXIT,	/* a process with work is killed, until its queue is gone */
	PROBE_READY,	/* from a doorbell until READY is read */
	PROBE_IDLE,	/* from the end of the work until IDLE is read */
	PROBE_EJECT,	/* from the end of a silent client's lease until it is ejected */
	PROBE_DAEMON,	/* xschedd, which has one thread, answers a line */
	PROBE_KINDS
};

/**
 * struct probe_result - what a probe has found in a period
 * @inside: measurements that began in it
 * @longest_us: the longest of all that were under way in it, as far as it was over at its end
 * @error: the first failure so far: -errno
 */
struct probe_result {
	uint32_t inside;
	uint32_t longest_us;
	int32_t error;
};

#define PROBE_TIMES	4096

/**
 * struct probe_times - how long measurements of one kind took, in several periods
 * @us: each that began in one of them, as far as it was over at its end; the first so many
 * @count: how many
 */
struct probe_times {
	uint32_t us[PROBE_TIMES];
	uint32_t count;
};

extern const char *const probe_names[PROBE_KINDS];

/*
 * Start all, on @gpus GPUs from number @first on. @lease_ms: the lease of a client; @daemon: the
 * xschedd that runs. They go on when another GPU is reset or removed, but cannot use one that comes
 * later.
 */
void probes_start(unsigned int first, unsigned int gpus, unsigned int lease_ms,
		  const struct daemon *daemon);

/* Whether each measures something so many times more within @timeout_ms. */
bool probes_run(uint32_t rounds, int timeout_ms);

/*
 * Have a process stand by, which ends after probes_go(): then one exit begins for sure, also if no
 * process can be started any more. False if there is none within @timeout_ms.
 */
bool probes_stand_by(int timeout_ms);
void probes_go(void);

/*
 * What was found from @since until @until, CLOCK_MONOTONIC: some thousand measurements at most. How
 * long they took is added to @times, unless that is NULL.
 */
void probes_between(uint64_t since, uint64_t until, struct probe_result results[PROBE_KINDS],
		    struct probe_times times[PROBE_KINDS]);

/* What so many tenths of them did not exceed; 0 if there are none. It sorts them. */
uint32_t probe_times_most(struct probe_times *times, unsigned int tenths);

/*
 * Let each end what it is about, and end. False if one did not within @timeout_ms: it
 * was killed.
 */
bool probes_stop(int timeout_ms);

#endif /* PROBES_H */
