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

/* How old the metrics of the daemon and of GPUs may be: several files are read for each GPU. */
#define METRICS_NS	1000000000ULL

/**
 * struct metrics - those that are the same for all who ask, as they were written last; zero at first
 * @text: these metrics, or NULL
 * @length: of @text
 * @written_ns: when
 */
struct metrics {
	char *text;
	size_t length;
	uint64_t written_ns;
};

/**
 * metrics_answer() - all metrics
 * @metrics: those for all; written anew if they are METRICS_NS old
 * @answer: out
 * @sched: scheduler
 * @peer: user who asks; only tenants this user may see are included
 */
void metrics_answer(struct metrics *metrics, struct http_answer *answer,
		    const struct sched *sched, const struct peer *peer);

/** metrics_free() - end of it */
void metrics_free(struct metrics *metrics);

#endif /* XSCHEDD_METRICS_H */
