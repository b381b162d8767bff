// SPDX-License-Identifier: MIT
/* Costs that no profile must have, where only xsched-sim and the software GPU charge them. */
#include "bench.h"

#define HIGH_AND_LOW						\
	"[scenario]\n"						\
	"name = costs\n"					\
	"profile = mi308x\n"					\
	"[mode hpf]\n"						\
	"policy = hpf\n"					\
	"[process hi]\n"					\
	"priority = 1\n"					\
	"kernels = 4 of 160 workgroups, 4 waves, 100 us\n"	\
	"arrival = periodic 50\n"				\
	"requests = 100\n"					\
	"[process lo]\n"

static const char text[] =
	HIGH_AND_LOW
	"kernels = 4 of 1280 workgroups, 4 waves, 1 ms\n"
	"arrival = closed\n"
	"duration = 3 s\n"
	"until = hi\n";

/* None waits while it runs, and it is preempted again and again. */
static const char one_kernel[] =
	HIGH_AND_LOW
	"kernels = 1 of 640 workgroups, 4 waves, 30 ms\n"
	"arrival = periodic 25\n"
	"until = hi\n";

/* Figures of the scenario with a parameter of the profile. */
static struct mode_figures *run_with(struct bench *b, const char *name, u64 value)
{
	const char *why = bench_text(b, text);

	if (why)
		fail_msg("%s", why);
	assert_true(sim_parameter_set(&b->scn.profile, sim_parameter_find(name), value));
	return bench_run(b, "hpf");
}

static double held_s(struct bench *b, const char *name, u64 value)
{
	double s = bench_group(b, run_with(b, name, value), "lo")->held_s;

	bench_free(b);
	return s;
}

/* By how much longer a count takes than until the next look, which would use it in any case. */
static double late_s(u32 accesses)
{
	const u64 took = accesses * 5000ULL, sample = costs_default.sample;

	return (double)(took / sample * sample) / 1e9;
}

/*
 * The end of each request is seen later by what two counts take: when the queue is found
 * to be dry, and when it has settled. Two queues, of which one is held, on 4 XCCs.
 */
static void test_registers(void **state)
{
	const u32 count = 4 * (3 + 4 * (2 + 2));
	struct bench b;
	double none, some;

	(void)state;
	none = held_s(&b, "register_ns", 0);
	some = held_s(&b, "register_ns", 5000);
	assert_near((some - none) / 100, 2 * late_s(count), 5);
}

/* Counts take a tenth of the time at most: where they take long, who has no work is seen late. */
static void test_share(void **state)
{
	struct bench b;

	(void)state;
	assert_true(held_s(&b, "register_ns", 20000) > 10 * held_s(&b, "register_ns", 1000));
}

/*
 * Waves on their way back are waited for; that they are seen shows how long it takes, to
 * about a millisecond, as long as one rests after each count. Twice that is allowed for.
 */
static void test_restore(void **state)
{
	struct bench b;
	u64 ns;

	(void)state;
	assert_null(bench_text(&b, one_kernel));
	assert_true(sim_parameter_set(&b.scn.profile, sim_parameter_find("restore_ns"), 4000000));
	bench_run(&b, "hpf");
	ns = bench_world(&b, "hpf")->nodes[0].restore_ns;
	bench_free(&b);
	assert_in_range(ns, 2 * 4000000, 2 * 5200000);
}

static double latency_ms(struct bench *b, const char *name, u64 value)
{
	double ms = bench_group(b, run_with(b, name, value), "hi")->latency_ms.p50;

	bench_free(b);
	return ms;
}

/* A program that waits for a completion hears of it when the interrupt arrives. */
static void test_interrupts(void **state)
{
	struct bench b;
	double none, some;

	(void)state;
	none = latency_ms(&b, "interrupt_ns", 0);
	some = latency_ms(&b, "interrupt_ns", 50000);
	assert_near(some - none, 0.05, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_interrupts),
	};

	return RUN(tests);
}
