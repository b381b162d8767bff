// SPDX-License-Identifier: MIT
/*
 * Policies that share time (UP, PUP, CFS, MLFQ): shares, fairness, levels, and
 * that nobody starves. Switches take no time here, so the figures are exact to
 * a turn.
 */
#include "walk.h"

#define MS	1000000ULL
#define SECOND	1000000000ULL
#define STEPS	2000
#define SEEDS	6

/* Processes 0..@n-1, each with work on all nodes from now on. */
static void begin_busy(struct walk *w, const char *policy, int n)
{
	walk_begin(w, policy, 1, 1);
	for (int i = 0; i < n; i++) {
		walk_add(w, i, 1);
		walk_ready(w, i, 1);
	}
	walk_plan(w);
}

static void assert_between(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low || value > high)
		fail_msg("%llu is not within %llu..%llu",
			 (unsigned long long)value, (unsigned long long)low,
			 (unsigned long long)high);
}

/* ---- all ---------------------------------------------------------------- */

/* On each node one runs, unless a gang waits; nobody is held without one. */
static void walk_random(const char *policy, int nodes, uint64_t seed)
{
	struct walk w;

	walk_begin(&w, policy, nodes, seed);
	for (int i = 0; i < STEPS; i++) {
		for (unsigned int n = 1 + walk_roll(&w, 4); n; n--)
			walk_something(&w);
		walk_plan(&w);
		walk_conserving(&w);
		for (int n = 0; n < nodes; n++)
			assert_true(walk_running(&w, n) <= 1);
		walk_until(&w, w.now + 1 + walk_roll(&w, 8000000));
		walk_conserving(&w);
	}
	assert_true(w.holds > STEPS / 100);
	/* A plan at least every 100 us, and no storm of them. */
	assert_true(w.plans < 100 * STEPS);
	walk_end(&w);
}

static void one_runs(void **state)
{
	static const char *const policies[] = { "up", "pup", "cfs", "mlfq" };

	(void)state;
	for (int p = 0; p < 4; p++)
		for (int seed = 1; seed <= SEEDS; seed++)
			walk_random(policies[p], 1 + seed % WALK_NODES, seed);
}

/* With work all the time everybody runs, gangs of any shape among them. */
static void nobody_starves(void **state)
{
	static const char *const policies[] = { "up", "pup", "cfs", "mlfq" };
	struct walk w;

	(void)state;
	for (int p = 0; p < 4; p++) {
		for (int seed = 1; seed <= SEEDS; seed++) {
			walk_begin(&w, policies[p], WALK_NODES, seed);
			for (int i = 0; i < WALK_TENANTS; i++) {
				walk_add(&w, i, 1 + walk_roll(&w, 15));
				walk_hint(&w, i, XSCHED_HINT_UTILIZATION, 10);
				walk_ready(&w, i, 15);
			}
			walk_plan(&w);
			walk_until(&w, w.now + 2 * SECOND);
			for (int i = 0; i < WALK_TENANTS; i++)
				assert_true(w.walkers[i].ran > 20 * MS);
			walk_end(&w);
		}
	}
}

/* Nobody waits: nothing is to be looked at. */
static void alone_needs_no_plan(void **state)
{
	static const char *const policies[] = { "up", "pup", "cfs", "mlfq" };
	struct walk w;

	(void)state;
	for (int p = 0; p < 4; p++) {
		begin_busy(&w, policies[p], 1);
		assert_true(w.deadline == XSCHED_NO_DEADLINE);
		walk_ready(&w, 0, 0);
		walk_plan(&w);
		assert_true(w.deadline == XSCHED_NO_DEADLINE);
		walk_end(&w);
	}
}

/* ---- UP, PUP ------------------------------------------------------------ */

static void check_shares(struct walk *w, const int *shares, int n,
			 uint64_t round)
{
	uint64_t passed = 3 * SECOND, sum = 0;
	uint64_t end = w->now + passed;

	for (int i = 0; i < n; i++)
		sum += shares[i];
	walk_until(w, end);
	for (int i = 0; i < n; i++)
		assert_between(w->walkers[i].ran + round,
			       passed * shares[i] / sum,
			       passed * shares[i] / sum + 2 * round);
}

static void up_shares(void **state)
{
	static const int shares[] = { 50, 30, 20 };
	struct walk w;

	(void)state;
	begin_busy(&w, "up", 3);
	for (int i = 0; i < 3; i++)
		walk_hint(&w, i, XSCHED_HINT_UTILIZATION, shares[i]);
	check_shares(&w, shares, 3, 5 * MS);
	walk_end(&w);
}

/* A tenant without a share runs only where none with a share has work. */
static void up_without_share(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "up", 3);
	walk_hint(&w, 0, XSCHED_HINT_UTILIZATION, 1);
	walk_hint(&w, 1, XSCHED_HINT_UTILIZATION, 0);
	/* All began without one: the turn it has may be another's. */
	walk_until(&w, w.now + 20 * MS);
	w.walkers[1].ran = w.walkers[2].ran = 0;
	walk_until(&w, w.now + 100 * MS);
	assert_true(w.walkers[1].ran + w.walkers[2].ran == 0);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + 100 * MS);
	assert_between(w.walkers[1].ran, 45 * MS, 55 * MS);
	assert_between(w.walkers[2].ran, 45 * MS, 55 * MS);
	walk_end(&w);
}

static void pup_shares(void **state)
{
	/* Without a hint the share is 100. */
	static const int shares[] = { 100, 50, 25 };
	struct walk w;

	(void)state;
	begin_busy(&w, "pup", 3);
	walk_hint(&w, 1, XSCHED_HINT_UTILIZATION, 50);
	walk_hint(&w, 2, XSCHED_HINT_UTILIZATION, 25);
	check_shares(&w, shares, 3, 15 * MS);
	walk_end(&w);
}

/* How long process 0 runs at a stretch, with work from now on beside another. */
static uint64_t stretch(struct walk *w)
{
	uint64_t before = w->walkers[0].ran;
	uint64_t end = w->now + SECOND;

	walk_ready(w, 0, 1);
	walk_plan(w);
	while (w->walkers[0].held && w->now < end)
		walk_until(w, w->deadline);
	before = w->walkers[0].ran;
	while (!w->walkers[0].held && w->now < end)
		walk_until(w, w->deadline);
	return w->walkers[0].ran - before;
}

/* PUP keeps what could not be used, but not without end; UP does not. */
static void kept_time(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "pup", 3);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + 3 * SECOND);
	/* Its share is 5 ms; kept: at most a tenfold, see policy_pup.c. */
	assert_between(stretch(&w), 15 * MS, 56 * MS);
	walk_end(&w);

	begin_busy(&w, "up", 3);
	for (int i = 0; i < 3; i++)
		walk_hint(&w, i, XSCHED_HINT_UTILIZATION, 20);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + 3 * SECOND);
	assert_between(stretch(&w), 5 * MS / 3 - 1, 5 * MS / 3 + 1);
	walk_end(&w);
}

/* PUP: also what is left of a turn that was begun. */
static void kept_rest(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "pup", 2);
	while (w.walkers[0].held)
		walk_until(&w, w.deadline);
	walk_until(&w, w.deadline);
	while (w.walkers[0].held)
		walk_until(&w, w.deadline);
	walk_until(&w, w.now + MS);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	/* One turn, and 4 of 5 ms of the one before. */
	assert_between(stretch(&w), 9 * MS - 1, 9 * MS + 1);
	walk_end(&w);
}

/* ---- CFS ---------------------------------------------------------------- */

/* Time in proportion to weight, which is a fifth more with each priority. */
static void cfs_weights(void **state)
{
	static const int priorities[] = { 0, 1, -3, 4 };
	double total = 0, weight[4], each;
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 4);
	for (int i = 0; i < 4; i++) {
		walk_priority(&w, i, priorities[i]);
		weight[i] = 1;
		for (int n = 0; n < abs(priorities[i]); n++)
			weight[i] *= priorities[i] < 0 ? 1 / 1.2 : 1.2;
		total += weight[i];
	}
	walk_until(&w, w.now + 3 * SECOND);
	for (int i = 0; i < 4; i++) {
		each = 3 * (double)SECOND * weight[i] / total;
		assert_between(w.walkers[i].ran, each - 4 * MS, each + 4 * MS);
	}
	walk_end(&w);
}

/* Vruntimes of tenants that always have work stay close, at every moment. */
static void cfs_fair_at_every_moment(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 5);
	for (int n = 0; n < 2000; n++) {
		uint64_t least = UINT64_MAX, most = 0;

		walk_until(&w, w.now + 1 + walk_roll(&w, 3000000));
		for (int i = 0; i < 5; i++) {
			uint64_t ran = w.walkers[i].ran;

			least = ran < least ? ran : least;
			most = ran > most ? ran : most;
		}
		/* Two ticks and what is left of one. */
		assert_true(most - least <= 3 * MS);
	}
	walk_end(&w);
}

/* A tenant that slept gets a tick less than the others, and no more than that. */
static void cfs_sleeper(void **state)
{
	uint64_t before;
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 2);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + 5 * SECOND);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	before = w.walkers[1].ran;
	walk_until(&w, w.now + 20 * MS);
	assert_between(w.walkers[1].ran - before, 8 * MS, 12 * MS);
	walk_end(&w);
}

/* A tenant that ran alone does not have to make up for it afterwards. */
static void cfs_alone(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 1);
	walk_until(&w, w.now + 5 * SECOND);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_add(&w, 1, 1);
	walk_ready(&w, 1, 1);
	walk_plan(&w);
	walk_until(&w, w.now + 10 * MS);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	w.walkers[0].ran = 0;
	walk_until(&w, w.now + 40 * MS);
	assert_between(w.walkers[0].ran, 18 * MS, 22 * MS);
	walk_end(&w);
}

/* Short pauses of a tenant of low weight do not add to its part. */
static void cfs_pauses(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 2);
	walk_priority(&w, 0, -12);
	for (int n = 0; n < 5000; n++) {
		walk_until(&w, w.now + 200000);
		walk_ready(&w, 0, 0);
		walk_plan(&w);
		walk_ready(&w, 0, 1);
		walk_plan(&w);
	}
	/* Its weight is a ninth of the other's. */
	assert_between(w.walkers[0].ran, 80 * MS, 130 * MS);
	walk_end(&w);
}

/* A newcomer begins beside the others: it neither waits nor makes up leeway. */
static void cfs_newcomer(void **state)
{
	uint64_t before;
	struct walk w;

	(void)state;
	begin_busy(&w, "cfs", 2);
	walk_until(&w, w.now + 5 * SECOND);
	before = w.walkers[1].ran;
	walk_add(&w, 2, 1);
	walk_ready(&w, 2, 1);
	walk_plan(&w);
	walk_until(&w, w.now + 60 * MS);
	assert_between(w.walkers[2].ran, 18 * MS, 22 * MS);
	assert_between(w.walkers[1].ran - before, 17 * MS, 23 * MS);
	walk_end(&w);
}

/* ---- MLFQ --------------------------------------------------------------- */

/* A newcomer comes first through all levels: 10, 20 and 40 ms. Then they share. */
static void mlfq_levels(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "mlfq", 1);
	walk_option(&w, "mlfq.recovery_us", 60000000);
	walk_until(&w, w.now + 500 * MS);
	walk_add(&w, 1, 1);
	walk_ready(&w, 1, 1);
	walk_plan(&w);
	assert_true(w.walkers[0].held);
	walk_until(&w, w.now + 69 * MS);
	assert_true(w.walkers[0].held);
	assert_true(w.walkers[1].ran == 69 * MS);
	walk_until(&w, w.now + 2 * MS);
	assert_true(w.walkers[1].held);
	w.walkers[0].ran = w.walkers[1].ran = 0;
	walk_until(&w, w.now + SECOND);
	assert_between(w.walkers[0].ran, 460 * MS, 540 * MS);
	walk_end(&w);
}

/* A tenant that needs little never waits, without any hint. */
static void mlfq_interactive(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "mlfq", 3);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + SECOND);
	for (int n = 0; n < 200; n++) {
		walk_ready(&w, 0, 1);
		walk_plan(&w);
		assert_false(w.walkers[0].held);
		walk_until(&w, w.now + 2 * MS);
		assert_false(w.walkers[0].held);
		walk_ready(&w, 0, 0);
		walk_plan(&w);
		walk_until(&w, w.now + 28 * MS);
	}
	walk_end(&w);
}

/* Those below rise again: newcomers one after the other do not starve them. */
static void mlfq_recovery(void **state)
{
	struct walk w;

	(void)state;
	begin_busy(&w, "mlfq", 1);
	walk_until(&w, w.now + 200 * MS);
	w.walkers[0].ran = 0;
	for (int n = 0; n < 1000; n++) {
		int i = 1 + n % 3;

		if (w.walkers[i].exists)
			walk_exit(&w, i);
		walk_add(&w, i, 1);
		walk_ready(&w, i, 1);
		walk_plan(&w);
		walk_until(&w, w.now + 9 * MS);
	}
	/* 9 s, in which there was always a new tenant. */
	assert_true(w.walkers[0].ran > 30 * MS);
	walk_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_runs),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(alone_needs_no_plan),
		cmocka_unit_test(up_shares),
		cmocka_unit_test(up_without_share),
		cmocka_unit_test(pup_shares),
		cmocka_unit_test(kept_time),
		cmocka_unit_test(kept_rest),
		cmocka_unit_test(cfs_weights),
		cmocka_unit_test(cfs_fair_at_every_moment),
		cmocka_unit_test(cfs_sleeper),
		cmocka_unit_test(cfs_newcomer),
		cmocka_unit_test(cfs_alone),
		cmocka_unit_test(cfs_pauses),
		cmocka_unit_test(mlfq_levels),
		cmocka_unit_test(mlfq_interactive),
		cmocka_unit_test(mlfq_recovery),
	};

	return RUN(tests);
}
