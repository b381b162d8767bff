// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parks: a process without work leaves the hardware, and comes back whatever happens.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/time64.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "core.h"
#include "files.h"
#include "front/front.h"
#include "model/node.h"
#include "model/park.h"
#include "model/process.h"
#include "model/queue.h"
#include "watch/watch.h"
#include "watched.h"

#define OP(_op)		KFD_XSCHED_OP_##_op
#define QUEUE		KFD_XSCHED_TARGET_QUEUE
#define PROCESS		KFD_XSCHED_TARGET_PROCESS
#define PARKED		KFD_XSCHED_QUEUE_PARKED
#define HELD		KFD_XSCHED_QUEUE_HELD
#define WHY(_why)	KFD_XSCHED_RESIDENT_##_why
#define NODE_A		"class/kfd_xsched/node4661/"
#define NODE_B		"class/kfd_xsched/node4662/"
#define PARKABLE	(FAKE_CAPS | KFD_XSCHED_CAP_TAP | KFD_XSCHED_CAP_PARK)
#define IDLE_MS		KFD_XSCHED_PARK_MS_MIN

/* Longer than a process takes that is to be parked. */
#define LATER_MS	200

static struct xs_hw_node *node_a, *node_b;
static struct xs_hw_process *process;

/* Two nodes on which processes can be parked, and one that is on none yet. */
static int init(struct kunit *test)
{
	const int ret = xt_init(test);

	if (ret)
		return ret;
	node_a = fake_node_add(test, XT_GPU + 1, PARKABLE);
	node_b = fake_node_add(test, XT_GPU + 2, PARKABLE);
	process = fake_process_add(test, XT_UID);
	xt_sysfs_write(test, NODE_A "park_batch_ms", "1");
	xt_sysfs_write(test, NODE_B "park_batch_ms", "1");
	return 0;
}

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

static struct xt_watched add(struct kunit *test, struct xs_hw_node *node)
{
	return xt_add_watched_on(test, process, node, 0);
}

/* It is to be parked as soon as can be. */
static void wish(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, process->nr,
				      IDLE_MS), 0);
}

/* It may stay parked, and is not again if it comes back. */
static void calm(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, process->nr,
				      KFD_XSCHED_PARK_MS_MAX), 0);
}

static void ring(struct kunit *test, struct xs_hw_node *node)
{
	calm(test);
	fake_ring(process, node);
}

/* So many transactions, soon. */
static void expect_sent(struct kunit *test, struct xs_hw_node *node, unsigned int count)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(node->transactions) >= count));
	KUNIT_EXPECT_EQ(test, node->transactions, count);
}

static u32 state_of(struct kunit *test, const struct xt_watched *w)
{
	return xt_describe(test, client(test), w->id).state;
}

static u32 why(struct kunit *test, const struct xt_watched *w)
{
	return xt_describe(test, client(test), w->id).resident;
}

static enum xs_park_state park_state(const struct xt_watched *w)
{
	enum xs_park_state state;

	scoped_guard(rt_mutex, &xs_lock)
		state = xs_queue_find_locked(w->id)->pdd->process->park.state;
	return state;
}

static void expect_parked(struct kunit *test, const struct xt_watched *w)
{
	KUNIT_ASSERT_TRUE(test, xt_comes(park_state(w) == XS_PARK_PARKED));
	KUNIT_EXPECT_TRUE(test, w->queue->held);
}

static void expect_back(struct kunit *test, const struct xt_watched *w)
{
	xt_expect_held(test, w->queue, false);
}

/* It is not parked, for long, and that is why. */
static void expect_resident(struct kunit *test, const struct xt_watched *w, u32 reasons)
{
	msleep(LATER_MS);
	KUNIT_EXPECT_EQ(test, park_state(w), XS_PARK_RESIDENT);
	KUNIT_EXPECT_FALSE(test, w->queue->held);
	KUNIT_EXPECT_EQ(test, why(test, w) & reasons, reasons);
}

/* That none could be parked is known without a look at it, and takes no doorbells away. */
static void expect_not_watched(struct kunit *test)
{
	const struct xs_sampler_counts counts = xs_sampler_counts();

	KUNIT_EXPECT_EQ(test, counts.sampled, 0);
	KUNIT_EXPECT_EQ(test, counts.tapped, 0);
}

/**
 * struct look - a look at a process, in a thread that has no address space
 * @work: does it
 * @id: of a queue of it
 * @first: see xs_quiet_look_locked()
 * @quiet: what that returned
 */
struct look {
	struct work_struct work;
	u64 id;
	bool first;
	bool quiet;
};

static void look_work(struct work_struct *work)
{
	struct look *look = container_of(work, struct look, work);

	guard(rt_mutex)(&xs_lock);
	look->quiet = xs_quiet_look_locked(xs_queue_find_locked(look->id)->pdd->process,
					   look->first);
}

static bool is_quiet(const struct xt_watched *w, bool first)
{
	struct look look = { .id = w->id, .first = first };

	INIT_WORK_ONSTACK(&look.work, look_work);
	schedule_work(&look.work);
	flush_work(&look.work);
	destroy_work_on_stack(&look.work);
	return look.quiet;
}

/**
 * struct woken - a call of xs_park_woken()
 * @work: calls it
 * @done: it has returned
 */
struct woken {
	struct work_struct work;
	struct completion done;
};

static void woken_work(struct work_struct *work)
{
	struct woken *woken = container_of(work, struct woken, work);

	xs_park_woken();
	complete(&woken->done);
}

/* ---- when ------------------------------------------------------------------ */

/* The idle time is what was asked for, or more where a return costs much. */
static void idle_time(struct kunit *test)
{
	const u64 cost_ns = 300 * NSEC_PER_USEC;

	KUNIT_EXPECT_EQ(test, xs_park_idle_ns(200, 0, 0), 200 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, xs_park_idle_ns(200, cost_ns, 0), XS_PARK_WORTH * cost_ns);
	KUNIT_EXPECT_EQ(test, xs_park_idle_ns(500, cost_ns, 0), 500 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, xs_park_idle_ns(500, cost_ns, 3), 4ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, xs_park_idle_ns(KFD_XSCHED_PARK_MS_MAX, 0, XS_PARK_SHIFT_MAX),
			64ULL * 3600 * NSEC_PER_SEC);
}

/* Short parks make it longer, long ones shorter, both within limits. */
static void idle_time_adapts(struct kunit *test)
{
	const u64 cost_ns = 100, worth_ns = XS_PARK_WORTH * cost_ns;
	u32 shift = 0, i;

	KUNIT_EXPECT_EQ(test, xs_park_shift_next(0, worth_ns, cost_ns), 0);
	for (i = 0; i < 2 * XS_PARK_SHIFT_MAX; i++)
		shift = xs_park_shift_next(shift, worth_ns - 1, cost_ns);
	KUNIT_EXPECT_EQ(test, shift, XS_PARK_SHIFT_MAX);
	KUNIT_EXPECT_EQ(test, xs_park_shift_next(shift, worth_ns, cost_ns),
			XS_PARK_SHIFT_MAX - 1);
	/* One in vain counts also where nothing is known of costs. */
	KUNIT_EXPECT_EQ(test, xs_park_shift_next(0, 0, 0), 1);
}

/* Unless somebody asks for it, an idle process stays where it is. */
static void off_by_default(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	expect_resident(test, &w, WHY(OFF));
	KUNIT_EXPECT_EQ(test, node_a->transactions, 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, XT_GLOBAL "statistics/parked"), "0\n");
}

/* It leaves without being anybody's hold, and its ring brings it back, with an event. */
static void leaves_and_returns(struct kunit *test)
{
	struct xt_watched v = add(test, node_a), w = add(test, node_a);
	struct kfd_xsched_queue queue;

	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_TRUE(test, v.queue->held);
	KUNIT_EXPECT_FALSE(test, process->hold_new);
	queue = xt_describe(test, client(test), w.id);
	KUNIT_EXPECT_EQ(test, queue.state & (PARKED | HELD | KFD_XSCHED_QUEUE_ACTIVE), PARKED);
	KUNIT_EXPECT_EQ(test, queue.holders, 0);
	KUNIT_EXPECT_EQ(test, queue.held_ns, 0);
	KUNIT_EXPECT_EQ(test, queue.preemptions, 0);
	KUNIT_EXPECT_EQ(test, queue.resident, 0);
	KUNIT_EXPECT_NE(test, queue.parked_ns, 0);
	KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 0);
	KUNIT_EXPECT_FALSE(test, xs_watchdog_armed());
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, XT_GLOBAL "statistics/parked"), "1\n");
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE_A "statistics/parks"), "1\n");
	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	xt_set_indices(test, &w, 0, 1);
	ring(test, node_a);
	xt_expect_event(test, client(test), &w, XT_READY);
	expect_back(test, &w);
	expect_back(test, &v);
	queue = xt_describe(test, client(test), w.id);
	KUNIT_EXPECT_EQ(test, queue.returns, 1);
	KUNIT_EXPECT_EQ(test, queue.parked_ns, 0);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE_A "statistics/returns"), "1\n");
	xt_set_indices(test, &w, 1, 1);
	wish(test);
	expect_parked(test, &w);
}

/* Unless a process came back, those who look do not wait for the lock. */
static void woken_takes_no_lock(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	struct woken woken;
	unsigned long left;

	wish(test);
	expect_parked(test, &w);
	ring(test, node_a);
	expect_back(test, &w);
	init_completion(&woken.done);
	INIT_WORK_ONSTACK(&woken.work, woken_work);
	scoped_guard(rt_mutex, &xs_lock) {
		schedule_work(&woken.work);
		left = wait_for_completion_timeout(&woken.done, msecs_to_jiffies(LATER_MS));
	}
	flush_work(&woken.work);
	destroy_work_on_stack(&woken.work);
	KUNIT_EXPECT_NE(test, left, 0);
}

/* While it is parked nothing looks at it, not even at what changes without a ring. */
static void nobody_looks(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	unsigned int asked, counts;

	wish(test);
	expect_parked(test, &w);
	asked = w.queue->asked;
	counts = node_a->counts;
	xt_set_indices(test, &w, 0, 1);
	msleep(LATER_MS);
	KUNIT_EXPECT_EQ(test, w.queue->asked, asked);
	KUNIT_EXPECT_EQ(test, node_a->counts, counts);
	KUNIT_EXPECT_EQ(test, xs_sampler_counts().sampled, 0);
	KUNIT_EXPECT_EQ(test, park_state(&w), XS_PARK_PARKED);
}

/* It leaves all of its nodes or none, and a ring on one brings back all. */
static void all_nodes_or_none(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = xt_add_watched_on(test, process, node_b, 1);

	wish(test);
	expect_resident(test, &a, WHY(BUSY));
	xt_set_indices(test, &b, 1, 1);
	expect_parked(test, &a);
	KUNIT_EXPECT_TRUE(test, b.queue->held);
	expect_sent(test, node_a, 1);
	expect_sent(test, node_b, 1);
	ring(test, node_b);
	expect_back(test, &a);
	expect_back(test, &b);
	expect_sent(test, node_a, 2);
	expect_sent(test, node_b, 2);
}

/* Again and again, also where the ring is in vain. */
static void many_times(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = add(test, node_b);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		wish(test);
		expect_parked(test, &a);
		if (i % 3)
			xt_set_indices(test, &b, i, i + 1);
		ring(test, i % 2 ? node_a : node_b);
		expect_back(test, &a);
		expect_back(test, &b);
		xt_set_indices(test, &b, i + 1, i + 1);
	}
	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), a.id).returns, i);
}

/* ---- beside other reasons --------------------------------------------------- */

/* A hold of what is parked costs nothing; a ring lifts the park alone, and is READY. */
static void held_while_parked(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	unsigned int sent;

	wish(test);
	expect_parked(test, &w);
	sent = node_a->transactions;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), w.id), 0);
	KUNIT_EXPECT_EQ(test, node_a->transactions, sent);
	KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 1);
	KUNIT_EXPECT_EQ(test, state_of(test, &w) & (PARKED | HELD), PARKED | HELD);
	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	xt_set_indices(test, &w, 0, 1);
	ring(test, node_a);
	xt_expect_event(test, client(test), &w, XT_READY);
	KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_RESIDENT));
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, node_a->transactions, sent);
	KUNIT_EXPECT_EQ(test, state_of(test, &w) & (PARKED | HELD), HELD);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), w.id), 0);
	KUNIT_EXPECT_FALSE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 0);
}

/* What is held is parked as well, and stays so when it is released. */
static void parked_while_held(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	unsigned int sent;

	/* Once it is held, it could not be known any more to have no work. */
	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(fake_tap_of(process, node_a)->armed)));
	KUNIT_ASSERT_EQ(test, xt_do(test, client(test), OP(UNMAP), PROCESS, process->nr, 0), 0);
	sent = node_a->transactions;
	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, node_a->transactions, sent);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(RESUME), PROCESS, process->nr, 0), 0);
	KUNIT_EXPECT_EQ(test, node_a->transactions, sent);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, xs_watchdog_count(), 0);
	KUNIT_EXPECT_EQ(test, state_of(test, &w) & (PARKED | HELD), PARKED);
	ring(test, node_a);
	expect_back(test, &w);
}

/* A process that waits for its turn with work is not idle. */
static void held_with_work(struct kunit *test)
{
	struct xt_watched w = xt_add_watched_on(test, process, node_a, 1);

	KUNIT_ASSERT_EQ(test, xt_suspend(test, client(test), w.id), 0);
	wish(test);
	msleep(LATER_MS);
	KUNIT_EXPECT_EQ(test, park_state(&w), XS_PARK_RESIDENT);
	KUNIT_EXPECT_EQ(test, why(test, &w) & WHY(BUSY), WHY(BUSY));
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), w.id), 0);
	expect_back(test, &w);
}

/* A queue that is off for another reason is parked, and comes back for none. */
static void evicted(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	w.queue->reasons = KFD_XSCHED_QUEUE_EVICTED;
	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, node_a->transactions, 0);
	ring(test, node_a);
	expect_back(test, &w);
	KUNIT_EXPECT_EQ(test, node_a->transactions, 0);
}

/* A priority of what is parked is in effect when it is back. */
static void priority_while_parked(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, xt_do(test, client(test), OP(SET_PRIORITY), QUEUE, w.id, 3), 0);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, w.queue->override, 3);
	ring(test, node_a);
	expect_back(test, &w);
	KUNIT_EXPECT_EQ(test, w.queue->override, 3);
}

/* ---- with whose switch ------------------------------------------------------ */

/* One that is to leave goes with the switch of somebody else. */
static void goes_along(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched w = add(test, node_a), its = xt_add_watched_on(test, other, node_a, 1);

	xt_sysfs_write(test, NODE_A "park_batch_ms", "10000");
	wish(test);
	KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_GOING));
	msleep(LATER_MS);
	KUNIT_EXPECT_EQ(test, node_a->transactions, 0);
	KUNIT_EXPECT_FALSE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), its.id), 0);
	KUNIT_EXPECT_EQ(test, node_a->transactions, 1);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), its.id), 0);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
}

/* On MES it does not: who switches would wait for it. */
static void goes_alone_on_mes(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched w = add(test, node_a), its = xt_add_watched_on(test, other, node_a, 1);

	scoped_guard(rt_mutex, &xs_lock)
		xs_node_find_locked(node_a)->desc.backend = KFD_XSCHED_BACKEND_MES;
	xt_sysfs_write(test, NODE_A "park_batch_ms", "10000");
	wish(test);
	KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_GOING));
	KUNIT_EXPECT_EQ(test, xt_suspend(test, client(test), its.id), 0);
	KUNIT_EXPECT_FALSE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, xt_resume(test, client(test), its.id), 0);
	/* A ring before it has left costs nobody anything. */
	ring(test, node_a);
	KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_RESIDENT));
	expect_sent(test, node_a, 2);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, NODE_A "statistics/returns"), "0\n");
}

/* Those that leave within a while have one transaction. */
static void go_together(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched w = add(test, node_a), its = xt_add_watched_on(test, other, node_a, 0);

	xt_sysfs_write(test, NODE_A "park_batch_ms", "1000");
	wish(test);
	KUNIT_EXPECT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, other->nr, IDLE_MS),
			0);
	expect_parked(test, &w);
	expect_parked(test, &its);
	expect_sent(test, node_a, 1);
	KUNIT_EXPECT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, other->nr,
				      KFD_XSCHED_PARK_MS_MAX), 0);
	fake_ring(other, node_a);
	expect_back(test, &its);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
}

/* ---- never at a loss -------------------------------------------------------- */

/* A ring during the transaction that takes it off brings it back when that is over. */
static void ring_while_it_leaves(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = add(test, node_b);

	fake_hang(node_a);
	wish(test);
	KUNIT_ASSERT_TRUE(test, xt_entered(node_a));
	xt_set_indices(test, &b, 0, 1);
	ring(test, node_b);
	/* That node waits for no other. */
	expect_back(test, &b);
	KUNIT_EXPECT_EQ(test, park_state(&a), XS_PARK_RESIDENT);
	fake_answer(node_a, 0);
	expect_sent(test, node_a, 2);
	expect_back(test, &a);
}

/* A ring on a node that does not answer brings it back on the others. */
static void ring_beside_a_hang(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched a = add(test, node_a), b = add(test, node_b);
	struct xt_watched its = xt_add_watched_on(test, other, node_a, 1);

	wish(test);
	expect_parked(test, &a);
	fake_hang(node_a);
	KUNIT_ASSERT_EQ(test, xt_async(test, client(test), OP(SUSPEND), QUEUE, its.id, 0), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(node_a));
	ring(test, node_a);
	expect_back(test, &b);
	KUNIT_EXPECT_TRUE(test, a.queue->held);
	fake_answer(node_a, 0);
	expect_back(test, &a);
}

/* The last look has found nothing, and it rings: then it is not parked. */
static void ring_before_it_leaves(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	struct xs_process *mine;

	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(fake_tap_of(process, node_a)->armed)));
	KUNIT_EXPECT_TRUE(test, is_quiet(&w, true));
	KUNIT_EXPECT_TRUE(test, is_quiet(&w, false));
	guard(rt_mutex)(&xs_lock);
	mine = xs_queue_find_locked(w.id)->pdd->process;
	xs_doorbell_rang(process, node_a);
	KUNIT_EXPECT_FALSE(test, xs_sampler_park_locked(mine));
	KUNIT_EXPECT_EQ(test, mine->park.state, XS_PARK_RESIDENT);
}

/* Whenever it rings on its way, it is back soon after, and its work is seen. */
static void ring_at_any_time(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	unsigned int i;

	xt_subscribe(test, client(test), XT_ACTIVITY, 1000, 0);
	for (i = 0; i < 40; i++) {
		wish(test);
		usleep_range(1000 * i, 1000 * i + 500);
		xt_set_indices(test, &w, i, i + 1);
		ring(test, node_a);
		xt_expect_event(test, client(test), &w, XT_READY);
		KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_RESIDENT));
		expect_back(test, &w);
		xt_set_indices(test, &w, i + 1, i + 1);
		xt_expect_event(test, client(test), &w, XT_IDLE);
	}
}

/* A ring that a GPU has made shows in what was written, though nothing waits any more. */
static void ring_of_a_gpu(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	KUNIT_EXPECT_TRUE(test, is_quiet(&w, true));
	xt_set_indices(test, &w, 1, 1);
	KUNIT_EXPECT_FALSE(test, is_quiet(&w, false));
	KUNIT_EXPECT_TRUE(test, is_quiet(&w, true));
	KUNIT_EXPECT_TRUE(test, is_quiet(&w, false));
	xt_set_indices(test, &w, 1, 2);
	KUNIT_EXPECT_FALSE(test, is_quiet(&w, true));
}

/* Work that could not be seen is saved as it leaves: it comes back by itself. */
static void work_was_saved(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	w.queue->saved = 1;
	wish(test);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_describe(test, client(test), w.id).returns));
	expect_back(test, &w);
	KUNIT_EXPECT_GE(test, node_a->transactions, 2);
	/* Then it is left alone for longer; and at last it is over. */
	w.queue->saved = 0;
	expect_parked(test, &w);
}

/* What was saved is not known yet: it is asked once more. */
static void saved_is_not_known_yet(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	w.queue->saved = -EBUSY;
	wish(test);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(w.queue->asked) > 2));
	KUNIT_EXPECT_EQ(test, park_state(&w), XS_PARK_GOING);
	WRITE_ONCE(w.queue->saved, 0);
	expect_parked(test, &w);
}

/* One that is on its way back is not off, though that transaction is not over. */
static void coming_back_is_not_off(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	wish(test);
	expect_parked(test, &w);
	fake_hang(node_a);
	KUNIT_ASSERT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_CLEAR, process->nr, 0), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(node_a));
	scoped_guard(rt_mutex, &xs_lock)
		KUNIT_EXPECT_EQ(test,
				xs_quiet_saved_locked(xs_queue_find_locked(w.id)->pdd->process),
				-EINPROGRESS);
	fake_answer(node_a, 0);
	expect_back(test, &w);
}

/* A node that does not let its queues go has them back. */
static void fails_to_leave(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = add(test, node_b);

	node_a->fail = -EIO;
	node_a->fail_half = true;
	wish(test);
	KUNIT_EXPECT_TRUE(test, xt_comes(xt_describe(test, client(test), b.id).returns));
	expect_back(test, &b);
	KUNIT_EXPECT_EQ(test, why(test, &b) & WHY(SHUT), WHY(SHUT));
	node_a->fail = 0;
	expect_back(test, &a);
}

/* A return that fails is tried again. */
static void fails_to_return(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	wish(test);
	expect_parked(test, &w);
	node_a->fail = -EIO;
	ring(test, node_a);
	KUNIT_EXPECT_TRUE(test, xt_comes(park_state(&w) == XS_PARK_RESIDENT));
	msleep(20);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	node_a->fail = 0;
	expect_back(test, &w);
}

/* A queue that comes runs at once, and the others with it. */
static void new_queue(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b;

	wish(test);
	expect_parked(test, &a);
	calm(test);
	b = add(test, node_b);
	KUNIT_EXPECT_FALSE(test, b.queue->held);
	expect_back(test, &a);
	wish(test);
	expect_parked(test, &a);
	KUNIT_EXPECT_TRUE(test, b.queue->held);
}

/* A copy queue, which has read up to 64. */
static struct xt_watched add_copies(struct kunit *test, u64 written)
{
	struct xt_watched copies = { .indices = xt_alloc(test, 16) };
	const struct xs_hw_queue_desc desc = {
		.node = node_a,
		.process = process,
		.type = KFD_XSCHED_QUEUE_SDMA,
		.indices_show_idle = true,
		.read_index = (u64 __user *)copies.indices,
		.write_index = (u64 __user *)(copies.indices + 8),
	};

	xt_set_indices(test, &copies, 64, written);
	copies.queue = fake_queue_add_desc(test, &desc);
	KUNIT_ASSERT_NOT_NULL(test, copies.queue);
	return copies;
}

/* The last queue goes of which rings are seen: what else is there comes back. */
static void last_watched_queue_goes(struct kunit *test)
{
	struct xt_watched w = add(test, node_a), copies = add_copies(test, 64);

	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_TRUE(test, copies.queue->held);
	fake_queue_remove(w.queue);
	xt_expect_held(test, copies.queue, false);
}

/* A copy that waits is work. */
static void copies_are_work(struct kunit *test)
{
	struct xt_watched w = add(test, node_a), copies = add_copies(test, 128);

	wish(test);
	expect_resident(test, &w, 0);
	xt_set_indices(test, &copies, 128, 128);
	expect_parked(test, &w);
	KUNIT_EXPECT_TRUE(test, copies.queue->held);
}

/* Its exit preempts nobody, and leaves nothing behind. */
static void exits_while_parked(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched w = xt_add_watched_on(test, other, node_a, 0);
	unsigned int sent;

	KUNIT_ASSERT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, other->nr, IDLE_MS),
			0);
	expect_parked(test, &w);
	sent = node_a->transactions;
	fake_process_exit(other);
	KUNIT_EXPECT_EQ(test, node_a->transactions, sent);
	KUNIT_EXPECT_EQ(test, xs_park_count(), 0);
}

/* What a process has become by execve() comes while its former address space goes. */
static void executes_while_parked(struct kunit *test)
{
	struct xt_watched w = add(test, node_a), fresh;
	struct xs_hw_process *space;

	wish(test);
	expect_parked(test, &w);
	calm(test);
	scoped_guard(rt_mutex, &xs_lock)
		xs_queue_find_locked(w.id)->pdd->process->park.exits = true;
	space = fake_space_add(test, process);
	fresh = xt_add_watched_on(test, space, node_a, 0);
	KUNIT_EXPECT_FALSE(test, fresh.queue->held);
	expect_back(test, &w);
}

/* One of its address spaces goes: what is left comes back. */
static void space_goes_while_parked(struct kunit *test)
{
	struct xs_hw_process *space = fake_space_add(test, process);
	struct xt_watched w = add(test, node_a);
	struct xt_watched other = xt_add_watched_on(test, space, node_b, 0);

	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_TRUE(test, other.queue->held);
	calm(test);
	fake_process_exit(space);
	expect_back(test, &w);
}

/* All come back when the breaker of a node opens. */
static void breaker_opens(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = add(test, node_b);

	wish(test);
	expect_parked(test, &a);
	xs_news->preempt_failed(node_b, NULL);
	expect_back(test, &a);
	expect_back(test, &b);
	expect_resident(test, &a, WHY(SHUT));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, NODE_B "breaker", "closed"), 0);
	expect_parked(test, &a);
}

/* The module goes while a process is parked, and is started again. */
static void stop_while_parked(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = add(test, node_a);

	xt_sysfs_write(test, NODE_A "park_ms", "10");
	expect_parked(test, &w);
	xt_close(test, xt->files[0]);
	xs_core_stop();
	fake_remove_all();
	fake_reset();
	KUNIT_EXPECT_EQ(test, xs_park_count(), 0);
	KUNIT_ASSERT_EQ(test, xs_core_start(&fake_backend), 0);
	xt_open(test);
}

/* ---- who is not ------------------------------------------------------------- */

/* A queue of which nothing can be known keeps its process. */
static void blind(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	fake_queue_add(test, process, node_a);
	wish(test);
	expect_resident(test, &w, WHY(BLIND));
	expect_not_watched(test);
}

/* On several nodes all waves have to be counted. */
static void waves_are_not_counted(struct kunit *test)
{
	struct xt_watched a, b;

	scoped_guard(rt_mutex, &xs_lock)
		xs_node_find_locked(node_b)->desc.caps &= ~KFD_XSCHED_CAP_WAVES;
	b = add(test, node_b);
	wish(test);
	expect_parked(test, &b);
	a = add(test, node_a);
	/* For good. */
	expect_back(test, &b);
	expect_resident(test, &a, WHY(BLIND));
}

/* Where somebody else can ring, no ring is relied on. */
static void shared(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	WRITE_ONCE(fake_tap_of(process, node_a)->shared, true);
	wish(test);
	expect_resident(test, &w, WHY(SHARED));
}

/* Nor where doorbells cannot be taken away, or must not be. */
static void untapped(struct kunit *test)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.flags = KFD_XSCHED_SUBSCRIBE_NO_TAP,
		.events = XT_ACTIVITY,
		.sample_us = 1000,
	};
	struct xt_watched w = add(test, node_a);
	struct file *b = xt_open(test);

	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, b, KFD_XSCHED_SUBSCRIBE, &arg, sizeof(arg)), 0);
	expect_back(test, &w);
	expect_resident(test, &w, WHY(UNTAPPED));
	xt_close(test, b);
	expect_parked(test, &w);
	fake_tap_of(process, node_a)->ret = -EOPNOTSUPP;
	ring(test, node_a);
	expect_back(test, &w);
	expect_resident(test, &w, WHY(UNTAPPED));
}

/* A node that cannot do it keeps a process on all. */
static void node_without(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = add(test, node_a);

	xt_add_watched_on(test, process, xt->node, 0);
	wish(test);
	expect_resident(test, &w, WHY(UNTAPPED));
	expect_not_watched(test);
}

static struct xs_payer payer_of(const struct xt_watched *w)
{
	struct xs_payer payer;

	scoped_guard(rt_mutex, &xs_lock)
		payer = xs_queue_find_locked(w->id)->payer;
	return payer;
}

static bool may(struct xs_payer payer)
{
	bool good;

	scoped_guard(rt_mutex, &xs_lock)
		good = xs_rates_may(&xs_node_find_locked(node_a)->rates, payer, ktime_get_ns());
	return good;
}

/* A return counts, and is not refused: who has spent all stays where he is. */
static void returns_are_paid_for(struct kunit *test)
{
	const struct xs_payer user = { .user = KUIDT_INIT(XT_UID) };
	struct xt_watched w = add(test, node_a);

	scoped_guard(rt_mutex, &xs_lock)
		xs_queue_find_locked(w.id)->payer = user;
	xt_sysfs_write(test, NODE_A "user_rate", "1");
	xt_sysfs_write(test, NODE_A "user_burst", "1");
	KUNIT_EXPECT_TRUE(test, uid_eq(payer_of(&w).user, user.user));
	wish(test);
	expect_parked(test, &w);
	KUNIT_EXPECT_TRUE(test, may(user));
	fake_ring(process, node_a);
	expect_back(test, &w);
	KUNIT_EXPECT_FALSE(test, may(user));
	expect_resident(test, &w, WHY(RATE));
	xt_sysfs_write(test, NODE_A "user_rate", "0");
	expect_parked(test, &w);
}

/* ---- who says so ------------------------------------------------------------ */

/* With a client goes what it said; and of several the latest counts. */
static void wishes(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);
	struct file *b = xt_open(test);

	KUNIT_EXPECT_EQ(test, xt_park(test, b, KFD_XSCHED_PARK_CLEAR, process->nr, 0), -EALREADY);
	KUNIT_EXPECT_EQ(test, xt_park(test, b, KFD_XSCHED_PARK_SET, process->nr, IDLE_MS), 0);
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, process->nr, 0), 0);
	expect_back(test, &w);
	expect_resident(test, &w, WHY(OFF));
	KUNIT_EXPECT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_CLEAR, process->nr, 0), 0);
	expect_parked(test, &w);
	xt_close(test, b);
	expect_back(test, &w);
	expect_resident(test, &w, WHY(OFF));
}

/* Another user's process is none of one's business; nor is what is not there. */
static void permissions(struct kunit *test)
{
	struct file *b;

	add(test, node_a);
	b = xt_open_as(test, XT_OTHER_UID);
	xt_become(test, XT_OTHER_UID);
	KUNIT_EXPECT_EQ(test, xt_park(test, b, KFD_XSCHED_PARK_SET, process->nr, IDLE_MS), -EPERM);
	KUNIT_EXPECT_EQ(test, xt_park(test, b, KFD_XSCHED_PARK_CLEAR, process->nr, 0), -EALREADY);
	xt_unbecome(test);
	KUNIT_EXPECT_EQ(test, xt_park(test, b, KFD_XSCHED_PARK_SET, 0, IDLE_MS), -ENOENT);
}

/* What makes no sense is refused. */
static void bad_arguments(struct kunit *test)
{
	struct file *file = client(test);

	add(test, node_a);
	KUNIT_EXPECT_EQ(test, xt_park(test, file, 0, process->nr, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_park(test, file, KFD_XSCHED_PARK_CLEAR + 1, process->nr, 0),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, xt_park(test, file, KFD_XSCHED_PARK_CLEAR, process->nr, IDLE_MS),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, xt_park(test, file, KFD_XSCHED_PARK_SET, process->nr,
				      KFD_XSCHED_PARK_MS_MIN - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, xt_park(test, file, KFD_XSCHED_PARK_SET, process->nr,
				      KFD_XSCHED_PARK_MS_MAX + 1), -EINVAL);
}

/* The nodes' own time counts where no client says anything: all of them have to want it. */
static void by_node(struct kunit *test)
{
	struct xt_watched a = add(test, node_a), b = add(test, node_b);

	xt_sysfs_write(test, NODE_A "park_ms", "20");
	expect_resident(test, &a, WHY(OFF));
	xt_sysfs_write(test, NODE_B "park_ms", "20");
	expect_parked(test, &a);
	KUNIT_EXPECT_TRUE(test, b.queue->held);
	xt_sysfs_write(test, NODE_A "park_ms", "0");
	expect_back(test, &a);
	expect_back(test, &b);
	xt_sysfs_write(test, NODE_B "park_ms", "0");
}

/* Disabled, the module parks nobody: all run when the write returns. */
static void disabled(struct kunit *test)
{
	struct xt_watched w = add(test, node_a);

	xt_sysfs_write(test, NODE_A "park_ms", "20");
	expect_parked(test, &w);
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "0"), 0);
	KUNIT_EXPECT_FALSE(test, w.queue->held);
	KUNIT_EXPECT_EQ(test, xt_park(test, client(test), KFD_XSCHED_PARK_SET, process->nr, IDLE_MS),
			-ECANCELED);
	expect_resident(test, &w, WHY(OFF));
	KUNIT_EXPECT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "enabled", "1"), 0);
	xt_sysfs_write(test, NODE_A "park_ms", "0");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(idle_time),
	KUNIT_CASE(idle_time_adapts),
	KUNIT_CASE(off_by_default),
	KUNIT_CASE(leaves_and_returns),
	KUNIT_CASE(woken_takes_no_lock),
	KUNIT_CASE(nobody_looks),
	KUNIT_CASE(all_nodes_or_none),
	KUNIT_CASE(many_times),
	KUNIT_CASE(held_while_parked),
	KUNIT_CASE(parked_while_held),
	KUNIT_CASE(held_with_work),
	KUNIT_CASE(evicted),
	KUNIT_CASE(priority_while_parked),
	KUNIT_CASE(goes_along),
	KUNIT_CASE(goes_alone_on_mes),
	KUNIT_CASE(go_together),
	KUNIT_CASE(ring_while_it_leaves),
	KUNIT_CASE(ring_beside_a_hang),
	KUNIT_CASE(ring_before_it_leaves),
	KUNIT_CASE(ring_at_any_time),
	KUNIT_CASE(ring_of_a_gpu),
	KUNIT_CASE(work_was_saved),
	KUNIT_CASE(saved_is_not_known_yet),
	KUNIT_CASE(coming_back_is_not_off),
	KUNIT_CASE(fails_to_leave),
	KUNIT_CASE(fails_to_return),
	KUNIT_CASE(new_queue),
	KUNIT_CASE(last_watched_queue_goes),
	KUNIT_CASE(copies_are_work),
	KUNIT_CASE(exits_while_parked),
	KUNIT_CASE(executes_while_parked),
	KUNIT_CASE(space_goes_while_parked),
	KUNIT_CASE(breaker_opens),
	KUNIT_CASE(stop_while_parked),
	KUNIT_CASE(blind),
	KUNIT_CASE(waves_are_not_counted),
	KUNIT_CASE(shared),
	KUNIT_CASE(untapped),
	KUNIT_CASE(node_without),
	KUNIT_CASE(returns_are_paid_for),
	KUNIT_CASE(wishes),
	KUNIT_CASE(permissions),
	KUNIT_CASE(bad_arguments),
	KUNIT_CASE(by_node),
	KUNIT_CASE(disabled),
	{}
};

static struct kunit_suite suite = {
	.name = "park",
	.init = init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
