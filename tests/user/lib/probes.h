/* SPDX-License-Identifier: MIT */
/*
 * Probes: processes that do one thing again and again, on a GPU of their own or on
 * none, and keep the longest time it took. They show what work for one GPU waits for.
 */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stdint.h>

/** enum probe_kind - what is measured */
enum probe_kind {
	PROBE_APPLY,	/* a process with work is held; and released */
	PROBE_LIST,	/* LIST of all queues */
	PROBE_CREATE,	/* a queue is destroyed and created */
	PROBE_EXIT,	/* a process with work is killed, until its queue is gone */
	PROBE_READY,	/* from a doorbell until READY is read */
	PROBE_IDLE,	/* from the end of the work until IDLE is read */
	PROBE_EJECT,	/* from the end of a silent client's lease until it is ejected */
	PROBE_KINDS
};

/**
 * struct probe_result - what a probe has found
 * @rounds: measurements so far
 * @inside: those of them that began while probes_window() was open
 * @longest_us: the longest of those that ended while it was
 * @error: the first failure: -errno
 */
struct probe_result {
	uint32_t rounds;
	uint32_t inside;
	uint32_t longest_us;
	int32_t error;
};

extern const char *const probe_names[PROBE_KINDS];

/*
 * Start all, on the GPUs from 0 to @gpus - 1. @lease_ms: the lease of a client. They go on
 * when another GPU is reset, but not when one is removed: then start them anew.
 */
void probes_start(unsigned int gpus, unsigned int lease_ms);

/* Whether each measures something so many times more within @timeout_ms. */
bool probes_run(uint32_t rounds, int timeout_ms);

/* From now on the longest times are kept. */
void probes_window(void);

/* What was found since then; and no more is kept. */
void probes_read(struct probe_result results[PROBE_KINDS]);

/*
 * Let each end what it is about, and end. False if one did not within @timeout_ms: it
 * was killed.
 */
bool probes_stop(int timeout_ms);

#endif /* PROBES_H */
