// SPDX-License-Identifier: MIT
/*
 * A process changes its credentials while a client of its user has it held, watched
 * and armed: from then on it is another's, and what was taken can be given back.
 */
#include <errno.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "users.h"
#include "worker.h"
#include "xsarm.h"

#define MS		1000000ULL
#define BOB		1001
#define TIMEOUT_MS	20000
#define BIT(type)	KFD_XSCHED_EVENT_BIT(KFD_XSCHED_EVENT_##type)

static const struct spin_shape brief = { 1, 64, 50000 };
static const struct spin_shape half = { 4, 64, 500 * MS };
static struct worker trigger, target;
static int fd;

/* As an ordinary user has it, or as an administrator. */
static void set_cap_sys_nice(bool on)
{
	int ret = users_keep_capabilities(on ? ~0ULL : ~USERS_SYS_NICE, ~0ULL);

	if (ret)
		tap_bail("capset: error %d", ret);
}

static int become_bob(struct kfdq_device *dev, struct kfdq_queue *queue, uint64_t unused)
{
	(void)dev;
	(void)queue;
	(void)unused;
	return setresuid(BOB, BOB, BOB) ? -errno : 0;
}

static int target_op(uint32_t op, int value)
{
	return xsdev_process_op(fd, op, target.pid, value, NULL);
}

static bool is_listed(uint64_t *id)
{
	struct kfd_xsched_queue q;

	if (worker_listed(&target, 0, fd, &q))
		return false;
	*id = q.id;
	return true;
}

/* What it is to others now is what counts, for all but giving back. */
static void test_held(void)
{
	uint64_t queue = 0;

	tap_ok(is_listed(&queue), "a process of the same user is listed");
	tap_is(target_op(KFD_XSCHED_OP_SUSPEND, 0), 0, "held");
	tap_is(target_op(KFD_XSCHED_OP_SET_PRIORITY, 3), 0, "and lowered");
	tap_is(worker_call(&target, 0, become_bob, 0), 0, "it becomes another user's");
	tap_ok(!is_listed(&queue), "it is not listed any more");
	tap_is(xsdev_queue_op(fd, KFD_XSCHED_OP_UNMAP, queue, 0, NULL), -EPERM,
	       "it may not be held anew");
	tap_is(target_op(KFD_XSCHED_OP_SET_PRIORITY, 2), -EPERM, "nor lowered further");
	tap_is(xsarm_suspend(fd, trigger.pid, target.pid), -EPERM, "nor armed");
	tap_is(xsarm_suspend(fd, target.pid, trigger.pid), -EPERM, "nor be a trigger");
	worker_submit(&target, 0, &brief, 1);
	tap_is(worker_wait(&target, 0, 300), -ETIME, "it is held, as it was");
	tap_is(target_op(KFD_XSCHED_OP_SET_PRIORITY, KFD_XSCHED_PRIORITY_APP), 0,
	       "what was taken can be given back: its priority");
	tap_is(target_op(KFD_XSCHED_OP_RESUME, 0), 0, "and the hold");
	tap_is(worker_wait(&target, 0, TIMEOUT_MS), 0, "it runs");
}

/* Which clients see a queue was decided when it was created. */
static void test_watched(void)
{
	struct kfd_xsched_event e;

	/* What it had to do before must be seen to be over, or what comes now is no edge. */
	xsdev_wait_event(fd, KFD_XSCHED_EVENT_IDLE, target.pid, TIMEOUT_MS, &e);
	xsarm_drain(fd);
	worker_submit(&target, 0, &brief, 1);
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_READY, target.pid, TIMEOUT_MS, &e), 0,
	       "a queue from before is watched on");
	worker_wait(&target, 0, TIMEOUT_MS);
	xsarm_drain(fd);
	tap_ok(worker_add_queue(&target) == 1, "it creates another");
	tap_is(xsdev_wait_event(fd, KFD_XSCHED_EVENT_QUEUE_ADD, target.pid, 300, &e), -ETIME,
	       "which is not reported");
}

/* Armed while it was permitted: each run asks again. */
static void test_armed(void)
{
	struct kfd_xsched_event e;
	int id;

	id = xsarm_suspend(fd, trigger.pid, target.pid);
	tap_ok(id > 0, "a switch of a process of the same user");
	worker_submit(&trigger, 0, &half, 2);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "it runs");
	tap_is(e.queue_id, 1, "the process is off");
	tap_is(worker_call(&target, 0, become_bob, 0), 0, "it becomes another user's meanwhile");
	worker_wait(&trigger, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "the switch is undone");
	tap_ok(e.queue_id == 1 && !KFD_XSCHED_ARMED_ERRNO(e.data), "the process is back");
	worker_submit(&trigger, 0, &half, 2);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "the next run");
	tap_is(KFD_XSCHED_ARMED_ERRNO(e.data), EPERM, "may not take it");
	tap_is(e.queue_id, 0, "nothing is off");
	worker_submit(&target, 0, &brief, 1);
	tap_is(worker_wait(&target, 0, TIMEOUT_MS), 0, "it runs beside the trigger");
	worker_wait(&trigger, 0, TIMEOUT_MS);
	xsarm_clear(fd, (uint64_t)id);
}

/* Armed on it, as the trigger: that took no permission but to look. */
static void test_trigger(void)
{
	struct kfd_xsched_event e;
	int id = xsarm_suspend(fd, target.pid, trigger.pid);

	tap_ok(id > 0, "a switch that it triggers");
	tap_is(worker_call(&target, 0, become_bob, 0), 0, "it becomes another user's");
	worker_submit(&target, 0, &half, 2);
	tap_is(xsarm_wait(fd, id, true, TIMEOUT_MS, &e), 0, "and triggers it as before");
	tap_is(KFD_XSCHED_ARMED_ERRNO(e.data), 0, "without an error");
	worker_wait(&target, 0, TIMEOUT_MS);
	tap_is(xsarm_wait(fd, id, false, TIMEOUT_MS, &e), 0, "undone");
	xsarm_clear(fd, (uint64_t)id);
}

static void with_target(void (*test)(void))
{
	must_start(&target, 1, NULL);
	test();
	tap_is(worker_stop(&target), 0, "it exits");
}

int main(void)
{
	must_start(&trigger, 1, NULL);
	set_cap_sys_nice(false);
	fd = xsdev_open();
	if (fd < 0 || xsdev_subscribe(fd, BIT(READY) | BIT(IDLE) | BIT(ARMED) | BIT(QUEUE_ADD),
				      500, 0))
		tap_bail("no client: error %d", fd);
	must_start(&target, 1, NULL);
	test_held();
	test_watched();
	tap_is(worker_stop(&target), 0, "it exits");
	with_target(test_armed);
	with_target(test_trigger);
	worker_stop(&trigger);
	set_cap_sys_nice(true);
	tap_is(xsdev_wait_no_queue(fd, TIMEOUT_MS), 0, "no queue is left");
	return tap_done();
}
