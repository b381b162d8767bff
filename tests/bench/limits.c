// SPDX-License-Identifier: MIT
/*
 * What the design allows of two models on one GPU. A limit that is missed is said, in the table and in the
 * result. It is a failure with raw queues (scripts/check/demo); of the HIP programs, scripts/bench/figures fails if
 * a figure has left the range of the builds that are kept. What is no profile of these has none.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static double p99_over_alone(const struct report *r)
{
	return r->stats.modes[RAW_HPF].hi_ms.p99 / r->stats.modes[RAW_ALONE].hi_ms.p99;
}

static double low_of_left(const struct report *r)
{
	return r->stats.modes[RAW_HPF].lo_of_left;
}

static double quiet_p99(const struct report *r)
{
	const struct sample *quiet = &r->stats.modes[RAW_HPF].quiet_us;

	return quiet->count ? quiet->p99 : NAN;
}

#define P99	"hpf: high P99 over alone"
#define LEFT	"hpf: low throughput over what high leaves of it"
#define QUIET	"hpf: preemptions, call to quiet, P99, us"

static const struct limit {
	const char *profile;
	const char *figure;
	const char *what;
	bool least;
	double bound;
	double (*value)(const struct report *r);
} limits[] = {
	{ "mi308x", "hpf_p99_over_alone", P99, false, 1.05, p99_over_alone },
	{ "mi308x", "low_over_what_is_left", LEFT, true, 0.95, low_of_left },
	{ "mi308x", "quiet_p99_us", QUIET, false, 100, quiet_p99 },
	{ "mi308x-field", "hpf_p99_over_alone", P99, false, 1.25, p99_over_alone },
	{ "mi308x-field", "low_over_what_is_left", LEFT, true, 0.9, low_of_left },
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

int limits_judge(const struct report *report, struct limit_row rows[LIMITS])
{
	size_t i;
	int n = 0;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(limits[i].profile, report->profile))
			judge(&rows[n++], &limits[i], limits[i].value(report));
	return n;
}
