/* SPDX-License-Identifier: MIT */
/* What the report consists of. Each part returns false when it failed. */
#ifndef REPORT_H
#define REPORT_H

#include "raw.h"
#include "stats.h"

/*
 * Launches of HIP 6.4 take one of several paths, 6827, 6872, 7003 instructions and others, as threads of the runtime
 * come between: medians of twenty differ by that.
 */
#define REPORT_PATHS	0.04

/* Profiles of the GPU that a report is of, at most. */
#define REPORT_PROFILES	4

/**
 * struct report - what was measured with one profile of the GPU
 * @profile: its name
 * @raw: what the guest sent
 * @stats: what follows from it
 */
struct report {
	const char *profile;
	struct raw raw;
	struct stats stats;
};

/**
 * struct limit_row - a limit of the design, and the figure
 * @figure: as scripts/bench/figures calls it
 * @what: the same in words
 * @least: the figure must be that much; otherwise no more
 * @limit: the limit
 * @value: the figure; NAN: there was nothing to measure
 * @ok: it is kept
 * @why: the comparison, in words
 */
struct limit_row {
	const char *figure;
	const char *what;
	bool least;
	double limit;
	double value;
	bool ok;
	char why[96];
};

/* Limits of one profile, at most. */
#define LIMITS	3

/* limits.c: how the figures compare with the design's limits for that profile. Returns how many it has. */
int limits_judge(const struct report *report, struct limit_row rows[LIMITS]);

/* table.c: the table, for a reader; the limits, and each criterion with its figure. False if a criterion is missed. */
void table_print(const struct report *reports, int count);
bool table_verdict(const struct report *reports, int count);

/* result.c: two-models.json, two-models-raw.json. */
bool result_write(const struct report *reports, int count, const char *commit, const char *path);

/* result.c: whether every number of two results agrees to within @tolerance, or what result.c has for that number. */
bool result_same(const char *path_a, const char *path_b, double tolerance);

/* compare.c: whether xsched-sim's figures of these modes agree with the guest's; prints TAP. */
bool compare_results(const char *sim_path, const char *guest_path, char **modes, int count, double tolerance);

/* timeline.c: two-models.svg, two-models-raw.svg, drawn by gnuplot. */
bool timeline_draw(const struct report *report, const char *path);

#endif /* REPORT_H */
