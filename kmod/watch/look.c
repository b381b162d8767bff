// SPDX-License-Identifier: GPL-2.0-only
/*
 * One look at a queue: has it work?
 *
 * It has if its read and write index differ, in the owner's address space, or if waves are
 * in flight where the node can tell, or were saved (waves.c). What follows from that is
 * decided by xs_activity_next(); here it is found out, and reported.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "core.h"
#include "model/queue.h"
#include "trace.h"
#include "watch/watch.h"

/* How long indices that cannot be read are taken to be as they were. */
#define XS_UNREADABLE_NS	(100 * NSEC_PER_MSEC)

/* How many READY there were; under sampler.lock. */
static u64 look_ready_count;

u64 xs_look_ready_count(void)
{
	return look_ready_count;
}

bool xs_look_enter(const struct xs_space *space)
{
	if (!mmget_not_zero(space->mm))
		return false;
	kthread_use_mm(space->mm);
	return true;
}

void xs_look_leave(const struct xs_space *space)
{
	kthread_unuse_mm(space->mm);
	/* The last reference must not be dropped here: xs_news.process_exited would wait. */
	mmput_async(space->mm);
}

/* No page is brought in for this: who looks must not wait for a disk. */
bool xs_look_indices(u64 __user *read_index, u64 __user *write_index, u64 *read, u64 *write)
{
	bool good;

	pagefault_disable();
	good = !get_user(*read, read_index) && !get_user(*write, write_index);
	pagefault_enable();
	return good;
}

/* It does not come back to what it was, and nothing is consumed before it is written. */
static bool look_makes_sense(const struct xs_queue_watch *watch, u64 read, u64 write)
{
	return watch->consumed <= read && watch->written <= write && read <= write;
}

/*
 * The GPU consumes a packet within microseconds, so most of those that come one
 * at a time are never seen waiting: a write index that moved is work, too.
 */
static bool look_has_packets(struct xs_queue *queue, u64 read, u64 write)
{
	const struct xs_queue_watch *watch = &queue->watch;
	const bool moved = write != watch->written;

	if (!look_makes_sense(watch, read, write) && (moved || read != watch->consumed)) {
		xs_queue_makes_no_sense(queue);
		return true;
	}
	return read != write || (moved && watch->activity != XS_ACTIVITY_UNKNOWN);
}

/* A page that is swapped out says nothing, for a while. Then it is taken to hide work. */
static void look_past_indices(struct xs_queue_watch *watch, struct xs_sample *sample, u64 now)
{
	watch->unreadable_ns = watch->unreadable_ns ?: now;
	watch->count_after_ns = now;
	sample->packets = now - watch->unreadable_ns >= XS_UNREADABLE_NS;
	sample->unknown = !sample->packets;
}

static void look_at_indices(struct xs_queue *queue, struct xs_sample *sample, u64 now)
{
	struct xs_queue_watch *watch = &queue->watch;
	u64 read, write;

	if (!xs_look_indices(watch->read_index, watch->write_index, &read, &write)) {
		look_past_indices(watch, sample, now);
		return;
	}
	sample->packets = look_has_packets(queue, read, write);
	if (read != watch->consumed)
		xs_waves_are_back(queue);
	/* What is consumed by now may have no waves yet: a count has to begin from now on. */
	if (sample->packets || read != watch->consumed || write != watch->written) {
		watch->count_after_ns = now;
		watch->packets_ns = now;
	}
	watch->looked_ns = now;
	watch->unreadable_ns = 0;
	watch->consumed = read;
	watch->written = write;
}

static bool look_has_settled(const struct xs_queue_watch *watch, u64 settle_ns, u64 now)
{
	if (watch->activity == XS_ACTIVITY_DRY)
		return now - watch->dry_ns >= settle_ns;
	return !settle_ns;
}

/* Not yet: the next packet may come at once, and a count is not worth it in between. */
static bool look_is_too_early(const struct xs_queue_watch *watch, u64 settle_ns, u64 now)
{
	return now - watch->packets_ns < settle_ns / 2;
}

/* Whether that is the first queue with work of the process, or was the last. */
static bool look_count_ready(struct xs_process *process, int change, u64 now)
{
	const u32 before = process->ready;

	WRITE_ONCE(process->ready, before + change);
	if (before && process->ready)
		return false;
	WRITE_ONCE(process->edge_ns, now);
	return true;
}

/* Whether it was an edge of the process, too. */
static bool look_report(struct xs_queue *queue, enum xs_activity before,
			enum xs_activity after, u64 now)
{
	const bool was_ready = xs_activity_is_ready(before);
	const bool is_ready = xs_activity_is_ready(after);
	bool edge;

	if (is_ready == was_ready)
		return false;
	edge = look_count_ready(queue->pdd->process, is_ready ? 1 : -1, now);
	if (is_ready) {
		queue->watch.ready_nr = ++look_ready_count;
		trace_queue_ready(queue);
	} else {
		trace_queue_idle(queue);
	}
	xs_news->activity(NULL, queue, is_ready ? KFD_XSCHED_EVENT_READY :
			  KFD_XSCHED_EVENT_IDLE, now);
	return edge;
}

/* What is held with work has it until it is released. */
bool xs_look_is_due(const struct xs_queue *queue)
{
	return queue->watch.activity != XS_ACTIVITY_READY ||
		READ_ONCE(queue->applied) != XS_APPLIED_HELD ||
		READ_ONCE(queue->preemptions) != queue->watch.stuck;
}

bool xs_look_at(struct xs_queue *queue, struct xs_look *look)
{
	const u64 now = ktime_get_ns();
	const u64 preemptions = READ_ONCE(queue->preemptions);
	const enum xs_applied applied = READ_ONCE(queue->applied);
	struct xs_queue_watch *watch = &queue->watch;
	const enum xs_activity before = watch->activity;
	struct xs_sample sample = {
		.gone = applied == XS_APPLIED_GONE,
		.settled = look_has_settled(watch, look->settle_ns, now),
	};
	enum xs_activity after;

	look_at_indices(queue, &sample, now);
	if (xs_activity_needs_waves(before, &sample))
		sample.waves = look_is_too_early(watch, look->settle_ns, now) ?
			XS_WAVES_HIDDEN : xs_waves_look(queue, applied);
	if (applied == XS_APPLIED_HELD && (sample.packets || sample.waves == XS_WAVES_SOME))
		watch->stuck = preemptions;
	after = xs_activity_next(before, &sample);
	if (after != before) {
		if (after == XS_ACTIVITY_DRY)
			watch->dry_ns = now;
		WRITE_ONCE(watch->activity, after);
		look->edge |= look_report(queue, before, after, look->edge_ns ?: now);
	}
	return after == XS_ACTIVITY_IDLE && !sample.unknown;
}

bool xs_look_end(struct xs_queue *queue)
{
	return xs_activity_is_ready(queue->watch.activity) &&
		look_count_ready(queue->pdd->process, -1, ktime_get_ns());
}
