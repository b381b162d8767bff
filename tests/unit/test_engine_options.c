// SPDX-License-Identifier: MIT
/*
 * What holds for all policies: settling, shortest holds, the floor, expected
 * requests, groups and gangs; and the names, limits and values of options and
 * hints.
 */
#include "walk.h"

#define MS	1000000ULL
#define SECOND	1000000000ULL
#define STEPS	2000

/* High (0) has work, low (1) has, both on one node. */
static void begin_pair(struct walk *w)
{
	walk_begin(w, "hpf", 1, 1);
	walk_add(w, 0, 1);
	walk_add(w, 1, 1);
	walk_priority(w, 0, 10);
	walk_ready(w, 1, 1);
}

/* ---- settle, min_hold --------------------------------------------------- */

/* A short pause of the high one does not let the low one in. */
static void settles(void **state)
{
	struct walk w;

	(void)state;
	begin_pair(&w);
	walk_option(&w, "settle_us", 2000);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	assert_true(w.walkers[1].held);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	assert_true(w.walkers[1].held);
	assert_true(w.deadline == w.now + 2 * MS);
	walk_until(&w, w.now + MS);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	walk_until(&w, w.now + 2 * MS - 1);
	assert_true(w.walkers[1].held);
	walk_until(&w, w.now + 1);
	assert_false(w.walkers[1].held);
	assert_true(w.deadline == XSCHED_NO_DEADLINE);
	walk_end(&w);
}

/* A tenant that is held stays so for a while. */
static void holds_for_a_while(void **state)
{
	struct walk w;

	(void)state;
	begin_pair(&w);
	walk_option(&w, "min_hold_us", 5000);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	walk_until(&w, w.now + MS);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	assert_true(w.walkers[1].held);
	walk_until(&w, w.now + 4 * MS - 1);
	assert_true(w.walkers[1].held);
	walk_until(&w, w.now + 1);
	assert_false(w.walkers[1].held);
	walk_end(&w);
}

/* ---- floor -------------------------------------------------------------- */

static void check_floor(const char *policy, int percent)
{
	uint64_t begin;
	struct walk w;

	walk_begin(&w, policy, 1, 1);
	walk_option(&w, "floor_percent", percent);
	walk_option(&w, "floor_window_us", 50000);
	for (int i = 0; i < 2; i++) {
		walk_add(&w, i, 1);
		walk_priority(&w, i, i ? -5 : 200);
		walk_hint(&w, i, XSCHED_HINT_NICE, i ? 5 : -5);
		walk_hint(&w, i, XSCHED_HINT_UTILIZATION, i ? 0 : 100);
		walk_hint(&w, i, XSCHED_HINT_WINDOW_ACTIVE, !i);
		walk_hint(&w, i, XSCHED_HINT_DEADLINE_NS, i ? SECOND : 0);
		walk_ready(&w, i, 1);
	}
	walk_plan(&w);
	begin = w.now;
	while (w.now < begin + 10 * SECOND) {
		walk_until(&w, w.now + MS);
		/* For itself: not beside the other. */
		assert_int_equal(walk_running(&w, 0), 1);
	}
	if (w.walkers[1].ran + 50 * MS < 10 * SECOND * percent / 100 ||
	    w.walkers[1].ran > 10 * SECOND * percent / 100 + 50 * MS)
		fail_msg("%s, %d %%: the low one ran %llu ms of 10 s", policy,
			 percent, (unsigned long long)(w.walkers[1].ran / MS));
	walk_end(&w);
}

/* A tenant that the policy lets starve gets its percentage, and no more. */
static void gives_the_floor(void **state)
{
	static const char *const policies[] = { "hpf", "hhpf", "chpf", "awf",
						"kedf", "up", "pup" };

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		check_floor(policies[i], 0);
		check_floor(policies[i], 10);
		check_floor(policies[i], 50);
	}
}

/* A tenant held for the floor of another makes no other wait elsewhere. */
static void floor_keeps_nodes_busy(void **state)
{
	struct walk w;
	uint64_t begin;

	(void)state;
	walk_begin(&w, "hpf", 2, 1);
	walk_option(&w, "floor_percent", 20);
	walk_add(&w, 0, 3);
	walk_add(&w, 1, 1);
	walk_add(&w, 2, 2);
	walk_priority(&w, 0, 10);
	walk_ready(&w, 0, 3);
	walk_ready(&w, 1, 1);
	walk_plan(&w);
	walk_until(&w, w.now + 85 * MS);
	assert_true(w.walkers[0].held && !w.walkers[1].held);
	walk_ready(&w, 2, 2);
	walk_plan(&w);
	assert_false(w.walkers[2].held);
	for (begin = w.now; w.now < begin + SECOND;) {
		walk_until(&w, w.now + MS);
		for (int n = 0; n < 2; n++)
			assert_int_equal(walk_running(&w, n), 1);
	}
	walk_end(&w);
}

/* Under any policy and any mixture of gangs, with a floor everybody runs. */
static void nobody_starves(void **state)
{
	const char *policy;
	struct walk w;

	(void)state;
	for (size_t p = 0; (policy = xsched_policy_name(p)); p++) {
		walk_begin(&w, policy, WALK_NODES, p + 1);
		walk_option(&w, "floor_percent", 20);
		walk_option(&w, "floor_window_us", 20000);
		for (int i = 0; i < WALK_TENANTS; i++) {
			walk_add(&w, i, 1 + walk_roll(&w, 15));
			walk_priority(&w, i, walk_roll(&w, 20));
			walk_hint(&w, i, XSCHED_HINT_NICE, walk_roll(&w, 20));
			walk_ready(&w, i, 15);
		}
		walk_plan(&w);
		walk_until(&w, w.now + 5 * SECOND);
		for (int i = 0; i < WALK_TENANTS; i++)
			assert_true(w.walkers[i].ran > 3 * MS);
		walk_end(&w);
	}
}

/* ---- expected requests -------------------------------------------------- */

/* When the request comes, the GPU has been free since just before. */
static void expects_what_was_told(void **state)
{
	struct walk w;
	uint64_t at;

	(void)state;
	begin_pair(&w);
	walk_plan(&w);
	at = w.now + 10 * MS;
	walk_hint(&w, 0, XSCHED_HINT_NEXT_REQUEST_NS, at);
	walk_plan(&w);
	/* Off by default. */
	assert_true(w.deadline == XSCHED_NO_DEADLINE);
	walk_option(&w, "pre_preempt_us", 100);
	walk_plan(&w);
	assert_true(w.deadline == at - 100000);
	walk_until(&w, at - 100001);
	assert_false(w.walkers[1].held);
	walk_until(&w, at);
	assert_true(w.walkers[1].held);
	walk_ready(&w, 0, 1);
	walk_plan(&w);
	walk_until(&w, w.now + MS);
	walk_ready(&w, 0, 0);
	walk_plan(&w);
	assert_false(w.walkers[1].held);
	/* It is used up. */
	assert_true(w.deadline == XSCHED_NO_DEADLINE);
	walk_end(&w);
}

/* One that does not come is not waited for much longer. */
static void gives_up_waiting(void **state)
{
	struct walk w;
	uint64_t at;

	(void)state;
	begin_pair(&w);
	walk_option(&w, "pre_preempt_us", 100);
	at = w.now + MS;
	walk_hint(&w, 0, XSCHED_HINT_NEXT_REQUEST_NS, at);
	walk_plan(&w);
	walk_until(&w, at + 99999);
	assert_true(w.walkers[1].held);
	walk_until(&w, at + 100000);
	assert_false(w.walkers[1].held);
	assert_true(w.deadline == XSCHED_NO_DEADLINE);
	walk_end(&w);
}

/* Of @count requests, those that found the GPU free. @spread: how irregular. */
static int found_free(struct walk *w, int count, uint64_t period,
		      unsigned int spread)
{
	int free = 0;

	for (int n = 0; n < count; n++) {
		walk_until(w, w->now + period - 2 * MS - spread / 2 +
			   walk_roll(w, spread + 1));
		free += w->walkers[1].held;
		walk_ready(w, 0, 1);
		walk_plan(w);
		walk_until(w, w->now + 2 * MS);
		walk_ready(w, 0, 0);
		walk_plan(w);
	}
	return free;
}

/* A period comes from a hint, or is learned; irregular requests are not expected. */
static void expects_a_period(void **state)
{
	struct walk w;

	(void)state;
	begin_pair(&w);
	walk_option(&w, "pre_preempt_us", 200);
	walk_hint(&w, 0, XSCHED_HINT_PERIOD_NS, 20 * MS);
	walk_plan(&w);
	assert_int_equal(found_free(&w, 50, 20 * MS, 100000), 49);
	walk_hint(&w, 0, XSCHED_HINT_PERIOD_NS, XSCHED_HINT_UNSET);
	walk_plan(&w);
	assert_int_equal(found_free(&w, 50, 20 * MS, 100000), 0);
	walk_end(&w);

	begin_pair(&w);
	walk_option(&w, "pre_preempt_us", 200);
	walk_hint(&w, 0, XSCHED_HINT_PERIOD_NS, 0);
	walk_plan(&w);
	assert_true(found_free(&w, 100, 20 * MS, 100000) >= 90);
	walk_end(&w);

	begin_pair(&w);
	walk_option(&w, "pre_preempt_us", 200);
	walk_hint(&w, 0, XSCHED_HINT_PERIOD_NS, 0);
	walk_plan(&w);
	assert_true(found_free(&w, 100, 20 * MS, 35 * MS) <= 5);
	walk_end(&w);
}

/* One that stays away is expected three times, then the low one has peace. */
static void forgets_who_stays_away(void **state)
{
	unsigned long holds;
	struct walk w;

	(void)state;
	begin_pair(&w);
	walk_option(&w, "pre_preempt_us", 200);
	walk_hint(&w, 0, XSCHED_HINT_PERIOD_NS, 20 * MS);
	walk_plan(&w);
	found_free(&w, 5, 20 * MS, 0);
	holds = w.holds;
	walk_until(&w, w.now + SECOND);
	assert_int_equal(w.holds - holds, 3);
	assert_true(w.deadline == XSCHED_NO_DEADLINE);
	walk_end(&w);
}

/* ---- groups ------------------------------------------------------------- */

static void group(struct walk *w, int i, uint64_t number)
{
	assert_int_equal(xsched_engine_set_group(w->engine, i + 1, number), 0);
}

/* One is ready: all of the group are, with the priority of the highest. */
static void groups_are_one(void **state)
{
	struct walk w;

	(void)state;
	walk_begin(&w, "hpf", 2, 1);
	for (int i = 0; i < 4; i++) {
		walk_add(&w, i, i < 2 ? 1 : 2);
		walk_ready(&w, i, 3);
	}
	/* 1 is above 0 on node 0. 2 is above 3 on node 1. */
	walk_priority(&w, 1, 5);
	walk_priority(&w, 2, 9);
	walk_plan(&w);
	assert_true(w.walkers[0].held && w.walkers[3].held);
	/* 0 and 2 together: they outrank 1, and 3 still. */
	group(&w, 0, 77);
	group(&w, 2, 77);
	walk_plan(&w);
	assert_true(!w.walkers[0].held && !w.walkers[2].held);
	assert_true(w.walkers[1].held && w.walkers[3].held);
	/* 1 above that: both are held, also where 1 is not. 3 may run. */
	walk_priority(&w, 1, 20);
	walk_plan(&w);
	assert_true(w.walkers[0].held && w.walkers[2].held);
	assert_true(!w.walkers[1].held && !w.walkers[3].held);
	/* Alone again. */
	group(&w, 2, 0);
	walk_plan(&w);
	assert_true(w.walkers[0].held && w.walkers[3].held);
	assert_true(!w.walkers[1].held && !w.walkers[2].held);
	assert_int_equal(xsched_engine_set_group(w.engine, 99, 1), -ENOENT);
	walk_end(&w);
}

/* A hold by request is that of one process; the rest of its group goes on. */
static void groups_and_requests(void **state)
{
	struct walk w;

	(void)state;
	walk_begin(&w, "hpf", 1, 1);
	for (int i = 0; i < 3; i++) {
		walk_add(&w, i, 1);
		walk_ready(&w, i, 1);
	}
	walk_priority(&w, 0, 5);
	group(&w, 0, 1);
	group(&w, 1, 1);
	walk_manual(&w, 0, true);
	walk_plan(&w);
	assert_true(w.walkers[0].held && !w.walkers[1].held);
	/* The other one has work, and by the group the priority of the first. */
	assert_true(w.walkers[2].held);
	walk_ready(&w, 1, 0);
	walk_plan(&w);
	assert_false(w.walkers[2].held);
	walk_end(&w);
}

/* A hint for one holds for all; a process that leaves takes it along. */
static void groups_and_hints(void **state)
{
	struct walk w;
	int64_t value;

	(void)state;
	walk_begin(&w, "chpf", 1, 1);
	for (int i = 0; i < 3; i++) {
		walk_add(&w, i, 1);
		walk_ready(&w, i, 1);
	}
	group(&w, 0, 1);
	group(&w, 1, 1);
	walk_hint(&w, 1, XSCHED_HINT_NICE, -5);
	walk_plan(&w);
	assert_true(w.walkers[2].held && !w.walkers[0].held);
	assert_int_equal(xsched_engine_hint(w.engine, 1, XSCHED_HINT_NICE,
					    &value), 0);
	assert_int_equal(value, -5);
	walk_exit(&w, 1);
	walk_plan(&w);
	assert_true(w.walkers[2].held);
	walk_end(&w);
}

/* Groups at random, under every policy: members are held and released together. */
static void groups_at_random(void **state)
{
	int number[WALK_TENANTS];
	const char *policy;
	struct walk w;

	(void)state;
	for (size_t p = 0; (policy = xsched_policy_name(p)); p++) {
		walk_begin(&w, policy, WALK_NODES, p + 1);
		for (int n = 0; n < STEPS; n++) {
			int i = walk_roll(&w, WALK_TENANTS);
			bool was = w.walkers[i].exists;

			walk_something(&w);
			if (was && w.walkers[i].exists)
				group(&w, i, walk_roll(&w, 4));
			walk_plan(&w);
			walk_until(&w, w.now + walk_roll(&w, 3000000));
			for (int j = 0; j < WALK_TENANTS; j++) {
				struct xsched_tenant t = { 0 };

				xsched_engine_tenant(w.engine, j + 1, w.now, &t);
				number[j] = w.walkers[j].exists &&
					    !w.walkers[j].manual ? t.group : 0;
			}
			for (int j = 0; j < WALK_TENANTS; j++)
				for (int k = 0; number[j] && k < j; k++)
					if (number[k] == number[j])
						assert_int_equal(
							w.walkers[k].held,
							w.walkers[j].held);
		}
		walk_end(&w);
	}
}

/* ---- gangs -------------------------------------------------------------- */

static void commit_queues(struct xsched_engine *e, const uint64_t *ids,
			  size_t count, int state)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(xsched_engine_commit_queue(e, ids[i], state,
							    1), 0);
}

/* Process 1 on node 10, with work; 2, below it, on 10 and, with work, on 20. */
static struct xsched_engine *two_on_two_nodes(int gang)
{
	struct xsched_engine *e;

	assert_int_equal(xsched_engine_new(&e, "hpf", NULL, NULL), 0);
	assert_int_equal(xsched_engine_set_option(e, "gang", gang), 0);
	xsched_engine_queue_add(e, 1, 1, 10);
	xsched_engine_queue_add(e, 21, 2, 10);
	xsched_engine_queue_add(e, 22, 2, 20);
	xsched_engine_set_priority(e, 1, 5);
	xsched_engine_queue_ready(e, 1, true);
	xsched_engine_queue_ready(e, 22, true);
	return e;
}

/* Without gangs: XSched's reading, each node by itself; plans name queues. */
static void nodes_by_themselves(void **state)
{
	struct xsched_engine *e;
	struct xsched_plan plan;

	(void)state;
	e = two_on_two_nodes(0);
	xsched_engine_plan(e, 1, &plan);
	assert_int_equal(plan.hold_count, 0);
	assert_int_equal(plan.hold_queue_count, 1);
	assert_int_equal(plan.hold_queues[0], 21);
	commit_queues(e, plan.hold_queues, 1, XSCHED_HELD);
	xsched_engine_plan(e, 2, &plan);
	assert_int_equal(plan.hold_queue_count + plan.release_queue_count, 0);
	/* Held by request, it is held as a process; then by queue again. */
	xsched_engine_set_manual(e, 2, true);
	xsched_engine_plan(e, 3, &plan);
	assert_int_equal(plan.hold_count, 1);
	assert_int_equal(plan.hold_queue_count, 0);
	xsched_engine_commit(e, 2, XSCHED_HELD, 3);
	xsched_engine_set_manual(e, 2, false);
	xsched_engine_plan(e, 4, &plan);
	assert_int_equal(plan.release_count, 1);
	assert_true(plan.deadline_ns == 4);
	xsched_engine_commit(e, 2, XSCHED_RELEASED, 4);
	xsched_engine_plan(e, 5, &plan);
	assert_int_equal(plan.hold_queue_count, 1);
	commit_queues(e, plan.hold_queues, 1, XSCHED_HELD);
	xsched_engine_queue_ready(e, 1, false);
	xsched_engine_plan(e, 6, &plan);
	assert_int_equal(plan.release_queue_count, 1);
	assert_int_equal(plan.release_queues[0], 21);
	assert_int_equal(xsched_engine_commit_queue(e, 99, XSCHED_HELD, 0),
			 -ENOENT);
	assert_int_equal(xsched_engine_commit_queue(e, 1, 4, 0), -EINVAL);
	xsched_engine_free(e);
}

/* Node 10 is the high one's, node 20 nobody's; what it makes of process 2 is counted. */
static void held_by_queue(void **state)
{
	struct xsched_engine *e;
	struct xsched_tenant t;
	struct xsched_plan plan;

	(void)state;
	e = two_on_two_nodes(0);
	xsched_engine_plan(e, 10, &plan);
	assert_int_equal(xsched_engine_commit_queue(e, 21, XSCHED_HELD, 10), 0);
	/* A queue that comes is not born held: it is in the next plan. */
	xsched_engine_queue_add(e, 23, 2, 10);
	xsched_engine_queue_add(e, 24, 2, 20);
	xsched_engine_plan(e, 15, &plan);
	assert_int_equal(plan.hold_count, 0);
	assert_int_equal(plan.hold_queue_count, 1);
	assert_int_equal(plan.hold_queues[0], 23);
	assert_int_equal(xsched_engine_commit_queue(e, 23, XSCHED_HELD, 15), 0);
	assert_int_equal(xsched_engine_tenant(e, 2, 20, &t), 0);
	assert_int_equal(t.state, XSCHED_HELD);
	assert_true(t.by_queue);
	assert_int_equal(t.nodes, 2);
	assert_int_equal(t.held_nodes, 1);
	assert_int_equal(t.holds, 1);
	assert_int_equal(t.preemptions, 0);
	assert_int_equal(t.held_ns, 10);
	assert_int_equal(xsched_engine_node_held(e, 10, 20), 10);
	assert_int_equal(xsched_engine_node_held(e, 20, 20), 0);
	/* There it has work: a hold and a preemption more, and both nodes count. */
	assert_int_equal(xsched_engine_commit_queue(e, 22, XSCHED_HELD, 30), 0);
	xsched_engine_tenant(e, 2, 50, &t);
	assert_int_equal(t.holds, 2);
	assert_int_equal(t.preemptions, 1);
	assert_int_equal(xsched_engine_preemptions(e), 1);
	assert_int_equal(t.held_nodes, 2);
	assert_int_equal(t.held_ns, 40);
	assert_int_equal(xsched_engine_node_held(e, 10, 50), 40);
	assert_int_equal(xsched_engine_node_held(e, 20, 50), 20);
	/* It fails half-way: held until the next plan. */
	xsched_engine_commit_queue(e, 22, XSCHED_UNCERTAIN, 60);
	xsched_engine_tenant(e, 2, 70, &t);
	assert_int_equal(t.state, XSCHED_UNCERTAIN);
	assert_int_equal(xsched_engine_node_held(e, 20, 70), 40);
	for (uint64_t id = 21; id < 24; id++)
		xsched_engine_commit_queue(e, id, XSCHED_RELEASED, 80);
	xsched_engine_tenant(e, 2, 100, &t);
	assert_int_equal(t.state, XSCHED_RELEASED);
	assert_false(t.by_queue);
	assert_int_equal(t.held_ns, 70);
	assert_int_equal(xsched_engine_node_held(e, 10, 100), 70);
	assert_int_equal(xsched_engine_node_held(e, 20, 100), 50);
	xsched_engine_free(e);
}

/* With gangs or without, in the middle of it: no tenant stays held or released by mistake. */
static void gangs_come_and_go(void **state)
{
	struct xsched_engine *e;
	struct xsched_plan plan;

	(void)state;
	e = two_on_two_nodes(0);
	xsched_engine_plan(e, 1, &plan);
	commit_queues(e, plan.hold_queues, plan.hold_queue_count, XSCHED_HELD);
	/* As a process from now on; its queues are held already. */
	assert_int_equal(xsched_engine_set_option(e, "gang", 1), 0);
	xsched_engine_plan(e, 2, &plan);
	assert_int_equal(plan.hold_queue_count + plan.release_queue_count, 0);
	assert_int_equal(plan.hold_count, 1);
	assert_int_equal(plan.hold[0], 2);
	xsched_engine_commit(e, 2, XSCHED_HELD, 2);
	/* By queue: the process is released, then one queue is held. */
	assert_int_equal(xsched_engine_set_option(e, "gang", 0), 0);
	xsched_engine_plan(e, 3, &plan);
	assert_int_equal(plan.release_count, 1);
	assert_true(plan.deadline_ns == 3);
	xsched_engine_commit(e, 2, XSCHED_RELEASED, 3);
	xsched_engine_plan(e, 3, &plan);
	assert_int_equal(plan.hold_queue_count, 1);
	assert_int_equal(plan.hold_queues[0], 21);
	commit_queues(e, plan.hold_queues, 1, XSCHED_HELD);
	/* Nobody is to be held any more, and what was held by queue is not forgotten. */
	xsched_engine_queue_ready(e, 1, false);
	assert_int_equal(xsched_engine_set_option(e, "gang", 1), 0);
	xsched_engine_plan(e, 4, &plan);
	assert_int_equal(plan.release_count, 1);
	assert_int_equal(plan.release[0], 2);
	xsched_engine_commit(e, 2, XSCHED_RELEASED, 4);
	xsched_engine_plan(e, 5, &plan);
	assert_int_equal(plan.hold_count + plan.release_count, 0);
	assert_true(plan.deadline_ns == XSCHED_NO_DEADLINE);
	xsched_engine_free(e);
}

/* ---- names and limits --------------------------------------------------- */

static void options_have_limits(void **state)
{
	const struct xsched_option *option;
	struct xsched_engine *e;
	int64_t value;
	size_t i;

	(void)state;
	assert_int_equal(xsched_engine_new(&e, "hpf", NULL, NULL), 0);
	for (i = 0; (option = xsched_option_at(i)); i++) {
		assert_string_equal(xsched_option_name(i), option->name);
		assert_int_equal(xsched_engine_option(e, option->name, &value),
				 0);
		assert_true(value == option->value);
		assert_int_equal(xsched_engine_set_option(e, option->name,
							  option->min - 1),
				 -EINVAL);
		assert_int_equal(xsched_engine_set_option(e, option->name,
							  option->max + 1),
				 -EINVAL);
		xsched_engine_option(e, option->name, &value);
		assert_true(value == option->value);
		assert_int_equal(xsched_engine_set_option(e, option->name,
							  option->max), 0);
		xsched_engine_option(e, option->name, &value);
		assert_true(value == option->max);
		assert_int_equal(xsched_engine_set_option(e, option->name,
							  option->min), 0);
	}
	assert_true(i > 10);
	assert_null(xsched_option_name(i));
	assert_int_equal(xsched_engine_set_option(e, "colour", 1), -ENOENT);
	assert_int_equal(xsched_engine_set_option(e, "", 1), -ENOENT);
	assert_int_equal(xsched_engine_set_option(e, NULL, 1), -ENOENT);
	assert_int_equal(xsched_engine_option(e, "colour", &value), -ENOENT);
	xsched_engine_free(e);
}

/* An option of a policy counts from when it is set, in effect or not. */
static void options_are_kept(void **state)
{
	struct walk w;

	(void)state;
	walk_begin(&w, "hpf", 1, 1);
	walk_option(&w, "kedf.k", 2);
	for (int i = 0; i < 4; i++) {
		walk_add(&w, i, 1);
		walk_ready(&w, i, 1);
	}
	walk_plan(&w);
	assert_int_equal(walk_running(&w, 0), 4);
	assert_int_equal(xsched_engine_set_policy(w.engine, "kedf"), 0);
	walk_plan(&w);
	assert_int_equal(walk_running(&w, 0), 2);
	walk_option(&w, "kedf.k", 3);
	walk_plan(&w);
	assert_int_equal(walk_running(&w, 0), 3);
	assert_int_equal(xsched_engine_set_policy(w.engine, "hpf"), 0);
	walk_plan(&w);
	assert_int_equal(walk_running(&w, 0), 4);
	walk_end(&w);
}

static void hints_have_limits(void **state)
{
	static const int64_t limits[XSCHED_HINT_COUNT][2] = {
		{ 0, 100 }, { 100, 10000000 }, { 0, INT64_MAX },
		{ -1, INT64_MAX }, { -255, 255 }, { -255, 255 }, { -119, 19 },
		{ 0, 1 }, { 0, INT64_MAX }, { 0, 60000000000 },
	};
	struct xsched_engine *e;
	int64_t value;

	(void)state;
	assert_int_equal(xsched_engine_new(&e, "hpf", NULL, NULL), 0);
	assert_int_equal(xsched_engine_set_hint(e, 1, 0, 1), -ENOENT);
	assert_int_equal(xsched_engine_hint(e, 1, 0, &value), -ENOENT);
	xsched_engine_queue_add(e, 1, 1, 1);
	for (int h = 0; h < XSCHED_HINT_COUNT; h++) {
		assert_int_equal(xsched_hint_find(xsched_hint_name(h)), h);
		assert_int_equal(xsched_engine_set_hint(e, 1, h, limits[h][0]),
				 0);
		assert_int_equal(xsched_engine_set_hint(e, 1, h, limits[h][1]),
				 0);
		assert_int_equal(xsched_engine_set_hint(e, 1, h,
							limits[h][0] - 1),
				 -EINVAL);
		if (limits[h][1] != INT64_MAX)
			assert_int_equal(xsched_engine_set_hint(e, 1, h,
						limits[h][1] + 1), -EINVAL);
		xsched_engine_hint(e, 1, h, &value);
		assert_true(value == limits[h][1]);
		assert_int_equal(xsched_engine_set_hint(e, 1, h,
						XSCHED_HINT_UNSET), 0);
	}
	assert_int_equal(xsched_engine_set_hint(e, 1, XSCHED_HINT_COUNT, 1),
			 -EOPNOTSUPP);
	assert_int_equal(xsched_engine_set_hint(e, 1, -1, 1), -EOPNOTSUPP);
	assert_int_equal(xsched_engine_hint(e, 1, 99, &value), -EOPNOTSUPP);
	assert_null(xsched_hint_name(-1));
	assert_null(xsched_hint_name(XSCHED_HINT_COUNT));
	assert_int_equal(xsched_hint_find("colour"), -EOPNOTSUPP);
	assert_int_equal(xsched_hint_find(NULL), -EOPNOTSUPP);
	xsched_engine_free(e);
}

/* Extreme values of everything, under every policy: no overflow, no storm. */
static void survives_extremes(void **state)
{
	static const int64_t values[] = { INT64_MAX, INT64_MAX - 1, 0, 1, -1,
					  255, -255, 100, -119, 19 };
	const char *policy;
	struct walk w;

	(void)state;
	for (size_t p = 0; (policy = xsched_policy_name(p)); p++) {
		walk_begin(&w, policy, WALK_NODES, p + 3);
		walk_option(&w, "pre_preempt_us", 100000);
		walk_option(&w, "floor_percent", 50);
		for (int n = 0; n < STEPS; n++) {
			int i = walk_roll(&w, WALK_TENANTS);

			walk_something(&w);
			if (w.walkers[i].exists) {
				xsched_engine_set_hint(w.engine, i + 1,
					walk_roll(&w, XSCHED_HINT_COUNT),
					values[walk_roll(&w, 10)]);
				xsched_engine_set_priority(w.engine, i + 1,
					values[3 + walk_roll(&w, 4)]);
			}
			walk_plan(&w);
			walk_until(&w, w.now + walk_roll(&w, 3000000));
		}
		/* Time runs out of all bounds, too. */
		w.now = UINT64_MAX / 2;
		walk_plan(&w);
		walk_end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settles),
		cmocka_unit_test(holds_for_a_while),
		cmocka_unit_test(gives_the_floor),
		cmocka_unit_test(floor_keeps_nodes_busy),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(expects_what_was_told),
		cmocka_unit_test(gives_up_waiting),
		cmocka_unit_test(expects_a_period),
		cmocka_unit_test(forgets_who_stays_away),
		cmocka_unit_test(groups_are_one),
		cmocka_unit_test(groups_and_requests),
		cmocka_unit_test(groups_and_hints),
		cmocka_unit_test(groups_at_random),
		cmocka_unit_test(nodes_by_themselves),
		cmocka_unit_test(held_by_queue),
		cmocka_unit_test(gangs_come_and_go),
		cmocka_unit_test(options_have_limits),
		cmocka_unit_test(options_are_kept),
		cmocka_unit_test(hints_have_limits),
		cmocka_unit_test(survives_extremes),
	};

	return RUN(tests);
}
