/* SPDX-License-Identifier: MIT */
/*
 * What others notice of an attack: real-time processes, as xschedd and the host threads of a high
 * tenant are, that do one thing again and again and log how long it took.
 */
#ifndef ATTACK_WATCH_H
#define ATTACK_WATCH_H

#include "attack.h"

extern const char *const watch_names[WATCHED];

/* Start all. @lease_ms: the lease of a client. What cannot be had is the test's end. */
void watch_start(unsigned int lease_ms);

/* End them. */
void watch_stop(void);

/* The process of the high tenant. */
pid_t watch_high_pid(void);

/* What is found from here on is the usual, or is not. */
void watch_is_usual(bool usual);

/**
 * struct watch_result - what was noticed in a period
 * @rounds: how often it was done
 * @longest_us: the longest
 * @p99_us: what 99 of 100 did not exceed
 * @error: the first failure so far: -errno
 */
struct watch_result {
	uint32_t rounds;
	uint32_t longest_us;
	uint32_t p99_us;
	int32_t error;
};

/* What 99 of 100 high requests did not exceed in all periods that are the usual. */
uint32_t watch_usual_us(void);

/*
 * From now on, until the high tenant has had so many requests more, and each of the others has done
 * its thing a few times, or for @timeout_ms. One that has not come back by then counts, too.
 */
void watch_period(uint32_t requests, int timeout_ms, struct watch_result results[WATCHED]);

#endif /* ATTACK_WATCH_H */
