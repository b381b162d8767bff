/* SPDX-License-Identifier: MIT */
/*
 * The entries of a switch: from a plan, and what became of them.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_ENTRIES_H
#define XSCHEDD_ENTRIES_H

#include "state.h"

/** entries_fill() - those of a plan into &sched.apply; 0, -E2BIG or -ENOMEM */
int entries_fill(struct sched *sched, const struct xsched_plan *plan);

/** entries_commit() - all were done, but for those that are gone */
void entries_commit(struct sched *sched, uint64_t end_ns, uint64_t call_ns);

/** entries_doubt() - some may have been done */
void entries_doubt(struct sched *sched, uint64_t end_ns);

/**
 * entries_refuse() - none was done
 *
 * Return: whether that was because of some, which will not be in the next plan.
 */
bool entries_refuse(struct sched *sched);

#endif /* XSCHEDD_ENTRIES_H */
