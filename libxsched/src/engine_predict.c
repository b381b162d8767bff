// SPDX-License-Identifier: MIT
/*
 * When the next request of a tenant comes: a hint gives that time, or the
 * period of requests, or the period is learned. Then others can be held just
 * before, and the request finds the GPU free.
 *
 * Mean and mean deviation of the period are learned; each new value weighs an
 * eighth. A tenant is expected only if its deviation is at most an eighth of
 * the mean. After three missed requests it is not expected until the next one
 * comes.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "engine_priv.h"

#define SAMPLES_NEEDED	4
#define REGULAR		8	/* the deviation is at most that part */
#define MISSES_ALLOWED	3
#define LEARN_SHIFT	3

/* An interval of several means: requests in between merged or did not come. */
static uint64_t single(uint64_t interval, uint64_t mean)
{
	uint64_t n = mean ? (interval + mean / 2) / mean : 1;

	return n > 1 ? interval / n : interval;
}

static void learn(struct predictor *p, uint64_t interval)
{
	uint64_t off;

	if (!p->samples++) {
		p->mean_ns = interval;
		p->deviation_ns = 0;
		return;
	}
	interval = single(interval, p->mean_ns);
	off = interval > p->mean_ns ? interval - p->mean_ns :
				      p->mean_ns - interval;
	p->mean_ns = p->mean_ns - (p->mean_ns >> LEARN_SHIFT) +
		     (interval >> LEARN_SHIFT);
	p->deviation_ns = p->deviation_ns - (p->deviation_ns >> LEARN_SHIFT) +
			  (off >> LEARN_SHIFT);
}

void predict_arrival(struct unit *unit, uint64_t time_ns)
{
	struct predictor *p = &unit->predictor;

	if (p->last_ns && time_ns > p->last_ns)
		learn(p, time_ns - p->last_ns);
	p->last_ns = time_ns;
	p->missed = 0;
}

/* Time between requests, 0: not known. @slack: how far off it may be. */
static uint64_t period_of(const struct unit *unit, uint64_t *slack)
{
	const struct predictor *p = &unit->predictor;
	int64_t told = unit->view.hint[XSCHED_HINT_PERIOD_NS];

	*slack = 0;
	if (told == XSCHED_HINT_UNSET || told > 0)
		return told > 0 ? told : 0;
	if (p->samples < SAMPLES_NEEDED ||
	    p->deviation_ns > p->mean_ns / REGULAR)
		return 0;
	*slack = 2 * p->deviation_ns;
	return p->mean_ns;
}

/* The request that is next, by the period. */
static uint64_t by_period(struct unit *unit, uint64_t now_ns, uint64_t lead,
			  uint64_t *slack)
{
	struct predictor *p = &unit->predictor;
	uint64_t period = period_of(unit, slack);
	uint64_t next;

	if (!period || !p->last_ns)
		return 0;
	next = p->last_ns + (p->missed + 1) * period;
	if (now_ns >= next + lead + *slack && p->missed < MISSES_ALLOWED)
		next = p->last_ns + (++p->missed + 1) * period;
	/* After a long time without a decision, too. */
	if (p->missed >= MISSES_ALLOWED || now_ns >= next + lead + *slack)
		return 0;
	return next;
}

uint64_t predict(const struct xsched_engine *engine, struct unit *unit,
		 uint64_t *next_ns)
{
	uint64_t lead = 1000 * engine->option[OPTION_PRE_PREEMPT_US];
	uint64_t now_ns = engine->now_ns, slack = 0;
	uint64_t next = 0;
	int64_t told;

	if (!lead)
		return 0;
	told = unit->view.hint[XSCHED_HINT_NEXT_REQUEST_NS];
	/* The hint is void when its request has come. */
	if (told > 0 && (uint64_t)told + lead > now_ns &&
	    (uint64_t)told > unit->predictor.last_ns + lead)
		next = told;
	else
		next = by_period(unit, now_ns, lead, &slack);
	if (!next)
		return 0;
	if (now_ns + lead + slack < next) {
		*next_ns = earlier(*next_ns, next - lead - slack);
		return 0;
	}
	/* Wait for it as long after its time as before. */
	*next_ns = earlier(*next_ns, next + lead + slack);
	return next;
}
