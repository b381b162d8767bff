/* SPDX-License-Identifier: MIT */
/* What came out of a run. */
#ifndef XSIM_FIGURES_H
#define XSIM_FIGURES_H

#include "world.h"

/**
 * struct sample - distribution of a set of times
 * @count: how many
 * @mean: in the unit of the times
 * @p50: nearest rank
 * @p99: nearest rank
 * @max: longest
 */
struct sample {
	size_t count;
	double mean;
	double p50;
	double p99;
	double max;
};

/**
 * struct account - what became of dispatches
 * @submitted: their packets were written
 * @executed: completions, all told
 * @lost: dispatches that never completed
 * @duplicated: completions beyond the first of a dispatch
 * @out_of_order: with the barrier bit: dispatches that completed before, or
 *	began before the end of, one submitted earlier
 * @saved: times waves were saved to memory
 */
struct account {
	u64 submitted;
	u64 executed;
	u64 lost;
	u64 duplicated;
	u64 out_of_order;
	u64 saved;
};

/**
 * struct group_figures - one group of processes in one mode
 * @latency_ms: of requests, from arrival
 * @rps: requests a second
 * @busy: part of the time a request had waves on the GPU, summed over programs
 * @iter_s: iterations a second while the group it runs beside did
 * @images_s: the same in images
 * @missed: requests that took longer than the deadline they were given
 * @held_s: time held by the scheduler, summed over processes
 * @holds: times held
 * @preemptions: of these, times it had work
 */
struct group_figures {
	struct sample latency_ms;
	double rps;
	double busy;
	double iter_s;
	double images_s;
	u64 missed;
	double held_s;
	u64 holds;
	u64 preemptions;
};

/**
 * struct mode_figures - one mode
 * @mode: which
 * @groups: by number of the group
 * @switch_us: calls that held: how long they took
 * @reaction_us: the same from the event
 * @calls: all calls
 * @flips: queues that went on or off in them
 * @lists: times the daemon had to list all queues
 * @account: of all groups
 * @gpu: totals of all nodes
 * @turns: totals of all nodes' firmware
 * @end_ns: virtual time of the last event, of all runs of this mode
 * @events: that happened
 * @decisions: times the engine was asked
 * @decision_max_ns: longest, real time of this machine
 * @decision_mean_ns: mean, likewise
 */
struct mode_figures {
	const struct scenario_mode *mode;
	struct group_figures *groups;
	struct sample switch_us;
	struct sample reaction_us;
	u64 calls;
	u64 flips;
	u64 lists;
	struct account account;
	struct sim_stats gpu;
	struct sim_sched_stats turns;
	u64 end_ns;
	u64 events;
	u64 decisions;
	u64 decision_max_ns;
	double decision_mean_ns;
};

/* Begin with none; @f->groups is freed by figures_free(). */
void figures_init(struct mode_figures *f, const struct scenario *scn,
		  const struct scenario_mode *mode);

/* Add a run; a mode has one, or one for each group. */
void figures_add(struct mode_figures *f, const struct world *w);

void figures_free(struct mode_figures *f);

/* Whether every dispatch was executed once, and in order. */
bool account_clean(const struct account *account);

/* Distribution of @n values, which are sorted by this. */
struct sample sample_of(double *values, size_t n);

#endif /* XSIM_FIGURES_H */
