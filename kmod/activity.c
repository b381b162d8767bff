// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampler: which queues have work.
 *
 * A worker looks at the read and write index of every watched queue, in the
 * owner's address space, and where they are equal and the node can tell, at
 * the waves in flight. It runs while somebody subscribed READY or IDLE and
 * there is a queue to watch; else nothing ticks.
 *
 * Its lock is held for the length of one look at all queues, so a queue or a
 * process that goes waits that long at most. It is not held by a switch, which
 * may take long; so a look must notice a switch that crosses it. While waves
 * are taken off and put back they cannot be seen, not even those of queues
 * that are not held: xs_node.switching and xs_node.switched_ns say when.
 */
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "activity.h"
#include "client.h"
#include "event.h"
#include "node.h"
#include "process.h"
#include "queue.h"
#include "sysfs.h"
#include "trace.h"
#include "xsched.h"

/*
 * How long after a transaction saved waves may still be on their way back to
 * the GPU: the new runlist is taken up after the driver has gone on.
 */
#define XS_RESTORE_NS	(200 * NSEC_PER_USEC)

/**
 * struct xs_sampler - the one sampler
 * @lock: guards all of it, xs_process.watched and xs_queue.watch
 * @processes: with queues to watch, by xs_process.in_watched
 * @on: somebody subscribed; written under @lock
 * @period_ns: from one look to the next
 * @settle_ns: from dry to IDLE
 * @due: when the timer is to fire, or fired last
 * @timer: queues @work
 * @worker: runs @work
 * @work: one look at all queues, then the timer again
 */
struct xs_sampler {
	struct mutex lock;	/* all of it, and the watch lists */
	struct list_head processes;
	bool on;
	u64 period_ns;
	u64 settle_ns;
	u64 due;
	struct hrtimer timer;
	struct kthread_worker *worker;
	struct kthread_work work;
};

static struct xs_sampler sampler = {
	.lock = __MUTEX_INITIALIZER(sampler.lock),
	.processes = LIST_HEAD_INIT(sampler.processes),
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

/*
 * The GPU consumes a packet within microseconds, so most of those that come one
 * at a time are never seen waiting: a write index that moved is work, too.
 * Indices that cannot be read are work: a page may be swapped out.
 */
static bool has_packets(struct xs_watch *watch)
{
	const u64 before = watch->written;
	u64 read, write;

	if (copy_from_user_nofault(&read, watch->read_index, sizeof(read)) ||
	    copy_from_user_nofault(&write, watch->write_index, sizeof(write)))
		return true;
	watch->written = write;
	if (watch->activity == XS_ACTIVITY_UNKNOWN)
		return read != write;
	return read != write || write != before;
}

static enum xs_waves sample_waves(const struct xs_queue *queue, u64 now)
{
	struct xs_node *node = queue->node;
	const int before = atomic_read_acquire(&node->switching);
	int waves;

	if (!(node->desc.caps & KFD_XSCHED_CAP_WAVES))
		return XS_WAVES_NONE;
	if (before & 1 || now < READ_ONCE(node->switched_ns) + XS_RESTORE_NS)
		return XS_WAVES_HIDDEN;
	waves = xs_backend->waves(queue->hw);

	/* Fully ordered, unlike atomic_read(): after the waves. */
	if (atomic_add_return(0, &node->switching) != before)
		return XS_WAVES_HIDDEN;
	return !waves || waves == -EOPNOTSUPP ? XS_WAVES_NONE : XS_WAVES_SOME;
}

static bool has_settled(const struct xs_watch *watch, u64 now)
{
	if (watch->activity == XS_ACTIVITY_DRY)
		return now - watch->dry_ns >= sampler.settle_ns;
	return !sampler.settle_ns;
}

static void report(const struct xs_queue *queue, enum xs_activity before,
		   enum xs_activity after, u64 now)
{
	const bool was_ready = xs_activity_is_ready(before);
	const bool is_ready = xs_activity_is_ready(after);

	if (is_ready && !was_ready) {
		trace_queue_ready(queue);
		xs_event_queue(queue, KFD_XSCHED_EVENT_READY, now);
	} else if (was_ready && !is_ready) {
		trace_queue_idle(queue);
		xs_event_queue(queue, KFD_XSCHED_EVENT_IDLE, now);
	}
}

static void sample_queue(struct xs_queue *queue)
{
	const u64 now = ktime_get_ns();
	const enum xs_applied applied = READ_ONCE(queue->applied);
	struct xs_watch *watch = &queue->watch;
	const enum xs_activity before = watch->activity;
	struct xs_sample sample = {
		.packets = has_packets(watch),
		.gone = applied == XS_APPLIED_GONE,
		.held = applied != XS_APPLIED_FREE,
		.has_run = READ_ONCE(queue->has_run),
		.settled = has_settled(watch, now),
	};
	enum xs_activity after;

	if (xs_activity_needs_waves(before, &sample))
		sample.waves = sample_waves(queue, now);
	after = xs_activity_next(before, &sample);
	if (after == before)
		return;
	if (after == XS_ACTIVITY_DRY)
		watch->dry_ns = now;
	WRITE_ONCE(watch->activity, after);
	report(queue, before, after, now);
}

static void sample_process(struct xs_process *process)
{
	struct xs_queue *queue;

	/* It is exiting: xs_process_exited() waits for our lock. */
	if (!mmget_not_zero(process->mm))
		return;
	kthread_use_mm(process->mm);
	list_for_each_entry(queue, &process->watched, watch.in_process)
		sample_queue(queue);
	kthread_unuse_mm(process->mm);
	/* The last reference must not be dropped here: see xs_process_exited(). */
	mmput_async(process->mm);
}

static void sample_all(struct kthread_work *work)
{
	const u64 start = ktime_get_ns();
	struct xs_process *process;
	u64 now;

	guard(mutex)(&sampler.lock);
	if (!sampler.on || list_empty(&sampler.processes))
		return;
	list_for_each_entry(process, &sampler.processes, in_watched)
		sample_process(process);

	/* Keep the pace, but leave the CPU to others half of the time. */
	now = ktime_get_ns();
	arm_locked(max(sampler.due + sampler.period_ns, now + (now - start)));
}

/* Forget what was known: a queue with work is reported afresh. */
static void begin_locked(void)
{
	struct xs_process *process;
	struct xs_queue *queue;

	list_for_each_entry(process, &sampler.processes, in_watched) {
		list_for_each_entry(queue, &process->watched, watch.in_process)
			WRITE_ONCE(queue->watch.activity, XS_ACTIVITY_UNKNOWN);
	}
}

static void tell_ready_locked(struct xs_client *newcomer)
{
	const u64 now = ktime_get_ns();
	struct xs_process *process;
	struct xs_queue *queue;

	list_for_each_entry(process, &sampler.processes, in_watched) {
		list_for_each_entry(queue, &process->watched, watch.in_process) {
			if (xs_activity_is_ready(queue->watch.activity))
				xs_event_queue_to(newcomer, queue,
						  KFD_XSCHED_EVENT_READY, now);
		}
	}
}

/* The shortest period and the longest settle time asked for. 0: nobody asks. */
static u64 collect_terms(u64 *settle_ns)
{
	const struct xs_client *client;
	u32 sample_us = 0, settle_us = 0;

	scoped_guard(spinlock, &xs_clients_lock) {
		list_for_each_entry(client, &xs_clients, in_clients) {
			if (!(client->events & XS_EVENTS_ACTIVITY))
				continue;
			sample_us = min_not_zero(sample_us, client->sample_us ?:
						 xs_sample_period_us());
			settle_us = max(settle_us, client->settle_us);
		}
	}
	*settle_ns = (u64)settle_us * NSEC_PER_USEC;
	return (u64)sample_us * NSEC_PER_USEC;
}

void xs_activity_configure_locked(struct xs_client *newcomer)
{
	u64 settle_ns, period_ns = collect_terms(&settle_ns);
	bool was_on;

	lockdep_assert_held(&xs_lock);

	guard(mutex)(&sampler.lock);
	was_on = sampler.on;
	WRITE_ONCE(sampler.on, period_ns);
	sampler.period_ns = period_ns;
	sampler.settle_ns = settle_ns;
	if (!sampler.on) {
		hrtimer_cancel(&sampler.timer);
		return;
	}
	if (!was_on)
		begin_locked();
	else if (newcomer)
		tell_ready_locked(newcomer);
	if (!list_empty(&sampler.processes))
		arm_locked(ktime_get_ns());
}

void xs_activity_add_locked(struct xs_queue *queue)
{
	struct xs_process *process = queue->process;

	lockdep_assert_held(&xs_lock);

	if (!queue->watch.read_index || !queue->watch.write_index)
		return;
	guard(mutex)(&sampler.lock);
	if (sampler.on && list_empty(&sampler.processes))
		arm_locked(ktime_get_ns());
	if (list_empty(&process->watched))
		list_add_tail(&process->in_watched, &sampler.processes);
	list_add_tail(&queue->watch.in_process, &process->watched);
}

void xs_activity_remove_locked(struct xs_queue *queue)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&queue->watch.in_process))
		return;
	guard(mutex)(&sampler.lock);
	list_del_init(&queue->watch.in_process);
	if (list_empty(&queue->process->watched))
		list_del_init(&queue->process->in_watched);
}

bool xs_activity_watches(const struct xs_queue *queue)
{
	return READ_ONCE(sampler.on) && !list_empty(&queue->watch.in_process);
}

int xs_activity_init(void)
{
	struct kthread_worker *worker = kthread_create_worker(0, "kfd_xsched");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* A few microseconds at a time: late is worse than early. */
	sched_set_fifo_low(worker->task);
	kthread_init_work(&sampler.work, sample_all);
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
