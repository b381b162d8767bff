// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes are watched: those that a client that subscribed READY or IDLE may
 * see, triggers of armed switches, and those that may be parked. No other process is
 * watched: each look costs, and comes before programs. For a park alone they are few.
 *
 * Interests are many, and so are queues; anybody may make more of both, and change an
 * interest all the time. So who changes one only marks all processes as stale. The sampler
 * has them reviewed, in slices: the interests are asked about each owner that queues of the
 * process have. A slice ends after any question, and what is learned by then is kept. A
 * process whose queues have many owners waits for a turn of all others after each of them.
 * Changes do not begin a review anew: the process is reviewed once more when all others have
 * had a turn. In the same way a newcomer is told which queues are READY already.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>

#include "core.h"
#include "model/queue.h"
#include "model/request.h"
#include "model/tenant.h"
#include "watch/watch.h"

/* By xs_interest.in_interests; under xs_lock. */
static LIST_HEAD(interest_list);
static u32 interest_period_us = XS_SAMPLE_PERIOD_US;

u32 xs_interest_period_us(void)
{
	return READ_ONCE(interest_period_us);
}

void xs_interest_set_period_us(u32 us)
{
	WRITE_ONCE(interest_period_us, us);
}

void xs_interest_add_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	if (list_empty(&interest->in_interests))
		list_add_tail(&interest->in_interests, &interest_list);
}

void xs_interest_del_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	list_del_init(&interest->in_interests);
	list_del_init(&interest->in_newcomers);
}

void xs_interest_clear_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	interest->all = false;
	interest->sample_us = 0;
	interest->settle_us = 0;
	interest->no_tap = false;
}

/* One timer serves all clients: one that has limits may not make it faster. */
static u32 interest_sample_us(const struct xs_interest *interest)
{
	const u32 usual = xs_interest_period_us();

	if (!interest->sample_us)
		return usual;
	return interest->limited ? max(interest->sample_us, usual) : interest->sample_us;
}

/* ---- what they ask for of a process -------------------------------------- */

/*
 * Processes that have queues to look at, by xs_review.in_list: those that are to be
 * reviewed, and those that have been since interests last changed.
 */
static LIST_HEAD(interest_stale);
static LIST_HEAD(interest_settled);

/* Changes with each change of an interest; under xs_lock. */
static u64 interest_version = 1;

/**
 * struct interest_turn - the turn that goes on; under xs_lock
 * @process: the first one that is stale, or NULL
 * @mark: in the list of interests, after those that have been asked; or empty
 */
struct interest_turn {
	struct xs_process *process;
	struct list_head mark;
};

static struct interest_turn turn = {
	.mark = LIST_HEAD_INIT(turn.mark),
};

static void interest_review_begin_locked(struct xs_process *process)
{
	struct xs_pdd *pdd = list_first_entry(&process->pdds, struct xs_pdd, in_process);
	const bool parks = xs_process_may_park_locked(process);
	struct xs_review *review = &process->review;

	lockdep_assert_held(&xs_lock);

	review->began = interest_version;
	review->queue = list_first_entry(&pdd->queues, struct xs_queue, in_pdd);
	review->all = parks || xs_trigger_any_locked(process);
	review->sample_us = parks ? XS_PARK_SAMPLE_US : 0;
	review->settle_us = 0;
	review->no_tap = false;
}

static void interest_review_end_turn_locked(void)
{
	lockdep_assert_held(&xs_lock);

	turn.process = NULL;
	list_del_init(&turn.mark);
}

/* The next interest to be asked, or NULL. They may come and go while it goes on. */
static struct xs_interest *interest_review_next_interest_locked(void)
{
	struct list_head *next;

	lockdep_assert_held(&xs_lock);

	if (list_empty(&turn.mark))
		list_add(&turn.mark, &interest_list);
	next = turn.mark.next;
	if (next == &interest_list) {
		list_del_init(&turn.mark);
		return NULL;
	}
	list_move(&turn.mark, next);
	return list_entry(next, struct xs_interest, in_interests);
}

/* Whether it asks for more than is asked for so far. */
static bool interest_review_lacks(const struct xs_review *review,
				  const struct xs_interest *interest)
{
	return interest->all && (!review->all || interest->settle_us > review->settle_us ||
				 (interest->no_tap && !review->no_tap));
}

static void interest_review_ask(struct xs_review *review, const struct xs_interest *interest)
{
	if (interest->all || interest->armed)
		review->sample_us = min_not_zero(review->sample_us, interest_sample_us(interest));
	if (!interest_review_lacks(review, interest) ||
	    !xs_owner_shows(&review->queue->owner, interest->file))
		return;
	review->all = true;
	review->settle_us = max(review->settle_us, interest->settle_us);
	review->no_tap |= interest->no_tap;
}

/* Ask the interests about an owner. Whether all have been. */
static bool interest_review_owner_locked(struct xs_review *review, u64 until)
{
	const struct xs_interest *interest;

	lockdep_assert_held(&xs_lock);

	while ((interest = interest_review_next_interest_locked())) {
		interest_review_ask(review, interest);
		if (ktime_get_ns() >= until)
			return false;
	}
	return true;
}

/*
 * As for events, the credentials that the owner had when the queue was created decide.
 * Mostly they are those of the queue before, and nobody is asked again.
 */
static bool interest_review_knows_owner_locked(const struct xs_queue *queue)
{
	const struct xs_queue *before = list_prev_entry(queue, in_pdd);

	lockdep_assert_held(&xs_lock);

	return !list_is_first(&queue->in_pdd, &queue->pdd->queues) &&
		queue->owner.cred == before->owner.cred &&
		queue->owner.dumpable == before->owner.dumpable;
}

static const struct xs_queue *interest_review_next_queue_locked(const struct xs_queue *queue)
{
	struct xs_pdd *pdd = queue->pdd;

	lockdep_assert_held(&xs_lock);

	if (!list_is_last(&queue->in_pdd, &pdd->queues))
		return list_next_entry(queue, in_pdd);
	if (list_is_last(&pdd->in_process, &pdd->process->pdds))
		return NULL;
	pdd = list_next_entry(pdd, in_process);
	return list_first_entry(&pdd->queues, struct xs_queue, in_pdd);
}

/*
 * A turn: all interests are asked about one owner, however many the process has had. It
 * goes on in the next slice if it takes longer. Whether the review is over.
 */
static bool interest_review_take_turn_locked(struct xs_process *process, u64 until)
{
	struct xs_review *review = &process->review;

	lockdep_assert_held(&xs_lock);

	turn.process = process;
	if (!review->queue)
		interest_review_begin_locked(process);
	if (!interest_review_knows_owner_locked(review->queue) &&
	    !interest_review_owner_locked(review, until))
		return false;
	do
		review->queue = interest_review_next_queue_locked(review->queue);
	while (review->queue && interest_review_knows_owner_locked(review->queue) &&
	       ktime_get_ns() < until);
	list_move_tail(&review->in_list, &interest_stale);
	interest_review_end_turn_locked();
	return !review->queue;
}

struct xs_process *xs_interest_review_locked(u64 until)
{
	struct xs_process *process;

	lockdep_assert_held(&xs_lock);

	while ((process = list_first_entry_or_null(&interest_stale, struct xs_process,
						   review.in_list))) {
		if (interest_review_take_turn_locked(process, until)) {
			if (process->review.began == interest_version)
				list_move_tail(&process->review.in_list, &interest_settled);
			return process;
		}
		if (ktime_get_ns() >= until)
			break;
	}
	return NULL;
}

void xs_interest_changed_locked(void)
{
	lockdep_assert_held(&xs_lock);

	interest_version++;
	list_splice_tail_init(&interest_settled, &interest_stale);
}

void xs_interest_process_changed_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	process->review.began = 0;
	if (turn.process != process)
		list_move_tail(&process->review.in_list, &interest_stale);
}

void xs_interest_add_process_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	list_add_tail(&process->review.in_list, &interest_stale);
}

void xs_interest_del_process_locked(struct xs_process *process)
{
	lockdep_assert_held(&xs_lock);

	list_del(&process->review.in_list);
	process->review.queue = NULL;
	if (turn.process == process)
		interest_review_end_turn_locked();
}

/* Its process is reviewed from the beginning, in its next turn. */
void xs_interest_queue_removed_locked(const struct xs_queue *queue)
{
	struct xs_process *process = queue->pdd->process;

	lockdep_assert_held(&xs_lock);

	if (process->review.queue != queue)
		return;
	process->review.queue = NULL;
	list_move_tail(&process->review.in_list, &interest_stale);
	if (turn.process == process)
		interest_review_end_turn_locked();
}

/* ---- what a newcomer is told --------------------------------------------- */

/* Those that have not been told all yet, by xs_interest.in_newcomers; under xs_lock. */
static LIST_HEAD(interest_newcomers);

void xs_interest_is_new_locked(struct xs_interest *interest)
{
	lockdep_assert_held(&xs_lock);

	interest->told = 0;
	interest->since = xs_look_ready_count();
	if (list_empty(&interest->in_newcomers))
		list_add_tail(&interest->in_newcomers, &interest_newcomers);
}

/* What became READY later, it has heard as all others. */
static bool interest_lacks_ready(const struct xs_interest *interest, const struct xs_queue *queue)
{
	return queue->watch.on && queue->pdd->process->watched &&
		xs_activity_is_ready(queue->watch.activity) &&
		queue->watch.ready_nr <= interest->since;
}

/* Whether it has been told all. */
static bool interest_tell_locked(struct xs_interest *interest, u64 until)
{
	struct xs_queue *queue;
	u64 now;

	lockdep_assert_held(&xs_lock);

	while ((queue = xs_queue_above_locked(interest->told))) {
		now = ktime_get_ns();
		interest->told = queue->id;
		if (interest_lacks_ready(interest, queue))
			xs_news->activity(interest, queue, KFD_XSCHED_EVENT_READY, now);
		if (now >= until)
			return false;
	}
	return true;
}

void xs_interest_tell_locked(u64 until)
{
	struct xs_interest *interest =
		list_first_entry_or_null(&interest_newcomers, struct xs_interest, in_newcomers);

	lockdep_assert_held(&xs_lock);

	if (!interest)
		return;
	if (interest_tell_locked(interest, until))
		list_del_init(&interest->in_newcomers);
	else
		list_move_tail(&interest->in_newcomers, &interest_newcomers);
}

bool xs_interest_any_newcomer_locked(void)
{
	lockdep_assert_held(&xs_lock);

	return !list_empty(&interest_newcomers);
}

bool xs_interest_any_stale_locked(void)
{
	lockdep_assert_held(&xs_lock);

	return !list_empty(&interest_stale);
}
