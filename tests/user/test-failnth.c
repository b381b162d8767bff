// SPDX-License-Identifier: MIT
/*
 * Every call of the interface, and the calls of amdkfd that our hooks are in, on the real driver:
 * each allocation and each copy in them fails in turn. The call fails with an errno and changes
 * nothing, or does what it was asked to all the same; what follows works. That nothing leaks or is
 * used after it is free, the kernel's log says (tests/vm/kernel).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failnth.h"
#include "sysfile.h"
#include "tap.h"
#include "worker.h"
#include "xsarm.h"
#include "xsdev.h"

/* More than any call allocates and copies. */
#define MOST		2000
#define QUEUES		2
#define DONE_MS		20000
#define APP		KFD_XSCHED_PRIORITY_APP
#define REASONS		(KFD_XSCHED_QUEUE_ACTIVE | KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_EVICTED | \
			 KFD_XSCHED_QUEUE_DISABLED | KFD_XSCHED_QUEUE_RESET)

#define OP(_op)	KFD_XSCHED_OP_##_op

static const struct spin_shape brief = { 1, 64, 100000 };

/* Who calls; one whose call each time is its first; who looks. Two processes; a tenant, a switch. */
static int caller, fresh = -1, looker;
static struct worker one, other;
static struct kfd_xsched_queue first;
static int tenant, armed;
static char priority_file[160];

/**
 * struct call - what is to fail
 * @name: in the plan
 * @prepare: what must be so before it; or NULL
 * @run: the call
 * @undo: what makes all as it was, also if the call changed nothing; or NULL
 * @sure: it is made to do what it is asked to whatever memory there is
 */
struct call {
	const char *name;
	int (*prepare)(void);
	int (*run)(void);
	int (*undo)(void);
	bool sure;
};

/* What is in force for each queue, as far as a call can change it. */
struct state {
	int count;
	struct {
		uint64_t id;
		uint32_t state, priority, holders, prio_class;
	} queues[2 * QUEUES + 2];
};

static struct state look(void)
{
	struct kfd_xsched_queue queues[2 * QUEUES + 2];
	struct state state;
	int i;

	memset(&state, 0, sizeof(state));
	state.count = xsdev_list(looker, queues, 2 * QUEUES + 2);
	for (i = 0; i < state.count && i < 2 * QUEUES + 2; i++) {
		state.queues[i].id = queues[i].id;
		state.queues[i].state = queues[i].state & REASONS;
		state.queues[i].priority = queues[i].priority;
		state.queues[i].holders = queues[i].holders;
		state.queues[i].prio_class = queues[i].prio_class;
	}
	return state;
}

/* ---- calls ------------------------------------------------------------------------------- */

static int open_fresh(void)
{
	fresh = xsdev_open();
	return fresh < 0 ? fresh : 0;
}

static int close_fresh(void)
{
	int fd = fresh;

	fresh = -1;
	return fd < 0 ? 0 : close(fd);
}

static int info(void)
{
	struct kfd_xsched_node node;
	int ret = xsdev_nodes(caller, &node, 1);

	return ret < 0 ? ret : 0;
}

static int list(void)
{
	struct kfd_xsched_queue queues[2 * QUEUES];
	int ret = xsdev_list(caller, queues, 2 * QUEUES);

	return ret < 0 ? ret : 0;
}

static int renew(void)
{
	struct kfd_xsched_renew arg = { .size = sizeof(arg) };

	return xsdev_ioctl(caller, KFD_XSCHED_RENEW, &arg);
}

/* The first of a client brings its ring. */
static int subscribe(void)
{
	return xsdev_subscribe(fresh, KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_READY) |
			       KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_IDLE), 100, 500);
}

static int suspend_queue(void)
{
	return xsdev_queue_op(caller, OP(SUSPEND), first.id, 0, NULL);
}

static int resume_queue(void)
{
	return xsdev_queue_op(caller, OP(RESUME), first.id, 0, NULL);
}

static int suspend_process(void)
{
	struct kfd_xsched_node_result result;

	return xsdev_process_op(caller, OP(SUSPEND), one.pid, 0, &result);
}

static int unmap_process(void)
{
	return xsdev_process_op(caller, OP(UNMAP), one.pid, KFD_XSCHED_GRACE_DEFAULT, NULL);
}

static int resume_process(void)
{
	return xsdev_process_op(caller, OP(RESUME), one.pid, 0, NULL);
}

static int suspend_by_id(void)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SUSPEND, PROCESS_ID, first.process, 0);

	return xsdev_apply(caller, &entry, 1, NULL);
}

/* More than a call has for sure: it may fail for want of memory, and has pages of its own. */
static int suspend_many(void)
{
	static struct kfd_xsched_entry entries[256];
	unsigned int i;

	for (i = 0; i < 256; i++)
		entries[i] = (struct kfd_xsched_entry)XSARM_ENTRY(SUSPEND, QUEUE, first.id, 0);
	return xsdev_apply(caller, entries, 256, NULL);
}

static int suspend_async(void)
{
	struct kfd_xsched_entry entry = XSARM_ENTRY(SUSPEND, PROCESS, one.pid, 0);

	return xsdev_apply_async(fresh, &entry, 1, 7);
}

static int event_there(void)
{
	return open_fresh() ? : suspend_async();
}

static int read_event(void)
{
	struct kfd_xsched_event event;

	return xsdev_wait_event(fresh, KFD_XSCHED_EVENT_APPLY_DONE, 0, DONE_MS, &event);
}

static int set_priority(void)
{
	return xsdev_process_op(caller, OP(SET_PRIORITY), one.pid, 3, NULL);
}

static int give_priority_back(void)
{
	return xsdev_process_op(caller, OP(SET_PRIORITY), one.pid, APP, NULL);
}

static int write_priority(void)
{
	return sysfile_write("3", "%s", priority_file);
}

static int write_app(void)
{
	return sysfile_write("app", "%s", priority_file);
}

static int read_state(void)
{
	static char text[1 << 16];
	int ret = sysfile_read(text, sizeof(text), SYSFILE_STATE);

	return ret < 0 ? ret : 0;
}

static int create_tenant(void)
{
	tenant = xsdev_tenant(caller, KFD_XSCHED_TENANT_CREATE, 0, 0);
	return tenant < 0 ? tenant : 0;
}

static int destroy_tenant(void)
{
	return xsdev_tenant(caller, KFD_XSCHED_TENANT_DESTROY, (uint64_t)tenant, 0);
}

static int add_to_tenant(void)
{
	return xsdev_tenant(caller, KFD_XSCHED_TENANT_ADD, (uint64_t)tenant, one.pid);
}

static int held_tenant(void)
{
	return create_tenant() ? : xsdev_tenant_op(caller, OP(SUSPEND), (uint64_t)tenant, 0, NULL);
}

static int tenant_of_one(void)
{
	return held_tenant() ? : add_to_tenant();
}

static int remove_from_tenant(void)
{
	return xsdev_tenant(caller, KFD_XSCHED_TENANT_REMOVE, (uint64_t)tenant, one.pid);
}

static int arm(void)
{
	struct kfd_xsched_entry entries[] = {
		XSARM_ENTRY(SUSPEND, PROCESS, one.pid, 0),
		XSARM_ENTRY(SET_PRIORITY, PROCESS, one.pid, 1),
	};

	armed = xsarm_set(caller, KFD_XSCHED_TARGET_PROCESS, (uint64_t)other.pid, entries, 2);
	return armed < 0 ? armed : 0;
}

static int disarm(void)
{
	return xsarm_clear(caller, (uint64_t)armed);
}

static int park(void)
{
	return xsdev_park(caller, KFD_XSCHED_PARK_SET, one.pid, KFD_XSCHED_PARK_MS_MAX);
}

static int unpark(void)
{
	return xsdev_park(caller, KFD_XSCHED_PARK_CLEAR, one.pid, 0);
}

/* With a hold, a priority and a switch, all of which go with the file. */
static int client_with_all(void)
{
	return open_fresh() ? : xsdev_process_op(fresh, OP(SUSPEND), one.pid, 0, NULL) ? :
		xsdev_process_op(fresh, OP(SET_PRIORITY), one.pid, 3, NULL) ? :
		xsarm_suspend(fresh, other.pid, one.pid) < 0 ? -EIO : 0;
}

#define CALL(_run, _prepare, _undo)	\
	{ .name = #_run, .run = _run, .prepare = _prepare, .undo = _undo }
#define SURE(_run, _prepare, _undo)	\
	{ .name = #_run, .run = _run, .prepare = _prepare, .undo = _undo, .sure = true }

static const struct call calls[] = {
	CALL(open_fresh, NULL, close_fresh),
	SURE(close_fresh, client_with_all, close_fresh),
	CALL(info, NULL, NULL),
	CALL(list, NULL, NULL),
	CALL(renew, NULL, NULL),
	CALL(subscribe, open_fresh, close_fresh),
	CALL(suspend_queue, NULL, resume_queue),
	SURE(resume_queue, suspend_queue, resume_queue),
	CALL(suspend_process, NULL, resume_process),
	CALL(unmap_process, NULL, resume_process),
	SURE(resume_process, suspend_process, resume_process),
	CALL(suspend_by_id, NULL, resume_process),
	CALL(suspend_many, NULL, resume_queue),
	CALL(suspend_async, open_fresh, close_fresh),
	CALL(read_event, event_there, close_fresh),
	CALL(set_priority, NULL, give_priority_back),
	SURE(give_priority_back, set_priority, give_priority_back),
	CALL(write_priority, NULL, write_app),
	CALL(read_state, NULL, NULL),
	CALL(create_tenant, NULL, destroy_tenant),
	SURE(destroy_tenant, tenant_of_one, destroy_tenant),
	CALL(add_to_tenant, held_tenant, destroy_tenant),
	SURE(remove_from_tenant, tenant_of_one, destroy_tenant),
	CALL(arm, NULL, disarm),
	SURE(disarm, arm, disarm),
	CALL(park, NULL, unpark),
	SURE(unpark, park, unpark),
};

/* ---- each fails in turn -------------------------------------------------------------------- */

static bool is_benign(int ret)
{
	return !ret || ret == -EALREADY || ret == -ENOENT || ret == -ESRCH;
}

/* What a call that failed may return. */
static bool is_expected(const struct call *call, int ret)
{
	return !ret || ret == -EFAULT || (ret == -ENOMEM && !call->sure);
}

/*
 * Whether all is as it was: what a file held when it was closed, or an ASYNC call, comes back a
 * little later.
 */
static bool is_as_before(const struct state *before)
{
	struct state now;
	unsigned int ms;

	for (ms = 0; ms < 1000; ms++) {
		now = look();
		if (!memcmp(before, &now, sizeof(now)))
			return true;
		xsdev_sleep_ms(1);
	}
	return false;
}

/* The Nth fails; whether it was reached. What is wrong is counted. */
static bool fail_one(const struct call *call, unsigned int n, const struct state *before,
		     unsigned int *wrong)
{
	int ret, undone;
	bool hit;

	if (call->prepare && call->prepare())
		tap_bail("%s: it cannot be prepared", call->name);
	failnth_arm(n);
	ret = call->run();
	hit = failnth_hit();
	if (hit ? !is_expected(call, ret) : ret) {
		tap_note("%s, %u: %d", call->name, n, ret);
		++*wrong;
	}
	undone = call->undo ? call->undo() : 0;
	if (!is_benign(undone)) {
		tap_note("%s, %u: %d, and what undoes it: %d", call->name, n, ret, undone);
		++*wrong;
	}
	if (!is_as_before(before)) {
		tap_note("%s, %u: %d, and something has changed", call->name, n, ret);
		++*wrong;
	}
	return hit;
}

static void fail_each(const struct call *call)
{
	const struct state before = look();
	unsigned int n = 0, wrong = 0;

	do {
		n++;
	} while (fail_one(call, n, &before, &wrong) && n < MOST && wrong < 10);
	tap_ok(!wrong && n < MOST, "%s: each of %u fails in turn", call->name, n - 1);
}

/* ---- amdkfd's own calls, in the process that has the queues -------------------------------- */

/*
 * Both in one call of the worker, as what is armed is its thread's. The number of failures, or
 * -errno.
 */
static int fail_own_queues(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t argument)
{
	int n, ret;

	(void)dev;
	(void)argument;
	if (!failnth_open())
		return -ENOSYS;
	for (n = 1; n < MOST; n++) {
		failnth_arm((unsigned int)n);
		ret = kfdq_queue_update(queue, 100, n & 1 ? 3 : 7);
		if (!failnth_hit())
			return ret ? : n - 1;
		if (ret && ret != -ENOMEM && ret != -EFAULT)
			return ret;
	}
	return -ELOOP;
}

static void test_own_queues(void)
{
	int ret = worker_call(&one, 0, fail_own_queues, 0);

	tap_ok(ret > 0, "the owner changes a queue: each of %d fails in turn", ret);
	tap_is(suspend_process(), 0, "the process is held");
	ret = worker_call(&one, 0, fail_own_queues, 0);
	tap_ok(ret > 0, "the same while it is held: each of %d", ret);
	tap_is(resume_process(), 0, "it is released");
}

int main(void)
{
	unsigned int i;

	if (!failnth_open()) {
		tap_skip("this kernel makes no call fail", "calls fail");
		return tap_done();
	}
	caller = xsdev_open();
	looker = xsdev_open();
	if (worker_start(&one, QUEUES, NULL) || worker_start(&other, QUEUES, NULL))
		tap_bail("no worker");
	if (xsdev_find_first(looker, one.pid, &first))
		tap_bail("its queue is not listed");
	snprintf(priority_file, sizeof(priority_file),
		 "/sys/class/kfd/kfd/proc/%d/queues/%u/xsched/priority", one.pid, first.queue_id);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		fail_each(&calls[i]);
	test_own_queues();
	tap_is(worker_submit(&one, 0, &brief, 1) ? : worker_wait(&one, 0, DONE_MS), 0,
	       "then the process runs");
	tap_ok(worker_clean(&one), "every dispatch executed once and in order");
	close(caller);
	tap_is(worker_stop(&one), 0, "it ends");
	tap_is(worker_stop(&other), 0, "so does the other");
	tap_is(xsdev_wait_no_queue(looker, DONE_MS), 0, "no queue is left");
	close(looker);
	return tap_done();
}
