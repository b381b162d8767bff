/* SPDX-License-Identifier: MIT */
/* Results of a run. */
#ifndef XSIM_FIGURES_H
#define XSIM_FIGURES_H

#include "report/sample.h"
#include "spin_account.h"
#include "world/world.h"

/**
 * struct group_figures - one group of processes in one mode
 * @latency_ms: of requests, from arrival
 * @rps: requests a second
 * @busy: part of the time a request had waves on the GPU, summed over programs
 * @iter_s: iterations a second while the group of its "until" ran
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
 * @took_us: how long each took, processor time of this machine; of several
 *	runs, the shortest
 * @decision_us: their distribution, see figures_end()
 * @engine_bytes: memory of the engine
 */
struct mode_figures {
	const struct scenario_mode *mode;
	struct group_figures *groups;
	struct sample switch_us;
	struct sample reaction_us;
	u64 calls;
	u64 flips;
	u64 lists;
	struct spin_account account;
	struct sim_stats gpu;
	struct sim_sched_stats turns;
	u64 end_ns;
	u64 events;
	u64 decisions;
	double *took_us;
	struct sample decision_us;
	u64 engine_bytes;
};

/* Begin with none; @f->groups is freed by figures_free(). */
void figures_init(struct mode_figures *f, const struct scenario *scn,
		  const struct scenario_mode *mode);

/* Add a run; a mode has one, or one for each group. */
void figures_add(struct mode_figures *f, const struct world *w);

/*
 * Add another run of the same mode, only for the time of decisions: other load
 * makes these longer, never shorter. False: the results were not the same.
 */
bool figures_again(struct mode_figures *f, const struct world *w);

/* All runs were added. */
void figures_end(struct mode_figures *f);

void figures_free(struct mode_figures *f);

#endif /* XSIM_FIGURES_H */
