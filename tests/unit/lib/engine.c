// SPDX-License-Identifier: MIT
#include "engine.h"
#include "unit.h"

struct xsched_engine *new_engine(const char *policy)
{
	struct xsched_engine *engine;

	assert_int_equal(xsched_engine_new(&engine, policy, NULL, NULL), 0);
	return engine;
}

void add(struct xsched_engine *engine, int32_t pid, uint32_t gpu, int32_t priority, bool ready)
{
	assert_int_equal(xsched_engine_queue_add(engine, pid, pid, gpu), XSCHED_NEW_TENANT);
	assert_int_equal(xsched_engine_set_priority(engine, pid, priority), 0);
	assert_int_equal(xsched_engine_queue_ready(engine, pid, ready), 0);
}

uint64_t carry_out(struct xsched_engine *engine, uint64_t now)
{
	struct xsched_plan p;

	xsched_engine_plan(engine, now, &p);
	for (size_t i = 0; i < p.hold_count; i++)
		xsched_engine_commit(engine, p.hold[i], XSCHED_HELD, now);
	for (size_t i = 0; i < p.release_count; i++)
		xsched_engine_commit(engine, p.release[i], XSCHED_RELEASED, now);
	for (size_t i = 0; i < p.hold_queue_count; i++)
		xsched_engine_commit_queue(engine, p.hold_queues[i], XSCHED_HELD, now);
	for (size_t i = 0; i < p.release_queue_count; i++)
		xsched_engine_commit_queue(engine, p.release_queues[i], XSCHED_RELEASED, now);
	return p.deadline_ns;
}
