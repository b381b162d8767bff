// SPDX-License-Identifier: MIT
/* Costs that no profile must have, where only xsched-sim and the software GPU charge them. */
#include "bench.h"

static const char text[] =
	"[scenario]\n"
	"name = costs\n"
	"profile = mi308x\n"
	"[mode hpf]\n"
	"policy = hpf\n"
	"[process hi]\n"
	"priority = 1\n"
	"kernels = 4 of 160 workgroups, 4 waves, 100 us\n"
	"arrival = periodic 50\n"
	"requests = 100\n"
	"[process lo]\n"
	"kernels = 4 of 1280 workgroups, 4 waves, 1 ms\n"
	"arrival = closed\n"
	"duration = 3 s\n"
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
	some = held_s(&b, "register_ns", 10000);
	assert_near((some - none) / 100, 2 * count * 10000 / 1e9, 15);
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
		cmocka_unit_test(test_interrupts),
	};

	return RUN(tests);
}
