// SPDX-License-Identifier: MIT
/*
 * What the design allows of two models on one GPU. A limit that is missed is said, in the table and in the
 * result, and is no failure: scripts/bench/figures fails if a figure has left the range of the builds that are kept.
 */
#include <math.h>
#include <stdio.h>

#include "report.h"

static const struct limit {
	const char *figure;
	const char *what;
	bool least;
	double bound;
} limits[LIMITS] = {
	{ "hpf_over_alone", "hpf: high P99 over alone", false, 1.05 },
	{ "low_over_what_is_left", "hpf: low throughput over what high leaves of it", true, 0.95 },
	{ "quiet_p99_us", "hpf: preemptions, call to quiet, P99, us", false, 100 },
};

static void judge(struct limit_row *row, const struct limit *limit, double value)
{
	*row = (struct limit_row){
		.figure = limit->figure,
		.what = limit->what,
		.least = limit->least,
		.limit = limit->bound,
		.value = round(value * 1e4) / 1e4,	/* as it is written */
	};
	if (isnan(value)) {
		snprintf(row->why, sizeof(row->why), "not measured");
		return;
	}
	row->ok = limit->least ? row->value >= row->limit : row->value <= row->limit;
	snprintf(row->why, sizeof(row->why), "%s: %.7g %s %.7g", row->ok ? "kept" : "missed", row->value,
		 row->ok ? (limit->least ? ">=" : "<=") : (limit->least ? "<" : ">"), row->limit);
}

void limits_judge(const struct stats *stats, struct limit_row rows[LIMITS])
{
	const struct sample *quiet = &stats->modes[RAW_HPF].quiet_us;
	const double values[LIMITS] = {
		stats->hpf_p99_ratio, stats->lo_share, quiet->count ? quiet->p99 : NAN,
	};
	int i;

	for (i = 0; i < LIMITS; i++)
		judge(&rows[i], &limits[i], values[i]);
}
