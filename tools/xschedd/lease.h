/* SPDX-License-Identifier: MIT */
/*
 * Signs of life.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LEASE_H
#define XSCHEDD_LEASE_H

#include "state.h"

/** lease_renew() - a sign of life; what the lease is may change with each */
void lease_renew(struct sched *sched);

/** lease_run() - give signs of life from now on, or no more */
void lease_run(struct sched *sched, bool on);

/** lease_needed() - whether anything may be held */
bool lease_needed(const struct sched *sched);

#endif /* XSCHEDD_LEASE_H */
