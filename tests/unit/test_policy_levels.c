// SPDX-License-Identifier: MIT
/*
 * Policies that rank all tenants at any moment (HHPF, CHPF, LAX, AWF, KEDF)
 * on random sequences of events: after every plan the holds are compared with
 * what the rule, written down once more and naively, says.
 */
#include "walk.h"

#define STEPS	3000
#define SEEDS	6

static int64_t hint_of(const struct walker *p, enum xsched_hint hint,
		       int64_t otherwise)
{
	return p->hint[hint] == XSCHED_HINT_UNSET ? otherwise : p->hint[hint];
}

/* What each policy compares: more comes first. */
typedef int64_t (*merit_fn)(const struct walk *w, const struct walker *p);

static int64_t by_nice(const struct walk *w, const struct walker *p)
{
	(void)w;
	return -hint_of(p, XSCHED_HINT_NICE, 0);
}

static int64_t by_window(const struct walk *w, const struct walker *p)
{
	(void)w;
	return hint_of(p, XSCHED_HINT_WINDOW_ACTIVE, 0);
}

static int64_t by_laxity(const struct walk *w, const struct walker *p)
{
	int64_t lax = hint_of(p, XSCHED_HINT_LAXITY_NS, INT64_MIN);

	if (lax == INT64_MIN)
		return p->priority;
	if (!p->ready || p->manual ||
	    (lax >= 0 && w->now < p->since + (uint64_t)lax))
		return hint_of(p, XSCHED_HINT_LAX_PRIORITY, p->priority);
	return hint_of(p, XSCHED_HINT_CRIT_PRIORITY, p->priority);
}

/* Held: on one of its nodes a tenant of more merit has work and is not held. */
static void check_merit(const struct walk *w, merit_fn merit)
{
	for (int i = 0; i < WALK_TENANTS; i++) {
		const struct walker *p = &w->walkers[i];
		bool outranked = false;

		if (!p->exists)
			continue;
		for (int j = 0; j < WALK_TENANTS; j++) {
			const struct walker *o = &w->walkers[j];

			outranked |= walk_counts(w, j) && !o->held &&
				     (o->ready & p->nodes) &&
				     merit(w, o) > merit(w, p);
		}
		assert_int_equal(p->held, p->manual || outranked);
	}
}

static void check_chpf(const struct walk *w)
{
	check_merit(w, by_nice);
}

static void check_awf(const struct walk *w)
{
	check_merit(w, by_window);
}

static void check_lax(const struct walk *w)
{
	check_merit(w, by_laxity);
}

/* Held: anywhere, a tenant of higher priority has work. */
static void check_hhpf(const struct walk *w)
{
	int highest = INT32_MIN;

	for (int i = 0; i < WALK_TENANTS; i++)
		if (walk_counts(w, i) && w->walkers[i].priority > highest)
			highest = w->walkers[i].priority;
	for (int i = 0; i < WALK_TENANTS; i++) {
		const struct walker *p = &w->walkers[i];

		if (p->exists)
			assert_int_equal(p->held, p->manual ||
					 p->priority < highest);
	}
}

static bool is_before(const struct walker *a, const struct walker *b)
{
	int64_t x = hint_of(a, XSCHED_HINT_DEADLINE_NS, -1);
	int64_t y = hint_of(b, XSCHED_HINT_DEADLINE_NS, -1);

	if (x >= 0 && y >= 0 && a->since + x != b->since + y)
		return a->since + x < b->since + y;
	if ((x < 0) != (y < 0))
		return x >= 0;
	if (x < 0 && a->since != b->since)
		return a->since < b->since;
	return a < b;
}

/* The one that comes first of those not looked at yet, or -1. */
static int pick(const struct walk *w, const bool *seen)
{
	int best = -1;

	for (int i = 0; i < WALK_TENANTS; i++)
		if (walk_counts(w, i) && !seen[i] &&
		    (best < 0 || is_before(&w->walkers[i], &w->walkers[best])))
			best = i;
	return best;
}

/* One after the other, by deadline, as long as there is room. */
static void check_kedf(const struct walk *w)
{
	int used[WALK_NODES] = { 0 };
	bool seen[WALK_TENANTS] = { false };
	int64_t k;
	int i;

	xsched_engine_option(w->engine, "kedf.k", &k);
	while ((i = pick(w, seen)) >= 0) {
		const struct walker *p = &w->walkers[i];
		bool room = true;

		seen[i] = true;
		for (int n = 0; n < w->nodes; n++)
			room &= !(p->ready >> n & 1) || used[n] < k;
		assert_int_equal(p->held, !room);
		for (int n = 0; room && n < w->nodes; n++)
			used[n] += p->ready >> n & 1;
	}
	for (int n = 0; n < w->nodes; n++)
		assert_true(walk_running(w, n) <= k);
	walk_conserving(w);
}

static void walk_random(const char *policy, int nodes, uint64_t seed,
			void (*check)(const struct walk *w),
			const char *option, int64_t value)
{
	struct walk w;

	walk_begin(&w, policy, nodes, seed);
	if (option)
		walk_option(&w, option, value);
	for (int i = 0; i < STEPS; i++) {
		for (unsigned int n = 1 + walk_roll(&w, 4); n; n--)
			walk_something(&w);
		walk_plan(&w);
		check(&w);
		/* To the next deadline and beyond: it must have been right. */
		walk_until(&w, w.now + 1 + walk_roll(&w, 3000000));
		check(&w);
	}
	/* The walk did lead to holds, or it would show nothing. */
	assert_true(w.holds > STEPS / 100);
	walk_end(&w);
}

static void hhpf(void **state)
{
	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++)
		walk_random("hhpf", 1 + seed % WALK_NODES, seed, check_hhpf,
			    NULL, 0);
}

static void chpf(void **state)
{
	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++)
		walk_random("chpf", 1 + seed % WALK_NODES, seed, check_chpf,
			    NULL, 0);
}

static void awf(void **state)
{
	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++)
		walk_random("awf", 1 + seed % WALK_NODES, seed, check_awf,
			    NULL, 0);
}

static void lax(void **state)
{
	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++)
		walk_random("lax", 1 + seed % WALK_NODES, seed, check_lax,
			    NULL, 0);
}

static void kedf(void **state)
{
	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++)
		walk_random("kedf", 1 + seed % WALK_NODES, seed, check_kedf,
			    "kedf.k", 1 + seed % 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hhpf),
		cmocka_unit_test(chpf),
		cmocka_unit_test(awf),
		cmocka_unit_test(lax),
		cmocka_unit_test(kedf),
	};

	return RUN(tests);
}
