// SPDX-License-Identifier: MIT
/* The table and the verdict. */
#include <math.h>
#include <stdio.h>

#include "report.h"

#define NATIVE_MIN	5.0	/* native shows the problem */
#define RUN_AGAIN_MAX	100.0	/* ms; the kernel releases all when it is killed */
#define INTERRUPTS_MIN	100	/* kernels of HIP programs, under hpf */

static void print_row(const char *name, const struct stats_mode *s, double p99_alone)
{
	printf("  %-7s %8.2f %8.2f %8.2f %7.2fx %7.2f   %6.2f %9.1f", name, s->hi_ms.p50,
	       s->hi_ms.p99, s->hi_ms.mean, s->hi_ms.p99 / p99_alone, s->hi_rps, s->lo_iter_s,
	       s->lo_images_s);
	if (s->switch_us.count)
		printf("   %6zu %8.1f %8.1f %8.1f %8.1f\n", s->switch_us.count, s->quiet_us.p50,
		       s->quiet_us.p99, s->switch_us.p50, s->switch_us.p99);
	else
		printf("   %6s %8s %8s %8s %8s\n", "-", "-", "-", "-", "-");
}

/* What HIP programs ran on. */
static void print_stack(const struct raw *raw)
{
	const struct raw_hip *hip = raw->hip;

	printf("  HIP %s, ROCr %s, hipcc %s; %s, XCCs: %s, profile %s; Linux %s\n",
	       raw_hip_version(hip, "hip"), raw_hip_version(hip, "rocr"),
	       raw_hip_version(hip, "hipcc"), raw_hip_text(hip, "gfx"),
	       raw_profile_text(raw, "xccs"), raw_profile_text(raw, "name"),
	       raw_hip_text(hip, "kernel"));
}

void table_print(const struct raw *raw, const struct stats *stats)
{
	double p99 = stats->modes[RAW_ALONE].hi_ms.p99;
	const struct spin_account *a;
	int i;

	printf("\n  Two %s on one GPU (guest time)\n", raw->hip ? "HIP programs" : "models");
	if (raw->hip)
		print_stack(raw);
	printf("\n");
	printf("  %-7s %-44s   %-16s   %s\n", "", "high priority: latency from arrival, ms",
	       "low priority", "preemptions: call to quiet, and to return, us");
	printf("  %-7s %8s %8s %8s %8s %7s   %6s %9s   %6s %8s %8s %8s %8s\n", "mode", "P50", "P99",
	       "mean", "P99/al.", "req/s", "iter/s", "images/s", "count", "quiet50", "quiet99",
	       "return50", "return99");
	for (i = 0; i < RAW_MODES; i++)
		print_row(raw->modes[i].name, &stats->modes[i], p99);
	printf("\n  dispatches: %-7s %10s %10s %6s %11s %13s %12s\n", "mode", "submitted", "executed",
	       "lost", "duplicated", "out of order", "wave saves");
	for (i = 0; i < RAW_MODES; i++) {
		a = &stats->modes[i].account;
		printf("              %-7s %10llu %10llu %6llu %11llu %13llu %12llu\n",
		       raw->modes[i].name, (unsigned long long)a->submitted,
		       (unsigned long long)a->executed, (unsigned long long)a->lost,
		       (unsigned long long)a->duplicated, (unsigned long long)a->out_of_order,
		       (unsigned long long)a->saved);
	}
	printf("\n  high priority alone keeps the GPU busy %.1f %% of the time\n\n",
	       stats->modes[RAW_ALONE].hi_busy * 100);
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

static void print_limits(const struct stats *stats)
{
	struct limit_row rows[LIMITS];
	int i;

	limits_judge(stats, rows);
	printf("  limits of the design; one that is missed is no failure\n");
	for (i = 0; i < LIMITS; i++)
		printf("  %-4s %-58s %s\n", rows[i].ok ? "yes" : "no", rows[i].what, rows[i].why);
	printf("\n");
}

bool table_verdict(const struct raw *raw, const struct stats *stats)
{
	const struct stats_mode *s;
	uint64_t wrong = 0;
	bool ok;
	int i;

	print_limits(stats);
	for (i = 0; i < RAW_MODES; i++) {
		s = &stats->modes[i];
		wrong += s->account.lost + s->account.duplicated + s->account.out_of_order;
		if (!spin_account_clean(&s->account))
			wrong++;
	}
	ok = criterion(stats->native_p99_ratio >= NATIVE_MIN,
		       "native: high P99 over alone shows the problem", stats->native_p99_ratio,
		       "at least 5");
	ok &= criterion(stats->modes[RAW_HPF].switch_us.count > 0, "hpf: preemptions",
			(double)stats->modes[RAW_HPF].switch_us.count, "some");
	ok &= criterion(!wrong, "dispatches lost, duplicated or out of order", (double)wrong,
			"none, in all modes");
	ok &= criterion(stats->kills && stats->run_again_ms <= RUN_AGAIN_MAX,
			"xschedd killed while it holds: low runs again after, ms",
			stats->run_again_ms, "at most 100");
	if (raw->hip)
		ok &= hip_verdict(raw->hip, stats);
	printf("\n");
	return ok;
}
