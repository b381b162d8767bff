// SPDX-License-Identifier: MIT
/*
 * The entries of a switch: made from a plan, and their results.
 *
 * An entry is about a process or, without gangs, about a queue.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "kernel/armed.h"
#include "kernel/device.h"
#include "state/refusal.h"
#include "tenants/entries.h"

/* ---- from a plan -------------------------------------------------------- */

bool entries_at(const struct xsched_plan *plan, size_t index, struct change *change)
{
	const size_t counts[] = { plan->hold_count, plan->hold_queue_count,
				  plan->release_count, plan->release_queue_count };
	unsigned int kind = 0;

	while (kind < 4 && index >= counts[kind])
		index -= counts[kind++];
	change->hold = kind < 2;
	change->target = kind % 2 ? KFD_XSCHED_TARGET_QUEUE : KFD_XSCHED_TARGET_PROCESS;
	switch (kind) {
	case 0:
		change->id = plan->hold[index];
		return true;
	case 1:
		change->id = plan->hold_queues[index];
		return true;
	case 2:
		change->id = plan->release[index];
		return true;
	case 3:
		change->id = plan->release_queues[index];
		return true;
	default:
		return false;
	}
}

int entries_add(struct sched *sched, struct xsched_apply *apply,
		const struct change *change)
{
	uint32_t gpu_id;
	int32_t pid;

	if (!change->hold)
		return xsched_apply_add(apply, KFD_XSCHED_OP_RESUME, change->target,
					change->id, 0);
	pid = change->id;
	if (change->target == KFD_XSCHED_TARGET_QUEUE &&
	    xsched_engine_queue(sched->engine, change->id, &pid, &gpu_id))
		return -ENOENT;
	return state_add_hold(sched, apply, change->target, change->id, pid);
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

void entries_wait(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	entries_commit_one(sched, entry, XSCHED_SWITCHING, 0);
}

void entries_mark(struct sched *sched, struct flight *flight)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);

	if (flight->marked)
		return;
	for (size_t i = 0; i < xsched_apply_count(flight->apply); i++) {
		if (e[i].status == -ESRCH)
			entries_forget(sched, &e[i]);
		else
			entries_wait(sched, &e[i]);
	}
	flight->marked = true;
}

pid_t entries_process(const struct sched *sched, const struct flight *flight,
		      const struct kfd_xsched_entry *entry)
{
	uint32_t gpu_id;

	if (flight->marked && entry->target == KFD_XSCHED_TARGET_PROCESS &&
	    !xsched_engine_is_switching(sched->engine, entry->id))
		return 0;
	return state_entry_process(sched, entry, &gpu_id);
}

unsigned int entries_failed(struct sched *sched, pid_t pid)
{
	struct task *task = state_task(sched, pid);

	/* Without a task nothing can be counted: as if given up. */
	return task ? ++task->failed : UINT_MAX;
}

/* Returns whether switches of its task had failed before. */
static bool entries_note(struct task *task, bool hold, uint64_t call_ns)
{
	bool failed = task->failed;

	task->failed = 0;
	if (hold)
		histogram_add(&task->switches, call_ns);
	return failed;
}

bool entries_commit(struct sched *sched, const struct flight *flight, uint64_t end_ns,
		    uint64_t call_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);
	struct task *task, *former = NULL;
	bool recovered = false;

	for (size_t i = 0; i < xsched_apply_count(flight->apply); i++) {
		bool hold = e[i].op != KFD_XSCHED_OP_RESUME;
		pid_t pid = entries_process(sched, flight, &e[i]);

		if (!pid)
			continue;
		if (e[i].status == -ESRCH) {
			entries_forget(sched, &e[i]);
			former = NULL;
			continue;
		}
		entries_commit_one(sched, &e[i], hold ? XSCHED_HELD : XSCHED_RELEASED,
				   end_ns);
		task = state_task(sched, pid);
		if (task)
			refusal_end(task, &task->refused, &e[i]);
		/* The queues of a process are adjacent. */
		if (task && task != former)
			recovered |= entries_note(task, hold, call_ns);
		former = task;
	}
	return recovered;
}

void entries_doubt_one(struct sched *sched, const struct kfd_xsched_entry *entry,
		       uint64_t end_ns)
{
	entries_commit_one(sched, entry, XSCHED_UNCERTAIN, end_ns);
}

void entries_doubt(struct sched *sched, const struct flight *flight, uint64_t end_ns)
{
	const struct kfd_xsched_entry *e = xsched_apply_entries(flight->apply);

	for (size_t i = 0; i < xsched_apply_count(flight->apply); i++)
		if (entries_process(sched, flight, &e[i]))
			entries_doubt_one(sched, &e[i], end_ns);
}

static void entries_leave_alone(struct sched *sched, pid_t pid, int error)
{
	log_event(LOG_WARNING,
		  &(struct log_fields){ .pid = pid, .id = LOG_REFUSED },
		  "process %d is not scheduled: %s", pid, strerror(-error));
	xsched_engine_set_exempt(sched->engine, pid, true);
	armed_wrong(sched);
}

bool entries_is_refused(const struct kfd_xsched_entry *entry)
{
	return entry->status && entry->status != -EALREADY;
}

static bool entries_is_known_shut(const struct sched *sched,
				  const struct kfd_xsched_entry *entry)
{
	struct xsched_tenant tenant;
	uint32_t gpu_id;
	pid_t pid = state_entry_process(sched, entry, &gpu_id);

	if (entry->target == KFD_XSCHED_TARGET_QUEUE)
		return pid && device_is_shut(sched, gpu_id);
	return !xsched_engine_tenant(sched->engine, pid, 0, &tenant) && tenant.shut;
}

/* The event of the breaker may be yet to be read. */
static bool entries_is_shut(struct sched *sched, const struct kfd_xsched_entry *entry)
{
	return entries_is_known_shut(sched, entry) ||
	       (!device_read_nodes(sched) && entries_is_known_shut(sched, entry));
}

bool entries_drop(struct sched *sched, const struct kfd_xsched_entry *entry)
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
	case -ESHUTDOWN:
		return entries_is_shut(sched, entry);
	default:
		return false;
	}
}

uint64_t entries_refused(struct sched *sched, pid_t pid, const struct kfd_xsched_entry *entry,
			 uint64_t now_ns)
{
	struct task *task = state_task(sched, pid);

	return task ? refusal_note(task, &task->refused, entry, now_ns) :
		      refusal_longest(now_ns);
}
