/* SPDX-License-Identifier: MIT */
/* The figures, computed from the raw results. */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raw.h"
#include "report/sample.h"

/**
 * struct stats_mode - one row of the table
 * @hi_ms: latency of the high-priority requests, from arrival: their sojourn
 * @hi_service_ms: the same without the time in which an earlier one was not complete
 * @hi_rps: of them, a second
 * @hi_busy: part of the time they had waves on the GPU
 * @lo_iter_s: iterations a second of the other model, while the first ran
 * @lo_images_s: the same in images
 * @lo_of_alone: the same, of what it has alone
 * @lo_of_left: of what high leaves of that: (1 - high's part alone) x alone
 * @switch_us: preemptions: from the call to its return
 * @quiet_us: the same until the GPU was quiet, at most (trace.c)
 * @reaction_us: from the event that the request had come to the return
 * @account: dispatches of both, and what became of them
 */
struct stats_mode {
	struct sample hi_ms;
	struct sample hi_service_ms;
	double hi_rps;
	double hi_busy;
	double lo_iter_s;
	double lo_images_s;
	double lo_of_alone;
	double lo_of_left;
	struct sample switch_us;
	struct sample quiet_us;
	struct sample reaction_us;
	struct spin_account account;
};

/**
 * struct stats - all figures of one profile
 * @modes: by enum raw_mode_id
 * @kills: times the scheduler was killed while it held
 * @run_again_ms: longest time until the held process had run again; infinite
 *	if it never did
 * @words: of results of all runs, compared bit by bit
 * @wrong: of them, and of models without results, one each
 */
struct stats {
	struct stats_mode modes[RAW_MODES];
	size_t kills;
	double run_again_ms;
	uint64_t words;
	uint64_t wrong;
};

void stats_compute(struct stats *stats, const struct raw *raw);

#endif /* STATS_H */
