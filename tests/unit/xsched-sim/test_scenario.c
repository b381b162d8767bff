// SPDX-License-Identifier: MIT
/* The scenarios of tests/bench/scenarios against what a textbook says of them. */
#include "bench.h"

/* M/D/1, by Pollaczek and Khinchine: 2 ms of service at 0.6 take 3.5 ms. */
static void test_queueing(void **state)
{
	struct bench b;
	struct mode_figures *f;

	(void)state;
	bench_load(&b, "queueing.scn", NULL);
	f = bench_run(&b, "none");
	assert_near(f->groups[0].busy, 0.6, 1);
	assert_near(f->groups[0].latency_ms.mean, 3.5, 2);
	bench_free(&b);
}

/* The same at 0.3: 2 + 0.3 * 2 / (2 * 0.7) ms. */
static void test_queueing_light(void **state)
{
	static const char *const edits[] = { "poisson 300", "poisson 150", NULL };
	struct bench b;
	struct mode_figures *f;

	(void)state;
	bench_load(&b, "queueing.scn", edits);
	f = bench_run(&b, "none");
	assert_near(f->groups[0].latency_ms.mean, 2 + 0.3 * 2 / 1.4, 2);
	bench_free(&b);
}

/* 20 processes on 13 VMIDs: round robin, nearly for free. */
static void test_vmids(void **state)
{
	struct bench b;
	struct mode_figures *f;
	double turns;

	(void)state;
	bench_load(&b, "vmids.scn", NULL);
	f = bench_run(&b, "none");
	assert_true(bench_fairness(&b, "none", "tenant") > 0.995);
	/* 5 kernels of 1 ms: 200 a second if rotating cost nothing */
	assert_near(f->groups[0].rps, 200, 3);
	turns = (double)f->end_ns / (double)b.scn.profile.process_quantum_ns;
	assert_near((double)f->turns.process_turns, turns, 5);
	assert_int_equal(f->turns.queue_turns, 0);
	assert_true(f->gpu.saves > 0);
	bench_free(&b);
}

/* 13 fit: nothing is rotated, nothing saved. One of the four pipes has four of them, the others three. */
static void test_vmids_fit(void **state)
{
	static const char *const edits[] = { "count = 20", "count = 13", NULL };
	struct bench b;
	struct mode_figures *f;

	(void)state;
	bench_load(&b, "vmids.scn", edits);
	f = bench_run(&b, "none");
	assert_int_equal(f->turns.process_turns, 0);
	assert_int_equal(f->gpu.preemptions, 0);
	assert_near(bench_fairness(&b, "none", "tenant"), 1 / (13 * (4 / 256. + 9 / 144.)), 0.5);
	bench_free(&b);
}

/* 41 queues of a process on 24 slots: rotated by the queue quantum. */
static void test_slots(void **state)
{
	struct bench b;
	struct mode_figures *f;

	(void)state;
	bench_load(&b, "slots.scn", NULL);
	f = bench_run(&b, "none");
	assert_true(bench_fairness(&b, "none", "tenant") > 0.99);
	assert_near(f->groups[0].rps, 200, 3);
	assert_int_equal(f->turns.process_turns, 0);
	/* a quantum begins when the last restore has ended: at most one a millisecond */
	assert_true(f->turns.queue_turns > 1000);
	assert_true(f->turns.queue_turns < f->end_ns / b.scn.profile.queue_quantum_ns);
	bench_free(&b);
}

static void test_slots_fit(void **state)
{
	static const char *const edits[] = { "queues = 41", "queues = 24", NULL };
	struct bench b;
	struct mode_figures *f;

	(void)state;
	bench_load(&b, "slots.scn", edits);
	f = bench_run(&b, "none");
	assert_int_equal(f->turns.queue_turns, 0);
	assert_int_equal(f->gpu.preemptions, 0);
	bench_free(&b);
}

/* A grace that is long enough saves nothing, and takes its time. */
static void test_grace(void **state)
{
	struct mode_figures *suspend, *grace;
	struct bench b;

	(void)state;
	bench_load(&b, "grace.scn", NULL);
	suspend = bench_run(&b, "suspend");
	grace = bench_run(&b, "grace");
	assert_true(suspend->gpu.saves >= 200);
	assert_int_equal(grace->gpu.saves, 0);
	assert_int_equal(grace->gpu.bytes, 0);
	assert_true(grace->switch_us.p50 > suspend->switch_us.p50 + 10);
	assert_true(grace->switch_us.p99 > suspend->switch_us.p99 + 60);
	assert_true(grace->switch_us.max < suspend->switch_us.max + 120);
	bench_free(&b);
}

/* Workgroups longer than the grace are saved when it ends. */
static void test_short_grace(void **state)
{
	static const char *const edits[] = { "60 us\n", "5 ms\n", NULL };
	struct mode_figures *suspend, *grace;
	struct bench b;

	(void)state;
	bench_load(&b, "grace.scn", edits);
	suspend = bench_run(&b, "suspend");
	grace = bench_run(&b, "grace");
	assert_true(grace->gpu.saves >= 200);
	assert_true(grace->switch_us.p50 > suspend->switch_us.p50 + 80);
	assert_true(grace->switch_us.p50 < suspend->switch_us.p50 + 110);
	bench_free(&b);
}

/* HPF: the highest does not notice the others, and they get what it leaves. */
static void test_levels(void **state)
{
	struct mode_figures *f;
	double alone, p99, middle;
	struct bench b;

	(void)state;
	bench_load(&b, "levels.scn", NULL);
	f = bench_run_only(&b, "native", "high");
	alone = bench_group(&b, f, "high")->latency_ms.p99;
	f = bench_run(&b, "native");
	assert_true(bench_group(&b, f, "high")->latency_ms.p99 > 5 * alone);
	middle = bench_group(&b, f, "middle")->latency_ms.p50;
	f = bench_run(&b, "hpf");
	p99 = bench_group(&b, f, "high")->latency_ms.p99;
	assert_true(p99 < alone + 0.1);	/* the switches */
	assert_true(bench_group(&b, f, "middle")->latency_ms.p50 < middle / 3);
	assert_int_equal(bench_group(&b, f, "high")->holds, 0);
	assert_true(bench_group(&b, f, "middle")->preemptions > 10);
	assert_true(bench_group(&b, f, "low")->held_s > bench_group(&b, f, "middle")->held_s);
	assert_true(bench_group(&b, f, "low")->iter_s > 0.8 * 8 * (1 - 0.075));
	bench_free(&b);
}

/* Armed switches do without the daemon, and so without what it takes to react. */
static void test_armed(void **state)
{
	struct mode_figures *hpf, *armed;
	struct bench b;

	(void)state;
	bench_load(&b, "levels.scn", NULL);
	hpf = bench_run(&b, "hpf");
	armed = bench_run(&b, "armed");
	assert_near(hpf->reaction_us.p50 - armed->reaction_us.p50, (double)b.scn.costs.react / 1000, 1);
	assert_true(bench_group(&b, armed, "high")->latency_ms.mean <
		    bench_group(&b, hpf, "high")->latency_ms.mean - 0.004);
	bench_free(&b);
}

/* A gang is held on all its nodes or on none; others not in the way run. */
static void test_gang(void **state)
{
	/* its own costs, so that the limit of a switch hangs on no measurement */
	static const char *const edits[] = {
		"[mode hpf]",
		"[host]\napply = 11 us\nback = 8.6 us\nunmap = 8.4 us\nmap = 4.8 us\n\n[mode hpf]",
		NULL
	};
	struct mode_figures *f;
	struct daemon *d;
	struct bench b;
	u32 i;

	(void)state;
	bench_load(&b, "gang.scn", edits);
	f = bench_run(&b, "hpf");
	assert_int_equal(bench_group(&b, f, "job")->holds, 100);
	assert_int_equal(bench_group(&b, f, "neighbour")->holds, 0);
	assert_int_equal(bench_group(&b, f, "serving")->holds, 0);
	d = &bench_world(&b, "hpf")->daemon;
	assert_int_equal(d->switch_count, 200);
	for (i = 0; i < d->switch_count; i++) {
		assert_int_equal(d->switches[i].nodes, 4);
		assert_int_equal(d->switches[i].flips, 4);
		/* 30 us of each node at the same time, 22 us besides */
		assert_true(d->switches[i].end - d->switches[i].begin < 60000);
	}
	bench_free(&b);
}

/* The demonstration. scripts/check/compare-sim holds its figures against the guest's. */
static void test_two_models(void **state)
{
	struct mode_figures *f;
	double alone, busy, lo;
	struct bench b;

	(void)state;
	bench_load(&b, "two-models.scn", NULL);
	f = bench_run_only(&b, "alone", "hi");
	alone = bench_group(&b, f, "hi")->latency_ms.p99;
	busy = bench_group(&b, f, "hi")->busy;
	/* 68 kernels of 21 us, and 2 us for each packet */
	assert_near(bench_group(&b, f, "hi")->latency_ms.p50, 68 * 0.023 + 0.08, 1);
	f = bench_run_only(&b, "alone", "lo");
	lo = bench_group(&b, f, "lo")->iter_s;
	assert_near(lo, 2, 1);
	f = bench_run(&b, "native");
	assert_true(bench_group(&b, f, "hi")->latency_ms.p99 > 5 * alone);
	f = bench_run(&b, "hpf");
	assert_true(bench_group(&b, f, "hi")->latency_ms.p99 < 1.05 * alone);
	assert_true(bench_group(&b, f, "lo")->iter_s > 0.95 * (1 - busy) * lo);
	bench_free(&b);
}

/* 64 nodes, 512 processes, 4096 queues, for as long as a test may take. */
static void test_scale(void **state)
{
	static const char *const edits[] = { "duration = 200 ms", "duration = 30 ms", NULL };
	struct xsched_tenant t;
	struct mode_figures *f;
	struct world *w;
	struct bench b;
	u64 queues = 0;
	u32 i;

	(void)state;
	bench_load(&b, "scale.scn", edits);
	f = bench_run(&b, "hpf");
	w = bench_world(&b, "hpf");
	assert_int_equal(b.scn.nodes, 64);
	assert_int_equal(xsched_engine_tenants(w->daemon.engine), 512);
	for (i = 0; i < 512; i++) {
		assert_int_equal(xsched_engine_tenant(w->daemon.engine, (s32)i + 1, 0, &t), 0);
		queues += t.queues;
	}
	assert_int_equal(queues, 4096);
	assert_true(f->calls > 0);
	/* 32 queues of serving or 16 of training, and 40 of batch */
	for (i = 0; i < 64; i++)
		assert_int_equal(w->nodes[i].count, i < 32 ? 72 : 56);
	bench_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queueing),
		cmocka_unit_test(test_queueing_light),
		cmocka_unit_test(test_vmids),
		cmocka_unit_test(test_vmids_fit),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_slots_fit),
		cmocka_unit_test(test_grace),
		cmocka_unit_test(test_short_grace),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_armed),
		cmocka_unit_test(test_gang),
		cmocka_unit_test(test_two_models),
		cmocka_unit_test(test_scale),
	};

	return RUN(tests);
}
