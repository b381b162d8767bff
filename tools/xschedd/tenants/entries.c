// SPDX-License-Identifier: MIT
/*
 * The entries of a switch: made from a plan, and their results.
 *
 * An entry is about a process or, without gangs, about a queue.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kernel/armed.h"
#include "tenants/entries.h"

/* ---- from a plan -------------------------------------------------------- */

static int entries_hold_queue(struct sched *sched, uint64_t id)
{
	uint32_t gpu_id;
	int32_t pid;
	int ret = xsched_engine_queue(sched->engine, id, &pid, &gpu_id);

	return ret ? ret : state_add_hold(sched, sched->apply,
					  KFD_XSCHED_TARGET_QUEUE, id, pid);
}

int entries_fill(struct sched *sched, const struct xsched_plan *plan)
{
	struct xsched_apply *apply = sched->apply;
	int ret = 0;

	xsched_apply_reset(apply);
	for (size_t i = 0; !ret && i < plan->hold_count; i++)
		ret = state_add_hold(sched, apply, KFD_XSCHED_TARGET_PROCESS,
				     plan->hold[i], plan->hold[i]);
	for (size_t i = 0; !ret && i < plan->hold_queue_count; i++)
		ret = entries_hold_queue(sched, plan->hold_queues[i]);
	for (size_t i = 0; !ret && i < plan->release_count; i++)
		ret = xsched_apply_resume_process(apply, plan->release[i]);
	for (size_t i = 0; !ret && i < plan->release_queue_count; i++)
		ret = xsched_apply_resume_queue(apply, plan->release_queues[i]);
	return ret;
}

/* ---- what became of it -------------------------------------------------- */

static void entries_commit_one(struct sched *sched, const struct kfd_xsched_entry *entry,
			       int state, uint64_t end_ns)
{
	if (entry->target == KFD_XSCHED_TARGET_QUEUE)
		xsched_engine_commit_queue(sched->engine, entry->id, state,
					   end_ns);
	else
		xsched_engine_commit(sched->engine, entry->id, state, end_ns);
}

static void entries_forget(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	if (entry->target == KFD_XSCHED_TARGET_QUEUE)
		xsched_engine_queue_del(sched->engine, entry->id);
	else
		xsched_engine_process_exit(sched->engine, entry->id);
}

void entries_commit(struct sched *sched, uint64_t end_ns, uint64_t call_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);
	struct task *task, *former = NULL;
	uint32_t gpu_id;

	for (size_t i = 0; i < count; i++) {
		bool hold = e[i].op != KFD_XSCHED_OP_RESUME;

		if (e[i].status == -ESRCH) {
			entries_forget(sched, &e[i]);
			former = NULL;
			continue;
		}
		entries_commit_one(sched, &e[i], hold ? XSCHED_HELD : XSCHED_RELEASED,
				   end_ns);
		task = hold ? state_task(sched, state_entry_process(sched, &e[i],
								    &gpu_id)) : NULL;
		/* The queues of a process are adjacent. */
		if (task && task != former)
			histogram_add(&task->switches, call_ns);
		former = task;
	}
}

void entries_doubt(struct sched *sched, uint64_t end_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);

	for (size_t i = 0; i < count; i++)
		entries_commit_one(sched, &e[i], XSCHED_UNCERTAIN, end_ns);
}

static void entries_leave_alone(struct sched *sched, pid_t pid, int error)
{
	log_event(LOG_WARNING,
		  &(struct log_fields){ .pid = pid, .id = LOG_REFUSED },
		  "process %d is not scheduled: %s", pid, strerror(-error));
	xsched_engine_set_exempt(sched->engine, pid, true);
	armed_wrong(sched);
}

/*
 * An entry that the kernel refuses would make each plan with it fail. A process
 * that is gone is forgotten; one that may not be held becomes exempt.
 */
static bool entries_refuse_one(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	struct xsched_tenant tenant;
	uint32_t gpu_id;
	pid_t pid;

	switch (entry->status) {
	case -ENOENT:
	case -ESRCH:
		entries_forget(sched, entry);
		return true;
	case -EPERM:
	case -EOPNOTSUPP:
		pid = state_entry_process(sched, entry, &gpu_id);
		/* Once a process, not for each of its queues. */
		if (!xsched_engine_tenant(sched->engine, pid, 0, &tenant) &&
		    !tenant.exempt)
			entries_leave_alone(sched, pid, entry->status);
		return true;
	default:
		return false;
	}
}

bool entries_refuse(struct sched *sched)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(sched->apply);
	size_t count = xsched_apply_count(sched->apply);
	bool refused = false;

	for (size_t i = 0; i < count; i++)
		refused |= entries_refuse_one(sched, &e[i]);
	return refused;
}
