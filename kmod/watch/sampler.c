// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: when each process on a node is looked at.
 *
 * A worker looks at every watched queue (look.c), again and again. It watches the
 * processes for which a client asks (interest.c). While there is none, nothing ticks.
 *
 * Where the driver has a doorbell tap, a process that has been idle on a node for a
 * while is tapped there, and not looked at any more until it rings. When all are tapped, nothing
 * ticks, either. So that no work is missed, a look follows the tap, at indices and
 * waves: it sees work that came before, and later work rings.
 *
 * Looks come before programs, so they come in slices: a round may take several, with
 * as much time for others in between. A ring comes before a slice, because somebody
 * waits for what follows it: it ends the slice and puts off the next one. The worker
 * of the node looks at it, and runs an armed switch without waking another thread.
 * While that worker has a transaction, the sampler's own does it.
 *
 * sampler.lock is held for the length of a slice, so a queue or a process that goes
 * waits that long at most. A transaction, which may take long, does not hold it, and
 * nothing under it waits for the firmware. Static functions here are called under it
 * unless they say otherwise. The suffix _locked means xs_lock.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "compat.h"
#include "core.h"
#include "model/queue.h"
#include "trace.h"
#include "watch/watch.h"

/*
 * How long a process is sampled after a ring without work: other queues, whose
 * indices mean nothing, have doorbells on the same pages, and each ring while it is
 * tapped costs it a fault.
 */
#define XS_TAP_QUIET_NS	(10 * NSEC_PER_MSEC)

/* How long a slice takes: one look more. */
#define XS_SLICE_NS	(10 * NSEC_PER_USEC)

/* How long after a ring no slice begins: a switch may be on its way. */
#define XS_AFTER_RING_NS	(100 * NSEC_PER_USEC)

/**
 * struct xs_sampler - the one sampler
 * @lock: guards all of it, xs_pdd.watch, xs_queue.watch, and what is said to be under
 *	it in struct xs_process
 * @sampled: pdds to look at, by xs_pdd_watch.in_sampler: those first that this round
 *	has not seen
 * @tapped: those that will ring, likewise
 * @unwatched: those for which no client asks, likewise
 * @period_ns: from one round to the next
 * @round: number of the round
 * @due: when it was to begin
 * @looked_ns: end of the last slice; read by the timer
 * @edges: a process became READY, or IDLE, which is not reported yet
 * @timer: queues @work
 * @worker: runs @work, @ring and @edge
 * @work: a slice, then the timer again
 * @ring: looks at what rang
 * @edge: reports @edges
 */
struct xs_sampler {
	struct mutex lock;	/* all of it, and what is watched */
	struct list_head sampled;
	struct list_head tapped;
	struct list_head unwatched;
	u64 period_ns;
	u32 round;
	u64 due;
	u64 looked_ns;
	bool edges;
	struct hrtimer timer;
	struct kthread_worker *worker;
	struct kthread_work work;
	struct kthread_work ring;
	struct kthread_work edge;
};

static struct xs_sampler sampler = {
	.lock = __MUTEX_INITIALIZER(sampler.lock),
	.sampled = LIST_HEAD_INIT(sampler.sampled),
	.tapped = LIST_HEAD_INIT(sampler.tapped),
	.unwatched = LIST_HEAD_INIT(sampler.unwatched),
	/* That of a new pdd is 0. */
	.round = 1,
};

static u32 sampler_tap_idle_us = XS_TAP_IDLE_US;

/* ---- the timer ----------------------------------------------------------- */

static void sampler_start_timer(u64 ns)
{
	hrtimer_start(&sampler.timer, ns_to_ktime(ns), HRTIMER_MODE_ABS);
}

static void sampler_begin_round_at(u64 due)
{
	lockdep_assert_held(&sampler.lock);

	sampler.due = due;
	sampler_start_timer(due);
}

/* A ring puts off one slice, no more: they may come all the time. Called without a lock. */
static enum hrtimer_restart sampler_timer_fired(struct hrtimer *timer)
{
	const u64 rung_ns = xs_doorbell_last_ns(), until = rung_ns + XS_AFTER_RING_NS;

	if (rung_ns > READ_ONCE(sampler.looked_ns) && ktime_get_ns() < until) {
		hrtimer_set_expires(timer, ns_to_ktime(until));
		return HRTIMER_RESTART;
	}
	kthread_queue_work(sampler.worker, &sampler.work);
	return HRTIMER_NORESTART;
}

static void sampler_sample_again(struct xs_pdd *pdd)
{
	lockdep_assert_held(&sampler.lock);

	list_move_tail(&pdd->watch.in_sampler, &sampler.sampled);
	if (list_is_singular(&sampler.sampled))
		sampler_begin_round_at(ktime_get_ns() + sampler.period_ns);
}

/* ---- looks --------------------------------------------------------------- */

static bool sampler_is_time(u64 until)
{
	return xs_doorbell_any() || ktime_get_ns() >= until;
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

/* Go on with a look, in its address space, for a while. Whether all queues have been seen. */
static bool sampler_look(struct xs_pdd *pdd, u64 edge_ns, u64 until)
{
	struct xs_look look = {
		.settle_ns = pdd->process->settle_ns,
		.edge_ns = edge_ns,
		.tapping = pdd->watch.tapping,
	};
	struct xs_queue *queue;

	lockdep_assert_held(&sampler.lock);

	while ((queue = sampler_next_queue(pdd))) {
		pdd->watch.idle &= xs_look_is_due(queue) && xs_look_at(queue, &look);
		queue->watch.look = pdd->watch.look;
		list_move_tail(&queue->watch.in_pdd, &pdd->watch.queues);
		if (sampler_is_time(until))
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

/* It may come back at a ring that crosses this: that is looked at, too. */
static void sampler_untap(struct xs_pdd *pdd)
{
	lockdep_assert_held(&sampler.lock);

	if (!pdd->watch.tapped && !pdd->watch.tapping)
		return;
	xs_backend->untap(pdd->space->hw, pdd->node->hw);
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

	sampler_put_off_tap(pdd, (u64)xs_sampler_tap_idle_us() * NSEC_PER_USEC);
}

/* All its queues are idle: look at them once more, without doorbells. */
static bool sampler_begin_tap(struct xs_pdd *pdd)
{
	int ret;

	lockdep_assert_held(&sampler.lock);

	if (!sampler_may_tap(pdd))
		return false;
	ret = xs_backend->tap(pdd->space->hw, pdd->node->hw);
	if (ret) {
		/* Else it could not be tapped just now, and a later round tries again. */
		pdd->watch.untappable = ret != -EAGAIN;
		return false;
	}
	pdd->watch.tapping = true;
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
	trace_tap(pdd, true);
}

/* Into its address space. If that is exiting, xs_news.process_exited waits for our lock. */
static bool sampler_enter(const struct xs_pdd *pdd)
{
	struct mm_struct *mm = pdd->space->mm;

	if (!mmget_not_zero(mm))
		return false;
	kthread_use_mm(mm);
	return true;
}

static void sampler_leave(const struct xs_pdd *pdd)
{
	struct mm_struct *mm = pdd->space->mm;

	kthread_unuse_mm(mm);
	/* The last reference must not be dropped here: xs_news.process_exited would wait. */
	mmput_async(mm);
}

static bool sampler_any_is_due(const struct xs_pdd *pdd)
{
	const struct xs_queue *queue;

	list_for_each_entry(queue, &pdd->watch.queues, watch.in_pdd) {
		if (xs_look_is_due(queue))
			return true;
	}
	return false;
}

/* Go on with a pdd for a while. Whether this round is through with it. */
static bool sampler_sample_pdd(struct xs_pdd *pdd, u64 until)
{
	bool over;

	if ((!pdd->watch.tapping && !sampler_any_is_due(pdd)) || !sampler_enter(pdd))
		return true;
	do {
		over = sampler_look(pdd, 0, until);
	} while (over && pdd->watch.idle && !pdd->watch.tapping && sampler_begin_tap(pdd));
	if (over && !pdd->watch.idle)
		sampler_is_busy(pdd);
	if (over && pdd->watch.tapping)
		sampler_end_tap(pdd);
	sampler_leave(pdd);
	return over;
}

/* All at once: somebody waits for what follows a ring. */
static void sampler_look_at_ring(struct xs_pdd *pdd, u64 rung_ns)
{
	sampler_be_sampled(pdd);
	sampler_begin_look(pdd);
	if (!sampler_enter(pdd))
		return;
	while (!sampler_look(pdd, rung_ns, U64_MAX))
		;
	if (pdd->watch.idle)
		sampler_put_off_tap(pdd, XS_TAP_QUIET_NS);
	else
		sampler_is_busy(pdd);
	sampler_leave(pdd);
	sampler_begin_look(pdd);
}

/* The next pdd that the round has not seen, or NULL. */
static struct xs_pdd *sampler_next_pdd(void)
{
	struct xs_pdd *pdd = list_first_entry_or_null(&sampler.sampled, struct xs_pdd,
						      watch.in_sampler);

	return pdd && pdd->watch.round != sampler.round ? pdd : NULL;
}

/* Whether the round is over. */
static bool sampler_look_around(u64 until)
{
	struct xs_pdd *pdd;

	while ((pdd = sampler_next_pdd())) {
		if (!sampler_sample_pdd(pdd, until))
			return false;
		pdd->watch.round = sampler.round;
		sampler_begin_look(pdd);
		if (!pdd->watch.tapped)
			list_move_tail(&pdd->watch.in_sampler, &sampler.sampled);
		if (sampler_is_time(until))
			break;
	}
	return !sampler_next_pdd();
}

static void sampler_look_at_rings(void)
{
	struct xs_pdd *pdd;
	u64 rung_ns;

	lockdep_assert_held(&sampler.lock);

	while ((pdd = xs_doorbell_take(&rung_ns))) {
		if (pdd->process->watched)
			sampler_look_at_ring(pdd, rung_ns);
	}
}

static void sampler_slice(void)
{
	const u64 start = ktime_get_ns();
	bool over;
	u64 rested;

	lockdep_assert_held(&sampler.lock);

	sampler_look_at_rings();
	if (list_empty(&sampler.sampled))
		return;
	over = sampler_look_around(start + XS_SLICE_NS);
	WRITE_ONCE(sampler.looked_ns, ktime_get_ns());

	/* Keep the pace, but leave the CPU to others half of the time. */
	rested = sampler.looked_ns + (sampler.looked_ns - start);
	if (!over) {
		sampler_start_timer(rested);
		return;
	}
	sampler.round++;
	if (!list_empty(&sampler.sampled))
		sampler_begin_round_at(max(sampler.due + sampler.period_ns, rested));
}

/* ---- works: without a lock ----------------------------------------------- */

/* The front takes xs_lock then, which is taken before sampler.lock. */
static bool sampler_take_edges(void)
{
	const bool edges = sampler.edges;

	sampler.edges = false;
	return edges;
}

static void sampler_slice_work(struct kthread_work *work)
{
	bool edges;

	scoped_guard(mutex, &sampler.lock) {
		sampler_slice();
		edges = sampler_take_edges();
	}
	if (edges)
		xs_news->edge();
}

static void sampler_ring_work(struct kthread_work *work)
{
	bool edges;

	scoped_guard(mutex, &sampler.lock) {
		sampler_look_at_rings();
		edges = sampler_take_edges();
	}
	if (edges)
		xs_news->edge();
}

static void sampler_edge_work(struct kthread_work *work)
{
	xs_news->edge();
}

void xs_sampler_ring(struct xs_node *node)
{
	/* It would wait for the transaction, and so would all others that ring there. */
	if (mutex_is_locked(&node->lock))
		kthread_queue_work(sampler.worker, &sampler.ring);
	else
		kthread_queue_work(node->worker, &node->ring);
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

/* Watch a process if a trigger, or an interest that may see it, asks for that; else do not. */
static void sampler_watch_locked(struct xs_process *process)
{
	const struct xs_interest wanted = xs_interest_in_locked(process);
	const bool watched = wanted.all;
	struct xs_pdd *pdd;

	lockdep_assert_held(&xs_lock);
	lockdep_assert_held(&sampler.lock);

	process->settle_ns = (u64)wanted.settle_us * NSEC_PER_USEC;
	process->no_tap = wanted.no_tap;
	if (process->no_tap)
		sampler_untap_process_locked(process);
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

static void sampler_watch_all_locked(void)
{
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);
	lockdep_assert_held(&sampler.lock);

	list_for_each_entry(process, &xs_processes, in_processes)
		sampler_watch_locked(process);
	if (list_empty(&sampler.sampled))
		hrtimer_cancel(&sampler.timer);
}

/* Those that are tapped are idle. */
static void sampler_tell_ready(struct xs_interest *newcomer)
{
	const u64 now = ktime_get_ns();
	struct xs_queue *queue;
	struct xs_pdd *pdd;

	list_for_each_entry(pdd, &sampler.sampled, watch.in_sampler) {
		list_for_each_entry(queue, &pdd->watch.queues, watch.in_pdd) {
			if (xs_activity_is_ready(queue->watch.activity))
				xs_news->activity(newcomer, queue, KFD_XSCHED_EVENT_READY, now);
		}
	}
}

void xs_sampler_configure_locked(struct xs_interest *newcomer)
{
	const u32 sample_us = xs_interest_sample_us_locked();

	lockdep_assert_held(&xs_lock);

	guard(mutex)(&sampler.lock);
	sampler.period_ns = (u64)sample_us * NSEC_PER_USEC;
	if (newcomer)
		sampler_tell_ready(newcomer);
	sampler_watch_all_locked();
	if (!list_empty(&sampler.sampled))
		sampler_begin_round_at(ktime_get_ns());
}

/* ---- queues come and go -------------------------------------------------- */

static void sampler_add_pdd(struct xs_pdd *pdd)
{
	list_add_tail(&pdd->watch.in_sampler, &sampler.unwatched);
	xs_doorbell_add(pdd);
	if (pdd->process->watched)
		sampler_watch_pdd(pdd);
}

static void sampler_remove_pdd(struct xs_pdd *pdd)
{
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
	guard(mutex)(&sampler.lock);
	if (list_empty(&pdd->watch.queues))
		sampler_add_pdd(pdd);
	WRITE_ONCE(queue->watch.on, true);
	list_add_tail(&queue->watch.in_pdd, &pdd->watch.queues);
	/* A look that goes on does not see it. */
	pdd->watch.idle = false;
	sampler_untap(pdd);
	sampler_watch_locked(pdd->process);
}

void xs_sampler_remove_locked(struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	if (!queue->watch.on)
		return;
	guard(mutex)(&sampler.lock);
	WRITE_ONCE(queue->watch.on, false);
	list_del(&queue->watch.in_pdd);
	if (pdd->process->watched)
		sampler.edges |= xs_look_end(queue);
	if (sampler_take_edges())
		kthread_queue_work(sampler.worker, &sampler.edge);
	if (list_empty(&pdd->watch.queues))
		sampler_remove_pdd(pdd);
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

struct xs_sampler_counts xs_sampler_counts(void)
{
	struct xs_sampler_counts counts = { .rings = xs_doorbell_count() };

	guard(mutex)(&sampler.lock);
	counts.sampled = list_count_nodes(&sampler.sampled);
	counts.tapped = list_count_nodes(&sampler.tapped);
	return counts;
}

void xs_sampler_init_node(struct xs_node *node)
{
	kthread_init_work(&node->ring, sampler_ring_work);
}

int xs_sampler_init(void)
{
	struct kthread_worker *worker = kthread_run_worker(0, "kfd_xsched");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* A few microseconds at a time: late is worse than early. */
	sched_set_fifo_low(worker->task);
	xs_never_reclaim_under(&sampler.lock);
	kthread_init_work(&sampler.work, sampler_slice_work);
	kthread_init_work(&sampler.ring, sampler_ring_work);
	kthread_init_work(&sampler.edge, sampler_edge_work);
	hrtimer_setup(&sampler.timer, sampler_timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	sampler.worker = worker;
	return 0;
}

void xs_sampler_exit(void)
{
	hrtimer_cancel(&sampler.timer);
	kthread_destroy_worker(sampler.worker);
	sampler.worker = NULL;
}
