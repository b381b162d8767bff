/* SPDX-License-Identifier: MIT */
/*
 * What the kernel refuses of a process, because of that process alone.
 *
 * The kernel takes all entries of a call or none, and says which are at fault. Others go on
 * without these at once. A process at fault is reported once, and tried again later: after
 * 1 ms, then after twice as long each time, up to about a minute.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_REFUSAL_H
#define XSCHEDD_REFUSAL_H

#include "state/state.h"

/**
 * refusal_note() - the kernel refused an entry of a task: report it, if that is new
 * @task: whose it is
 * @refusal: of @task: of a switch, or of an armed one
 * @entry: it has the errno
 * @now_ns: time
 *
 * Return: when to try again.
 */
uint64_t refusal_note(struct task *task, struct refusal *refusal,
		      const struct kfd_xsched_entry *entry, uint64_t now_ns);

/** refusal_longest() - when to try again what cannot be counted for want of a task */
uint64_t refusal_longest(uint64_t now_ns);

/** refusal_end() - the kernel took an entry of a task: if it refused it before, that is over */
void refusal_end(struct task *task, struct refusal *refusal,
		 const struct kfd_xsched_entry *entry);

#endif /* XSCHEDD_REFUSAL_H */
