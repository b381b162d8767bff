/* SPDX-License-Identifier: MIT */
/*
 * Signs of life.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_LEASE_H
#define XSCHEDD_LEASE_H

#include "state/state.h"

/** lease_renew() - give a sign of life; its reply may change the lease */
void lease_renew(struct sched *sched);

/** lease_run() - start or stop giving signs of life */
void lease_run(struct sched *sched, bool on);

/** lease_needed() - whether anything may be held */
bool lease_needed(const struct sched *sched);

#endif /* XSCHEDD_LEASE_H */
