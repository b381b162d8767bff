/* SPDX-License-Identifier: MIT */
/* Scenarios in a test: from a file or a text, run, and their figures looked at. */
#ifndef XSIM_TEST_BENCH_H
#define XSIM_TEST_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "../lib/bounds.h"

#include "report/report.h"

/**
 * struct bench - a scenario and what came of it
 * @scn: the scenario
 * @figures: by number of the mode, of those that were run
 * @worlds: the last run of each
 */
struct bench {
	struct scenario scn;
	struct mode_figures *figures;
	struct world *worlds;
};

/*
 * Load a scenario; @edits are pairs of texts, the first to be replaced with the
 * second, up to NULL: each must be there. Fails the test if it does not load.
 */
void bench_load(struct bench *b, const char *file, const char *const *edits);

/* The same from a text. Returns NULL, or what is wrong with it. */
const char *bench_text(struct bench *b, const char *text);

/* Run a mode by its name; fails the test if it does not run, or loses a dispatch. */
struct mode_figures *bench_run(struct bench *b, const char *mode);

/* Run only one group, by its name, in that mode. */
struct mode_figures *bench_run_only(struct bench *b, const char *mode, const char *group);

/* Of a mode that was run: the figures of a group by its name. */
struct group_figures *bench_group(struct bench *b, const struct mode_figures *f,
				  const char *group);

/* The world a mode ended with. */
struct world *bench_world(struct bench *b, const char *mode);

void bench_free(struct bench *b);

/* A value must be within @percent of what it is to be. */
void assert_near(double value, double wanted, double percent);

/* Jain's index of fairness of the requests of a group's programs: 1 is fair. */
double bench_fairness(struct bench *b, const char *mode, const char *group);

#endif /* XSIM_TEST_BENCH_H */
