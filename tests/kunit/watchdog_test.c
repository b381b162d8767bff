// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watchdog: leases, which clients are ejected, and what remains of them.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/suspend.h>
#include <linux/uaccess.h>

#include "watched.h"
#include "core.h"
#include "front/client.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define APP		KFD_XSCHED_PRIORITY_APP

/* Leases here, and a time in which several end. */
#define LEASE_MS	60
#define LONG_MS		(6 * LEASE_MS)

/* How often to try what a machine that stands still for a lease spoils. */
#define TRIES		20

static long renew(struct kunit *test, struct file *file, struct kfd_xsched_renew *arg)
{
	*arg = (struct kfd_xsched_renew){ .size = sizeof(*arg) };
	return xt_ioctl_arg(test, file, KFD_XSCHED_RENEW, arg, sizeof(*arg));
}

static u32 ejected(struct kunit *test, struct file *file)
{
	struct kfd_xsched_renew arg;
	const long ret = renew(test, file, &arg);

	KUNIT_EXPECT_EQ(test, ret, arg.ejected ? -EOWNERDEAD : 0);
	return arg.ejected;
}

/* Without a sign of life. */
static bool ejected_already(struct file *file)
{
	const struct xs_client *client = file->private_data;

	return READ_ONCE(client->ejected);
}

/* Without a sign of life to any client but that of the queue's. */
static bool runs_within(const struct xs_hw_queue *queue, unsigned int ms)
{
	const ktime_t end = ktime_add_ms(ktime_get(), ms);

	while (READ_ONCE(queue->held) && ktime_before(ktime_get(), end))
		usleep_range(1000, 1100);
	return !READ_ONCE(queue->held);
}

/* From now on leases are short; the client's begins. */
static void begin_short_lease(struct kunit *test, struct file *file)
{
	struct kfd_xsched_renew arg;

	xs_watchdog_set_ms(LEASE_MS);
	KUNIT_EXPECT_EQ(test, renew(test, file, &arg), 0);
}

/**
 * struct life - a client that holds a queue and acts
 * @file: the client
 * @w: the queue
 * @end_ns: before that its lease is not over
 */
struct life {
	struct file *file;
	struct xt_watched w;
	u64 end_ns;
};

static bool is_in_time(const struct life *life)
{
	return ktime_get_ns() < life->end_ns;
}

/* A call of the client. Whether it came in time; then it has the result that it must have. */
static bool gives_sign(struct kunit *test, struct life *life,
		       long (*call)(struct kunit *test, const struct life *life), long want)
{
	const u64 end_ns = ktime_get_ns() + xs_watchdog_ms() * NSEC_PER_MSEC;
	const long ret = call(test, life);

	if (!is_in_time(life))
		return false;
	KUNIT_EXPECT_EQ(test, ret, want);
	life->end_ns = end_ns;
	return true;
}

/* The queue stays held. Whether that could be seen: the lease was not over then. */
static bool stays_held(struct kunit *test, const struct life *life, unsigned int ms)
{
	const bool runs = runs_within(life->w.queue, ms);

	if (!is_in_time(life))
		return false;
	KUNIT_EXPECT_FALSE(test, runs);
	return true;
}

static long sign_hold(struct kunit *test, const struct life *life)
{
	return xt_suspend(test, life->file, life->w.id);
}

static long sign_renew(struct kunit *test, const struct life *life)
{
	struct kfd_xsched_renew arg;
	const long ret = renew(test, life->file, &arg);

	if (!ret)
		KUNIT_EXPECT_EQ(test, arg.lease_ms, xs_watchdog_ms());
	return ret;
}

static long sign_read(struct kunit *test, const struct life *life)
{
	return xt_read(test, life->file);
}

static long sign_wrong(struct kunit *test, const struct life *life)
{
	return xt_resume(test, life->file, 1000000);
}

/* By a client that is made afresh each time, until what it shows could be seen. */
static void try_life(struct kunit *test, bool (*shows)(struct kunit *test, struct life *life))
{
	struct life life;
	unsigned int i;
	bool shown = false;

	for (i = 0; i < TRIES && !shown; i++) {
		life = (struct life){
			.file = xt_open(test),
			.w = xt_add_watched(test, 1),
			.end_ns = U64_MAX,
		};
		shown = shows(test, &life);
		xt_close(test, life.file);
		fake_queue_remove(life.w.queue);
	}
	KUNIT_EXPECT_TRUE(test, shown);
}

/* Every call of an ejected client fails; what it can do is to read why. */
static void expect_dead(struct kunit *test, struct file *file, u32 reason)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_info info = { .size = sizeof(info) };
	struct kfd_xsched_list list = { .size = sizeof(list) };
	struct kfd_xsched_tenant tenant = {
		.size = sizeof(tenant),
		.op = KFD_XSCHED_TENANT_CREATE,
	};

	KUNIT_EXPECT_EQ(test, ejected(test, file), reason);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, file, KFD_XSCHED_INFO, &info,
					   sizeof(info)), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, file, KFD_XSCHED_LIST, &list,
					   sizeof(list)), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, file, KFD_XSCHED_TENANT, &tenant,
					   sizeof(tenant)), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, xt_subscribe(test, file, 1, 0, 0), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, file, xt->ids[0]), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, xt_resume(test, file, xt->ids[0]), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, file->f_op->poll(file, NULL),
			EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP);
	KUNIT_EXPECT_EQ(test, xt_read(test, file), 1);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_EJECTED);
	KUNIT_EXPECT_EQ(test, xt->events[0].data, reason);
	KUNIT_EXPECT_EQ(test, xt_read(test, file), -EOWNERDEAD);
	KUNIT_EXPECT_EQ(test, file->f_op->poll(file, NULL),
			EPOLLIN | EPOLLRDNORM | EPOLLERR | EPOLLHUP);
}

/* A client holds a queue with work and says nothing: it loses all, for good. */
static void silent_holder(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test), *c;
	struct xt_watched w = xt_add_watched(test, 1);

	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3), 0);
	KUNIT_EXPECT_EQ(test, xt_do(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 0), 0);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	begin_short_lease(test, b);
	KUNIT_EXPECT_TRUE(test, xt_comes(!fake_anything_held()));
	expect_dead(test, b, KFD_XSCHED_EJECT_WATCHDOG);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, w.id).holders, 0);
	KUNIT_EXPECT_FALSE(test, fake_queue_add(test, xt->process, xt->node)->held);
	/* Afresh is a new file. */
	xs_watchdog_set_ms(XS_WATCHDOG_MS_MAX);
	c = xt_open(test);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, w.id), 0);
	KUNIT_EXPECT_EQ(test, ejected(test, c), KFD_XSCHED_EJECT_NONE);
}

static bool shows_renewal(struct kunit *test, struct life *life)
{
	unsigned int i;

	xs_watchdog_set_ms(4 * LEASE_MS);
	if (!gives_sign(test, life, sign_hold, 0))
		return false;
	for (i = 0; i < 6; i++) {
		if (!gives_sign(test, life, sign_renew, 0) || !stays_held(test, life, LEASE_MS))
			return false;
	}
	xt_expect_held(test, life->w.queue, false);
	return true;
}

/* Not a moment too soon. */
static void lease_is_kept(struct kunit *test)
{
	try_life(test, shows_renewal);
}

static bool shows_any_call(struct kunit *test, struct life *life)
{
	unsigned int i;

	xs_watchdog_set_ms(6 * LEASE_MS);
	if (!gives_sign(test, life, sign_hold, 0))
		return false;
	for (i = 0; i < 4; i++) {
		if (!gives_sign(test, life, sign_read, -EAGAIN) ||
		    !stays_held(test, life, 4 * LEASE_MS) ||
		    !gives_sign(test, life, sign_wrong, -ENOENT) ||
		    !stays_held(test, life, 4 * LEASE_MS))
			return false;
	}
	return true;
}

/* Reads, and calls that fail, are signs of life, too. */
static void any_call_is_a_sign(struct kunit *test)
{
	try_life(test, shows_any_call);
}

/* Held queues without work are no reason, until one gets some. */
static void idle_is_no_reason(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 0);

	xs_watchdog_set_ms(LEASE_MS);
	xt_suspend(test, xt->files[0], w.id);
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	xt_set_indices(test, &w, 0, 1);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, xt->files[0]), KFD_XSCHED_EJECT_WATCHDOG);
}

/* Saved waves are work, and so is an unknown state. */
static void saved_waves(struct kunit *test)
{
	static const int answers[] = { 1, -EOPNOTSUPP, -EIO };
	struct xt *xt = test->priv;
	unsigned int i;

	xs_watchdog_set_ms(LEASE_MS);
	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		struct xt_watched w = xt_add_watched(test, 0);
		struct file *b = xt_open(test);

		w.queue->saved = answers[i];
		xt_suspend(test, b, w.id);
		KUNIT_EXPECT_TRUE_MSG(test, xt_comes(!READ_ONCE(w.queue->held)), "answer %u", i);
		KUNIT_EXPECT_GT(test, w.queue->asked, 0);
		xt_close(test, b);
	}
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 3 + ARRAY_SIZE(answers));
}

/* Indices are read in the address space of their owner, and no reference on it is kept. */
static void address_space_is_left(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 0);
	const int users = atomic_read(&current->mm->mm_users);

	xs_watchdog_set_ms(LEASE_MS);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, xt->files[0], w.id), 0);
	/* After the indices it looks for saved waves. */
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(w.queue->asked)));
	KUNIT_EXPECT_EQ(test, atomic_read(&current->mm->mm_users), users);
}

/* A queue that was born held has no waves: the driver is not asked. */
static void born_held(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w;

	xt_resume(test, xt->files[0], xt->ids[0]);
	fake_queue_remove(xt->queues[0]);
	fake_queue_remove(xt->queues[1]);
	xt->queues[2]->saved = 0;
	xt_do(test, xt->files[0], OP(SUSPEND), PROCESS, xt->process->nr, 0);
	fake_queue_remove(xt->queues[2]);
	w = xt_add_watched(test, 0);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	w.queue->saved = 1;
	xs_watchdog_set_ms(LEASE_MS);
	KUNIT_EXPECT_EQ(test, ejected(test, xt->files[0]), KFD_XSCHED_EJECT_NONE);
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	KUNIT_EXPECT_EQ(test, w.queue->asked, 0);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_held(test, w.queue, false);
}

/* Indices that cannot be read, or that there are none of, are work. */
static void unknown_is_work(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 0);
	struct file *b = xt_open(test), *c = xt_open(test);

	xs_watchdog_set_ms(LEASE_MS);
	w.queue->desc.read_index = (u64 __user *)16;
	fake_queue_remove(w.queue);
	w.queue = fake_queue_add_desc(test, &w.queue->desc);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, w.id + 1), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, xt->ids[0]), 0);
	xt_expect_held(test, w.queue, false);
	xt_expect_held(test, xt->queues[0], false);
	KUNIT_EXPECT_EQ(test, ejected(test, b), KFD_XSCHED_EJECT_WATCHDOG);
	KUNIT_EXPECT_EQ(test, ejected(test, c), KFD_XSCHED_EJECT_WATCHDOG);
}

static bool shows_two_holders(struct kunit *test, struct life *life)
{
	const u64 before = xs_ejections(KFD_XSCHED_EJECT_WATCHDOG);
	struct file *b = xt_open(test);
	bool in_time;
	unsigned int i;

	xs_watchdog_set_ms(2 * LEASE_MS);
	in_time = gives_sign(test, life, sign_hold, 0);
	xt_suspend(test, b, life->w.id);
	for (i = 0; in_time && i < 20; i++)
		in_time = gives_sign(test, life, sign_renew, 0) &&
			stays_held(test, life, LEASE_MS / 3);
	xs_watchdog_set_ms(XS_WATCHDOG_MS_MAX);
	in_time = in_time && gives_sign(test, life, sign_renew, 0) &&
		xs_ejections(KFD_XSCHED_EJECT_WATCHDOG) > before;
	if (in_time) {
		KUNIT_EXPECT_EQ(test, ejected(test, b), KFD_XSCHED_EJECT_WATCHDOG);
		KUNIT_EXPECT_EQ(test, xt_describe(test, life->file, life->w.id).holders, 1);
		KUNIT_EXPECT_TRUE(test, life->w.queue->held);
	}
	xt_close(test, b);
	return in_time;
}

/* Two hold the same queue: it waits for the one that is alive. */
static void one_of_two(struct kunit *test)
{
	try_life(test, shows_two_holders);
}

/* A timer runs while a queue is held, and once afterwards. */
static void timer(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched v = xt_add_watched(test, 0), w = xt_add_watched(test, 0);
	unsigned int i;

	xs_watchdog_set_ms(LEASE_MS);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
	for (i = 0; i < 3; i++) {
		xt_suspend(test, xt->files[0], w.id);
		xt_suspend(test, xt->files[0], v.id);
		KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 2);
		/* It is not while it looks around. */
		KUNIT_EXPECT_TRUE(test, xt_comes(xs_watchdog_armed()));
		xt_resume(test, xt->files[0], v.id);
		KUNIT_EXPECT_TRUE(test, xt_comes(xs_watchdog_armed()));
		xt_resume(test, xt->files[0], w.id);
		KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 0);
		KUNIT_EXPECT_TRUE(test, xt_comes(!xs_watchdog_armed()));
	}
	/* It goes on after it fired, and runs out after a queue that goes. */
	xt_suspend(test, xt->files[0], w.id);
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_watchdog_armed()));
	fake_queue_remove(w.queue);
	KUNIT_EXPECT_TRUE(test, xt_comes(!xs_watchdog_armed()));
	/* What can never run again is held by nobody. */
	xt->queues[1]->ret = -EACCES;
	xt_suspend(test, xt->files[0], xt->ids[1]);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
}

/* Held again before the timer has run out, and after: a silent client is ejected either way. */
static void held_again(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 1);
	struct file *b = xt_open(test);
	struct life life = { .file = xt->files[0], .w = w, .end_ns = U64_MAX };
	bool armed;

	xs_watchdog_set_ms(LEASE_MS);
	if (gives_sign(test, &life, sign_hold, 0)) {
		xt_resume(test, xt->files[0], w.id);
		armed = xs_watchdog_armed();
		if (is_in_time(&life))
			KUNIT_EXPECT_TRUE(test, armed);
		if (gives_sign(test, &life, sign_hold, 0))
			stays_held(test, &life, LEASE_MS / 2);
	}
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, xt->files[0]), KFD_XSCHED_EJECT_WATCHDOG);
	KUNIT_EXPECT_TRUE(test, xt_comes(!xs_watchdog_armed()));
	xt_suspend(test, b, w.id);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, b), KFD_XSCHED_EJECT_WATCHDOG);
}

/* A timer that is left over from a long lease is not too late for a short one. */
static void timer_is_left_over(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 1);

	xs_watchdog_set_ms(60000);
	xt_suspend(test, xt->files[0], w.id);
	xt_resume(test, xt->files[0], w.id);
	KUNIT_EXPECT_TRUE(test, xs_watchdog_armed());
	xs_watchdog_set_ms(LEASE_MS);
	xt_suspend(test, xt->files[0], w.id);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, xt->files[0]), KFD_XSCHED_EJECT_WATCHDOG);
}

/* A shorter lease begins with the next sign of life, not before. */
static void lease_becomes_shorter(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 1);
	struct kfd_xsched_renew arg;

	xs_watchdog_set_ms(60000);
	xt_suspend(test, xt->files[0], w.id);
	xs_watchdog_set_ms(LEASE_MS);
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	KUNIT_EXPECT_EQ(test, renew(test, xt->files[0], &arg), 0);
	KUNIT_EXPECT_EQ(test, arg.lease_ms, LEASE_MS);
	/* The timer must not sleep for the minute it was set to first. */
	xt_expect_held(test, w.queue, false);
}

/* Nobody can let queues run on a node that does not answer: that is looked at afterwards. */
static void call_on_its_way(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 1);

	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, w.id), 0);
	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, a, OP(SUSPEND), QUEUE, xt->ids[0], 7), 0);
	begin_short_lease(test, a);
	msleep(LONG_MS);
	KUNIT_EXPECT_EQ(test, xs_ejections(KFD_XSCHED_EJECT_WATCHDOG), 0);
	fake_answer(xt->node, 0);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, a), KFD_XSCHED_EJECT_WATCHDOG);
	/* What was promised comes all the same. */
	KUNIT_EXPECT_EQ(test, xt_read(test, a), 2);
	KUNIT_EXPECT_EQ(test, xt->events[0].type, KFD_XSCHED_EVENT_APPLY_DONE);
	KUNIT_EXPECT_EQ(test, xt->events[1].type, KFD_XSCHED_EVENT_EJECTED);
}

/* A call that waits for one node keeps nothing held on another. */
static void call_waits_for_another_node(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *other = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched_on(test, xt->process, other, 1);
	struct xt_call call;

	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, w.id), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[1]), 0);
	fake_hang(xt->node);
	xs_watchdog_set_ms(LEASE_MS);
	xt_start_do(test, &call, a, OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_TRUE(test, xt->queues[1]->held);
	KUNIT_EXPECT_EQ(test, xs_ejections(KFD_XSCHED_EJECT_WATCHDOG), 1);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, 0));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EOWNERDEAD);
	xt_expect_held(test, xt->queues[1], false);
	KUNIT_EXPECT_FALSE(test, xt->queues[0]->held);
}

/*
 * A node in a transaction of others is no excuse for who is in no call. Whether waves are saved is
 * asked when it is over, by a worker that waits for it.
 */
static void others_keep_the_node(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test), *c = xt_open(test);
	struct xt_watched busy = xt_add_watched(test, 1), saved = xt_add_watched(test, 0);
	struct xt_call call;

	saved.queue->saved = 1;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, b, busy.id), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, saved.id), 0);
	fake_hang(xt->node);
	xt_start_do(test, &call, xt->files[0], OP(SUSPEND), QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	begin_short_lease(test, b);
	begin_short_lease(test, c);
	KUNIT_EXPECT_TRUE(test, xt_comes(ejected_already(b)));
	KUNIT_EXPECT_FALSE(test, ejected_already(c));
	KUNIT_EXPECT_EQ(test, saved.queue->asked, 0);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
	xt_expect_held(test, busy.queue, false);
	xt_expect_held(test, saved.queue, false);
	KUNIT_EXPECT_TRUE(test, ejected_already(c));
}

/* An administrator does not wait for a call on its way: what it does is undone. */
static void eject_while_switching(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct kfd_xsched_renew who;
	u64 start;

	KUNIT_EXPECT_EQ(test, renew(test, b, &who), 0);
	xt->node->switch_ms = 100;
	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), PROCESS, xt->process->nr, 7), 0);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	fake_answer(xt->node, 0);
	start = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, xs_eject_number(who.client), 0);
	/* For the end of it half a second is waited. */
	if (ktime_get_ns() - start < 400 * NSEC_PER_MSEC)
		KUNIT_EXPECT_FALSE(test, fake_anything_held());
	KUNIT_EXPECT_TRUE(test, xt_comes(!fake_anything_held()));
	KUNIT_EXPECT_EQ(test, ejected(test, b), KFD_XSCHED_EJECT_ADMIN);
	KUNIT_EXPECT_EQ(test, xs_eject_number(who.client), -ESRCH);
}

/* The node's firmware does not answer: neither an administrator nor a close waits for it. */
static void hung_node_is_not_waited_for(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test), *c = xt_open(test);
	struct kfd_xsched_renew who;
	u64 start;

	KUNIT_EXPECT_EQ(test, renew(test, b, &who), 0);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, xt->ids[1]), 0);
	fake_hang(xt->node);
	KUNIT_EXPECT_EQ(test, xt_async(test, b, OP(SUSPEND), QUEUE, xt->ids[0], 7), 0);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	start = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, xs_eject_number(who.client), 0);
	xs_set_enabled(false);
	xs_set_enabled(true);
	KUNIT_EXPECT_LT(test, ktime_get_ns() - start, XT_PATIENCE_MS * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, fake_anything_held());
	fake_answer(xt->node, 0);
	xt_expect_held(test, xt->queues[0], false);
	xt_expect_held(test, xt->queues[1], false);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/*
 * The same in the middle of an APPLY that somebody waits for, on a tenant: it
 * ends with the client, and does not touch what is gone.
 */
static void eject_in_an_apply(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	const u64 tenant = xt_tenant(test, b, KFD_XSCHED_TENANT_CREATE, 0, 0);
	struct xt_call call, waiter;

	KUNIT_EXPECT_EQ(test, xt_tenant(test, b, KFD_XSCHED_TENANT_ADD, tenant,
					xt->process->nr), 0);
	fake_hang(xt->node);
	xt_start_do(test, &call, b, OP(SUSPEND), KFD_XSCHED_TARGET_TENANT, tenant);
	KUNIT_EXPECT_TRUE(test, xt_entered(xt->node));
	/* This one waits for the other: it is in the way. */
	xt_start_do(test, &waiter, b, OP(SUSPEND), KFD_XSCHED_TARGET_TENANT, tenant);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&waiter, 20));
	scoped_guard(rt_mutex, &xs_lock)
		KUNIT_EXPECT_TRUE(test, xs_eject_begin_locked(b->private_data));
	xs_eject(b->private_data, KFD_XSCHED_EJECT_ADMIN);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &waiter), -EOWNERDEAD);
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), -EOWNERDEAD);
	xt_expect_held(test, xt->queues[0], false);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
}

/* The node fails as the queue is to be released: it is tried until it works. */
static void release_is_retried(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 1);

	xt_suspend(test, xt->files[0], w.id);
	xt->node->fail = -EIO;
	begin_short_lease(test, xt->files[0]);
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_ejections(KFD_XSCHED_EJECT_WATCHDOG)));
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	KUNIT_EXPECT_EQ(test, ejected(test, xt->files[0]), KFD_XSCHED_EJECT_WATCHDOG);
	xt->node->fail = 0;
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_TRUE(test, xt_comes(!xs_watchdog_armed()));
}

/* By number or by process; other clients are left alone. */
static void eject_by_name(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test), *c = xt_open(test);
	struct kfd_xsched_renew arg;

	xt_suspend(test, a, xt->ids[0]);
	xt_suspend(test, b, xt->ids[0]);
	renew(test, b, &arg);
	KUNIT_EXPECT_EQ(test, xs_eject_number(0), -ESRCH);
	KUNIT_EXPECT_EQ(test, xs_eject_number(arg.client + 2), -ESRCH);
	KUNIT_EXPECT_EQ(test, xs_eject_number(arg.client), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
	KUNIT_EXPECT_EQ(test, xt_describe(test, a, xt->ids[0]).holders, 1);
	expect_dead(test, b, KFD_XSCHED_EJECT_ADMIN);
	KUNIT_EXPECT_EQ(test, xs_eject_pid(xt->process->nr), -ESRCH);
	KUNIT_EXPECT_EQ(test, xs_eject_pid(4000000), -ESRCH);
	/* This test opened them all. */
	KUNIT_EXPECT_EQ(test, xs_eject_pid(task_tgid_nr(current)), 0);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	expect_dead(test, a, KFD_XSCHED_EJECT_ADMIN);
	expect_dead(test, c, KFD_XSCHED_EJECT_ADMIN);
}

/* Disabled: clients that held are ejected, none can hold, releasing is allowed. */
static void disable(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test), *c = xt_open(test);
	const u64 nr = xt->process->nr;

	xt_do(test, a, OP(SUSPEND), PROCESS, nr, 0);
	xt_do(test, b, OP(SET_PRIORITY), QUEUE, xt->ids[1], 3);
	/* It held once: that is no reason. */
	xt_suspend(test, c, xt->ids[0]);
	xt_resume(test, c, xt->ids[0]);
	xs_set_enabled(false);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	expect_dead(test, a, KFD_XSCHED_EJECT_DISABLED);
	expect_dead(test, b, KFD_XSCHED_EJECT_DISABLED);
	KUNIT_EXPECT_EQ(test, ejected(test, c), KFD_XSCHED_EJECT_NONE);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, xt->ids[0]), -ECANCELED);
	KUNIT_EXPECT_EQ(test, xt_do(test, c, OP(SUSPEND), PROCESS, nr, 0), -ECANCELED);
	KUNIT_EXPECT_EQ(test, xt_do(test, c, OP(UNMAP), QUEUE, xt->ids[0], 0), -ECANCELED);
	KUNIT_EXPECT_EQ(test, xt_do(test, c, OP(SET_PRIORITY), QUEUE, xt->ids[0], 3), -ECANCELED);
	KUNIT_EXPECT_EQ(test, xt_do(test, c, OP(SET_PRIORITY), QUEUE, xt->ids[0], APP), 0);
	KUNIT_EXPECT_EQ(test, xt_resume(test, c, xt->ids[0]), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt_list(test, c), 3);
	KUNIT_EXPECT_FALSE(test, fake_anything_held());
	xs_set_enabled(true);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, c, xt->ids[0]), 0);
	KUNIT_EXPECT_TRUE(test, xt->queues[0]->held);
}

/**
 * struct sleep - how the system sleeps
 * @name: for the test's name
 * @before: notification of the kernel when it begins
 * @after: the same when it is over
 */
struct sleep {
	const char *name;
	unsigned long before;
	unsigned long after;
};

static const struct sleep sleeps[] = {
	{ "suspend", PM_SUSPEND_PREPARE, PM_POST_SUSPEND },
	{ "hibernation", PM_HIBERNATION_PREPARE, PM_POST_HIBERNATION },
	{ "restore", PM_RESTORE_PREPARE, PM_POST_RESTORE },
};

static void sleep_name(const struct sleep *sleep, char *name)
{
	strscpy(name, sleep->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sleep, sleeps, sleep_name);

/* Frozen clients are not silent: holds survive, and leases begin anew. */
static void system_sleeps(struct kunit *test)
{
	const struct sleep *sleep = test->param_value;
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_watched w = xt_add_watched(test, 1);
	struct life life = { .file = b, .w = w };

	xt_suspend(test, b, w.id);
	KUNIT_EXPECT_EQ(test, xs_pm_event(sleep->before), NOTIFY_OK);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
	begin_short_lease(test, b);
	KUNIT_EXPECT_FALSE(test, runs_within(w.queue, LONG_MS));
	/* Neither starts it what an administrator does, nor another hold. */
	xs_watchdog_set_ms(3 * LEASE_MS);
	xt_suspend(test, xt->files[0], xt->ids[0]);
	xt_resume(test, xt->files[0], xt->ids[0]);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
	life.end_ns = ktime_get_ns() + 3 * LEASE_MS * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, xs_pm_event(sleep->after), NOTIFY_OK);
	KUNIT_EXPECT_TRUE(test, xs_watchdog_armed() || !is_in_time(&life));
	stays_held(test, &life, 2 * LEASE_MS);
	xt_expect_held(test, w.queue, false);
	KUNIT_EXPECT_EQ(test, ejected(test, b), KFD_XSCHED_EJECT_WATCHDOG);
}

/* Nothing is held: no timer, before as after; and other news are nothing to it. */
static void system_sleeps_idle(struct kunit *test)
{
	xs_pm_event(PM_SUSPEND_PREPARE);
	xs_pm_event(PM_POST_SUSPEND);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
	KUNIT_EXPECT_EQ(test, xs_pm_event(0), NOTIFY_DONE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(silent_holder),
	KUNIT_CASE(lease_is_kept),
	KUNIT_CASE(any_call_is_a_sign),
	KUNIT_CASE_PARAM(system_sleeps, sleep_gen_params),
	KUNIT_CASE(system_sleeps_idle),
	KUNIT_CASE(idle_is_no_reason),
	KUNIT_CASE(saved_waves),
	KUNIT_CASE(address_space_is_left),
	KUNIT_CASE(born_held),
	KUNIT_CASE(unknown_is_work),
	KUNIT_CASE(one_of_two),
	KUNIT_CASE(timer),
	KUNIT_CASE(held_again),
	KUNIT_CASE(timer_is_left_over),
	KUNIT_CASE(lease_becomes_shorter),
	KUNIT_CASE(call_on_its_way),
	KUNIT_CASE(call_waits_for_another_node),
	KUNIT_CASE(others_keep_the_node),
	KUNIT_CASE(eject_while_switching),
	KUNIT_CASE(hung_node_is_not_waited_for),
	KUNIT_CASE(eject_in_an_apply),
	KUNIT_CASE(release_is_retried),
	KUNIT_CASE(eject_by_name),
	KUNIT_CASE(disable),
	{}
};

static struct kunit_suite suite = {
	.name = "watchdog",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
