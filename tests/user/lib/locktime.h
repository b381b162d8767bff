/* SPDX-License-Identifier: MIT */
/*
 * For how long xs_lock, the mutex of kfd_xsched, is held at most, and in which call: by probes of
 * the kernel's own rt_mutex_lock() and rt_mutex_unlock(). What cannot be had is the test's end.
 *
 * A hold is from the return of rt_mutex_lock(), which is when it was got, to the call of
 * rt_mutex_unlock(), without what interrupts take meanwhile. That the holder does not run because
 * others do counts, and so do the probes themselves, also for other mutexes that are taken under
 * it.
 */
#ifndef LOCKTIME_H
#define LOCKTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LOCKTIME_ROWS	192

/**
 * struct locktime_row - all holds while a call was made, by whatever task
 * @call: what was called
 * @holds: how many there were
 * @longest_us: the longest, without @away_us and interrupts
 * @away_us: for how long its holder could have run, but others did
 * @whole_us: the longest with all that, another one perhaps
 * @comm: who had that
 * @pid: its thread id
 * @function: where it took the mutex
 */
struct locktime_row {
	char call[64];
	unsigned int holds;
	uint64_t longest_us;
	uint64_t away_us;
	uint64_t whole_us;
	char comm[16];
	pid_t pid;
	char function[48];
};

/* Begin to watch, as root. */
void locktime_begin(void);

/* Do not watch for a while, and so that the probes cost nothing; or go on. */
void locktime_watch(bool on);

/* What is called from here on, until this is called again. As any user. */
void locktime_call(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Read what has come; often enough that it fits into the kernel's buffer. As root. */
void locktime_collect(void);

/* End. Returns how many events were missed: then nothing is proved. */
unsigned long locktime_end(void);

/* What was found; returns how many rows there are. */
unsigned int locktime_rows(const struct locktime_row **out);

#endif /* LOCKTIME_H */
