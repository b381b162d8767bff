// SPDX-License-Identifier: MIT
/*
 * A process that is demoted comes after all that are not, whatever the policy, and
 * nothing is held for it.
 */
#include "engine.h"
#include "unit.h"

#define GPU_A	100
#define GPU_B	200
#define MS	1000000ULL
#define SECOND	(1000 * MS)

static void demote(struct xsched_engine *e, int32_t pid, bool demoted)
{
	assert_int_equal(xsched_engine_set_demoted(e, pid, demoted), 0);
}

static void ready(struct xsched_engine *e, uint64_t id, bool ready, uint64_t now)
{
	assert_int_equal(xsched_engine_queue_ready_at(e, id, ready, now), 0);
}

static struct xsched_tenant tell(const struct xsched_engine *e, int32_t pid)
{
	struct xsched_tenant t;

	assert_int_equal(xsched_engine_tenant(e, pid, 0, &t), 0);
	return t;
}

/* Whether it is held, when a plan has been carried out. */
static bool held(struct xsched_engine *e, int32_t pid, uint64_t now)
{
	carry_out(e, now);
	return tell(e, pid).state == XSCHED_HELD;
}

/* The highest priority counts for nothing while it is demoted, and again afterwards. */
static void comes_last(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 200, true);
	add(e, 2, GPU_A, -200, true);
	assert_true(held(e, 2, 0));
	demote(e, 1, true);
	assert_true(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	assert_true(tell(e, 1).demoted);
	assert_false(tell(e, 2).demoted);
	assert_int_equal(tell(e, 1).priority, 200);
	/* Without work, too, and if it is given a priority meanwhile. */
	ready(e, 1, false, 0);
	assert_true(held(e, 1, 0));
	ready(e, 1, true, 0);
	assert_int_equal(xsched_engine_set_priority(e, 1, 100), 0);
	assert_true(held(e, 1, 0));
	/* Nobody else has work: it runs. */
	ready(e, 2, false, 0);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	ready(e, 2, true, 0);
	assert_true(held(e, 1, 0));
	demote(e, 1, false);
	assert_false(held(e, 1, 0));
	assert_true(held(e, 2, 0));
	assert_false(tell(e, 1).demoted);
	assert_int_equal(tell(e, 1).priority, 100);
	xsched_engine_free(e);
}

/* All that could bring a process forward. */
static void give_hints(struct xsched_engine *e, int32_t pid)
{
	static const struct {
		enum xsched_hint hint;
		int64_t value;
	} best[] = {
		{ XSCHED_HINT_UTILIZATION, 100 }, { XSCHED_HINT_TIMESLICE_US, 10000000 },
		{ XSCHED_HINT_DEADLINE_NS, 0 }, { XSCHED_HINT_LAXITY_NS, -1 },
		{ XSCHED_HINT_CRIT_PRIORITY, 255 }, { XSCHED_HINT_NICE, -119 },
		{ XSCHED_HINT_WINDOW_ACTIVE, 1 }, { XSCHED_HINT_PERIOD_NS, 1000 },
	};

	for (size_t i = 0; i < sizeof(best) / sizeof(best[0]); i++)
		assert_int_equal(xsched_engine_set_hint(e, pid, best[i].hint, best[i].value), 0);
}

static void comes_last_by(const char *policy, bool gang)
{
	struct xsched_engine *e = new_engine(policy);

	xsched_engine_set_option(e, "gang", gang);
	add(e, 1, GPU_A, 255, true);
	give_hints(e, 1);
	add(e, 2, GPU_A, -255, true);
	add(e, 3, GPU_A, -255, false);
	demote(e, 1, true);
	for (uint64_t now = SECOND; now < 2 * SECOND; now += MS) {
		assert_true(held(e, 1, now));
		assert_false(held(e, 2, now));
	}
	/* It runs alone, and the others are not held, not even idle. */
	ready(e, 2, false, 2 * SECOND);
	for (uint64_t now = 2 * SECOND; now < 3 * SECOND; now += MS) {
		assert_false(held(e, 1, now));
		assert_false(held(e, 2, now));
		assert_false(held(e, 3, now));
	}
	xsched_engine_free(e);
}

/* Also under those that know no priority. */
static void under_every_policy(void **state)
{
	const char *policy;
	size_t i;

	(void)state;
	for (i = 0; (policy = xsched_policy_name(i)); i++) {
		comes_last_by(policy, true);
		comes_last_by(policy, false);
	}
	assert_true(i >= 10);
}

/* A process on two nodes is held for work on one of them; elsewhere nobody waits. */
static void by_node(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	assert_int_equal(xsched_engine_queue_add(e, 11, 1, GPU_B), 0);
	add(e, 2, GPU_B, 10, true);
	add(e, 3, GPU_A, 0, true);
	demote(e, 1, true);
	demote(e, 2, true);
	assert_true(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	/* Each node by itself. */
	xsched_engine_set_option(e, "gang", 0);
	carry_out(e, 0);
	carry_out(e, 0);
	assert_int_equal(tell(e, 1).held_nodes, 1);
	assert_int_equal(tell(e, 2).held_nodes, 0);
	/* What holds on all nodes for work on one holds there also what is demoted. */
	xsched_engine_set_option(e, "gang", 1);
	assert_int_equal(xsched_engine_set_policy(e, "hhpf"), 0);
	assert_true(held(e, 1, 0));
	assert_true(held(e, 2, 0));
	assert_false(held(e, 3, 0));
	ready(e, 3, false, 0);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	xsched_engine_free(e);
}

/* It waits also for one that cannot run for now: that would have to preempt it. */
static void waits_for_who_waits(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 5, false);
	assert_int_equal(xsched_engine_queue_add(e, 20, 2, GPU_B), 0);
	ready(e, 20, true, 0);
	add(e, 3, GPU_B, 20, true);
	demote(e, 3, true);
	assert_true(held(e, 2, 0));
	assert_true(held(e, 3, 0));
	/* Not for one that is held by request, nor where nothing can be held. */
	assert_int_equal(xsched_engine_set_manual(e, 2, true), 0);
	assert_false(held(e, 3, 0));
	assert_int_equal(xsched_engine_set_manual(e, 2, false), 0);
	assert_true(held(e, 3, 0));
	assert_int_equal(xsched_engine_set_shut(e, GPU_B, true), 0);
	assert_false(held(e, 3, 0));
	xsched_engine_free(e);
}

/* What the kernel refuses stays as it is, and makes others that are demoted wait, no one else. */
static void exempt_is_left_alone(void **state)
{
	struct xsched_engine *e = new_engine("cfs");

	(void)state;
	add(e, 1, GPU_A, 0, true);
	add(e, 2, GPU_A, 0, true);
	assert_int_equal(xsched_engine_set_exempt(e, 1, true), 0);
	demote(e, 1, true);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	/* One that is not demoted still counts. */
	demote(e, 1, false);
	demote(e, 2, true);
	assert_true(held(e, 2, 0));
	xsched_engine_free(e);
}

/* No floor is kept for it, however long it waits, nor at once when it need not any more. */
static void has_no_floor(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	uint64_t now = SECOND;

	(void)state;
	xsched_engine_set_option(e, "floor_percent", 10);
	xsched_engine_set_option(e, "floor_window_us", 100000);
	add(e, 1, GPU_A, 0, true);
	add(e, 2, GPU_A, 5, true);
	demote(e, 1, true);
	for (; now < 3 * SECOND; now += MS) {
		assert_true(held(e, 1, now));
		assert_false(held(e, 2, now));
	}
	/* Now it has one, after as long as anybody. */
	demote(e, 1, false);
	carry_out(e, now);
	for (uint64_t end = now + 90 * MS; now < end; now += MS)
		assert_true(held(e, 1, now));
	assert_false(held(e, 1, now));
	assert_true(held(e, 2, now));
	/* It loses that as it is demoted. */
	demote(e, 1, true);
	assert_true(held(e, 1, now));
	assert_false(held(e, 2, now));
	/* Nor does it have one from others that are, for how long it waited before. */
	demote(e, 1, false);
	carry_out(e, now);
	demote(e, 1, true);
	demote(e, 2, true);
	assert_false(held(e, 1, now + SECOND));
	assert_false(held(e, 2, now + SECOND));
	xsched_engine_free(e);
}

/* The floor of one that is not demoted holds those that are. */
static void waits_for_a_floor(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	uint64_t now = SECOND;

	(void)state;
	xsched_engine_set_option(e, "floor_percent", 10);
	xsched_engine_set_option(e, "floor_window_us", 100000);
	add(e, 1, GPU_A, 9, true);
	add(e, 2, GPU_A, 5, true);
	add(e, 3, GPU_A, 0, true);
	demote(e, 1, true);
	carry_out(e, now);
	assert_true(held(e, 3, now + 89 * MS));
	assert_false(held(e, 3, now + 90 * MS));
	assert_true(held(e, 2, now + 90 * MS));
	assert_true(held(e, 1, now + 90 * MS));
	xsched_engine_free(e);
}

/* Those that are demoted are equal; HPF lets them run together. */
static void are_equal(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 100, true);
	add(e, 2, GPU_A, -100, true);
	demote(e, 1, true);
	assert_true(held(e, 1, 0));
	demote(e, 2, true);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	add(e, 3, GPU_A, -200, true);
	assert_true(held(e, 1, 0));
	assert_true(held(e, 2, 0));
	xsched_engine_free(e);
}

/* How long the first of two ran in a time, of that in which one of them did. */
static double part_of_first(struct xsched_engine *e, uint64_t from, uint64_t to)
{
	uint64_t ran[2] = { 0 }, next;

	for (uint64_t now = from; now < to; now = next) {
		next = carry_out(e, now);
		if (next > now + MS)
			next = now + MS;
		for (int i = 0; i < 2; i++)
			if (tell(e, 1 + i).state != XSCHED_HELD)
				ran[i] += next - now;
	}
	return (double)ran[0] / (ran[0] + ran[1]);
}

/* Else the policy decides as ever, but neither priority nor hints count. */
static void take_turns(void **state)
{
	static const char *const policies[] = { "cfs", "up", "pup", "mlfq" };

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		struct xsched_engine *e = new_engine(policies[i]);
		double part;

		add(e, 1, GPU_A, 10, true);
		add(e, 2, GPU_A, 0, true);
		xsched_engine_set_hint(e, 1, XSCHED_HINT_UTILIZATION, 90);
		xsched_engine_set_hint(e, 2, XSCHED_HINT_UTILIZATION, 10);
		demote(e, 1, true);
		demote(e, 2, true);
		part = part_of_first(e, SECOND, 4 * SECOND);
		assert_true(part > 0.45 && part < 0.55);
		xsched_engine_free(e);
	}
}

/* It is owed nothing for the time it waited. */
static void saves_nothing_up(void **state)
{
	struct xsched_engine *e = new_engine("cfs");
	double part;

	(void)state;
	add(e, 1, GPU_A, 0, true);
	add(e, 2, GPU_A, 0, true);
	part = part_of_first(e, SECOND, 2 * SECOND);
	assert_true(part > 0.45 && part < 0.55);
	demote(e, 1, true);
	part = part_of_first(e, 2 * SECOND, 9 * SECOND);
	assert_true(part == 0);
	demote(e, 1, false);
	part = part_of_first(e, 9 * SECOND, 10 * SECOND);
	assert_true(part > 0.45 && part < 0.55);
	xsched_engine_free(e);
}

/* A member of a group is alone while it is demoted: it has nothing of the group, nor the group of it. */
static void leaves_its_group(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 20, true);
	add(e, 2, GPU_A, 5, true);
	add(e, 3, GPU_A, 10, true);
	for (int32_t pid = 1; pid <= 2; pid++)
		assert_int_equal(xsched_engine_set_group(e, pid, 7), 0);
	assert_true(held(e, 3, 0));
	assert_false(held(e, 2, 0));
	demote(e, 1, true);
	assert_true(held(e, 1, 0));
	assert_true(held(e, 2, 0));
	assert_false(held(e, 3, 0));
	assert_int_equal(tell(e, 1).group, 7);
	ready(e, 3, false, 0);
	assert_true(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	/* Back: it has what it had. */
	demote(e, 1, false);
	ready(e, 3, true, 0);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	assert_true(held(e, 3, 0));
	assert_int_equal(tell(e, 1).group, 7);
	xsched_engine_free(e);
}

/* What is set meanwhile counts afterwards, also if no other is in the group any more. */
static void changes_its_group(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 0, true);
	add(e, 2, GPU_A, 20, false);
	add(e, 3, GPU_A, 10, true);
	assert_int_equal(xsched_engine_set_group(e, 1, 7), 0);
	demote(e, 1, true);
	assert_int_equal(xsched_engine_set_group(e, 1, 8), 0);
	assert_int_equal(xsched_engine_set_group(e, 2, 8), 0);
	assert_int_equal(tell(e, 1).group, 8);
	assert_true(held(e, 1, 0));
	assert_false(held(e, 3, 0));
	demote(e, 1, false);
	assert_false(held(e, 1, 0));
	assert_true(held(e, 3, 0));
	/* All of a group. */
	demote(e, 1, true);
	demote(e, 2, true);
	assert_true(held(e, 1, 0));
	assert_true(held(e, 2, 0));
	ready(e, 3, false, 0);
	ready(e, 2, true, 0);
	assert_false(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	demote(e, 2, false);
	assert_true(held(e, 1, 0));
	demote(e, 1, false);
	assert_false(held(e, 1, 0));
	xsched_engine_free(e);
}

/* The kernel says it by an event, of a process that is known. */
static void by_event(void **state)
{
	struct kfd_xsched_event event = { .type = KFD_XSCHED_EVENT_DEMOTED, .pid = 1, .data = 1 };
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	assert_int_equal(xsched_engine_event(e, &event), 0);
	assert_int_equal(xsched_engine_tenants(e), 0);
	assert_int_equal(xsched_engine_set_demoted(e, 1, true), -ENOENT);
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	assert_false(tell(e, 1).demoted);
	assert_int_equal(xsched_engine_event(e, &event), 0);
	assert_true(tell(e, 1).demoted);
	assert_int_equal(xsched_engine_event(e, &event), 0);
	assert_true(held(e, 1, 0));
	assert_false(held(e, 2, 0));
	event.data = 0;
	assert_int_equal(xsched_engine_event(e, &event), 0);
	assert_false(tell(e, 1).demoted);
	assert_false(held(e, 1, 0));
	/* The number may come again: another process is another one. */
	event.data = 1;
	assert_int_equal(xsched_engine_event(e, &event), 0);
	assert_int_equal(xsched_engine_process_exit(e, 1), 0);
	add(e, 1, GPU_A, 10, true);
	assert_false(tell(e, 1).demoted);
	xsched_engine_free(e);
}

/* So does the list of queues, also of a process that is new. */
static void by_list(void **state)
{
	struct kfd_xsched_queue queue = { .gpu_id = GPU_A, .state = KFD_XSCHED_QUEUE_READY };
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		xsched_engine_sync_begin(e);
		for (int32_t pid = 1; pid <= 2; pid++) {
			queue.id = queue.pid = pid;
			queue.state = KFD_XSCHED_QUEUE_READY;
			if (pid == 1 + turn)
				queue.state |= KFD_XSCHED_QUEUE_DEMOTED;
			assert_int_equal(xsched_engine_sync_queue(e, &queue),
					 turn ? 0 : XSCHED_NEW_TENANT);
		}
		xsched_engine_sync_end(e);
		assert_true(held(e, 1 + turn, 0));
		assert_false(held(e, 2 - turn, 0));
		assert_true(tell(e, 1 + turn).demoted);
		assert_false(tell(e, 2 - turn).demoted);
	}
	xsched_engine_free(e);
}

static void expect_order(const struct xsched_engine *e, const int32_t order[4])
{
	struct xsched_tenant t;

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(xsched_engine_tenant_at(e, i, 0, &t), 0);
		assert_int_equal(t.pid, order[i]);
	}
}

/* They are the last of all, whatever their priority; among themselves it counts. */
static void are_listed_last(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	for (int32_t pid = 1; pid <= 4; pid++)
		add(e, pid, GPU_A, 10 - pid, false);
	demote(e, 1, true);
	expect_order(e, (const int32_t[]){ 2, 3, 4, 1 });
	demote(e, 3, true);
	expect_order(e, (const int32_t[]){ 2, 4, 1, 3 });
	xsched_engine_set_priority(e, 4, -9);
	xsched_engine_set_priority(e, 3, 20);
	expect_order(e, (const int32_t[]){ 2, 4, 3, 1 });
	demote(e, 1, false);
	expect_order(e, (const int32_t[]){ 1, 2, 4, 3 });
	xsched_engine_free(e);
}

/* ---- all the others are decided about as if it were not there ------------ */

#define PIDS	8
#define NODES	3
#define STEPS	1500

/**
 * struct pair - two engines with the same events
 * @all: with all processes
 * @rest: without those that are demoted
 * @seed: of the random numbers
 * @now: time
 * @demoted: of each process
 * @priority: likewise
 * @share: likewise, a hint
 * @group: likewise
 * @queue: of each process, on which nodes it has one
 * @ready: of these, those with work
 * @waited: times that one that is demoted had to wait
 */
struct pair {
	struct xsched_engine *all;
	struct xsched_engine *rest;
	uint32_t seed;
	uint64_t now;
	bool demoted[PIDS];
	int32_t priority[PIDS];
	int64_t share[PIDS];
	uint64_t group[PIDS];
	bool queue[PIDS][NODES];
	bool ready[PIDS][NODES];
	size_t waited;
};

static uint32_t below(struct pair *p, uint32_t limit)
{
	p->seed = p->seed * 1664525u + 1013904223u;
	return (p->seed >> 8) % limit;
}

#define ID(i, node)	(1 + (i) * NODES + (node))

/* Make an engine know of all that a process has. */
static void feed(const struct pair *p, struct xsched_engine *e, int i)
{
	for (int node = 0; node < NODES; node++)
		if (p->queue[i][node])
			assert_true(xsched_engine_queue_add(e, ID(i, node), 1 + i, 10 + node) >= 0);
	xsched_engine_set_priority(e, 1 + i, p->priority[i]);
	xsched_engine_set_hint(e, 1 + i, XSCHED_HINT_UTILIZATION, p->share[i]);
	xsched_engine_set_group(e, 1 + i, p->group[i]);
	for (int node = 0; node < NODES; node++)
		if (p->queue[i][node])
			xsched_engine_queue_ready_at(e, ID(i, node), p->ready[i][node], p->now);
}

static void each(struct pair *p, int i)
{
	feed(p, p->all, i);
	if (!p->demoted[i])
		feed(p, p->rest, i);
}

/* So that both engines decide about everything, at the same times. */
static void plan(struct pair *p)
{
	struct xsched_engine *engines[] = { p->all, p->rest };

	/* Without gangs: a process is let go first, and then held by its queues. */
	for (int n = 0; n < 4; n++) {
		xsched_engine_set_option(engines[n % 2], "settle_us", 0);
		carry_out(engines[n % 2], p->now);
	}
}

/* It has no work meanwhile: since when it has some, and for how long it ran, would else differ. */
static void turn_demotion(struct pair *p, int i)
{
	bool was[NODES];

	memcpy(was, p->ready[i], sizeof(was));
	memset(p->ready[i], 0, sizeof(was));
	each(p, i);
	plan(p);
	p->demoted[i] = !p->demoted[i];
	assert_int_equal(xsched_engine_set_demoted(p->all, 1 + i, p->demoted[i]), 0);
	if (p->demoted[i])
		assert_int_equal(xsched_engine_process_exit(p->rest, 1 + i), 0);
	else
		each(p, i);
	memcpy(p->ready[i], was, sizeof(was));
	each(p, i);
}

static void happen(struct pair *p)
{
	int i = below(p, PIDS), node = below(p, NODES);

	switch (below(p, 16)) {
	case 0:
		p->priority[i] = below(p, 5);
		break;
	case 1:
		p->group[i] = below(p, 3);
		break;
	case 2:
		/* A hint of one is one of its group. */
		if (!p->group[i])
			p->share[i] = 10 * below(p, 5);
		break;
	case 3: case 4:
		/* The first one connects all nodes, for both. */
		if (i)
			turn_demotion(p, i);
		return;
	default:
		if (p->queue[i][node])
			p->ready[i][node] = !p->ready[i][node];
	}
	each(p, i);
}

/* Whether one that is not demoted has work on a node. */
static bool is_taken(const struct pair *p, int node)
{
	for (int i = 0; i < PIDS; i++)
		if (!p->demoted[i] && p->ready[i][node])
			return true;
	return false;
}

static void check(struct pair *p)
{
	for (int i = 0; i < PIDS; i++) {
		struct xsched_tenant t = tell(p->all, 1 + i);
		bool taken = false;

		if (!p->demoted[i]) {
			assert_int_equal(t.wanted, tell(p->rest, 1 + i).wanted);
			assert_int_equal(t.held_nodes, tell(p->rest, 1 + i).held_nodes);
			continue;
		}
		for (int node = 0; node < NODES; node++)
			taken |= p->queue[i][node] && is_taken(p, node);
		if (taken)
			assert_true(t.wanted);
		p->waited += taken;
	}
}

static size_t walk(const char *policy, bool gang, uint32_t seed)
{
	struct pair p = { .seed = seed, .now = SECOND };

	p.all = new_engine(policy);
	p.rest = new_engine(policy);
	for (int n = 0; n < 2; n++) {
		struct xsched_engine *e = n ? p.rest : p.all;

		xsched_engine_set_option(e, "gang", gang);
		xsched_engine_set_option(e, "floor_percent", seed % 2 ? 20 : 0);
		xsched_engine_set_option(e, "floor_window_us", 5000);
	}
	for (int i = 0; i < PIDS; i++) {
		for (int node = 0; node < NODES; node++)
			p.queue[i][node] = !i || node == i % NODES || below(&p, 2);
		p.share[i] = XSCHED_HINT_UNSET;
		each(&p, i);
	}
	for (int n = 0; n < STEPS; n++) {
		happen(&p);
		for (int n = 0; n < 2; n++) {
			plan(&p);
			check(&p);
			p.now += 100000 * below(&p, 20);
		}
	}
	xsched_engine_free(p.all);
	xsched_engine_free(p.rest);
	return p.waited;
}

static void others_do_not_notice(void **state)
{
	const char *policy;

	(void)state;
	for (size_t i = 0; (policy = xsched_policy_name(i)); i++)
		for (uint32_t seed = 1; seed <= 4; seed++)
			for (int gang = 0; gang < 2; gang++)
				assert_true(walk(policy, gang, seed) > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_last),
		cmocka_unit_test(under_every_policy),
		cmocka_unit_test(by_node),
		cmocka_unit_test(waits_for_who_waits),
		cmocka_unit_test(exempt_is_left_alone),
		cmocka_unit_test(has_no_floor),
		cmocka_unit_test(waits_for_a_floor),
		cmocka_unit_test(are_equal),
		cmocka_unit_test(take_turns),
		cmocka_unit_test(saves_nothing_up),
		cmocka_unit_test(leaves_its_group),
		cmocka_unit_test(changes_its_group),
		cmocka_unit_test(by_event),
		cmocka_unit_test(by_list),
		cmocka_unit_test(are_listed_last),
		cmocka_unit_test(others_do_not_notice),
	};

	return RUN(tests);
}
