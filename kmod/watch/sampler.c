// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: when each process on a node is looked at.
 *
 * A worker looks at every watched queue (look.c), again and again. It watches the
 * processes for which a client asks (interest.c). While there is none, nothing ticks.
 *
 * Where the driver has a doorbell tap, a process that has been idle on a node for a
 * while is tapped there, and not looked at any more until it rings. When all are tapped, nothing
 * ticks, either. So that no work is missed, a look at the indices follows the tap: it sees
 * work that came before, and later work rings.
 *
 * Looks come before programs, so they come in slices, with as much time for others in
 * between. And what programs do may not keep one another's processes from being looked at:
 *
 *	A round	begins once in a period. In it, each process that is sampled on a node has a
 *		turn of one slice. One whose queues take longer goes on after the others,
 *		also after those of the next round. So a process waits for one slice of each
 *		other one, however many queues that has.
 *	A ring	comes before a round, because somebody waits for what follows it: it ends
 *		a slice, or puts off the next one. But a round gives way only once: it is
 *		over XS_AFTER_RING_NS later at most. What rang has a turn at once, and so
 *		has each other one that rang, in the order in which they did.
 *	A tap	makes a ring, so XS_TAP_QUIET_NS says how often a process may ring in vain.
 *	Interests
 *		change at any time. That begins no round: a process that comes to be watched
 *		is looked at in the next one. What they come to is found out by a worker of
 *		its own, in slices (interest.c).
 *
 * The worker of the node looks at what rang there, and runs an armed switch without waking
 * another thread. While that worker has a transaction, the sampler's own does it; and always
 * for a process that is parked, as it has to come back on other nodes, too, whatever
 * transactions there are on the way to that one.
 *
 * sampler.lock is held for the length of a slice, or two, so a queue or a process that goes
 * waits that long at most. A transaction, which may take long, does not hold it, and
 * nothing under it waits for the firmware. Static functions here are called under it
 * unless they say otherwise. The suffix _locked means xs_lock.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "compat.h"
#include "core.h"
#include "model/queue.h"
#include "trace.h"
#include "watch/watch.h"

/*
 * How long a process is sampled after a ring without work: other queues, whose
 * indices mean nothing, have doorbells on the same pages, and each ring while it is
 * tapped costs it a fault. That is doubled, up to the second one, each time it rings sooner
 * than that after it was tapped: then the tap was in vain, too. So a process on a node that
 * maps or rings its doorbells in a loop is tapped, faults, and is looked at for that, 100
 * times a second at first, and after five rings 6 times. With work, which a program can
 * pretend to have, it is xs_sampler_tap_idle_us() that bounds it: 2,000 times a second,
 * each a slice at most.
 */
#define XS_TAP_QUIET_NS		(10 * NSEC_PER_MSEC)
#define XS_TAP_QUIET_MAX_NS	(160 * NSEC_PER_MSEC)

/* How long a slice takes: one look more. */
#define XS_SLICE_NS	(10 * NSEC_PER_USEC)

/* How long after a ring no slice begins: a switch may be on its way. */
#define XS_AFTER_RING_NS	(100 * NSEC_PER_USEC)

/* Between two slices of a review: if interests change all the time, it goes on all the time. */
#define XS_REVIEW_REST_US	50

/**
 * struct xs_sampler - the one sampler
 * @lock: guards all of it, xs_pdd.watch, xs_queue.watch, and what is said to be under
 *	it in struct xs_process
 * @turns: pdds whose look in this round is not over, by xs_pdd_watch.in_sampler, in the
 *	order of their turns
 * @sampled: those that wait for the next round, likewise
 * @tapped: those that will ring, likewise
 * @unwatched: those for which no client asks, likewise
 * @period_ns: from one round to the next
 * @begun_ns: when the last one was to begin
 * @gave_way: it gave way to a ring; written by the timer, too
 * @looked_ns: end of the last slice; read by the timer
 * @edges: a process became READY, or IDLE, which is not reported yet
 * @taps: a process was tapped, likewise
 * @timer: queues @work
 * @worker: runs @work and @edge, and looks at what rang
 * @work: a slice, then the timer again
 * @edge: reports @edges
 * @reviewer: runs @review
 * @review: has interests reviewed, and newcomers told
 */
struct xs_sampler {
	struct rt_mutex lock;	/* all of it, and what is watched */
	struct list_head turns;
	struct list_head sampled;
	struct list_head tapped;
	struct list_head unwatched;
	u64 period_ns;
	u64 begun_ns;
	bool gave_way;
	u64 looked_ns;
	bool edges;
	bool taps;
	struct hrtimer timer;
	struct kthread_worker *worker;
	struct kthread_work work;
	struct kthread_work edge;
	struct kthread_worker *reviewer;
	struct kthread_work review;
};

static struct xs_sampler sampler = {
	.lock = __RT_MUTEX_INITIALIZER(sampler.lock),
	.turns = LIST_HEAD_INIT(sampler.turns),
	.sampled = LIST_HEAD_INIT(sampler.sampled),
	.tapped = LIST_HEAD_INIT(sampler.tapped),
	.unwatched = LIST_HEAD_INIT(sampler.unwatched),
	.period_ns = XS_SAMPLE_PERIOD_US * NSEC_PER_USEC,
};

static u32 sampler_tap_idle_us = XS_TAP_IDLE_US;

/* ---- the timer ----------------------------------------------------------- */

static void sampler_start_timer(u64 ns)
{
	hrtimer_start(&sampler.timer, ns_to_ktime(ns), HRTIMER_MODE_ABS);
}

/* Whether anything is looked at. */
static bool sampler_ticks(void)
{
	return !list_empty(&sampler.turns) || !list_empty(&sampler.sampled);
}

/* When the next round is. */
static u64 sampler_due(void)
{
	return sampler.begun_ns + sampler.period_ns;
}

/* Go on with the round, or begin the next one when it is due; not before @from. */
static void sampler_go_on(u64 from)
{
	lockdep_assert_held(&sampler.lock);

	if (!list_empty(&sampler.turns))
		sampler_start_timer(from);
	else if (!list_empty(&sampler.sampled))
		sampler_start_timer(max(sampler_due(), from));
}

/*
 * A ring puts off one slice, no more: they may come all the time. Until when, or 0. Also without a
 * lock: by the timer, and once more by the worker, as one may ring until that runs.
 */
static u64 sampler_put_off(void)
{
	const u64 rung_ns = xs_doorbell_last_ns(), until = rung_ns + XS_AFTER_RING_NS;

	if (READ_ONCE(sampler.gave_way) || rung_ns <= READ_ONCE(sampler.looked_ns) ||
	    ktime_get_ns() >= until)
		return 0;
	WRITE_ONCE(sampler.gave_way, true);
	return until;
}

static enum hrtimer_restart sampler_timer_fired(struct hrtimer *timer)
{
	const u64 until = sampler_put_off();

	if (until) {
		hrtimer_set_expires(timer, ns_to_ktime(until));
		return HRTIMER_RESTART;
	}
	kthread_queue_work(sampler.worker, &sampler.work);
	return HRTIMER_NORESTART;
}

/* From the next round on. */
static void sampler_sample_again(struct xs_pdd *pdd)
{
	const bool ticks = sampler_ticks();

	lockdep_assert_held(&sampler.lock);

	list_move_tail(&pdd->watch.in_sampler, &sampler.sampled);
	if (!ticks)
		sampler_go_on(ktime_get_ns());
}

/* ---- looks --------------------------------------------------------------- */

/* Whether a round is to end a slice for a ring. */
static bool sampler_gives_way(void)
{
	return xs_doorbell_any() && !READ_ONCE(sampler.gave_way);
}

/* Whether a turn is over. One for a ring does not end for another one. */
static bool sampler_is_time(const struct xs_pdd *pdd, u64 until)
{
	return (!pdd->watch.edge_ns && sampler_gives_way()) || ktime_get_ns() >= until;
}

static void sampler_begin_look(struct xs_pdd *pdd)
{
	pdd->watch.look++;
	pdd->watch.idle = true;
}

/* The next queue that the look has not seen, or NULL. New ones wait for the next. */
static struct xs_queue *sampler_next_queue(struct xs_pdd *pdd)
{
	struct xs_queue *queue = list_first_entry_or_null(&pdd->watch.queues, struct xs_queue,
							  watch.in_pdd);

	return queue && queue->watch.look != pdd->watch.look ? queue : NULL;
}

static void sampler_has_seen(struct xs_pdd *pdd, struct xs_queue *queue, bool idle)
{
	pdd->watch.idle &= idle;
	queue->watch.look = pdd->watch.look;
	list_move_tail(&queue->watch.in_pdd, &pdd->watch.queues);
}

/* Pass by queues at which a look would find nothing new. Whether the next one is another. */
static bool sampler_find_due(struct xs_pdd *pdd, u64 until)
{
	struct xs_queue *queue;

	lockdep_assert_held(&sampler.lock);

	while ((queue = sampler_next_queue(pdd)) && !xs_look_is_due(queue)) {
		sampler_has_seen(pdd, queue, false);
		if (sampler_is_time(pdd, until))
			return false;
	}
	return queue;
}

/* Go on with a look, in its address space, for a while. Whether all queues have been seen. */
static bool sampler_look(struct xs_pdd *pdd, u64 until)
{
	struct xs_look look = {
		.settle_ns = pdd->process->settle_ns,
		.edge_ns = pdd->watch.edge_ns,
	};
	struct xs_queue *queue;

	lockdep_assert_held(&sampler.lock);

	while ((queue = sampler_next_queue(pdd))) {
		sampler_has_seen(pdd, queue, xs_look_is_due(queue) && xs_look_at(queue, &look));
		if (sampler_is_time(pdd, until))
			break;
	}
	sampler.edges |= look.edge;
	return !sampler_next_queue(pdd);
}

static void sampler_be_sampled(struct xs_pdd *pdd)
{
	pdd->watch.tapping = false;
	if (!pdd->watch.tapped)
		return;
	WRITE_ONCE(pdd->watch.tapped, false);
	sampler_sample_again(pdd);
}

/* A ring that crosses this is nothing, or is looked at, too: it is sampled from here on. */
static void sampler_untap(struct xs_pdd *pdd)
{
	lockdep_assert_held(&sampler.lock);

	if (!pdd->watch.tapped && !pdd->watch.tapping)
		return;
	xs_backend->untap(pdd->space->hw, pdd->node->hw);
	xs_doorbell_expect(pdd, false);
	if (pdd->watch.tapped)
		trace_tap(pdd, false);
	sampler_be_sampled(pdd);
}

static bool sampler_may_tap(const struct xs_pdd *pdd)
{
	return pdd->node->desc.caps & KFD_XSCHED_CAP_TAP && !pdd->watch.untappable &&
		!pdd->process->no_tap && ktime_get_ns() >= pdd->watch.tap_after_ns;
}

static void sampler_put_off_tap(struct xs_pdd *pdd, u64 ns)
{
	lockdep_assert_held(&sampler.lock);

	pdd->watch.tap_after_ns = ktime_get_ns() + ns;
}

/* It has work: the time it has to be idle begins anew. */
static void sampler_is_busy(struct xs_pdd *pdd)
{
	lockdep_assert_held(&sampler.lock);

	pdd->watch.quiet_ns = 0;
	sampler_put_off_tap(pdd, (u64)xs_sampler_tap_idle_us() * NSEC_PER_USEC);
}

/* It rang: if that was in vain, the next tap comes the later the sooner it rang. */
static void sampler_is_quiet(struct xs_pdd *pdd)
{
	struct xs_pdd_watch *watch = &pdd->watch;

	lockdep_assert_held(&sampler.lock);

	if (ktime_get_ns() - watch->tapped_ns < watch->quiet_ns)
		watch->quiet_ns = min_t(u64, 2 * watch->quiet_ns, XS_TAP_QUIET_MAX_NS);
	else
		watch->quiet_ns = XS_TAP_QUIET_NS;
	sampler_put_off_tap(pdd, watch->quiet_ns);
}

/* It rings at once, perhaps. */
static int sampler_take_doorbells(struct xs_pdd *pdd)
{
	int ret;

	xs_doorbell_expect(pdd, true);
	ret = xs_backend->tap(pdd->space->hw, pdd->node->hw);
	if (ret)
		xs_doorbell_expect(pdd, false);
	return ret;
}

/* All its queues are idle: look at them once more, without doorbells. */
static bool sampler_begin_tap(struct xs_pdd *pdd)
{
	int ret;

	lockdep_assert_held(&sampler.lock);

	if (!sampler_may_tap(pdd))
		return false;
	ret = sampler_take_doorbells(pdd);
	if (ret) {
		/* Else it could not be tapped just now, and a later round tries again. */
		pdd->watch.untappable = ret != -EAGAIN;
		return false;
	}
	pdd->watch.tapping = true;
	pdd->watch.tapped_ns = ktime_get_ns();
	sampler_begin_look(pdd);
	return true;
}

/* The look saw what came before the tap; what came after it rings. */
static void sampler_end_tap(struct xs_pdd *pdd)
{
	if (!pdd->watch.idle) {
		sampler_untap(pdd);
		return;
	}
	pdd->watch.tapping = false;
	WRITE_ONCE(pdd->watch.tapped, true);
	list_move_tail(&pdd->watch.in_sampler, &sampler.tapped);
	sampler.taps = true;
	trace_tap(pdd, true);
}

/* All queues have been seen. */
static void sampler_end_look(struct xs_pdd *pdd)
{
	if (!pdd->watch.idle)
		sampler_is_busy(pdd);
	if (pdd->watch.tapping)
		sampler_end_tap(pdd);
	pdd->watch.edge_ns = 0;
	sampler_begin_look(pdd);
}

/* Go on with a pdd for a while. Whether that is all for this round. */
static bool sampler_sample_pdd(struct xs_pdd *pdd, u64 until)
{
	if (sampler_find_due(pdd, until)) {
		if (!xs_look_enter(pdd->space))
			return true;
		while (sampler_look(pdd, until) && pdd->watch.idle && !pdd->watch.tapping &&
		       sampler_begin_tap(pdd))
			;
		xs_look_leave(pdd->space);
	}
	if (sampler_next_queue(pdd))
		return false;
	sampler_end_look(pdd);
	return true;
}

/* Its turn. */
static void sampler_take_turn(struct xs_pdd *pdd)
{
	const bool over = sampler_sample_pdd(pdd, ktime_get_ns() + XS_SLICE_NS);

	lockdep_assert_held(&sampler.lock);

	if (!pdd->watch.tapped)
		list_move_tail(&pdd->watch.in_sampler, over ? &sampler.sampled : &sampler.turns);
}

/*
 * When the slice that begins now was due: to wake for it has taken the CPU, too. What has taken
 * longer than a period is not the sampler's.
 */
static u64 sampler_woken(u64 now)
{
	const u64 due = ktime_to_ns(hrtimer_get_expires(&sampler.timer));

	lockdep_assert_held(&sampler.lock);

	return now - min(now > due ? now - due : 0, sampler.period_ns);
}

/* Keep the pace, but do not make up for rounds that were missed. */
static void sampler_begin_round(u64 now)
{
	lockdep_assert_held(&sampler.lock);

	if (now < sampler_due())
		return;
	sampler.begun_ns = sampler_due();
	if (now >= sampler_due())
		sampler.begun_ns = now;
	WRITE_ONCE(sampler.gave_way, false);
	list_splice_tail_init(&sampler.sampled, &sampler.turns);
}

static void sampler_slice(void)
{
	const u64 start = ktime_get_ns();
	struct xs_pdd *pdd;
	u64 until;

	lockdep_assert_held(&sampler.lock);

	sampler_begin_round(start);
	until = sampler_put_off();
	if (until) {
		sampler_go_on(until);
		return;
	}
	while ((pdd = list_first_entry_or_null(&sampler.turns, struct xs_pdd, watch.in_sampler))) {
		sampler_take_turn(pdd);
		if (sampler_gives_way() || ktime_get_ns() >= start + XS_SLICE_NS)
			break;
	}
	if (xs_doorbell_any())
		WRITE_ONCE(sampler.gave_way, true);
	WRITE_ONCE(sampler.looked_ns, ktime_get_ns());
	/* Leave the CPU to others half of the time. */
	sampler_go_on(2 * sampler.looked_ns - sampler_woken(start));
}

/* A turn at once. If its look is not over then, it goes on in the round. */
static void sampler_look_at_ring(struct xs_pdd *pdd, u64 rung_ns)
{
	const bool turns = !list_empty(&sampler.turns);
	const u64 start = ktime_get_ns();

	lockdep_assert_held(&sampler.lock);

	/* With nothing else to look at, that is the round. */
	if (!sampler_ticks())
		sampler.begun_ns = start;
	sampler_be_sampled(pdd);
	sampler_is_quiet(pdd);
	sampler_begin_look(pdd);
	pdd->watch.edge_ns = rung_ns;
	sampler_take_turn(pdd);
	if (!turns && !list_empty(&sampler.turns))
		sampler_go_on(2 * ktime_get_ns() - start);
}

/* The work that looks at the one after that is queued by then. */
static void sampler_look_at_next_ring(void)
{
	struct xs_pdd *pdd;
	u64 rung_ns;

	lockdep_assert_held(&sampler.lock);

	pdd = xs_doorbell_take(&rung_ns);
	if (pdd && pdd->process->watched)
		sampler_look_at_ring(pdd, rung_ns);
}

/* ---- works: without a lock ----------------------------------------------- */

/**
 * struct sampler_news - what is to be reported
 * @edges: see struct xs_sampler
 * @taps: likewise
 */
struct sampler_news {
	bool edges;
	bool taps;
};

static struct sampler_news sampler_take_news(void)
{
	const struct sampler_news news = { .edges = sampler.edges, .taps = sampler.taps };

	lockdep_assert_held(&sampler.lock);

	sampler.edges = false;
	sampler.taps = false;
	return news;
}

/* The front takes xs_lock then, which is taken before sampler.lock. */
static void sampler_tell(struct sampler_news news)
{
	if (news.edges)
		xs_news->edge();
	if (news.taps)
		xs_news->tapped();
}

static void sampler_slice_work(struct kthread_work *work)
{
	struct sampler_news news;

	scoped_guard(rt_mutex, &sampler.lock) {
		sampler_slice();
		news = sampler_take_news();
	}
	sampler_tell(news);
}

/* Those that rang while they were parked are not any more. */
static void sampler_wake(void)
{
	struct xs_pdd *pdd;
	u64 woken_ns;

	guard(rt_mutex)(&xs_lock);
	while ((pdd = xs_doorbell_take_woken(&woken_ns)))
		xs_process_unpark_locked(pdd->process, XS_UNPARK_RING, woken_ns);
}

static void sampler_ring_work(struct kthread_work *work)
{
	const bool woken = xs_doorbell_any_woken();
	struct sampler_news news;

	if (woken)
		sampler_wake();
	scoped_guard(rt_mutex, &sampler.lock) {
		sampler_look_at_next_ring();
		news = sampler_take_news();
	}
	sampler_tell(news);
	if (woken)
		xs_news->woken();
}

static void sampler_edge_work(struct kthread_work *work)
{
	xs_news->edge();
}

/* ---- what is watched ------------------------------------------------------ */

/* Forget what was known: a queue with work is reported afresh. */
static void sampler_watch_pdd(struct xs_pdd *pdd)
{
	struct xs_queue *queue;

	list_for_each_entry(queue, &pdd->watch.queues, watch.in_pdd)
		WRITE_ONCE(queue->watch.activity, XS_ACTIVITY_UNKNOWN);
	sampler_begin_look(pdd);
	sampler_sample_again(pdd);
}

static void sampler_unwatch_pdd(struct xs_pdd *pdd)
{
	sampler_untap(pdd);
	list_move_tail(&pdd->watch.in_sampler, &sampler.unwatched);
}

static void sampler_untap_process_locked(struct xs_process *process)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);
	lockdep_assert_held(&sampler.lock);

	list_for_each_entry(pdd, &process->pdds, in_process)
		sampler_untap(pdd);
}

static void sampler_set_period(u32 us)
{
	const u64 ns = (u64)us * NSEC_PER_USEC;

	lockdep_assert_held(&sampler.lock);

	if (!us || ns == sampler.period_ns)
		return;
	sampler.period_ns = ns;
	if (list_empty(&sampler.turns))
		sampler_go_on(ktime_get_ns());
}

static void sampler_set_watched_locked(struct xs_process *process, bool watched)
{
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);
	lockdep_assert_held(&sampler.lock);

	if (watched == process->watched)
		return;
	WRITE_ONCE(process->watched, watched);
	WRITE_ONCE(process->ready, 0);
	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (list_empty(&pdd->watch.queues))
			continue;
		if (watched)
			sampler_watch_pdd(pdd);
		else
			sampler_unwatch_pdd(pdd);
	}
}

/* Watch a process if a trigger, or an interest that may see it, asks for that; else do not. */
static void sampler_watch_locked(struct xs_process *process)
{
	const struct xs_review *wanted = &process->review;

	lockdep_assert_held(&xs_lock);

	/* Nobody would see it ring. */
	if (wanted->no_tap || !wanted->all)
		xs_process_unpark_locked(process, XS_UNPARK_OFF, ktime_get_ns());
	guard(rt_mutex)(&sampler.lock);
	process->settle_ns = (u64)wanted->settle_us * NSEC_PER_USEC;
	process->no_tap = wanted->no_tap;
	if (process->no_tap)
		sampler_untap_process_locked(process);
	sampler_set_period(wanted->sample_us);
	sampler_set_watched_locked(process, wanted->all);
	if (!sampler_ticks())
		hrtimer_cancel(&sampler.timer);
}

/* ---- what interests want: without a lock ----------------------------------- */

/* Whether there are more. */
static bool sampler_review_slice(void)
{
	struct xs_process *process;
	u64 until;

	guard(rt_mutex)(&xs_lock);
	until = ktime_get_ns() + XS_SLICE_NS;
	while ((process = xs_interest_review_locked(until))) {
		sampler_watch_locked(process);
		if (ktime_get_ns() >= until)
			break;
	}
	return xs_interest_any_stale_locked();
}

/* Likewise. */
static bool sampler_tell_slice(void)
{
	guard(rt_mutex)(&xs_lock);
	scoped_guard(rt_mutex, &sampler.lock)
		xs_interest_tell_locked(ktime_get_ns() + XS_SLICE_NS);
	return xs_interest_any_newcomer_locked();
}

static void sampler_review_work(struct kthread_work *work)
{
	bool stale, newcomers;

	for (;;) {
		stale = sampler_review_slice();
		newcomers = sampler_tell_slice();
		if (!stale && !newcomers)
			return;
		usleep_range(XS_REVIEW_REST_US, 2 * XS_REVIEW_REST_US);
	}
}

static void sampler_review_locked(void)
{
	lockdep_assert_held(&xs_lock);

	/* Without a process and a client there may be no sampler, either. */
	if (xs_interest_any_stale_locked() || xs_interest_any_newcomer_locked())
		kthread_queue_work(sampler.reviewer, &sampler.review);
}

void xs_sampler_configure_locked(struct xs_interest *newcomer)
{
	lockdep_assert_held(&xs_lock);

	xs_interest_changed_locked();
	if (newcomer) {
		scoped_guard(rt_mutex, &sampler.lock)
			xs_interest_is_new_locked(newcomer);
	}
	sampler_review_locked();
}

/* ---- queues come and go -------------------------------------------------- */

static void sampler_add_pdd_locked(struct xs_pdd *pdd)
{
	struct xs_process *process = pdd->process;

	lockdep_assert_held(&xs_lock);

	if (!process->sampled_pdds++)
		xs_interest_add_process_locked(process);
	list_add_tail(&pdd->watch.in_sampler, &sampler.unwatched);
	xs_doorbell_add(pdd);
	if (process->watched)
		sampler_watch_pdd(pdd);
}

static void sampler_remove_pdd_locked(struct xs_pdd *pdd)
{
	struct xs_process *process = pdd->process;

	lockdep_assert_held(&xs_lock);

	/* Nobody would see rings of what else it has there, as copy queues. */
	xs_process_unpark_locked(process, XS_UNPARK_QUEUE, ktime_get_ns());
	if (!--process->sampled_pdds)
		xs_interest_del_process_locked(process);
	xs_doorbell_remove(pdd);
	list_del_init(&pdd->watch.in_sampler);
	pdd->watch.tapped = false;
	pdd->watch.tapping = false;
}

void xs_sampler_add_locked(struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	if (!xs_queue_can_be_watched(queue))
		return;
	guard(rt_mutex)(&sampler.lock);
	if (list_empty(&pdd->watch.queues))
		sampler_add_pdd_locked(pdd);
	/* Its doorbell was another queue's, perhaps. */
	queue->watch.count_after_ns = ktime_get_ns();
	WRITE_ONCE(queue->watch.on, true);
	list_add_tail(&queue->watch.in_pdd, &pdd->watch.queues);
	/* A look that goes on does not see it. */
	pdd->watch.idle = false;
	sampler_untap(pdd);
	xs_interest_process_changed_locked(pdd->process);
	sampler_review_locked();
}

void xs_sampler_remove_locked(struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	xs_interest_queue_removed_locked(queue);
	if (!queue->watch.on)
		return;
	guard(rt_mutex)(&sampler.lock);
	WRITE_ONCE(queue->watch.on, false);
	list_del(&queue->watch.in_pdd);
	if (pdd->process->watched)
		sampler.edges |= xs_look_end(queue);
	if (sampler.edges)
		kthread_queue_work(sampler.worker, &sampler.edge);
	sampler.edges = false;
	if (list_empty(&pdd->watch.queues))
		sampler_remove_pdd_locked(pdd);
}

/* ---- parks ----------------------------------------------------------------- */

static u64 sampler_tapped_ns_locked(const struct xs_process *process)
{
	const struct xs_pdd *pdd;
	u64 since_ns = 0;

	lockdep_assert_held(&xs_lock);
	lockdep_assert_held(&sampler.lock);

	list_for_each_entry(pdd, &process->pdds, in_process) {
		if (!pdd->watch.tapped)
			return 0;
		since_ns = max(since_ns, pdd->watch.tapped_ns);
	}
	return since_ns;
}

u64 xs_sampler_tapped_ns_locked(const struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	guard(rt_mutex)(&sampler.lock);
	return sampler_tapped_ns_locked(process);
}

bool xs_sampler_park_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	guard(rt_mutex)(&sampler.lock);
	return sampler_tapped_ns_locked(process) && xs_doorbell_park(process);
}

/* ---- for others: without a lock ------------------------------------------ */

u32 xs_sampler_tap_idle_us(void)
{
	return READ_ONCE(sampler_tap_idle_us);
}

void xs_sampler_set_tap_idle_us(u32 us)
{
	WRITE_ONCE(sampler_tap_idle_us, us);
}

bool xs_sampler_watches(const struct xs_queue *queue)
{
	return READ_ONCE(queue->pdd->process->watched) && READ_ONCE(queue->watch.on);
}

bool xs_sampler_taps(const struct xs_queue *queue)
{
	return READ_ONCE(queue->watch.on) && READ_ONCE(queue->pdd->watch.tapped);
}

static struct xs_sampler_counts sampler_count(void)
{
	lockdep_assert_held(&sampler.lock);

	return (struct xs_sampler_counts){
		.rings = xs_doorbell_count(),
		.sampled = list_count_nodes(&sampler.turns) + list_count_nodes(&sampler.sampled),
		.tapped = list_count_nodes(&sampler.tapped),
		.period_us = sampler.period_ns / NSEC_PER_USEC,
	};
}

struct xs_sampler_counts xs_sampler_counts(void)
{
	guard(rt_mutex)(&sampler.lock);
	return sampler_count();
}

void xs_sampler_init_node(struct xs_node *node)
{
	kthread_init_work(&node->ring, sampler_ring_work);
}

/* They look a few microseconds at a time: late is worse than early. */
static struct kthread_worker *sampler_new_worker(const char *name)
{
	struct kthread_worker *worker = kthread_run_worker(0, "%s", name);

	if (!IS_ERR(worker))
		sched_set_fifo_low(worker->task);
	return worker;
}

int xs_sampler_init(void)
{
	struct kthread_worker *worker = sampler_new_worker("kfd_xsched"), *reviewer;

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	reviewer = sampler_new_worker("xsched-review");
	if (IS_ERR(reviewer)) {
		kthread_destroy_worker(worker);
		return PTR_ERR(reviewer);
	}
	xs_never_reclaim_under(&sampler.lock);
	kthread_init_work(&sampler.work, sampler_slice_work);
	xs_doorbell_init(worker, sampler_ring_work);
	kthread_init_work(&sampler.edge, sampler_edge_work);
	kthread_init_work(&sampler.review, sampler_review_work);
	hrtimer_setup(&sampler.timer, sampler_timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	sampler.worker = worker;
	sampler.reviewer = reviewer;
	xs_interest_set_period_us(XS_SAMPLE_PERIOD_US);
	xs_sampler_set_tap_idle_us(XS_TAP_IDLE_US);
	return 0;
}

void xs_sampler_exit(void)
{
	kthread_destroy_worker(sampler.reviewer);
	hrtimer_cancel(&sampler.timer);
	kthread_destroy_worker(sampler.worker);
	sampler.reviewer = NULL;
	sampler.worker = NULL;
}
