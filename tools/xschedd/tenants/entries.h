/* SPDX-License-Identifier: MIT */
/*
 * The entries of a switch: made from a plan, and their results.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ENTRIES_H
#define XSCHEDD_ENTRIES_H

#include "state/state.h"

/**
 * struct change - one element of a plan
 * @target: KFD_XSCHED_TARGET_PROCESS or KFD_XSCHED_TARGET_QUEUE
 * @id: of the target
 * @hold: hold it, or release it
 */
struct change {
	uint32_t target;
	uint64_t id;
	bool hold;
};

/** entries_at() - an element of a plan by its place; false: after the last */
bool entries_at(const struct xsched_plan *plan, size_t index, struct change *change);

/** entries_add() - the entry that makes a change; 0, -E2BIG, -ENOMEM, or -ENOENT: a queue is gone */
int entries_add(struct sched *sched, struct xsched_apply *apply,
		const struct change *change);

/** entries_mark() - plans leave them out until it is known what they came to; forget what is gone */
void entries_mark(struct sched *sched, struct flight *flight);

/**
 * entries_process() - whose an entry of a flight is
 *
 * Return: its pid, 0: gone. One of the same number that came since is another.
 */
pid_t entries_process(const struct sched *sched, const struct flight *flight,
		      const struct kfd_xsched_entry *entry);

/** entries_failed() - a switch of a process failed; how many in a row did */
unsigned int entries_failed(struct sched *sched, pid_t pid);

/**
 * entries_commit() - all were done, except for targets that are gone
 *
 * Return: whether switches of any of them had failed before.
 */
bool entries_commit(struct sched *sched, const struct flight *flight, uint64_t end_ns,
		    uint64_t call_ns);

/** entries_wait() - plans leave it out until it is in doubt, or done */
void entries_wait(struct sched *sched, const struct kfd_xsched_entry *entry);

/** entries_doubt() - some may have been done */
void entries_doubt(struct sched *sched, const struct flight *flight, uint64_t end_ns);

/** entries_doubt_one() - it may have been done */
void entries_doubt_one(struct sched *sched, const struct kfd_xsched_entry *entry,
		       uint64_t end_ns);

/** entries_is_refused() - whether the kernel found that it cannot be done, and so nothing was */
bool entries_is_refused(const struct kfd_xsched_entry *entry);

/**
 * entries_drop() - plan without one that was refused, for good if need be
 *
 * Return: whether no later plan has it: the target is gone, may not be held, or is on GPUs
 * where nothing is held.
 */
bool entries_drop(struct sched *sched, const struct kfd_xsched_entry *entry);

/** entries_refused() - one of a process was refused; returns when to try it again */
uint64_t entries_refused(struct sched *sched, pid_t pid, const struct kfd_xsched_entry *entry,
			 uint64_t now_ns);

#endif /* XSCHEDD_ENTRIES_H */
