// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: READY and IDLE, from indices in user memory.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include "front/client.h"
#include "model/queue.h"
#include "switch/switch.h"
#include "watch/watch.h"
#include "watched.h"

#define PERIOD_US	1000

/* Another period, and a part of it by which a round is late. */
#define ROUND_MS	100
#define LATE_MS		20

/* A settle time, a pause in it, and how often to try to make one that is that short. */
#define SETTLE_MS	100
#define PAUSE_MS	20
#define PAUSE_TRIES	20

/* XS_UNREADABLE_NS */
#define UNREADABLE_MS	100

static u32 watched_state(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], w->id).state & KFD_XSCHED_QUEUE_WATCHED;
}

static void expect_watched(struct kunit *test, const struct xt_watched *w, bool watched)
{
	struct xt *xt = test->priv;

	xt_expect_watched(test, xt->files[0], w, watched);
}

static bool is_ready(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;

	return xt_describe(test, xt->files[0], w->id).state & KFD_XSCHED_QUEUE_READY;
}

/* Packets make a queue READY, their end makes it IDLE, again and again. */
static void edges(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);
	u64 i;

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 2 * PERIOD_US);
	xt_expect_silence(test, a);
	KUNIT_EXPECT_FALSE(test, is_ready(test, &w));
	for (i = 0; i < 3; i++) {
		xt_set_indices(test, &w, i, i + 1);
		xt_expect_event(test, a, &w, XT_READY);
		KUNIT_EXPECT_TRUE(test, is_ready(test, &w));
		xt_set_indices(test, &w, i + 1, i + 1);
		xt_expect_event(test, a, &w, XT_IDLE);
		KUNIT_EXPECT_FALSE(test, is_ready(test, &w));
	}
	xt_expect_silence(test, a);
}

/* Work that is there already is reported, to late subscribers, too. */
static void work_at_the_beginning(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0], *b = xt_open(test);
	struct xt_watched w = xt_add_watched(test, 0);

	xt_set_indices(test, &w, 3, 4);
	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
	xt_subscribe(test, b, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, b, &w, XT_READY);
	xt_expect_silence(test, a);
	/* Nobody listens for a while; then it is reported afresh. */
	xt_subscribe(test, a, 0, 0, 0);
	xt_subscribe(test, b, 0, 0, 0);
	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
}

/* However slow the machine, a slice tells of one queue. */
static void told_without_time(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_client *client = xt->files[0]->private_data;
	struct xt_watched w = xt_add_watched(test, 0);
	unsigned int i;
	bool told;

	xt_set_indices(test, &w, 3, 4);
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
	scoped_guard(rt_mutex, &xs_lock) {
		xs_interest_is_new_locked(&client->interest);
		for (i = 0; i <= ARRAY_SIZE(xt->queues) + 1; i++)
			xs_interest_tell_locked(0);
		told = !xs_interest_any_newcomer_locked();
	}
	KUNIT_EXPECT_TRUE(test, told);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
}

/*
 * READY, a pause, more work, and IDLE. Whether the pause was short, which it is not if the
 * machine stood still: then it may end in an IDLE of its own.
 */
static bool short_pause(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	const struct kfd_xsched_event ready = xt_wait_event(test, a);
	u64 more;

	KUNIT_EXPECT_EQ(test, ready.type, XT_READY);
	xt_set_indices(test, w, 1, 1);
	msleep(PAUSE_MS);
	more = ktime_get_ns();
	xt_set_indices(test, w, 1, 2);
	if (ktime_get_ns() - ready.time_ns >= SETTLE_MS * NSEC_PER_MSEC)
		return false;
	msleep(PAUSE_MS);
	xt_set_indices(test, w, 2, 2);
	xt_expect_event(test, a, w, XT_IDLE);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - more, SETTLE_MS * NSEC_PER_MSEC);
	return true;
}

/* A pause shorter than the settle time is no IDLE. */
static void settle_time(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	unsigned int tries = 0;
	struct xt_watched w;
	bool good = false;

	for (tries = 0; !good && tries < PAUSE_TRIES; tries++) {
		w = xt_add_watched(test, 1);
		xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, SETTLE_MS * USEC_PER_MSEC);
		good = short_pause(test, &w);
		xt_subscribe(test, a, 0, 0, 0);
		fake_queue_remove(w.queue);
		while (xt_read(test, a) > 0)
			;
	}
	KUNIT_EXPECT_TRUE(test, good);
}

/* Packets are gone but waves are in flight: not IDLE. */
static void waves_in_flight(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->waves, 5);
	KUNIT_EXPECT_EQ(test, xt->node->counts, 0);
	xt_set_indices(test, &w, 1, 1);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts)));
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->waves, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* Packets came and were consumed between two looks, and their waves run. */
static void between_two_looks(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->waves, 5);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_event(test, a, &w, XT_READY);
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->waves, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/*
 * A switch takes the waves of all queues of the node off for a while, also of
 * those it does not hold: that is no IDLE.
 */
static void switch_hides_waves(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->waves, 5);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_silence(test, a);
	xt->node->switch_ms = 50;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->waves, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* The same when the switch begins while the waves are being counted. */
static void switch_crosses_a_look(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->waves, 5);
	WRITE_ONCE(xt->node->count_ms, 50);
	xt->node->switch_ms = 200;
	xt_set_indices(test, &w, 1, 1);
	/* Counting has begun, and will end within the switch. */
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts)));
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, xt->ids[0]), 0);
	xt_expect_silence(test, a);
}

/* A switch that takes long does not stop the sampler. */
static void sampled_during_a_switch(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);
	struct xt_call call;

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_look(test, &w);
	fake_hang(xt->node);
	xt_start_do(test, &call, a, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_QUEUE, xt->ids[0]);
	KUNIT_ASSERT_TRUE(test, xt_entered(xt->node));
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, a, &w, XT_READY);
	KUNIT_EXPECT_FALSE(test, xt_call_ended(&call, 0));
	fake_answer(xt->node, 0);
	KUNIT_EXPECT_EQ(test, xt_call_wait(test, &call), 0);
}

/* A held queue whose waves were saved keeps READY until it ran dry. */
static void held_is_not_idle(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);
	unsigned int reads;

	WRITE_ONCE(w.queue->waves, 5);
	WRITE_ONCE(w.queue->saved, 1);
	xt_suspend(test, a, w.id);
	xt_set_indices(test, &w, 1, 1);
	reads = xt->node->counts;
	xt_expect_silence(test, a);
	KUNIT_EXPECT_TRUE(test, is_ready(test, &w));
	KUNIT_EXPECT_EQ(test, xt->node->counts, reads);
	xt_resume(test, a, w.id);
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->saved, 0);
	WRITE_ONCE(w.queue->waves, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* Of a queue that is held without packets the driver knows whether waves were saved. */
static void held_runs_dry(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	WRITE_ONCE(w.queue->waves, 5);
	WRITE_ONCE(w.queue->saved, -EBUSY);
	xt_set_indices(test, &w, 1, 1);
	xt_suspend(test, a, w.id);
	xt_expect_silence(test, a);
	WRITE_ONCE(w.queue->saved, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
}

/* What is held with work is not asked again, until it was released, if only between two looks. */
static void held_with_work_is_stuck(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);
	unsigned int asked;

	WRITE_ONCE(w.queue->saved, 1);
	xt_suspend(test, a, w.id);
	xt_subscribe(test, a, XT_ACTIVITY, 10 * PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
	asked = READ_ONCE(w.queue->asked);
	xt_expect_silence(test, a);
	KUNIT_EXPECT_EQ(test, READ_ONCE(w.queue->asked), asked);
	WRITE_ONCE(w.queue->saved, 0);
	xt_resume(test, a, w.id);
	xt_suspend(test, a, w.id);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* A queue held while idle gets work: that is seen. */
static void held_gets_work(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_look(test, &w);
	xt_suspend(test, a, w.id);
	xt_expect_silence(test, a);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, a, &w, XT_READY);
}

/* A queue born held has no waves saved: it is not READY before it has work. */
static void born_held_is_idle(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w;

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_do(test, a, KFD_XSCHED_OP_SUSPEND, KFD_XSCHED_TARGET_PROCESS,
	      xt->process->nr, 0);
	w = xt_add_watched(test, 0);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
	xt_expect_silence(test, a);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, a, &w, XT_READY);
}

/* Sampling begins with the queue held after it ran: it may have waves saved. */
static void held_before_sampling(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);

	WRITE_ONCE(w.queue->saved, 1);
	xt_suspend(test, a, w.id);
	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
	WRITE_ONCE(w.queue->saved, 0);
	xt_resume(test, a, w.id);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* Indices that cannot be read change nothing, for a while. Then they are taken for work. */
static void unreadable_indices(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched_at(test, xt_unreadable_page(test));
	const u64 start = ktime_get_ns();

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
	KUNIT_EXPECT_GE(test, ktime_get_ns() - start, UNREADABLE_MS * NSEC_PER_MSEC);
	xt_expect_silence(test, a);
	xt_set_indices(test, &w, 0, 0);
	xt_expect_event(test, a, &w, XT_IDLE);
}

static void expect_nonsense(struct kunit *test, u64 count)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_queue_nonsense_count() == count));
}

/* Indices that do what none can do are work, and counted; they are believed from then on. */
static void indices_make_no_sense(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 7);
	const u64 before = xs_queue_nonsense_count();

	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, a, &w, XT_READY);
	xt_set_indices(test, &w, 7, 7);
	xt_expect_event(test, a, &w, XT_IDLE);
	expect_nonsense(test, before);
	/* What was not written is consumed. */
	xt_set_indices(test, &w, 8, 7);
	xt_expect_event(test, a, &w, XT_READY);
	xt_expect_silence(test, a);
	expect_nonsense(test, before + 1);
	xt_set_indices(test, &w, 8, 8);
	xt_expect_event(test, a, &w, XT_IDLE);
	/* The write index runs backwards, then the read index. */
	xt_set_indices(test, &w, 8, 4);
	xt_expect_event(test, a, &w, XT_READY);
	expect_nonsense(test, before + 2);
	xt_set_indices(test, &w, 3, 4);
	expect_nonsense(test, before + 3);
	xt_set_indices(test, &w, 4, 4);
	xt_expect_event(test, a, &w, XT_IDLE);
	expect_nonsense(test, before + 3);
}

/* A queue that was reset will never run: no work of it counts. */
static void reset_queue_is_idle(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_ready(test, PERIOD_US);

	w.queue->ret = -EACCES;
	KUNIT_EXPECT_EQ(test, xt_suspend(test, a, w.id), -ESRCH);
	xt_expect_event(test, a, &w, XT_IDLE);
}

/* WATCHED says whether READY is current; queues without indices never are. */
static void watched_flag(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	struct xt_watched w = xt_add_watched(test, 0);

	KUNIT_EXPECT_FALSE(test, watched_state(test, &w));
	xt_subscribe(test, a, XT_ACTIVITY, PERIOD_US, 0);
	expect_watched(test, &w, true);
	KUNIT_EXPECT_FALSE(test, xt_describe(test, a, xt->ids[0]).state &
			   KFD_XSCHED_QUEUE_WATCHED);
	xt_subscribe(test, a, 0, 0, 0);
	expect_watched(test, &w, false);
}

/* Nobody subscribed, or nobody left: nothing is read any more. */
static void silence_when_unwatched(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *b = xt_open(test);
	struct xt_watched w = xt_add_watched(test, 0);
	unsigned int reads;

	/* With waves and no packets a count follows every look. */
	WRITE_ONCE(w.queue->waves, 1);
	xt_subscribe(test, b, XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, b, &w, XT_READY);
	reads = xt->node->counts;
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(xt->node->counts) > reads));
	xt_close(test, b);
	expect_watched(test, &w, false);
	msleep(30);
	reads = xt->node->counts;
	msleep(30);
	KUNIT_EXPECT_EQ(test, xt->node->counts, reads);
}

/* Independent of other queues: one held before any look may have saved waves. */
static void wait_ready(struct kunit *test, struct file *file, const struct xt_watched *w)
{
	struct kfd_xsched_event event;

	do
		event = xt_wait_event(test, file);
	while (event.type != U32_MAX && event.id != w->id);
	KUNIT_EXPECT_EQ(test, event.type, XT_READY);
}

/* Queues and processes come and go under the sampler. */
static void churn(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct file *a = xt->files[0];
	unsigned int i;

	xt_subscribe(test, a, XT_ACTIVITY, KFD_XSCHED_SAMPLE_US_MIN, 0);
	for (i = 0; i < 50; i++) {
		struct xt_watched v = xt_add_watched(test, 0), w = xt_add_watched(test, 0);

		xt_set_indices(test, &v, 0, 1);
		wait_ready(test, a, &v);
		xt_suspend(test, a, w.id);
		fake_queue_remove(v.queue);
		usleep_range(100, 200);
		fake_queue_remove(w.queue);
	}
	xt_add_watched(test, 0);
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_list(test, a), 0);
}

/* A process exits that has more queues than are taken from the sampler at a time. */
static void exit_with_many(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched watched[XS_SLICE + 1];
	unsigned int i;

	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		watched[i] = xt_add_watched(test, 0);
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		expect_watched(test, &watched[i], true);
	xs_process_exited(xt->process);
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		KUNIT_EXPECT_FALSE(test, watched_state(test, &watched[i]));
	fake_process_exit(xt->process);
	KUNIT_EXPECT_EQ(test, xt_list(test, xt->files[0]), 0);
}

/* Only clients that may see the queue are notified of its work. */
static void only_the_permitted_hear(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched w = xt_add_watched(test, 0);
	struct file *b;

	b = xt_open_as(test, XT_OTHER_UID);
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	xt_subscribe(test, b, XT_ACTIVITY, PERIOD_US, 0);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, xt->files[0], &w, XT_READY);
	xt_expect_silence(test, b);
}

/* Nobody looks at a process that no subscriber may see; when one may, it is READY. */
static void only_the_visible_is_watched(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched mine = xt_add_watched(test, 0);
	struct xt_watched its = xt_add_watched_on(test, other, xt->node, 1);
	struct file *b;

	b = xt_open_as(test, XT_UID);
	xt_subscribe(test, b, XT_ACTIVITY, PERIOD_US, 0);
	expect_watched(test, &mine, true);
	xt_expect_silence(test, b);
	KUNIT_EXPECT_FALSE(test, watched_state(test, &its));
	xt_subscribe(test, xt->files[0], XT_ACTIVITY, PERIOD_US, 0);
	xt_expect_event(test, xt->files[0], &its, XT_READY);
	KUNIT_EXPECT_TRUE(test, watched_state(test, &its));
	xt_subscribe(test, xt->files[0], 0, 0, 0);
	expect_watched(test, &its, false);
	KUNIT_EXPECT_TRUE(test, watched_state(test, &mine));
}

/* The queue gets work: when a look sees that. */
static u64 work_is_seen(struct kunit *test, const struct xt_watched *w)
{
	struct xt *xt = test->priv;
	struct kfd_xsched_event event;

	xt_set_indices(test, w, 0, 1);
	event = xt_wait_event(test, xt->files[0]);
	KUNIT_EXPECT_EQ(test, event.type, XT_READY);
	KUNIT_EXPECT_EQ(test, event.id, w->id);
	return event.time_ns;
}

/* A round that begins late does not put off those after it. */
static void pace_is_kept(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xt_watched u = xt_add_watched(test, 0);
	struct xt_watched v = xt_add_watched(test, 0);
	struct xt_watched w = xt_add_watched(test, 0);
	u64 first, late, next;

	xt_subscribe(test, xt->files[0], XT_ACTIVITY, ROUND_MS * USEC_PER_MSEC, 0);
	first = work_is_seen(test, &u);
	/* Nobody else runs meanwhile, but timers. */
	mdelay(ROUND_MS + LATE_MS);
	late = work_is_seen(test, &v);
	next = work_is_seen(test, &w);
	KUNIT_EXPECT_GT(test, late - first, (ROUND_MS + LATE_MS / 2) * NSEC_PER_MSEC);
	KUNIT_EXPECT_LT(test, next - first, (2 * ROUND_MS + LATE_MS / 2) * NSEC_PER_MSEC);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(edges),
	KUNIT_CASE(work_at_the_beginning),
	KUNIT_CASE(told_without_time),
	KUNIT_CASE(settle_time),
	KUNIT_CASE(waves_in_flight),
	KUNIT_CASE(between_two_looks),
	KUNIT_CASE(switch_hides_waves),
	KUNIT_CASE(switch_crosses_a_look),
	KUNIT_CASE(sampled_during_a_switch),
	KUNIT_CASE(held_is_not_idle),
	KUNIT_CASE(held_runs_dry),
	KUNIT_CASE(held_with_work_is_stuck),
	KUNIT_CASE(held_gets_work),
	KUNIT_CASE(born_held_is_idle),
	KUNIT_CASE(held_before_sampling),
	KUNIT_CASE(unreadable_indices),
	KUNIT_CASE(indices_make_no_sense),
	KUNIT_CASE(reset_queue_is_idle),
	KUNIT_CASE(watched_flag),
	KUNIT_CASE(silence_when_unwatched),
	KUNIT_CASE(churn),
	KUNIT_CASE(exit_with_many),
	KUNIT_CASE(only_the_permitted_hear),
	KUNIT_CASE(only_the_visible_is_watched),
	KUNIT_CASE(pace_is_kept),
	{}
};

static struct kunit_suite suite = {
	.name = "activity",
	.init = xt_init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
