// SPDX-License-Identifier: MIT
/* Models of tests/bench as a HIP program runs them: a stream, and the kernel xs_layer(). */
#include <errno.h>
#include <memory>

#include "check.h"
#include "kernels.h"
#include "model_hip.h"

#define NS_PER_TICK	10	/* of the clock that kernels read */
#define TRIAL_ROUNDS	1000000	/* some ms: what a first kernel takes more is little of it */

static struct model_queue like;

static std::vector<uint32_t> mask_of(const struct model_queue &queue)
{
	const uint32_t end = queue.first_cu + queue.cus;
	std::vector<uint32_t> mask((end + 31) / 32);
	uint32_t cu;

	for (cu = queue.first_cu; cu < end; cu++)
		mask[cu / 32] |= 1U << cu % 32;
	return mask;
}

static stream *new_stream(void)
{
	int lowest, highest, priority = 0;

	if (like.cus)
		return new stream(mask_of(like));
	HIP(hipDeviceGetStreamPriorityRange(&lowest, &highest));
	if (like.priority != MODEL_QUEUE_PRIORITY)
		priority = like.priority > MODEL_QUEUE_PRIORITY ? highest : lowest;
	return new stream(hipStreamNonBlocking, priority);
}

/*
 * With a mask each program has four queues, and the GPU four pipes: the streams of
 * two programs would be on the same one, which works for one queue at a time. A
 * stream more of the one that has not the first units, without work, moves its other.
 */
static stream *new_spare(void)
{
	return like.first_cu ? new_stream() : NULL;
}

/**
 * struct hip_model - what such a model has
 * @spare: see new_spare()
 * @s: its stream
 * @done: an event for each request in flight
 * @data: a word for each workgroup of the largest kernel
 * @ticket: order of the dispatches
 * @log: record of each dispatch
 * @trial_ns: how long a workgroup takes for TRIAL_ROUNDS
 * @seen: the same in the form the report knows, when all is complete
 */
struct hip_model {
	std::unique_ptr<stream> spare, s;
	event done[MODEL_DEPTH];
	device_array<uint32_t> data, ticket;
	device_array<layer_log> log;
	uint64_t trial_ns;
	std::vector<vgpu_log> seen;

	hip_model(size_t words, size_t dispatches)
		: spare(new_spare()), s(new_stream()), data(numbers(words, 1)), ticket(std::vector<uint32_t>(1)),
		  log(std::vector<layer_log>(dispatches, { ~0ULL, 0, 0, 0, 0, 0 })), trial_ns(0)
	{
	}
};

static uint64_t skipped;

bool model_hip_use(const struct model_queue *queue)
{
	if (queue->gpu || queue->debuggable || queue->turns)
		return false;
	like = *queue;
	return true;
}

void model_hip_skip(uint64_t n)
{
	skipped = n;
}

static hip_model &hip(const struct model *m)
{
	return *(hip_model *)m->gpu;
}

static uint32_t most_workgroups(const struct preset *preset)
{
	const struct preset_stage *stage;
	uint32_t most = 0;

	for (stage = preset->stages; stage->kernels; stage++)
		most = stage->workgroups > most ? stage->workgroups : most;
	return most;
}

/* So many that a workgroup takes the time the stage wants. */
static uint32_t rounds_of(const struct model *m, const struct preset_stage *stage)
{
	return (uint32_t)(stage->workgroup_ns * TRIAL_ROUNDS / hip(m).trial_ns);
}

/* What a driver says of the clock is not what kernels run at: measure. */
static void try_kernel(hip_model &h)
{
	const layer_log none = { ~0ULL, 0, 0, 0, 0, 0 };
	device_array<layer_log> log(std::vector<layer_log>(1, none));
	device_array<uint32_t> word(std::vector<uint32_t>(1)), ticket(std::vector<uint32_t>(1));

	xs_layer<<<1, 64, 0, h.s->s>>>(word.at, log.at, ticket.at, 1, TRIAL_ROUNDS);
	LAUNCHED();
	HIP(hipStreamSynchronize(h.s->s));
	const layer_log seen = log.get()[0];
	h.trial_ns = (seen.end - seen.start) * NS_PER_TICK;
}

static int open_hip(struct model *m)
{
	try {
		m->gpu = new hip_model(most_workgroups(m->options->preset),
				       m->capacity * m->kernels);
		try_kernel(hip(m));
	} catch (const hip_failed &) {
		return -EIO;
	}
	/* none: it was not carried out */
	return hip(m).trial_ns ? 0 : -EIO;
}

static void close_hip(struct model *m)
{
	delete (hip_model *)m->gpu;
}

static int submit(struct model *m)
{
	const struct preset_stage *stage;
	uint64_t n = m->submitted * m->kernels;
	hip_model &h = hip(m);
	uint32_t k;

	try {
		for (stage = m->options->preset->stages; stage->kernels; stage++) {
			for (k = 0; k < stage->kernels; k++) {
				if (++n == skipped)
					continue;
				xs_layer<<<stage->workgroups, stage->workgroup_size, 0, h.s->s>>>(
					h.data.at, h.log.at + n - 1, h.ticket.at, (uint32_t)n,
					rounds_of(m, stage));
			}
		}
		LAUNCHED();
		HIP(hipEventRecord(h.done[m->submitted % MODEL_DEPTH].e, h.s->s));
	} catch (const hip_failed &) {
		return -EIO;
	}
	return 0;
}

static int wait(struct model *m)
{
	try {
		HIP(hipEventSynchronize(hip(m).done[m->completed % MODEL_DEPTH].e));
	} catch (const hip_failed &) {
		return -EIO;
	}
	return 0;
}

/* What all dispatches, each once and one after the other, make of the data. */
static std::vector<uint32_t> expected(const struct model *m)
{
	std::vector<uint32_t> words = numbers(hip(m).data.n, 1);
	const struct preset_stage *stage;
	std::vector<struct steps> steps;
	uint64_t i, n = 0;
	uint32_t k, w;

	for (stage = m->options->preset->stages; stage->kernels; stage++)
		steps.push_back(steps_of(rounds_of(m, stage)));
	for (i = 0; i < m->completed; i++) {
		const struct steps *s = steps.data();

		for (stage = m->options->preset->stages; stage->kernels; stage++, s++)
			for (k = 0; k < stage->kernels; k++, n++)
				for (w = 0; w < stage->workgroups; w++)
					words[w] = (words[w] ^ ((uint32_t)n + 1)) * s->a + s->b;
	}
	return words;
}

static void read_log(struct model *m)
{
	hip_model &h = hip(m);

	for (const struct layer_log &l : h.log.get()) {
		vgpu_log seen = { };

		seen.executed = l.executed;
		seen.ticket = l.ticket;
		seen.start_ns = l.start * NS_PER_TICK;
		seen.end_ns = l.end * NS_PER_TICK;
		h.seen.push_back(seen);
	}
	m->log = h.seen.data();
}

static int finish(struct model *m)
{
	std::vector<uint32_t> want = expected(m), got;
	size_t w;

	try {
		got = hip(m).data.get();
		read_log(m);
	} catch (const hip_failed &) {
		return -EIO;
	}
	m->words = want.size();
	for (w = 0; w < want.size(); w++)
		m->wrong += got[w] != want[w];
	return 0;
}

/* In a function: hipcc would put a constant on the device, too, where none of these is. */
const struct model_backend *model_hip(void)
{
	static const struct model_backend backend = { open_hip, submit, wait, finish, close_hip };

	return &backend;
}
