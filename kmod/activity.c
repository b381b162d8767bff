// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: which queues have work.
 *
 * A worker looks at every watched queue (sample.c), again and again. Watched are
 * processes that somebody asks for (interest.c); while there is none nothing ticks.
 *
 * Where the driver has a doorbell tap, a process that is idle on a node (a
 * *site*) is tapped there and not looked at any more, until it rings. When all
 * sites are tapped nothing ticks, either. That no work is missed takes a look
 * after the tap, at indices and waves: work that came before is seen by it,
 * later work rings.
 *
 * Looks come before programs, so they come in slices: a round may take several,
 * with as much time for others in between. A ring comes before a slice, for what
 * follows it is waited for: it ends the slice, puts off the next one, and is
 * looked at in the worker of its node, which runs an armed switch without waking
 * another. While that worker has a transaction on its way the sampler's does it.
 *
 * The sampler's lock is held for the length of a slice, so a queue or a process
 * that goes waits that long at most. It is not held by a switch, which may take
 * long.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "activity.h"
#include "armed.h"
#include "client.h"
#include "compat.h"
#include "event.h"
#include "interest.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "sample.h"
#include "tap.h"
#include "trace.h"
#include "xsched.h"

/*
 * How long a site is sampled after a ring without work: other queues, whose
 * indices mean nothing, have doorbells on the same pages, and each ring of a
 * tapped site costs it a fault.
 */
#define XS_TAP_QUIET_NS	(10 * NSEC_PER_MSEC)

/* How long a slice takes: one look more. */
#define XS_SLICE_NS	(10 * NSEC_PER_USEC)

/* How long after a ring no slice begins: a switch may be on its way. */
#define XS_AFTER_RING_NS	(100 * NSEC_PER_USEC)

/**
 * struct xs_sampler - the one sampler
 * @lock: guards all of it, xs_process.sites, sites and xs_queue.watch
 * @sites: all, by xs_site.in_sites
 * @sampled: sites to look at, by xs_site.in_sampler: those come first that this
 *	round has not seen
 * @tapped: sites that ring, likewise
 * @unwatched: sites nobody asks for, likewise
 * @no_tap: somebody wants that doorbells are left alone
 * @period_ns: from one round to the next
 * @settle_ns: from dry to IDLE
 * @round: number of the round
 * @due: when it was to begin
 * @looked_ns: end of the last slice; read by the timer
 * @edges: a process became READY, or IDLE, and switches may be armed for that
 * @timer: queues @work
 * @worker: runs @work, @ring and @edge
 * @work: a slice, then the timer again
 * @ring: looks at what rang
 * @edge: looks at armed switches
 */
struct xs_sampler {
	struct mutex lock;	/* all of it, sites, and the watch lists */
	struct list_head sites;
	struct list_head sampled;
	struct list_head tapped;
	struct list_head unwatched;
	bool no_tap;
	u64 period_ns;
	u64 settle_ns;
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
	.sites = LIST_HEAD_INIT(sampler.sites),
	.sampled = LIST_HEAD_INIT(sampler.sampled),
	.tapped = LIST_HEAD_INIT(sampler.tapped),
	.unwatched = LIST_HEAD_INIT(sampler.unwatched),
	/* Of a new site it is 0. */
	.round = 1,
};

static void start_timer_at(u64 ns)
{
	hrtimer_start(&sampler.timer, ns_to_ktime(ns), HRTIMER_MODE_ABS);
}

static void begin_round_at_locked(u64 due)
{
	sampler.due = due;
	start_timer_at(due);
}

/* A ring puts off one slice, no more: they may come all the time. */
static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	const u64 rung_ns = xs_tap_last_ns(), until = rung_ns + XS_AFTER_RING_NS;

	if (rung_ns > READ_ONCE(sampler.looked_ns) && ktime_get_ns() < until) {
		hrtimer_set_expires(timer, ns_to_ktime(until));
		return HRTIMER_RESTART;
	}
	kthread_queue_work(sampler.worker, &sampler.work);
	return HRTIMER_NORESTART;
}

static void start_timer_locked(void)
{
	if (list_is_singular(&sampler.sampled))
		begin_round_at_locked(ktime_get_ns() + sampler.period_ns);
}

/* ---- looks --------------------------------------------------------------- */

static bool is_time(u64 until)
{
	return xs_tap_any_rung() || ktime_get_ns() >= until;
}

static void begin_look_locked(struct xs_site *site)
{
	site->look++;
	site->idle = true;
}

/* The next queue that the look has not seen, or NULL. New ones wait for the next. */
static struct xs_queue *next_queue_locked(struct xs_site *site)
{
	struct xs_queue *queue = list_first_entry_or_null(&site->queues, struct xs_queue,
							  watch.in_site);

	return queue && queue->watch.look != site->look ? queue : NULL;
}

/*
 * Go on with the look at a site, in its address space, for a while. Whether all
 * queues have been seen.
 */
static bool look_at_queues(struct xs_site *site, u64 edge_ns, u64 until)
{
	struct xs_look look = {
		.settle_ns = sampler.settle_ns,
		.edge_ns = edge_ns,
		.tapping = site->tapping,
	};
	struct xs_queue *queue;

	while ((queue = next_queue_locked(site))) {
		site->idle &= xs_sample_is_due(queue) && xs_sample_queue(queue, &look);
		queue->watch.look = site->look;
		list_move_tail(&queue->watch.in_site, &site->queues);
		if (is_time(until))
			break;
	}
	sampler.edges |= look.edge;
	return !next_queue_locked(site);
}

static void be_sampled_locked(struct xs_site *site)
{
	site->tapping = false;
	if (!site->tapped)
		return;
	WRITE_ONCE(site->tapped, false);
	list_move_tail(&site->in_sampler, &sampler.sampled);
	start_timer_locked();
}

/* It may come back at a ring that crosses this: that is looked at, too. */
static void untap_locked(struct xs_site *site)
{
	if (!site->tapped && !site->tapping)
		return;
	xs_backend->untap(site->process->hw, site->node->hw);
	if (site->tapped)
		trace_tap(site, false);
	be_sampled_locked(site);
}

static bool may_tap(const struct xs_site *site)
{
	return site->node->desc.caps & KFD_XSCHED_CAP_TAP && !site->untappable &&
		!sampler.no_tap && ktime_get_ns() >= site->tap_after_ns;
}

/* All queues of the site are idle: look at them once more, without doorbells. */
static bool begin_tap_locked(struct xs_site *site)
{
	if (!may_tap(site))
		return false;
	if (xs_backend->tap(site->process->hw, site->node->hw)) {
		site->untappable = true;
		return false;
	}
	site->tapping = true;
	begin_look_locked(site);
	return true;
}

/* What came before the tap was seen by the look; what came after it rings. */
static void end_tap_locked(struct xs_site *site)
{
	if (!site->idle) {
		untap_locked(site);
		return;
	}
	site->tapping = false;
	WRITE_ONCE(site->tapped, true);
	list_move_tail(&site->in_sampler, &sampler.tapped);
	trace_tap(site, true);
}

/* Into its address space. It is exiting: xs_process_exited() waits for our lock. */
static bool enter(const struct xs_site *site)
{
	struct mm_struct *mm = site->process->mm;

	if (!mmget_not_zero(mm))
		return false;
	kthread_use_mm(mm);
	return true;
}

static void leave(const struct xs_site *site)
{
	struct mm_struct *mm = site->process->mm;

	kthread_unuse_mm(mm);
	/* The last reference must not be dropped here: see xs_process_exited(). */
	mmput_async(mm);
}

static bool any_is_due(const struct xs_site *site)
{
	const struct xs_queue *queue;

	list_for_each_entry(queue, &site->queues, watch.in_site) {
		if (xs_sample_is_due(queue))
			return true;
	}
	return false;
}

/* Go on with a site for a while. Whether this round is through with it. */
static bool sample_site_locked(struct xs_site *site, u64 until)
{
	bool over;

	if ((!site->tapping && !any_is_due(site)) || !enter(site))
		return true;
	do {
		over = look_at_queues(site, 0, until);
	} while (over && site->idle && !site->tapping && begin_tap_locked(site));
	if (over && site->tapping)
		end_tap_locked(site);
	leave(site);
	return over;
}

/* All at once: who rang waits for what follows. */
static void look_at_site_locked(struct xs_site *site, u64 rung_ns)
{
	be_sampled_locked(site);
	begin_look_locked(site);
	if (!enter(site))
		return;
	while (!look_at_queues(site, rung_ns, U64_MAX))
		;
	if (site->idle)
		site->tap_after_ns = ktime_get_ns() + XS_TAP_QUIET_NS;
	leave(site);
	begin_look_locked(site);
}

/* The next site that the round has not seen, or NULL. */
static struct xs_site *next_site_locked(void)
{
	struct xs_site *site = list_first_entry_or_null(&sampler.sampled, struct xs_site,
							in_sampler);

	return site && site->round != sampler.round ? site : NULL;
}

/* Whether the round is over. */
static bool look_around_locked(u64 until)
{
	struct xs_site *site;

	while ((site = next_site_locked())) {
		if (!sample_site_locked(site, until))
			return false;
		site->round = sampler.round;
		begin_look_locked(site);
		if (!site->tapped)
			list_move_tail(&site->in_sampler, &sampler.sampled);
		if (is_time(until))
			break;
	}
	return !next_site_locked();
}

static void look_at_rung_locked(void)
{
	struct xs_site *site;
	u64 rung_ns;

	lockdep_assert_held(&sampler.lock);

	while ((site = xs_tap_take_rung(&rung_ns))) {
		if (site->process->watched)
			look_at_site_locked(site, rung_ns);
	}
}

static void sample_slice_locked(void)
{
	const u64 start = ktime_get_ns();
	bool over;
	u64 rested;

	lockdep_assert_held(&sampler.lock);

	look_at_rung_locked();
	if (list_empty(&sampler.sampled))
		return;
	over = look_around_locked(start + XS_SLICE_NS);
	WRITE_ONCE(sampler.looked_ns, ktime_get_ns());

	/* Keep the pace, but leave the CPU to others half of the time. */
	rested = sampler.looked_ns + (sampler.looked_ns - start);
	if (!over) {
		start_timer_at(rested);
		return;
	}
	sampler.round++;
	if (!list_empty(&sampler.sampled))
		begin_round_at_locked(max(sampler.due + sampler.period_ns, rested));
}

/* Armed switches need xs_lock, which is taken before the sampler's. */
static bool take_edges_locked(void)
{
	const bool edges = sampler.edges;

	sampler.edges = false;
	return edges;
}

static void sample(struct kthread_work *work)
{
	bool edges;

	scoped_guard(mutex, &sampler.lock) {
		sample_slice_locked();
		edges = take_edges_locked();
	}
	if (edges)
		xs_armed_look();
}

void xs_activity_look_at_rung(struct kthread_work *work)
{
	bool edges;

	scoped_guard(mutex, &sampler.lock) {
		look_at_rung_locked();
		edges = take_edges_locked();
	}
	if (edges)
		xs_armed_look();
}

static void look_at_armed(struct kthread_work *work)
{
	xs_armed_look();
}

void xs_activity_ring(struct xs_node *node)
{
	/* Behind a transaction it would wait, and so would all others that ring there. */
	if (mutex_is_locked(&node->lock))
		kthread_queue_work(sampler.worker, &sampler.ring);
	else
		kthread_queue_work(node->worker, &node->ring);
}

/* ---- who is watched ------------------------------------------------------ */

/* Forget what was known: a queue with work is reported afresh. */
static void watch_site_locked(struct xs_site *site)
{
	struct xs_queue *queue;

	list_for_each_entry(queue, &site->queues, watch.in_site)
		WRITE_ONCE(queue->watch.activity, XS_ACTIVITY_UNKNOWN);
	list_move_tail(&site->in_sampler, &sampler.sampled);
	begin_look_locked(site);
	start_timer_locked();
}

static void unwatch_site_locked(struct xs_site *site)
{
	untap_locked(site);
	list_move_tail(&site->in_sampler, &sampler.unwatched);
}

/* Begin to watch a process that somebody asks for, or cease to. */
static void watch_locked(struct xs_process *process)
{
	const bool watched = xs_interest_in_locked(process);
	struct xs_site *site;

	if (watched == process->watched)
		return;
	WRITE_ONCE(process->watched, watched);
	WRITE_ONCE(process->ready, 0);
	list_for_each_entry(site, &process->sites, in_process) {
		if (watched)
			watch_site_locked(site);
		else
			unwatch_site_locked(site);
	}
}

static void watch_all_locked(void)
{
	struct xs_site *site;

	list_for_each_entry(site, &sampler.sites, in_sites) {
		if (list_is_first(&site->in_process, &site->process->sites))
			watch_locked(site->process);
	}
	if (list_empty(&sampler.sampled))
		hrtimer_cancel(&sampler.timer);
}

void xs_activity_follow_locked(void)
{
	lockdep_assert_held(&xs_lock);

	guard(mutex)(&sampler.lock);
	watch_all_locked();
}

/* Those that are tapped are idle. */
static void tell_ready_locked(struct xs_client *newcomer)
{
	const u64 now = ktime_get_ns();
	struct xs_queue *queue;
	struct xs_site *site;

	list_for_each_entry(site, &sampler.sampled, in_sampler) {
		list_for_each_entry(queue, &site->queues, watch.in_site) {
			if (xs_activity_is_ready(queue->watch.activity))
				xs_event_queue_to(newcomer, queue,
						  KFD_XSCHED_EVENT_READY, now);
		}
	}
}

static void untap_all_locked(void)
{
	struct xs_site *site, *next;

	list_for_each_entry_safe(site, next, &sampler.tapped, in_sampler)
		untap_locked(site);
}

void xs_activity_configure_locked(struct xs_client *newcomer)
{
	const struct xs_interest interest = xs_interest_locked();

	lockdep_assert_held(&xs_lock);

	guard(mutex)(&sampler.lock);
	sampler.period_ns = (u64)interest.sample_us * NSEC_PER_USEC;
	sampler.settle_ns = (u64)interest.settle_us * NSEC_PER_USEC;
	sampler.no_tap = interest.no_tap;
	if (sampler.no_tap)
		untap_all_locked();
	if (newcomer)
		tell_ready_locked(newcomer);
	watch_all_locked();
	if (!list_empty(&sampler.sampled))
		begin_round_at_locked(ktime_get_ns());
}

static struct xs_site *find_site_locked(const struct xs_queue *queue)
{
	struct xs_site *site;

	list_for_each_entry(site, &queue->process->sites, in_process) {
		if (site->node == queue->node)
			return site;
	}
	return NULL;
}

static struct xs_site *new_site_locked(const struct xs_queue *queue)
{
	struct xs_site *site = kzalloc(sizeof(*site), GFP_KERNEL);

	if (!site)
		return NULL;
	site->process = queue->process;
	site->node = queue->node;
	INIT_LIST_HEAD(&site->queues);
	list_add_tail(&site->in_process, &queue->process->sites);
	list_add_tail(&site->in_sites, &sampler.sites);
	list_add_tail(&site->in_sampler, &sampler.unwatched);
	xs_tap_add(site);
	if (queue->process->watched)
		watch_site_locked(site);
	return site;
}

static void free_site_locked(struct xs_site *site)
{
	xs_tap_remove(site);
	list_del(&site->in_process);
	list_del(&site->in_sites);
	list_del(&site->in_sampler);
	kfree(site);
}

/* Without memory it is not watched, which LIST tells. */
void xs_activity_add_locked(struct xs_queue *queue)
{
	struct xs_site *site;

	lockdep_assert_held(&xs_lock);

	if (!queue->watch.read_index || !queue->watch.write_index)
		return;
	guard(mutex)(&sampler.lock);
	site = find_site_locked(queue) ?: new_site_locked(queue);
	if (!site)
		return;
	queue->watch.site = site;
	list_add_tail(&queue->watch.in_site, &site->queues);
	/* A look that is on its way does not see it. */
	site->idle = false;
	untap_locked(site);
	watch_locked(queue->process);
}

void xs_activity_remove_locked(struct xs_queue *queue)
{
	struct xs_site *site = queue->watch.site;

	lockdep_assert_held(&xs_lock);

	if (!site)
		return;
	guard(mutex)(&sampler.lock);
	queue->watch.site = NULL;
	list_del(&queue->watch.in_site);
	if (queue->process->watched)
		sampler.edges |= xs_sample_end(queue);
	if (take_edges_locked())
		kthread_queue_work(sampler.worker, &sampler.edge);
	if (list_empty(&site->queues))
		free_site_locked(site);
}

bool xs_activity_watches(const struct xs_queue *queue)
{
	return READ_ONCE(queue->process->watched) && READ_ONCE(queue->watch.site);
}

bool xs_activity_taps_locked(const struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	return queue->watch.site && READ_ONCE(queue->watch.site->tapped);
}

struct xs_activity_counts xs_activity_counts(void)
{
	struct xs_activity_counts counts = { .rings = xs_tap_rings() };

	guard(mutex)(&sampler.lock);
	counts.sampled = list_count_nodes(&sampler.sampled);
	counts.tapped = list_count_nodes(&sampler.tapped);
	return counts;
}

int xs_activity_init(void)
{
	struct kthread_worker *worker = kthread_run_worker(0, "kfd_xsched");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* A few microseconds at a time: late is worse than early. */
	sched_set_fifo_low(worker->task);
	kthread_init_work(&sampler.work, sample);
	kthread_init_work(&sampler.ring, xs_activity_look_at_rung);
	kthread_init_work(&sampler.edge, look_at_armed);
	hrtimer_setup(&sampler.timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	sampler.worker = worker;
	return 0;
}

void xs_activity_exit(void)
{
	hrtimer_cancel(&sampler.timer);
	kthread_destroy_worker(sampler.worker);
	sampler.worker = NULL;
}
