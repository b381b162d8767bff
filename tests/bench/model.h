/* SPDX-License-Identifier: MIT */
/*
 * A model under load: requests that arrive, run on one queue one after
 * another, and are timed from their arrival. What runs them is a backend: a
 * queue of /dev/kfd (model_kfdq.c), or HIP (tests/rocm/model_hip.cpp).
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../sim/model/spin_account.h"
#include "preset.h"

#ifdef __cplusplus
extern "C" {
#endif

/** enum model_arrival - when requests come */
enum model_arrival {
	MODEL_CLOSED,	/* the next one is queued before the last one ends */
	MODEL_PERIODIC,	/* at equal distances */
	MODEL_POISSON,	/* at exponentially distributed distances */
};

/**
 * struct model_options - what the command line asks for
 * @name: name of the process, and of the result
 * @preset: the model
 * @arrival: when requests come
 * @rate: of an open loop, requests a second
 * @seed: of the Poisson arrivals
 * @requests: stop after so many, 0: no limit
 * @seconds: submit nothing more after so long, 0: no limit
 * @start_ns: CLOCK_MONOTONIC of the beginning, 0: at once
 * @window_from_ns: first moment, after the start, of which dispatches are listed
 * @window_ns: length of that time, 0: none are listed
 * @max_requests: room in the log when there is no @requests
 * @output: file of the result, NULL: standard output
 */
struct model_options {
	const char *name;
	const struct preset *preset;
	enum model_arrival arrival;
	double rate;
	uint64_t seed;
	uint64_t requests;
	double seconds;
	uint64_t start_ns;
	uint64_t window_from_ns;
	uint64_t window_ns;
	uint64_t max_requests;
	const char *output;
};

/**
 * struct model_request - times of one request; CLOCK_MONOTONIC
 * @arrival_ns: when it came, by schedule: waiting for its turn counts
 * @rung_ns: just before the doorbell was rung, 0: not known
 * @submitted_ns: when its packets were in the queue
 * @done_ns: when the process was notified that it is complete
 * @first: number of its first dispatch in the log
 */
struct model_request {
	uint64_t arrival_ns;
	uint64_t rung_ns;
	uint64_t submitted_ns;
	uint64_t done_ns;
	uint64_t first;
};

/* Iterations of a closed loop in the queue at a time. */
#define MODEL_DEPTH	2

struct model;

/**
 * struct model_backend - what dispatches are made with
 * @open: prepare for model.capacity requests of model.kernels dispatches; -errno
 * @submit: queue those of request number model.submitted; -errno
 * @wait: until request number model.completed is complete; -errno, -EINTR: not yet
 * @finish: all are complete: see to model.log, and compare results; -errno. Or NULL
 * @close: release what there is, also after a failure of @open
 */
struct model_backend {
	int (*open)(struct model *m);
	int (*submit)(struct model *m);
	int (*wait)(struct model *m);
	int (*finish)(struct model *m);
	void (*close)(struct model *m);
};

extern const struct model_backend model_kfdq;

/**
 * struct model - the running model
 * @options: its options
 * @backend: backend that runs it
 * @gpu: for @backend
 * @gpu_id: amdkfd's name of the GPU, 0: not known
 * @log: record of each dispatch
 * @dispatches: how many there were
 * @words: of results, compared bit by bit with what they must be
 * @wrong: of them
 * @requests: all requests so far
 * @submitted: how many
 * @completed: of them, in order
 * @capacity: room in @requests
 * @kernels: dispatches of one request
 * @next_arrival_ns: schedule of an open loop
 * @random: state of the generator
 * @start_ns: when the first request could come
 * @end_ns: when the last was complete
 */
struct model {
	const struct model_options *options;
	const struct model_backend *backend;
	void *gpu;
	uint32_t gpu_id;
	const struct vgpu_log *log;
	uint64_t dispatches;
	uint64_t words;
	uint64_t wrong;
	struct model_request *requests;
	uint64_t submitted;
	uint64_t completed;
	uint64_t capacity;
	uint32_t kernels;
	uint64_t next_arrival_ns;
	uint64_t random;
	uint64_t start_ns;
	uint64_t end_ns;
};

/*
 * All of it: options as on the command line of xs-model, argv[0] not among
 * them. Returns an exit status.
 */
int model_command(int argc, char **argv, const struct model_backend *backend);

/* Open the GPU, create the queue, allocate the log; -errno. */
int model_init(struct model *m, const struct model_options *options,
	       const struct model_backend *backend);

/* Run until the options or *@stop say so, and until everything is complete; -errno. */
int model_run(struct model *m, const volatile bool *stop);

/* Release everything. */
void model_fini(struct model *m);

/* Write the result, with the account of the dispatches, as JSON. */
void model_write(const struct model *m, const struct spin_account *account, FILE *f);

/* "closed", "periodic" or "poisson". */
const char *model_arrival_name(enum model_arrival arrival);

/* CLOCK_MONOTONIC, nanoseconds. */
uint64_t model_now(void);

#ifdef __cplusplus
}
#endif

#endif /* MODEL_H */
