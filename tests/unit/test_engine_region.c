// SPDX-License-Identifier: MIT
/*
 * The engine decides anew only where something changed: what comes out must be
 * what a decision about everything would have been. So two engines get the
 * same random events; one of them is made to decide about everything each time.
 */
#include <stdlib.h>

#include "unit.h"

#include <xsched/engine.h>

#define PROCESSES	12
#define NODES		8
#define STEPS		400
#define SEEDS		40

/**
 * struct pair - two engines with the same events
 * @lazy: as it is
 * @full: made to look at everything
 * @queues: queue of each process on each node, 0: none
 * @next_id: of queues
 * @now: time
 * @random: state of the dice
 * @planned: changes in all plans
 */
struct pair {
	struct xsched_engine *lazy;
	struct xsched_engine *full;
	uint64_t queues[PROCESSES][NODES];
	uint64_t next_id;
	uint64_t now;
	uint64_t random;
	size_t planned;
};

static unsigned int roll(struct pair *p, unsigned int below)
{
	p->random = p->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (p->random >> 33) % below;
}

/* Say it to both; they must answer the same. No dice in the arguments. */
#define TELL(pair, call, ...) do {					\
	int lazy_ = call((pair)->lazy, __VA_ARGS__);			\
									\
	assert_int_equal(lazy_, call((pair)->full, __VA_ARGS__));	\
} while (0)

static void begin(struct pair *p, const char *policy, bool gang, int seed)
{
	*p = (struct pair){ .random = seed, .now = 1000000000, .next_id = 1 };
	assert_int_equal(xsched_engine_new(&p->lazy, policy, NULL, NULL), 0);
	assert_int_equal(xsched_engine_new(&p->full, policy, NULL, NULL), 0);
	TELL(p, xsched_engine_set_option, "gang", gang);
	TELL(p, xsched_engine_set_option, "settle_us", 100 * (seed % 3));
	TELL(p, xsched_engine_set_option, "min_hold_us", 150 * (seed % 2));
	TELL(p, xsched_engine_set_option, "floor_percent", seed % 4 ? 0 : 20);
	TELL(p, xsched_engine_set_option, "floor_window_us", 2000);
}

static void end(struct pair *p)
{
	xsched_engine_free(p->lazy);
	xsched_engine_free(p->full);
}

static void add_or_remove(struct pair *p, int i, int node)
{
	uint64_t *id = &p->queues[i][node];

	if (*id) {
		TELL(p, xsched_engine_queue_del, *id);
		*id = 0;
		return;
	}
	*id = p->next_id++;
	TELL(p, xsched_engine_queue_add, *id, i + 1, node + 1);
}

static void exit_process(struct pair *p, int i)
{
	TELL(p, xsched_engine_process_exit, i + 1);
	for (int node = 0; node < NODES; node++)
		p->queues[i][node] = 0;
}

static void reset_node(struct pair *p)
{
	struct kfd_xsched_event event = {
		.type = KFD_XSCHED_EVENT_NODE_RESET, .data = 1,
	};

	TELL(p, xsched_engine_event, &event);
}

/* Something happens. Mostly, queues get work or lose it. */
static void happen(struct pair *p)
{
	int i = roll(p, PROCESSES), node = roll(p, NODES), n = roll(p, 9);
	uint64_t group = n % 3;

	switch (roll(p, 24)) {
	case 0: case 1:
		add_or_remove(p, i, node);
		break;
	case 2:
		TELL(p, xsched_engine_set_priority, i + 1, n % 5 - 2);
		break;
	case 3:
		TELL(p, xsched_engine_set_manual, i + 1, n < 2);
		break;
	case 4:
		TELL(p, xsched_engine_set_exempt, i + 1, n < 2);
		break;
	case 5:
		TELL(p, xsched_engine_set_hint, i + 1, XSCHED_HINT_NICE, n - 4);
		TELL(p, xsched_engine_set_hint, i + 1, XSCHED_HINT_DEADLINE_NS, n * 100000);
		TELL(p, xsched_engine_set_hint, i + 1, XSCHED_HINT_WINDOW_ACTIVE, n % 2);
		TELL(p, xsched_engine_set_hint, i + 1, XSCHED_HINT_LAXITY_NS, n * 100000);
		TELL(p, xsched_engine_set_hint, i + 1, XSCHED_HINT_CRIT_PRIORITY, n);
		break;
	case 6:
		TELL(p, xsched_engine_set_group, i + 1, group);
		break;
	case 7:
		if (!roll(p, 4))
			exit_process(p, i);
		break;
	case 8:
		if (!roll(p, 4))
			reset_node(p);
		break;
	case 9:
		TELL(p, xsched_engine_set_demoted, i + 1, n < 3);
		break;
	default:
		TELL(p, xsched_engine_queue_ready_at, p->queues[i][node], n % 2,
		     p->now);
		break;
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The same numbers, in whatever order. */
static void same(struct pair *p, const char *what, size_t n, const uint64_t *a, size_t m,
		 const uint64_t *b)
{
	uint64_t x[n + 1], y[m + 1];

	if (n != m)
		fail_msg("%s: %zu instead of %zu", what, n, m);
	memcpy(x, a, n * sizeof(*x));
	memcpy(y, b, m * sizeof(*y));
	qsort(x, n, sizeof(*x), by_value);
	qsort(y, m, sizeof(*y), by_value);
	assert_memory_equal(x, y, n * sizeof(*x));
	p->planned += n;
}

static void same_pids(struct pair *p, const char *what, size_t n, const int32_t *a, size_t m,
		      const int32_t *b)
{
	uint64_t x[n + 1], y[m + 1];

	for (size_t i = 0; i < n; i++)
		x[i] = a[i];
	for (size_t i = 0; i < m; i++)
		y[i] = b[i];
	same(p, what, n, x, m, y);
}

/* Of the switches that were on their way, some are done. */
static void land(struct pair *p)
{
	for (int pid = 1; pid <= PROCESSES; pid++)
		if (xsched_engine_is_switching(p->lazy, pid) && roll(p, 2))
			TELL(p, xsched_engine_commit, pid, XSCHED_HELD, p->now);
}

/* Some of what was planned is done, some is on its way, some fails, some is lost. */
static void commit(struct pair *p, const struct xsched_plan *plan)
{
	static const int outcome[] = { XSCHED_HELD, XSCHED_HELD, XSCHED_SWITCHING, XSCHED_UNCERTAIN, -1 };

	for (size_t i = 0; i < plan->hold_count; i++) {
		int state = outcome[roll(p, 5)];

		if (state >= 0)
			TELL(p, xsched_engine_commit, plan->hold[i], state, p->now);
	}
	for (size_t i = 0; i < plan->release_count; i++)
		if (roll(p, 5))
			TELL(p, xsched_engine_commit, plan->release[i], XSCHED_RELEASED, p->now);
	for (size_t i = 0; i < plan->hold_queue_count; i++)
		if (roll(p, 5))
			TELL(p, xsched_engine_commit_queue, plan->hold_queues[i], XSCHED_HELD,
			     p->now);
	for (size_t i = 0; i < plan->release_queue_count; i++)
		if (roll(p, 5))
			TELL(p, xsched_engine_commit_queue, plan->release_queues[i],
			     XSCHED_RELEASED, p->now);
}

static void plan_both(struct pair *p)
{
	struct xsched_plan a, b;
	int64_t settle;

	/* To set an option may change anything: all is looked at. */
	assert_int_equal(xsched_engine_option(p->full, "settle_us", &settle), 0);
	assert_int_equal(xsched_engine_set_option(p->full, "settle_us", settle), 0);
	xsched_engine_plan(p->lazy, p->now, &a);
	xsched_engine_plan(p->full, p->now, &b);
	same_pids(p, "hold", a.hold_count, a.hold, b.hold_count, b.hold);
	same_pids(p, "release", a.release_count, a.release, b.release_count, b.release);
	same(p, "hold_queues", a.hold_queue_count, a.hold_queues, b.hold_queue_count,
	     b.hold_queues);
	same(p, "release_queues", a.release_queue_count, a.release_queues,
	     b.release_queue_count, b.release_queues);
	/* To look again once too often does no harm. */
	assert_true(a.deadline_ns <= b.deadline_ns);
	commit(p, &a);
}

static size_t walk_pair(const char *policy, bool gang, int seed)
{
	struct pair p;

	begin(&p, policy, gang, seed);
	for (int i = 0; i < PROCESSES; i++)
		for (int node = 0; node < NODES; node++)
			if (!roll(&p, 5))
				add_or_remove(&p, i, node);
	for (int i = 0; i < STEPS; i++) {
		for (int n = roll(&p, 4); n > 0; n--)
			happen(&p);
		p.now += 50000 * roll(&p, 4);
		land(&p);
		plan_both(&p);
	}
	end(&p);
	return p.planned;
}

/* Policies whose decision depends on what there is, not on when they looked. */
static const char *const policies[] = { "hpf", "hhpf", "chpf", "kedf", "lax", "awf" };

static void with_gangs(void **state)
{
	size_t planned = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		for (int seed = 1; seed <= SEEDS; seed++)
			planned += walk_pair(policies[i], true, seed);
	assert_true(planned > 1000);
}

static void without_gangs(void **state)
{
	size_t planned = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		for (int seed = 1; seed <= SEEDS; seed++)
			planned += walk_pair(policies[i], false, seed);
	assert_true(planned > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_gangs),
		cmocka_unit_test(without_gangs),
	};

	return RUN(tests);
}
