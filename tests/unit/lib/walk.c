// SPDX-License-Identifier: MIT
#include "walk.h"

static int pid_of(int i)
{
	return i + 1;
}

static uint64_t queue_of(int i, int node)
{
	return i * WALK_NODES + node + 1;
}

void walk_begin(struct walk *w, const char *policy, int nodes, uint64_t seed)
{
	*w = (struct walk){
		.random = seed * 0x9e3779b97f4a7c15ULL,
		.now = 1000000000,
		.deadline = XSCHED_NO_DEADLINE,
		.nodes = nodes,
	};
	assert_int_equal(xsched_engine_new(&w->engine, policy, NULL, NULL), 0);
}

void walk_end(struct walk *w)
{
	xsched_engine_free(w->engine);
}

unsigned int walk_roll(struct walk *w, unsigned int below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (w->random >> 32) % below;
}

void walk_add(struct walk *w, int i, uint64_t nodes)
{
	struct walker *p = &w->walkers[i];

	*p = (struct walker){ .exists = true, .nodes = nodes };
	for (int h = 0; h < XSCHED_HINT_COUNT; h++)
		p->hint[h] = XSCHED_HINT_UNSET;
	for (int node = 0; node < w->nodes; node++)
		if (nodes & 1ULL << node)
			assert_true(xsched_engine_queue_add(w->engine,
				queue_of(i, node), pid_of(i), 7 * node) >= 0);
}

void walk_exit(struct walk *w, int i)
{
	w->walkers[i].exists = false;
	assert_int_equal(xsched_engine_process_exit(w->engine, pid_of(i)), 0);
}

/* It has work, or none, on each of @nodes. */
static void tell_ready(struct walk *w, int i, uint64_t nodes, bool ready)
{
	for (int node = 0; node < w->nodes; node++)
		if (nodes & 1ULL << node)
			assert_int_equal(xsched_engine_queue_ready_at(w->engine,
				queue_of(i, node), ready, w->now), 0);
}

void walk_ready(struct walk *w, int i, uint64_t ready)
{
	struct walker *p = &w->walkers[i];

	ready &= p->nodes;
	/* In this order, or it would be without work in between. */
	tell_ready(w, i, ready & ~p->ready, true);
	tell_ready(w, i, p->ready & ~ready, false);
	if (ready && !p->ready)
		p->since = w->now;
	p->ready = ready;
}

void walk_priority(struct walk *w, int i, int priority)
{
	w->walkers[i].priority = priority;
	assert_int_equal(xsched_engine_set_priority(w->engine, pid_of(i),
						    priority), 0);
}

void walk_hint(struct walk *w, int i, enum xsched_hint hint, int64_t value)
{
	w->walkers[i].hint[hint] = value;
	assert_int_equal(xsched_engine_set_hint(w->engine, pid_of(i), hint,
						value), 0);
}

void walk_manual(struct walk *w, int i, bool manual)
{
	struct walker *p = &w->walkers[i];

	/* Its work begins to count. */
	if (p->manual && !manual && p->ready)
		p->since = w->now;
	p->manual = manual;
	assert_int_equal(xsched_engine_set_manual(w->engine, pid_of(i),
						  manual), 0);
}

void walk_option(struct walk *w, const char *name, int64_t value)
{
	assert_int_equal(xsched_engine_set_option(w->engine, name, value), 0);
}

static void carry_out(struct walk *w, const struct xsched_plan *plan)
{
	for (size_t i = 0; i < plan->hold_count; i++) {
		struct walker *p = &w->walkers[plan->hold[i] - 1];

		assert_false(p->held);
		p->held = true;
		w->holds++;
		xsched_engine_commit(w->engine, plan->hold[i], XSCHED_HELD,
				     w->now);
	}
	for (size_t i = 0; i < plan->release_count; i++) {
		struct walker *p = &w->walkers[plan->release[i] - 1];

		assert_true(p->held);
		p->held = false;
		xsched_engine_commit(w->engine, plan->release[i],
				     XSCHED_RELEASED, w->now);
	}
}

void walk_plan(struct walk *w)
{
	struct xsched_plan plan;

	w->plans++;
	xsched_engine_plan(w->engine, w->now, &plan);
	carry_out(w, &plan);
	xsched_engine_plan(w->engine, w->now, &plan);
	assert_int_equal(plan.hold_count, 0);
	assert_int_equal(plan.release_count, 0);
	/* Or the daemon would spin. */
	assert_true(plan.deadline_ns > w->now);
	w->deadline = plan.deadline_ns;
}

static void pass(struct walk *w, uint64_t until)
{
	for (int i = 0; i < WALK_TENANTS; i++) {
		struct walker *p = &w->walkers[i];

		if (p->exists && p->ready && !p->held)
			p->ran += until - w->now;
	}
	w->now = until;
}

void walk_until(struct walk *w, uint64_t until)
{
	while (w->deadline <= until) {
		pass(w, w->deadline);
		walk_plan(w);
	}
	pass(w, until);
}

static void tell_something(struct walk *w, int i)
{
	static const struct {
		enum xsched_hint hint;
		int64_t min;
		unsigned int span;
	} hints[] = {
		{ XSCHED_HINT_UTILIZATION, 0, 101 },
		{ XSCHED_HINT_TIMESLICE_US, 100, 5000 },
		{ XSCHED_HINT_DEADLINE_NS, 0, 20000000 },
		{ XSCHED_HINT_LAXITY_NS, -1, 20000000 },
		{ XSCHED_HINT_LAX_PRIORITY, -3, 7 },
		{ XSCHED_HINT_CRIT_PRIORITY, -3, 7 },
		{ XSCHED_HINT_NICE, -20, 40 },
		{ XSCHED_HINT_WINDOW_ACTIVE, 0, 2 },
	};
	unsigned int n = walk_roll(w, sizeof(hints) / sizeof(hints[0]));

	if (walk_roll(w, 4))
		walk_hint(w, i, hints[n].hint,
			  hints[n].min + walk_roll(w, hints[n].span));
	else
		walk_hint(w, i, hints[n].hint, XSCHED_HINT_UNSET);
}

void walk_something(struct walk *w)
{
	uint64_t all = (1ULL << w->nodes) - 1;
	int i = walk_roll(w, WALK_TENANTS);
	struct walker *p = &w->walkers[i];

	if (!p->exists) {
		walk_add(w, i, 1 + walk_roll(w, all));
		walk_priority(w, i, (int)walk_roll(w, 5) - 2);
		return;
	}
	switch (walk_roll(w, 24)) {
	case 0:
		walk_exit(w, i);
		break;
	case 1:
		walk_priority(w, i, (int)walk_roll(w, 5) - 2);
		break;
	case 2:
		walk_manual(w, i, !walk_roll(w, 3));
		break;
	case 3:
	case 4:
	case 5:
		tell_something(w, i);
		break;
	default:
		walk_ready(w, i, walk_roll(w, 3) ? 0 : walk_roll(w, all + 1));
	}
}

bool walk_counts(const struct walk *w, int i)
{
	const struct walker *p = &w->walkers[i];

	return p->exists && p->ready && !p->manual;
}

int walk_running(const struct walk *w, int node)
{
	int n = 0;

	for (int i = 0; i < WALK_TENANTS; i++)
		n += walk_counts(w, i) && !w->walkers[i].held &&
		     (w->walkers[i].ready >> node & 1);
	return n;
}

void walk_conserving(const struct walk *w)
{
	for (int i = 0; i < WALK_TENANTS; i++) {
		const struct walker *p = &w->walkers[i];
		bool meets = false;

		if (!p->exists || !p->held || p->manual)
			continue;
		for (int node = 0; node < w->nodes; node++)
			meets |= (p->nodes >> node & 1) &&
				 walk_running(w, node);
		assert_true(meets);
	}
}
