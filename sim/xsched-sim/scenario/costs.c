// SPDX-License-Identifier: MIT
/*
 * Default costs of the software around the GPU.
 *
 * "two-models": seen in the results of the guest's two-models benchmark with raw queues,
 * mi308x profile, one instruction a nanosecond (scripts/bench/two-models run raw; the files are in
 * build/results/raw/two-models-raw). Requests there carry arrival, submission, first wave, last
 * wave and completion; the daemon's trace has the parts of every switch. Medians, of its modes
 * alone and hpf, with the arrivals of seed 1: so scripts/check/compare-sim judges by other runs.
 * "anatomy": median of that part of a preemption, mi308x, decided by the daemon (make bench EXP=anatomy).
 */
#include <stddef.h>
#include <string.h>

#include "scenario/costs.h"

const struct costs costs_default = {
	/* hi, alone: 61.8 us from the arrival to the packets, after it slept ... */
	.wake = 48200,
	/* ... and 13.6 us from one completion to the next packets, if it did not */
	.submit = 13600,
	/* hi, alone: 5.7 to 6.3 us from the packets to the first wave, less packet_ns */
	.ring = 3900,
	/* hi 14.7 us, lo 20.2 us from the last wave to the process */
	.complete = 14700,
	.sample = 100000,	/* xschedd's default, sample_us */
	.sample_queue = 400,	/* assumed: two loads, in the owner's address space */
	.settle = 500000,	/* xschedd's default, settle_us */
	/* hpf: 14.1 us from the event READY to the call (IDLE 10.1 us) */
	.react = 14100,
	.tap = 2400,		/* anatomy: "fault" */
	/*
	 * hpf: a call of 59.2 us that holds has 29.4 us of unmap, 5.6 us of map and 24.2 us
	 * besides, of which anatomy's "begin" and "to unmap" come before.
	 */
	.apply = 6100,
	.back = 18100,
	.per_queue = 500,	/* assumed: an entry, a queue's requests and its MQD */
	/* of the 29.4 us of unmap, firmware and save take 17.2 us */
	.unmap = 12200,
	.map = 5600,		/* hpf: map_ns of the trace */
};

static const struct {
	const char *name;
	size_t offset;
} times[] = {
	{ "wake", offsetof(struct costs, wake) },
	{ "submit", offsetof(struct costs, submit) },
	{ "ring", offsetof(struct costs, ring) },
	{ "complete", offsetof(struct costs, complete) },
	{ "sample", offsetof(struct costs, sample) },
	{ "sample_queue", offsetof(struct costs, sample_queue) },
	{ "settle", offsetof(struct costs, settle) },
	{ "react", offsetof(struct costs, react) },
	{ "tap", offsetof(struct costs, tap) },
	{ "apply", offsetof(struct costs, apply) },
	{ "per_queue", offsetof(struct costs, per_queue) },
	{ "unmap", offsetof(struct costs, unmap) },
	{ "map", offsetof(struct costs, map) },
	{ "back", offsetof(struct costs, back) },
};

#define TIMES	(sizeof(times) / sizeof(times[0]))

uint64_t *costs_find(struct costs *costs, const char *name)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++)
		if (!strcmp(times[i].name, name))
			return (uint64_t *)((char *)costs + times[i].offset);
	return NULL;
}

bool costs_at(const struct costs *costs, unsigned int index, const char **name, uint64_t *ns)
{
	if (index >= TIMES)
		return false;
	*name = times[index].name;
	*ns = *(const uint64_t *)((const char *)costs + times[index].offset);
	return true;
}
