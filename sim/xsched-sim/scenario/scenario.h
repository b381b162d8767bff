/* SPDX-License-Identifier: MIT */
/*
 * A scenario: GPUs, processes that use them, and the modes in which all of it is
 * run, one after another. Read from a file; see xsched-sim(1) for its keys.
 */
#ifndef XSIM_SCENARIO_H
#define XSIM_SCENARIO_H

#include <xsched/engine.h>

#include "model.h"
#include "scenario/arrival.h"
#include "scenario/costs.h"

#define SCENARIO_NODES		64
#define SCENARIO_PROCESSES	4096
#define SCENARIO_QUEUES		16384	/* of all processes together */
#define SCENARIO_KERNELS	16	/* kinds of kernel in a request */
#define SCENARIO_OPTIONS	16	/* of a mode */
#define SCENARIO_SETTINGS	64	/* of the command line */
#define SCENARIO_PACKETS	4096	/* of all requests of a queue that are in its ring */

/**
 * struct scenario_kernel - equal kernels that follow one another
 * @count: how many
 * @workgroups: of each
 * @waves: of a workgroup
 * @workgroup_ns: time a workgroup computes
 * @spread: workgroups take up to this much more or less, per mille
 */
struct scenario_kernel {
	u32 count;
	u32 workgroups;
	u32 waves;
	u64 workgroup_ns;
	u32 spread;
};

/** enum scenario_placement - where the queues of a group of processes are */
enum scenario_placement {
	PLACE_PROCESS,	/* all of a process on one node; the next one on the next */
	PLACE_QUEUE,	/* each on the node after the one before */
};

/**
 * struct scenario_process - a group of equal processes
 * @name: name, and of the results
 * @line: where it begins in the file
 * @seen: keys given, a bit each
 * @count: how many processes
 * @priority: XSched's scale
 * @kfd_priority: KFD's, 0..15: pipe priority
 * @queues: of each process
 * @nodes: nodes they may be on, a bit each
 * @placement: see there
 * @tenant: processes of one tenant are held together; NULL: each alone
 * @kernels: of a request
 * @kernel_kinds: elements of @kernels
 * @vgprs: registers of the kernels, per lane
 * @lds: their LDS, per workgroup
 * @barrier: each kernel waits for the one before
 * @images: inputs of a request
 * @model: name of what is modelled, for the results
 * @source: where the numbers are from, for the results
 * @depth: requests of a queue in flight
 * @arrival: when they come
 * @rate: of each queue, a second
 * @wait: of closed arrivals: from a completion to the next request
 * @trace: times, if they are from a file
 * @has_seed: @seed was given
 * @seed: of the arrivals
 * @requests: of each queue, 0: no limit
 * @duration: of submissions, 0: no limit
 * @start: of the first one
 * @until: ends with the last request of this group, if that runs; -1: does not
 * @until_name: its name
 * @hints: hints to the engine, or XSCHED_HINT_UNSET
 */
struct scenario_process {
	char *name;
	int line;
	u64 seen;
	u32 count;
	s32 priority;
	u32 kfd_priority;
	u32 queues;
	u64 nodes;
	enum scenario_placement placement;
	char *tenant;
	struct scenario_kernel kernels[SCENARIO_KERNELS];
	u32 kernel_kinds;
	u32 vgprs;
	u32 lds;
	bool barrier;
	u32 images;
	char *model;
	char *source;
	u32 depth;
	enum arrival_kind arrival;
	double rate;
	u64 wait;
	struct arrival_trace trace;
	bool has_seed;
	u64 seed;
	u64 requests;
	u64 duration;
	u64 start;
	s32 until;
	char *until_name;
	int64_t hints[XSCHED_HINT_COUNT];
};

/**
 * struct scenario_option - an option of the engine
 * @name: of xsched_option_name()
 * @value: within its limits
 */
struct scenario_option {
	const char *name;
	int64_t value;
};

/**
 * struct scenario_mode - one way to run it
 * @name: of the mode, and of the results
 * @line: where it begins in the file
 * @seen: keys given, a bit each
 * @policy: of the engine, NULL: no scheduler
 * @armed: switches begin in the kernel, without the daemon
 * @unmap: running waves get @grace_us to finish; else the shortest grace
 * @grace_us: see there
 * @apart: each group of processes has a run of its own
 * @options: of the engine
 * @option_count: how many
 */
struct scenario_mode {
	char *name;
	int line;
	u64 seen;
	char *policy;
	bool armed;
	bool unmap;
	u32 grace_us;
	bool apart;
	struct scenario_option options[SCENARIO_OPTIONS];
	u32 option_count;
};

/**
 * struct scenario - all of it
 * @path: the file
 * @seen: keys of [scenario] given, a bit each
 * @host_seen: [host] was given
 * @name: of the scenario
 * @profile: of a node
 * @profile_line: where it was chosen
 * @gpus: how many
 * @partitions: nodes of each
 * @nodes: both together
 * @seed: for groups without one
 * @duration: of groups without one
 * @costs: of the software
 * @processes: groups
 * @process_count: how many
 * @modes: in the order they are run
 * @mode_count: how many
 * @policy: the only mode's, if there is no [mode]
 */
struct scenario {
	char *path;
	u64 seen;
	bool host_seen;
	char *name;
	struct sim_profile profile;
	int profile_line;
	u32 gpus;
	u32 partitions;
	u32 nodes;
	u64 seed;
	u64 duration;
	struct costs costs;
	struct scenario_process *processes;
	u32 process_count;
	struct scenario_mode *modes;
	u32 mode_count;
	char *policy;
};

/**
 * struct scenario_options - settings of the command line that override the file
 * @policy: run only one mode, with this policy ("none": without one); or NULL
 * @seed: pointer to a seed, or NULL
 * @profile: name of the GPU's profile, or NULL
 * @set: parameters of the profile, or costs of the software: "NAME=VALUE"
 * @set_count: how many
 */
struct scenario_options {
	const char *policy;
	const u64 *seed;
	const char *profile;
	const char *set[SCENARIO_SETTINGS];
	u32 set_count;
};

/*
 * Read a file and check it. On failure @error has the reason, with file and
 * line, and there is nothing to free.
 */
bool scenario_load(struct scenario *scn, const char *path,
		   const struct scenario_options *options, char *error, size_t size);

void scenario_free(struct scenario *scn);

/* Kernels of a request. */
static inline u32 scenario_request_kernels(const struct scenario_process *p)
{
	u32 i, n = 0;

	for (i = 0; i < p->kernel_kinds; i++)
		n += p->kernels[i].count;
	return n;
}

/* check.c: consistency of the whole. Returns 0, or the line with the error. */
int scenario_check(struct scenario *scn, char *why, size_t size);

/* Whether the engine has that policy, or it is "none". */
bool scenario_policy_exists(const char *name);

#endif /* XSIM_SCENARIO_H */
