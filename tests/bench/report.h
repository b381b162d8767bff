/* SPDX-License-Identifier: MIT */
/* What the report consists of. Each part returns false when it failed. */
#ifndef REPORT_H
#define REPORT_H

#include "raw.h"
#include "stats.h"

/* table.c: the table, for a reader. */
void table_print(const struct raw *raw, const struct stats *stats);

/* table.c: each criterion with its figure; false if one is missed. */
bool table_verdict(const struct raw *raw, const struct stats *stats);

/* result.c: two-models.json, two-models-raw.json. */
bool result_write(const struct raw *raw, const struct stats *stats, const char *commit,
		  const char *path);

/* result.c: whether every number of two results agrees to within @tolerance, or, of switches, 10 %. */
bool result_same(const char *path_a, const char *path_b, double tolerance);

/* compare.c: whether xsched-sim's figures agree with the guest's; prints TAP. */
bool compare_results(const char *sim_path, const char *guest_path, double tolerance);

/* timeline.c: two-models.svg, two-models-raw.svg, drawn by gnuplot. */
bool timeline_draw(const struct raw *raw, const struct stats *stats, const char *path);

#endif /* REPORT_H */
