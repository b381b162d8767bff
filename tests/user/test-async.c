// SPDX-License-Identifier: MIT
/*
 * APPLY with ASYNC on the real driver; and threads that share a descriptor which
 * others of them close.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "must.h"
#include "tap.h"
#include "worker.h"
#include "xsdev.h"

#define TIMEOUT_MS	20000
#define THREADS		4
#define RACE_MS		3000
#define ENOUGH		100
#define DONE		KFD_XSCHED_EVENT_APPLY_DONE

static const struct spin_shape shape = { 1, 64, 1000 };
static int fd;
static struct kfd_xsched_queue queue;	/* the worker's only one */

static struct kfd_xsched_entry entry_of(uint32_t op)
{
	return (struct kfd_xsched_entry){
		.op = op,
		.target = KFD_XSCHED_TARGET_QUEUE,
		.id = queue.id,
	};
}

static uint32_t holders(int client)
{
	struct kfd_xsched_queue q;

	if (xsdev_find(client, queue.pid, queue.queue_id, &q))
		tap_bail("the queue is gone");
	return q.holders;
}

static int start(uint32_t op, uint64_t cookie)
{
	struct kfd_xsched_entry entry = entry_of(op);

	return xsdev_apply_async(fd, &entry, 1, cookie);
}

static void test_done(struct worker *w)
{
	struct kfd_xsched_event e;

	tap_is(start(KFD_XSCHED_OP_SUSPEND, 0xfeedULL << 40), 0, "a SUSPEND is accepted");
	tap_is(xsdev_wait_event(fd, DONE, 0, TIMEOUT_MS, &e), 0, "its event comes");
	tap_ok(e.id == 0xfeedULL << 40 && e.data == 0 && e.queue_id == 1,
	       "with the cookie, success and one flip");
	tap_is(holders(fd), 1, "and the queue is held");
	worker_submit(w, 0, &shape, 1);
	tap_is(worker_wait(w, 0, 200), -ETIME, "it does not run");
	tap_is(start(KFD_XSCHED_OP_RESUME, 2), 0, "a RESUME is accepted");
	tap_is(xsdev_wait_event(fd, DONE, 0, TIMEOUT_MS, &e), 0, "its event comes");
	tap_is(worker_wait(w, 0, TIMEOUT_MS), 0, "and it runs");
	tap_is(start(KFD_XSCHED_OP_RESUME, 3), -EALREADY, "a second RESUME fails at once");
	tap_is(xsdev_wait_event(fd, DONE, 0, 100, &e), -ETIME, "without an event");
}

static void test_limit(void)
{
	struct kfd_xsched_event e;
	uint64_t expected = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < KFD_XSCHED_MAX_ASYNC; i++) {
		while ((ret = start(i & 1 ? KFD_XSCHED_OP_RESUME : KFD_XSCHED_OP_SUSPEND, i)) ==
		       -EAGAIN)
			xsdev_sleep_ms(1);
		if (ret)
			break;
	}
	tap_is(i, KFD_XSCHED_MAX_ASYNC, "as many as may be unheard of are accepted");
	xsdev_sleep_ms(100);
	tap_is(start(KFD_XSCHED_OP_SUSPEND, 999), -EAGAIN, "one more is not");
	for (i = 0; i < KFD_XSCHED_MAX_ASYNC; i++) {
		if (xsdev_wait_event(fd, DONE, 0, TIMEOUT_MS, &e) || e.id != expected)
			break;
		expected++;
	}
	tap_is(i, KFD_XSCHED_MAX_ASYNC, "each is heard of, in order");
	tap_is(start(KFD_XSCHED_OP_SUSPEND, 999), 0, "then there is room again");
	tap_is(xsdev_wait_event(fd, DONE, 0, TIMEOUT_MS, &e), 0, "and it is done");
	xsdev_queue_op(fd, KFD_XSCHED_OP_RESUME, queue.id, 0, NULL);
}

static void test_close(void)
{
	struct kfd_xsched_entry entry = entry_of(KFD_XSCHED_OP_SUSPEND);
	unsigned int i;

	for (i = 0; i < 100; i++) {
		int client = xsdev_open();

		if (xsdev_apply_async(client, &entry, 1, i))
			break;
		close(client);
	}
	tap_is(i, 100, "clients that go at once, 100 times");
	tap_is(holders(fd), 0, "leave no hold behind");
}

static atomic_bool race_over;
static atomic_int shared_fd;		/* closed and opened anew all the time */
static atomic_ulong calls, unexplained;

static void *apply_thread(void *unused)
{
	(void)unused;
	while (!race_over) {
		struct kfd_xsched_entry entry = entry_of(calls & 1 ? KFD_XSCHED_OP_RESUME :
								     KFD_XSCHED_OP_SUSPEND);
		int ret = calls & 2 ? xsdev_apply_async(shared_fd, &entry, 1, 1) :
				      xsdev_apply(shared_fd, &entry, 1, NULL);

		calls++;
		if (ret && ret != -EBADF && ret != -EALREADY && ret != -EAGAIN)
			unexplained++;
	}
	return NULL;
}

static void test_close_race(void)
{
	pthread_t threads[THREADS];
	const uint64_t end = xsdev_now() + RACE_MS * 1000000ULL;
	unsigned int i, opened = 0;

	shared_fd = xsdev_open();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, apply_thread, NULL))
			tap_bail("no thread");
	for (; xsdev_now() < end; opened++) {
		usleep(200);
		close(shared_fd);
		shared_fd = xsdev_open();
	}
	race_over = true;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close(shared_fd);
	tap_note("%lu calls, %u files", (unsigned long)calls, opened);
	tap_ok(calls > opened && opened > ENOUGH, "threads apply while others close their file");
	tap_is(unexplained, 0, "each call ends as it may");
	tap_is(holders(fd), 0, "no hold is left");
}

int main(void)
{
	struct spin_account account;
	struct worker w;
	uint32_t id;

	fd = must_open();
	if (xsdev_wait_no_queue(fd, 20000))
		tap_bail("other processes have queues");
	if (worker_start(&w, 1, NULL) || worker_queue_id(&w, 0, &id) ||
	    xsdev_find(fd, w.pid, id, &queue))
		tap_bail("no queue to act on");
	test_done(&w);
	test_limit();
	test_close();
	test_close_race();
	worker_submit(&w, 0, &shape, 1);
	tap_is(worker_wait(&w, 0, TIMEOUT_MS), 0, "the queue runs");
	tap_ok(!worker_account(&w, &account) && spin_account_clean(&account),
	       "every dispatch executed once and in order");
	tap_is(worker_stop(&w), 0, "the worker exits");
	return tap_done();
}
