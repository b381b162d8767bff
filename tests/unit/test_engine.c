// SPDX-License-Identifier: MIT
/* The engine: what events do, what a plan contains, what commits change. */
#include "engine.h"
#include "unit.h"

#define GPU_A 100
#define GPU_B 200

static void expect_plan(struct xsched_engine *engine, const int32_t *hold,
			size_t holds, const int32_t *release, size_t releases)
{
	struct xsched_plan plan;

	xsched_engine_plan(engine, 0, &plan);
	assert_int_equal(plan.hold_count, holds);
	assert_int_equal(plan.release_count, releases);
	for (size_t i = 0; i < holds; i++)
		assert_int_equal(plan.hold[i], hold[i]);
	for (size_t i = 0; i < releases; i++)
		assert_int_equal(plan.release[i], release[i]);
	assert_true(plan.deadline_ns == XSCHED_NO_DEADLINE);
}

#define HOLD(...) (const int32_t[]){ __VA_ARGS__ }, \
	sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)
#define NONE NULL, 0

static int feed(struct xsched_engine *engine, uint32_t type, int32_t pid,
		uint64_t id, uint64_t data)
{
	struct kfd_xsched_event event = {
		.type = type, .pid = pid, .id = id, .gpu_id = GPU_A,
		.data = data,
	};

	return xsched_engine_event(engine, &event);
}

/* A ready high one holds the low one; when it is idle, the low one returns. */
static void holds_lower_while_ready(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, false);
	add(e, 2, GPU_A, 0, true);
	expect_plan(e, NONE, NONE);
	feed(e, KFD_XSCHED_EVENT_READY, 1, 1, 0);
	expect_plan(e, HOLD(2), NONE);
	carry_out(e, 0);
	expect_plan(e, NONE, NONE);
	feed(e, KFD_XSCHED_EVENT_IDLE, 1, 1, 0);
	expect_plan(e, NONE, HOLD(2));
	xsched_engine_free(e);
}

/* Idle tenants of lower priority are held, too: HPF as XSched defines it. */
static void holds_idle_ones_too(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, false);
	add(e, 3, GPU_A, 10, true);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

/* A process that shows up below a ready one is held with the next plan. */
static void holds_newcomers(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 0, true);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_QUEUE_ADD, 2, 2, 0),
			 XSCHED_NEW_TENANT);
	assert_int_equal(xsched_engine_set_priority(e, 2, -5), 0);
	expect_plan(e, HOLD(2), NONE);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_QUEUE_ADD, 2, 22, 0), 0);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

/* One switch, not two: hold and release stand in the same plan. */
static void swaps_in_one_plan(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	carry_out(e, 0);
	assert_int_equal(xsched_engine_set_priority(e, 2, 20), 0);
	expect_plan(e, HOLD(1), HOLD(2));
	xsched_engine_free(e);
}

/* Different nodes do not disturb each other. */
static void nodes_are_independent(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_B, 0, true);
	expect_plan(e, NONE, NONE);
	xsched_engine_free(e);
}

/* A gang held because of one node does not hold others on another node. */
static void held_gang_keeps_nobody_waiting(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 5, true);
	assert_int_equal(xsched_engine_queue_add(e, 20, 2, GPU_B), 0);
	assert_int_equal(xsched_engine_queue_ready(e, 20, true), 0);
	add(e, 3, GPU_B, 0, true);
	expect_plan(e, HOLD(2), NONE);
	/* Free again, it holds the low one on its other node. */
	xsched_engine_queue_ready(e, 1, false);
	expect_plan(e, HOLD(3), NONE);
	xsched_engine_free(e);
}

/* Manual holds stay whatever the policy says, and make room for others. */
static void manual_hold(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	carry_out(e, 0);
	assert_int_equal(xsched_engine_set_manual(e, 1, true), 0);
	expect_plan(e, HOLD(1), HOLD(2));
	carry_out(e, 0);
	expect_plan(e, NONE, NONE);
	xsched_engine_set_manual(e, 1, false);
	expect_plan(e, HOLD(2), HOLD(1));
	xsched_engine_free(e);
}

/* Tenants that the kernel does not let us change are in no plan, but still count. */
static void exempt_is_left_alone(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 5, true);
	add(e, 3, GPU_A, 0, true);
	assert_int_equal(xsched_engine_set_exempt(e, 2, true), 0);
	expect_plan(e, HOLD(3), NONE);
	xsched_engine_queue_ready(e, 1, false);
	expect_plan(e, HOLD(3), NONE);
	xsched_engine_free(e);
}

/* After a failed switch the next plan names the tenant, either way. */
static void uncertain_is_asserted(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	xsched_engine_commit(e, 2, XSCHED_UNCERTAIN, 0);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_queue_ready(e, 1, false);
	expect_plan(e, NONE, HOLD(2));
	xsched_engine_free(e);
}

/* A finished reset makes holds uncertain; its beginning changes nothing. */
static void reset_reasserts_holds(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	carry_out(e, 0);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_NODE_RESET, 0, 0, 0), 0);
	expect_plan(e, NONE, NONE);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_NODE_RESET, 0, 0, 1), 0);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

/* What is being switched is in no plan, whatever happens; its result is compared anew. */
static void switching_is_left_out(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	assert_int_equal(xsched_engine_commit(e, 2, XSCHED_SWITCHING, 0), 0);
	assert_true(xsched_engine_is_switching(e, 2));
	assert_false(xsched_engine_is_switching(e, 1));
	expect_plan(e, NONE, NONE);
	/* Others are switched meanwhile. */
	add(e, 3, GPU_A, 5, true);
	expect_plan(e, HOLD(3), NONE);
	carry_out(e, 0);
	/* No longer wanted, before it is known whether it is held. */
	xsched_engine_queue_ready(e, 1, false);
	xsched_engine_queue_ready(e, 3, false);
	expect_plan(e, NONE, HOLD(3));
	carry_out(e, 0);
	expect_plan(e, NONE, NONE);
	xsched_engine_commit(e, 2, XSCHED_HELD, 0);
	expect_plan(e, NONE, HOLD(2));
	/* The same for a release. */
	xsched_engine_commit(e, 2, XSCHED_SWITCHING, 0);
	xsched_engine_queue_ready(e, 1, true);
	expect_plan(e, HOLD(3), NONE);
	xsched_engine_commit(e, 2, XSCHED_RELEASED, 0);
	expect_plan(e, HOLD(3, 2), NONE);
	xsched_engine_free(e);
}

/* Neither a reset nor a breaker says what it came to; it goes with its process. */
static void switching_waits_for_its_answer(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	xsched_engine_commit(e, 2, XSCHED_SWITCHING, 0);
	/* A queue that comes meanwhile is part of it. */
	xsched_engine_queue_add(e, 22, 2, GPU_A);
	feed(e, KFD_XSCHED_EVENT_NODE_RESET, 0, 0, 1);
	expect_plan(e, NONE, NONE);
	feed(e, KFD_XSCHED_EVENT_NODE_BREAKER, 0, 0, 1);
	expect_plan(e, NONE, NONE);
	feed(e, KFD_XSCHED_EVENT_NODE_BREAKER, 0, 0, 0);
	xsched_engine_set_manual(e, 2, true);
	expect_plan(e, NONE, NONE);
	xsched_engine_set_manual(e, 2, false);
	xsched_engine_commit(e, 2, XSCHED_UNCERTAIN, 0);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_commit(e, 2, XSCHED_SWITCHING, 0);
	assert_int_equal(xsched_engine_process_exit(e, 2), 0);
	assert_false(xsched_engine_is_switching(e, 2));
	add(e, 2, GPU_A, 0, true);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

/* Without gangs: the queue alone is left out; what concerns all its process waits for it. */
static void switching_queue_is_left_out(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_plan plan;

	(void)state;
	xsched_engine_set_option(e, "gang", 0);
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	xsched_engine_queue_add(e, 22, 2, GPU_A);
	assert_int_equal(xsched_engine_commit_queue(e, 2, XSCHED_SWITCHING, 0), 0);
	xsched_engine_plan(e, 0, &plan);
	assert_int_equal(plan.hold_queue_count, 1);
	assert_int_equal(plan.hold_queues[0], 22);
	xsched_engine_commit_queue(e, 22, XSCHED_HELD, 0);
	xsched_engine_set_manual(e, 2, true);
	expect_plan(e, NONE, NONE);
	xsched_engine_commit_queue(e, 2, XSCHED_HELD, 0);
	expect_plan(e, HOLD(2), NONE);
	/* One that is gone needs no answer. */
	xsched_engine_commit_queue(e, 2, XSCHED_SWITCHING, 0);
	expect_plan(e, NONE, NONE);
	xsched_engine_queue_del(e, 2);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

/* The nodes of a process and of a queue, as bits that do not change. */
static void tells_nodes(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	uint64_t a, b;

	(void)state;
	add(e, 1, GPU_A, 0, false);
	add(e, 2, GPU_B, 0, false);
	a = xsched_engine_nodes(e, 1);
	b = xsched_engine_nodes(e, 2);
	assert_true(a && b && !(a & b));
	assert_true(xsched_engine_queue_node(e, 2) == b);
	xsched_engine_queue_add(e, 11, 1, GPU_B);
	assert_true(xsched_engine_nodes(e, 1) == (a | b));
	xsched_engine_queue_del(e, 1);
	assert_true(xsched_engine_nodes(e, 1) == b);
	assert_true(xsched_engine_nodes(e, 3) == 0);
	assert_true(xsched_engine_queue_node(e, 1) == 0);
	xsched_engine_free(e);
}

/* While a breaker is open work there holds nobody, and who is only there is not held. */
static void shut_node_does_not_count(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant tenant;

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	add(e, 3, GPU_B, 10, true);
	add(e, 4, GPU_B, 0, true);
	carry_out(e, 0);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_NODE_BREAKER, 0, 0, 1), 0);
	assert_int_equal(xsched_engine_tenant(e, 2, 0, &tenant), 0);
	assert_true(tenant.shut);
	assert_int_equal(xsched_engine_tenant(e, 4, 0, &tenant), 0);
	assert_false(tenant.shut);
	/* The kernel has dropped that hold already; the other stays. */
	expect_plan(e, HOLD(4), HOLD(2));
	carry_out(e, 0);
	assert_int_equal(xsched_engine_set_manual(e, 2, true), 0);
	expect_plan(e, NONE, NONE);
	assert_int_equal(xsched_engine_set_manual(e, 2, false), 0);
	feed(e, KFD_XSCHED_EVENT_IDLE, 1, 1, 0);
	feed(e, KFD_XSCHED_EVENT_READY, 1, 1, 0);
	expect_plan(e, NONE, NONE);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_NODE_BREAKER, 0, 0, 0), 0);
	expect_plan(e, HOLD(2, 4), NONE);
	xsched_engine_free(e);
}

/* A process on two nodes is held for work on the one that is not shut. */
static void shut_node_of_two(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	assert_int_equal(xsched_engine_set_shut(e, GPU_A, true), 0);
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	assert_int_equal(xsched_engine_queue_add(e, 20, 2, GPU_B), 0);
	assert_int_equal(xsched_engine_queue_ready(e, 20, true), 0);
	expect_plan(e, NONE, NONE);
	add(e, 3, GPU_B, 10, true);
	expect_plan(e, HOLD(2), NONE);
	xsched_engine_free(e);
}

static void count_gone(void *context, int32_t pid, void *user)
{
	(void)pid;
	*(int *)context += *(int *)user;
}

/* An exit removes the queues; later events about them are ignored. */
static void exit_takes_queues(void **state)
{
	struct xsched_engine *e;
	int gone = 0, one = 1, ten = 10;

	(void)state;
	assert_int_equal(xsched_engine_new(&e, "hpf", count_gone, &gone), 0);
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	xsched_engine_set_user(e, 1, &one);
	xsched_engine_set_user(e, 2, &ten);
	carry_out(e, 0);
	feed(e, KFD_XSCHED_EVENT_PROCESS_EXIT, 1, 0, 0);
	assert_int_equal(gone, 1);
	expect_plan(e, NONE, HOLD(2));
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_READY, 1, 1, 0), 0);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_QUEUE_DEL, 1, 1, 0), 0);
	assert_int_equal(xsched_engine_tenants(e), 1);
	expect_plan(e, NONE, HOLD(2));
	xsched_engine_free(e);
	assert_int_equal(gone, 11);
}

/* Only the last of several ready queues makes a tenant idle. */
static void readiness_is_counted(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant t;

	(void)state;
	add(e, 1, GPU_A, 0, true);
	assert_int_equal(xsched_engine_queue_add(e, 11, 1, GPU_A), 0);
	xsched_engine_queue_ready(e, 11, true);
	xsched_engine_queue_ready(e, 11, true);
	xsched_engine_queue_ready(e, 1, false);
	xsched_engine_tenant(e, 1, 0, &t);
	assert_true(t.ready);
	xsched_engine_queue_del(e, 11);
	xsched_engine_tenant(e, 1, 0, &t);
	assert_false(t.ready);
	assert_int_equal(t.queues, 1);
	xsched_engine_free(e);
}

/* A list replaces what was known, but keeps held processes that may be alive. */
static void sync_replaces(void **state)
{
	struct kfd_xsched_queue queue = {
		.id = 1, .pid = 1, .gpu_id = GPU_A,
		.state = KFD_XSCHED_QUEUE_READY,
	};
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant t;

	(void)state;
	add(e, 1, GPU_A, 10, false);
	assert_int_equal(xsched_engine_queue_add(e, 11, 1, GPU_A), 0);
	add(e, 2, GPU_A, 0, true);
	add(e, 3, GPU_A, 0, true);
	xsched_engine_commit(e, 3, XSCHED_HELD, 0);
	xsched_engine_sync_begin(e);
	assert_int_equal(xsched_engine_sync_queue(e, &queue), 0);
	queue.id = queue.pid = 4;
	assert_int_equal(xsched_engine_sync_queue(e, &queue),
			 XSCHED_NEW_TENANT);
	xsched_engine_sync_end(e);
	assert_int_equal(xsched_engine_tenants(e), 3);
	assert_int_equal(xsched_engine_tenant(e, 1, 0, &t), 0);
	assert_int_equal(t.queues, 1);
	assert_true(t.ready);
	assert_int_equal(xsched_engine_tenant(e, 2, 0, &t), -ENOENT);
	assert_int_equal(xsched_engine_tenant(e, 3, 0, &t), 0);
	assert_int_equal(t.queues, 0);
	xsched_engine_free(e);
}

/* Held time runs from the hold to the release, as they were done, also through uncertainty. */
static void accounts_held_time(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant t;

	(void)state;
	add(e, 1, GPU_A, 0, true);
	xsched_engine_commit(e, 1, XSCHED_HELD, 100);
	xsched_engine_tenant(e, 1, 150, &t);
	assert_true(t.held_ns == 50);
	xsched_engine_commit(e, 1, XSCHED_UNCERTAIN, 160);
	xsched_engine_commit(e, 1, XSCHED_HELD, 170);
	xsched_engine_commit(e, 1, XSCHED_SWITCHING, 180);
	xsched_engine_commit(e, 1, XSCHED_RELEASED, 200);
	xsched_engine_queue_ready(e, 1, false);
	xsched_engine_commit(e, 1, XSCHED_SWITCHING, 290);
	xsched_engine_commit(e, 1, XSCHED_HELD, 300);
	xsched_engine_tenant(e, 1, 310, &t);
	assert_true(t.held_ns == 110);
	assert_true(t.holds == 2);
	assert_true(t.preemptions == 1);
	xsched_engine_free(e);
}

/* Who is held when he joins a group has not run there until he is released. */
static void joins_while_held(void **state)
{
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant t;

	(void)state;
	add(e, 1, GPU_A, 10, true);
	add(e, 2, GPU_A, 0, true);
	carry_out(e, 100);
	assert_int_equal(xsched_engine_set_group(e, 2, 7), 0);
	carry_out(e, 200);
	xsched_engine_tenant(e, 2, 1000, &t);
	assert_int_equal(t.state, XSCHED_HELD);
	assert_true(t.ran_ns == 0);
	xsched_engine_queue_ready(e, 1, false);
	carry_out(e, 1000);
	xsched_engine_tenant(e, 2, 1500, &t);
	assert_true(t.ran_ns == 500);
	xsched_engine_free(e);
}

/* Of a node: all its processes, also those that went elsewhere, or away. */
static void accounts_nodes(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	add(e, 1, GPU_A, 0, true);
	add(e, 2, GPU_A, 0, true);
	xsched_engine_commit(e, 1, XSCHED_HELD, 100);
	xsched_engine_commit(e, 2, XSCHED_HELD, 120);
	assert_true(xsched_engine_node_held(e, GPU_A, 150) == 50 + 30);
	assert_true(xsched_engine_node_held(e, GPU_B, 150) == 0);
	/* It comes to another node while it is held, and leaves the first. */
	xsched_engine_queue_add(e, 77, 1, GPU_B);
	xsched_engine_queue_del(e, 1);
	assert_true(xsched_engine_node_held(e, GPU_A, 150) == 50 + 30);
	xsched_engine_commit(e, 1, XSCHED_RELEASED, 200);
	xsched_engine_process_exit(e, 2);
	assert_true(xsched_engine_node_held(e, GPU_A, 300) == 100 + 80);
	assert_true(xsched_engine_node_held(e, GPU_B, 300) == 100);
	/* Now it is on the other one only. */
	xsched_engine_commit(e, 1, XSCHED_HELD, 300);
	assert_true(xsched_engine_node_held(e, GPU_A, 310) == 180);
	assert_true(xsched_engine_node_held(e, GPU_B, 310) == 110);
	assert_true(xsched_engine_node_held(e, 4711, 310) == 0);
	xsched_engine_free(e);
}

/* What makes no sense is refused and changes nothing. */
static void refuses_nonsense(void **state)
{
	struct xsched_engine *e;

	(void)state;
	assert_int_equal(xsched_engine_new(&e, "none", NULL, NULL), -EOPNOTSUPP);
	e = new_engine("hpf");
	assert_int_equal(xsched_engine_set_policy(e, "none"), -EOPNOTSUPP);
	assert_string_equal(xsched_engine_policy(e), "hpf");
	assert_int_equal(xsched_engine_set_policy(e, "hpf"), 0);
	assert_int_equal(xsched_engine_queue_add(e, 1, 0, GPU_A), -EINVAL);
	assert_int_equal(xsched_engine_queue_add(e, 1, -3, GPU_A), -EINVAL);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_QUEUE_ADD, 0, 1, 0), 0);
	assert_int_equal(feed(e, 999, 1, 1, 0), 0);
	assert_int_equal(feed(e, KFD_XSCHED_EVENT_LOST, 0, 0, 7), -ESTALE);
	assert_int_equal(xsched_engine_set_priority(e, 1, 0), -ENOENT);
	assert_int_equal(xsched_engine_set_manual(e, 1, true), -ENOENT);
	assert_int_equal(xsched_engine_queue_del(e, 1), -ENOENT);
	assert_int_equal(xsched_engine_process_exit(e, 1), -ENOENT);
	assert_int_equal(xsched_engine_commit(e, 1, XSCHED_HELD, 0), -ENOENT);
	assert_int_equal(xsched_engine_tenants(e), 0);
	add(e, 1, GPU_A, 255, false);
	assert_int_equal(xsched_engine_set_priority(e, 1, 256), -EINVAL);
	assert_int_equal(xsched_engine_set_priority(e, 1, -256), -EINVAL);
	xsched_engine_free(e);
}

/* A queue on one node too many is refused and leaves no empty tenant. */
static void limits_nodes(void **state)
{
	struct xsched_engine *e = new_engine("hpf");

	(void)state;
	for (unsigned int i = 0; i < XSCHED_ENGINE_NODES; i++)
		add(e, i + 1, i, 0, true);
	assert_int_equal(xsched_engine_queue_add(e, 1000, 1000, 64), -ENOSPC);
	assert_int_equal(xsched_engine_tenants(e), XSCHED_ENGINE_NODES);
	add(e, 1000, 63, 1, true);
	expect_plan(e, HOLD(64), NONE);
	xsched_engine_free(e);
}

/* Tenants are listed highest priority first, in whatever order they came. */
static void orders_tenants(void **state)
{
	static const int32_t order[] = { 3, 1, 4, 2 };
	struct xsched_engine *e = new_engine("hpf");
	struct xsched_tenant t;

	(void)state;
	add(e, 4, GPU_A, 0, false);
	add(e, 2, GPU_A, 7, false);
	add(e, 1, GPU_A, 5, false);
	add(e, 3, GPU_A, 5, false);
	xsched_engine_set_priority(e, 2, -9);
	xsched_engine_set_priority(e, 3, 9);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(xsched_engine_tenant_at(e, i, 0, &t), 0);
		assert_int_equal(t.pid, order[i]);
	}
	assert_int_equal(xsched_engine_tenant_at(e, 4, 0, &t), -ENOENT);
	xsched_engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_lower_while_ready),
		cmocka_unit_test(holds_idle_ones_too),
		cmocka_unit_test(holds_newcomers),
		cmocka_unit_test(swaps_in_one_plan),
		cmocka_unit_test(nodes_are_independent),
		cmocka_unit_test(held_gang_keeps_nobody_waiting),
		cmocka_unit_test(manual_hold),
		cmocka_unit_test(exempt_is_left_alone),
		cmocka_unit_test(uncertain_is_asserted),
		cmocka_unit_test(reset_reasserts_holds),
		cmocka_unit_test(switching_is_left_out),
		cmocka_unit_test(switching_waits_for_its_answer),
		cmocka_unit_test(switching_queue_is_left_out),
		cmocka_unit_test(tells_nodes),
		cmocka_unit_test(shut_node_does_not_count),
		cmocka_unit_test(shut_node_of_two),
		cmocka_unit_test(exit_takes_queues),
		cmocka_unit_test(readiness_is_counted),
		cmocka_unit_test(sync_replaces),
		cmocka_unit_test(accounts_held_time),
		cmocka_unit_test(joins_while_held),
		cmocka_unit_test(accounts_nodes),
		cmocka_unit_test(refuses_nonsense),
		cmocka_unit_test(limits_nodes),
		cmocka_unit_test(orders_tenants),
	};

	return RUN(tests);
}
