// SPDX-License-Identifier: MIT
/* Percentiles, rates, ratios. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static double seconds(uint64_t from, uint64_t to)
{
	return (double)(to - from) / 1e9;
}

static void compute_hi(struct stats_mode *s, const struct raw_model *m)
{
	double *ms = calloc(m->count, sizeof(*ms)), *service = calloc(m->count, sizeof(*service));
	const struct raw_request *r;
	uint64_t free_from = 0;
	double busy = 0;
	size_t i;

	for (i = 0; i < m->count; i++) {
		r = &m->requests[i];
		ms[i] = (double)(r->done - r->arrival) / 1e6;
		service[i] = (double)(r->done - (free_from > r->arrival ? free_from : r->arrival)) / 1e6;
		free_from = r->done;
		busy += seconds(r->first, r->last);
	}
	s->hi_ms = sample_of(ms, m->count);
	s->hi_service_ms = sample_of(service, m->count);
	s->hi_rps = (double)m->count / seconds(m->start, m->end);
	s->hi_busy = busy / seconds(m->start, m->end);
	free(ms);
	free(service);
}

/*
 * Iterations until @until; of the one in progress then, the part of its time
 * that had passed.
 */
static double iterations(const struct raw_model *m, uint64_t until)
{
	uint64_t before = m->start;
	double n = 0;
	size_t i;

	for (i = 0; i < m->count; i++) {
		if (m->requests[i].done > until)
			return n + seconds(before, until) / seconds(before, m->requests[i].done);
		n++;
		before = m->requests[i].done;
	}
	return n;
}

static void compute_lo(struct stats_mode *s, const struct raw_model *m, uint64_t until)
{
	if (until > m->end)
		until = m->end;
	s->lo_iter_s = iterations(m, until) / seconds(m->start, until);
	s->lo_images_s = s->lo_iter_s * m->images;
}

static void compare_lo(struct stats_mode *s, const struct stats_mode *alone)
{
	s->lo_of_alone = s->lo_iter_s / alone->lo_iter_s;
	s->lo_of_left = s->lo_of_alone / (1 - alone->hi_busy);
}

static void compute_switches(struct stats_mode *s, const struct raw_mode *mode)
{
	double *call = calloc(mode->switch_count + 1, sizeof(*call));
	double *quiet = calloc(mode->switch_count + 1, sizeof(*quiet));
	double *reaction = calloc(mode->switch_count + 1, sizeof(*reaction));
	const struct raw_switch *sw;
	size_t i, n = 0, m = 0;

	for (i = 0; i < mode->switch_count; i++) {
		sw = &mode->switches[i];
		if (!sw->held)
			continue;
		quiet[n] = (double)(sw->quiet - sw->begin) / 1e3;
		call[n++] = (double)(sw->end - sw->begin) / 1e3;
		if (sw->event)
			reaction[m++] = (double)(sw->end - sw->event) / 1e3;
	}
	s->switch_us = sample_of(call, n);
	s->quiet_us = sample_of(quiet, n);
	s->reaction_us = sample_of(reaction, m);
	free(call);
	free(quiet);
	free(reaction);
}

static void compute_kills(struct stats *stats, const struct raw *raw)
{
	size_t i;

	stats->kills = raw->killed_count;
	for (i = 0; i < raw->killed_count; i++)
		stats->run_again_ms = fmax(stats->run_again_ms,
					   raw->killed[i] ? (double)raw->killed[i] / 1e6 : INFINITY);
}

/* A model without results has not shown any. */
static void compute_results(struct stats *stats, const struct raw_model *m)
{
	stats->words += m->words;
	stats->wrong += m->words ? m->wrong : 1;
}

void stats_compute(struct stats *stats, const struct raw *raw)
{
	const struct raw_mode *mode;
	struct stats_mode *s;
	int i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; i < RAW_MODES; i++) {
		mode = &raw->modes[i];
		s = &stats->modes[i];
		compute_hi(s, &mode->hi);
		compute_lo(s, &mode->lo, i == RAW_ALONE ? mode->lo.end : mode->hi.end);
		compare_lo(s, &stats->modes[RAW_ALONE]);
		compute_switches(s, mode);
		spin_account_add(&s->account, &mode->hi.account);
		spin_account_add(&s->account, &mode->lo.account);
		compute_results(stats, &mode->hi);
		compute_results(stats, &mode->lo);
	}
	compute_kills(stats, raw);
}
