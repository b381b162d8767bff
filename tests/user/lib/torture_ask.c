// SPDX-License-Identifier: MIT
/* What the workers of test-torture are asked for, while they are under no load. */
#include <errno.h>

#include "debugged.h"
#include "torture_worker.h"

#define PRIORITIES	(KFD_XSCHED_PRIORITY_MAX + 1)

static const struct spin_shape piece = { 64, 256, 20 * TORTURE_MS };

/* ---- queues -------------------------------------------------------------- */

void torture_note_queue(struct torture_worker *t)
{
	t->share[t->queues] = 100;
	t->priority[t->queues++] = KFD_XSCHED_PRIORITY_NORMAL;
}

/* The memory of those that have just ended may not be free yet. */
bool torture_add_queue(struct torture_worker *t)
{
	int ret;

	torture_did("worker %u creates a queue", t->index);
	ret = worker_add_queue(&t->w);
	if (!torture_worker_got(t, ret, ret == -ENOMEM))
		return false;
	torture_note_queue(t);
	return true;
}

static bool wait_for(struct torture_worker *t, unsigned int queue, int ms)
{
	int ret;

	torture_did("worker %u waits for queue %u", t->index, queue);
	ret = worker_wait(&t->w, queue, ms);
	if (!torture_worker_got(t, ret, ret == -ETIME))
		return false;
	t->pending &= ~(1U << queue);
	return true;
}

static void submit(struct torture_worker *t, unsigned int queue)
{
	const uint32_t count = 1 + torture_below(4);

	if (t->pending & 1U << queue) {
		wait_for(t, queue, 1 + (int)torture_below(20));
		return;
	}
	torture_did("worker %u submits to queue %u", t->index, queue);
	if (torture_worker_got(t, worker_submit(&t->w, queue, &piece, count), false))
		t->pending |= 1U << queue;
}

static void update(struct torture_worker *t, unsigned int queue, uint32_t share,
		   uint32_t priority)
{
	torture_did("worker %u: queue %u gets %u %%, priority %u", t->index, queue, share,
		    priority);
	if (!torture_worker_got(t, worker_update(&t->w, queue, share, priority), false))
		return;
	t->share[queue] = share;
	t->priority[queue] = priority;
}

/*
 * What it has not completed would be lost; and KFD waits until it is not suspended any more. If the
 * new one cannot be made, the worker has one queue less than it is known to have.
 */
static void recreate(struct torture_worker *t, unsigned int queue)
{
	if ((t->pending | t->suspended) & 1U << queue)
		return;
	torture_did("worker %u creates queue %u anew", t->index, queue);
	if (!torture_worker_got(t, worker_recreate(&t->w, queue), false))
		t->lost = true;
}

/* ---- a debugger ---------------------------------------------------------- */

static void suspend(struct torture_worker *t, unsigned int queue, bool on)
{
	torture_did("worker %u: the debugger %s queue %u", t->index, on ? "suspends" : "resumes",
		    queue);
	if (!torture_worker_got(t, worker_call(&t->w, queue, debugged_suspend, on), false))
		return;
	t->suspended &= ~(1U << queue);
	t->suspended |= (uint32_t)on << queue;
}

void torture_detach(struct torture_worker *t)
{
	torture_did("worker %u: the debugger detaches", t->index);
	if (!torture_worker_got(t, worker_call(&t->w, 0, debugged_stop, 0), false))
		return;
	t->debugged = false;
	t->suspended = 0;
}

static void debug(struct torture_worker *t, unsigned int queue)
{
	if (!t->debugged)
		return;
	if (torture_below(8))
		suspend(t, queue, !(t->suspended & 1U << queue));
	else
		torture_detach(t);
}

/* ---- the rest ------------------------------------------------------------ */

static void invalidate(struct torture_worker *t)
{
	torture_did("worker %u invalidates memory", t->index);
	torture_worker_got(t, worker_invalidate(&t->w), false);
}

/* A queue is to run: nobody but a scheduler keeps it from that. */
static void undo(struct torture_worker *t, unsigned int queue)
{
	if (t->state == TORTURE_ASKED && t->suspended & 1U << queue)
		suspend(t, queue, false);
	if (t->state == TORTURE_ASKED && t->share[queue] != 100)
		update(t, queue, 100, t->priority[queue]);
}

bool torture_is_ready(struct torture_worker *t, int ms)
{
	unsigned int i;

	for (i = 0; i < t->queues && t->state == TORTURE_ASKED; i++) {
		undo(t, i);
		if (t->state == TORTURE_ASKED && t->pending & 1U << i)
			wait_for(t, i, ms);
	}
	return t->state == TORTURE_ASKED && t->queues && !t->pending && !t->suspended;
}

/* At any time: nothing twice, nothing before its turn. */
static void account(struct torture_worker *t)
{
	struct spin_account a = { 0 };

	torture_did("worker %u accounts", t->index);
	if (!torture_worker_got(t, worker_account(&t->w, &a), false) || t->lost ||
	    torture.harm == TORTURE_WORK_IS_LOST)
		return;
	if (a.duplicated || a.out_of_order)
		torture_violation(TORTURE_ONCE, "worker %u: %llu twice, %llu out of order",
				  t->index, (unsigned long long)a.duplicated,
				  (unsigned long long)a.out_of_order);
}

static bool has_room(const struct torture_worker *t)
{
	return t->queues < TORTURE_QUEUES && torture_workers_queues() < TORTURE_MOST_QUEUES;
}

static void ask(struct torture_worker *t)
{
	const uint32_t kind = torture_below(16);
	const unsigned int queue = t->queues ? torture_below(t->queues) : 0;

	if (!t->queues || (kind == 0 && has_room(t)))
		torture_add_queue(t);
	else if (kind < 6)
		submit(t, queue);
	else if (kind < 8)
		update(t, queue, torture_below(4) ? 100 : 0, torture_below(PRIORITIES));
	else if (kind < 10)
		recreate(t, queue);
	else if (kind == 10)
		invalidate(t);
	else if (kind < 15)
		debug(t, queue);
	else
		account(t);
}

/* One that can be asked, if there is one. */
void torture_ask(void)
{
	const unsigned int first = torture_below(TORTURE_WORKERS);
	unsigned int i;

	for (i = 0; i < TORTURE_WORKERS; i++) {
		struct torture_worker *t = &torture_workers[(first + i) % TORTURE_WORKERS];

		if (t->state != TORTURE_ASKED)
			continue;
		ask(t);
		return;
	}
}

