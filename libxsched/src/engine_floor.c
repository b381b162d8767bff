// SPDX-License-Identifier: MIT
/*
 * The floor: a unit that has work and is held for most of a window gets the
 * nodes it needs for the rest of the window, whatever the policy says. After
 * that the policy decides about these nodes again, for its part of a window.
 *
 * The unit that has waited longest is first. A node is given away as a whole,
 * or a gang would never get all of its nodes. The policy sees a unit that has
 * the floor as pinned, and no work of the units held for it.
 *
 * A unit that is demoted never has the floor.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include "engine_priv.h"

static uint64_t part_ns(const struct xsched_engine *engine, int64_t percent)
{
	return 10 * engine->option[OPTION_FLOOR_WINDOW_US] * percent;
}

static void end(struct xsched_engine *engine, struct unit *unit)
{
	int64_t rest = 100 - engine->option[OPTION_FLOOR_PERCENT];

	for (uint64_t n = unit->view.nodes; n; n &= n - 1)
		engine->floor_from_ns[__builtin_ctzll(n)] =
			engine->now_ns + part_ns(engine, rest);
	unit->floor_until_ns = 0;
}

uint64_t floor_due(const struct xsched_engine *engine, const struct unit *unit)
{
	int64_t rest = 100 - engine->option[OPTION_FLOOR_PERCENT];
	uint64_t at_ns = unit->wait_since_ns + part_ns(engine, rest);

	for (uint64_t n = unit->view.nodes; n; n &= n - 1) {
		uint64_t from = engine->floor_from_ns[__builtin_ctzll(n)];

		if (from > at_ns)
			at_ns = from;
	}
	return at_ns;
}

static bool waits(const struct unit *unit)
{
	return unit->work && unit->wait_since_ns && !unit->exempt &&
	       !unit->floor_until_ns;
}

/* Of the units that are due and whose nodes are free: the longest waiting. */
static struct unit *next(const struct xsched_engine *engine, uint64_t taken,
			 uint64_t *next_ns)
{
	struct unit *best = NULL;

	for (size_t i = 0; i < engine->view.count; i++) {
		struct unit *unit = unit_of(engine->view.tenants[i]);
		uint64_t at_ns;

		if (!waits(unit) || (unit->view.nodes & taken))
			continue;
		at_ns = floor_due(engine, unit);
		if (at_ns > engine->now_ns) {
			*next_ns = earlier(*next_ns, at_ns);
			continue;
		}
		if (!best || unit->wait_since_ns < best->wait_since_ns ||
		    (unit->wait_since_ns == best->wait_since_ns &&
		     unit->view.pid < best->view.pid))
			best = unit;
	}
	return best;
}

/* Others on the nodes given away are held, and their work does not count. */
static void force_others(struct xsched_engine *engine, uint64_t taken)
{
	for (size_t i = 0; i < engine->view.count; i++) {
		struct unit *unit = unit_of(engine->view.tenants[i]);

		unit->forced = !unit->floor_until_ns && !unit->exempt &&
			       (unit->view.nodes & taken);
		if (unit->forced)
			unit->view.ready = 0;
	}
}

uint64_t floor_apply(struct xsched_engine *engine, uint64_t taken)
{
	int64_t percent = engine->option[OPTION_FLOOR_PERCENT];
	uint64_t next_ns = XSCHED_NO_DEADLINE;
	struct unit *unit;

	for (size_t i = 0; i < engine->view.count; i++) {
		unit = unit_of(engine->view.tenants[i]);
		if (!unit->floor_until_ns)
			continue;
		if (!percent || !unit->work || unit->exempt ||
		    engine->now_ns >= unit->floor_until_ns) {
			end(engine, unit);
			continue;
		}
		next_ns = earlier(next_ns, unit->floor_until_ns);
		taken |= unit->view.nodes;
	}
	while (percent && (unit = next(engine, taken, &next_ns))) {
		unit->floor_until_ns = engine->now_ns +
				       part_ns(engine, percent);
		next_ns = earlier(next_ns, unit->floor_until_ns);
		taken |= unit->view.nodes;
	}
	force_others(engine, taken);
	return next_ns;
}
