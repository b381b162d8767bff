/* SPDX-License-Identifier: MIT */
/* Arrival times of requests: the same for the same seed, on any machine. */
#ifndef XSIM_ARRIVAL_H
#define XSIM_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum arrival_kind - how requests come */
enum arrival_kind {
	ARRIVAL_CLOSED,		/* the next one is queued before the last one ends */
	ARRIVAL_PERIODIC,	/* at equal distances */
	ARRIVAL_POISSON,	/* at exponentially distributed distances */
	ARRIVAL_TRACE,		/* at the times a file lists */
};

/**
 * struct arrival_trace - the times of a file
 * @ns: since the start, ascending
 * @count: how many
 */
struct arrival_trace {
	uint64_t *ns;
	size_t count;
};

/**
 * struct arrival - one stream of requests that do not wait for each other
 * @kind: not ARRIVAL_CLOSED
 * @mean_ns: distance, of PERIODIC and POISSON
 * @trace: of TRACE
 * @random: state of the generator
 * @next_ns: time returned last
 * @given: number of times returned
 */
struct arrival {
	enum arrival_kind kind;
	double mean_ns;
	const struct arrival_trace *trace;
	uint64_t random;
	uint64_t next_ns;
	size_t given;
};

/* Time of the next request; false: there are no more. */
bool arrival_next(struct arrival *a, uint64_t *ns);

/* "closed", "periodic", "poisson" or "trace". */
const char *arrival_name(enum arrival_kind kind);

/*
 * Seed of stream number @stream of a process with @seed; the first
 * stream gets @seed itself.
 */
uint64_t arrival_seed(uint64_t seed, uint64_t stream);

/*
 * Read a file of times in seconds, one a line, ascending; "#" begins a
 * comment. Returns 0, or the number of the line that is wrong; -1: no file.
 */
long arrival_read_trace(struct arrival_trace *trace, const char *path);

#endif /* XSIM_ARRIVAL_H */
