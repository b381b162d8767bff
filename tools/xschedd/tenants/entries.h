/* SPDX-License-Identifier: MIT */
/*
 * The entries of a switch: made from a plan, and their results.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ENTRIES_H
#define XSCHEDD_ENTRIES_H

#include "state/state.h"

/** entries_fill() - add those of a plan to &sched.apply; 0, -E2BIG or -ENOMEM */
int entries_fill(struct sched *sched, const struct xsched_plan *plan);

/** entries_commit() - all were done, except for targets that are gone */
void entries_commit(struct sched *sched, uint64_t end_ns, uint64_t call_ns);

/** entries_doubt() - some may have been done */
void entries_doubt(struct sched *sched, uint64_t end_ns);

/**
 * entries_refuse() - none was done
 *
 * Return: whether some were refused; the next plan will not have these.
 */
bool entries_refuse(struct sched *sched);

#endif /* XSCHEDD_ENTRIES_H */
