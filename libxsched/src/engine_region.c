// SPDX-License-Identifier: MIT
/*
 * Regions: sets of nodes that no unit connects with another set. Events in one
 * region do not affect the others, so a decision looks only at regions in which
 * something changed, or for which it is time. Thus a host with 64 GPUs costs as
 * much as one GPU, unless a gang spans all of them.
 *
 * With a policy that is not local, there is one region.
 *
 * Copyright (C) 2026 The kfd-xsched authors
 */
#include <string.h>

#include "engine_priv.h"

/* For each node the set of nodes that are in its region. */
static void connect(const struct xsched_engine *engine, uint64_t *mates)
{
	for (size_t i = 0; i < engine->unit_count; i++) {
		uint64_t nodes, all;

		unit_await(engine->units, i, engine->unit_count);
		nodes = engine->units[i]->nodes;
		all = nodes;
		if (!nodes || !(nodes & ~mates[__builtin_ctzll(nodes)]))
			continue;
		for (uint64_t n = nodes; n; n &= n - 1)
			all |= mates[__builtin_ctzll(n)];
		for (uint64_t n = all; n; n &= n - 1)
			mates[__builtin_ctzll(n)] = all;
	}
}

/* Number the regions of all nodes; returns how many there are. */
static unsigned int number(const uint64_t *mates, uint8_t *region)
{
	unsigned int count = 0;

	for (int i = 0; i < XSCHED_ENGINE_NODES; i++) {
		int first = mates[i] ? __builtin_ctzll(mates[i]) : i;

		if (mates[i])
			region[i] = first == i ? count++ : region[first];
	}
	return count;
}

/* Sort the units by region, and those demoted to its end; else they keep their order. */
static void arrange(struct xsched_engine *engine)
{
	struct xsched_policy_tenant **sorted = engine->view.scratch;
	size_t next[XSCHED_ENGINE_NODES + 1][2];
	size_t begin = 0;

	for (unsigned int i = 0; i < engine->region_count; i++) {
		struct region *region = &engine->regions[i];

		region->begin = begin;
		begin += region->count;
		next[i][false] = region->begin;
		next[i][true] = begin - region->demoted;
	}
	for (size_t i = 0; i < engine->unit_count; i++) {
		struct unit *unit = unit_of(engine->units[i]);

		sorted[next[unit->region][unit->demoted]++] = &unit->view;
	}
	if (engine->unit_count)
		memcpy(engine->units, sorted,
		       engine->unit_count * sizeof(*engine->units));
}

void regions_build(struct xsched_engine *engine)
{
	uint64_t mates[XSCHED_ENGINE_NODES] = { 0 };
	uint8_t region[XSCHED_ENGINE_NODES] = { 0 };
	unsigned int count = 0;

	if (engine->policy->local) {
		connect(engine, mates);
		count = number(mates, region);
	}
	/* The last region has the units without queues, or all. */
	engine->region_count = count + 1;
	for (unsigned int i = 0; i <= count; i++)
		engine->regions[i] = (struct region){ .changed = true };
	for (size_t i = 0; i < engine->unit_count; i++) {
		struct unit *unit = unit_of(engine->units[i]);
		uint64_t nodes = unit->view.nodes;

		unit_await(engine->units, i, engine->unit_count);
		unit->region = count && nodes ?
			       region[__builtin_ctzll(nodes)] : count;
		engine->regions[unit->region].count++;
		engine->regions[unit->region].demoted += unit->demoted;
	}
	arrange(engine);
	engine->regroup = false;
}
