// SPDX-License-Identifier: MIT
/*
 * Why a queue does not run: the reasons of amdkfd beside holds, in LIST, alone and
 * together, and that letting go of one leaves the others.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define ACTIVE		KFD_XSCHED_QUEUE_ACTIVE
#define MINE		(KFD_XSCHED_QUEUE_HELD | KFD_XSCHED_QUEUE_MINE)
#define DISABLED	KFD_XSCHED_QUEUE_DISABLED
#define EVICTED		KFD_XSCHED_QUEUE_EVICTED
#define REASONS		(MINE | ACTIVE | DISABLED | EVICTED | KFD_XSCHED_QUEUE_DEBUGGED | \
			 KFD_XSCHED_QUEUE_RESET)

#define HELD_MS		300	/* how long we watch a queue do nothing */
#define DONE_MS		20000	/* when something that runs must be done */
#define ROUNDS		2000	/* evictions, at most, until we have seen one */

static const struct spin_shape shape = { 1, 64, 1000 };
static struct worker w;
static uint32_t queue_id;
static int fd;

static uint32_t state(void)
{
	struct kfd_xsched_queue q;

	if (xsdev_find(fd, w.pid, queue_id, &q))
		tap_bail("the queue is not listed");
	return q.state & REASONS;
}

static void hold(bool on)
{
	if (xsdev_process_op(fd, on ? KFD_XSCHED_OP_SUSPEND : KFD_XSCHED_OP_RESUME, w.pid, 0,
			     NULL))
		tap_bail("%s failed", on ? "SUSPEND" : "RESUME");
}

static void share(uint32_t percentage)
{
	if (worker_update(&w, 0, percentage, KFD_XSCHED_PRIORITY_NORMAL))
		tap_bail("UPDATE_QUEUE failed");
}

static void test_disabled(void)
{
	tap_is(state(), ACTIVE, "a queue that runs has no reason not to");
	share(0);
	tap_is(state(), DISABLED, "without a share of time: DISABLED");
	worker_submit(&w, 0, &shape, 1);
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "it does not run");
	hold(true);
	tap_is(state(), DISABLED | MINE, "held, too: both");
	hold(false);
	tap_is(state(), DISABLED, "released: still DISABLED");
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "and it does not run");
	hold(true);
	share(100);
	tap_is(state(), MINE, "held, with its share back: only held");
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "and it does not run");
	hold(false);
	tap_is(state(), ACTIVE, "released: no reason is left");
	tap_is(worker_wait(&w, 0, DONE_MS), 0, "and it runs");
}

static atomic_bool over;
static atomic_uint seen;

static void *watch(void *unused)
{
	(void)unused;
	while (!over)
		atomic_fetch_or(&seen, state());
	return NULL;
}

/* Evictions last for about a millisecond: provoke some until one is seen. */
static uint32_t seen_while_evicted(void)
{
	pthread_t thread;
	unsigned int i;

	over = false;
	seen = 0;
	if (pthread_create(&thread, NULL, watch, NULL))
		tap_bail("no thread");
	for (i = 0; i < ROUNDS && !(seen & EVICTED); i++) {
		if (worker_invalidate(&w))
			tap_bail("no eviction");
		xsdev_sleep_ms(1);
	}
	over = true;
	pthread_join(thread, NULL);
	tap_note("%u evictions until one was seen", i);
	return seen;
}

static bool becomes(uint32_t want)
{
	uint64_t end = xsdev_now() + DONE_MS * 1000000ULL;

	while (state() != want && xsdev_now() < end)
		xsdev_sleep_ms(5);
	return state() == want;
}

static void test_evicted(void)
{
	tap_ok(seen_while_evicted() & EVICTED, "while its memory is away: EVICTED");
	tap_ok(becomes(ACTIVE), "when it is back: no reason is left");
	hold(true);
	tap_is(seen_while_evicted() & (EVICTED | MINE | ACTIVE), EVICTED | MINE,
	       "evicted while held: both, and it never runs");
	tap_ok(becomes(MINE), "when the memory is back: only held");
	worker_submit(&w, 0, &shape, 1);
	tap_is(worker_wait(&w, 0, HELD_MS), -ETIME, "and it does not run");
	hold(false);
	tap_ok(becomes(ACTIVE), "released: no reason is left");
	tap_is(worker_wait(&w, 0, DONE_MS), 0, "and it runs");
}

int main(void)
{
	struct spin_account account;

	fd = must_open();
	if (xsdev_wait_no_queue(fd, 20000))
		tap_bail("other processes have queues");
	if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &queue_id))
		tap_bail("no queue to act on");
	test_disabled();
	test_evicted();
	tap_ok(!worker_account(&w, &account) && spin_account_clean(&account),
	       "every dispatch executed once and in order");
	tap_is(worker_stop(&w), 0, "the worker exits");
	return tap_done();
}
