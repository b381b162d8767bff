// SPDX-License-Identifier: MIT
/*
 * Every policy on the GPU model against its textbook result. A switch takes some
 * tens of microseconds here, so the results are met within a few percent.
 */
#include <math.h>

#include "bench.h"

#define HEAD(policy)	"[scenario]\nname = t\nprofile = mi308x\n[mode m]\npolicy = " policy "\n"
/* One kernel that fills the GPU once. */
#define FULL(count, ms)	"kernels = " #count " of 640 workgroups, 4 waves, " #ms " ms\n"

static struct mode_figures *start(struct bench *b, const char *text)
{
	const char *wrong = bench_text(b, text);

	if (wrong)
		fail_msg("%s", wrong);
	return bench_run(b, "m");
}

/* Part of the GPU a group had: kernels of @kernel_ms, @count a request. */
static double part(struct bench *b, const struct mode_figures *f, const char *group,
		   double request_ms)
{
	return bench_group(b, f, group)->iter_s * request_ms / 1000;
}

/*
 * HPF is a queue with preemptive priorities. Of class k (Cobham; deterministic
 * service s): s/(1-a) + R/((1-a)(1-b)), a and b the load of the classes above
 * without and with its own, R half the sum of rate times s squared.
 */
static void test_hpf(void **state)
{
	static const char text[] = HEAD("hpf")
		"[process high]\npriority = 1\n" FULL(1, 20) "arrival = poisson 15\n"
		"requests = 40000\n"
		"[process low]\n" FULL(1, 40) "arrival = poisson 10\nuntil = high\n";
	double s1 = 20, s2 = 40, a = 0.3, b2 = 0.7;
	double high = s1 + 0.015 * s1 * s1 / 2 / (1 - a);
	double low = s2 / (1 - a) +
		(0.015 * s1 * s1 + 0.01 * s2 * s2) / 2 / ((1 - a) * (1 - b2));
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_near(bench_group(&b, f, "high")->latency_ms.mean, high, 3);
	assert_near(bench_group(&b, f, "low")->latency_ms.mean, low, 4);
	bench_free(&b);
}

/* HHPF: a pipeline on one GPU stops the low one on the other, too; HPF does not. */
static void test_hhpf(void **state)
{
	static const char text[] = "[scenario]\nname = t\nprofile = mi308x\ngpus = 2\n"
		"[mode m]\npolicy = hhpf\n[mode hpf]\npolicy = hpf\n"
		"[process high]\npriority = 1\nnodes = 0\n" FULL(50, 1) "arrival = periodic 10\n"
		"duration = 4 s\n"
		"[process low]\nnodes = 1\n" FULL(5, 1) "until = high\n";
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_near(part(&b, f, "low", 5), 0.5, 4);
	f = bench_run(&b, "hpf");
	assert_near(part(&b, f, "low", 5), 1, 3);
	bench_free(&b);
}

/* CHPF and AWF: the other has no effect on the favoured one. */
static void check_favoured(const char *policy, const char *line)
{
	struct mode_figures *f;
	char text[1024];
	double alone;
	struct bench b;

	snprintf(text, sizeof(text), HEAD("%s")
		 "[process a]\n%s\n" FULL(5, 0.5) "arrival = periodic 50\nduration = 4 s\n"
		 "[process b]\nduration = 4 s\n" FULL(5, 4), policy, line);
	assert_null(bench_text(&b, text));
	f = bench_run_only(&b, "m", "a");
	alone = bench_group(&b, f, "a")->latency_ms.p99;
	f = bench_run(&b, "m");
	assert_true(bench_group(&b, f, "a")->latency_ms.p99 < alone * 1.1);
	/* and the other has what it leaves, once it is seen to be idle: settle time, looks, counts */
	assert_near(part(&b, f, "b", 20), 1 - 50 * (2.5 + 0.9) / 1000, 2);
	bench_free(&b);
}

static void test_chpf(void **state)
{
	(void)state;
	check_favoured("chpf", "nice = -5\npriority = -100");
}

static void test_awf(void **state)
{
	(void)state;
	check_favoured("awf", "window = yes\npriority = -100");
}

#define SHARING	\
	"[process a]\nshare = 60\nduration = 4 s\n" FULL(10, 0.2) \
	"[process b]\nshare = 30\nduration = 4 s\n" FULL(5, 1) \
	"[process c]\nshare = 10\nduration = 4 s\n" FULL(1, 8)

/* UP, PUP: the shares, whatever the kernels are like. */
static void check_shares(const char *text)
{
	struct mode_figures *f;
	double a, b2, c, sum;
	struct bench b;

	f = start(&b, text);
	a = part(&b, f, "a", 2);
	b2 = part(&b, f, "b", 5);
	c = part(&b, f, "c", 8);
	sum = a + b2 + c;
	assert_near(a / sum, 0.6, 3);
	assert_near(b2 / sum, 0.3, 3);
	assert_near(c / sum, 0.1, 5);
	/* switching costs little */
	assert_true(sum > 0.93);
	bench_free(&b);
}

static void test_up(void **state)
{
	(void)state;
	check_shares(HEAD("up") "option = up.slice_us 20000\n" SHARING);
}

static void test_pup(void **state)
{
	(void)state;
	check_shares(HEAD("pup") SHARING);
}

/* CFS: time by weight, a fifth more with each priority. */
static void test_cfs(void **state)
{
	static const char text[] = HEAD("cfs")
		"[process a]\npriority = 4\nduration = 4 s\n" FULL(10, 0.2)
		"[process b]\nduration = 4 s\n" FULL(2, 4);
	double weight = 1.2 * 1.2 * 1.2 * 1.2, a, b2;
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	a = part(&b, f, "a", 2);
	b2 = part(&b, f, "b", 8);
	assert_near(a / (a + b2), weight / (1 + weight), 3);
	bench_free(&b);
}

/*
 * Liu and Layland: 20 of every 50 ms and 40 of every 70 ms are 0.97 of the GPU.
 * Deadlines first meets all; the shorter period first, by fixed priority, misses.
 */
static void test_kedf(void **state)
{
	static const char text[] = "[scenario]\nname = t\nprofile = mi308x\n"
		"[mode m]\npolicy = kedf\n[mode fixed]\npolicy = hpf\n"
		"[process a]\npriority = 1\ndeadline = 50 ms\n" FULL(20, 0.98)
		"arrival = periodic 20\nduration = 7 s\ndepth = 4\n"
		"[process b]\ndeadline = 70 ms\n" FULL(40, 0.98)
		"arrival = periodic 14.2857142857\nduration = 7 s\ndepth = 4\n";
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_int_equal(bench_group(&b, f, "a")->missed, 0);
	assert_int_equal(bench_group(&b, f, "b")->missed, 0);
	f = bench_run(&b, "fixed");
	assert_int_equal(bench_group(&b, f, "a")->missed, 0);
	assert_true(bench_group(&b, f, "b")->missed > 10);
	bench_free(&b);
}

/* LAX: a request waits for its laxity, and then runs at once. */
static void test_lax(void **state)
{
	static const char text[] = HEAD("lax")
		"[process a]\nlaxity = 10 ms, lax -5, critical 5\n" FULL(4, 1)
		"arrival = periodic 20\nduration = 4 s\n"
		"[process b]\nduration = 4 s\n" FULL(10, 2);
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_near(bench_group(&b, f, "a")->latency_ms.p50, 14, 4);
	assert_near(bench_group(&b, f, "a")->latency_ms.p99, 14, 8);
	bench_free(&b);
}

/* MLFQ: without hints, close to the effect of a priority for the short ones. */
static void test_mlfq(void **state)
{
	static const char text[] = "[scenario]\nname = t\nprofile = mi308x\n"
		"[mode m]\npolicy = mlfq\n[mode told]\npolicy = hpf\n[mode none]\npolicy = none\n"
		"[process short]\npriority = 1\n" FULL(3, 0.5) "arrival = poisson 40\n"
		"duration = 10 s\n"
		"[process long]\ncount = 2\n" FULL(20, 2) "until = short\n";
	double found, told, none;
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	found = bench_group(&b, f, "short")->latency_ms.mean;
	f = bench_run(&b, "told");
	told = bench_group(&b, f, "short")->latency_ms.mean;
	f = bench_run(&b, "none");
	none = bench_group(&b, f, "short")->latency_ms.mean;
	assert_true(found < 1.2 * told);
	assert_true(none > 2 * found);
	bench_free(&b);
}

/* A learned period: the GPU is free when the request comes, not a switch later. */
static void test_pre_preempt(void **state)
{
	static const char text[] = "[scenario]\nname = t\nprofile = mi308x\n"
		"[mode m]\npolicy = hpf\noption = pre_preempt_us 400\n[mode late]\npolicy = hpf\n"
		"[process high]\npriority = 1\nperiod = learned\n" FULL(1, 1)
		"arrival = periodic 50\nduration = 4 s\n"
		"[process low]\n" FULL(10, 2) "until = high\n";
	struct mode_figures *f;
	double alone, early, late;
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, text));
	f = bench_run_only(&b, "m", "high");
	alone = bench_group(&b, f, "high")->latency_ms.p50;
	f = bench_run(&b, "m");
	early = bench_group(&b, f, "high")->latency_ms.p50;
	f = bench_run(&b, "late");
	late = bench_group(&b, f, "high")->latency_ms.p50;
	assert_near(early, alone, 1);
	assert_true(late > early + 0.05);
	bench_free(&b);
}

/*
 * High works 4 of 10 ms, low in its pauses: from settle_us after high's work on, and
 * from min_hold_us after it was held on. Of 20 ms the one leaves nothing, as high
 * always comes first; the other a pause of three.
 */
static void test_pauses(void **state)
{
	static const struct {
		const char *mode;
		double part;
	} cases[] = {
		{ "m", 0.55 }, { "settle", 0.25 }, { "least", 0.55 },
		{ "settles", 0 }, { "longer", 0.2 }, { "longest", 0.2 },
	};
	static const char text[] = HEAD("hpf")
		"[mode settle]\npolicy = hpf\noption = settle_us 3000\n"
		"[mode settles]\npolicy = hpf\noption = settle_us 20000\n"
		"[mode least]\npolicy = hpf\noption = min_hold_us 3000\n"
		"[mode longer]\npolicy = hpf\noption = min_hold_us 8000\n"
		"[mode longest]\npolicy = hpf\noption = min_hold_us 20000\n"
		"[process high]\npriority = 1\n" FULL(4, 1) "arrival = periodic 100\nduration = 2 s\n"
		"[process low]\n" FULL(1, 1) "until = high\n";
	struct bench b;

	(void)state;
	assert_null(bench_text(&b, text));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double got = part(&b, bench_run(&b, cases[i].mode), "low", 1);

		if (got < cases[i].part - 0.05 || got > cases[i].part + 0.05)
			fail_msg("%s: %.3f of the GPU, not %.2f", cases[i].mode, got,
				 cases[i].part);
	}
	bench_free(&b);
}

/* The floor: a hundredth by HPF, a tenth with a floor of ten percent. */
static void test_floor(void **state)
{
	static const char text[] = HEAD("hpf") "option = floor_percent 10\n"
		"[mode bare]\npolicy = hpf\n"
		"[process high]\npriority = 1\nduration = 4 s\n" FULL(5, 1)
		"[process low]\nduration = 4 s\n" FULL(1, 1);
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_near(part(&b, f, "high", 5), 0.9, 4);
	/* the low one goes on when the high one has ended */
	assert_true(bench_group(&b, f, "low")->rps > 80);
	f = bench_run(&b, "bare");
	assert_near(part(&b, f, "high", 5), 1, 2);
	bench_free(&b);
}

/* Gangs or not: held on the other node, too, or only where the high one is. */
static void test_gang_option(void **state)
{
	static const char text[] = "[scenario]\nname = t\nprofile = mi308x\ngpus = 2\n"
		"[mode m]\npolicy = hpf\n[mode apart]\npolicy = hpf\noption = gang 0\n"
		"[process high]\npriority = 1\nnodes = 0\n" FULL(5, 1) "duration = 2 s\n"
		"[process low]\nqueues = 2\nspread = queues\n" FULL(5, 1) "until = high\n";
	struct mode_figures *f;
	struct bench b;

	(void)state;
	f = start(&b, text);
	assert_true(part(&b, f, "low", 5) < 0.05);
	assert_true(part(&b, f, "high", 5) > 0.97);
	f = bench_run(&b, "apart");
	assert_near(part(&b, f, "low", 5), 1, 5);
	assert_true(part(&b, f, "high", 5) > 0.97);
	bench_free(&b);
}

/*
 * More queues than slots, idle ones first in the firmware's list, which begins anew
 * with each turn: whose turn it is runs nevertheless, and all of the GPU is used.
 */
static void test_idle_queues(void **state)
{
	static const char *const modes[] = { "m", "mlfq", "up", "pup", NULL };
	static const char text[] = HEAD("cfs")
		"[mode mlfq]\npolicy = mlfq\n[mode up]\npolicy = up\n[mode pup]\npolicy = pup\n"
		"[process idle]\ncount = 60\n" FULL(1, 1) "arrival = periodic 1\nrequests = 1\n"
		"[process busy]\ncount = 2\n" FULL(5, 2) "start = 100 ms\nduration = 2 s\n";
	const char *wrong;
	struct bench b;
	u32 i;

	(void)state;
	wrong = bench_text(&b, text);
	assert_null(wrong);
	for (i = 0; modes[i]; i++) {
		assert_near(part(&b, bench_run(&b, modes[i]), "busy", 10), 1, 15);
		assert_near(bench_fairness(&b, modes[i], "busy"), 1, 2);
	}
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hpf),
		cmocka_unit_test(test_hhpf),
		cmocka_unit_test(test_chpf),
		cmocka_unit_test(test_awf),
		cmocka_unit_test(test_up),
		cmocka_unit_test(test_pup),
		cmocka_unit_test(test_cfs),
		cmocka_unit_test(test_kedf),
		cmocka_unit_test(test_lax),
		cmocka_unit_test(test_mlfq),
		cmocka_unit_test(test_pre_preempt),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_gang_option),
		cmocka_unit_test(test_idle_queues),
	};

	return RUN(tests);
}
