// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell tap: an idle process is not sampled until it rings, and no work is
 * missed.
 */
#include <linux/delay.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "model/queue.h"
#include "watch/watch.h"
#include "files.h"
#include "watched.h"

#define PERIOD_US	1000

/* Longer than a process is sampled after a ring that brought no work. */
#define QUIET_MS	30

/* How often to try what a machine that stands still spoils. */
#define TRIES		50

static struct xs_hw_node *tappable;

/* A node with a tap beside the one of every suite, which has none. */
static int init(struct kunit *test)
{
	const int ret = xt_init(test);

	if (!ret)
		tappable = fake_node_add(test, XT_GPU + 1, FAKE_CAPS | KFD_XSCHED_CAP_TAP);
	return ret;
}

static struct file *client(struct kunit *test)
{
	return ((struct xt *)test->priv)->files[0];
}

static struct xs_hw_process *process_of(struct kunit *test)
{
	return ((struct xt *)test->priv)->process;
}

/* Its doorbells on the node with the tap. */
static struct fake_tap *tap_of(struct xs_hw_process *process)
{
	return &process->taps[1];
}

static struct xt_watched add_tappable(struct kunit *test, u64 packets)
{
	return xt_add_watched_on(test, process_of(test), tappable, packets);
}

static long subscribe(struct kunit *test, struct file *file)
{
	return xt_subscribe(test, file, XT_ACTIVITY, PERIOD_US, 0);
}

/* So many are sampled, and so many tapped, soon. */
static void expect_counts(struct kunit *test, u32 sampled, u32 tapped)
{
	struct xs_sampler_counts counts;

	xt_comes((counts = xs_sampler_counts()).sampled == sampled && counts.tapped == tapped);
	KUNIT_EXPECT_EQ(test, counts.sampled, sampled);
	KUNIT_EXPECT_EQ(test, counts.tapped, tapped);
}

/* That is the time between two rounds, soon. */
static void expect_period(struct kunit *test, u32 us)
{
	KUNIT_EXPECT_TRUE(test, xt_comes(xs_sampler_counts().period_us == us));
}

/* The state that LIST would report. */
static void expect_state(struct kunit *test, const struct xt_watched *w, u32 state)
{
	const u32 all = KFD_XSCHED_QUEUE_READY | KFD_XSCHED_QUEUE_WATCHED |
		KFD_XSCHED_QUEUE_TAPPED;

	KUNIT_EXPECT_EQ(test, xt_describe(test, client(test), w->id).state & all, state);
}

/* An idle process is tapped; then nobody looks at its indices. */
static void idle_is_not_sampled(struct kunit *test)
{
	struct xt_watched w = add_tappable(test, 0);

	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED | KFD_XSCHED_QUEUE_TAPPED);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, XT_GLOBAL "statistics/sampled"), "0\n");
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, XT_GLOBAL "statistics/tapped"), "1\n");
	/* Nor at these, which come without a ring. */
	xt_set_indices(test, &w, 0, 1);
	xt_expect_silence(test, client(test));
	expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED | KFD_XSCHED_QUEUE_TAPPED);
	KUNIT_EXPECT_EQ(test, tap_of(process_of(test))->arms, 1);
}

/*
 * It gets work, has none any more, and is sampled for a while. How often it was tapped until
 * then; 0, if all that took longer than the time for which it is not tapped.
 */
static unsigned int taps_until_idle(struct kunit *test, const struct xt_watched *w, u64 done)
{
	const struct fake_tap *tap = tap_of(process_of(test));
	struct xs_sampler_counts counts;
	struct kfd_xsched_event ready;
	unsigned int before, arms;

	xt_set_indices(test, w, done, done + 1);
	/* That is nothing while it is sampled. */
	fake_ring(process_of(test), tappable);
	ready = xt_wait_event(test, client(test));
	KUNIT_EXPECT_EQ(test, ready.type, XT_READY);
	before = READ_ONCE(tap->arms);
	xt_set_indices(test, w, done + 1, done + 1);
	xt_expect_event(test, client(test), w, XT_IDLE);
	msleep(20);
	counts = xs_sampler_counts();
	arms = READ_ONCE(tap->arms);
	if (ktime_get_ns() - ready.time_ns >= 100 * NSEC_PER_MSEC)
		return 0;
	KUNIT_EXPECT_EQ(test, counts.sampled, 1);
	KUNIT_EXPECT_EQ(test, counts.tapped, 0);
	KUNIT_EXPECT_EQ(test, arms, before);
	return arms;
}

/* It is tapped only once it has had no work for as long as an administrator says. */
static void idle_for_a_while(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);
	unsigned int good = 0, taps = 0, i;

	KUNIT_ASSERT_EQ(test, xt_sysfs_write(test, XT_GLOBAL "tap_idle_us", "100000"), 0);
	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	for (i = 0; good < 3 && i < TRIES; i++) {
		taps = taps_until_idle(test, &w, i);
		good += !!taps;
	}
	KUNIT_EXPECT_EQ(test, good, 3);
	expect_counts(test, 0, 1);
	KUNIT_EXPECT_EQ(test, tap->arms, taps + 1);
	xt_sysfs_write(test, XT_GLOBAL "tap_idle_us", "500");
}

/* A ring is READY at that moment; idle again, it is tapped again. */
static void ring_is_ready(struct kunit *test)
{
	struct xt_watched w = add_tappable(test, 0);
	struct kfd_xsched_event event;
	const u64 rings = xs_sampler_counts().rings;
	u64 before, after, i;
	char text[32];

	subscribe(test, client(test));
	for (i = 0; i < 3; i++) {
		expect_counts(test, 0, 1);
		KUNIT_EXPECT_EQ(test, tap_of(process_of(test))->arms, i + 1);
		xt_set_indices(test, &w, i, i + 1);
		before = ktime_get_ns();
		fake_ring(process_of(test), tappable);
		after = ktime_get_ns();
		event = xt_wait_event(test, client(test));
		KUNIT_EXPECT_EQ(test, event.type, XT_READY);
		KUNIT_EXPECT_EQ(test, event.id, w.id);
		KUNIT_EXPECT_GE(test, event.time_ns, before);
		KUNIT_EXPECT_LE(test, event.time_ns, after);
		expect_counts(test, 1, 0);
		expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED | KFD_XSCHED_QUEUE_READY);
		xt_set_indices(test, &w, i + 1, i + 1);
		xt_expect_event(test, client(test), &w, XT_IDLE);
	}
	expect_counts(test, 0, 1);
	KUNIT_EXPECT_EQ(test, xs_sampler_counts().rings, rings + 3);
	snprintf(text, sizeof(text), "%llu\n", rings + 3);
	KUNIT_EXPECT_STREQ(test, xt_sysfs_read(test, XT_GLOBAL "statistics/rings"), text);
}

/* A ring without work is no edge, and the next tap waits: a fault is not for free. */
static void ring_in_vain(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);
	ktime_t rung;

	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	rung = ktime_get();
	fake_ring(process_of(test), tappable);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(tap->arms) > 1));
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), rung), 10);
	KUNIT_EXPECT_EQ(test, tap->arms, 2);
	expect_counts(test, 0, 1);
	xt_expect_silence(test, client(test));
	xt_set_indices(test, &w, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, client(test), &w, XT_READY);
}

/* It rings as soon as it is tapped: how long it is not tapped again. */
static s64 ring_at_once(struct kunit *test)
{
	const struct fake_tap *tap = tap_of(process_of(test));
	ktime_t rung;

	expect_counts(test, 0, 1);
	rung = ktime_get();
	fake_ring(process_of(test), tappable);
	KUNIT_EXPECT_TRUE(test, xt_comes(!READ_ONCE(tap->armed)));
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(tap->armed)));
	return ktime_ms_delta(ktime_get(), rung);
}

/* Rings without work, one upon the other, come the more seldom the more there are. */
static void rings_in_vain(struct kunit *test)
{
	s64 longest = 0;
	unsigned int i;

	add_tappable(test, 0);
	subscribe(test, client(test));
	/* It begins anew if this thread is late. */
	for (i = 0; longest < 80 && i < TRIES; i++)
		longest = max(longest, ring_at_once(test));
	KUNIT_EXPECT_GE(test, longest, 80);
}

static void map_doorbells(struct kunit *test, struct file *other)
{
	xs_doorbell_rang(process_of(test), tappable);
}

static void subscribe_and_end(struct kunit *test, struct file *other)
{
	xt_subscribe(test, other, XT_ACTIVITY, KFD_XSCHED_SAMPLE_US_MAX, 0);
	xt_subscribe(test, other, 0, 0, 0);
}

/* Somebody does that in a loop: a process that is sampled is looked at once in a period. */
static void expect_no_look_for(struct kunit *test, void (*fn)(struct kunit *, struct file *))
{
	struct file *a = client(test), *b = xt_open(test);
	struct xt_watched w = add_tappable(test, 1);
	unsigned int reads, i;
	ktime_t start;

	WRITE_ONCE(w.queue->waves, 1);
	xt_subscribe(test, a, XT_ACTIVITY, KFD_XSCHED_SAMPLE_US_MAX, 0);
	xt_expect_event(test, a, &w, XT_READY);
	/* Now each look counts waves. */
	xt_set_indices(test, &w, 1, 1);
	start = ktime_get();
	reads = READ_ONCE(tappable->counts);
	for (i = 0; i < 100; i++) {
		fn(test, b);
		usleep_range(1000, 1100);
	}
	KUNIT_EXPECT_LE(test, READ_ONCE(tappable->counts) - reads,
			2 + ktime_ms_delta(ktime_get(), start) / 1000);
}

/* To map doorbells is reported as a ring. Of what is sampled anyway that is nothing. */
static void maps_in_a_loop(struct kunit *test)
{
	expect_no_look_for(test, map_doorbells);
}

/* A change of an interest begins no round. */
static void subscribes_in_a_loop(struct kunit *test)
{
	expect_no_look_for(test, subscribe_and_end);
}

static struct xt_watched rung_before;

/* In the sampler, which may not fault. */
static void work_comes(void)
{
	const u64 write = 1;

	fake_on_tap = NULL;
	WARN_ON(copy_to_user_nofault((void __user *)(rung_before.indices + 8), &write,
				     sizeof(write)));
}

/* Work that came just before the doorbells were gone, so that its ring was not seen. */
static void work_before_the_tap(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));

	rung_before = add_tappable(test, 0);
	fake_on_tap = work_comes;
	subscribe(test, client(test));
	xt_expect_event(test, client(test), &rung_before, XT_READY);
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, tap->armed);
	xt_set_indices(test, &rung_before, 1, 1);
	xt_expect_event(test, client(test), &rung_before, XT_IDLE);
	expect_counts(test, 0, 1);
}

static struct xs_queue *hidden;
static unsigned long untouched;

/* In the sampler. */
static void page_goes(void)
{
	fake_on_tap = NULL;
	hidden->watch.read_index = (u64 __user *)untouched;
}

/* The page of the indices goes as doorbells do: nobody knows what came before. */
static void unreadable_before_the_tap(struct kunit *test)
{
	struct xt_watched w = add_tappable(test, 0);
	u64 __user *index;

	scoped_guard(rt_mutex, &xs_lock)
		hidden = xs_queue_find_locked(w.id);
	index = hidden->watch.read_index;
	untouched = xt_unreadable_page(test);
	fake_on_tap = page_goes;
	subscribe(test, client(test));
	KUNIT_EXPECT_TRUE(test, xt_comes(!READ_ONCE(fake_on_tap)));
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, tap_of(process_of(test))->armed);
	xt_expect_event(test, client(test), &w, XT_READY);
	hidden->watch.read_index = index;
	xt_expect_event(test, client(test), &w, XT_IDLE);
	expect_counts(test, 0, 1);
}

/* A driver that cannot tap a process is asked once; it is sampled, as ever. */
static void not_tappable(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);

	tap->ret = -EOPNOTSUPP;
	subscribe(test, client(test));
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(tap->arms)));
	msleep(QUIET_MS);
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_EQ(test, tap->arms, 1);
	expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, client(test), &w, XT_READY);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_event(test, client(test), &w, XT_IDLE);
	KUNIT_EXPECT_EQ(test, tap->arms, 1);
}

/* A driver that cannot tap a process just now is asked again; until then it is sampled. */
static void not_tappable_now(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);

	WRITE_ONCE(tap->ret, -EAGAIN);
	subscribe(test, client(test));
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(tap->arms) > 2));
	expect_counts(test, 1, 0);
	expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED);
	WRITE_ONCE(tap->ret, 0);
	expect_counts(test, 0, 1);
	xt_set_indices(test, &w, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, client(test), &w, XT_READY);
}

/* One that cannot be tapped any more, as it has mapped its doorbells too often, is sampled. */
static void not_tappable_any_more(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);

	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	tap->ret = -EOPNOTSUPP;
	fake_ring(process_of(test), tappable);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(tap->arms) > 1));
	msleep(QUIET_MS);
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_EQ(test, tap->arms, 2);
	expect_state(test, &w, KFD_XSCHED_QUEUE_WATCHED);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, client(test), &w, XT_READY);
}

/* Of two processes and a node without a tap, each is what it can be. */
static void each_by_itself(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched here = add_tappable(test, 0), there = xt_add_watched(test, 0);
	struct xt_watched its = xt_add_watched_on(test, other, tappable, 0);

	subscribe(test, client(test));
	expect_counts(test, 1, 2);
	xt_set_indices(test, &its, 0, 1);
	fake_ring(other, tappable);
	xt_expect_event(test, client(test), &its, XT_READY);
	expect_counts(test, 2, 1);
	expect_state(test, &here, KFD_XSCHED_QUEUE_WATCHED | KFD_XSCHED_QUEUE_TAPPED);
	fake_queue_remove(there.queue);
	fake_queue_remove(its.queue);
	expect_counts(test, 0, 1);
	xt_expect_silence(test, client(test));
}

/* While a wave of one queue is in flight, or saved, the process is not idle. */
static void waves_are_work(struct kunit *test)
{
	struct xt_watched v = add_tappable(test, 0), w = add_tappable(test, 0);

	WRITE_ONCE(w.queue->waves, 5);
	xt_set_indices(test, &w, 0, 1);
	subscribe(test, client(test));
	xt_expect_event(test, client(test), &w, XT_READY);
	xt_set_indices(test, &w, 1, 1);
	WRITE_ONCE(w.queue->saved, 1);
	xt_suspend(test, client(test), w.id);
	xt_expect_silence(test, client(test));
	expect_counts(test, 1, 0);
	expect_state(test, &v, KFD_XSCHED_QUEUE_WATCHED);
	xt_resume(test, client(test), w.id);
	WRITE_ONCE(w.queue->saved, 0);
	WRITE_ONCE(w.queue->waves, 0);
	xt_expect_event(test, client(test), &w, XT_IDLE);
	expect_counts(test, 0, 1);
}

/* A queue held while idle stays tapped, and its ring is seen. */
static void held_and_tapped(struct kunit *test)
{
	struct xt_watched w = add_tappable(test, 0);

	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	xt_suspend(test, client(test), w.id);
	xt_expect_silence(test, client(test));
	expect_counts(test, 0, 1);
	xt_set_indices(test, &w, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, client(test), &w, XT_READY);
	KUNIT_EXPECT_TRUE(test, w.queue->held);
}

/* A queue that comes, as to a tapped process, is looked at: it may have work. */
static void new_queue(struct kunit *test)
{
	struct xt_watched w;

	add_tappable(test, 0);
	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	w = add_tappable(test, 1);
	xt_expect_event(test, client(test), &w, XT_READY);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_event(test, client(test), &w, XT_IDLE);
	expect_counts(test, 0, 1);
	KUNIT_EXPECT_EQ(test, tap_of(process_of(test))->arms, 2);
}

/* A process exits while it is tapped; doorbells of those nobody watches are nothing. */
static void exit_while_tapped(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	const u64 rings = xs_sampler_counts().rings;

	xs_doorbell_rang(other, tappable);
	xt_add_watched_on(test, other, tappable, 0);
	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	fake_process_exit(other);
	expect_counts(test, 0, 0);
	xs_doorbell_rang(other, tappable);
	xt_expect_silence(test, client(test));
	KUNIT_EXPECT_EQ(test, xs_sampler_counts().rings, rings);
}

/* One goes, the other hears on; nobody left, doorbells come back. */
static void two_clients(struct kunit *test)
{
	struct fake_tap *tap = tap_of(process_of(test));
	struct file *a = client(test), *b = xt_open(test);
	struct xt_watched w = add_tappable(test, 0);

	subscribe(test, a);
	expect_counts(test, 0, 1);
	subscribe(test, b);
	xt_set_indices(test, &w, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, a, &w, XT_READY);
	xt_expect_event(test, b, &w, XT_READY);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_event(test, a, &w, XT_IDLE);
	xt_expect_event(test, b, &w, XT_IDLE);
	expect_counts(test, 0, 1);
	xt_close(test, b);
	KUNIT_EXPECT_TRUE(test, tap->armed);
	xt_set_indices(test, &w, 1, 2);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, a, &w, XT_READY);
	xt_set_indices(test, &w, 2, 2);
	xt_expect_event(test, a, &w, XT_IDLE);
	expect_counts(test, 0, 1);
	xt_subscribe(test, a, 0, 0, 0);
	KUNIT_EXPECT_TRUE(test, xt_comes(!READ_ONCE(tap->armed)));
	/* It may have been on its way. */
	xs_doorbell_rang(process_of(test), tappable);
	xt_expect_silence(test, a);
}

/* One client that wants doorbells left alone is enough. */
static void no_tap(struct kunit *test)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.flags = KFD_XSCHED_SUBSCRIBE_NO_TAP,
		.events = XT_ACTIVITY,
		.sample_us = PERIOD_US,
	};
	struct fake_tap *tap = tap_of(process_of(test));
	struct xt_watched w = add_tappable(test, 0);
	struct file *b = xt_open(test);

	subscribe(test, client(test));
	expect_counts(test, 0, 1);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, b, KFD_XSCHED_SUBSCRIBE, &arg,
					   sizeof(arg)), 0);
	expect_counts(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, tap->armed);
	xt_set_indices(test, &w, 0, 1);
	xt_expect_event(test, client(test), &w, XT_READY);
	xt_set_indices(test, &w, 1, 1);
	xt_expect_event(test, client(test), &w, XT_IDLE);
	expect_counts(test, 1, 0);
	xt_close(test, b);
	expect_counts(test, 0, 1);
}

/* What a user asks of activity is for processes that user may see; others notice nothing. */
static void users_do_not_interfere(struct kunit *test)
{
	struct kfd_xsched_subscribe arg = {
		.size = sizeof(arg),
		.flags = KFD_XSCHED_SUBSCRIBE_NO_TAP,
		.events = XT_ACTIVITY,
		.sample_us = KFD_XSCHED_SAMPLE_US_MIN,
		.settle_us = KFD_XSCHED_SETTLE_US_MAX,
	};
	struct xs_hw_process *its = fake_process_add(test, XT_OTHER_UID);
	struct xt_watched mine = add_tappable(test, 0);
	struct xt_watched other = xt_add_watched_on(test, its, tappable, 0);
	struct file *b;

	b = xt_open_as(test, XT_OTHER_UID);
	KUNIT_EXPECT_EQ(test, xt_ioctl_arg(test, b, KFD_XSCHED_SUBSCRIBE, &arg,
					   sizeof(arg)), 0);
	expect_period(test, XS_SAMPLE_PERIOD_US);
	subscribe(test, client(test));
	/* That one's is sampled, because the user wants it so; the other's is tapped. */
	expect_counts(test, 1, 1);
	KUNIT_EXPECT_TRUE(test, tap_of(process_of(test))->armed);
	KUNIT_EXPECT_EQ(test, tap_of(its)->arms, 0);
	expect_period(test, XS_SAMPLE_PERIOD_US);
	xt_set_indices(test, &mine, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, client(test), &mine, XT_READY);
	xt_set_indices(test, &mine, 1, 1);
	xt_expect_event(test, client(test), &mine, XT_IDLE);
	xt_set_indices(test, &other, 0, 1);
	xt_expect_event(test, client(test), &other, XT_READY);
	xt_set_indices(test, &other, 1, 1);
	xt_expect_silence(test, client(test));
	xt_close(test, b);
	xt_expect_event(test, client(test), &other, XT_IDLE);
	expect_counts(test, 0, 2);
}

/* Who may hold everybody's queues may have them looked at as often as can be. */
static void fast_clock(struct kunit *test)
{
	add_tappable(test, 0);
	xt_subscribe(test, client(test), XT_ACTIVITY, KFD_XSCHED_SAMPLE_US_MIN, 0);
	expect_period(test, KFD_XSCHED_SAMPLE_US_MIN);
}

static unsigned int looks_at(const struct xt_watched *w, unsigned int count)
{
	unsigned int reads = 0;

	while (count--)
		reads += READ_ONCE(w++->queue->asked);
	return reads;
}

/*
 * Queues that are READY, and at which a look takes so long that a slice has one: waves of them
 * are saved, and may always be on their way back.
 */
static void make_busy(struct kunit *test, struct xt_watched *busy, unsigned int count,
		      struct xt_watched (*add)(struct kunit *test, u64 packets))
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		busy[i] = add(test, 1);
		WRITE_ONCE(busy[i].queue->saved, 1);
		WRITE_ONCE(busy[i].queue->desc.node->mapped_ns, U64_MAX);
	}
	subscribe(test, client(test));
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ(test, xt_wait_event(test, client(test)).type, XT_READY);
	for (i = 0; i < count; i++) {
		WRITE_ONCE(busy[i].queue->ask_ms, 20);
		xt_set_indices(test, &busy[i], 1, 1);
	}
}

/* It rings in the midst of a round: at how many others was looked before it was READY? */
static unsigned int looks_before_a_ring(struct kunit *test, const struct xt_watched *w, u64 done,
					const struct xt_watched *busy, unsigned int count)
{
	unsigned int reads = looks_at(busy, count), looks;

	KUNIT_EXPECT_TRUE(test, xt_comes(looks_at(busy, count) >= reads + 2));
	reads = looks_at(busy, count);
	xt_set_indices(test, w, done, done + 1);
	fake_ring(w->queue->desc.process, tappable);
	xt_expect_event(test, client(test), w, XT_READY);
	looks = looks_at(busy, count) - reads;
	xt_set_indices(test, w, done + 1, done + 1);
	xt_expect_event(test, client(test), w, XT_IDLE);
	expect_counts(test, 1, 1);
	return looks;
}

/* A process that rings waits for the look at one queue, not at all others. */
static void ring_comes_first(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched w = xt_add_watched_on(test, other, tappable, 0), busy[12];
	unsigned int least = UINT_MAX, i;

	make_busy(test, busy, ARRAY_SIZE(busy), xt_add_watched);
	expect_counts(test, 1, 1);
	/* More are seen if this thread is kept from looking, but not each time. */
	for (i = 0; least > 2 && i < TRIES; i++)
		least = min(least, looks_before_a_ring(test, &w, i, busy, ARRAY_SIZE(busy)));
	KUNIT_EXPECT_LE(test, least, 2);
}

/*
 * A round is due, and its worker is yet to run, as the process rings: a switch may follow, so
 * the look at others is later.
 */
static void ring_puts_off_what_is_due(struct kunit *test)
{
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched w = xt_add_watched_on(test, other, tappable, 0), busy;
	u64 rung_ns;

	make_busy(test, &busy, 1, xt_add_watched);
	WRITE_ONCE(busy.queue->ask_ms, 0);
	expect_counts(test, 1, 1);
	xt_set_indices(test, &w, 0, 1);
	/* Nobody else runs meanwhile, but timers. */
	mdelay(2);
	WRITE_ONCE(busy.queue->asked_ns, 0);
	rung_ns = ktime_get_ns();
	fake_ring(other, tappable);
	xt_expect_event(test, client(test), &w, XT_READY);
	KUNIT_EXPECT_TRUE(test, xt_comes(READ_ONCE(busy.queue->asked_ns)));
	KUNIT_EXPECT_GE(test, busy.queue->asked_ns, rung_ns + 100 * NSEC_PER_USEC);
}

/* It has no work any more: at how many queues of another one was looked before it was IDLE? */
static unsigned int looks_before_idle(struct kunit *test, const struct xt_watched *w, u64 done,
				      const struct xt_watched *busy, unsigned int count)
{
	struct xt *xt = test->priv;
	unsigned int reads;

	xt_set_indices(test, w, done, done + 1);
	xt_expect_event(test, client(test), w, XT_READY);
	reads = looks_at(busy, count);
	xt_set_indices(test, w, done + 1, done + 1);
	KUNIT_EXPECT_TRUE(test, xt_comes((xs_doorbell_rang(process_of(test), tappable),
					  xt_read(test, client(test)) == 1)));
	KUNIT_EXPECT_EQ(test, xt->events[0].type, XT_IDLE);
	return looks_at(busy, count) - reads;
}

/* A process waits for one slice of another one, however many queues that has and rings. */
static void others_take_turns(struct kunit *test)
{
	struct xt *xt = test->priv;
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched w = xt_add_watched_on(test, other, xt->node, 0), busy[12];
	unsigned int least = UINT_MAX, i;

	make_busy(test, busy, ARRAY_SIZE(busy), add_tappable);
	/* More are seen if this thread is kept from looking, but not each time. */
	for (i = 0; least > 4 && i < TRIES; i++)
		least = min(least, looks_before_idle(test, &w, i, busy, ARRAY_SIZE(busy)));
	KUNIT_EXPECT_LE(test, least, 4);
}

#define INTERESTS	100

/* The next process is reviewed with no time to spare: in how many slices? */
static unsigned int slices_of_review_locked(void)
{
	unsigned int slices = 1;

	lockdep_assert_held(&xs_lock);

	while (!xs_interest_review_locked(0) && slices < 10 * INTERESTS)
		slices++;
	return slices;
}

/*
 * Who changes an interest asks nobody anything, and what is asked then may end after each
 * question: so no call waits longer for more interests, processes or queues.
 */
static void reviewed_in_slices(struct kunit *test)
{
	struct xs_interest *interests =
		kunit_kcalloc(test, INTERESTS, sizeof(*interests), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, interests);
	add_tappable(test, 0);
	guard(rt_mutex)(&xs_lock);
	for (i = 0; i < INTERESTS; i++) {
		INIT_LIST_HEAD(&interests[i].in_interests);
		INIT_LIST_HEAD(&interests[i].in_newcomers);
		interests[i].file = client(test);
		interests[i].all = true;
		interests[i].settle_us = i;
		xs_interest_add_locked(&interests[i]);
	}
	xs_sampler_configure_locked(NULL);
	KUNIT_EXPECT_TRUE(test, xs_interest_any_stale_locked());
	KUNIT_EXPECT_GE(test, slices_of_review_locked(), INTERESTS);
	for (i = 0; i < INTERESTS; i++)
		xs_interest_del_locked(&interests[i]);
	xs_sampler_configure_locked(NULL);
}

/* Reviews with no time to spare, until none is due: the settle time that the last one found. */
static u32 settle_us_of_reviews_locked(void)
{
	const struct xs_process *process;
	unsigned int i;
	u32 settle_us = 0;

	lockdep_assert_held(&xs_lock);

	for (i = 0; i < 10 * INTERESTS && xs_interest_any_stale_locked(); i++) {
		process = xs_interest_review_locked(0);
		if (process)
			settle_us = process->review.settle_us;
	}
	return settle_us;
}

/* An interest changes after it was asked, and before the review is over: it is asked once more. */
static void changed_during_a_review(struct kunit *test)
{
	struct xs_interest interest = { .file = client(test), .all = true, .settle_us = 2 };

	INIT_LIST_HEAD(&interest.in_interests);
	INIT_LIST_HEAD(&interest.in_newcomers);
	add_tappable(test, 0);
	guard(rt_mutex)(&xs_lock);
	xs_interest_add_locked(&interest);
	xs_sampler_configure_locked(NULL);
	KUNIT_EXPECT_EQ(test, settle_us_of_reviews_locked(), 2);
	xs_sampler_configure_locked(NULL);
	KUNIT_EXPECT_NULL(test, xs_interest_review_locked(0));
	interest.settle_us = 1;
	xs_sampler_configure_locked(NULL);
	KUNIT_EXPECT_EQ(test, settle_us_of_reviews_locked(), 1);
	KUNIT_EXPECT_FALSE(test, xs_interest_any_stale_locked());
	xs_interest_del_locked(&interest);
	xs_sampler_configure_locked(NULL);
}

/* So many that a review of them takes many slices. Only the last one wants to know anything. */
static struct xs_interest *add_interests(struct kunit *test, unsigned int count)
{
	struct xs_interest *interests = kunit_kcalloc(test, count, sizeof(*interests), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, interests);
	guard(rt_mutex)(&xs_lock);
	for (i = 0; i < count; i++) {
		INIT_LIST_HEAD(&interests[i].in_interests);
		INIT_LIST_HEAD(&interests[i].in_newcomers);
		interests[i].file = client(test);
		interests[i].all = i == count - 1;
		xs_interest_add_locked(&interests[i]);
	}
	xs_sampler_configure_locked(NULL);
	return interests;
}

static void del_interests(struct xs_interest *interests, unsigned int count)
{
	unsigned int i;

	guard(rt_mutex)(&xs_lock);
	for (i = 0; i < count; i++)
		xs_interest_del_locked(&interests[i]);
	xs_sampler_configure_locked(NULL);
}

/* A review goes on by itself until it is over, also while no newcomer is to be told anything. */
static void reviewed_to_the_end(struct kunit *test)
{
	struct xt_watched w = add_tappable(test, 0);
	struct xs_interest *interests = add_interests(test, 10 * INTERESTS);

	xt_expect_watched(test, client(test), &w, true);
	del_interests(interests, 10 * INTERESTS);
	xt_expect_watched(test, client(test), &w, false);
}

/* The node's worker waits for the firmware: another looks at what rings there. */
static void ring_during_a_switch(struct kunit *test)
{
	const u32 ready = KFD_XSCHED_EVENT_BIT(XT_READY);
	struct xt_watched v = add_tappable(test, 0);
	struct xs_hw_process *other = fake_process_add(test, XT_UID);
	struct xt_watched w = xt_add_watched_on(test, other, tappable, 0);

	xt_subscribe(test, client(test), ready, PERIOD_US, 0);
	expect_counts(test, 0, 2);
	fake_hang(tappable);
	KUNIT_ASSERT_EQ(test, xt_async(test, xt_open(test), KFD_XSCHED_OP_SUSPEND,
				       KFD_XSCHED_TARGET_QUEUE, v.id, 0), 0);
	KUNIT_ASSERT_TRUE(test, xt_entered(tappable));
	xt_set_indices(test, &w, 0, 1);
	fake_ring(other, tappable);
	xt_expect_event(test, client(test), &w, XT_READY);
	fake_answer(tappable, 0);
}

/* Rings, and queues that come and go, all the time. */
static void churn(struct kunit *test)
{
	struct xt_watched first = add_tappable(test, 0);
	unsigned int i;

	xt_subscribe(test, client(test), XT_ACTIVITY, KFD_XSCHED_SAMPLE_US_MIN, 0);
	for (i = 0; i < 50; i++) {
		struct xt_watched w = add_tappable(test, 0);

		xs_doorbell_rang(process_of(test), tappable);
		xt_set_indices(test, &w, 0, 1);
		fake_ring(process_of(test), tappable);
		xt_expect_event(test, client(test), &w, XT_READY);
		fake_ring(process_of(test), tappable);
		fake_queue_remove(w.queue);
		xs_doorbell_rang(process_of(test), tappable);
		usleep_range(0, 500);
	}
	expect_counts(test, 0, 1);
	xt_set_indices(test, &first, 0, 1);
	fake_ring(process_of(test), tappable);
	xt_expect_event(test, client(test), &first, XT_READY);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(idle_is_not_sampled),
	KUNIT_CASE(idle_for_a_while),
	KUNIT_CASE(ring_is_ready),
	KUNIT_CASE(ring_in_vain),
	KUNIT_CASE(rings_in_vain),
	KUNIT_CASE(maps_in_a_loop),
	KUNIT_CASE(subscribes_in_a_loop),
	KUNIT_CASE(work_before_the_tap),
	KUNIT_CASE(unreadable_before_the_tap),
	KUNIT_CASE(not_tappable),
	KUNIT_CASE(not_tappable_now),
	KUNIT_CASE(not_tappable_any_more),
	KUNIT_CASE(each_by_itself),
	KUNIT_CASE(waves_are_work),
	KUNIT_CASE(held_and_tapped),
	KUNIT_CASE(new_queue),
	KUNIT_CASE(exit_while_tapped),
	KUNIT_CASE(two_clients),
	KUNIT_CASE(no_tap),
	KUNIT_CASE(users_do_not_interfere),
	KUNIT_CASE(fast_clock),
	KUNIT_CASE(ring_comes_first),
	KUNIT_CASE(ring_puts_off_what_is_due),
	KUNIT_CASE(others_take_turns),
	KUNIT_CASE(reviewed_in_slices),
	KUNIT_CASE(changed_during_a_review),
	KUNIT_CASE(reviewed_to_the_end),
	KUNIT_CASE(ring_during_a_switch),
	KUNIT_CASE(churn),
	{}
};

static struct kunit_suite suite = {
	.name = "tap",
	.init = init,
	.exit = xt_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
