// SPDX-License-Identifier: MIT
/*
 * Gangs that come and go: random events, random changes of option "gang", and
 * after each what is held, as the plans that were carried out say, is what HPF
 * means by it. Some plans fail half-way, and are tried again.
 */
#include "unit.h"

#include <string.h>

#include <xsched/engine.h>

#define PIDS	5
#define NODES	3
#define QUEUES	24
#define STEPS	3000

/**
 * struct model - what the test itself knows
 * @e: engine
 * @seed: of the random numbers
 * @now: time
 * @gang: the option
 * @pid: of each queue, 0: there is none
 * @node: of each queue
 * @ready: of each queue
 * @held: whether the kernel holds a queue, by itself or as its process
 * @priority: of each process
 */
struct model {
	struct xsched_engine *e;
	uint32_t seed;
	uint64_t now;
	bool gang;
	int32_t pid[QUEUES];
	uint32_t node[QUEUES];
	bool ready[QUEUES];
	bool held[QUEUES];
	int32_t priority[PIDS + 1];
};

static uint32_t below(struct model *m, uint32_t limit)
{
	m->seed = m->seed * 1664525u + 1013904223u;
	return (m->seed >> 8) % limit;
}

/* Ids of queues begin with 1, those of nodes with 10. */
static void change_queue(struct model *m, uint32_t i)
{
	if (!m->pid[i]) {
		m->pid[i] = 1 + below(m, PIDS);
		m->node[i] = 10 + below(m, NODES);
		m->ready[i] = false;
		m->held[i] = false;
		/* The kernel's rule: born held, if its process is. */
		for (uint32_t j = 0; j < QUEUES; j++) {
			struct xsched_tenant t;

			if (j == i || m->pid[j] != m->pid[i])
				continue;
			assert_int_equal(xsched_engine_tenant(m->e, m->pid[i], 0, &t), 0);
			m->held[i] = t.state == XSCHED_HELD && !t.by_queue;
		}
		assert_true(xsched_engine_queue_add(m->e, 1 + i, m->pid[i], m->node[i]) >= 0);
		xsched_engine_set_priority(m->e, m->pid[i], m->priority[m->pid[i]]);
	} else if (!below(m, 8)) {
		assert_int_equal(xsched_engine_queue_del(m->e, 1 + i), 0);
		m->pid[i] = 0;
	} else {
		m->ready[i] = !m->ready[i];
		xsched_engine_queue_ready_at(m->e, 1 + i, m->ready[i], m->now);
	}
}

static void change(struct model *m)
{
	uint32_t pid = 1 + below(m, PIDS);
	uint32_t what = below(m, 20);

	m->now += 1000;
	if (!what) {
		m->gang = !m->gang;
		assert_int_equal(xsched_engine_set_option(m->e, "gang", m->gang), 0);
	} else if (what == 1) {
		m->priority[pid] = below(m, 3);
		xsched_engine_set_priority(m->e, pid, m->priority[pid]);
	} else {
		change_queue(m, below(m, QUEUES));
	}
}

/* As the kernel does it; if it @fails, as it may have done it. */
static void hold_process(struct model *m, int32_t pid, bool held, bool fails)
{
	for (uint32_t i = 0; i < QUEUES; i++)
		if (m->pid[i] == pid && (!fails || below(m, 2)))
			m->held[i] = held;
	if (below(m, 2))
		xsched_engine_commit(m->e, pid, XSCHED_SWITCHING, m->now);
	xsched_engine_commit(m->e, pid, fails ? XSCHED_UNCERTAIN : held ? XSCHED_HELD :
			     XSCHED_RELEASED, m->now);
}

static void hold_queue(struct model *m, uint64_t id, bool held, bool fails)
{
	if (!fails || below(m, 2))
		m->held[id - 1] = held;
	if (below(m, 2))
		xsched_engine_commit_queue(m->e, id, XSCHED_SWITCHING, m->now);
	xsched_engine_commit_queue(m->e, id, fails ? XSCHED_UNCERTAIN : held ? XSCHED_HELD :
				   XSCHED_RELEASED, m->now);
}

/* Carry out plans until there is nothing to do. */
static void carry_out(struct model *m)
{
	struct xsched_plan p;

	for (int i = 0; i < 10; i++) {
		bool fails = !i && !below(m, 4);

		xsched_engine_plan(m->e, m->now, &p);
		for (size_t j = 0; j < p.hold_count; j++)
			hold_process(m, p.hold[j], true, fails);
		for (size_t j = 0; j < p.release_count; j++)
			hold_process(m, p.release[j], false, fails);
		for (size_t j = 0; j < p.hold_queue_count; j++)
			hold_queue(m, p.hold_queues[j], true, fails);
		for (size_t j = 0; j < p.release_queue_count; j++)
			hold_queue(m, p.release_queues[j], false, fails);
		if (!p.hold_count && !p.release_count && !p.hold_queue_count &&
		    !p.release_queue_count)
			return;
	}
	fail_msg("there is always something to do");
}

/* Nodes of a process, or those on which it has work. */
static uint32_t nodes_of(const struct model *m, int32_t pid, bool ready)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < QUEUES; i++)
		if (m->pid[i] == pid && (m->ready[i] || !ready))
			nodes |= 1u << m->node[i];
	return nodes;
}

/* By the definitions in policy_hpf.c: from the top. */
static void expect_held(const struct model *m, uint32_t held_on[PIDS + 1])
{
	uint32_t taken = 0;

	for (int32_t priority = 2; priority >= 0; priority--) {
		uint32_t equal = 0;

		for (int32_t pid = 1; pid <= PIDS; pid++) {
			uint32_t nodes = nodes_of(m, pid, false);

			if (m->priority[pid] != priority)
				continue;
			held_on[pid] = nodes & taken;
			if (m->gang && held_on[pid])
				held_on[pid] = nodes;
			equal |= nodes_of(m, pid, true) & ~held_on[pid];
		}
		taken |= equal;
	}
}

static void check(const struct model *m)
{
	uint32_t held_on[PIDS + 1];

	expect_held(m, held_on);
	for (uint32_t i = 0; i < QUEUES; i++) {
		bool wanted = m->pid[i] && (held_on[m->pid[i]] & 1u << m->node[i]);

		if (m->pid[i] && m->held[i] != wanted)
			fail_msg("gang %d: queue %u of process %d on node %u is %sheld", m->gang,
				 1 + i, m->pid[i], m->node[i], wanted ? "not " : "");
	}
}

static void held_as_hpf_says(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct model m = { .seed = seed, .now = 1, .gang = true };

		assert_int_equal(xsched_engine_new(&m.e, "hpf", NULL, NULL), 0);
		for (int32_t pid = 1; pid <= PIDS; pid++)
			m.priority[pid] = below(&m, 3);
		for (int i = 0; i < STEPS; i++) {
			for (uint32_t n = 1 + below(&m, 3); n; n--)
				change(&m);
			carry_out(&m);
			check(&m);
		}
		xsched_engine_free(m.e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(held_as_hpf_says),
	};

	return RUN(tests);
}
