/* SPDX-License-Identifier: MIT */
/*
 * The daemon's parts in the fuzzer's own process, from its scheduler up. To start them takes far
 * longer than most inputs, so one lives for DAEMON_LIVES inputs, and what an input does may hang on
 * those before. So these are kept in the file FUZZ_HISTORY of the environment, as one input that
 * does the same (session.h). With FUZZ_FRESH in the environment each input has a new one.
 */
#ifndef FUZZ_DAEMON_H
#define FUZZ_DAEMON_H

#include "serve/host.h"

/** struct daemon - as in tools/xschedd/main.c */
struct daemon {
	sd_event *event;
	struct sched sched;
	struct allowance allowance;
	struct reader *reader;
	struct resolver *resolver;
	struct audit *audit;
	struct host host;
};

#define DAEMON_LIVES	64

/* It begins, ends: with nothing connected. */
void daemon_start(struct daemon *daemon);
void daemon_stop(struct daemon *daemon);

/* The next input: whether it is to start before, and (after it) to stop. */
bool daemon_is_to_start(void);
bool daemon_is_to_stop(void);

/* An input is about to run: it goes into the history. */
void daemon_next(const uint8_t *data, size_t size);

/*
 * A minute passes at once, as when the machine was suspended, and then all below the daemon is
 * well: so users have their allowance, and what has been said about them is forgotten.
 */
void daemon_pause(struct daemon *daemon);

/* Let it do all that is to be done until so much later. */
void daemon_run(struct daemon *daemon, uint64_t ns);

#endif /* FUZZ_DAEMON_H */
