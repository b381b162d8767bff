// SPDX-License-Identifier: GPL-2.0-only
/*
 * One look at a queue: has it work?
 *
 * It has if its read and write index differ, in the owner's address space, or if
 * waves are in flight where the node can tell. What follows from that is decided
 * by xs_activity_next(); here it is found out, and reported.
 *
 * A look is not stopped by a transaction, which may take long; so it must notice
 * one that crosses it. While waves are taken off and put back they cannot be seen,
 * not even those of queues that are not held: xs_node.switching and
 * xs_node.switched_ns say when.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include "backend.h"
#include "core.h"
#include "model/queue.h"
#include "trace.h"
#include "watch/watch.h"

/*
 * How long after a transaction saved waves may still be on their way back to
 * the GPU: the new runlist is taken up after the driver has gone on.
 */
#define XS_RESTORE_NS	(200 * NSEC_PER_USEC)

/* How many READY there were; under sampler.lock. */
static u64 look_ready_count;

u64 xs_look_ready_count(void)
{
	return look_ready_count;
}

/* No page is brought in for this: who looks must not wait for a disk. */
bool xs_look_indices(const struct xs_queue_watch *watch, u64 *read, u64 *write)
{
	bool good;

	pagefault_disable();
	good = !get_user(*read, watch->read_index) && !get_user(*write, watch->write_index);
	pagefault_enable();
	return good;
}

/*
 * The GPU consumes a packet within microseconds, so most of those that come one
 * at a time are never seen waiting: a write index that moved is work, too.
 * Indices that cannot be read are work: a page may be swapped out.
 */
static bool look_has_packets(struct xs_queue_watch *watch)
{
	const u64 before = watch->written;
	u64 read, write;

	if (!xs_look_indices(watch, &read, &write))
		return true;
	watch->written = write;
	if (watch->activity == XS_ACTIVITY_UNKNOWN)
		return read != write;
	return read != write || write != before;
}

/*
 * @tapping: waves that cannot be read are no reason to report work. The driver may be
 * busy with the firmware: then they are hidden, and nothing is waited for.
 */
static enum xs_waves look_waves(const struct xs_queue *queue, u64 now, bool tapping)
{
	struct xs_node *node = queue->pdd->node;
	const int before = atomic_read_acquire(&node->switching);
	int waves;

	if (!(node->desc.caps & KFD_XSCHED_CAP_WAVES))
		return XS_WAVES_NONE;
	if (before & 1 || now < READ_ONCE(node->switched_ns) + XS_RESTORE_NS)
		return XS_WAVES_HIDDEN;
	waves = xs_backend->waves(queue->change.hw);

	/* Fully ordered, unlike atomic_read(): after the waves. */
	if (atomic_add_return(0, &node->switching) != before)
		return XS_WAVES_HIDDEN;
	if (!waves || waves == -EOPNOTSUPP)
		return XS_WAVES_NONE;
	if (waves == -EBUSY || (waves < 0 && tapping))
		return XS_WAVES_HIDDEN;
	return XS_WAVES_SOME;
}

static bool look_has_settled(const struct xs_queue_watch *watch, u64 settle_ns, u64 now)
{
	if (watch->activity == XS_ACTIVITY_DRY)
		return now - watch->dry_ns >= settle_ns;
	return !settle_ns;
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

bool xs_look_is_due(const struct xs_queue *queue)
{
	return queue->watch.activity != XS_ACTIVITY_READY ||
		READ_ONCE(queue->applied) != XS_APPLIED_HELD;
}

bool xs_look_at(struct xs_queue *queue, struct xs_look *look)
{
	const u64 now = ktime_get_ns();
	const enum xs_applied applied = READ_ONCE(queue->applied);
	struct xs_queue_watch *watch = &queue->watch;
	const enum xs_activity before = watch->activity;
	struct xs_sample sample = {
		.packets = look_has_packets(watch),
		.gone = applied == XS_APPLIED_GONE,
		.held = applied != XS_APPLIED_FREE,
		.has_run = READ_ONCE(queue->has_run),
		.settled = look_has_settled(watch, look->settle_ns, now),
		.tapping = look->tapping,
	};
	enum xs_activity after;

	if (xs_activity_needs_waves(before, &sample))
		sample.waves = look_waves(queue, now, look->tapping);
	after = xs_activity_next(before, &sample);
	if (after != before) {
		if (after == XS_ACTIVITY_DRY)
			watch->dry_ns = now;
		WRITE_ONCE(watch->activity, after);
		look->edge |= look_report(queue, before, after, look->edge_ns ?: now);
	}
	return after == XS_ACTIVITY_IDLE && sample.waves != XS_WAVES_HIDDEN;
}

bool xs_look_end(struct xs_queue *queue)
{
	return xs_activity_is_ready(queue->watch.activity) &&
		look_count_ready(queue->pdd->process, -1, ktime_get_ns());
}
