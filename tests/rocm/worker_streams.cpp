// SPDX-License-Identifier: MIT
/* Streams that wait for each other, and kernels whose result depends on that. */
#include <memory>

#include "chain.h"
#include "check.h"
#include "worker_streams.h"

#define STREAMS	5	/* the last is the default stream */
#define GROUPS	64
#define SIZE	256

/* Whether @from and @to, a step further, wait for each other without an event. */
static bool implicit(uint32_t from, uint32_t to)
{
	return from == STREAMS - 2 && to == STREAMS - 1;
}

bool chain_streams(uint32_t count, uint32_t us, float *ms)
{
	stream free_a, free_b, free_c, blocking(hipStreamDefault);
	const hipStream_t s[STREAMS] = { free_a.s, free_b.s, free_c.s, blocking.s, NULL };
	std::vector<std::unique_ptr<event>> done;
	chain c(GROUPS, SIZE, us, count);
	event begin;
	uint32_t i;

	HIP(hipEventRecord(begin.e, s[0]));
	for (i = 0; i < count; i++) {
		hipStream_t at = s[i % STREAMS];

		if (i && !implicit((i - 1) % STREAMS, i % STREAMS))
			HIP(hipStreamWaitEvent(at, done.back()->e, 0));
		c.launch(at);
		done.emplace_back(new event(hipEventBlockingSync));
		HIP(hipEventRecord(done.back()->e, at));
	}
	HIP(hipEventSynchronize(done.back()->e));
	HIP(hipEventElapsedTime(ms, begin.e, done.back()->e));
	HIP(hipDeviceSynchronize());
	return c.right();
}
