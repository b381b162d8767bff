// SPDX-License-Identifier: MIT
/*
 * What the scheduler knows of its tasks.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "state/state.h"

struct task *state_task(const struct sched *sched, pid_t pid)
{
	return xsched_engine_user(sched->engine, pid);
}

static bool state_is_ruled(const struct rating *rating)
{
	return rating->source == SOURCE_RULE || rating->source == SOURCE_UNREAD;
}

/*
 * A request of an administrator comes first. A hint counts if the process may
 * choose, and always if it is lower.
 */
enum rating_source state_task_source(const struct task *task)
{
	const struct rating *rating = &task->rating;

	if (task->overridden)
		return SOURCE_REQUEST;
	if (task->has_hint && (!state_is_ruled(rating) ||
			       rating->limit > rating->priority ||
			       task->hint < rating->priority))
		return SOURCE_HINT;
	return rating->source;
}

int32_t state_task_priority(const struct task *task)
{
	const struct rating *rating = &task->rating;

	switch (state_task_source(task)) {
	case SOURCE_REQUEST:
		return task->override;
	case SOURCE_HINT:
		/* Rules may since have changed to allow less. */
		return task->hint < rating->limit ? task->hint : rating->limit;
	default:
		return rating->priority;
	}
}

int state_level(const struct sched *sched, const struct task *task)
{
	if (task && task->level)
		return task->level;
	if (task && task->rating.level)
		return task->rating.level;
	return sched->config->unmap ? 2 : 3;
}

int state_add_hold(const struct sched *sched, struct xsched_apply *apply,
		   uint32_t target, uint64_t id, pid_t pid)
{
	bool unmap = state_level(sched, state_task(sched, pid)) == 2;

	return xsched_apply_add(apply, unmap ? KFD_XSCHED_OP_UNMAP :
					       KFD_XSCHED_OP_SUSPEND,
				target, id,
				unmap ? (int32_t)sched->config->grace_us : 0);
}

pid_t state_entry_process(const struct sched *sched,
			  const struct kfd_xsched_entry *entry, uint32_t *gpu_id)
{
	int32_t pid;

	if (entry->target != KFD_XSCHED_TARGET_QUEUE)
		return entry->id;
	return xsched_engine_queue(sched->engine, entry->id, &pid, gpu_id) ?
	       0 : pid;
}
