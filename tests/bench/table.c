// SPDX-License-Identifier: MIT
/* The table and the verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

#define RUN_AGAIN_MAX	100.0	/* ms; the kernel releases all when it is killed */
#define INTERRUPTS_MIN	100	/* kernels of HIP programs, under hpf */

/* What to believe a profile for; of others nothing is known here. */
static const struct {
	const char *profile;
	const char *what;
} believe[] = {
	{ "mi308x-field", "what a host may see: a switch costs what a practitioner states" },
	{ "mi308x", "what our software costs: a switch costs the GPU the least it could" },
};

static void print_profile(const char *profile)
{
	const char *what = "";
	size_t i;

	for (i = 0; i < sizeof(believe) / sizeof(believe[0]); i++)
		if (!strcmp(profile, believe[i].profile))
			what = believe[i].what;
	printf("  %s%s%s\n", profile, *what ? ": " : "", what);
}

static void print_row(const char *name, const struct stats_mode *s, const struct stats_mode *alone)
{
	printf("  %-7s %7.2f %7.2f %6.2fx %6.2fx  %7.2f %7.2f  %6.2f %8.1f %5.1f%% %5.1f%%", name, s->hi_ms.p50,
	       s->hi_ms.p95, s->hi_ms.p50 / alone->hi_ms.p50, s->hi_ms.p95 / alone->hi_ms.p95,
	       s->hi_service_ms.p50, s->hi_service_ms.p95, s->lo_iter_s, s->lo_images_s, s->lo_of_alone * 100,
	       s->lo_of_left * 100);
	if (s->switch_us.count)
		printf("  %5zu %7.1f %7.1f %7.1f %7.1f\n", s->switch_us.count, s->quiet_us.p50,
		       s->quiet_us.p95, s->switch_us.p50, s->switch_us.p95);
	else
		printf("  %5s %7s %7s %7s %7s\n", "-", "-", "-", "-", "-");
}

static void print_rows(const struct report *r)
{
	int i;

	printf("  %-7s %-31s  %-15s  %-29s  %s\n", "", "high, arrival to answer, ms", "its service, ms", "low",
	       "preemptions: to quiet, to return, us");
	printf("  %-7s %7s %7s %7s %7s  %7s %7s  %6s %8s %6s %6s  %5s %7s %7s %7s %7s\n", "mode", "P50", "P95",
	       "P50/al.", "P95/al.", "P50", "P95", "iter/s", "images/s", "alone", "left", "count", "P50", "P95",
	       "P50", "P95");
	for (i = 0; i < RAW_MODES; i++)
		print_row(r->raw.modes[i].name, &r->stats.modes[i], &r->stats.modes[RAW_ALONE]);
}

/* What HIP programs ran on. */
static void print_stack(const struct raw *raw)
{
	const struct raw_hip *hip = raw->hip;

	printf("  HIP %s, ROCr %s, hipcc %s; %s, XCCs: %s; Linux %s\n", raw_hip_version(hip, "hip"),
	       raw_hip_version(hip, "rocr"), raw_hip_version(hip, "hipcc"), raw_hip_text(hip, "gfx"),
	       raw_profile_text(raw, "xccs"), raw_hip_text(hip, "kernel"));
}

static void print_dispatches(const struct report *r)
{
	const struct spin_account *a;
	int i;

	for (i = 0; i < RAW_MODES; i++) {
		a = &r->stats.modes[i].account;
		printf("  %-12s %-7s %10llu %10llu %6llu %11llu %13llu %12llu\n", r->profile, r->raw.modes[i].name,
		       (unsigned long long)a->submitted, (unsigned long long)a->executed,
		       (unsigned long long)a->lost, (unsigned long long)a->duplicated,
		       (unsigned long long)a->out_of_order, (unsigned long long)a->saved);
	}
}

void table_print(const struct report *reports, int count)
{
	int i;

	printf("\n  Two %s on one GPU (guest time)\n", reports->raw.hip ? "HIP programs" : "models");
	if (reports->raw.hip)
		print_stack(&reports->raw);
	for (i = 0; i < count; i++) {
		printf("\n");
		print_profile(reports[i].profile);
		print_rows(&reports[i]);
		printf("  high alone keeps the GPU busy %.1f %% of the time\n",
		       reports[i].stats.modes[RAW_ALONE].hi_busy * 100);
	}
	printf("\n  %-20s %10s %10s %6s %11s %13s %12s\n", "dispatches", "submitted", "executed", "lost", "duplicated",
	       "out of order", "wave saves");
	for (i = 0; i < count; i++)
		print_dispatches(&reports[i]);
	printf("\n");
}

static bool criterion(bool ok, const char *what, double value, const char *want)
{
	printf("  %-4s %-58s %7.2f  (%s)\n", ok ? "ok" : "MISS", what, value, want);
	return ok;
}

/* Of HIP programs: what they computed, and what it cost them. */
static bool hip_verdict(const struct raw_hip *hip, const struct stats *stats)
{
	uint64_t n = hip->saves[RAW_HPF];
	double more;
	bool ok;

	ok = criterion(stats->words && !stats->wrong, "words of results that are wrong",
		       (double)stats->wrong, "none, in all modes");
	ok &= criterion(n >= INTERRUPTS_MIN, "hpf: kernels interrupted half-way", (double)n,
			"at least 100");
	more = (double)hip->on / (double)hip->off - 1;
	ok &= criterion(fabs(more) <= REPORT_PATHS, "user-space instructions of a launch under xschedd, more",
			more, "0.04 at most, more or less: launches differ");
	return ok;
}

static void print_limits(const struct report *r)
{
	struct limit_row rows[LIMITS];
	int n = limits_judge(r, rows), i;

	for (i = 0; i < n; i++)
		printf("  %-4s %-12s %-47s %s\n", rows[i].ok ? "yes" : "no", r->profile, rows[i].what, rows[i].why);
}

static bool verdict(const struct report *r)
{
	const struct stats *stats = &r->stats;
	const struct stats_mode *s;
	uint64_t wrong = 0;
	bool ok;
	int i;

	for (i = 0; i < RAW_MODES; i++) {
		s = &stats->modes[i];
		wrong += s->account.lost + s->account.duplicated + s->account.out_of_order;
		if (!spin_account_clean(&s->account))
			wrong++;
	}
	printf("  %s\n", r->profile);
	ok = criterion(stats->modes[RAW_HPF].switch_us.count > 0, "hpf: preemptions",
		       (double)stats->modes[RAW_HPF].switch_us.count, "some");
	ok &= criterion(!wrong, "dispatches lost, duplicated or out of order", (double)wrong,
			"none, in all modes");
	ok &= criterion(stats->kills && stats->run_again_ms <= RUN_AGAIN_MAX,
			"xschedd killed while it holds: low runs again after, ms",
			stats->run_again_ms, "at most 100");
	if (r->raw.hip)
		ok &= hip_verdict(r->raw.hip, stats);
	return ok;
}

bool table_verdict(const struct report *reports, int count)
{
	size_t n = reports->raw.modes[RAW_HPF].hi.count;
	bool ok = true;
	int i;

	printf("  limits of the design, P99s of %zu requests; one that is missed is no failure\n", n);
	for (i = 0; i < count; i++)
		print_limits(&reports[i]);
	printf("\n");
	for (i = 0; i < count; i++)
		ok &= verdict(&reports[i]);
	printf("\n");
	return ok;
}
