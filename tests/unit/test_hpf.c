// SPDX-License-Identifier: MIT
/*
 * HPF on random sequences of events: what must hold after every plan, checked
 * against a naive record of what happened.
 */
#include "unit.h"

#define PIDS	12
#define QUEUES	40
#define STEPS	4000

/* What we know of a queue: its number is its id minus one. */
struct model_queue {
	bool exists;
	bool ready;
	int pid;
	int node;
};

struct model {
	struct xsched_engine *engine;
	uint64_t random;
	int nodes;
	struct model_queue queues[QUEUES];
	bool exists[PIDS + 1];
	int priority[PIDS + 1];
	bool manual[PIDS + 1];
	bool held[PIDS + 1];
	unsigned long held_seen;
};

static unsigned int roll(struct model *m, unsigned int below)
{
	/* xorshift64: the same sequence everywhere. */
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (m->random >> 32) % below;
}

static bool on_node(const struct model *m, int pid, int node, bool ready)
{
	for (int i = 0; i < QUEUES; i++) {
		const struct model_queue *q = &m->queues[i];

		if (q->exists && q->pid == pid && q->node == node &&
		    (q->ready || !ready))
			return true;
	}
	return false;
}

static void forget(struct model *m, int pid)
{
	for (int i = 0; i < QUEUES; i++)
		if (m->queues[i].pid == pid)
			m->queues[i].exists = false;
	m->exists[pid] = m->manual[pid] = m->held[pid] = false;
}

static void add_queue(struct model *m, int i)
{
	struct model_queue *q = &m->queues[i];

	*q = (struct model_queue){
		.exists = true,
		.pid = 1 + roll(m, PIDS),
		.node = roll(m, m->nodes),
	};
	if (xsched_engine_queue_add(m->engine, i + 1, q->pid, 7 * q->node) ==
	    XSCHED_NEW_TENANT) {
		assert_false(m->exists[q->pid]);
		m->priority[q->pid] = (int)roll(m, 5) - 2;
		xsched_engine_set_priority(m->engine, q->pid,
					   m->priority[q->pid]);
	}
	m->exists[q->pid] = true;
}

static void something_happens(struct model *m)
{
	int pid = 1 + roll(m, PIDS);
	int i = roll(m, QUEUES);
	struct model_queue *q = &m->queues[i];

	switch (roll(m, 20)) {
	case 0:
		if (m->exists[pid])
			assert_int_equal(xsched_engine_process_exit(m->engine,
								    pid), 0);
		forget(m, pid);
		break;
	case 1:
		if (!m->exists[pid])
			break;
		m->priority[pid] = (int)roll(m, 5) - 2;
		xsched_engine_set_priority(m->engine, pid, m->priority[pid]);
		break;
	case 2:
		if (!m->exists[pid])
			break;
		m->manual[pid] = roll(m, 3) == 0;
		xsched_engine_set_manual(m->engine, pid, m->manual[pid]);
		break;
	case 3:
		if (!q->exists)
			break;
		assert_int_equal(xsched_engine_queue_del(m->engine, i + 1), 0);
		q->exists = false;
		break;
	default:
		if (!q->exists) {
			add_queue(m, i);
			break;
		}
		q->ready = roll(m, 3) == 0;
		xsched_engine_queue_ready(m->engine, i + 1, q->ready);
	}
}

static void carry_out(struct model *m)
{
	struct xsched_plan plan;

	xsched_engine_plan(m->engine, 0, &plan);
	for (size_t i = 0; i < plan.hold_count; i++) {
		assert_false(m->held[plan.hold[i]]);
		m->held[plan.hold[i]] = true;
		m->held_seen++;
		xsched_engine_commit(m->engine, plan.hold[i], XSCHED_HELD, 0);
	}
	for (size_t i = 0; i < plan.release_count; i++) {
		assert_true(m->held[plan.release[i]]);
		m->held[plan.release[i]] = false;
		xsched_engine_commit(m->engine, plan.release[i],
				     XSCHED_RELEASED, 0);
	}
}

/* Whether one of higher priority has work beside @pid and is not held. */
static bool outranked(const struct model *m, int pid)
{
	for (int other = 1; other <= PIDS; other++) {
		if (!m->exists[other] || m->held[other] ||
		    m->priority[other] <= m->priority[pid])
			continue;
		for (int node = 0; node < m->nodes; node++)
			if (on_node(m, other, node, true) &&
			    on_node(m, pid, node, false))
				return true;
	}
	return false;
}

static bool is_ready(const struct model *m, int pid)
{
	for (int node = 0; node < m->nodes; node++)
		if (on_node(m, pid, node, true))
			return true;
	return false;
}

static void check(const struct model *m)
{
	bool any_ready = false;
	int highest = 0;

	for (int pid = 1; pid <= PIDS; pid++) {
		if (!m->exists[pid])
			continue;
		/* Nobody runs beside a running one of higher priority, and
		 * nobody is held without one: work-conserving.
		 */
		assert_int_equal(m->held[pid],
				 m->manual[pid] || outranked(m, pid));
		if (m->manual[pid] || !is_ready(m, pid))
			continue;
		if (!any_ready || m->priority[pid] > highest)
			highest = m->priority[pid];
		any_ready = true;
	}
	for (int pid = 1; pid <= PIDS; pid++) {
		if (!m->exists[pid] || m->manual[pid])
			continue;
		/* The highest ready one is never held; nobody is without one. */
		if (!any_ready || m->priority[pid] == highest)
			assert_false(m->held[pid]);
		/* One node: everything below is held, word for word HPF. */
		else if (m->nodes == 1 && on_node(m, pid, 0, false))
			assert_int_equal(m->held[pid],
					 m->priority[pid] < highest);
	}
}

/* Carried out, a plan leaves nothing to do. */
static void check_idempotent(const struct model *m)
{
	struct xsched_plan plan;

	xsched_engine_plan(m->engine, 0, &plan);
	assert_int_equal(plan.hold_count, 0);
	assert_int_equal(plan.release_count, 0);
}

static void walk(int nodes, uint64_t seed)
{
	struct model m = { .random = seed, .nodes = nodes };

	assert_int_equal(xsched_engine_new(&m.engine, "hpf", NULL, NULL), 0);
	for (int i = 0; i < STEPS; i++) {
		/* Events come in batches; a plan follows each batch. */
		for (unsigned int n = 1 + roll(&m, 4); n; n--)
			something_happens(&m);
		carry_out(&m);
		check(&m);
		check_idempotent(&m);
	}
	/* The walk did lead to holds, or it would show nothing. */
	assert_true(m.held_seen > STEPS / 100);
	xsched_engine_free(m.engine);
}

static void one_node(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		walk(1, seed * 0x9e3779b97f4a7c15ULL);
}

static void several_nodes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++)
		walk(3, seed * 0xd1342543de82ef95ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node),
		cmocka_unit_test(several_nodes),
	};

	return RUN(tests);
}
