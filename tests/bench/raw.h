/* SPDX-License-Identifier: MIT */
/* What came out of the guest, read from RAWDIR. */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../sim/model/spin_account.h"

struct json_object;

/**
 * struct raw_request - a request; CLOCK_MONOTONIC of the guest, nanoseconds
 * @arrival: when it came
 * @submitted: when its packets were in the queue
 * @done: when the process knew that it was complete
 * @first: its first wave on the GPU
 * @last: its last
 */
struct raw_request {
	uint64_t arrival;
	uint64_t submitted;
	uint64_t done;
	uint64_t first;
	uint64_t last;
};

/**
 * struct raw_dispatch - a dispatch of the time that is drawn
 * @start: its first wave
 * @end: its last
 * @saved: times its waves were saved
 */
struct raw_dispatch {
	uint64_t start;
	uint64_t end;
	uint32_t saved;
};

/**
 * struct raw_model - the result of one xs-model
 * @doc: all of it, as parsed
 * @images: inputs of a request
 * @start: when it began
 * @end: when its last request was complete
 * @requests: all requests
 * @count: how many
 * @window_from: time that is drawn: begin
 * @window_to: and end
 * @dispatches: dispatches that touch that time
 * @dispatch_count: how many
 * @account: dispatches of the whole run, and what became of them
 * @words: of results that were compared, 0: it has none
 * @wrong: of them
 */
struct raw_model {
	struct json_object *doc;
	uint32_t images;
	uint64_t start;
	uint64_t end;
	struct raw_request *requests;
	size_t count;
	uint64_t window_from;
	uint64_t window_to;
	struct raw_dispatch *dispatches;
	size_t dispatch_count;
	struct spin_account account;
	uint64_t words;
	uint64_t wrong;
};

/**
 * struct raw_switch - an APPLY of the scheduler that changed the hardware
 * @event: when what led to it happened, 0: nothing did
 * @begin: when the call was made
 * @quiet: when the firmware had confirmed that all waves are saved, at the latest
 * @end: when it returned
 * @held: it took queues off; otherwise it only put some back
 */
struct raw_switch {
	uint64_t event;
	uint64_t begin;
	uint64_t quiet;
	uint64_t end;
	bool held;
};

/** enum raw_mode_id - the three ways both models are run */
enum raw_mode_id { RAW_ALONE, RAW_NATIVE, RAW_HPF, RAW_MODES };

/**
 * struct raw_mode - both models in one mode
 * @name: of the mode
 * @hi: the model with the high priority
 * @lo: the other; alone: from a run of its own
 * @switches: what the scheduler did
 * @switch_count: how many
 */
struct raw_mode {
	const char *name;
	struct raw_model hi;
	struct raw_model lo;
	struct raw_switch *switches;
	size_t switch_count;
};

/**
 * struct raw_hip - what else is known when both models are HIP programs
 * @stack: what they ran on: versions of ROCm, the GPU as ROCm names it, the kernel
 * @saves: kernels that were interrupted, by enum raw_mode_id
 * @off: instructions of a launch in user space while nobody watches, median
 * @on: while the scheduler watches
 */
struct raw_hip {
	struct json_object *stack;
	uint64_t saves[RAW_MODES];
	uint64_t off;
	uint64_t on;
};

/**
 * struct raw - everything
 * @modes: by enum raw_mode_id
 * @killed: with the scheduler killed while it held: from the kill until the
 *	process that was held had completed a dispatch, nanoseconds; 0: never
 * @killed_count: how many times
 * @profile: parameters of the software GPU, "name value" a line, or NULL
 * @hip: NULL: the queues are raw ones
 */
struct raw {
	struct raw_mode modes[RAW_MODES];
	uint64_t *killed;
	size_t killed_count;
	struct json_object *profile;
	struct raw_hip *hip;
};

/* Read all files of a directory, @hip: of HIP programs; prints what is wrong and returns false. */
bool raw_read(struct raw *raw, const char *dir, bool hip);

/* Read hip.json; likewise. */
bool raw_read_hip(struct raw *raw, const char *dir);

/* A text of @hip's stack, "?" if it has none; of ROCm's versions, by their key, "rocm" is in front of it. */
const char *raw_hip_text(const struct raw_hip *hip, const char *key);
const char *raw_hip_version(const struct raw_hip *hip, const char *key);

void raw_free_hip(struct raw_hip *hip);

/* Read the scheduler's trace into a mode; likewise. */
bool raw_read_trace(struct raw_mode *mode, const char *path);

/* A parameter of the software GPU as text, "unknown" if it has none of that name. */
const char *raw_profile_text(const struct raw *raw, const char *key);

void raw_free(struct raw *raw);

#endif /* RAW_H */
