/* SPDX-License-Identifier: MIT */
/* Output of the program. */
#ifndef XSIM_REPORT_H
#define XSIM_REPORT_H

#include <stdio.h>

#include "report/figures.h"

/**
 * struct report - everything to print
 * @scn: the scenario
 * @modes: by number of the mode
 * @cost: print the cost of the simulation itself, too
 * @wall_s: real time it took
 * @rss_mib: largest resident size
 */
struct report {
	const struct scenario *scn;
	struct mode_figures *modes;
	bool cost;
	double wall_s;
	double rss_mib;
};

/* table.c: for a reader. */
void report_table(const struct report *report, FILE *f);

/* json.c: for a program; the keys of build/results/two-models.json, and more. */
void report_json(const struct report *report, FILE *f);

/*
 * trace.c: dispatches, holds and calls of all runs, for chrome://tracing or
 * Perfetto. Each process of each mode has a track of its own.
 */

/**
 * struct trace - a file of them
 * @file: open, or NULL: nothing is written
 * @comma: an event was written
 * @tracks: tracks in use
 */
struct trace {
	FILE *file;
	bool comma;
	u32 tracks;
};

/* False: see errno. */
bool trace_open(struct trace *trace, const char *path);
void trace_add(struct trace *trace, const struct world *w);
bool trace_close(struct trace *trace);

#endif /* XSIM_REPORT_H */
