// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: which queues have work.
 *
 * A worker looks at every watched queue (sample.c), again and again. It runs while
 * somebody subscribed READY or IDLE, or armed a switch, and there is a queue to
 * watch; else nothing ticks.
 *
 * Where the driver has a doorbell tap, a process that is idle on a node (a
 * *site*) is tapped there and not looked at any more, until it rings. When all
 * sites are tapped nothing ticks, either. That no work is missed takes a look
 * after the tap, at indices and waves: work that came before is seen by it,
 * later work rings.
 *
 * The sampler's lock is held for the length of one look at all queues, so a
 * queue or a process that goes waits that long at most. It is not held by a
 * switch, which may take long.
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
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "sample.h"
#include "sysfs.h"
#include "tap.h"
#include "trace.h"
#include "xsched.h"

/*
 * How long a site is sampled after a ring without work: other queues, whose
 * indices mean nothing, have doorbells on the same pages, and each ring of a
 * tapped site costs it a fault.
 */
#define XS_TAP_QUIET_NS	(10 * NSEC_PER_MSEC)

/**
 * struct xs_sampler - the one sampler
 * @lock: guards all of it, xs_process.sites, sites and xs_queue.watch
 * @sampled: sites to look at, by xs_site.in_sampler
 * @tapped: sites that ring, likewise
 * @on: somebody wants to know; written under @lock
 * @no_tap: somebody wants that doorbells are left alone
 * @period_ns: from one look to the next
 * @settle_ns: from dry to IDLE
 * @due: when the timer is to fire, or fired last
 * @edges: a process became READY, or IDLE, and switches may be armed for that
 * @timer: queues @work
 * @worker: runs @work, @ring and @edge
 * @work: one look at all that is sampled, then the timer again
 * @ring: looks at what rang
 * @edge: looks at armed switches
 */
struct xs_sampler {
	struct mutex lock;	/* all of it, sites, and the watch lists */
	struct list_head sampled;
	struct list_head tapped;
	bool on;
	bool no_tap;
	u64 period_ns;
	u64 settle_ns;
	u64 due;
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
};

static void arm_locked(u64 due)
{
	sampler.due = due;
	hrtimer_start(&sampler.timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	kthread_queue_work(sampler.worker, &sampler.work);
	return HRTIMER_NORESTART;
}

/* One look at all queues of a site, in its address space. Whether all are idle. */
static bool look_at_queues(struct xs_site *site, u64 edge_ns, bool tapping)
{
	struct xs_look look = {
		.settle_ns = sampler.settle_ns,
		.edge_ns = edge_ns,
		.tapping = tapping,
	};
	struct xs_queue *queue;
	bool idle = true;

	list_for_each_entry(queue, &site->queues, watch.in_site)
		idle &= xs_sample_queue(queue, &look);
	sampler.edges |= look.edge;
	return idle;
}

static void start_timer_locked(void)
{
	if (list_is_singular(&sampler.sampled))
		arm_locked(ktime_get_ns() + sampler.period_ns);
}

static void be_sampled_locked(struct xs_site *site)
{
	if (!site->tapped)
		return;
	WRITE_ONCE(site->tapped, false);
	list_move_tail(&site->in_sampler, &sampler.sampled);
	if (sampler.on)
		start_timer_locked();
}

/* It may come back at a ring that crosses this: that is looked at, too. */
static void untap_locked(struct xs_site *site)
{
	if (!site->tapped)
		return;
	xs_backend->untap(site->process->hw, site->node->hw);
	trace_tap(site, false);
	be_sampled_locked(site);
}

static bool may_tap(const struct xs_site *site)
{
	return site->node->desc.caps & KFD_XSCHED_CAP_TAP && !site->untappable &&
		!sampler.no_tap && ktime_get_ns() >= site->tap_after_ns;
}

/* All queues of the site are idle. */
static void tap(struct xs_site *site)
{
	if (xs_backend->tap(site->process->hw, site->node->hw)) {
		site->untappable = true;
		return;
	}

	/* What came before the tap is seen here; what comes after it rings. */
	if (!look_at_queues(site, 0, true)) {
		xs_backend->untap(site->process->hw, site->node->hw);
		return;
	}
	WRITE_ONCE(site->tapped, true);
	list_move_tail(&site->in_sampler, &sampler.tapped);
	trace_tap(site, true);
}

/* @rung_ns: when it rang; 0: it did not. */
static void sample_site(struct xs_site *site, u64 rung_ns)
{
	struct mm_struct *mm = site->process->mm;
	bool idle;

	/* It is exiting: xs_process_exited() waits for our lock. */
	if (!mmget_not_zero(mm))
		return;
	kthread_use_mm(mm);
	idle = look_at_queues(site, rung_ns, false);
	if (idle && rung_ns)
		site->tap_after_ns = ktime_get_ns() + XS_TAP_QUIET_NS;
	else if (idle && may_tap(site))
		tap(site);
	kthread_unuse_mm(mm);
	/* The last reference must not be dropped here: see xs_process_exited(). */
	mmput_async(mm);
}

static void sample_all_locked(void)
{
	const u64 start = ktime_get_ns();
	struct xs_site *site, *next;
	u64 now;

	lockdep_assert_held(&sampler.lock);

	if (!sampler.on)
		return;
	list_for_each_entry_safe(site, next, &sampler.sampled, in_sampler)
		sample_site(site, 0);
	if (list_empty(&sampler.sampled))
		return;

	/* Keep the pace, but leave the CPU to others half of the time. */
	now = ktime_get_ns();
	arm_locked(max(sampler.due + sampler.period_ns, now + (now - start)));
}

static void look_at_rung_locked(void)
{
	struct xs_site *site;
	u64 rung_ns;

	lockdep_assert_held(&sampler.lock);

	while ((site = xs_tap_take_rung(&rung_ns))) {
		if (!sampler.on)
			continue;
		be_sampled_locked(site);
		sample_site(site, rung_ns);
	}
}

/* Armed switches need xs_lock, which is taken before the sampler's. */
static bool take_edges_locked(void)
{
	const bool edges = sampler.edges;

	sampler.edges = false;
	return edges;
}

static void sample_all(struct kthread_work *work)
{
	bool edges;

	scoped_guard(mutex, &sampler.lock) {
		sample_all_locked();
		edges = take_edges_locked();
	}
	if (edges)
		xs_armed_look();
}

static void look_at_rung(struct kthread_work *work)
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

void xs_activity_ring(void)
{
	kthread_queue_work(sampler.worker, &sampler.ring);
}

/* Forget what was known: a queue with work is reported afresh. */
static void begin_locked(void)
{
	struct xs_queue *queue;
	struct xs_site *site;

	list_for_each_entry(site, &sampler.sampled, in_sampler) {
		WRITE_ONCE(site->process->ready, 0);
		list_for_each_entry(queue, &site->queues, watch.in_site)
			WRITE_ONCE(queue->watch.activity, XS_ACTIVITY_UNKNOWN);
	}
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

/**
 * struct terms - what all clients together want to know
 * @sample_us: the shortest period asked for; 0: nobody asks
 * @settle_us: the longest settle time
 * @no_tap: somebody wants that doorbells are left alone
 */
struct terms {
	u32 sample_us;
	u32 settle_us;
	bool no_tap;
};

static struct terms collect_terms_locked(void)
{
	const struct xs_client *client;
	struct terms terms = {};

	lockdep_assert_held(&xs_lock);

	scoped_guard(spinlock, &xs_clients_lock) {
		list_for_each_entry(client, &xs_clients, in_clients) {
			if (!(client->events & XS_EVENTS_ACTIVITY) &&
			    !client->armed_count)
				continue;
			terms.sample_us = min_not_zero(terms.sample_us,
						       client->sample_us ?:
						       xs_sample_period_us());
			terms.settle_us = max(terms.settle_us, client->settle_us);
			terms.no_tap |= client->no_tap;
		}
	}
	return terms;
}

void xs_activity_configure_locked(struct xs_client *newcomer)
{
	const struct terms terms = collect_terms_locked();
	bool was_on;

	lockdep_assert_held(&xs_lock);

	guard(mutex)(&sampler.lock);
	was_on = sampler.on;
	WRITE_ONCE(sampler.on, terms.sample_us);
	sampler.period_ns = (u64)terms.sample_us * NSEC_PER_USEC;
	sampler.settle_ns = (u64)terms.settle_us * NSEC_PER_USEC;
	sampler.no_tap = terms.no_tap;
	if (!sampler.on || sampler.no_tap)
		untap_all_locked();
	if (!sampler.on) {
		hrtimer_cancel(&sampler.timer);
		return;
	}
	if (!was_on)
		begin_locked();
	else if (newcomer)
		tell_ready_locked(newcomer);
	if (!list_empty(&sampler.sampled))
		arm_locked(ktime_get_ns());
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
	list_add_tail(&site->in_sampler, &sampler.sampled);
	xs_tap_add(site);
	if (sampler.on)
		start_timer_locked();
	return site;
}

static void free_site_locked(struct xs_site *site)
{
	xs_tap_remove(site);
	list_del(&site->in_process);
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
	untap_locked(site);
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
	if (sampler.on)
		sampler.edges |= xs_sample_end(queue);
	if (take_edges_locked())
		kthread_queue_work(sampler.worker, &sampler.edge);
	if (list_empty(&site->queues))
		free_site_locked(site);
}

bool xs_activity_watches(const struct xs_queue *queue)
{
	return READ_ONCE(sampler.on) && READ_ONCE(queue->watch.site);
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
	if (sampler.on) {
		counts.sampled = list_count_nodes(&sampler.sampled);
		counts.tapped = list_count_nodes(&sampler.tapped);
	}
	return counts;
}

int xs_activity_init(void)
{
	struct kthread_worker *worker = kthread_create_worker(0, "kfd_xsched");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* A few microseconds at a time: late is worse than early. */
	sched_set_fifo_low(worker->task);
	kthread_init_work(&sampler.work, sample_all);
	kthread_init_work(&sampler.ring, look_at_rung);
	kthread_init_work(&sampler.edge, look_at_armed);
	hrtimer_init(&sampler.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	sampler.timer.function = timer_fired;
	sampler.worker = worker;
	return 0;
}

void xs_activity_exit(void)
{
	scoped_guard(mutex, &sampler.lock)
		WRITE_ONCE(sampler.on, false);
	hrtimer_cancel(&sampler.timer);
	kthread_destroy_worker(sampler.worker);
	sampler.worker = NULL;
}
