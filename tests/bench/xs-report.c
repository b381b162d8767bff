// SPDX-License-Identifier: MIT
/*
 * xs-report: from what the guest measured to the table, two-models.json and
 * two-models.svg; of raw queues two-models-raw.json and two-models-raw.svg. Each RAWDIR is of one
 * profile of the GPU, the first to be believed first. Ends with 1 when a criterion is missed; a limit of the design may be: it is said. Every number it prints is of the run
 * it was given.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

#define TOLERANCE	0.01
#define SIM_TOLERANCE	0.05	/* the software around the GPU is known on average only */

static int usage(void)
{
	fputs("usage: xs-report [--raw] [--commit ID] RAWDIR... OUTDIR\n"
	      "       xs-report --same A.json B.json     (all numbers within 1 %, but see result.c)\n"
	      "       xs-report --compare SIM.json GUEST.json MODE...    (TAP)\n", stderr);
	return 2;
}

/* Read all that there is to report; false: something is missing. */
static bool read_all(struct report *reports, char **dirs, int count, bool hip)
{
	int i;

	for (i = 0; i < count; i++) {
		if (!raw_read(&reports[i].raw, dirs[i], hip))
			return false;
		reports[i].profile = raw_profile_text(&reports[i].raw, "name");
		stats_compute(&reports[i].stats, &reports[i].raw);
	}
	return true;
}

/* Of the picture there is room for one: the first. */
static int report(char **raw_dirs, int count, const char *out_dir, const char *commit, bool hip)
{
	const char *name = hip ? "two-models" : "two-models-raw";
	struct report reports[REPORT_PROFILES] = { 0 };
	char json[512], svg[512];
	bool ok;
	int i;

	if (mkdir(out_dir, 0777) && errno != EEXIST) {
		fprintf(stderr, "xs-report: %s: %s\n", out_dir, strerror(errno));
		return 1;
	}
	snprintf(json, sizeof(json), "%s/%s.json", out_dir, name);
	snprintf(svg, sizeof(svg), "%s/%s.svg", out_dir, name);
	/* Nothing of an earlier run may be taken for this one's. */
	remove(json);
	remove(svg);
	ok = read_all(reports, raw_dirs, count, hip);
	if (ok) {
		table_print(reports, count);
		ok = table_verdict(reports, count);
		ok &= result_write(reports, count, commit, json);
		ok &= timeline_draw(reports, svg);
		printf("  %s\n  %s\n\n", json, svg);
	}
	for (i = 0; i < count; i++)
		raw_free(&reports[i].raw);
	return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *commit = getenv("XS_COMMIT");
	bool hip = true;

	if (argc == 4 && !strcmp(argv[1], "--same"))
		return result_same(argv[2], argv[3], TOLERANCE) ? 0 : 1;
	if (argc > 4 && !strcmp(argv[1], "--compare"))
		return compare_results(argv[2], argv[3], argv + 4, argc - 4, SIM_TOLERANCE) ? 0 : 1;
	if (argc > 1 && !strcmp(argv[1], "--raw")) {
		hip = false;
		argv++;
		argc--;
	}
	if (argc > 2 && !strcmp(argv[1], "--commit")) {
		commit = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3 || argc - 2 > REPORT_PROFILES)
		return usage();
	return report(argv + 1, argc - 2, argv[argc - 1], commit ? commit : "unknown", hip);
}
