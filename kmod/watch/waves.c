// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waves in flight on a node, of all its queues at one time.
 *
 * A count takes an access to registers over PCIe for each queue and shader engine, up to a
 * millisecond in all. So a thread does it, which holds no lock of the module, and nobody waits
 * for it: who looks at a queue asks for a count that begins from then on, and finds it at a
 * later look. Counts of a node take a share of one CPU's time at most.
 *
 * What is not seen may be away: saved by a preemption, and not back yet; or, where not all
 * queues fit on the hardware, saved until the queue's next turn. The driver knows of which
 * queues waves were saved, but not whether they are back. So a bound says when they must have
 * been seen: the node's own time to restore them, as it was learned, or that of a turn.
 *
 * Functions here are called under sampler.lock unless they say otherwise. The suffix _locked
 * means xs_wave_counts.lock.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>

#include "backend.h"
#include "compat.h"
#include "core.h"
#include "model/queue.h"
#include "watch/watch.h"

/* After a time without counts, so much of it may be made up for at once. */
#define XS_WAVES_BURST_NS	(20 * NSEC_PER_MSEC)

/* While waves are seen: after such a part of the time that they have run, or this time. */
#define XS_WAVES_AGAIN		8
#define XS_WAVES_AGAIN_NS	(1ULL * NSEC_PER_MSEC)

/* One thread for all nodes, of ordinary priority. */
static struct kthread_worker *waves_worker;

/* ---- the count: without a lock -------------------------------------------- */

/* When the node may be counted again, if its last count took that long. */
static u64 waves_rest_ns(const struct xs_wave_counts *waves, u64 now, u64 took)
{
	return max(waves->rest_ns, now - XS_WAVES_BURST_NS) +
		took * 100 / max_t(u32, xs_node_waves_percent(), 1);
}

static void waves_work(struct kthread_work *work)
{
	struct xs_wave_counts *waves = container_of(work, struct xs_wave_counts, work);
	struct xs_node *node = container_of(waves, struct xs_node, waves);
	const u64 begun = ktime_get_ns();
	const int error = xs_backend->count_waves(node->hw, &waves->next);
	const u64 now = ktime_get_ns();

	scoped_guard(spinlock, &waves->lock) {
		waves->begun_ns = begun;
		waves->error = error;
		waves->last = waves->next;
		waves->counting = false;
		waves->counts++;
		waves->rest_ns = waves_rest_ns(waves, now, now - begun);
	}
}

static void waves_ask_locked(struct xs_wave_counts *waves)
{
	lockdep_assert_held(&waves->lock);

	if (waves->counting || ktime_get_ns() < waves->rest_ns)
		return;
	waves->counting = true;
	kthread_queue_work(waves_worker, &waves->work);
}

/* ---- what it says of a queue ---------------------------------------------- */

/**
 * struct waves_seen - what the last count says of a queue
 * @begun_ns: when it began
 * @error: 0, or -errno
 * @mapped_ns: see struct xs_hw_waves
 * @turn_ns: likewise
 * @waves: of the queue
 */
struct waves_seen {
	u64 begun_ns;
	int error;
	u64 mapped_ns;
	u64 turn_ns;
	u32 waves;
};

static u32 waves_find(const struct xs_hw_waves *last, u32 doorbell)
{
	u32 i;

	for (i = 0; i < last->count; i++) {
		if (last->queues[i].doorbell == doorbell)
			return last->queues[i].waves;
	}
	return 0;
}

/* Whether there is a count that says something of it. If not, one is asked for. */
static bool waves_read_locked(struct xs_wave_counts *waves, const struct xs_queue_watch *watch,
			      struct waves_seen *seen)
{
	lockdep_assert_held(&waves->lock);

	if (waves->begun_ns <= watch->count_after_ns) {
		waves_ask_locked(waves);
		return false;
	}
	*seen = (struct waves_seen){
		.begun_ns = waves->begun_ns,
		.error = waves->error,
		.mapped_ns = waves->last.mapped_ns,
		.turn_ns = waves->last.turn_ns,
		.waves = waves_find(&waves->last, watch->doorbell),
	};
	return true;
}

static bool waves_read(const struct xs_queue *queue, struct waves_seen *seen)
{
	struct xs_wave_counts *waves = &queue->pdd->node->waves;
	bool good;

	scoped_guard(spinlock, &waves->lock)
		good = waves_read_locked(waves, &queue->watch, seen);
	return good;
}

void xs_waves_are_back(struct xs_queue *queue)
{
	struct xs_queue_watch *watch = &queue->watch;

	watch->away = false;
	watch->waves_ns = max(watch->waves_ns, watch->looked_ns);
}

/*
 * The first time that they are seen after they were away shows how long a restore takes. A
 * kernel that has run for long will run on: to look for its end all the time would leave no
 * time for counts that others ask for.
 */
static void waves_are_seen(struct xs_queue *queue, const struct waves_seen *seen)
{
	struct xs_queue_watch *watch = &queue->watch;

	if (watch->away && !seen->turn_ns)
		xs_node_note_restore(queue->pdd->node, seen->begun_ns - seen->mapped_ns);
	watch->away = false;
	watch->waves_ns = seen->begun_ns;
	watch->count_after_ns = seen->begun_ns +
		min((seen->begun_ns - watch->packets_ns) / XS_WAVES_AGAIN, XS_WAVES_AGAIN_NS);
}

/*
 * Whether waves that were saved must have been seen by now. MES saves those of one queue, so the
 * last preemption of the node says nothing of those that a hold had saved before.
 */
static bool waves_must_be_back(const struct xs_queue *queue, const struct waves_seen *seen)
{
	const struct xs_queue_watch *watch = &queue->watch;

	if (seen->turn_ns)
		return seen->begun_ns >= max(watch->packets_ns, watch->waves_ns) + seen->turn_ns;
	return watch->waves_ns > seen->mapped_ns ||
		seen->begun_ns >= seen->mapped_ns +
			xs_node_restore_ns(queue->pdd->node, READ_ONCE(queue->save_ns));
}

/* None was seen: are they away? @off: it is off the hardware, so what was saved is there still. */
static enum xs_waves waves_if_saved(struct xs_queue *queue, bool off)
{
	const int saved = xs_backend->saved(queue->change.hw);

	if (!saved || saved == -EOPNOTSUPP)
		return XS_WAVES_NONE;
	if (saved == -EIO) {
		xs_queue_makes_no_sense(queue);
		return XS_WAVES_SOME;
	}
	if (saved < 0)
		return XS_WAVES_HIDDEN;
	queue->watch.away = true;
	return off ? XS_WAVES_SOME : XS_WAVES_HIDDEN;
}

/*
 * It is held, or a switch has failed. Of one that is held the driver knows what was saved. Where
 * that is not known, there may be something.
 */
static enum xs_waves waves_while_held(const struct xs_queue *queue, enum xs_applied applied)
{
	int saved;

	if (!READ_ONCE(queue->has_run))
		return XS_WAVES_NONE;
	if (applied != XS_APPLIED_HELD)
		return XS_WAVES_SOME;
	saved = xs_backend->saved(queue->change.hw);
	if (saved == -EBUSY)
		return XS_WAVES_HIDDEN;
	return saved ? XS_WAVES_SOME : XS_WAVES_NONE;
}

enum xs_waves xs_waves_look(struct xs_queue *queue, enum xs_applied applied)
{
	struct waves_seen seen;
	bool off;

	if (applied != XS_APPLIED_FREE)
		return waves_while_held(queue, applied);
	if (!(xs_node_caps(queue->pdd->node) & KFD_XSCHED_CAP_WAVES))
		return XS_WAVES_NONE;
	if (!waves_read(queue, &seen))
		return XS_WAVES_HIDDEN;
	/* The next look wants to know something newer. */
	queue->watch.count_after_ns = seen.begun_ns;
	if (seen.error)
		return seen.error == -EBUSY ? XS_WAVES_HIDDEN : XS_WAVES_SOME;
	if (seen.waves) {
		waves_are_seen(queue, &seen);
		return XS_WAVES_SOME;
	}
	off = !(xs_backend->state(queue->change.hw) & KFD_XSCHED_QUEUE_ACTIVE);
	if (off || !waves_must_be_back(queue, &seen) ||
	    xs_backend->mapped_since(queue->pdd->node->hw, seen.mapped_ns))
		return waves_if_saved(queue, off);
	queue->watch.away = false;
	return XS_WAVES_NONE;
}

/* ---- nodes: without a lock ------------------------------------------------ */

void xs_waves_init_node(struct xs_node *node)
{
	kthread_init_work(&node->waves.work, waves_work);
	spin_lock_init(&node->waves.lock);
}

void xs_waves_stop_node(struct xs_node *node)
{
	kthread_cancel_work_sync(&node->waves.work);
}

u64 xs_waves_counts(struct xs_node *node)
{
	u64 counts;

	scoped_guard(spinlock, &node->waves.lock)
		counts = node->waves.counts;
	return counts;
}

int xs_waves_init(void)
{
	struct kthread_worker *worker = kthread_run_worker(0, "xsched-waves");

	if (IS_ERR(worker))
		return PTR_ERR(worker);
	waves_worker = worker;
	xs_node_set_waves_percent(XS_WAVES_PERCENT);
	return 0;
}

void xs_waves_exit(void)
{
	kthread_destroy_worker(waves_worker);
	waves_worker = NULL;
}
