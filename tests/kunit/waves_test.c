// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of waves: when there is one, and what it says of a queue.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "model/node.h"
#include "model/queue.h"
#include "watch/watch.h"
#include "watched.h"

#define PERIOD_US	1000
#define LONG_US		100000
#define MANY		12

/* Two with work, the second one with a wave that does not end. */
static void add_two(struct kunit *test, struct xt_watched *w, struct xt_watched *v, u32 period_us)
{
	struct xt *xt = test->priv;

	*w = xt_add_watched(test, 1);
	*v = xt_add_watched(test, 1);
	WRITE_ONCE(v->queue->waves, 1);
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, period_us, 0);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, xt->files[0]).type, XT_READY);
	KUNIT_EXPECT_EQ(test, xt_wait_event(test, xt->files[0]).type, XT_READY);
}

static void expect_idle(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;

	xt_expect_event(test, xt->files[0], w, XT_IDLE);
}

static void expect_silence(struct kunit *test)
{
	struct xt *xt = test->priv;

	xt_expect_silence(test, xt->files[0]);
}

static struct xs_node *node_of(const struct xt_watched *w)
{
	struct xs_node *node;

	scoped_guard(rt_mutex, &xs_lock)
		node = xs_queue_find_locked(w->id)->pdd->node;
	return node;
}

/*
 * The last look saw a packet. After it another queue's count began, and then the packet was
 * consumed: the count says nothing of its waves.
 */
static void count_comes_too_early(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched v, w;
	unsigned int counts;

	add_two(test, &w, &v, LONG_US);
	xt_set_indices(test, &v, 1, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts)));
	counts = READ_ONCE(xt->node->counts);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts) > counts));
	WRITE_ONCE(w.queue->waves, 1);
	xt_set_indices(test, &w, 1, 1);
	msleep(3 * LONG_US / USEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), -EAGAIN);
	WRITE_ONCE(w.queue->waves, 0);
	expect_idle(test, &w);
}

/* A queue that comes has the doorbell of one that went: earlier counts are not about it. */
static void doorbell_is_used_again(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->waves, 1);
	xt_set_indices(test, &w, 1, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts)));
	msleep(30);
	fake_queue_remove(w.queue);
	w = xt_add_watched(test, 0);
	expect_silence(test);
	xt_expect_look(test, &w);
}

/* Queues that are looked at in one round share a count. */
static void one_for_all(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++)
		w[i] = xt_add_watched(test, 0);
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	for (i = 0; i < MANY; i++)
		xt_expect_look(test, &w[i]);
	KUNIT_EXPECT_LT(test, xt->node->counts, MANY / 2);
}

/* Counts that take long take a tenth of the time, after a few that may come at once. */
static void share_of_the_time(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);
	const u64 start = ktime_get_ns();
	u64 ms;

	WRITE_ONCE(w.queue->waves, 1);
	WRITE_ONCE(xt->node->count_ms, 10);
	xt_set_indices(test, &w, 1, 1);
	msleep(1000);
	ms = (ktime_get_ns() - start) / NSEC_PER_MSEC;
	KUNIT_EXPECT_GE(test, xt->node->counts, 3);
	KUNIT_EXPECT_LE(test, xt->node->counts, 2 + ms / 100);
}

/* An administrator says: none. Then the indices are believed. */
static void none_at_all(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	KUNIT_EXPECT_TRUE(test, xs_node_caps(node_of(&w)) & KFD_XSCHED_CAP_WAVES);
	xs_node_set_waves_percent(0);
	KUNIT_EXPECT_FALSE(test, xs_node_caps(node_of(&w)) & KFD_XSCHED_CAP_WAVES);
	WRITE_ONCE(w.queue->waves, 1);
	xt_set_indices(test, &w, 1, 1);
	expect_idle(test, &w);
	KUNIT_EXPECT_EQ(test, xt->node->counts, 0);
	xs_node_set_waves_percent(XS_WAVES_PERCENT);
}

/* What cannot be counted is work. */
static void cannot_be_counted(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(xt->node->count_error, -EIO);
	xt_set_indices(test, &w, 1, 1);
	expect_silence(test);
	WRITE_ONCE(xt->node->count_error, 0);
	expect_idle(test, &w);
}

/* Waves that were saved and are not seen may be on their way back, for the node's own time. */
static void saved_waves_come_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched v = xt_add_watched(test, 0), w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(xt->node->mapped_ns, U64_MAX);
	xt_set_indices(test, &w, 1, 1);
	expect_silence(test);
	/* Of another queue nothing was saved. */
	xt_expect_look(test, &v);
	KUNIT_EXPECT_GT(test, w.queue->asked, 0);
	/* The time is over: nobody is asked any more. */
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns() - xs_node_restore_ns(node_of(&w), 0));
	expect_idle(test, &w);
}

/* A count from before the queue was put on the hardware again says nothing of its waves. */
static void mapped_since_the_count(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched v, w;

	add_two(test, &w, &v, PERIOD_US);
	WRITE_ONCE(w.queue->waves, 1);
	xt_set_indices(test, &w, 1, 1);
	xt_set_indices(test, &v, 1, 1);
	msleep(50);
	/* Another one's waves are counted, again and again; not its own, as it is held. */
	WRITE_ONCE(w.queue->saved, 1);
	xt_suspend(test, a, w.id);
	msleep(50);
	WRITE_ONCE(xt->node->count_ms, 100);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns());
	xt_resume(test, a, w.id);
	while (xt_read(test, a) > 0)
		KUNIT_EXPECT_EQ(test, xt->events[0].type, XT_READY);
	msleep(50);
	KUNIT_EXPECT_EQ(test, xt_read(test, a), -EAGAIN);
	WRITE_ONCE(w.queue->waves, 0);
	expect_idle(test, &w);
}

/* Memory of its process is evicted: what was saved of it comes back some time. */
static void evicted_is_work(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	w.queue->reasons = KFD_XSCHED_QUEUE_EVICTED;
	WRITE_ONCE(w.queue->saved, 1);
	xt_set_indices(test, &w, 1, 1);
	expect_silence(test);
	/* Also for one who comes later. */
	xt_subscribe(test, xt->files[0], 0, 0, 0);
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
	w.queue->reasons = 0;
	expect_idle(test, &w);
}

/* Once they were seen, they are back: what is not seen after that has ended. */
static void seen_waves_are_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(node_of(&w)->restore_ns, NSEC_PER_SEC);
	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(w.queue->waves, 1);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns());
	xt_set_indices(test, &w, 1, 1);
	expect_silence(test);
	KUNIT_EXPECT_EQ(test, w.queue->asked, 0);
	WRITE_ONCE(w.queue->waves, 0);
	expect_idle(test, &w);
	KUNIT_EXPECT_EQ(test, w.queue->asked, 0);
}

/* What consumes a packet is on the GPU, with all that was saved of it: nobody is asked. */
static void consumed_is_back(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(node_of(&w)->restore_ns, NSEC_PER_SEC);
	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns());
	/* It is looked at once more before that. */
	msleep(30);
	xt_set_indices(test, &w, 1, 1);
	expect_idle(test, &w);
	KUNIT_EXPECT_EQ(test, w.queue->asked, 0);
}

/* A restore takes as long as it was seen to take, or as saves let expect. */
static void restore_is_learned(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);
	struct xs_node *node = node_of(&w);
	u64 seen_ns;

	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(node->restore_ns, 300 * NSEC_PER_MSEC);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns());
	xt_set_indices(test, &w, 1, 1);
	msleep(200);
	WRITE_ONCE(w.queue->waves, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_node_restore_ns(node, 0) >= 400 * NSEC_PER_MSEC));
	xs_node_note_save(node, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, xs_node_restore_ns(node, 0), 4ULL * NSEC_PER_SEC);
	xs_node_note_save(node, 1);
	seen_ns = xs_node_restore_ns(node, 0);
	KUNIT_EXPECT_LT(test, seen_ns, 4ULL * NSEC_PER_SEC);
	/* Short ones make it shorter, in the course of time. */
	xs_node_note_restore(node, 1);
	KUNIT_EXPECT_EQ(test, xs_node_restore_ns(node, 0), seen_ns - seen_ns / 8);
}

/* The node's last preemption may have saved less than the one that took this queue off. */
static void own_save_counts(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	xt->node->unmap_ns = NSEC_PER_SEC;
	xt_suspend(test, xt->files[0], w.id);
	xt->node->unmap_ns = 1;
	xt_suspend(test, xt->files[0], xt->ids[0]);
	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(node_of(&w)->restore_ns, 0);
	/* While it is held, nobody looks. */
	xt_set_indices(test, &w, 1, 1);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns());
	xt_resume(test, xt->files[0], w.id);
	expect_silence(test);
	WRITE_ONCE(xt->node->mapped_ns, ktime_get_ns() - 4 * NSEC_PER_SEC);
	expect_idle(test, &w);
}

/* Where the firmware takes turns, a queue may be off the GPU until its next one. */
static void until_the_next_turn(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);
	const u64 start = ktime_get_ns();

	WRITE_ONCE(w.queue->saved, 1);
	WRITE_ONCE(xt->node->turn_ns, 200 * NSEC_PER_MSEC);
	xt_set_indices(test, &w, 1, 1);
	expect_idle(test, &w);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, 200 * NSEC_PER_MSEC);
}

/* What the firmware cannot have saved is work, and counted. */
static void saved_makes_no_sense(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_ready(test, PERIOD_US);
	const u64 before = xs_queue_nonsense_count();

	WRITE_ONCE(w.queue->saved, -EIO);
	WRITE_ONCE(xt->node->mapped_ns, U64_MAX);
	xt_set_indices(test, &w, 1, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_queue_nonsense_count() > before));
	expect_silence(test);
}

/* A node goes as its waves are counted: the driver is asked nothing after that. */
static void node_goes(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_node *second = fake_node_add(test, XT_GPU + 1, FAKE_CAPS);
	struct xt_watched w = xt_add_watched_on(test, xt->process, second, 1);
	unsigned int counts;

	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
	WRITE_ONCE(second->count_ms, 50);
	WRITE_ONCE(w.queue->waves, 1);
	xt_set_indices(test, &w, 1, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(second->counts)));
	fake_node_remove(second);
	counts = second->counts;
	msleep(100);
	KUNIT_EXPECT_EQ(test, second->counts, counts);
	fake_queue_remove(w.queue);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(count_comes_too_early),
	KUNIT_CASE(doorbell_is_used_again),
	KUNIT_CASE(one_for_all),
	KUNIT_CASE(share_of_the_time),
	KUNIT_CASE(none_at_all),
	KUNIT_CASE(cannot_be_counted),
	KUNIT_CASE(saved_waves_come_back),
	KUNIT_CASE(mapped_since_the_count),
	KUNIT_CASE(evicted_is_work),
	KUNIT_CASE(seen_waves_are_back),
	KUNIT_CASE(consumed_is_back),
	KUNIT_CASE(restore_is_learned),
	KUNIT_CASE(own_save_counts),
	KUNIT_CASE(until_the_next_turn),
	KUNIT_CASE(saved_makes_no_sense),
	KUNIT_CASE(node_goes),
	{}
};

static struct kunit_suite suite = {
	.name = "waves",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
