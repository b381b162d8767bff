/* SPDX-License-Identifier: MIT */
/*
 * Metrics in the text format of Prometheus; xschedd(8) lists them.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#ifndef XSCHEDD_METRICS_H
#define XSCHEDD_METRICS_H

#include "facts/peer.h"
#include "serve/answer.h"
#include "state/state.h"

/**
 * metrics_answer() - all metrics
 * @answer: out
 * @sched: scheduler
 * @peer: user who asks; only tenants this user may see are included
 */
void metrics_answer(struct http_answer *answer, const struct sched *sched,
		    const struct peer *peer);

#endif /* XSCHEDD_METRICS_H */
