// SPDX-License-Identifier: MIT
/*
 * What the kernel refuses of a process, because of that process alone.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <limits.h>
#include <string.h>

#include "base/backoff.h"
#include "base/log.h"
#include "state/refusal.h"

/* The longest back-off: 1 ms, doubled so often, is 65.5 s. */
#define DOUBLINGS	16

static bool refusal_is_any(const struct task *task)
{
	return task->refused.count || task->unarmed.count;
}

static void refusal_say(const struct task *task, const struct kfd_xsched_entry *entry)
{
	const struct process *process = &task->process;
	const struct log_fields fields = { .pid = process->pid, .id = LOG_REFUSED };

	log_event(LOG_WARNING, &fields,
		  "process %d of user %u: the kernel refuses to %s it: %s; others are switched without it, and it is tried again; xschedd(8), ERRORS, says what helps",
		  process->pid, process->uid,
		  entry->op == KFD_XSCHED_OP_RESUME ? "release" : "hold",
		  strerror(-entry->status));
}

uint64_t refusal_note(struct task *task, struct refusal *refusal,
		      const struct kfd_xsched_entry *entry, uint64_t now_ns)
{
	if (!refusal_is_any(task))
		refusal_say(task, entry);
	refusal->count++;
	refusal->error = entry->status;
	refusal->hold |= entry->op != KFD_XSCHED_OP_RESUME;
	refusal->queue = entry->target == KFD_XSCHED_TARGET_QUEUE ? entry->id : 0;
	refusal->until_ns = now_ns + backoff_ns(refusal->count, DOUBLINGS);
	return refusal->until_ns;
}

uint64_t refusal_longest(uint64_t now_ns)
{
	return now_ns + backoff_ns(UINT_MAX, DOUBLINGS);
}

/* To release is allowed more often than to hold, and one queue more often than another. */
static bool refusal_is_of(const struct refusal *refusal, const struct kfd_xsched_entry *entry)
{
	if (refusal->hold && entry->op == KFD_XSCHED_OP_RESUME)
		return false;
	return !refusal->queue || entry->target != KFD_XSCHED_TARGET_QUEUE ||
	       entry->id == refusal->queue;
}

void refusal_end(struct task *task, struct refusal *refusal,
		 const struct kfd_xsched_entry *entry)
{
	const struct log_fields fields = { .pid = task->process.pid };

	if (!refusal->count || !refusal_is_of(refusal, entry))
		return;
	*refusal = (struct refusal){ 0 };
	if (!refusal_is_any(task))
		log_event(LOG_NOTICE, &fields,
			  "process %d is scheduled again: the kernel does not refuse it any more",
			  task->process.pid);
}
